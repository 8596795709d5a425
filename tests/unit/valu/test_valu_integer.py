"""Integer operations against Python's integers: one plain definition an operation, edge values."""

from __future__ import annotations

import itertools
from collections.abc import Callable

import numpy as np
import pytest

from ptxlift.emulator.valu import Ctx, dtype_of, lookup

CTX = Ctx()
EDGES = (0, 1, 2, 3, 7, 8, 31, 32, 33, 63, 64, 0x7F, 0x80, 0xFF, 0x7FFF, 0x8000, 0xFFFF)
WIDE = (0x7FFFFF, 0x800000, 0xFFFFFF, 0x7FFFFFFF, 0x80000000, 0x80000001, 0xDEADBEEF, 0xFFFFFFFF)
WIDER = (1 << 32, 0x7FFFFFFFFFFFFFFF, 0x8000000000000000, 0x123456789ABCDEF0, (1 << 64) - 1)


def edges(bits: int) -> list[int]:
    return [v for v in EDGES + WIDE + WIDER if v < 1 << bits]


def s(value: int, bits: int) -> int:
    value &= (1 << bits) - 1
    return value - (1 << bits) if value >> (bits - 1) else value


def clip(value: int, low: int, high: int) -> int:
    return max(low, min(high, value))


def sum_fields(a: int, b: int, width: int, masked: bool = False) -> int:
    total = 0
    for at in range(0, 32, width):
        x = a >> at & ((1 << width) - 1)
        y = b >> at & ((1 << width) - 1)
        total += 0 if masked and y == 0 else abs(x - y)
    return total


def perm(a: int, b: int, selector: int) -> int:
    data = ((a << 32) | b).to_bytes(8, "little")
    table = {8: data[1] >> 7, 9: data[3] >> 7, 10: data[5] >> 7, 11: data[7] >> 7, 12: 0}
    out = []
    for select in selector.to_bytes(4, "little"):
        out.append(data[select] if select < 8 else table.get(select, 1) * 0xFF)
    return int.from_bytes(bytes(out), "little")


def lerp(a: int, b: int, c: int) -> int:
    triples = zip(*(v.to_bytes(4, "little") for v in (a, b, c)), strict=True)
    return int.from_bytes(bytes((x + y + (r & 1)) >> 1 for x, y, r in triples), "little")


def bfe_signed(a: int, offset: int, width: int) -> int:
    width &= 31
    return 0 if width == 0 else s(s(a, 32) >> (offset & 31), width)


# mnemonic, Python definition (the result is wrapped to the destination's width)
UNARY: tuple[tuple[str, Callable[[int], int]], ...] = (
    ("v_mov_b32", lambda a: a),
    ("v_mov_b64", lambda a: a),
    ("v_not_b32", lambda a: ~a),
    ("v_not_b16", lambda a: ~a),
    ("v_bfrev_b32", lambda a: int(f"{a:032b}"[::-1], 2)),
    ("v_ffbh_u32", lambda a: 32 - a.bit_length() if a else -1),
    ("v_clz_i32_u32", lambda a: 32 - a.bit_length() if a else -1),
    ("v_ffbl_b32", lambda a: (a & -a).bit_length() - 1 if a else -1),
    ("v_ctz_i32_b32", lambda a: (a & -a).bit_length() - 1 if a else -1),
    ("v_ffbh_i32", lambda a: 32 - (a if a < 1 << 31 else ~a & 0xFFFFFFFF).bit_length()
        if a not in (0, 0xFFFFFFFF) else -1),
    ("v_cvt_i32_i16", lambda a: s(a, 16)),
    ("v_cvt_u32_u16", lambda a: a),
    ("v_prng_b32", lambda a: (a << 1) ^ (197 if a >> 31 else 0)),
)  # fmt: skip

BINARY: tuple[tuple[str, Callable[[int, int], int]], ...] = (
    ("v_add_u32", lambda a, b: a + b),
    ("v_add_nc_u32", lambda a, b: a + b),
    ("v_add_u16", lambda a, b: a + b),
    ("v_add_nc_u64", lambda a, b: a + b),
    ("v_sub_u32", lambda a, b: a - b),
    ("v_sub_u16", lambda a, b: a - b),
    ("v_sub_nc_u64", lambda a, b: a - b),
    ("v_subrev_u32", lambda a, b: b - a),
    ("v_mul_lo_u32", lambda a, b: a * b),
    ("v_mul_lo_u16", lambda a, b: a * b),
    ("v_mul_u64", lambda a, b: a * b),
    ("v_mul_hi_u32", lambda a, b: a * b >> 32),
    ("v_mul_hi_i32", lambda a, b: s(a, 32) * s(b, 32) >> 32),
    ("v_mul_u32_u24", lambda a, b: (a & 0xFFFFFF) * (b & 0xFFFFFF)),
    ("v_mul_i32_i24", lambda a, b: s(a, 24) * s(b, 24)),
    ("v_mul_hi_u32_u24", lambda a, b: (a & 0xFFFFFF) * (b & 0xFFFFFF) >> 32),
    ("v_mul_hi_i32_i24", lambda a, b: s(a, 24) * s(b, 24) >> 32),
    ("v_min_u32", min),
    ("v_max_u32", max),
    ("v_min_u16", min),
    ("v_max_u64", max),
    ("v_min_i32", lambda a, b: min(s(a, 32), s(b, 32))),
    ("v_max_i16", lambda a, b: max(s(a, 16), s(b, 16))),
    ("v_min_i64", lambda a, b: min(s(a, 64), s(b, 64))),
    ("v_and_b32", lambda a, b: a & b),
    ("v_or_b16", lambda a, b: a | b),
    ("v_xor_b32", lambda a, b: a ^ b),
    ("v_xnor_b32", lambda a, b: ~(a ^ b)),
    ("v_lshlrev_b32", lambda a, b: b << (a & 31)),
    ("v_lshrrev_b32", lambda a, b: b >> (a & 31)),
    ("v_ashrrev_i32", lambda a, b: s(b, 32) >> (a & 31)),
    ("v_lshlrev_b16", lambda a, b: b << (a & 15)),
    ("v_lshrrev_b16", lambda a, b: b >> (a & 15)),
    ("v_ashrrev_i16", lambda a, b: s(b, 16) >> (a & 15)),
    ("v_lshlrev_b64", lambda a, b: b << (a & 63)),
    ("v_lshrrev_b64", lambda a, b: b >> (a & 63)),
    ("v_ashrrev_i64", lambda a, b: s(b, 64) >> (a & 63)),
    ("v_bfm_b32", lambda a, b: ((1 << (a & 31)) - 1) << (b & 31)),
    ("v_bcnt_u32_b32", lambda a, b: a.bit_count() + b),
    ("v_pack_b32_f16", lambda a, b: a | b << 16),
)

TERNARY: tuple[tuple[str, Callable[[int, int, int], int]], ...] = (
    ("v_add3_u32", lambda a, b, c: a + b + c),
    ("v_lshl_add_u32", lambda a, b, c: (a << (b & 31)) + c),
    ("v_lshl_add_u64", lambda a, b, c: (a << (b & 7)) + c),
    ("v_add_lshl_u32", lambda a, b, c: (a + b) << (c & 31)),
    ("v_lshl_or_b32", lambda a, b, c: (a << (b & 31)) | c),
    ("v_and_or_b32", lambda a, b, c: (a & b) | c),
    ("v_or3_b32", lambda a, b, c: a | b | c),
    ("v_xor3_b32", lambda a, b, c: a ^ b ^ c),
    ("v_xad_u32", lambda a, b, c: (a ^ b) + c),
    ("v_bfe_u32", lambda a, b, c: (a >> (b & 31)) & ((1 << (c & 31)) - 1)),
    ("v_bfe_i32", bfe_signed),
    ("v_bfi_b32", lambda a, b, c: (a & b) | (~a & c)),
    ("v_alignbit_b32", lambda a, b, c: ((a << 32) | b) >> (c & 31)),
    ("v_alignbyte_b32", lambda a, b, c: ((a << 32) | b) >> (8 * (c & 3))),
    ("v_perm_b32", perm),
    ("v_mad_u32_u24", lambda a, b, c: (a & 0xFFFFFF) * (b & 0xFFFFFF) + c),
    ("v_mad_i32_i24", lambda a, b, c: s(a, 24) * s(b, 24) + c),
    ("v_mad_u16", lambda a, b, c: a * b + c),
    ("v_mad_u32_u16", lambda a, b, c: a * b + c),
    ("v_mad_i32_i16", lambda a, b, c: s(a, 16) * s(b, 16) + c),
    ("v_mad_u32", lambda a, b, c: a * b + c),
    ("v_mad_nc_u64_u32", lambda a, b, c: a * b + c),
    ("v_mad_nc_i64_i32", lambda a, b, c: s(a, 32) * s(b, 32) + c),
    ("v_min3_u32", lambda a, b, c: min(a, b, c)),
    ("v_max3_i32", lambda a, b, c: max(s(a, 32), s(b, 32), s(c, 32))),
    ("v_med3_u32", lambda a, b, c: sorted((a, b, c))[1]),
    ("v_med3_i32", lambda a, b, c: sorted((s(a, 32), s(b, 32), s(c, 32)))[1]),
    ("v_med3_i16", lambda a, b, c: sorted((s(a, 16), s(b, 16), s(c, 16)))[1]),
    ("v_minmax_i32", lambda a, b, c: max(min(s(a, 32), s(b, 32)), s(c, 32))),
    ("v_maxmin_u32", lambda a, b, c: min(max(a, b), c)),
    ("v_add_max_u32", lambda a, b, c: max((a + b) & 0xFFFFFFFF, c)),
    ("v_add_min_i32", lambda a, b, c: min(s(a + b, 32), s(c, 32))),
    ("v_sad_u8", lambda a, b, c: sum_fields(a, b, 8) + c),
    ("v_sad_hi_u8", lambda a, b, c: (sum_fields(a, b, 8) << 16) + c),
    ("v_sad_u16", lambda a, b, c: sum_fields(a, b, 16) + c),
    ("v_sad_u32", lambda a, b, c: sum_fields(a, b, 32) + c),
    ("v_msad_u8", lambda a, b, c: sum_fields(a, b, 8, masked=True) + c),
    ("v_lerp_u8", lerp),
)

SATURATING: tuple[tuple[str, Callable[..., int]], ...] = (
    ("v_add_u32", lambda a, b: min(a + b, 0xFFFFFFFF)),
    ("v_add_u16", lambda a, b: min(a + b, 0xFFFF)),
    ("v_sub_u32", lambda a, b: max(a - b, 0)),
    ("v_add_i32", lambda a, b: clip(s(a, 32) + s(b, 32), -(1 << 31), (1 << 31) - 1)),
    ("v_sub_i32", lambda a, b: clip(s(a, 32) - s(b, 32), -(1 << 31), (1 << 31) - 1)),
    ("v_add_nc_i16", lambda a, b: clip(s(a, 16) + s(b, 16), -(1 << 15), (1 << 15) - 1)),
    ("v_sub_nc_i16", lambda a, b: clip(s(a, 16) - s(b, 16), -(1 << 15), (1 << 15) - 1)),
    ("v_mad_u32_u24", lambda a, b, c: min((a & 0xFFFFFF) * (b & 0xFFFFFF) + c, 0xFFFFFFFF)),
    ("v_mad_i32_i24", lambda a, b, c: clip(
        s(a, 24) * s(b, 24) + s(c, 32), -(1 << 31), (1 << 31) - 1)),
    ("v_mad_u16", lambda a, b, c: min(a * b + c, 0xFFFF)),
    ("v_mad_nc_u64_u32", lambda a, b, c: min(a * b + c, (1 << 64) - 1)),
    ("v_mad_nc_i64_i32", lambda a, b, c: clip(
        s(a, 32) * s(b, 32) + s(c, 64), -(1 << 63), (1 << 63) - 1)),
    ("v_sad_u8", lambda a, b, c: min(sum_fields(a, b, 8) + c, 0xFFFFFFFF)),
)  # fmt: skip


def check(name: str, python: Callable[..., int], **keywords: bool) -> None:
    op = lookup(name)
    assert op is not None
    columns = [edges(8 * np.dtype(dtype_of(kind)).itemsize) for kind in op.srcs]
    tuples = list(itertools.product(*columns))
    arrays = [
        np.array(column, dtype_of(kind))
        for column, kind in zip(zip(*tuples, strict=True), op.srcs, strict=True)
    ]
    result = op.fn(CTX, *arrays, **keywords)
    dtype = np.dtype(dtype_of(op.dst[0]))
    assert result.dtype == dtype
    mask = (1 << 8 * dtype.itemsize) - 1
    expected = [python(*values) & mask for values in tuples]
    assert result.tolist() == expected


@pytest.mark.parametrize(("name", "python"), UNARY + BINARY + TERNARY)
def test_wrapping(name: str, python: Callable[..., int]) -> None:
    check(name, python)


@pytest.mark.parametrize(("name", "python"), SATURATING)
def test_clamp_saturates(name: str, python: Callable[..., int]) -> None:
    check(name, python, clamp=True)


CARRY: tuple[tuple[str, Callable[[int, int, int], int]], ...] = (
    ("v_add_co_u32", lambda a, b, c: a + b),
    ("v_sub_co_u32", lambda a, b, c: a - b),
    ("v_subrev_co_u32", lambda a, b, c: b - a),
    ("v_addc_co_u32", lambda a, b, c: a + b + c),
    ("v_subb_co_u32", lambda a, b, c: a - b - c),
    ("v_subbrev_co_u32", lambda a, b, c: b - a - c),
)


@pytest.mark.parametrize(("name", "python"), CARRY)
def test_carry(name: str, python: Callable[[int, int, int], int]) -> None:
    op = lookup(name)
    assert op is not None
    for a, b, c in itertools.product(edges(32), edges(32), (0, 1)):
        sources = [np.array([a], np.uint32), np.array([b], np.uint32), np.array([c], np.bool_)]
        result, carry = op.fn(CTX, *sources[: len(op.srcs)])
        exact = python(a, b, c)
        assert result.tolist() == [exact & 0xFFFFFFFF]
        assert carry.tolist() == [not 0 <= exact < 1 << 32]


def test_mad_u64_carry() -> None:
    op = lookup("v_mad_u64_u32")
    assert op is not None
    for a, b, c in itertools.product(edges(32), edges(32), edges(64)):
        result, carry = op.fn(
            CTX, np.array([a], np.uint32), np.array([b], np.uint32), np.array([c], np.uint64)
        )
        exact = a * b + c
        assert (result[0], carry[0]) == (exact & ((1 << 64) - 1), exact >> 64 != 0)


def test_mad_i64_mask_is_bit_64_of_the_65_bit_sum() -> None:
    op = lookup("v_mad_i64_i32")
    assert op is not None
    for a, b, c in itertools.product(edges(32), edges(32), edges(64)):
        result, mask = op.fn(
            CTX, np.array([a], np.uint32), np.array([b], np.uint32), np.array([c], np.uint64)
        )
        exact = s(a, 32) * s(b, 32) + s(c, 64)
        assert (result[0], mask[0]) == (exact & ((1 << 64) - 1), exact >> 64 & 1 == 1)


@pytest.mark.parametrize("table", range(256))
def test_bitop3_truth_table(table: int) -> None:
    """With 0xf0, 0xcc, 0xaa as inputs the result's low byte is the table itself."""
    op = lookup("v_bitop3_b32")
    assert op is not None
    a, b, c = (np.array([v], np.uint32) for v in (0xF0, 0xCC, 0xAA))
    assert op.fn(CTX, a, b, c, bitop3=table)[0] & 0xFF == table


def test_cndmask_takes_the_second_source_where_set() -> None:
    op = lookup("v_cndmask_b32")
    assert op is not None
    a, b = np.array([1, 2], np.uint32), np.array([3, 4], np.uint32)
    assert op.fn(CTX, a, b, np.array([True, False])).tolist() == [3, 2]


def test_pk_mov_picks_halves() -> None:
    op = lookup("v_pk_mov_b32")
    assert op is not None
    a, b = np.array([0x1111111122222222], np.uint64), np.array([0x3333333344444444], np.uint64)
    assert op.fn(CTX, a, b, op_sel=(1, 0), op_sel_hi=(1, 1))[0] == 0x4444444411111111
    assert op.fn(CTX, a, b, op_sel=(0, 1), op_sel_hi=(1, 1))[0] == 0x3333333322222222


def field(value: int, at: int, width: int, is_signed: bool) -> int:
    raw = value >> at & ((1 << width) - 1)
    return s(raw, width) if is_signed else raw


DOTS = (  # mnemonic, field width, signed a, signed b, keywords
    ("v_dot2_i32_i16", 16, True, True, {}),
    ("v_dot2_u32_u16", 16, False, False, {}),
    ("v_dot4_i32_i8", 8, True, True, {}),
    ("v_dot4_u32_u8", 8, False, False, {}),
    ("v_dot4_i32_iu8", 8, True, False, {"neg_lo": (1, 0, 0)}),
    ("v_dot4_i32_iu8", 8, False, True, {"neg_lo": (0, 1, 0)}),
    ("v_dot8_i32_i4", 4, True, True, {}),
    ("v_dot8_u32_u4", 4, False, False, {}),
    ("v_dot8_i32_iu4", 4, True, True, {"neg_lo": (1, 1, 0)}),
    ("v_dot4c_i32_i8", 8, True, True, {}),
)


@pytest.mark.sampled(7)
@pytest.mark.parametrize(("name", "width", "sign_a", "sign_b", "keywords"), DOTS)
@pytest.mark.parametrize("clamp", [False, True])
def test_dot(
    name: str, width: int, sign_a: bool, sign_b: bool, keywords: dict[str, object], clamp: bool
) -> None:
    op = lookup(name)
    assert op is not None
    unsigned = "_u32_" in name
    for a, b, c in itertools.product(edges(32), edges(32), edges(32)):
        at = range(0, 32, width)
        exact = c if unsigned else s(c, 32)
        exact += sum(field(a, i, width, sign_a) * field(b, i, width, sign_b) for i in at)
        if clamp:
            low, high = (0, 0xFFFFFFFF) if unsigned else (-(1 << 31), (1 << 31) - 1)
            exact = clip(exact, low, high)
        sources = [np.array([v], np.uint32) for v in (a, b, c)]
        assert op.fn(CTX, *sources, clamp=clamp, **keywords)[0] == exact & 0xFFFFFFFF


def test_qsad_slides_over_the_first_source() -> None:
    """Windows of 0x0807060504030201 against 0x01010101: byte sums 6, 10, 14, 18; addends 1..4."""
    op = lookup("v_qsad_pk_u16_u8")
    assert op is not None
    a, c = np.array([0x0807060504030201], np.uint64), np.array([0x0004000300020001], np.uint64)
    result = op.fn(CTX, a, np.array([0x01010101], np.uint32), c)
    assert result[0] == (6 + 1) | (10 + 2) << 16 | (14 + 3) << 32 | (18 + 4) << 48


def test_mqsad_skips_zero_reference_bytes() -> None:
    op = lookup("v_mqsad_u32_u8")
    assert op is not None
    a, b = np.array([0x0807060504030201], np.uint64), np.array([0x01000001], np.uint32)
    c = np.array([[10, 20, 30, 40]], np.uint32)
    assert op.fn(CTX, a, b, c).tolist() == [[10 + 3, 20 + 5, 30 + 7, 40 + 9]]
