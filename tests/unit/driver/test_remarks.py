"""Remarks: what the rewriter did, where, and the IR it leaves."""

from __future__ import annotations

import ptxlift

_TEXT = """.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 memory)
{
.reg .b32 %r<4>; .reg .b64 %d<1>;
ld.param.u64 %d0, [memory];
ld.global.v2.u32 {%r0, %r1}, [%d0];
shl.b32 %r2, %r0, %r1;
st.global.u32 [%d0], %r2;
ret;
}
"""


def test_remarks_name_rule_line_and_outcome() -> None:
    (remark,) = ptxlift.lift(_TEXT, "gfx942").remarks
    assert remark.code == "PTX208"
    assert remark.severity.value == "remark"
    assert remark.span is not None and remark.span.line == 9
    assert remark.message.startswith("left_clamped in k: low word of")


def test_remarks_of_several_texts_have_no_place() -> None:
    other = _TEXT.replace("entry k", "entry j")
    remarks = ptxlift.lift([_TEXT, other], "gfx942").remarks
    assert {(remark.span, remark.message.split(":")[0]) for remark in remarks} == {
        (None, "left_clamped in j"),
        (None, "left_clamped in k"),
    }


def test_rewritten_ir_is_what_the_rules_left() -> None:
    program = ptxlift.lift(_TEXT, "gfx942")
    assert "select" not in program.rewritten_ir
    assert program.ir != program.rewritten_ir
