"""How LLVM writes the floating-point formats: type names, intrinsic suffixes, literals.

Comes in: `ir.Format` and bit patterns. Goes out: text and bit-level facts of a format. It must know
no op and no chip.
"""

from __future__ import annotations

from ptxlift.ir.attributes import Format
from ptxlift.records import dataclass


@dataclass(frozen=True, slots=True)
class FloatType:
    """One format as LLVM spells it."""

    format: Format
    name: str  # "half", "bfloat", "float", "double"
    suffix: str  # of overloaded intrinsics
    bits: int
    mantissa: int  # stored bits
    integer: str  # "i16", "i32", "i64"

    @property
    def sign_bit(self) -> int:
        return 1 << (self.bits - 1)

    @property
    def magnitude_mask(self) -> int:
        return self.sign_bit - 1

    @property
    def infinity(self) -> int:
        return self.magnitude_mask >> self.mantissa << self.mantissa

    @property
    def canonical_nan(self) -> int:
        """What NVIDIA's instructions give: every bit but the sign, in f64 the default NaN."""
        return 0xFFF8000000000000 if self.bits == 64 else self.magnitude_mask

    @property
    def one(self) -> int:
        return self.magnitude_mask >> (self.mantissa + 1) << self.mantissa

    @property
    def smallest_normal(self) -> int:
        return 1 << self.mantissa


HALF = FloatType(Format.F16, "half", "f16", 16, 10, "i16")
BFLOAT = FloatType(Format.BF16, "bfloat", "bf16", 16, 7, "i16")
FLOAT = FloatType(Format.F32, "float", "f32", 32, 23, "i32")
DOUBLE = FloatType(Format.F64, "double", "f64", 64, 52, "i64")
TYPES: dict[Format, FloatType] = {type.format: type for type in (HALF, BFLOAT, FLOAT, DOUBLE)}


def type_of(fmt: object) -> FloatType:
    """The type of a format; the most frequent one first, since hashing an enum is slow."""
    if fmt is Format.F32:
        return FLOAT
    assert isinstance(fmt, Format)
    return TYPES[fmt]


def literal(bits: int, type: FloatType) -> str:
    """A constant of the format with exactly these bits, NaN payloads too."""
    return f"bitcast ({type.integer} {bits} to {type.name})"
