"""PTX idioms and the instructions a chip has for them, by AMD's instruction set documents.

Each idiom is a kernel of one module a target; what is between its loads and its store must be just
the instructions named. `{}` stands for spellings that differ between families.
"""

from __future__ import annotations

import re

import pytest

import ptxlift

# name, PTX that reads %r1 %r2 %r3 (words), %f1 %f2 %f3 (their bits), %d1 %d2 and leaves %r4,
# instructions on gfx942, and on gfx1100 where they differ
# fmt: off
IDIOMS: tuple[tuple[str, str, str, str], ...] = (
    ("mad24_unsigned", "mad24.lo.u32 %r4, %r1, %r2, %r3;", "v_mad_u32_u24", ""),
    ("mad24_signed", "mad24.lo.s32 %r4, %r1, %r2, %r3;", "v_mad_i32_i24", ""),
    ("sum_of_three", "add.u32 %r4, %r1, %r2; add.u32 %r4, %r4, %r3;", "v_add3_u32", ""),
    ("shift_add", "shl.b32 %r4, %r1, 3; add.u32 %r4, %r4, %r2;", "v_lshl_add_u32", ""),
    ("add_shift", "add.u32 %r4, %r1, %r2; shl.b32 %r4, %r4, 3;", "v_add_lshl_u32", ""),
    ("least_of_three", "min.s32 %r4, %r1, %r2; min.s32 %r4, %r4, %r3;", "v_min3_i32", ""),
    ("clamp_integer", "max.s32 %r4, %r1, -5; min.s32 %r4, %r4, 77;", "v_med3_i32", ""),
    ("median", "min.s32 %r4, %r1, %r2; max.s32 %r5, %r1, %r2; min.s32 %r5, %r5, %r3; max.s32 %r4, %r4, %r5;", "v_med3_i32", ""),
    ("clamp_float", "max.f32 %f4, %f1, 0f00000000; min.f32 %f4, %f4, 0f3F800000; mov.b32 %r4, %f4;", "v_max_f32_e64", ""),
    ("fma_saturated", "fma.rn.sat.f32 %f4, %f1, %f2, %f3; mov.b32 %r4, %f4;", "v_fma_f32", ""),
    ("dot4_unsigned", "dp4a.u32.u32 %r4, %r1, %r2, %r3;", "v_dot4_u32_u8", "v_dot4_u32_u8|v_dot4_i32_iu8"),
    ("dot4_signed", "dp4a.s32.s32 %r4, %r1, %r2, %r3;", "v_dot4c?_i32_i8(_e32)?", "v_dot4_i32_iu8"),
    ("byte_swap", "prmt.b32 %r4, %r1, 0, 0x0123;", "v_perm_b32", ""),
    ("half_swap", "prmt.b32 %r4, %r1, 0, 0x1032;", "v_alignbit_b32", ""),
    ("rotate", "shf.l.wrap.b32 %r4, %r1, %r1, 7;", "v_alignbit_b32", ""),
    ("rotate_by_shifts", "shl.b32 %r4, %r1, 7; shr.u32 %r5, %r1, 25; or.b32 %r4, %r4, %r5;", "v_alignbit_b32", ""),
    ("rotate_by_register", "shf.r.wrap.b32 %r4, %r1, %r1, %r2;", "v_alignbit_b32", ""),
    ("field", "bfe.u32 %r4, %r1, 5, 7;", "v_bfe_u32", ""),
    ("count_and_add", "popc.b32 %r4, %r1; add.u32 %r4, %r4, %r2;", "v_bcnt_u32_b32", ""),
    ("reversed", "brev.b32 %r4, %r1;", "v_bfrev_b32_e32", ""),
    ("division_by_ten", "div.u32 %r4, %r1, 10;", "v_mul_hi_u32 v_lshrrev_b32_e32", ""),
    ("high_product", "mul.hi.u32 %r4, %r1, %r2;", "v_mul_hi_u32", ""),
    ("distance", "sad.u32 %r4, %r1, %r2, %r3;", "v_sad_u32", ""),
    ("distance_of_bytes", "vabsdiff4.u32.u32.u32.add %r4, %r1, %r2, %r3;", "v_sad_u8", ""),
    ("saturated_sum", "add.sat.s32 %r4, %r1, %r2;", "v_add_i32", "v_add_nc_i32"),
    ("packed_sum", "add.f16x2 %r4, %r1, %r2;", "v_pk_add_f16", ""),
    ("packed_fma", "fma.rn.f16x2 %r4, %r1, %r2, %r3;", "v_pk_fma_f16", ""),
    ("mixed_fma", "mov.b32 {%h1, %h2}, %r1; mov.b32 {%h3, %h4}, %r2; cvt.f32.f16 %f4, %h1; cvt.f32.f16 %f5, %h3; fma.rn.f32 %f4, %f4, %f5, %f3; mov.b32 %r4, %f4;", "v_fma_mix_f32", ""),
    ("to_integer", "cvt.rzi.s32.f32 %r4, %f1;", "v_cvt_i32_f32_e32", ""),
    ("to_float", "cvt.rn.f32.s32 %f4, %r1; mov.b32 %r4, %f4;", "v_cvt_f32_i32_e32", ""),
    ("byte_to_float", "bfe.u32 %r4, %r1, 8, 8; cvt.rn.f32.u32 %f4, %r4; mov.b32 %r4, %f4;", "v_cvt_f32_ubyte1_e32", ""),
    ("reciprocal", "rcp.approx.ftz.f32 %f4, %f1; mov.b32 %r4, %f4;", "v_rcp_f32_e32", ""),
    ("select", "setp.gt.s32 %p1, %r1, %r2; selp.b32 %r4, %r3, %r1, %p1;", "v_cmp_gt_i32_e32 v_cndmask_b32_e32", ""),
    ("majority", "lop3.b32 %r4, %r1, %r2, %r3, 0xE8;", "v_bfi_b32 v_bfi_b32", "v_xnor_b32_e32|v_xor_b32_e32 v_bfi_b32"),
    ("and_or", "and.b32 %r4, %r1, %r2; or.b32 %r4, %r4, %r3;", "v_and_or_b32", ""),
    ("wide_product_and_sum", "mad.wide.u32 %d4, %r1, %r2, %d1; mov.b64 {%r4, %r5}, %d4; xor.b32 %r4, %r4, %r5;", "v_mad_u64_u32 v_xor_b32_e32", ""),
    ("carry_chain_product", "mad.lo.cc.u32 %r4, %r1, %r2, %r3; madc.hi.u32 %r5, %r1, %r2, 0; xor.b32 %r4, %r4, %r5;", "v_mov_b32_e32 v_mad_u64_u32 v_xor_b32_e32", ""),
    ("count_of_64", "popc.b64 %r4, %d1;", "v_bcnt_u32_b32 v_bcnt_u32_b32", ""),
)
# fmt: on
_SKIPPED = re.compile(r"s_(wait\w*|delay_alu|nop|endpgm|code_end|sendmsg\w*)|global_store\w*")


def _module() -> str:
    kernels = [
        f"""
.visible .entry {name}(.param .u64 memory)
{{
.reg .b32 %r<8>; .reg .b16 %h<8>; .reg .f32 %f<8>; .reg .b64 %d<8>; .reg .pred %p<4>;
ld.param.u64 %d0, [memory]; mov.u32 %r0, %tid.x; mul.wide.u32 %d7, %r0, 64; add.u64 %d0, %d0, %d7;
ld.global.v4.u32 {{%r1, %r2, %r3, %r7}}, [%d0]; ld.global.v2.u64 {{%d1, %d2}}, [%d0+32];
mov.b32 %f1, %r1; mov.b32 %f2, %r2; mov.b32 %f3, %r3;
{body}
st.global.b32 [%d0], %r4;
ret;
}}"""
        for name, body, _, _ in IDIOMS
    ]
    return "\n".join([".version 8.0\n.target sm_80\n.address_size 64", *kernels])


def _instructions(listing: str) -> dict[str, list[str]]:
    """What stands after the last load of each kernel, without waits and the store."""
    bodies = listing.split("s_load_")[1:]  # every kernel begins by reading its parameter
    found = {}
    for (name, *_), body in zip(IDIOMS, bodies, strict=True):
        words = [
            line.split()[0] for line in body.splitlines() if line.startswith("\t") and line.strip()
        ]
        last = max(i for i, word in enumerate(words) if "_load_" in word)
        found[name] = [w for w in words[last + 1 :] if not _SKIPPED.fullmatch(w)]
    return found


@pytest.mark.parametrize(("target", "column"), [("gfx942", 2), ("gfx1100", 3)])
def test_idioms_become_native_instructions(target: str, column: int) -> None:
    found = _instructions(ptxlift.lift(_module(), target).listing)
    wrong = {}
    for idiom in IDIOMS:
        patterns = (idiom[column] or idiom[2]).split()
        made = found[idiom[0]]
        fits = len(made) == len(patterns) and all(map(re.fullmatch, patterns, made))
        if not fits:
            wrong[idiom[0]] = made
    assert not wrong
