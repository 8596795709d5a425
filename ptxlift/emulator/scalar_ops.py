"""Semantics of the scalar ALU, as a table.

Comes in: uint32 or uint64 arrays, one value a wave. Goes out: result arrays, and SCC where an
instruction writes it. It must not know registers, waves or text.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ptxlift.emulator.valu.kinds import Kind
from ptxlift.records import dataclass

Bits: TypeAlias = NDArray[Any]

U = np.uint32
Q = np.uint64


@dataclass(frozen=True, slots=True)
class ScalarOp:
    """`scc`: "" untouched, "nz" whether the result is not zero, "fn" the function's second result,
    "only" its single result. Keywords: `reads_scc` adds SCC (bool), `reads_dst` the old
    destination, each after the written sources."""

    dst: Kind | None
    srcs: tuple[Kind, ...]
    fn: Callable[..., Any]  # arity differs by operation
    scc: str = ""
    reads_scc: bool = False
    reads_dst: bool = False


def i32(x: Bits) -> Bits:
    return x.view(np.int32)


def i64(x: Bits) -> Bits:
    return x.view(np.int64)


def signed(x: Bits) -> Bits:
    return i64(x) if x.dtype == Q else i32(x)


def popcount(x: Bits) -> NDArray[np.uint32]:
    """Number of one bits."""
    octets = np.ascontiguousarray(x).view(np.uint8).reshape(*x.shape, -1)
    count: NDArray[np.uint32] = np.unpackbits(octets, axis=-1).sum(axis=-1, dtype=np.uint32)
    return count


def reverse(x: Bits) -> Bits:
    """Bits in reverse order."""
    octets = np.ascontiguousarray(x)[..., None].view(np.uint8)
    bits = np.unpackbits(octets, axis=-1, bitorder="little")[..., ::-1]
    packed = np.packbits(bits, axis=-1, bitorder="little")
    result: Bits = packed.view(x.dtype)[..., 0]
    return result


def lowest_one(x: Bits) -> Bits:
    """Position of the lowest one, or -1."""
    low = (x & (~x + x.dtype.type(1))) - x.dtype.type(1)
    return np.where(x == 0, U(0xFFFFFFFF), popcount(low)).astype(U)


def leading_zeros(x: Bits) -> Bits:
    """Zeros above the highest one, or -1."""
    return lowest_one(reverse(x))


def leading_sign(x: Bits) -> Bits:
    """Bits equal to the sign from the top, or -1 if all are."""
    flipped = np.where(signed(x) < 0, ~x, x)
    return leading_zeros(flipped)


def shift_amount(n: Bits, like: Bits) -> Bits:
    width = like.dtype.itemsize * 8
    return (n & U(width - 1)).astype(like.dtype)


def lshl(a: Bits, n: Bits) -> Bits:
    return a << shift_amount(n, a)


def lshr(a: Bits, n: Bits) -> Bits:
    return a >> shift_amount(n, a)


def ashr(a: Bits, n: Bits) -> Bits:
    return (signed(a) >> signed(shift_amount(n, a))).view(a.dtype)


def add_carry(a: Bits, b: Bits) -> tuple[Bits, Bits]:
    total = a + b
    return total, total < a


def add_carry_in(a: Bits, b: Bits, carry: Bits) -> tuple[Bits, Bits]:
    total = a.astype(Q) + b + carry
    return total.astype(U), total > 0xFFFFFFFF


def sub_borrow(a: Bits, b: Bits) -> tuple[Bits, Bits]:
    return a - b, a < b


def sub_borrow_in(a: Bits, b: Bits, borrow: Bits) -> tuple[Bits, Bits]:
    total = a.astype(np.int64) - b.astype(np.int64) - borrow
    return total.astype(U), total < 0


def add_overflow(a: Bits, b: Bits) -> tuple[Bits, Bits]:
    total = a + b
    return total, i32((a ^ total) & (b ^ total)) < 0


def sub_overflow(a: Bits, b: Bits) -> tuple[Bits, Bits]:
    total = a - b
    return total, i32((a ^ b) & (a ^ total)) < 0


def choose(take: Callable[[Bits, Bits], Bits], is_signed: bool) -> Callable[..., Any]:
    """min or max: SCC says that the first operand was taken."""

    def run(a: Bits, b: Bits) -> tuple[Bits, Bits]:
        first = take(i32(a), i32(b)) if is_signed else take(a, b)
        return np.where(first, a, b), first

    return run


def bfe(a: Bits, field: Bits) -> tuple[Bits, Bits]:
    """Unsigned bit field: offset in the low bits, width from bit 16."""
    offset, width = _field(a, field)
    kept = np.where(width >= a.dtype.itemsize * 8, ~a.dtype.type(0), _ones(width, a.dtype))
    result = (a >> offset) & kept
    return result, result != 0


def bfe_signed(a: Bits, field: Bits) -> tuple[Bits, Bits]:
    result, _ = bfe(a, field)
    offset, width = _field(a, field)
    bits = a.dtype.itemsize * 8
    width = np.minimum(width, a.dtype.type(bits) - offset)
    up = np.where(width == 0, 0, bits - width).astype(a.dtype)
    result = (signed(result << up) >> signed(up)).view(a.dtype)
    result = np.where(width == 0, a.dtype.type(0), result)
    return result, result != 0


def _field(a: Bits, field: Bits) -> tuple[Bits, Bits]:
    offset = (field & U(a.dtype.itemsize * 8 - 1)).astype(a.dtype)
    return offset, (field >> U(16) & U(0x7F)).astype(a.dtype)


def _ones(count: Bits, dtype: Any) -> Bits:
    one = dtype.type(1)
    ones: Bits = (one << np.minimum(count, dtype.type(dtype.itemsize * 8 - 1))) - one
    return ones


def bfm(wide: bool) -> Callable[..., Any]:
    dtype = np.dtype(Q if wide else U)
    last = dtype.itemsize * 8 - 1

    def run(width: Bits, offset: Bits) -> Bits:
        ones = _ones((width & U(last)).astype(dtype), dtype)
        return ones << (offset & U(last)).astype(dtype)

    return run


def mul_hi(a: Bits, b: Bits) -> Bits:
    return (a.astype(Q) * b.astype(Q) >> Q(32)).astype(U)


def mul_hi_signed(a: Bits, b: Bits) -> Bits:
    return (i32(a).astype(np.int64) * i32(b) >> 32).astype(U)


def absdiff(a: Bits, b: Bits) -> tuple[Bits, Bits]:
    result = np.abs(i32(a).astype(np.int64) - i32(b)).astype(U)
    return result, result != 0


def lshl_add(shift: int) -> Callable[..., Any]:
    def run(a: Bits, b: Bits) -> tuple[Bits, Bits]:
        total = (a.astype(Q) << Q(shift)) + b
        return total.astype(U), total > 0xFFFFFFFF

    return run


def pack(first_high: bool, second_high: bool) -> Callable[..., Any]:
    def run(a: Bits, b: Bits) -> Bits:
        low = a >> U(16) if first_high else a & U(0xFFFF)
        high = b & U(0xFFFF0000) if second_high else b << U(16)
        return low | high

    return run


def replicate(a: Bits) -> Bits:
    """Each bit twice."""
    x = a.astype(Q)
    for shift, keep in (
        (16, 0x0000FFFF0000FFFF),
        (8, 0x00FF00FF00FF00FF),
        (4, 0x0F0F0F0F0F0F0F0F),
        (2, 0x3333333333333333),
        (1, 0x5555555555555555),
    ):
        x = (x | x << Q(shift)) & Q(keep)
    return x | x << Q(1)


def quadmask(a: Bits) -> tuple[Bits, Bits]:
    """Bit i says whether any of bits 4i to 4i+3 is set."""
    result = np.zeros_like(a)
    for i in range(a.dtype.itemsize * 2):
        some = (a >> a.dtype.type(4 * i) & a.dtype.type(15)) != 0
        result |= some.astype(a.dtype) << a.dtype.type(i)
    return result, result != 0


def wqm(a: Bits) -> tuple[Bits, Bits]:
    """Every quad with a set bit becomes all ones."""
    result = np.zeros_like(a)
    for i in range(a.dtype.itemsize * 2):
        some = (a >> a.dtype.type(4 * i) & a.dtype.type(15)) != 0
        result |= some.astype(a.dtype) * a.dtype.type(15) << a.dtype.type(4 * i)
    return result, result != 0


def bitset(on: bool, wide: bool) -> Callable[..., Any]:
    dtype = Q if wide else U
    one: Bits = np.array([1], dtype)

    def run(n: Bits, old: Bits) -> Bits:
        bit: Bits = one << (n & U(63 if wide else 31)).astype(dtype)
        result: Bits = old | bit if on else old & ~bit
        return result

    return run


def bitcmp(want: int) -> Callable[..., Any]:
    def run(a: Bits, n: Bits) -> Bits:
        result: Bits = (lshr(a, n) & a.dtype.type(1)) == want
        return result

    return run


def select(a: Bits, b: Bits, scc: Bits) -> Bits:
    return np.where(scc, a, b)


def select_or_keep(a: Bits, scc: Bits, old: Bits) -> Bits:
    return np.where(scc, a, old)


def sext(bits: int) -> Callable[..., Any]:
    narrow = np.int8 if bits == 8 else np.int16
    return lambda a: a.astype(narrow).astype(np.int32).view(U)


def absolute(a: Bits) -> tuple[Bits, Bits]:
    result = np.where(i32(a) < 0, ~a + U(1), a)
    return result, result != 0


_LOGIC: dict[str, Callable[[Bits, Bits], Bits]] = {
    "and": lambda a, b: a & b,
    "or": lambda a, b: a | b,
    "xor": lambda a, b: a ^ b,
    "andn2": lambda a, b: a & ~b,
    "orn2": lambda a, b: a | ~b,
    "nand": lambda a, b: ~(a & b),
    "nor": lambda a, b: ~(a | b),
    "xnor": lambda a, b: ~(a ^ b),
    "andn1": lambda a, b: ~a & b,
    "orn1": lambda a, b: ~a | b,
}
LOGIC = _LOGIC | {
    "and_not1": _LOGIC["andn2"],
    "or_not1": _LOGIC["orn2"],
    "and_not0": _LOGIC["andn1"],
    "or_not0": _LOGIC["orn1"],
}
"""Two-operand logic by name; gfx11 renamed some."""

_COMPARE: dict[str, Callable[[Bits, Bits], Bits]] = {
    "eq": lambda a, b: a == b,
    "lg": lambda a, b: a != b,
    "gt": lambda a, b: a > b,
    "ge": lambda a, b: a >= b,
    "lt": lambda a, b: a < b,
    "le": lambda a, b: a <= b,
}

W, D = Kind.B32, Kind.B64


def _rows_by_width() -> dict[str, ScalarOp]:
    """Operations that exist for 32 and 64 bits alike."""
    rows: dict[str, ScalarOp] = {}
    for kind, bits, u, i in ((W, "b32", "u32", "i32"), (D, "b64", "u64", "i64")):
        wide = kind is D
        for name, fn in LOGIC.items():
            rows[f"s_{name}_{bits}"] = ScalarOp(kind, (kind, kind), fn, "nz")
        rows |= {
            f"s_lshl_{bits}": ScalarOp(kind, (kind, W), lshl, "nz"),
            f"s_lshr_{bits}": ScalarOp(kind, (kind, W), lshr, "nz"),
            f"s_ashr_{i}": ScalarOp(kind, (kind, W), ashr, "nz"),
            f"s_bfm_{bits}": ScalarOp(kind, (W, W), bfm(wide)),
            f"s_bfe_{u}": ScalarOp(kind, (kind, W), bfe, "fn"),
            f"s_bfe_{i}": ScalarOp(kind, (kind, W), bfe_signed, "fn"),
            f"s_cselect_{bits}": ScalarOp(kind, (kind, kind), select, reads_scc=True),
            f"s_mov_{bits}": ScalarOp(kind, (kind,), lambda a: a),
            f"s_cmov_{bits}": ScalarOp(
                kind, (kind,), select_or_keep, reads_scc=True, reads_dst=True
            ),
            f"s_bitset0_{bits}": ScalarOp(kind, (W,), bitset(False, wide), reads_dst=True),
            f"s_bitset1_{bits}": ScalarOp(kind, (W,), bitset(True, wide), reads_dst=True),
            f"s_bitcmp0_{bits}": ScalarOp(None, (kind, W), bitcmp(0), "only"),
            f"s_bitcmp1_{bits}": ScalarOp(None, (kind, W), bitcmp(1), "only"),
        }
    return rows | _unary_rows(W, "b32", "u32") | _unary_rows(D, "b64", "u64")


def _unary_rows(kind: Kind, bits: str, u: str) -> dict[str, ScalarOp]:
    """Operations of one source; counts are always 32 bits wide."""
    rows = {
        f"s_not_{bits}": ScalarOp(kind, (kind,), lambda a: ~a, "nz"),
        f"s_wqm_{bits}": ScalarOp(kind, (kind,), wqm, "fn"),
        f"s_quadmask_{bits}": ScalarOp(kind, (kind,), quadmask, "fn"),
        f"s_brev_{bits}": ScalarOp(kind, (kind,), reverse),
        f"s_bcnt0_i32_{bits}": ScalarOp(W, (kind,), lambda a: popcount(~a), "nz"),
        f"s_bcnt1_i32_{bits}": ScalarOp(W, (kind,), popcount, "nz"),
        f"s_ff0_i32_{bits}": ScalarOp(W, (kind,), lambda a: lowest_one(~a)),
    }
    sign = "s_flbit_i32_i64 s_cls_i32_i64" if kind is D else "s_flbit_i32 s_cls_i32"
    for names, count in (
        (f"s_ff1_i32_{bits} s_ctz_i32_{bits}", lowest_one),
        (f"s_flbit_i32_{bits} s_clz_i32_{u}", leading_zeros),
        (sign, leading_sign),
    ):
        rows |= {name: ScalarOp(W, (kind,), count) for name in names.split()}
    return rows


def _rows_of_32() -> dict[str, ScalarOp]:
    rows = {
        "s_min_i32": ScalarOp(W, (W, W), choose(np.less, True), "fn"),
        "s_min_u32": ScalarOp(W, (W, W), choose(np.less, False), "fn"),
        "s_max_i32": ScalarOp(W, (W, W), choose(np.greater_equal, True), "fn"),
        "s_max_u32": ScalarOp(W, (W, W), choose(np.greater_equal, False), "fn"),
        "s_mul_i32": ScalarOp(W, (W, W), lambda a, b: a * b),
        "s_mul_hi_u32": ScalarOp(W, (W, W), mul_hi),
        "s_mul_hi_i32": ScalarOp(W, (W, W), mul_hi_signed),
        "s_absdiff_i32": ScalarOp(W, (W, W), absdiff, "fn"),
        "s_abs_i32": ScalarOp(W, (W,), absolute, "fn"),
        "s_pack_ll_b32_b16": ScalarOp(W, (W, W), pack(False, False)),
        "s_pack_lh_b32_b16": ScalarOp(W, (W, W), pack(False, True)),
        "s_pack_hl_b32_b16": ScalarOp(W, (W, W), pack(True, False)),
        "s_pack_hh_b32_b16": ScalarOp(W, (W, W), pack(True, True)),
        "s_sext_i32_i8": ScalarOp(W, (W,), sext(8)),
        "s_sext_i32_i16": ScalarOp(W, (W,), sext(16)),
        "s_bitreplicate_b64_b32": ScalarOp(D, (W,), replicate),
        "s_mul_u64": ScalarOp(D, (D, D), lambda a, b: a * b),
    }
    for shift in (1, 2, 3, 4):
        rows[f"s_lshl{shift}_add_u32"] = ScalarOp(W, (W, W), lshl_add(shift), "fn")
    for name, op in _COMPARE.items():
        rows[f"s_cmp_{name}_u32"] = ScalarOp(None, (W, W), op, "only")
        rows[f"s_cmp_{name}_i32"] = ScalarOp(None, (W, W), _as_signed(op), "only")
        rows[f"s_cmp_{name}_u64"] = ScalarOp(None, (D, D), op, "only")
    return rows


def _as_signed(op: Callable[[Bits, Bits], Bits]) -> Callable[[Bits, Bits], Bits]:
    return lambda a, b: op(i32(a), i32(b))


_SUMS: tuple[tuple[str, ScalarOp], ...] = (
    ("s_add_u32 s_add_co_u32", ScalarOp(W, (W, W), add_carry, "fn")),
    ("s_addc_u32 s_add_co_ci_u32", ScalarOp(W, (W, W), add_carry_in, "fn", reads_scc=True)),
    ("s_sub_u32 s_sub_co_u32", ScalarOp(W, (W, W), sub_borrow, "fn")),
    ("s_subb_u32 s_sub_co_ci_u32", ScalarOp(W, (W, W), sub_borrow_in, "fn", reads_scc=True)),
    ("s_add_i32 s_add_co_i32", ScalarOp(W, (W, W), add_overflow, "fn")),
    ("s_sub_i32 s_sub_co_i32", ScalarOp(W, (W, W), sub_overflow, "fn")),
    ("s_add_u64 s_add_nc_u64", ScalarOp(D, (D, D), lambda a, b: a + b)),
    ("s_sub_u64 s_sub_nc_u64", ScalarOp(D, (D, D), lambda a, b: a - b)),
)


@cache
def scalar_ops() -> dict[str, ScalarOp]:
    """The table, by mnemonic."""
    rows = _rows_by_width() | _rows_of_32()
    for names, op in _SUMS:
        rows |= dict.fromkeys(names.split(), op)
    return rows
