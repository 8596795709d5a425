"""The approximate instructions: their bounds in the PTX manual, and what they do at the ends.

Comes in: operands and results as bits. Goes out: errors in units of the allowed one. Exact values
are numpy's in f64, good to about 2^-52.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ptxlift.interp.rounding import widen
from ptxlift.ir.attributes import Format
from tests.numerics.exact import Bits, flush
from tests.numerics.operands import any_bits

Reals = NDArray[np.float64]
Make = Callable[[Format, int, np.random.Generator], list[Bits]]
_SMALLEST = {Format.F16: -14, Format.BF16: -126, Format.F32: -126, Format.F64: -1022}
_LARGEST = {Format.F16: 16, Format.BF16: 128, Format.F32: 128, Format.F64: 1024}


@dataclass(frozen=True, slots=True)
class Approximate:
    """An instruction, its function, and the error allowed at operands with an exact result.

    `flushes`: .ftz, or always. `within`: the operands that the bound speaks of.
    """

    text: str
    function: Callable[..., Reals]
    allowed: Callable[[Reals, Reals], Reals]  # first operand, exact result
    fmt: Format = Format.F32
    inputs: int = 1
    operands: Make = lambda fmt, count, rng: [any_bits(fmt, count, rng)]
    within: Callable[..., NDArray[np.bool_]] | None = None

    @property
    def flushes(self) -> bool:
        return ".ftz" in self.text


def units(fmt: Format, number: float) -> Callable[[Reals, Reals], Reals]:
    """So many units in the last place of the exact result."""

    def allowed(_: Reals, exact: Reals) -> Reals:
        _, power = np.frexp(exact)
        power = np.maximum(power - 1, _SMALLEST[fmt])
        return number * np.ldexp(1.0, power - fmt.mantissa_bits)

    return allowed


def relative(exponent: float) -> Callable[[Reals, Reals], Reals]:
    return lambda _, exact: 2.0**exponent * np.abs(exact)


def absolute(exponent: float) -> Callable[[Reals, Reals], Reals]:
    return lambda _, exact: np.full_like(exact, 2.0**exponent)


def _logarithm(x: Reals, exact: Reals) -> Reals:
    """Absolute 2^-22 between 1/2 and 2, else relative 2^-22."""
    near = (x > 0.5) & (x < 2.0)
    return np.where(near, 2.0**-22, 2.0**-22 * np.abs(exact))


def _wave(x: Reals, exact: Reals) -> Reals:
    """2^-20.5 within 2 pi, 2^-14.7 within 100 pi."""
    return np.where(np.abs(x) <= 2 * np.pi, 2.0**-20.5, 2.0**-14.7) + 0 * exact


def _angles(fmt: Format, count: int, rng: np.random.Generator) -> list[Bits]:
    """Within 100 pi, half of them within 2 pi; some of every small exponent; some of any bits."""
    reach = np.where(np.arange(count) % 2 == 0, 2 * np.pi, 100 * np.pi)
    angles = (rng.uniform(-1.0, 1.0, count) * reach).astype(np.float32)
    bits = angles.view(np.uint32)
    return [np.where(np.arange(count) % 5 == 0, any_bits(fmt, count, rng), bits)]


def _exponents(fmt: Format, count: int, rng: np.random.Generator) -> list[Bits]:
    """From below the subnormal results to overflow; some of any bits."""
    values = rng.uniform(-152.0, 129.0, count).astype(np.float32)
    bits = values.view(np.uint32)
    return [np.where(np.arange(count) % 5 == 0, any_bits(fmt, count, rng), bits)]


def _pairs(fmt: Format, count: int, rng: np.random.Generator) -> list[Bits]:
    """Any bits; in half the pairs the exponents are close, so that the quotient is ordinary."""
    a, b = any_bits(fmt, count, rng), any_bits(fmt, count, rng)
    shift = rng.integers(-20, 21, count)
    field = (b >> np.uint32(23) & np.uint32(0xFF)).astype(np.int64) + shift
    close = a & np.uint32(0x807FFFFF) | np.clip(field, 0, 255).astype(np.uint32) << np.uint32(23)
    return [np.where(np.arange(count) % 2 == 0, close.astype(np.uint32), a), b]


def _ordinary_divisor(x: Reals, y: Reals) -> NDArray[np.bool_]:
    """Beyond 2^126 the reciprocal underflows, as the manual says."""
    within: NDArray[np.bool_] = (np.abs(y) <= 2.0**126) | ~np.isfinite(y)
    return within


def _small_angle(x: Reals) -> NDArray[np.bool_]:
    within: NDArray[np.bool_] = (np.abs(x) <= 100 * np.pi) | ~np.isfinite(x)
    return within


def _quotient(x: Reals, y: Reals) -> Reals:
    return x / y


def _inverse_root(x: Reals) -> Reals:
    return 1.0 / np.sqrt(x)


def _both(make: Callable[[str], Approximate]) -> list[Approximate]:
    """With and without .ftz."""
    return [make(""), make(".ftz")]


_F32, _F64 = Format.F32, Format.F64
_TWO = units(_F32, 2)
_LOOSE = relative(-19)  # no bound is given; the upper word holds 20 bits of fraction
BOUNDS: tuple[Approximate, ...] = (
    *_both(
        lambda f: Approximate(
            f"div.approx{f}.f32", _quotient, _TWO, _F32, 2, _pairs, _ordinary_divisor
        )
    ),
    *_both(lambda f: Approximate(f"div.full{f}.f32", _quotient, _TWO, _F32, 2, _pairs)),
    *_both(lambda f: Approximate(f"rcp.approx{f}.f32", np.reciprocal, units(_F32, 1))),
    *_both(lambda f: Approximate(f"sqrt.approx{f}.f32", np.sqrt, relative(-23))),
    *_both(lambda f: Approximate(f"rsqrt.approx{f}.f32", _inverse_root, relative(-22.9))),
    *_both(lambda f: Approximate(f"lg2.approx{f}.f32", np.log2, _logarithm)),
    *_both(lambda f: Approximate(f"ex2.approx{f}.f32", np.exp2, _TWO, operands=_exponents)),
    *_both(
        lambda f: Approximate(
            f"sin.approx{f}.f32", np.sin, _wave, operands=_angles, within=_small_angle
        )
    ),
    *_both(
        lambda f: Approximate(
            f"cos.approx{f}.f32", np.cos, _wave, operands=_angles, within=_small_angle
        )
    ),
    Approximate("tanh.approx.f32", np.tanh, relative(-11), operands=_angles),
    Approximate("tanh.approx.f16", np.tanh, absolute(-10.987), Format.F16),
    Approximate("tanh.approx.bf16", np.tanh, absolute(-8), Format.BF16),
    Approximate("ex2.approx.f16", np.exp2, relative(-9.9), Format.F16),
    Approximate("ex2.approx.ftz.bf16", np.exp2, relative(-7), Format.BF16),
    Approximate("rcp.approx.ftz.f64", np.reciprocal, _LOOSE, _F64),
    Approximate("rsqrt.approx.ftz.f64", _inverse_root, _LOOSE, _F64),
    Approximate("rsqrt.approx.f64", _inverse_root, relative(-22), _F64),
)


def _reals(bits: Bits, fmt: Format) -> Reals:
    with np.errstate(invalid="ignore"):  # signalling NaNs
        return bits.view(np.float64) if fmt is _F64 else widen(bits, fmt)


def judge(bound: Approximate, given: Sequence[Bits], got: Bits) -> Reals:
    """Each lane's error in units of the allowed one; infinite where the manual's table of special
    operands is violated.
    """
    fmt = bound.fmt
    read = [_upper(flush(bits, fmt) if bound.flushes else bits, bound) for bits in given]
    operands = [_reals(bits, fmt) for bits in read]
    result = _reals(got, fmt)
    with np.errstate(all="ignore"):
        exact = bound.function(*operands)
        finest = np.ldexp(1.0, _SMALLEST[fmt] - fmt.mantissa_bits)
        allowed = np.maximum(bound.allowed(operands[0], exact), finest)
        error = np.abs(result - exact) / allowed
        plain = np.isfinite(exact) & (exact != 0)
        same = (result == exact) & (np.signbit(result) == np.signbit(exact))
        same |= np.isnan(result) & np.isnan(exact)
        error = np.where(plain, error, np.where(same, 0.0, np.inf))
        error = np.where(plain & _at_an_end(bound, exact, allowed, result), 0.0, error)
        error = np.where(np.isnan(error), np.inf, error)
    if bound.flushes:
        error = np.where(flush(got, fmt) != got, np.inf, error)
    if bound.within is not None:
        error = np.where(bound.within(*operands), error, 0.0)
    return error


def _upper(bits: Bits, bound: Approximate) -> Bits:
    """The .ftz.f64 forms read the upper word."""
    if bound.fmt is not _F64 or not bound.flushes:
        return bits
    return bits & np.uint64(0xFFFFFFFF00000000)


def _at_an_end(
    bound: Approximate, exact: Reals, allowed: Reals, result: Reals
) -> NDArray[np.bool_]:
    """Overflow to infinity or, if results are flushed, underflow to zero within the bound."""
    fmt, size = bound.fmt, np.abs(exact)
    sign = np.signbit(result) == np.signbit(exact)
    largest = np.ldexp(1.0, _LARGEST[fmt] - 1) * (2.0 - 2.0**-fmt.mantissa_bits)
    over = np.isinf(result) & (size + allowed > largest)
    under = (result == 0) & (size - allowed < np.ldexp(1.0, _SMALLEST[fmt]))
    ends: NDArray[np.bool_] = sign & (over | (under if bound.flushes else np.False_))
    return ends
