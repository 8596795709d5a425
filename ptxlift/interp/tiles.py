"""Matrices in the registers of a warp, and back.

Comes in: registers of all thread slots, how an element is stored, and a fragment layout. Goes out:
matrices, one stack a warp: int64 for integers, bit patterns for f64, else float64 (exact for every
narrower format). It must know no arithmetic on them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache

import numpy as np

from ptxlift.interp.lanes import Lanes
from ptxlift.isa.fragments import LANES, Fragment

STORED_BITS = {
    "f64": 64, "f32": 32, "s32": 32, "tf32": 32, "f16": 16, "bf16": 16, "e4m3": 8, "e5m2": 8,
    "e3m2": 8, "e2m3": 8, "e2m1": 8, "s8": 8, "u8": 8, "s4": 4, "u4": 4, "b1": 1,
    "e2m1x2": 4,  # e2m1, two in a byte
}  # fmt: skip
_CANONICAL = {16: 0x7FFF, 32: 0x7FFFFFFF}  # the NaN of NVIDIA's instructions
# Exponent bits, mantissa bits, bits below the mantissa; of formats that lie in bytes.
_SMALL = {
    "e4m3": (4, 3, 0),
    "e5m2": (5, 2, 0),
    "e3m2": (3, 2, 0),
    "e2m3": (2, 3, 0),
    "e2m1": (2, 1, 2),
}


def _value(bits: int, exponent_bits: int, mantissa_bits: int) -> float:
    """An unsigned small float, infinities and NaNs aside."""
    exponent, mantissa = divmod(bits, 1 << mantissa_bits)
    bias = (1 << (exponent_bits - 1)) - 1
    fraction = mantissa / (1 << mantissa_bits) + (exponent > 0)
    return float(fraction * 2.0 ** (max(exponent, 1) - bias))


@cache
def _small_values(name: str) -> Lanes:
    """The value of each of the 256 bytes."""
    exponent_bits, mantissa_bits, below = _SMALL[name]
    magnitude = exponent_bits + mantissa_bits
    values = np.zeros(256)
    for byte in range(256):
        field = byte >> below
        value = _value(field & ((1 << magnitude) - 1), exponent_bits, mantissa_bits)
        values[byte] = -value if field >> magnitude & 1 else value
    if name == "e4m3":
        values[[0x7F, 0xFF]] = np.nan
    if name == "e5m2":
        values[[0x7C, 0xFC]] = np.inf, -np.inf
        values[[0x7D, 0x7E, 0x7F, 0xFD, 0xFE, 0xFF]] = np.nan
    return values


def _decode(name: str, bits: Lanes) -> Lanes:
    """Bit patterns as numbers."""
    if name == "f64" or name[0] in "ub":
        if name == "bf16":
            return (bits.astype(np.uint32) << np.uint32(16)).view(np.float32).astype(np.float64)
        return bits if name == "f64" else bits.astype(np.int64)
    if name in _SMALL:
        return _small_values(name)[bits]
    if name == "e2m1x2":
        middle: Lanes = _small_values("e2m1")[bits << 2]
        return middle
    if name == "f16":
        return bits.astype(np.uint16).view(np.float16).astype(np.float64)
    if name[0] == "s":
        above = 64 - int(name[1:])
        return bits.astype(np.int64) << above >> above
    kept = bits & np.uint32(0xFFFFE000) if name == "tf32" else bits
    return kept.view(np.float32).astype(np.float64)


def _split(registers: Lanes, width: int) -> Lanes:
    """Elements of `width` bits along the last axis, the lowest of each register first."""
    whole = registers.dtype.itemsize * 8
    if width == whole:
        return registers
    shifts = np.arange(0, whole, width).astype(registers.dtype)
    mask = registers.dtype.type((1 << width) - 1)
    parts = registers[..., None] >> shifts & mask
    joined: Lanes = parts.reshape(*registers.shape[:-1], -1)
    return joined


@cache
def _index(layout: Callable[..., Fragment], arguments: tuple[int, ...]) -> Lanes:
    """Tile, row and column of each lane's elements."""
    return np.moveaxis(np.array(layout(*arguments).cells), -1, 0)


class Layout:
    """A fragment as numpy indices. `name`: the type of an element."""

    def __init__(self, name: str, layout: Callable[..., Fragment], *arguments: int) -> None:
        fragment = layout(*arguments)
        self.name = name
        self._shape = (fragment.tiles, fragment.rows, fragment.columns)
        self._where = tuple(_index(layout, arguments))

    def matrices(self, registers: Sequence[Lanes]) -> Lanes:
        """One stack of tiles a warp, of registers that have an element a thread slot."""
        together = np.stack(registers, axis=-1)
        elements = _split(together, STORED_BITS[self.name]).reshape(-1, *self._where[0].shape)
        decoded = _decode(self.name, elements)
        result = np.zeros((len(decoded), *self._shape), decoded.dtype)
        result[(slice(None), *self._where)] = decoded
        return result

    def registers(self, matrices: Lanes) -> list[Lanes]:
        """The way back, from bit patterns of the element's width."""
        elements = matrices[(slice(None), *self._where)].reshape(-1, self._where[0].shape[1])
        if STORED_BITS[self.name] == 16:
            elements = np.ascontiguousarray(elements.astype(np.uint16)).view(np.uint32)
        assert len(elements) % LANES == 0
        return [np.ascontiguousarray(elements[:, i]) for i in range(elements.shape[1])]


def encode(name: str, values: Lanes) -> Lanes:
    """Numbers as bit patterns, rounded to nearest; integers must fit."""
    if name == "s32":
        return (values & 0xFFFFFFFF).astype(np.uint32)
    with np.errstate(over="ignore", invalid="ignore"):
        rounded = values.astype(np.float16 if name == "f16" else np.float32)
    width = rounded.dtype.itemsize * 8
    bits = rounded.view(np.uint16 if width == 16 else np.uint32)
    return np.where(np.isnan(rounded), bits.dtype.type(_CANONICAL[width]), bits)
