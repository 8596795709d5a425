"""The table covers what LLVM emits, and every entry keeps the calling convention."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

from ptxlift.emulator.valu import Ctx, Kind, ValuOp, dtype_of, lookup, mnemonics
from ptxlift.emulator.valu.table import parse_signature

EMITTED = """
add3_u32 add_co_ci_u32 add_co_u32 add_f16 add_f32 add_f64 add_i32 add_lshl_u32 add_nc_i32 add_nc_u16
add_nc_u32 add_nc_u64 add_u16 add_u32 addc_co_u32 alignbit_b32 alignbyte_b32 and_b16 and_b32
and_or_b32 ashrrev_i32 bcnt_u32_b32 bfe_i32 bfe_u32 bfi_b32 bfrev_b32 bitop3_b16 bitop3_b32 cls_i32
clz_i32_u32 cmp_class_f32 cmp_eq_f32 cmp_eq_u16 cmp_eq_u32 cmp_eq_u64 cmp_ge_f32 cmp_ge_u32
cmp_gt_f32 cmp_gt_f64 cmp_gt_u32 cmp_le_f32 cmp_le_f64 cmp_lt_f32 cmp_lt_i32 cmp_lt_u32 cmp_lt_u64
cmp_ne_u32 cmp_ne_u64 cmp_ngt_f32 cmp_nle_f32 cmp_nlt_f32 cmp_nlt_f64 cmp_o_f16 cmp_o_f32 cmp_o_f64
cmp_u_f32 cmp_u_f64 cmpx_lt_u32 cmpx_ne_u32 cmpx_ne_u64 cndmask_b16 cndmask_b32 cos_f32 ctz_i32_b32
cvt_f16_f32 cvt_f32_f16 cvt_f32_f64 cvt_f32_fp8 cvt_f32_i32 cvt_f32_u32 cvt_f32_ubyte0 cvt_i32_f32
cvt_i32_f64 cvt_pk_bf16_f32 cvt_pk_f16_f32 cvt_pk_f32_fp8 cvt_pk_fp8_f32 cvt_pk_rtz_f16_f32
cvt_pkrtz_f16_f32 cvt_sr_bf16_f32 cvt_sr_fp8_f32 cvt_sr_pk_bf16_f32 cvt_u32_f32 div_fmas_f32
div_fmas_f64 div_scale_f32 div_scale_f64 dot2_f16_f16 dot2_f32_bf16 dot2_f32_f16 dot2_i32_i16
dot2acc_f32_f16 dot2c_f32_bf16 dot2c_f32_f16 dot2c_i32_i16 dot4_i32_i8 dot4_i32_iu8 dot4_u32_u8
dot4c_i32_i8 dot8_i32_i4 dot8_i32_iu4 dot8c_i32_i4 exp_f16 exp_f32 ffbh_i32 ffbh_u32 ffbl_b32
floor_f32 fma_dx9_zero_f32 fma_f32 fma_f64 fma_legacy_f32 fma_mix_f32 fma_mixlo_bf16 fmac_f32
fmac_f64 fmamk_f32 fract_f32 frexp_exp_i32_f32 frexp_mant_f32 ldexp_f32 ldexp_f64 log_f32
lshl_add_u32 lshl_add_u64 lshl_or_b32 lshlrev_b16 lshlrev_b32 lshlrev_b64 lshrrev_b32 mac_f32
mad_co_i64_i32 mad_co_u64_u32 mad_f32 mad_i64_i32 mad_nc_i64_i32 mad_nc_u64_u32 mad_u32 mad_u64_u32
max_f16 max_f32 max_f64 max_i32 max_num_f16 max_num_f32 max_num_f64 max_u32 med3_f32 med3_i32
med3_num_f32 min3_f32 min3_num_f32 min_f16 min_f32 min_f64 min_i32 min_num_f16 min_num_f32
min_num_f64 min_u32 min_u64 minimum3_f32 minimum_f16 minimum_f32 minimum_f64 mov_b16 mov_b32 mov_b64
mul_dx9_zero_f32 mul_f32 mul_f64 mul_hi_u32 mul_i32_i24 mul_legacy_f32 mul_lo_u32 mul_u64 not_b32
or3_b32 or_b16 or_b32 pack_b32_f16 perm_b32 pk_add_bf16 pk_add_f16 pk_add_u16 pk_fma_bf16 pk_fma_f16
pk_fma_f32 pk_max_f16 pk_max_num_bf16 pk_max_num_f16 pk_min_f16 pk_min_num_bf16 pk_min_num_f16
pk_minimum3_f16 pk_minimum_f16 pk_mov_b32 prng_b32 rcp_f32 rcp_f64 rcp_iflag_f32 rndne_f32 rsq_f32
rsq_f64 sad_u16 sad_u8 sin_f32 sqrt_f16 sqrt_f32 sub_co_ci_u32 sub_co_u32 sub_f32 sub_nc_u32
sub_nc_u64 sub_u32 subb_co_u32 subrev_co_u32 subrev_nc_u32 subrev_u32 tanh_f32 trunc_f32 xad_u32
xor3_b32 xor_b32
"""
"""What llc 22 was seen to emit for 659 probes on 19 targets, less lane moves and VOPD's prefix."""


@pytest.mark.parametrize("name", EMITTED.split())
def test_emitted_operations_exist(name: str) -> None:
    assert lookup(f"v_{name}") is not None


def test_unknown_names_are_none() -> None:
    assert lookup("v_no_such_operation") is None


def test_signatures_read_left_to_right() -> None:
    destinations, sources = parse_signature("b32 mask = b32 b64")
    assert destinations == (Kind.B32, Kind.MASK)
    assert sources == (Kind.B32, Kind.B64)


WORDS = {Kind.B96: 3, Kind.B128: 4}


def operands(op: ValuOp, shape: tuple[int, ...], scalars: tuple[int, ...]) -> list[Any]:
    """One array a source; those numbered in `scalars` have length one on every axis."""
    kinds = list(op.srcs)
    if op.flags.implicit_vcc:
        kinds.append(Kind.MASK)
    if op.flags.reads_dst:
        kinds.append(op.dst[0])
    out = []
    for i, kind in enumerate(kinds):
        lanes = (1,) * len(shape) if i in scalars else shape
        words = (WORDS[kind],) if kind in WORDS else ()
        out.append(np.ones(lanes + words, dtype_of(kind)))
    return out


def keywords(op: ValuOp) -> dict[str, Any]:
    found: dict[str, Any] = dict.fromkeys(op.flags.keywords, 0)
    if op.flags.int_clamp:
        found["clamp"] = True
    if op.flags.packed:
        count = len(op.srcs)
        off, on = (False,) * count, (True,) * count
        found |= {"op_sel": off, "op_sel_hi": on, "neg_lo": off, "neg_hi": off}
    return found


@pytest.mark.parametrize("name", mnemonics())
def test_calling_convention(name: str) -> None:
    """Right types for vectors, scalars, two-dimensional shapes; no source is written to."""
    op = lookup(name)
    assert op is not None
    count = len(op.srcs)
    for chosen in itertools.product((False, True), repeat=count):
        sources = operands(op, (2, 5), tuple(itertools.compress(range(count), chosen)))
        for source in sources:
            source.flags.writeable = False
        with np.errstate(all="ignore"):
            result = op.fn(Ctx(), *sources, **keywords(op))
        results = result if isinstance(result, tuple) else (result,)
        assert len(results) == len(op.dst)
        for value, kind in zip(results, op.dst, strict=True):
            assert value.dtype == dtype_of(kind)
            words = (WORDS[kind],) if kind in WORDS else ()
            np.broadcast_to(value, (2, 5, *words))
