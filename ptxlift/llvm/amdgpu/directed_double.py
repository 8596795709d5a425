"""f64 arithmetic rounded toward zero, up or down: to nearest first, then one unit where needed.

Comes in: f64 operands and a direction. Goes out: an expression. The sign of the error comes from
error-free transformations, on operands scaled so that nothing they need underflows or overflows.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ptxlift.ir.attributes import Rounding
from ptxlift.llvm.amdgpu.emitter import Emitter
from ptxlift.llvm.floats import DOUBLE, literal

_FMA = "double @llvm.fma.f64(double, double, double)"
_ABS = "double @llvm.fabs.f64(double)"
_SQRT = "double @llvm.sqrt.f64(double)"
_SCALE = "double @llvm.ldexp.f64.i32(double, i32)"
_EXPONENT = "i32 @llvm.amdgcn.frexp.exp.i32.f64(double)"
_INFINITY = literal(DOUBLE.infinity, DOUBLE)


def expression(e: Emitter, name: str, operands: Sequence[str], rounding: Rounding) -> str:
    """The op `fadd`, `fsub`, `fmul`, `ffma`, `fdiv` or `fsqrt` in a direction."""
    operands = list(operands)
    if name == "fsub":
        name, operands[1] = "fadd", _negated(e, operands[1])
    nearest, error = _WITH_ERROR[name](e, operands)
    finite = _all_finite(e, name, operands)
    if rounding is Rounding.RM and name in ("fadd", "ffma"):
        nearest = _exact_zero_below(e, name, nearest, error, operands)
    return _corrected(e, nearest, error, finite, rounding)


def _negated(e: Emitter, text: str) -> str:
    return e.let(f"fneg double {text}")


def _power(exponent: int) -> str:
    """2 to the exponent as a literal."""
    return literal((1023 + exponent) << 52, DOUBLE)


def _fma(e: Emitter, a: str, b: str, c: str) -> str:
    return e.let(e.call(_FMA, a, b, c))


def _two_sum(e: Emitter, a: str, b: str) -> tuple[str, str]:
    total = e.let(f"fadd double {a}, {b}")
    part = e.let(f"fsub double {total}, {a}")
    rest = e.let(f"fsub double {total}, {part}")
    error_a = e.let(f"fsub double {a}, {rest}")
    error_b = e.let(f"fsub double {b}, {part}")
    return total, e.let(f"fadd double {error_a}, {error_b}")


# ---- the rounded result and a number with the sign of (exact - rounded) ----


def _sum(e: Emitter, operands: Sequence[str]) -> tuple[str, str]:
    return _two_sum(e, operands[0], operands[1])


def _product(e: Emitter, operands: Sequence[str]) -> tuple[str, str]:
    """Operands are brought near 1, the result by as much."""
    a, b = operands
    product = e.let(f"fmul double {a}, {b}")
    low_a, exponent_a = _normalised(e, a)
    low_b, exponent_b = _normalised(e, b)
    shift = e.let(f"add i32 {exponent_a}, {exponent_b}")
    scaled = _scaled_down(e, product, shift)
    return product, _fma(e, low_a, low_b, _negated(e, scaled))


def _normalised(e: Emitter, text: str) -> tuple[str, str]:
    """Mantissa in [0.5, 1) and exponent; zeros, infinities and NaNs stay."""
    mantissa = e.let(e.call("double @llvm.amdgcn.frexp.mant.f64(double)", text))
    return mantissa, e.let(e.call(_EXPONENT, text))


def _scaled_down(e: Emitter, text: str, exponent: str) -> str:
    """text * 2^-exponent in two exact steps: the exponent may be beyond one f64's range."""
    first = e.let(f"sdiv i32 {exponent}, 2")
    second = e.let(f"sub i32 {exponent}, {first}")
    for part in (first, second):
        down = e.let(f"sub i32 0, {part}")
        text = e.let(e.call(_SCALE, text, down))
    return text


def _quotient(e: Emitter, operands: Sequence[str]) -> tuple[str, str]:
    a, b = operands
    quotient = e.let(f"fdiv double {a}, {b}")
    low_a, exponent_a = _normalised(e, a)
    low_b, exponent_b = _normalised(e, b)
    shift = e.let(f"sub i32 {exponent_a}, {exponent_b}")
    scaled = _scaled_down(e, quotient, shift)
    remainder = _fma(e, _negated(e, scaled), low_b, low_a)
    sign = e.let(e.call("double @llvm.copysign.f64(double, double)", "1.0", b))
    return quotient, e.let(f"fmul double {remainder}, {sign}")


def _root(e: Emitter, operands: Sequence[str]) -> tuple[str, str]:
    """The remainder of small numbers is taken at 2^600 times their size."""
    a = operands[0]
    root = e.let(e.call(_SQRT, a))
    small = e.let(f"fcmp olt double {a}, {_power(-500)}")
    up = e.let(f"select i1 {small}, double {_power(600)}, double 1.0")
    half_up = e.let(f"select i1 {small}, double {_power(300)}, double 1.0")
    scaled = e.let(f"fmul double {a}, {up}")
    scaled_root = e.let(f"fmul double {root}, {half_up}")
    return root, _fma(e, _negated(e, scaled_root), scaled_root, scaled)


def _fused(e: Emitter, operands: Sequence[str]) -> tuple[str, str]:
    """The exact error of an fma (Boldo and Muller), near the ends of the range at a scale where
    its parts exist.
    """
    a, b, c = operands
    result = _fma(e, a, b, c)
    exponents = [_normalised(e, text)[1] for text in operands]
    product_exponent = e.let(f"add i32 {exponents[0]}, {exponents[1]}")
    largest = e.let(e.call("i32 @llvm.smax.i32(i32, i32)", product_exponent, exponents[2]))
    shift = _without_zeros(e, operands, product_exponent, exponents[2], largest)
    low_a = e.let(e.call("double @llvm.amdgcn.frexp.mant.f64(double)", a))
    low_b = e.let(e.call("double @llvm.amdgcn.frexp.mant.f64(double)", b))
    distance = e.let(f"sub i32 {product_exponent}, {shift}")
    distance = e.let(e.call("i32 @llvm.smax.i32(i32, i32)", distance, "-900"))
    low_a = e.let(e.call(_SCALE, low_a, distance))
    low_c = _kept_nonzero(e, c, _scaled_down(e, c, shift))
    low_result = _scaled_down(e, result, shift)
    return result, _fma_error(e, low_a, low_b, low_c, low_result)


def _without_zeros(
    e: Emitter, operands: Sequence[str], product: str, addend: str, largest: str
) -> str:
    """The larger of both exponents, of numbers that are not zero."""
    zero_a, zero_b, zero_c = (e.let(f"fcmp oeq double {text}, 0.0") for text in operands)
    shift = e.let(f"select i1 {zero_c}, i32 {product}, i32 {largest}")
    zero_product = e.let(f"or i1 {zero_a}, {zero_b}")
    return e.let(f"select i1 {zero_product}, i32 {addend}, i32 {shift}")


def _kept_nonzero(e: Emitter, original: str, scaled: str) -> str:
    """A number far below all others counts by its sign alone: it must not become zero."""
    tiny = e.let(e.call("double @llvm.copysign.f64(double, double)", _power(-900), original))
    magnitude = e.let(e.call(_ABS, scaled))
    lost = e.let(f"fcmp olt double {magnitude}, {_power(-900)}")
    nonzero = e.let(f"fcmp one double {original}, 0.0")
    replace = e.let(f"and i1 {lost}, {nonzero}")
    return e.let(f"select i1 {replace}, double {tiny}, double {scaled}")


def _fma_error(e: Emitter, a: str, b: str, c: str, result: str) -> str:
    product = e.let(f"fmul double {a}, {b}")
    product_error = _fma(e, a, b, _negated(e, product))
    low, low_error = _two_sum(e, c, product_error)
    high, high_error = _two_sum(e, product, low)
    gap = e.let(f"fsub double {high}, {result}")
    gap = e.let(f"fadd double {gap}, {high_error}")
    return e.let(f"fadd double {gap}, {low_error}")


_WITH_ERROR: dict[str, Callable[[Emitter, Sequence[str]], tuple[str, str]]] = {
    "fadd": _sum,
    "fmul": _product,
    "ffma": _fused,
    "fdiv": _quotient,
    "fsqrt": _root,
}

# ---- the correction ----


def _all_finite(e: Emitter, name: str, operands: Sequence[str]) -> str:
    """Whether an infinite result means overflow."""
    tests = []
    for text in operands:
        magnitude = e.let(e.call(_ABS, text))
        tests.append(e.let(f"fcmp olt double {magnitude}, {_INFINITY}"))
    if name == "fdiv":
        tests.append(e.let(f"fcmp one double {operands[1]}, 0.0"))
    result = tests[0]
    for test in tests[1:]:
        result = e.let(f"and i1 {result}, {test}")
    return result


def _exact_zero_below(
    e: Emitter, name: str, nearest: str, error: str, operands: Sequence[str]
) -> str:
    """Rounding down, an exact sum of zero is -0 unless both terms are +0."""
    first = operands[0]
    if name == "ffma":
        first = e.let(f"fmul double {operands[0]}, {operands[1]}")
    left = e.let(f"bitcast double {first} to i64")
    right = e.let(f"bitcast double {operands[-1]} to i64")
    either = e.let(f"or i64 {left}, {right}")
    sign = e.let(f"and i64 {either}, {-DOUBLE.sign_bit}")
    zero = e.let(f"bitcast i64 {sign} to double")
    is_zero = e.let(f"fcmp oeq double {nearest}, 0.0")
    is_exact = e.let(f"fcmp oeq double {error}, 0.0")
    is_zero = e.let(f"and i1 {is_zero}, {is_exact}")
    return e.let(f"select i1 {is_zero}, double {zero}, double {nearest}")


def _corrected(e: Emitter, nearest: str, error: str, finite: str, rounding: Rounding) -> str:
    """Moves the result by one unit where the error points in the direction, and takes the largest
    finite number for an overflow that the direction forbids.
    """
    bits = e.let(f"bitcast double {nearest} to i64")
    negative = e.let(f"icmp slt i64 {bits}, 0")
    above = e.let(f"fcmp ogt double {error}, 0.0")
    below = e.let(f"fcmp olt double {error}, 0.0")
    magnitude = e.let(e.call(_ABS, nearest))
    infinite = e.let(f"fcmp oeq double {magnitude}, {_INFINITY}")
    overflow = e.let(f"and i1 {infinite}, {finite}")
    positive = e.let(f"xor i1 {negative}, true")
    match rounding:
        case Rounding.RP:
            grow, shrink = _both(e, above, positive), _both(e, above, negative)
            back = _both(e, overflow, negative)
        case Rounding.RM:
            grow, shrink = _both(e, below, negative), _both(e, below, positive)
            back = _both(e, overflow, positive)
        case _:
            grow, back = "false", overflow
            shrink = e.let(f"select i1 {negative}, i1 {above}, i1 {below}")
    plus = e.let(f"zext i1 {grow} to i64")
    either = e.let(f"or i1 {shrink}, {back}")
    minus = e.let(f"sext i1 {either} to i64")
    moved = e.let(f"add i64 {bits}, {plus}")
    moved = e.let(f"add i64 {moved}, {minus}")
    return f"bitcast i64 {moved} to double"


def _both(e: Emitter, a: str, b: str) -> str:
    return e.let(f"and i1 {a}, {b}")
