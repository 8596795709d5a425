"""Random matrices as bit patterns, with their values, and how far a result may be off.

Values of the small float formats come from their definition: sign, exponent, mantissa. Bounds are
those of summing in the accumulator's precision, in any order.
"""

from __future__ import annotations

import numpy as np
from matrix_kernels import Array

WIDTHS = {
    "f64": 64, "f32": 32, "s32": 32, "tf32": 32, "f16": 16, "bf16": 16, "e4m3": 8, "e5m2": 8,
    "e3m2": 8, "e2m3": 8, "e2m1": 8, "s8": 8, "u8": 8, "s4": 4, "u4": 4, "b1": 1,
}  # fmt: skip
ROUNDOFF = {"f16": 2.0**-11, "f32": 2.0**-24, "f64": 2.0**-53}
INTEGERS = ("s8", "u8", "s4", "u4", "b1", "s32")
_SMALL = {"e4m3": (4, 3), "e5m2": (5, 2), "e3m2": (3, 2), "e2m3": (2, 3), "e2m1": (2, 1)}


def small_value(name: str, code: int) -> float:
    """The value of a code of a small format; `code` has no padding."""
    exponent_bits, mantissa_bits = _SMALL[name]
    mantissa = code & ((1 << mantissa_bits) - 1)
    exponent = code >> mantissa_bits & ((1 << exponent_bits) - 1)
    negative = code >> (exponent_bits + mantissa_bits) & 1
    bias = 2 ** (exponent_bits - 1) - 1
    if exponent == 0:
        size = mantissa * 2.0 ** (1 - bias - mantissa_bits)
    else:
        size = (1 + mantissa / 2**mantissa_bits) * 2.0 ** (exponent - bias)
    return -size if negative else size


# Magnitudes from here on are left out: no NaN is among the rest, and sums of 32 products fit f16.
_LIMIT = {"e4m3": 0x58, "e5m2": 0x4C}


def _small(name: str, shape: tuple[int, ...], rng: np.random.Generator) -> tuple[Array, Array]:
    bits = 1 + sum(_SMALL[name])
    codes = rng.integers(0, 1 << bits, shape)
    if name in _LIMIT:
        codes = codes & 0x80 | (codes & 0x7F) % _LIMIT[name]
    values = np.vectorize(lambda code: small_value(name, int(code)))(codes)
    placed = codes << 2 if name == "e2m1" else codes  # four bits in the middle of the byte
    return placed.astype(np.uint64), values.astype(np.float64)


def random_matrix(
    name: str, shape: tuple[int, ...], rng: np.random.Generator
) -> tuple[Array, Array]:
    """Bit patterns (uint64) and values (float64, or int64 of integers)."""
    width = WIDTHS[name]
    if name in _SMALL:
        return _small(name, shape, rng)
    if name in INTEGERS:
        bits = rng.integers(0, 1 << width, shape, dtype=np.uint64)
        values = bits.astype(np.int64)
        if name[0] == "s":
            values = np.where(values >> (width - 1) & 1, values - (1 << width), values)
        return bits, values
    exact = rng.standard_normal(shape)
    if name == "f64":
        return exact.view(np.uint64), exact
    if name == "f16":
        half = exact.astype(np.float16)
        return half.view(np.uint16).astype(np.uint64), half.astype(np.float64)
    single = exact.astype(np.float32).view(np.uint32)
    if name == "bf16":
        upper = single >> np.uint32(16)
        values = (upper << np.uint32(16)).view(np.float32)
        return upper.astype(np.uint64), values.astype(np.float64)
    # The low 13 bits of a tf32 operand do not count; they are random here.
    kept = single & np.uint32(0xFFFFE000) if name == "tf32" else single
    return single.astype(np.uint64), kept.view(np.float32).astype(np.float64)


def values_of(name: str, bits: Array) -> Array:
    """Results as values."""
    match name:
        case "f64":
            return bits.view(np.float64)
        case "f32":
            return bits.astype(np.uint32).view(np.float32).astype(np.float64)
        case "f16":
            return bits.astype(np.uint16).view(np.float16).astype(np.float64)
        case _:
            return bits.astype(np.uint32).view(np.int32).astype(np.int64)


def bound_of(name: str, a: Array, b: Array, c: Array, roundings: int = 1, steps: int = 1) -> Array:
    """The error of summing a @ b + c in the accumulator. `roundings`: products that were rounded to
    d's type, one after the other; `steps`: half units that a sum may be off.
    """
    terms = a.shape[-1] + 1
    summed = 2.0**-24 if name == "f16" else ROUNDOFF[name]  # f16 sums are kept in f32 or better
    whole = np.abs(a) @ np.abs(b) + np.abs(c)
    bound: Array = steps * terms * summed * whole
    if name == "f16":
        largest = np.abs(a @ b + c) if roundings == 1 else whole
        bound = bound + roundings * (ROUNDOFF["f16"] * largest + 2.0**-25)
    return bound


def assert_close(
    name: str, got: Array, a: Array, b: Array, c: Array, roundings: int = 1, steps: int = 1
) -> None:
    """d against a @ b + c in float64, within that error."""
    assert (np.abs(got - (a @ b + c)) <= bound_of(name, a, b, c, roundings, steps)).all()


def pack_lane(elements: list[int], width: int) -> list[int]:
    """Elements of one lane as registers, the first in the lowest bits."""
    size = max(32, width)
    count = size // width
    return [
        sum(element << (width * i) for i, element in enumerate(elements[at : at + count]))
        for at in range(0, len(elements), count)
    ]


def unpack_lane(registers: Array, width: int) -> list[int]:
    """The way back."""
    size = max(32, width)
    mask = (1 << width) - 1
    return [int(r) >> shift & mask for r in registers for shift in range(0, size, width)]
