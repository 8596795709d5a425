"""Lines of IR and assembly name their line of PTX; counts of a launch name their instruction."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import ptxlift
from ptxlift.emulator import listed_costs
from ptxlift.view import listings_of, render

EXAMPLES = Path(__file__).parents[3] / "examples"
LINES = ptxlift.Options(debug_lines=True)


@pytest.mark.parametrize("name", ["ptx/local_sort", "hand/calls", "triton/gelu"])
@pytest.mark.parametrize("target", ["gfx942", "gfx1100"])
def test_assembly_has_every_instruction_of_the_code_object(name: str, target: str) -> None:
    made = ptxlift.lift((EXAMPLES / f"{name}.ptx").read_text(), target, options=LINES)
    numbered = [line for line in listings_of(made).assembly if line.number >= 0]
    listed = [row.split() for row in made.listing.splitlines() if "; " in row]
    assert [line.text.split()[0] for line in numbered] == [row[0] for row in listed]
    assert len(listed_costs(made.listing, target)) == len(numbered)
    known = [line for line in numbered if line.line]
    assert len(known) > 0.7 * len(numbered)  # merged ones have several lines, and name none


def test_executions_are_counted_by_instruction() -> None:
    """Three times around a loop, by two waves."""
    text = """.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 p, .param .u32 n) {
  .reg .b64 %a; .reg .b32 %i, %n; .reg .pred %q;
  ld.param.u64 %a, [p]; ld.param.u32 %n, [n]; mov.u32 %i, 0;
AGAIN:
  red.global.add.u32 [%a], %i;
  add.u32 %i, %i, 1; setp.lt.u32 %q, %i, %n; @%q bra AGAIN;
  ret;
}
"""
    made = ptxlift.lift(text, "gfx1100", options=LINES)
    total = np.zeros(1, np.uint32)
    result = ptxlift.run(made, "k", 1, 64, [total, np.uint32(3)])
    assert total[0] == 64 * 3
    rows = [line for line in listings_of(made).assembly if line.number >= 0]
    counts = dict(zip((row.text.split()[0] for row in rows), result.executed, strict=True))
    assert counts["global_atomic_add_u32"] == 2 * 3
    assert counts["s_endpgm"] == 2


def test_a_name_cannot_break_the_page() -> None:
    text = (EXAMPLES / "ptx" / "saxpy.ptx").read_text() + "\n// </script><b>%%DATA%%</b>\n"
    page = render(ptxlift.lift(text, options=LINES, name="<i>%%STYLE%%</i>.ptx"))
    assert page.count("</script>") == 2
    assert "<i>" not in page and "&lt;i&gt;%%STYLE%%" in page


def test_several_texts_have_no_page() -> None:
    text = (EXAMPLES / "ptx" / "saxpy.ptx").read_text()
    with pytest.raises(ptxlift.PtxError, match="PTX307"):
        render(ptxlift.lift([text, ".version 8.0\n.target sm_80\n.address_size 64\n"]))
