"""Which level of a mipmap a fetch reads: given, or from gradients.

The level is bent by the sampler's bias, kept within its bounds and the image's levels. Without a
filter between levels the nearest one is read, with it the two around, by weights of 8 bits.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Generic, TypeVar

from ptxlift.ir.attributes import Approximation, Format, Rounding
from ptxlift.records import dataclass
from ptxlift.semantics.images.objects import ImageObject
from ptxlift.target.image_object import Field, SamplerPart

V = TypeVar("V")


@dataclass(frozen=True, slots=True)
class LevelPair(Generic[V]):
    """Two levels, equal without a filter between them. `weight`: of the second, f32."""

    first: V
    second: V
    weight: V
    blends: V  # whether the second one counts


def levels_at(image: ImageObject[V], sampler: ImageObject[V], lod: V) -> LevelPair[V]:
    """The levels of a level of detail, an f32."""
    math = image.math
    last = math.a.sub(image.levels, math.number(1))
    lod = math.fadd(lod, sampler.field(Field.LOD_BIAS))
    lod = math.fmax(math.fmin(lod, sampler.field(Field.MAX_LOD)), sampler.field(Field.MIN_LOD))
    lod = math.fmax(math.fmin(lod, math.to_float(last, signed=True)), math.real(0.0))
    floor = math.ffloor(lod)
    linear = sampler.sampler_flag(SamplerPart.LINEAR_LEVELS)
    nearest = math.to_int(math.fadd(lod, math.real(0.5)), Rounding.RM)
    below = math.to_int(floor, Rounding.RM)
    first = math.a.umin(math.a.select(linear, below, nearest), last)
    second = math.a.umin(math.a.add(first, math.a.zext(linear, 32)), last)
    blends = math.both(linear, math.below(first, second))
    return LevelPair(first, second, math.fraction(lod, floor), blends)


def lod_of_gradients(
    image: ImageObject[V], normalized: V, across: Sequence[V], down: Sequence[V]
) -> V:
    """log2 of the longer of the two steps in texels, squared and halved."""
    math = image.math
    sizes = (Field.WIDTH, Field.HEIGHT, Field.DEPTH)
    scales = [
        math.a.select(normalized, math.to_float(image.field(size), signed=False), math.real(1.0))
        for size in sizes[: len(across)]
    ]
    lengths = []
    for gradient in (across, down):
        total = math.real(0.0)
        for part, scale in zip(gradient, scales, strict=True):
            texels = math.fmul(part, scale)
            total = math.ffma(texels, texels, total)
        lengths.append(total)
    longest = math.fmax(lengths[0], lengths[1])
    log = math.a.fapprox(longest, Approximation.LG2, Format.F32, False)
    return math.fmul(log, math.real(0.5))
