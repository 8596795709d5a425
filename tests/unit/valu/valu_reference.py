"""An independent reference for the float tests: exact fractions, rounded by definition.

Comes in: bit patterns of a format given by (exponent bits, mantissa bits). Goes out: the same. It
shares no code with the emulator.
"""

from __future__ import annotations

import math
from fractions import Fraction

SHAPES = {"f16": (5, 10), "bf16": (8, 7), "f32": (8, 23), "f64": (11, 52)}
MODES = ("rne", "rtp", "rtn", "rtz")  # by MODE's encoding


class Float:
    """A format's patterns as exact numbers."""

    def __init__(self, name: str) -> None:
        self.exponent_bits, self.mantissa_bits = SHAPES[name]
        self.bits = 1 + self.exponent_bits + self.mantissa_bits
        self.bias = (1 << (self.exponent_bits - 1)) - 1
        self.infinity = ((1 << self.exponent_bits) - 1) << self.mantissa_bits
        self.sign = 1 << (self.bits - 1)

    def is_nan(self, bits: int) -> bool:
        return bits & ~self.sign > self.infinity

    def is_inf(self, bits: int) -> bool:
        return bits & ~self.sign == self.infinity

    def value(self, bits: int) -> Fraction:
        exponent = (bits & ~self.sign) >> self.mantissa_bits
        mantissa = bits & ((1 << self.mantissa_bits) - 1)
        if exponent:
            mantissa += 1 << self.mantissa_bits
        power = max(exponent, 1) - self.bias - self.mantissa_bits
        size = Fraction(mantissa) * Fraction(2) ** power
        return -size if bits & self.sign else size

    def _round_inside(self, exact: Fraction, mode: str) -> int:
        """A nonzero value that does not overflow."""
        sign = self.sign if exact < 0 else 0
        up = {"rtz": False, "rtp": exact > 0, "rtn": exact < 0}.get(mode)
        return sign | self._round_size(abs(exact), up)

    def _round_size(self, size: Fraction, up: bool | None) -> int:
        lowest = 1 - self.bias - self.mantissa_bits
        power = math.floor(math.log2(size.numerator) - math.log2(size.denominator))
        while Fraction(2) ** power > size:
            power -= 1
        while Fraction(2) ** (power + 1) <= size:
            power += 1
        ulp = max(power - self.mantissa_bits, lowest)
        scaled = size / Fraction(2) ** ulp
        whole = scaled.numerator // scaled.denominator
        rest = scaled - whole
        if up is None:
            up = rest > Fraction(1, 2) or (rest == Fraction(1, 2) and whole % 2 == 1)
        elif rest == 0:
            up = False
        whole += up
        if whole >= 1 << (self.mantissa_bits + 1):
            whole >>= 1
            ulp += 1
        if whole < 1 << self.mantissa_bits:
            return whole
        field = ulp - lowest + 1
        return (field << self.mantissa_bits) + whole - (1 << self.mantissa_bits)

    def overflow(self, sign: int, mode: str) -> int:
        """What a finite result beyond the largest number becomes."""
        away = mode == "rne" or (mode == "rtp" and not sign) or (mode == "rtn" and bool(sign))
        return (self.sign if sign else 0) | (self.infinity if away else self.infinity - 1)

    def fma(self, a: int, b: int, c: int, mode: str = "rne") -> int | None:
        """None stands for any NaN."""
        if any(self.is_nan(x) for x in (a, b, c)):
            return None
        product_sign = (a ^ b) & self.sign
        if self.is_inf(a) or self.is_inf(b):
            if 0 in (a & ~self.sign, b & ~self.sign):
                return None
            if self.is_inf(c) and c & self.sign != product_sign:
                return None
            return product_sign | self.infinity
        if self.is_inf(c):
            return c
        exact = self.value(a) * self.value(b) + self.value(c)
        if exact == 0:
            negative_product = bool(product_sign)
            negative_c = bool(c & self.sign)
            both = negative_product and negative_c
            either = negative_product or negative_c
            return self.sign if both or (either and mode == "rtn") else 0
        return self.rounded(exact, mode)

    def rounded(self, exact: Fraction, mode: str = "rne") -> int:
        """A nonzero exact value, overflow included."""
        limit = Fraction(2) ** (self.bias + 1)
        top = limit - Fraction(2) ** (self.bias - self.mantissa_bits)
        half = (limit + top) / 2
        if abs(exact) >= limit or (abs(exact) > top and mode != "rne"):
            return self.overflow(exact < 0, mode)
        if mode == "rne" and abs(exact) >= half:
            return self.overflow(exact < 0, mode)
        return self._round_inside(exact, mode)
