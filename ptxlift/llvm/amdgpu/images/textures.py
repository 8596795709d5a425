"""Lowerings of `texture` and `texture_gather`.

The instruction wraps and filters. What it does otherwise than CUDA is done before it: it rounds a
coordinate to 1/256 of a texel also where it takes the nearest one, so it gets that texel's middle
(ROCm's device library moves it likewise); repeating coordinates are brought into one period
exactly. Integer coordinates name a texel; outside of the image PTX has zeros, but still ones in an
alpha channel that the format lacks.
"""

from __future__ import annotations

from collections.abc import Sequence

from ptxlift.ir.attributes import Number
from ptxlift.ir.core import Op, Value
from ptxlift.ir.images import Geometry, Lod
from ptxlift.llvm.amdgpu.emitter import Emitter
from ptxlift.llvm.amdgpu.images.faces import face_of
from ptxlift.llvm.amdgpu.images.words import RESOURCE, SAMPLER, ObjectWords, dimension
from ptxlift.llvm.amdgpu.registry import lowers
from ptxlift.llvm.floats import FLOAT
from ptxlift.records import dataclass, replace
from ptxlift.semantics.images.textures import TextureForm
from ptxlift.target import Feature
from ptxlift.target.image_words import Clamp, ImageType, Select

_TEXEL = "<4 x float>"
_FLOOR = "float @llvm.floor.f32(float)"
_FMA = "float @llvm.fma.f32(float, float, float)"
_MINIMUM = "float @llvm.minnum.f32(float, float)"
_RECIPROCAL = "float @llvm.amdgcn.rcp.f32(float)"
_UMIN = "i32 @llvm.umin.i32(i32, i32)"
_SMIN = "i32 @llvm.smin.i32(i32, i32)"
_SMAX = "i32 @llvm.smax.i32(i32, i32)"
_UMAX = "i32 @llvm.umax.i32(i32, i32)"
_FACE_STRIDE = "8.0"
_BUFFER_LOAD = (
    "<4 x float> @llvm.amdgcn.struct.buffer.load.format.v4f32(<4 x i32>, i32, i32, i32, i32)"
)
_OFFSET_MASK, _OFFSET_BITS = 63, 8
_GATHERED = ((0, 1), (1, 1), (1, 0), (0, 0))  # the texels of a gather, (x, y)


@dataclass(frozen=True, slots=True)
class Axis:
    """A coordinate in f32, and the size of its axis, 1.0 where coordinates count texels."""

    coordinate: str
    size: str
    texels: str  # the size in any case
    is_face: bool
    step: str = ""  # texels to add, where the instruction cannot


class Fetch:
    """One op: its objects and its operands by what they are."""

    def __init__(self, e: Emitter, op: Op, form: TextureForm) -> None:
        self.e, self.op, self.form = e, op, form
        self.dimension = dimension(e, op, form.geometry)
        self.image = ObjectWords(e, op.operands[0])
        same = op.operands[0] is op.operands[1]
        self.sampler = self.image if same else ObjectWords(e, op.operands[1])
        parts: list[Sequence[Value]] = []
        at = 2
        for count in form.shape():
            parts.append(op.operands[at : at + count])
            at += count
        self.layer, _, self.coordinates, self.lods, self.offsets = parts
        self.gradients: list[str] = []

    # ---- places ----

    def axes(self) -> tuple[list[Axis], list[str]]:
        """The coordinates that are filtered, and what follows them in the address: layer, face."""
        e, geometry = self.e, self.form.geometry
        given = [e.real(value, FLOAT) for value in self.coordinates]
        after = [self._layer()] if geometry.has_layer else []
        if geometry.is_cube:
            given, after = self._face(given, after)
        elif self.form.lod is Lod.GRADIENT:
            self.gradients = [e.real(value, FLOAT) for value in self.lods]
        axes = []
        for number, coordinate in enumerate(given):
            size = self.image.sizes(geometry)[number]
            texels = e.let(f"uitofp i32 {size} to float")
            scale = texels
            if not geometry.is_cube:
                counts = self.sampler.sampler_flag("unnormalized")
                scale = e.let(f"select i1 {counts}, float 1.0, float {texels}")
                coordinate = self._in_period(coordinate, number)
            axes.append(Axis(coordinate, scale, texels, geometry.is_cube))
        return axes, after

    def _layer(self) -> str:
        """The layer as a float; it is unsigned and kept to those that there are."""
        e = self.e
        last = e.let(f"sub i32 {self.image.layers(self.form.geometry)}, 1")
        kept = e.let(e.call(_UMIN, e.bits(self.layer[0]), last))
        return e.let(f"uitofp i32 {kept} to float")

    def _face(self, direction: list[str], layer: list[str]) -> tuple[list[str], list[str]]:
        """A direction as the place on a face, from 0 to 1, and 8 * layer + face."""
        e, found = self.e, face_of(self.e, direction)
        if self.form.lod is Lod.GRADIENT:
            given = [e.real(value, FLOAT) for value in self.lods]
            half = len(given) // 2
            self.gradients = [
                step for part in (given[:half], given[half:]) for step in found.steps(e, part)
            ]
        face = e.let(e.call(_FMA, layer[0], _FACE_STRIDE, found.number)) if layer else found.number
        return found.places(e), [face]

    def _in_period(self, coordinate: str, number: int) -> str:
        """Without whole images, or pairs of them, where these repeat."""
        e = self.e
        clamp = self.sampler.sampler_field(f"clamp_{'xyz'[number]}")
        mirrors = e.let(f"icmp eq i32 {clamp}, {Clamp.MIRROR.value}")
        repeats = e.let(f"icmp ule i32 {clamp}, {Clamp.MIRROR.value}")
        scale = e.let(f"select i1 {mirrors}, float 0.5, float 1.0")
        period = e.let(f"select i1 {mirrors}, float -2.0, float -1.0")
        count = e.let(e.call(_FLOOR, e.let(f"fmul float {coordinate}, {scale}")))
        rest = e.let(e.call(_FMA, count, period, coordinate))
        return e.let(f"select i1 {repeats}, float {rest}, float {coordinate}")

    def at_texel(self, axis: Axis, shift: str, middle: str) -> str:
        """The coordinate of `floor(texels - shift) + middle`."""
        e = self.e
        moved = e.let(f"fsub float {e.let(f'fmul float {axis.coordinate}, {axis.size}')}, {shift}")
        texel = e.let(e.call(_FLOOR, moved))
        if axis.step:
            texel = e.let(f"fadd float {texel}, {axis.step}")
        if axis.is_face and shift == "0.0":  # the far edge belongs to the last texel
            texel = e.let(e.call(_MINIMUM, texel, e.let(f"fsub float {axis.texels}, 1.0")))
        inner = e.let(f"fadd float {texel}, {middle}")
        return e.let(f"fmul float {inner}, {e.let(e.call(_RECIPROCAL, axis.size))}")

    def with_steps(self, axes: list[Axis]) -> list[Axis]:
        """With offsets noted, for chips whose instruction has none."""
        if not self.offsets:
            return axes
        pairs = zip(axes, self.offsets, strict=True)
        return [
            replace(axis, step=self.e.let(f"sitofp i32 {self.e.bits(offset)} to float"))
            for axis, offset in pairs
        ]

    def stepped(self, axis: Axis) -> str:
        """The coordinate with the offset added."""
        if not axis.step:
            return axis.coordinate
        place = self.e.let(self.e.call(_FMA, axis.coordinate, axis.size, axis.step))
        return self.e.let(f"fdiv float {place}, {axis.size}")

    def packed_offsets(self) -> list[str]:
        """Offsets as the instruction takes them, 6 bits each."""
        if not self.offsets:
            return []
        e, packed = self.e, "0"
        for number, offset in enumerate(self.offsets):
            part = e.let(f"and i32 {e.bits(offset)}, {_OFFSET_MASK}")
            part = e.let(f"shl i32 {part}, {_OFFSET_BITS * number}")
            packed = e.let(f"or i32 {packed}, {part}")
        return [packed]

    # ---- instructions ----

    def sample(self, operation: str, address: Sequence[tuple[str, str]], dmask: int = 15) -> str:
        """The sampling instruction; `address`: types and values in its order."""
        types = ", ".join(type for type, _ in address)
        kind = ".f32" if ".d" in operation else ""
        name = f"llvm.amdgcn.image.{operation}.{self.dimension}.v4f32{kind}.f32.v8i32.v4i32"
        text = f"{_TEXEL} @{name}(i32, {types}, {RESOURCE}, {SAMPLER}, i1, i32, i32)"
        values = [value for _, value in address]
        return self.e.let(
            self.e.call(
                text, str(dmask), *values, self.image.resource, self.sampler.sampler,
                "false", "0", "0",
            )
        )  # fmt: skip

    def give(self, channels: Sequence[str]) -> None:
        """The op's results, from floats."""
        for result, channel in zip(self.op.results, channels, strict=True):
            self.e.set_bits(result, f"bitcast float {channel} to i32")


def _channels(e: Emitter, texel: str, type: str = _TEXEL) -> list[str]:
    return [e.let(f"extractelement {type} {texel}, i32 {channel}") for channel in range(4)]


def _floats(values: Sequence[str]) -> list[tuple[str, str]]:
    return [("float", value) for value in values]


def _on_faces(e: Emitter, axes: Sequence[Axis], places: Sequence[str]) -> list[str]:
    """Coordinates of a cube's face run from 1 to 2."""
    pairs = zip(axes, places, strict=True)
    return [e.let(f"fadd float {place}, 1.0") if axis.is_face else place for axis, place in pairs]


@lowers("texture")
def _texture(e: Emitter, op: Op) -> None:
    geometry, number, lod, offset = op.attrs
    assert isinstance(geometry, Geometry) and isinstance(number, Number) and isinstance(lod, Lod)
    fetch = Fetch(e, op, TextureForm(geometry, number, lod, bool(offset)))
    if number is Number.SIGNED:
        _fetch_texel(fetch)
    else:
        _filter(fetch)


def _filter(fetch: Fetch) -> None:
    e = fetch.e
    extended = e.context.has(Feature.IMAGE_EXTENDED)
    axes, after = fetch.axes()
    if not extended:
        axes = fetch.with_steps(axes)
    linear = fetch.sampler.sampler_flag("magnify")
    places = []
    for axis in axes:
        middle = fetch.at_texel(axis, "0.0", "0.5")
        chosen = f"select i1 {linear}, float {fetch.stepped(axis)}, float {middle}"
        places.append(e.let(chosen))
    places = [*_on_faces(e, axes, places), *after]
    fetch.give(_channels(e, _sampled(fetch, places)))


def _sampled(fetch: Fetch, places: Sequence[str]) -> str:
    e, form = fetch.e, fetch.form
    if not e.context.has(Feature.IMAGE_EXTENDED):  # its images have one level, as HIP makes them
        return fetch.sample("sample", _floats(places))
    suffix = {Lod.BASE: "lz", Lod.LEVEL: "l", Lod.GRADIENT: "d"}[form.lod]
    offsets = [("i32", packed) for packed in fetch.packed_offsets()]
    level = [e.real(value, FLOAT) for value in fetch.lods if form.lod is Lod.LEVEL]
    operation = f"sample.{suffix}{'.o' if offsets else ''}"
    return fetch.sample(operation, [*offsets, *_floats([*fetch.gradients, *places, *level])])


# ---- integer coordinates


def _fetch_texel(fetch: Fetch) -> None:
    """The texel at integer coordinates, read where there is one in any case."""
    e, geometry = fetch.e, fetch.form.geometry
    level = _level(fetch) if fetch.form.lod is Lod.LEVEL else None
    indices, inside = [], "true"
    sizes = fetch.image.sizes(geometry)
    for number, value in enumerate(fetch.coordinates):
        size, index = sizes[number], e.bits(value)
        if level is not None:
            shrunk = e.let(f"lshr i32 {size}, {level}")
            size = e.let(e.call(_UMAX, shrunk, "1"))
        if fetch.offsets:
            index = e.let(f"add i32 {index}, {e.bits(fetch.offsets[number])}")
        is_there = e.let(f"icmp ult i32 {index}, {size}")
        inside = e.let(f"and i1 {inside}, {is_there}")
        last = e.let(f"sub i32 {size}, 1")
        indices.append(e.let(e.call(_UMIN, index, last)))
    if geometry.has_layer:
        last = e.let(f"sub i32 {fetch.image.depth}, 1")
        indices.append(e.let(e.call(_UMIN, e.bits(fetch.layer[0]), last)))
    if level is not None:
        indices.append(level)
    word = "load" if level is None else "load.mip"
    if geometry is Geometry.D1 and level is None:
        texel = _linear_texel(fetch, indices)
    else:
        texel = load_texel(e, word, fetch.dimension, fetch.image.resource, indices)
    ones = e.let(f"icmp eq i32 {fetch.image.field('select_w')}, {Select.ONE.value}")
    kept = [inside] * 3 + [e.let(f"or i1 {inside}, {ones}")]
    channels = _channels(e, texel, "<4 x i32>")
    for result, condition, channel in zip(fetch.op.results, kept, channels, strict=True):
        e.set_bits(result, f"select i1 {condition}, i32 {channel}, i32 0")


def _linear_texel(fetch: Fetch, indices: Sequence[str]) -> str:
    """A texel of one dimension. HIP's textures of linear memory are buffers, whose resources have 0
    where the type of an image is 8 or more.
    """
    e, image = fetch.e, fetch.image
    type = image.field("type")
    is_image = e.let(f"icmp uge i32 {type}, {ImageType.D1.value}")
    of_image, of_buffer, after = (e.fresh(word) for word in ("image", "buffer", "texel"))
    e.do(f"br i1 {is_image}, label %{of_image}, label %{of_buffer}")
    e.start_block(of_image)
    first = load_texel(e, "load", fetch.dimension, image.resource, indices)
    e.do(f"br label %{after}")
    e.start_block(of_buffer)
    whole = e.let(
        f"shufflevector {RESOURCE} {image.resource}, {RESOURCE} poison,"
        " <4 x i32> <i32 0, i32 1, i32 2, i32 3>"
    )
    real = e.let(e.call(_BUFFER_LOAD, whole, indices[0], "0", "0", "0"))
    second = e.let(f"bitcast {_TEXEL} {real} to <4 x i32>")
    e.do(f"br label %{after}")
    e.start_block(after)
    return e.let(f"phi <4 x i32> [ {first}, %{of_image} ], [ {second}, %{of_buffer} ]")


def _level(fetch: Fetch) -> str:
    """The level, kept to those that the image has."""
    e = fetch.e
    last = e.let(f"sub i32 {fetch.image.levels}, 1")
    wanted = e.let(e.call(_SMAX, e.bits(fetch.lods[0]), "0"))
    return e.let(e.call(_SMIN, wanted, last))


def load_texel(e: Emitter, word: str, dimension: str, resource: str, indices: Sequence[str]) -> str:
    """All four channels of a texel."""
    types = ", ".join("i32" for _ in indices)
    name = f"llvm.amdgcn.image.{word}.{dimension}.v4i32.i32.v8i32"
    text = f"<4 x i32> @{name}(i32, {types}, {RESOURCE}, i32, i32)"
    return e.let(e.call(text, "15", *indices, resource, "0", "0"))


# ---- gathers


@lowers("texture_gather")
def _gather(e: Emitter, op: Op) -> None:
    """The four texels around a corner; the instruction gets the corner itself."""
    geometry, component, offset = op.attrs
    assert isinstance(geometry, Geometry) and isinstance(component, int)
    fetch = Fetch(e, op, TextureForm(geometry, offset=bool(offset)))
    axes, after = fetch.axes()
    if e.context.has(Feature.IMAGE_EXTENDED):
        places = [fetch.at_texel(axis, "0.5", "1.0") for axis in axes]
        offsets = [("i32", packed) for packed in fetch.packed_offsets()]
        operation = f"gather4.lz{'.o' if offsets else ''}"
        address = [*offsets, *_floats([*_on_faces(e, axes, places), *after])]
        fetch.give(_channels(e, fetch.sample(operation, address, 1 << component)))
        return
    axes = fetch.with_steps(axes)
    found = []
    for steps in _GATHERED:
        places = [
            fetch.at_texel(axis, "0.5", "1.5" if step else "0.5")
            for axis, step in zip(axes, steps, strict=True)
        ]
        texel = fetch.sample("sample", _floats([*_on_faces(e, axes, places), *after]))
        found.append(e.let(f"extractelement {_TEXEL} {texel}, i32 {component}"))
    fetch.give(found)
