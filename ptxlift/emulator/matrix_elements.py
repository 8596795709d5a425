"""Elements of matrices in registers: registers to numbers and back.

Comes in: 32-bit registers, the last axis in register order. Goes out: float64 (exact for every
format but f64's own sums), int64, or the other way. It must know no layout and no instruction.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ptxlift.records import dataclass

Bits = NDArray[Any]  # patterns of several widths


@dataclass(frozen=True, slots=True)
class Small:
    """A float of at most 8 bits. `bias`; `infinite`: the top exponent is for infinities and NaNs;
    `nans`: other codes that are not a number."""

    exponent: int
    mantissa: int
    bias: int
    infinite: bool = False
    nans: tuple[int, ...] = ()


_OCP = {
    "fp8": Small(4, 3, 7, nans=(0x7F, 0xFF)),
    "bf8": Small(5, 2, 15, infinite=True),
}
_FNUZ = {
    "fp8": Small(4, 3, 8, nans=(0x80,)),
    "bf8": Small(5, 2, 16, nans=(0x80,)),
}
WIDTHS = {
    "f64": 64, "f32": 32, "xf32": 32, "f16": 16, "bf16": 16, "fp8": 8, "bf8": 8, "i8": 8, "iu8": 8,
    "iu4": 4, "i32": 32,
}  # fmt: skip


@cache
def small_values(name: str, fnuz: bool) -> NDArray[np.float64]:
    """The value of each code."""
    small = (_FNUZ if fnuz else _OCP)[name]
    codes = np.arange(1 << (1 + small.exponent + small.mantissa))
    mantissa = codes & ((1 << small.mantissa) - 1)
    exponent = codes >> small.mantissa & ((1 << small.exponent) - 1)
    fraction = mantissa / (1 << small.mantissa) + (exponent > 0)
    values = fraction * np.exp2(np.maximum(exponent, 1) - float(small.bias))
    top = exponent == (1 << small.exponent) - 1
    if small.infinite:
        values = np.where(top, np.where(mantissa == 0, np.inf, np.nan), values)
    values = np.where(codes >> (small.exponent + small.mantissa), -values, values)
    values[list(small.nans)] = np.nan
    table: NDArray[np.float64] = values
    return table


def split(registers: Bits, width: int) -> Bits:
    """Registers as elements, the lowest bits first."""
    whole = np.ascontiguousarray(registers)
    if width == 4:
        bytes_ = whole.view(np.uint8)
        return np.stack([bytes_ & 15, bytes_ >> 4], axis=-1).reshape(*whole.shape[:-1], -1)
    return whole.view({8: np.uint8, 16: np.uint16, 32: np.uint32, 64: np.uint64}[width])


def decode(name: str, bits: Bits, fnuz: bool, signed: bool) -> Bits:
    """Elements as numbers; f64 as float64, which holds it."""
    match name:
        case "f64":
            return bits.view(np.float64)
        case "f32":
            return bits.view(np.float32).astype(np.float64)
        case "xf32":
            return _rounded_to_tf32(bits).view(np.float32).astype(np.float64)
        case "f16":
            return bits.view(np.float16).astype(np.float64)
        case "bf16":
            return (bits.astype(np.uint32) << 16).view(np.float32).astype(np.float64)
        case "fp8" | "bf8":
            return small_values(name, fnuz)[bits]
        case "i32":
            return bits.view(np.int32).astype(np.int64)
        case _:
            width = WIDTHS[name]
            wide = bits.astype(np.int64)
            return wide << (64 - width) >> (64 - width) if signed else wide


def _rounded_to_tf32(bits: Bits) -> Bits:
    """The upper 19 bits, to nearest even."""
    odd = bits >> np.uint32(13) & np.uint32(1)
    finite = bits & np.uint32(0x7F800000) != 0x7F800000
    rounded = bits + np.where(finite, np.uint32(0xFFF) + odd, np.uint32(0))
    return rounded & np.uint32(0xFFFFE000)


def encode(name: str, values: Bits, saturate: bool) -> Bits:
    """Numbers as registers' words, each element in 32 bits or more."""
    if name == "f64":
        return values.view(np.uint64)
    if name == "f32":
        with np.errstate(over="ignore", invalid="ignore"):
            return values.astype(np.float32).view(np.uint32)
    if saturate:
        values = np.clip(values, -(1 << 31), (1 << 31) - 1)
    return (values & 0xFFFFFFFF).astype(np.uint32)
