"""`tex` and `tld4`: a fetch from one image through one sampler.

Texture Instructions: tex, tld4. Coordinates that are integers name a texel and take no part in
filters and address modes; outside of the image they give
zeros. `ir.images` has the order of operands.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Generic, TypeVar

from ptxlift.ir.attributes import Number
from ptxlift.ir.images import Geometry, Lod
from ptxlift.records import dataclass
from ptxlift.semantics.images.axes import Pair, Sampling, sampling_of, texels_of
from ptxlift.semantics.images.cubes import Face, face_of
from ptxlift.semantics.images.levels import LevelPair, levels_at, lod_of_gradients
from ptxlift.semantics.images.machine import ImageMachine
from ptxlift.semantics.images.objects import (
    ImageObject,
    Level,
    base_level,
    inside,
    layer_of,
    level_at,
)
from ptxlift.semantics.images.texels import CHANNELS, Texels, is_filtered
from ptxlift.target.image_object import SamplerPart

V = TypeVar("V")
_FACES = 6


@dataclass(frozen=True, slots=True)
class TextureForm:
    """The attributes of an op `texture`."""

    geometry: Geometry
    number: Number = Number.F32  # of the coordinates: F32 or SIGNED
    lod: Lod = Lod.BASE
    offset: bool = False

    def shape(self) -> list[int]:
        """How many operands are the layer, the sample, the coordinates, the level or gradients,
        and the offsets.
        """
        geometry = self.geometry
        levels = {Lod.BASE: 0, Lod.LEVEL: 1, Lod.GRADIENT: 2 * geometry.coordinates}[self.lod]
        offsets = geometry.dimensions if self.offset else 0
        return [
            geometry.has_layer, geometry.has_sample, geometry.coordinates, levels, offsets,
        ]  # fmt: skip


def texture(
    machine: ImageMachine[V], form: TextureForm, objects: tuple[V, V], operands: Sequence[V]
) -> list[V]:
    """The four channels. `objects`: of texture and sampler; `operands`: those behind them."""
    fetch = _Fetch(machine, form, objects, operands)
    if form.number is Number.SIGNED:
        return fetch.texel()
    return fetch.sample()


def gather(
    machine: ImageMachine[V],
    form: TextureForm,
    component: int,
    objects: tuple[V, V],
    operands: Sequence[V],
) -> list[V]:
    """One channel of the four texels around a place, counter-clockwise from the lower left."""
    return _Fetch(machine, form, objects, operands, (component,)).gather()


def _split(operands: Sequence[V], shape: Sequence[int]) -> list[Sequence[V]]:
    parts, at = [], 0
    for count in shape:
        parts.append(operands[at : at + count])
        at += count
    assert at == len(operands), f"{len(operands)} operands, not {at}"
    return parts


class _Fetch(Generic[V]):
    """One op at work."""

    def __init__(
        self,
        machine: ImageMachine[V],
        form: TextureForm,
        objects: tuple[V, V],
        operands: Sequence[V],
        channels: Sequence[int] = range(CHANNELS),
    ) -> None:
        self.machine = machine
        self.form = form
        self.image = ImageObject(machine, objects[0])
        unified = objects[0] is objects[1]
        self.sampler = self.image if unified else ImageObject(machine, objects[1])
        self.math = self.image.math
        self.texels = Texels(self.image, channels)
        parts = _split(operands, form.shape())
        self.layer, self.samples, self.coordinates, self.lods, self.offsets = parts

    # ---- what is chosen before the coordinates ----

    def _plane(self, face: Face[V] | None = None) -> V | None:
        """The number of the layer, face or sample among all slices."""
        math, geometry = self.math, self.form.geometry
        plane = layer_of(self.image, self.layer[0]) if geometry.has_layer else None
        if geometry.has_sample:
            last = math.a.sub(self.image.samples, math.number(1))
            plane = self._inner(plane, self.image.samples, math.a.umin(self.samples[0], last))
        if face is not None:
            plane = self._inner(plane, math.number(_FACES), face.number)
        return plane

    def _inner(self, outer: V | None, count: V, inner: V) -> V:
        if outer is None:
            return inner
        return self.math.a.add(self.math.a.mul(outer, count), inner)

    # ---- integer coordinates ----

    def texel(self) -> list[V]:
        """The texel that integer coordinates name."""
        math = self.math
        level = base_level(self.image)
        if self.form.lod is Lod.LEVEL:
            level = level_at(self.image, math.clamped(self.lods[0], self.image.levels))
        coordinates = list(self.coordinates)
        if self.offsets:
            coordinates = math.each(math.a.add, coordinates, self.offsets)
        is_there = math.number(1, 1)
        indices = []
        for index, size in zip(coordinates, level.sizes, strict=False):
            is_there = math.both(is_there, inside(math, index, size))
            indices.append(math.clamped(index, size))
        x, y, z = (*indices, *[math.number(0)] * 2)[:3]
        row = self.texels.row(level, y, z, self._plane())
        (values,) = self.texels.read([self.texels.place(row, x)])
        zeros = [math.number(0)] * CHANNELS
        return self.texels.completed(math.chosen(is_there, values, zeros))

    # ---- filters ----

    def sample(self) -> list[V]:
        """The texels around a place, weighted."""
        math = self.math
        wants_filter = self.sampler.sampler_flag(SamplerPart.LINEAR)
        linear = math.both(wants_filter, is_filtered(self.image))
        sampling = sampling_of(self.sampler, linear, self.form.geometry.is_cube)
        half = len(self.lods) // 2
        gradients: Sequence[Sequence[V]] = (self.lods[:half], self.lods[half:]) if half else ()
        face, place = None, self.coordinates
        if self.form.geometry.is_cube:
            face = face_of(math, self.coordinates, gradients)
            place, gradients = face.place, face.gradients
        read = partial(self._filtered, sampling, place, self._plane(face))
        match self.form.lod:
            case Lod.BASE:
                values = read(base_level(self.image))
            case Lod.LEVEL:
                values = self._between_levels(read, self.lods[0])
            case Lod.GRADIENT:
                lod = lod_of_gradients(self.image, sampling.normalized, *gradients)
                values = self._between_levels(read, lod)
        return self.texels.completed(values)

    def _between_levels(self, read: partial[list[V]], lod: V) -> list[V]:
        pair: LevelPair[V] = levels_at(self.image, self.sampler, lod)
        first = read(level_at(self.image, pair.first))

        def blended() -> list[V]:
            second = read(level_at(self.image, pair.second))
            return self._blended(first, second, pair.weight)

        return list(self.machine.either(pair.blends, blended, lambda: first))

    def _blended(self, left: Sequence[V], right: Sequence[V], weight: V) -> list[V]:
        pairs = zip(left, right, strict=True)
        return [self.math.weighted(a, b, weight) for a, b in pairs]

    def _axes(self, sampling: Sampling[V], place: Sequence[V], level: Level[V]) -> list[Pair[V]]:
        return [
            texels_of(
                sampling, axis, coordinate, level.sizes[axis],
                self.offsets[axis] if self.offsets else None,
            )
            for axis, coordinate in enumerate(place)
        ]  # fmt: skip

    def _filtered(
        self, sampling: Sampling[V], place: Sequence[V], plane: V | None, level: Level[V]
    ) -> list[V]:
        """The channels at a place of one level."""
        axes = self._axes(sampling, place, level)

        def one() -> list[V]:
            return self._corners(level, axes, plane, 1)[0]

        def weighted() -> list[V]:
            corners = self._corners(level, axes, plane, 2)
            for axis in axes:  # x first: neighbours along it stand side by side
                pairs = zip(corners[::2], corners[1::2], strict=True)
                corners = [self._blended(left, right, axis.weight) for left, right in pairs]
            return corners[0]

        return list(self.machine.either(sampling.linear, weighted, one))

    def _corners(
        self, level: Level[V], axes: Sequence[Pair[V]], plane: V | None, count: int
    ) -> list[list[V]]:
        """The first `count` texels of each axis, x fastest; those of the border are its colour."""
        math = self.math
        zero, there = math.number(0), math.number(1, 1)
        missing = Pair((zero, zero), zero, (there, there))
        x, y, z = (*axes, missing, missing)[:3]
        places, inner = [], []
        for k in range(count if len(axes) > 2 else 1):
            for j in range(count if len(axes) > 1 else 1):
                row = self.texels.row(level, y.indices[j], z.indices[k], plane)
                row_is_there = math.both(y.is_there[j], z.is_there[k])
                for i in range(count):
                    places.append(self.texels.place(row, x.indices[i]))
                    inner.append(math.both(x.is_there[i], row_is_there))
        border = [self.sampler.border[channel] for channel in self.texels.wanted]
        found = self.texels.read(places)
        return [
            math.chosen(condition, values, border)
            for condition, values in zip(inner, found, strict=True)
        ]

    def gather(self) -> list[V]:
        """The wanted channel of four texels."""
        math = self.math
        linear = math.number(1, 1)
        sampling = sampling_of(self.sampler, linear, self.form.geometry.is_cube)
        face = face_of(math, self.coordinates) if self.form.geometry.is_cube else None
        place = self.coordinates if face is None else face.place
        level = base_level(self.image)
        corners = self._corners(level, self._axes(sampling, place, level), self._plane(face), 2)
        upper_left, upper_right, lower_left, lower_right = corners
        order = (lower_left, lower_right, upper_right, upper_left)
        return [self.texels.completed(values)[0] for values in order]
