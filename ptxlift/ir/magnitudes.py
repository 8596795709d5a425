"""How small a single-precision value can be: bounds that hold for every number it may be.

Comes in: a value and the ops it is computed by. Goes out: a number that the value, unless it is
NaN, is not below. A sum of squares and a positive constant is the common case: its root needs no
care for subnormals. It must know no target.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable

from ptxlift.ir.attributes import Approximation, Format
from ptxlift.ir.core import Op, Value

SMALLEST_NORMAL = 2.0**-126
_DEPTH = 12
_POSITIVE = frozenset({Approximation.SQRT, Approximation.RSQRT, Approximation.EX2})
Bound = float | None


def lower_bound(value: Value, depth: int = _DEPTH) -> Bound:
    """The value as binary32 is at least this, or NaN; None: it may be anything."""
    op = value.definition
    if not isinstance(op, Op) or depth == 0 or value.width != 32:
        return None
    if op.opdef.name == "const":
        return _number(int(str(op.attr("bits"))))
    rule = _BOUNDS.get(op.opdef.name)
    if rule is None or op.attr("fmt") is not Format.F32:
        return None
    return rule(op, depth - 1)


def _number(bits: int) -> Bound:
    number: float = struct.unpack("<f", struct.pack("<I", bits))[0]
    return None if math.isnan(number) else number


def is_never_subnormal(value: Value) -> bool:
    """Whether the value is zero, a normal number, infinity or NaN, and not below zero."""
    bound = lower_bound(value)
    return bound is not None and bound >= SMALLEST_NORMAL


def _at_least_zero(value: Value, depth: int) -> bool:
    bound = lower_bound(value, depth)
    return bound is not None and bound >= 0


def _flushed(op: Op, bound: Bound) -> Bound:
    """A positive result below the normal range may become zero; a negative one goes up."""
    if bound is None or not op.attr("ftz"):
        return bound
    return bound if bound >= SMALLEST_NORMAL or bound <= 0 else 0.0


def _sum_of(a: Bound, b: Bound) -> Bound:
    """Rounding is monotonic, so a sum of what is not negative is not below either."""
    if a is None or b is None or a < 0 or b < 0:
        return None
    return max(a, b)


def _product(a: Value, b: Value, depth: int) -> Bound:
    """Of a negative zero and a number it may be -0, which is not below 0."""
    if a is b or (_at_least_zero(a, depth) and _at_least_zero(b, depth)):
        return 0.0
    return None


def _add(op: Op, depth: int) -> Bound:
    a, b = op.operands
    return _flushed(op, _sum_of(lower_bound(a, depth), lower_bound(b, depth)))


def _multiply(op: Op, depth: int) -> Bound:
    return _product(op.operands[0], op.operands[1], depth)


def _multiply_add(op: Op, depth: int) -> Bound:
    a, b, c = op.operands
    return _flushed(op, _sum_of(_product(a, b, depth), lower_bound(c, depth)))


def _quotient(op: Op, depth: int) -> Bound:
    """Also 0 by an infinity, and a positive number by zero."""
    return 0.0 if all(_at_least_zero(value, depth) for value in op.operands) else None


def _not_negative(op: Op, depth: int) -> Bound:
    """The root of -0 is -0, which is not below 0 either."""
    return 0.0


def _larger(op: Op, depth: int) -> Bound:
    """The other operand may be NaN; a constant never is."""
    known = [_constant(operand) for operand in op.operands]
    bounds = [bound for bound in known if bound is not None]
    return _flushed(op, max(bounds)) if bounds else None


def _constant(value: Value) -> Bound:
    op = value.definition
    is_constant = isinstance(op, Op) and op.opdef.name == "const"
    return lower_bound(value) if is_constant else None


def _integer(op: Op, depth: int) -> Bound:
    return None if op.attr("signed") else 0.0


def _approximation(op: Op, depth: int) -> Bound:
    return 0.0 if op.attr("function") in _POSITIVE else None


_BOUNDS: dict[str, Callable[[Op, int], Bound]] = {
    "fadd": _add,
    "fmul": _multiply,
    "fdiv": _quotient,
    "fdiv_approx": _quotient,
    "ffma": _multiply_add,
    "fabs": _not_negative,
    "fsaturate": _not_negative,
    "fsqrt": _not_negative,
    "fmax": _larger,
    "int_to_float": _integer,
    "fapprox": _approximation,
}
