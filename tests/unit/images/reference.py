"""Texture fetches worked out one number at a time, from the formulas of NVIDIA's manuals.

CUDA C++ Programming Guide, "Texture Fetching" and "Cubemap Textures"; PTX ISA, tex and tld4. Sums
are in double precision: with texels that are small integers and weights of eighths of bits no
rounding happens in f32 either.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
Texel = tuple[float, ...]


def address(index: int, size: int, mode: str) -> int | None:
    """Which texel of an axis an index means; None: the border."""
    match mode:
        case "clamp":
            return min(max(index, 0), size - 1)
        case "border":
            return index if 0 <= index < size else None
        case "wrap":
            return index % size
        case _:
            folded = index % (2 * size)
            return min(folded, 2 * size - 1 - folded)


def weight(x: float) -> float:
    """The fraction in 1.8 fixed point."""
    return math.floor((x - math.floor(x)) * 256 + 0.5) / 256


def in_texels(coordinate: float, size: int, mode: str, normalized: bool) -> float:
    """N times the normalised coordinate; where the image repeats, of its fraction. f32 sums."""
    if not normalized:
        return float(coordinate)
    value = np.float32(coordinate)
    if mode == "wrap":
        value = value - np.floor(value)
    if mode == "mirror":
        value = value - np.float32(2) * np.floor(value * np.float32(0.5))
    return float(value * np.float32(size))


class Reference:
    """One plane or volume: an array of texels by (z, y, x) or (y, x) or (x,), channels last."""

    def __init__(
        self,
        texels: Array,
        modes: Sequence[str] = ("clamp",) * 3,
        linear: bool = False,
        normalized: bool = False,
        border: Texel = (0.0,) * 4,
    ) -> None:
        self.texels = texels.astype(np.float64)
        self.modes = modes
        self.linear = linear
        self.normalized = normalized
        self.border = np.array(border, np.float64)

    @property
    def sizes(self) -> tuple[int, ...]:
        """x first."""
        return tuple(reversed(self.texels.shape[:-1]))

    def _texel(self, indices: Sequence[int]) -> Array:
        places = [
            address(index, size, mode)
            for index, size, mode in zip(indices, self.sizes, self.modes, strict=False)
        ]
        if any(place is None for place in places):
            return self.border[: self.texels.shape[-1]]
        return self.texels[tuple(reversed(places))]

    def _positions(self, coordinates: Sequence[float]) -> list[float]:
        return [
            in_texels(c, size, mode, self.normalized)
            for c, size, mode in zip(coordinates, self.sizes, self.modes, strict=False)
        ]

    def fetch(self, coordinates: Sequence[float], offsets: Sequence[int] = (0, 0, 0)) -> Array:
        """The channels at a place, x first."""
        positions = self._positions(coordinates)
        if not self.linear:
            return self._texel(
                [math.floor(x) + o for x, o in zip(positions, offsets, strict=False)]
            )
        total = np.zeros(self.texels.shape[-1])
        shifted = [x - 0.5 for x in positions]
        for corner in product((0, 1), repeat=len(positions)):
            share = 1.0
            indices = []
            for x, step, offset in zip(shifted, corner, offsets, strict=False):
                share *= weight(x) if step else 1 - weight(x)
                indices.append(math.floor(x) + step + offset)
            total = total + share * self._texel(indices)
        return total

    def gather(self, coordinates: Sequence[float], channel: int) -> list[float]:
        """Of the four texels that a linear filter would read, counter-clockwise from the lower
        left.
        """
        x, y = (math.floor(position - 0.5) for position in self._positions(coordinates))
        corners = ((x, y + 1), (x + 1, y + 1), (x + 1, y), (x, y))
        return [float(self._texel(corner)[channel]) for corner in corners]


def face(x: float, y: float, z: float) -> tuple[int, float, float]:
    """Face and place, by the guide's table; the largest component is meant to be the only one."""
    largest = max(abs(x), abs(y), abs(z))
    if abs(x) == largest:
        number, m, s, t = (0, x, -z, -y) if x >= 0 else (1, -x, z, -y)
    elif abs(y) == largest:
        number, m, s, t = (2, y, x, z) if y >= 0 else (3, -y, x, -z)
    else:
        number, m, s, t = (4, z, x, -y) if z >= 0 else (5, -z, -x, -y)
    return number, (s / m + 1) / 2, (t / m + 1) / 2
