"""Random operands: any bits, edges of every binade, and quotients and roots near a tie.

Comes in: a format, a count, a generator. Goes out: bits.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ptxlift.ir.attributes import Format
from tests.numerics.exact import REALS, Bits

Extended = NDArray[np.longdouble]


def any_bits(fmt: Format, count: int, rng: np.random.Generator) -> Bits:
    """Every exponent alike, so also NaN, infinities and subnormals."""
    bits: Bits = rng.integers(0, 1 << fmt.bits, count, np.uint64, endpoint=False).astype(
        f"u{fmt.bits // 8}"
    )
    return bits


def _edges(fmt: Format, count: int, rng: np.random.Generator) -> Bits:
    """Any exponent, and fractions at its ends and in its middle."""
    low = fmt.mantissa_bits
    half, top = 1 << (low - 1), (1 << low) - 1
    fractions = np.array([0, 0, 1, 2, half - 1, half, half + 1, top - 1, top], np.uint64)
    fraction = rng.choice(fractions, count)
    upper = any_bits(fmt, count, rng).astype(np.uint64) >> np.uint64(low) << np.uint64(low)
    return (upper | fraction).astype(f"u{fmt.bits // 8}")


def _near_one(fmt: Format, count: int, rng: np.random.Generator) -> Bits:
    bias = (1 << (fmt.exponent_bits - 1)) - 1
    field = rng.integers(bias - 8, bias + 9, count).astype(np.uint64)
    sign_and_fraction = any_bits(fmt, count, rng).astype(np.uint64)
    mask = np.uint64(((1 << fmt.exponent_bits) - 1) << fmt.mantissa_bits)
    bits = sign_and_fraction & ~mask | field << np.uint64(fmt.mantissa_bits)
    return bits.astype(f"u{fmt.bits // 8}")


def mixed(fmt: Format, count: int, rng: np.random.Generator) -> Bits:
    """A third each: any bits, edges, near one; shuffled."""
    kinds = np.stack([make(fmt, count, rng) for make in (any_bits, _edges, _near_one)])
    return kinds[rng.integers(0, 3, count), np.arange(count)]


def _ties(fmt: Format, count: int, rng: np.random.Generator) -> Extended:
    """Numbers of one bit more than the format holds, that bit set, over a few binades."""
    places = fmt.mantissa_bits + 1
    mantissa = rng.integers(1 << places, 2 << places, count, np.uint64) | np.uint64(1)
    exponent = rng.integers(-6, 7, count)
    return np.ldexp(mantissa.astype(np.longdouble), exponent - places)


def _rounded(values: Extended, fmt: Format) -> Bits:
    return values.astype(REALS[fmt]).view(f"u{fmt.bits // 8}")


def quotients(fmt: Format, count: int, rng: np.random.Generator) -> list[Bits]:
    """Dividends and divisors; of a fifth the quotient lies near a tie."""
    a, b = mixed(fmt, count, rng), mixed(fmt, count, rng)
    hard = count // 5
    b[:hard] = _near_one(fmt, hard, rng)
    divisors = b[:hard].view(REALS[fmt]).astype(np.longdouble)
    a[:hard] = _rounded(_ties(fmt, hard, rng) * divisors, fmt)
    return [a, b]


def reciprocals(fmt: Format, count: int, rng: np.random.Generator) -> list[Bits]:
    return [mixed(fmt, count, rng)]


def roots(fmt: Format, count: int, rng: np.random.Generator) -> list[Bits]:
    """Mostly positive; of a fifth the root lies near a tie."""
    a = mixed(fmt, count, rng)
    positive = a.dtype.type((1 << (fmt.bits - 1)) - 1)
    a[count // 10 :] &= positive
    hard = count // 5
    a[-hard:] = _rounded(_ties(fmt, hard, rng) ** 2, fmt)
    return [a]
