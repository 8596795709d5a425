"""Numbers of directives outside what ptxas 13 takes, and what `.minnctapersm` becomes."""

from __future__ import annotations

import pytest

import ptxlift

_HEAD = ".version 8.0\n.target sm_80\n"


def _code(text: str) -> str:
    try:
        ptxlift.lift(_HEAD + text)
    except ptxlift.PtxError as error:
        return error.diagnostics[0].code
    return ""


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (".address_size 7\n.visible .entry k() { ret; }", "PTX004"),
        (".address_size 64\n.visible .entry k() { ret; }", ""),
        (".visible .entry k() .maxntid 4294967296 { ret; }", "PTX109"),
        (".visible .entry k() .maxntid 65536 { ret; }", ""),
        (".visible .entry k() .maxntid 32 .minnctapersm 0 { ret; }", "PTX109"),
        (".visible .entry k() .maxntid 32 .minnctapersm 4294967296 { ret; }", "PTX109"),
        (".global .align 4294967296 .b8 x[4];", "PTX106"),
        (".global .align 65536 .b8 x[4];", ""),
    ],
)
def test_ranges(text: str, code: str) -> None:
    assert _code(text) == code


@pytest.mark.parametrize("name", ["sm_ninety", "sm_"])
def test_a_target_without_a_number_is_unknown(name: str) -> None:
    with pytest.raises(ptxlift.PtxError) as caught:
        ptxlift.parse(f".version 8.0\n.target {name}\n.visible .entry k() {{ addd; ret; }}")
    assert [d.code for d in caught.value.diagnostics] == ["PTX004"]


def test_alignment_that_no_loader_honours_is_refused() -> None:
    text = ".global .align 131072 .b8 x[4];\n.visible .entry k() { st.global.u8 [x], 1; ret; }"
    with pytest.raises(ptxlift.PtxError) as caught:
        _ = ptxlift.lift(_HEAD + text).code_object
    assert "131072" in str(caught.value) and caught.value.diagnostics[0].code == "PTX302"


@pytest.mark.parametrize(
    ("directives", "waves"),
    [
        (".maxntid 256 .minnctapersm 4", "4"),  # 4 blocks of 4 waves on 4 SIMDs
        (".reqntid 1024 .minnctapersm 2", "8"),
        (".maxntid 256 .minnctapersm 1", None),  # no more than what is the least anyway
        (".minnctapersm 4", None),  # ptxas ignores it without a block size
        (".maxntid 32 .minnctapersm 33", None),  # and out of its range
        (".maxntid 1024 .minnctapersm 3", None),
    ],
)
def test_blocks_per_multiprocessor_become_waves_per_simd(
    directives: str, waves: str | None
) -> None:
    text = ptxlift.lift(f"{_HEAD}.visible .entry k() {directives} {{ ret; }}", "gfx942").llvm_ir
    wanted = [] if waves is None else [f'"amdgpu-waves-per-eu"="{waves}"']
    assert [word for word in text.split() if "waves-per-eu" in word] == wanted
