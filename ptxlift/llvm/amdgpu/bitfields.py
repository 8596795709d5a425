"""Lowerings of ops on bit fields: pack, extract, bfe, bfi, bfind.

Comes in: ops whose positions and lengths PTX clamps. Goes out: shifts, masks and the intrinsics of
AMD's own field and permute instructions. Constant positions give constant masks.
"""

from __future__ import annotations

from ptxlift.ir.core import Op, Value
from ptxlift.llvm.amdgpu.emitter import Emitter
from ptxlift.llvm.amdgpu.opaque import opaque_bits
from ptxlift.llvm.amdgpu.packed import packed_pair
from ptxlift.llvm.amdgpu.registry import lowers
from ptxlift.llvm.plain.integer import shift_amount

_BYTE = 255

# ---- joining and cutting ----


@lowers("pack")
def _pack(e: Emitter, op: Op) -> None:
    packed = packed_pair(e, op) if len(op.operands) == 2 else None
    if packed is not None:
        e.set_bits(op.results[0], packed)
        return
    widths = {value.width for value in op.operands}
    if len(widths) == 1 and op.operands[0].width >= 16:
        _pack_as_vector(e, op)
    else:
        _pack_by_shifts(e, op)


def _pack_as_vector(e: Emitter, op: Op) -> None:
    element = f"i{op.operands[0].width}"
    vector = f"<{len(op.operands)} x {element}>"
    whole = "poison"
    for index, value in enumerate(op.operands):
        whole = e.let(f"insertelement {vector} {whole}, {element} {e.bits(value)}, i32 {index}")
    e.set_bits(op.results[0], f"bitcast {vector} {whole} to i{op.results[0].width}")


def _pack_by_shifts(e: Emitter, op: Op) -> None:
    t = f"i{op.results[0].width}"
    whole, offset = "0", 0
    for value in op.operands:
        part = e.let(f"zext i{value.width} {e.bits(value)} to {t}")
        if offset:
            part = e.let(f"shl {t} {part}, {offset}")
        whole = e.let(f"or {t} {whole}, {part}")
        offset += value.width
    e.alias(op.results[0], whole)


@lowers("extract")
def _extract(e: Emitter, op: Op) -> None:
    value, result = op.operands[0], op.results[0]
    offset = int(str(op.attr("offset")))
    constant = e.constant(value)
    if constant is not None:
        e.set_constant(result, constant >> offset & ((1 << result.width) - 1))
        return
    text = e.bits(value)
    if offset:
        text = e.let(f"lshr i{value.width} {text}, {offset}")
    e.set_bits(result, f"trunc i{value.width} {text} to i{result.width}")


# ---- bit fields: positions and lengths stop at the most significant bit ----


def _count_of(e: Emitter, value: Value, n: int) -> int | str:
    """A position or length: a number where known, else a name.

    Fields of 32 bits take the low 8 bits; those of 64 bits the whole amount, as ptxas does.
    """
    constant = e.constant(value)
    if n != 32:
        return e.bits(value) if constant is None else constant
    if constant is not None:
        return constant & _BYTE
    return e.let(f"and i32 {e.bits(value)}, {_BYTE}")


def _shifted(e: Emitter, instruction: str, text: str, amount: int | str, n: int) -> str:
    """A shift that gives 0 from the width on."""
    if isinstance(amount, int):
        return e.let(f"{instruction} i{n} {text}, {amount}") if amount < n else "0"
    if n == 32 and instruction == "shl":
        wide = _shifted_wide(e, e.let(f"zext i32 {text} to i64"), amount)
        return e.let(f"trunc i64 {wide} to i32")
    moved = e.let(f"{instruction} i{n} {text}, {shift_amount(e, amount, n)}")
    inside = e.let(f"icmp ult i32 {amount}, {n}")
    return e.let(f"select i1 {inside}, i{n} {moved}, i{n} 0")


def _shifted_wide(e: Emitter, text: str, amount: str) -> str:
    """64 bits shifted up by at most 32: one instruction beside the minimum."""
    least = e.let(e.call("i32 @llvm.umin.i32(i32, i32)", amount, "32"))
    return e.let(f"shl i64 {text}, {shift_amount(e, least, 64)}")


def _low_ones(e: Emitter, length: int | str, n: int) -> str:
    """A mask of so many low bits; all from the width on."""
    if isinstance(length, int):
        return str((1 << min(length, n)) - 1)
    if n == 32:
        high = e.let(f"lshr i64 {_shifted_wide(e, str((1 << n) - 1), length)}, 32")
        return e.let(f"trunc i64 {high} to i32")
    power = e.let(f"shl i{n} 1, {shift_amount(e, length, n)}")
    mask = e.let(f"add i{n} {power}, -1")
    inside = e.let(f"icmp ult i32 {length}, {n}")
    return e.let(f"select i1 {inside}, i{n} {mask}, i{n} -1")


@lowers("bfe_u")
def _bfe_u(e: Emitter, op: Op) -> None:
    a, position, length = op.operands
    n = a.width
    field = _shifted(e, "lshr", e.bits(a), _count_of(e, position, n), n)
    e.set_bits(op.results[0], f"and i{n} {field}, {_low_ones(e, _count_of(e, length, n), n)}")


@lowers("bfe_s")
def _bfe_s(e: Emitter, op: Op) -> None:
    """The field is moved to the top, then down with its sign."""
    a, position, length = op.operands
    n = a.width
    p, count = _count_of(e, position, n), _count_of(e, length, n)
    if isinstance(p, int) and isinstance(count, int):
        _constant_bfe_s(e, op, p, count)
        return
    low = "i32 @llvm.umin.i32(i32, i32)"
    if n != 32:
        p, count = (e.let(e.call(low, str(amount), str(n))) for amount in (p, count))
    end = e.let(f"add i32 {p}, {count}")
    end = e.let(e.call(low, end, str(n)))
    up = e.let(f"sub i32 {n}, {end}")
    down = e.let(f"add i32 {up}, {p}")
    down = e.let(e.call(low, down, str(n - 1)))
    top = e.let(f"shl i{n} {e.bits(a)}, {shift_amount(e, up, n)}")
    field = e.let(f"ashr i{n} {top}, {shift_amount(e, down, n)}")
    empty = e.let(f"icmp eq i32 {count}, 0")
    e.set_bits(op.results[0], f"select i1 {empty}, i{n} 0, i{n} {field}")


def _constant_bfe_s(e: Emitter, op: Op, position: int, length: int) -> None:
    n = op.operands[0].width
    if length == 0:
        e.set_constant(op.results[0], 0)
        return
    up = n - min(position + length, n)
    top = e.let(f"shl i{n} {e.bits(op.operands[0])}, {up}")
    e.set_bits(op.results[0], f"ashr i{n} {top}, {min(up + position, n - 1)}")


@lowers("bfi")
def _bfi(e: Emitter, op: Op) -> None:
    a, b, position, length = op.operands
    n = a.width
    p = _count_of(e, position, n)
    ones = _low_ones(e, _count_of(e, length, n), n)
    mask = _shifted(e, "shl", ones, p, n)
    field = _shifted(e, "shl", e.bits(a), p, n)
    inside = e.let(f"and i{n} {field}, {mask}")
    inverse = e.let(f"xor i{n} {mask}, -1")
    outside = e.let(f"and i{n} {e.bits(b)}, {inverse}")
    e.set_bits(op.results[0], f"or i{n} {inside}, {outside}")


_COUNT = "i32 @llvm.amdgcn.sffbh.i32(i32)"  # v_ffbh_i32: -1 where no bit differs from the sign
_LARGER = "i32 @llvm.smax.i32(i32, i32)"


@lowers("bfind")
def _bfind(e: Emitter, op: Op) -> None:
    a = op.operands[0]
    signed, from_top = op.attrs
    n, text = a.width, e.bits(a)
    if n == 32:
        _bfind_word(e, op, text, bool(signed), bool(from_top))
        return
    if signed:
        sign = e.let(f"ashr i{n} {text}, {n - 1}")
        text = e.let(f"xor i{n} {text}, {sign}")
    count = e.let(e.call(f"i{n} @llvm.ctlz.i{n}(i{n}, i1)", text, "true"))
    if not from_top:
        count = e.let(f"sub i{n} {n - 1}, {count}")
    none = e.let(f"icmp eq i{n} {text}, 0")
    change = "trunc" if n > 32 else "sext"
    chosen = e.let(f"select i1 {none}, i{n} -1, i{n} {count}")
    e.set_bits(op.results[0], f"{change} i{n} {chosen} to i32")


def _bfind_word(e: Emitter, op: Op, text: str, signed: bool, from_top: bool) -> None:
    """The hardware counts from the top and gives -1 for none. `count ^ 31` counts from the bottom;
    for none it is below -1.
    """
    if signed:
        count = e.let(e.call(_COUNT, text))
    else:
        zeros = e.let(e.call("i32 @llvm.ctlz.i32(i32, i1)", text, "true"))
        none = e.let(f"icmp eq i32 {text}, 0")
        count = e.let(f"select i1 {none}, i32 -1, i32 {zeros}")
    if from_top:
        e.alias(op.results[0], count)
        return
    if not signed:
        count = opaque_bits(e, count, 32)  # LLVM would choose at the end, by another comparison
    place = e.let(f"xor i32 {count}, 31")
    e.set_bits(op.results[0], e.call(_LARGER, place, "-1"))
