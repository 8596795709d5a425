"""Logic, shifts, bit fields, counts and byte selection of the vector ALU.

Comes in: unsigned bit patterns. Goes out: the same. It must not know floating point, lanes or
registers.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ptxlift.emulator.valu.integer import M32, signed, to32
from ptxlift.emulator.valu.kinds import Bits, Ctx, Flags
from ptxlift.emulator.valu.table import Row

NONE_FOUND = 0xFFFFFFFF  # what the find-first-bit operations return for "no such bit"


def move(_: Ctx, a: Bits) -> Bits:
    return a


def and_(_: Ctx, a: Bits, b: Bits) -> Bits:
    return a & b


def or_(_: Ctx, a: Bits, b: Bits) -> Bits:
    return a | b


def xor(_: Ctx, a: Bits, b: Bits) -> Bits:
    return a ^ b


def xnor(_: Ctx, a: Bits, b: Bits) -> Bits:
    return ~(a ^ b)


def not_(_: Ctx, a: Bits) -> Bits:
    return ~a


def and_or(_: Ctx, a: Bits, b: Bits, c: Bits) -> Bits:
    return (a & b) | c


def or3(_: Ctx, a: Bits, b: Bits, c: Bits) -> Bits:
    return a | b | c


def xor3(_: Ctx, a: Bits, b: Bits, c: Bits) -> Bits:
    return a ^ b ^ c


def xor_add(_: Ctx, a: Bits, b: Bits, c: Bits) -> Bits:
    return (a ^ b) + c


def bitop3(_: Ctx, a: Bits, b: Bits, c: Bits, bitop3: int = 0) -> Bits:
    """Truth table `bitop3`: the row of an input triple is 4 a + 2 b + c."""
    rows = [_leaf(c, bitop3 >> (2 * pair) & 3) for pair in range(4)]
    b_clear = rows[0] ^ (b & (rows[0] ^ rows[1]))
    b_set = rows[2] ^ (b & (rows[2] ^ rows[3]))
    return b_clear ^ (a & (b_clear ^ b_set))


def _leaf(c: Bits, table: int) -> Bits:
    """The function of c alone: bit 0 of `table` is its value where c is 0, bit 1 where c is 1."""
    match table:
        case 0:
            return np.zeros_like(c)
        case 1:
            return ~c
        case 2:
            return c
        case _:
            return ~np.zeros_like(c)


def _amount(bits: Bits, like: Bits) -> Bits:
    """A shift amount in the type of what is shifted; hardware uses its low log2(width) bits."""
    width = 8 * like.dtype.itemsize
    amount: Bits = (bits & bits.dtype.type(width - 1)).astype(like.dtype)
    return amount


def _low5(amount: Bits) -> Bits:
    """The bits a 32-bit shift or field position uses."""
    low: Bits = amount & 31
    return low


def shift_left(_: Ctx, amount: Bits, a: Bits) -> Bits:
    return a << _amount(amount, a)


def shift_right(_: Ctx, amount: Bits, a: Bits) -> Bits:
    return a >> _amount(amount, a)


def shift_right_signed(_: Ctx, amount: Bits, a: Bits) -> Bits:
    shifted: NDArray[Any] = signed(a) >> signed(_amount(amount, a))
    return shifted.view(a.dtype)


def shift_left_add(_: Ctx, a: Bits, amount: Bits, c: Bits) -> Bits:
    return (a << _low5(amount)) + c


def shift_left_add64(_: Ctx, a: Bits, amount: Bits, c: Bits) -> Bits:
    total: Bits = (a << (amount & 7).astype(np.uint64)) + c
    return total


def add_shift_left(_: Ctx, a: Bits, b: Bits, amount: Bits) -> Bits:
    return (a + b) << _low5(amount)


def shift_left_or(_: Ctx, a: Bits, amount: Bits, c: Bits) -> Bits:
    return (a << _low5(amount)) | c


def field_extract(_: Ctx, a: Bits, offset: Bits, width: Bits) -> Bits:
    return (a >> _low5(offset)) & _ones(_low5(width))


def field_extract_signed(_: Ctx, a: Bits, offset: Bits, width: Bits) -> Bits:
    """Bits past the msb are copies of the sign; the field's own top bit is then extended."""
    width = width & 31
    field = (signed(a) >> signed(_low5(offset))).view(np.uint32) & _ones(width)
    unused = signed((32 - width) & 31)
    extended: NDArray[Any] = (signed(field << unused.view(np.uint32)) >> unused).view(np.uint32)
    if np.count_nonzero(width) == width.size:
        return extended
    return np.where(width == 0, np.uint32(0), extended)


def _ones(width: Bits) -> Bits:
    """A mask of `width` (0..31) low bits."""
    one = np.uint32(1)
    mask: Bits = (one << width) - one
    return mask


def field_mask(_: Ctx, width: Bits, offset: Bits) -> Bits:
    return _ones(_low5(width)) << _low5(offset)


def field_insert(_: Ctx, mask: Bits, a: Bits, b: Bits) -> Bits:
    return b ^ (mask & (a ^ b))


REVERSE_STEPS = ((1, 0x55555555), (2, 0x33333333), (4, 0x0F0F0F0F), (8, 0x00FF00FF))


def reverse(_: Ctx, a: Bits) -> Bits:
    for distance, mask in REVERSE_STEPS:
        a = ((a >> distance) & mask) | ((a & mask) << distance)
    return (a >> 16) | (a << 16)


def popcount(a: Bits) -> Bits:
    """Number of ones of a 32-bit pattern (numpy 1.26 has no bitwise_count)."""
    a = a - ((a >> 1) & 0x55555555)
    a = (a & 0x33333333) + ((a >> 2) & 0x33333333)
    a = (a + (a >> 4)) & 0x0F0F0F0F
    return (a * np.uint32(0x01010101)) >> 24


def count_ones(_: Ctx, a: Bits, b: Bits) -> Bits:
    return popcount(a) + b


def bit_length(a: Bits) -> Bits:
    """Position after the highest one; exact, because a double holds every 32-bit integer."""
    return to32(np.frexp(a.astype(np.float64))[1])


def find_high(_: Ctx, a: Bits) -> Bits:
    return np.where(a == 0, np.uint32(NONE_FOUND), 32 - bit_length(a))


def find_high_signed(_: Ctx, a: Bits) -> Bits:
    """Distance from the msb of the first bit that differs from the sign."""
    magnitude = a ^ (signed(a) >> 31).view(np.uint32)
    return np.where(magnitude == 0, np.uint32(NONE_FOUND), 32 - bit_length(magnitude))


def find_low(_: Ctx, a: Bits) -> Bits:
    lowest = a & (~a + np.uint32(1))
    return np.where(a == 0, np.uint32(NONE_FOUND), bit_length(lowest) - np.uint32(1))


def align_bit(_: Ctx, a: Bits, b: Bits, amount: Bits) -> Bits:
    both = (a.astype(np.uint64) << 32) | b
    return to32(both >> _low5(amount).astype(np.uint64))


def align_byte(_: Ctx, a: Bits, b: Bits, amount: Bits) -> Bits:
    both = (a.astype(np.uint64) << 32) | b
    return to32(both >> (8 * (amount & 3)).astype(np.uint64))


def permute_bytes(_: Ctx, a: Bits, b: Bits, selector: Bits) -> Bits:
    """Selector 0-7: a byte of {a, b}; 8-11: the sign of byte 1, 3, 5, 7; 12: 0; above: 0xff."""
    both = (a.astype(np.uint64) << 32) | b
    if selector.size == 1:
        return _permute_by_constant(both, int(selector.flat[0]))
    result = np.zeros_like(selector)
    for position in range(0, 32, 8):
        select = ((selector >> position) & 0xFF).astype(np.uint64)
        result = result | (_selected_byte(both, select) << position)
    return result


def _selected_byte(both: Bits, select: Bits) -> Bits:
    plain = (both >> (8 * (select & 7))) & 0xFF
    sign = ((both >> (16 * (select & 3) + 15)) & 1) * 0xFF
    constant = np.where(select == 12, 0, 0xFF)
    byte = np.where(select < 8, plain, np.where(select < 12, sign, constant))
    return to32(byte)


def _permute_by_constant(both: Bits, selector: int) -> Bits:
    """The usual case: one selector for all lanes."""
    result = np.zeros_like(both)
    for position in range(0, 32, 8):
        select = selector >> position & 0xFF
        if select < 8:
            result |= (both >> (8 * select) & 0xFF) << position
        elif select < 12:
            result |= ((both >> (16 * select - 113)) & 1) * (0xFF << position)
        elif select > 12:
            result |= np.uint64(0xFF << position)
    return to32(result)


def choose(_: Ctx, a: Bits, b: Bits, condition: Bits) -> Bits:
    return np.where(condition, b, a)


def pack_halves(_: Ctx, low: Bits, high: Bits) -> Bits:
    return low.astype(np.uint32) | (high.astype(np.uint32) << 16)


def sign_extend16(_: Ctx, a: Bits) -> Bits:
    return signed(a).astype(np.int32).view(np.uint32)


def zero_extend16(_: Ctx, a: Bits) -> Bits:
    return a.astype(np.uint32)


def next_random(_: Ctx, a: Bits) -> Bits:
    """One step of the linear feedback shift register of v_prng_b32."""
    return (a << 1) ^ ((a >> 31) * np.uint32(0xC5))


def move_pair(_: Ctx, a: Bits, b: Bits, *, op_sel: tuple[int, ...], **_unused: Any) -> Bits:
    """v_pk_mov_b32: op_sel picks a half of each source; op_sel_hi has no meaning."""
    low = a >> 32 if op_sel[0] else a & M32
    high = b >> 32 if op_sel[1] else b & M32
    pair: Bits = low | (high << 32)
    return pair


BITOP3 = Flags(keywords=("bitop3",))
PACKED = Flags(packed=True)
S = Flags(signed=True)

# fmt: off
ROWS: tuple[Row, ...] = (
    Row("v_mov_b32",                "b32 = b32",          move),
    Row("v_mov_b16",                "b16 = b16",          move),
    Row("v_mov_b64",                "b64 = b64",          move),
    Row("v_pk_mov_b32",             "p32 = p32 p32",      move_pair,            PACKED),
    Row("v_accvgpr_read_b32",       "b32 = b32",          move),
    Row("v_accvgpr_write_b32",      "b32 = b32",          move),
    Row("v_accvgpr_mov_b32",        "b32 = b32",          move),
    Row("v_and_b32",                "b32 = b32 b32",      and_),
    Row("v_or_b32",                 "b32 = b32 b32",      or_),
    Row("v_xor_b32",                "b32 = b32 b32",      xor),
    Row("v_xnor_b32",               "b32 = b32 b32",      xnor),
    Row("v_not_b32",                "b32 = b32",          not_),
    Row("v_and_b16",                "b16 = b16 b16",      and_),
    Row("v_or_b16",                 "b16 = b16 b16",      or_),
    Row("v_xor_b16",                "b16 = b16 b16",      xor),
    Row("v_not_b16",                "b16 = b16",          not_),
    Row("v_and_or_b32",             "b32 = b32 b32 b32",  and_or),
    Row("v_or3_b32",                "b32 = b32 b32 b32",  or3),
    Row("v_xor3_b32",               "b32 = b32 b32 b32",  xor3),
    Row("v_xad_u32",                "b32 = b32 b32 b32",  xor_add),
    Row("v_bitop3_b32",             "b32 = b32 b32 b32",  bitop3,               BITOP3),
    Row("v_bitop3_b16",             "b16 = b16 b16 b16",  bitop3,               BITOP3),
    Row("v_lshlrev_b32",            "b32 = b32 b32",      shift_left),
    Row("v_lshrrev_b32",            "b32 = b32 b32",      shift_right),
    Row("v_ashrrev_i32",            "b32 = b32 b32",      shift_right_signed,   S),
    Row("v_lshlrev_b16",            "b16 = b16 b16",      shift_left),
    Row("v_lshrrev_b16",            "b16 = b16 b16",      shift_right),
    Row("v_ashrrev_i16",            "b16 = b16 b16",      shift_right_signed,   S),
    Row("v_lshlrev_b64",            "b64 = b32 b64",      shift_left),
    Row("v_lshrrev_b64",            "b64 = b32 b64",      shift_right),
    Row("v_ashrrev_i64",            "b64 = b32 b64",      shift_right_signed,   S),
    Row("v_lshl_add_u32",           "b32 = b32 b32 b32",  shift_left_add),
    Row("v_lshl_add_u64",           "b64 = b64 b32 b64",  shift_left_add64),
    Row("v_add_lshl_u32",           "b32 = b32 b32 b32",  add_shift_left),
    Row("v_lshl_or_b32",            "b32 = b32 b32 b32",  shift_left_or),
    Row("v_bfe_u32",                "b32 = b32 b32 b32",  field_extract),
    Row("v_bfe_i32",                "b32 = b32 b32 b32",  field_extract_signed, S),
    Row("v_bfm_b32",                "b32 = b32 b32",      field_mask),
    Row("v_bfi_b32",                "b32 = b32 b32 b32",  field_insert),
    Row("v_bfrev_b32",              "b32 = b32",          reverse),
    Row("v_bcnt_u32_b32",           "b32 = b32 b32",      count_ones),
    Row("v_ffbh_u32 v_clz_i32_u32", "b32 = b32",          find_high),
    Row("v_ffbh_i32 v_cls_i32",     "b32 = b32",          find_high_signed),
    Row("v_ffbl_b32 v_ctz_i32_b32", "b32 = b32",          find_low),
    Row("v_alignbit_b32",           "b32 = b32 b32 b32",  align_bit),
    Row("v_alignbyte_b32",          "b32 = b32 b32 b32",  align_byte),
    Row("v_perm_b32",               "b32 = b32 b32 b32",  permute_bytes),
    Row("v_cndmask_b32",            "b32 = b32 b32 mask", choose),
    Row("v_cndmask_b16",            "b16 = b16 b16 mask", choose),
    Row("v_pack_b32_f16",           "b32 = f16 f16",      pack_halves),
    Row("v_cvt_i32_i16",            "b32 = b16",          sign_extend16,        S),
    Row("v_cvt_u32_u16",            "b32 = b16",          zero_extend16),
    Row("v_prng_b32",               "b32 = b32",          next_random),
)
