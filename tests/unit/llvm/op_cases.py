"""What the op tests run: for each pure op a body, the kinds of its inputs and of its result.

Comes in: nothing. Goes out: tables of cases, and random operands that favour the edges of a width
or format. Expected values come from the interpreter's algebra, which knows no LLVM and no chip.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ptxlift.interp.lanes import Lanes, dtype_of
from ptxlift.ir.attributes import FloatPredicate, Format, IntPredicate, Rounding

Kind = int | Format  # a width, or a format whose values are wanted
Method = Callable[[Any, Any], Any]  # algebra (builder or numpy) and operands -> result(s)
COUNT = 256  # lanes of a case
DIRECTED = (Rounding.RZ, Rounding.RM, Rounding.RP)
NEAREST_FIRST = (Rounding.RN, *DIRECTED)


@dataclass(frozen=True)
class Case:
    """`exact_nan`: the op fixes the bits of a NaN result; else any quiet NaN will do."""

    name: str
    inputs: tuple[Kind, ...]
    outputs: tuple[Kind, ...]
    method: Method
    exact_nan: bool = True


def width_of_kind(kind: Kind) -> int:
    return kind if isinstance(kind, int) else kind.bits


def random_lanes(kind: Kind, rng: np.random.Generator) -> Lanes:
    """Operands of a kind."""
    return _random_bits(kind, rng) if isinstance(kind, int) else _random_floats(kind, rng)


def _random_bits(width: int, rng: np.random.Generator) -> Lanes:
    if width == 1:
        return rng.integers(0, 2, COUNT).astype(np.bool_)
    top = (1 << width) - 1
    values = rng.integers(0, top, COUNT, dtype=np.uint64, endpoint=True)
    small = values >> rng.integers(0, width, COUNT).astype(np.uint64)
    edges = [0, 1, 2, top, top >> 1, (top >> 1) + 1, 31, 32, 33, 63, 64, 255, 256]
    edge = rng.choice(np.array([e & top for e in edges], np.uint64), COUNT)
    choice = rng.integers(0, 3, COUNT)
    return np.choose(choice, [values, small, edge]).astype(dtype_of(width))


def _random_floats(fmt: Format, rng: np.random.Generator) -> Lanes:
    """Edges of the format, numbers near 1, numbers of few bits, anything."""
    bits, low = fmt.bits, fmt.mantissa_bits
    magnitude = (1 << (bits - 1)) - 1
    infinity = magnitude >> low << low
    bias = (1 << (fmt.exponent_bits - 1)) - 1
    one = bias << low
    edges = [0, 1, 2, (1 << low) - 1, 1 << low, (1 << low) + 1, infinity, infinity - 1]
    edges += [infinity + 1, infinity | 1 << (low - 1), magnitude, one - 1, one, one + 1]
    edges += [min((bias + e) << low, infinity - 1) for e in (1, low, 31, 63)]
    values = rng.integers(0, magnitude, COUNT, dtype=np.uint64, endpoint=True)
    exponent = (bias + rng.integers(-3, 4, COUNT)).astype(np.uint64) << np.uint64(low)
    near = exponent | values & np.uint64((1 << low) - 1)
    short = exponent | (values & np.uint64(3)) << np.uint64(low - 2)
    edge = rng.choice(np.array(edges, np.uint64), COUNT)
    chosen = np.choose(rng.integers(0, 4, COUNT), [edge, near, values, short])
    sign = rng.integers(0, 2, COUNT).astype(np.uint64) << np.uint64(bits - 1)
    return (chosen | sign).astype(dtype_of(bits))


def by_name(name: str, *attributes: object) -> Method:
    """The algebra's method of that name, with attributes after the operands."""

    def apply(algebra: Any, values: Any) -> Any:
        return getattr(algebra, name)(*values, *attributes)

    return apply


def with_constants(name: str, width: int, constants: Sequence[int]) -> Method:
    """The same with constants of one width as the last operands."""

    def apply(algebra: Any, values: Any) -> Any:
        known = [algebra.const(width, bits) for bits in constants]
        return getattr(algebra, name)(*values, *known)

    return apply


# ---- integers ----

_TWO = ("add", "sub", "mul", "and_", "or_", "xor", "udiv", "urem", "sdiv", "srem")
_TWO += ("umin", "umax", "smin", "smax")
_WIDE_TWO = ("umulh", "smulh", "uadd_sat", "sadd_sat", "ssub_sat")
_SHIFTS = ("shl", "lshr", "ashr")
_COUNTS = ("popcount", "clz", "ctz")
_FIELDS = ((0, 0), (3, 5), (20, 20), (31, 1), (31, 40), (40, 10), (64, 3), (200, 9), (0, 64))
_LUTS = (0x01, 0x07, 0x15, 0x80, 0x96, 0xAA, 0xCA, 0xCC, 0xD8, 0xE8, 0xF0, 0xFE)
_SELECTORS = (0x3210, 0x7654, 0x8888, 0x9BDF, 0xF1E2, 0x0008, 0xC0D3)
_EXTENSIONS = ((1, 32), (8, 16), (8, 32), (16, 32), (16, 64), (32, 64), (8, 64))


def integer_cases() -> Iterator[Case]:
    for w in (8, 16, 32, 64):
        yield from _of_width(w)
    for w in (32, 64):
        yield from _of_words(w)
    for name in ("prmt", "sad_bytes"):
        yield Case(name, (32, 32, 32), (32,), by_name(name))
    for selector in _SELECTORS:
        yield Case(f"prmt_{selector:x}", (32, 32), (32,), with_constants("prmt", 32, [selector]))
    yield from _dots()
    yield from _shapes()


def _of_width(w: int) -> Iterator[Case]:
    for name in _TWO + (_WIDE_TWO if w > 8 else ()):
        yield Case(f"{name}_{w}", (w, w), (w,), by_name(name))
    for name in _SHIFTS:
        yield Case(f"{name}_{w}", (w, 32), (w,), by_name(name))
    for name in ("not_", "bitreverse"):
        yield Case(f"{name}_{w}", (w,), (w,), by_name(name))
    for name in _COUNTS:
        yield Case(f"{name}_{w}", (w,), (32,), by_name(name))
    for name in ("sad_u", "sad_s"):
        yield Case(f"{name}_{w}", (w, w, w), (w,), by_name(name))
    for predicate in IntPredicate:
        yield Case(f"icmp_{predicate.value}_{w}", (w, w), (1,), by_name("icmp", predicate))
    yield Case(f"select_{w}", (1, w, w), (w,), by_name("select"))


def _of_words(w: int) -> Iterator[Case]:
    for name in ("fshl", "fshr"):
        yield Case(f"{name}_{w}", (w, w, 32), (w,), by_name(name))
    for name in ("add_carry", "sub_borrow"):
        yield Case(f"{name}_{w}", (w, w, 1), (w, 1), by_name(name))
    for name in ("bfe_u", "bfe_s", "bfi"):
        values = (w, w) if name == "bfi" else (w,)
        yield Case(f"{name}_{w}", (*values, 32, 32), (w,), by_name(name))
        for position, length in _FIELDS:
            method = with_constants(name, 32, (position, length))
            yield Case(f"{name}_{w}_{position}_{length}", values, (w,), method)
    for signed in (False, True):
        for shift in (False, True):
            method = by_name("bfind", signed, shift)
            yield Case(f"bfind_{w}_{signed}_{shift}", (w,), (32,), method)
    for lut in _LUTS:
        yield Case(f"bitwise3_{w}_{lut}", (w, w, w), (w,), by_name("bitwise3", lut))
    for amount in (0, 1, 40, 64):
        for name in _SHIFTS:
            yield Case(f"{name}_{w}_by_{amount}", (w,), (w,), with_constants(name, 32, [amount]))
    for divisor in (0, 1, 7, (1 << w) - 1, 1 << (w - 1), (1 << w) - 5):
        for name in ("udiv", "urem", "sdiv", "srem"):
            yield Case(f"{name}_{w}_by_{divisor}", (w,), (w,), with_constants(name, w, [divisor]))


def _dots() -> Iterator[Case]:
    for a in (False, True):
        for b in (False, True):
            yield Case(f"dp4a_{a}_{b}", (32, 32, 32), (32,), by_name("dp4a", a, b))
            for high in (False, True):
                method = by_name("dp2a", a, b, high)
                yield Case(f"dp2a_{a}_{b}_{high}", (32, 32, 32), (32,), method)


def _shapes() -> Iterator[Case]:
    for narrow, wide in _EXTENSIONS:
        yield Case(f"zext_{narrow}_{wide}", (narrow,), (wide,), by_name("zext", wide))
        yield Case(f"sext_{narrow}_{wide}", (narrow,), (wide,), by_name("sext", wide))
        if narrow > 1:
            yield Case(f"trunc_{wide}_{narrow}", (wide,), (narrow,), by_name("trunc", narrow))
    for index, parts in enumerate(((32, 32), (16, 16), (8, 8, 8, 8), (8, 8, 16, 32))):
        yield Case(f"pack_{index}", parts, (sum(parts),), _pack)
    for width, offset in ((32, 32), (16, 16), (8, 24)):
        yield Case(f"extract_{width}", (64,), (width,), by_name("extract", width, offset))


def _pack(algebra: Any, values: Any) -> Any:
    return algebra.pack(values)


# ---- floats ----


def _in_halves(name: str, fmt: Format, attributes: Sequence[object], constant: int) -> Method:
    """The op on both halves of words, its result into the op again; at last a minimum."""

    def apply(algebra: Any, words: Any) -> Any:
        once = _paired(algebra, name, fmt, attributes, words)
        again = _paired(algebra, name, fmt, attributes, (once, *words[1:]))
        limit = algebra.const(2 * fmt.bits, constant << fmt.bits | constant)
        return _paired(algebra, "fmax", fmt, (False, False), (again, limit))

    return apply


def _paired(
    algebra: Any, name: str, fmt: Format, attributes: Sequence[object], words: Sequence[Any]
) -> Any:
    halves = []
    for offset in (0, fmt.bits):
        operands = [algebra.extract(word, fmt.bits, offset) for word in words]
        halves.append(getattr(algebra, name)(*operands, fmt, *attributes))
    return algebra.pack(halves)


def packed_cases() -> Iterator[Case]:
    """f16x2 and f32x2, NaNs hidden by the last step."""
    for fmt in (Format.F16, Format.F32):
        width = 2 * fmt.bits
        for name, count in (("fadd", 2), ("fsub", 2), ("fmul", 2), ("ffma", 3)):
            method = _in_halves(name, fmt, (Rounding.RN, False), 0)
            yield Case(f"packed_{name}_{fmt.name}", (width,) * count, (width,), method)


def float_cases() -> Iterator[Case]:
    for fmt in Format:
        for ftz in (False, True) if fmt is not Format.F64 else (False,):
            yield from _arithmetic(fmt, ftz)
            yield from _choices(fmt, ftz)
            yield from _conversions(fmt, ftz)
        for name in ("fneg", "fabs", "fflush", "fsaturate"):
            yield Case(f"{name}_{fmt.name}", (fmt,), (fmt,), by_name(name, fmt))
        for rounding in NEAREST_FIRST:
            for width, signed in ((16, True), (32, True), (32, False), (64, True), (64, False)):
                name = f"int_to_float_{fmt.name}_{rounding.value}_{width}_{signed}"
                method = by_name("int_to_float", signed, fmt, rounding)
                yield Case(name, (width,), (fmt,), method)


def _arithmetic(fmt: Format, ftz: bool) -> Iterator[Case]:
    has_directed = fmt in (Format.F32, Format.F64)
    for rounding in NEAREST_FIRST if has_directed else (Rounding.RN,):
        suffix = f"{fmt.name}_{ftz}_{rounding.value}"
        for name, count in (
            ("fadd", 2),
            ("fsub", 2),
            ("fmul", 2),
            ("fdiv", 2),
            ("ffma", 3),
            ("fsqrt", 1),
        ):
            method = by_name(name, fmt, rounding, ftz)
            yield Case(f"{name}_{suffix}", (fmt,) * count, (fmt,), method, exact_nan=False)


def _choices(fmt: Format, ftz: bool) -> Iterator[Case]:
    suffix = f"{fmt.name}_{ftz}"
    for name in ("fmin", "fmax"):
        for nan in (False, True):
            yield Case(f"{name}_{suffix}_{nan}", (fmt, fmt), (fmt,), by_name(name, fmt, ftz, nan))
    for predicate in FloatPredicate:
        method = by_name("fcmp", fmt, predicate, ftz)
        yield Case(f"fcmp_{suffix}_{predicate.value}", (fmt, fmt), (1,), method)


def _conversions(fmt: Format, ftz: bool) -> Iterator[Case]:
    for rounding in NEAREST_FIRST:
        suffix = f"{fmt.name}_{ftz}_{rounding.value}"
        method = by_name("fround", fmt, rounding, ftz)
        yield Case(f"fround_{suffix}", (fmt,), (fmt,), method, exact_nan=False)
        for width, signed in (
            (8, True),
            (16, False),
            (32, True),
            (32, False),
            (64, True),
            (64, False),
        ):
            method = by_name("float_to_int", fmt, width, signed, rounding, ftz)
            yield Case(f"float_to_int_{suffix}_{width}_{signed}", (fmt,), (width,), method)
        for other in Format:
            narrows = other.bits < fmt.bits or {fmt, other} == {Format.F16, Format.BF16}
            method = by_name("fconvert", fmt, other, rounding, ftz)
            yield Case(f"fconvert_{suffix}_{other.name}", (fmt,), (other,), method, narrows)
