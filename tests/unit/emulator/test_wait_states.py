"""What gfx9 does not wait for: the rules of AMD's manuals, each kept and broken by one."""

from __future__ import annotations

import numpy as np
import pytest

import ptxlift
from ptxlift.emulator.operands import parse_inst
from ptxlift.emulator.wait_states import Recent, after, broken_rule

SHIFT = "row_shr:1 row_mask:0xf bank_mask:0xf"
# chip, instructions whose last is just early enough to break a rule, and what they break; with one
# wait state more all is well. MI300 manual, "Required User-Inserted Wait States".
BROKEN = (
    ("gfx90a", "v_mov_b32_e32 v1, v0; s_nop 0; v_mov_b32_dpp v2, v1 " + SHIFT, "DPP read"),
    ("gfx942", "v_cmpx_gt_u32_e32 v0, v1; s_nop 3; v_mov_b32_dpp v2, v3 " + SHIFT, "EXEC"),
    ("gfx942", "v_readlane_b32 s4, v1, 0; s_nop 3; global_load_dword v1, v0, s[4:5]", "address"),
    ("gfx90a", "v_readfirstlane_b32 s4, v1; s_nop 2; v_readlane_b32 s5, v2, s4", "a lane sel"),
    ("gfx90a", "v_div_scale_f32 v0, vcc, v1, v2, v1; s_nop 2; v_div_fmas_f32 v0, v1, v2, v1", "fm"),
    ("gfx942", "v_readfirstlane_b32 s4, v1; s_nop 0; v_add_u32_e32 v0, s4, v0", "a vector read"),
    ("gfx950", "v_add_u32_e32 v1, 1, v0; v_readfirstlane_b32 s4, v1", "a lane read"),
    ("gfx942", "v_rcp_f32_e32 v1, v0; v_mul_f32_e32 v2, v1, v1", "transcendental"),
)  # fmt: skip
CLEAN = (
    ("gfx90a", "v_rcp_f32_e32 v1, v0; v_mul_f32_e32 v2, v1, v1"),  # only MI300 forwards none
    ("gfx942", "v_rcp_f32_e32 v1, v0; v_exp_f32_e32 v2, v1"),
    ("gfx942", "v_cmp_gt_u32_e32 vcc, v0, v1; v_cndmask_b32_e32 v2, v0, v1, vcc"),
    ("gfx942", "v_mov_b32_e32 v1, v0; v_mov_b32_dpp v2, v3 " + SHIFT),
    ("gfx942", "s_mov_b32 s4, s5; global_load_dword v1, v0, s[4:5]"),
    ("gfx1100", "v_mov_b32_e32 v1, v0; v_mov_b32_dpp v2, v1 " + SHIFT),
)  # fmt: skip
KERNEL = """.version 8.3
.target sm_90
.address_size 64
.visible .entry k(.param .u64 out)
{
.reg .b32 %r<4>; .reg .f32 %f<4>; .reg .f64 %e<4>; .reg .b64 %d<2>; .reg .pred %p<2>;
ld.param.u64 %d0, [out]; mov.u32 %r0, %tid.x;
redux.sync.add.u32 %r1, %r0, -1;
shfl.sync.bfly.b32 %r2, %r0, 1, 31, -1; add.u32 %r1, %r1, %r2;
shfl.sync.idx.b32 %r2, %r1, 5, 31, -1; add.u32 %r1, %r1, %r2;
cvt.rn.f32.u32 %f0, %r1; div.rn.f32 %f1, %f0, 0f40400000; sqrt.rn.f32 %f1, %f1;
ex2.approx.f32 %f2, %f1; add.f32 %f1, %f1, %f2;
cvt.f64.f32 %e0, %f1; div.rn.f64 %e1, %e0, 0d4008000000000000; cvt.rn.f32.f64 %f1, %e1;
mad.wide.u32 %d1, %r0, 4, %d0; st.global.f32 [%d1], %f1;
}
"""


def follow(target: str, texts: list[str]) -> str:
    """The name of the rule that the last instruction breaks; none before may."""
    recent: Recent = ()
    for number, text in enumerate(texts):
        inst = parse_inst(4 * number, text, (0,))
        broken = broken_rule(recent, inst, target)
        if broken is not None:
            assert number == len(texts) - 1
            return broken[0].name
        recent = after(recent, inst)
    return ""


@pytest.mark.parametrize(("target", "code", "name"), BROKEN, ids=lambda value: str(value)[:20])
def test_a_rule_is_broken_by_one_state(target: str, code: str, name: str) -> None:
    *before, last = code.split("; ")
    assert name in follow(target, [*before, last]) != ""
    assert follow(target, [*before, "s_nop 0", last]) == ""


@pytest.mark.parametrize(("target", "code"), CLEAN, ids=lambda value: str(value)[:20])
def test_what_chips_wait_for_themselves(target: str, code: str) -> None:
    assert follow(target, code.split("; ")) == ""


@pytest.mark.parametrize("target", ["gfx90a", "gfx942", "gfx950"])
def test_compiled_code_keeps_the_rules(target: str) -> None:
    translation = ptxlift.lift(KERNEL, target)
    assert "s_nop" in translation.asm
    assert "dpp" in translation.asm
    ptxlift.run(translation, "k", 1, 64, [np.zeros(64, np.float32)], checks="hazards")
