"""PTX of compilers newer than the ISA table: nvJitLink 13.5 writes .version 9.5."""

from __future__ import annotations

import pytest

import ptxlift

MODULE = """.version {version}
.target sm_80
.address_size 64
.visible .entry k(.param .u64 out)
{{
    .reg .b64 %rd<2>;
    ld.param.u64 %rd1, [out];
    st.global.u32 [%rd1], 7;
    ret;
}}
"""


@pytest.mark.parametrize("version", ["9.1", "9.5", "10.0"])
def test_a_newer_version_is_read(version: str) -> None:
    module = ptxlift.parse(MODULE.format(version=version))
    assert "k" in module.functions


@pytest.mark.parametrize("version", ["90.0", "7.9", "4.7"])
def test_a_version_that_is_a_slip_is_an_error(version: str) -> None:
    with pytest.raises(ptxlift.PtxError) as caught:
        ptxlift.parse(MODULE.format(version=version))
    assert caught.value.diagnostics[0].code == "PTX004"
