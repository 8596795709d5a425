"""From a coordinate to the two texels of one axis, with what is outside of the image.

CUDA C++ Programming Guide, "Texture Fetching". Nearest: texel floor(x). Linear: x - 0.5 lies
between two texels, whose weights have 8 bits of fraction. Wrap repeats the image; mirror does so
with every second one turned around; both take normalised coordinates only and clamp others.
"""

from __future__ import annotations

from typing import Generic, TypeVar

from ptxlift.ir.attributes import IntPredicate, Rounding
from ptxlift.records import dataclass
from ptxlift.semantics.images.arithmetic import Arithmetic
from ptxlift.semantics.images.objects import ImageObject, inside
from ptxlift.target.image_object import AddressMode, SamplerPart

V = TypeVar("V")
_FAR = (1 << 30) - 1  # texels; no image is so large
_MOST_OFFSET_PERIODS = 16  # offsets are -8 .. 7 and a period at least one texel


@dataclass(frozen=True, slots=True)
class Pair(Generic[V]):
    """The two texels of an axis, equal without a filter. `weight`: of the second, f32; `is_there`:
    whether each is a texel of the image, not the border.
    """

    indices: tuple[V, V]
    weight: V
    is_there: tuple[V, V]


@dataclass(frozen=True, slots=True)
class Sampling(Generic[V]):
    """What all axes of one fetch share."""

    sampler: ImageObject[V]
    normalized: V
    linear: V  # whether the two texels differ; all ones for a gather
    clamps: bool = False  # faces of cubes have edges, whatever the sampler says


def sampling_of(sampler: ImageObject[V], linear: V, clamps: bool) -> Sampling[V]:
    """The axes' part of a sampler; faces have normalised coordinates."""
    math = sampler.math
    if clamps:
        return Sampling(sampler, math.number(1, 1), linear, clamps)
    counts = sampler.sampler_flag(SamplerPart.UNNORMALIZED)
    return Sampling(sampler, math.neither(counts), linear, clamps)


def texels_of(
    sampling: Sampling[V], axis: int, coordinate: V, size: V, offset: V | None
) -> Pair[V]:
    """The texels of one axis. `coordinate`: f32; `offset`: in texels."""
    math = sampling.sampler.math
    if sampling.clamps:
        folds: tuple[V, V] | None = None
    else:
        wraps = sampling.sampler.has_mode(axis, AddressMode.WRAP)
        mirrors = sampling.sampler.has_mode(axis, AddressMode.MIRROR)
        folds = math.both(wraps, sampling.normalized), math.both(mirrors, sampling.normalized)
    position = _position(math, sampling, coordinate, size, folds)
    half = math.a.select(sampling.linear, math.real(0.5), math.real(0.0))
    position = math.fsub(position, half)
    floor = math.ffloor(position)
    first = _near(math, math.to_int(floor, Rounding.RM))
    if offset is not None:
        first = math.a.add(first, offset)
    second = math.a.add(first, math.a.zext(sampling.linear, 32))
    weight = math.a.select(sampling.linear, math.fraction(position, floor), math.real(0.0))
    found = [_index(math, index, size, folds, offset is not None) for index in (first, second)]
    there = [_is_there(sampling, axis, index, size) for index in (first, second)]
    return Pair((found[0], found[1]), weight, (there[0], there[1]))


def _position(
    math: Arithmetic[V], sampling: Sampling[V], coordinate: V, size: V, folds: tuple[V, V] | None
) -> V:
    """The coordinate in texels, within one period where the image repeats."""
    if folds is not None:
        wraps, mirrors = folds
        wrapped = math.fsub(coordinate, math.ffloor(coordinate))
        pairs = math.ffloor(math.fmul(coordinate, math.real(0.5)))
        mirrored = math.ffma(pairs, math.real(-2.0), coordinate)
        coordinate = math.a.select(wraps, wrapped, coordinate)
        coordinate = math.a.select(mirrors, mirrored, coordinate)
    scaled = math.fmul(coordinate, math.to_float(size, signed=False))
    return math.a.select(sampling.normalized, scaled, coordinate)


def _near(math: Arithmetic[V], index: V) -> V:
    """An index so far inside the range of integers that small numbers may be added."""
    return math.a.smin(math.a.smax(index, math.number(-_FAR)), math.number(_FAR))


def _index(
    math: Arithmetic[V], index: V, size: V, folds: tuple[V, V] | None, has_offset: bool
) -> V:
    clamped = math.clamped(index, size)
    if folds is None:
        return clamped
    wraps, mirrors = folds
    period = math.a.shl(size, math.a.zext(mirrors, 32))
    if has_offset:
        positive = math.a.add(index, math.a.mul(period, math.number(_MOST_OFFSET_PERIODS)))
        folded = math.a.urem(positive, period)
    else:  # at most one period away
        up = math.a.add(index, period)
        folded = math.a.select(math.negative(index), up, index)
        down = math.a.sub(folded, period)
        beyond = math.a.icmp(folded, period, IntPredicate.SGE)
        folded = math.a.select(beyond, down, folded)
    back = math.a.sub(math.a.sub(period, math.number(1)), folded)
    turned = math.a.umin(folded, back)
    found = math.a.select(wraps, folded, clamped)
    return math.a.select(mirrors, turned, found)


def _is_there(sampling: Sampling[V], axis: int, index: V, size: V) -> V:
    math = sampling.sampler.math
    if sampling.clamps:
        return math.number(1, 1)
    has_border = sampling.sampler.has_mode(axis, AddressMode.BORDER)
    return math.a.or_(math.neither(has_border), inside(math, index, size))
