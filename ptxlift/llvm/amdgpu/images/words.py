"""An object's dwords in registers, and arithmetic on what they say.

Comes in: the address of a HIP object of 20 dwords: 0-7 the image resource, 8 the channel type, 9
the channel order, 10 the width, 12-15 the sampler. Goes out: LLVM values. An object that lanes
disagree on needs nothing here: LLVM loops over the different ones. It must know no op.
"""

from __future__ import annotations

from functools import cached_property

from ptxlift.ir.attributes import Space
from ptxlift.ir.core import Op, Value
from ptxlift.ir.images import Geometry
from ptxlift.llvm.addresses import access
from ptxlift.llvm.amdgpu.emitter import Emitter
from ptxlift.target import Feature
from ptxlift.target.image_words import FAMILIES, Family, Field

RESOURCE = "<8 x i32>"
SAMPLER = "<4 x i32>"
_CHANNEL_TYPE, _CHANNEL_ORDER, _WIDTH, _SAMPLER_AT = 8, 9, 10, 12
_FACES = 6
_INVARIANT = ", align 4, !invariant.load !0"

DIMENSIONS = {
    Geometry.D1: "1d",
    Geometry.D2: "2d",
    Geometry.D3: "3d",
    Geometry.A1D: "1darray",
    Geometry.A2D: "2darray",
    Geometry.CUBE: "cube",
    Geometry.ACUBE: "cube",
}
"""How intrinsics call the geometries; multisampled ones are not translated."""


def dimension(e: Emitter, op: Op, geometry: Geometry) -> str:
    """The intrinsics' word, if this chip and translation have one."""
    if not e.context.has(Feature.IMAGE):
        hint = "translate the kernel that it stands in"
        raise e.error(op, "PTX302", "an image access in an asm statement is not translated", hint)
    if geometry not in DIMENSIONS:
        raise e.error(
            op,
            "PTX302",
            f"multisampled images (.{geometry.word}) are not translated to image instructions",
            "translate for a chip without them, such as gfx942",
        )
    return DIMENSIONS[geometry]


class ObjectWords:
    """One object. Properties are LLVM values, made at the first use: ask for them where the value
    is wanted on every way that follows.
    """

    def __init__(self, e: Emitter, object: Value) -> None:
        self._e = e
        self._pointer, self._type = access(e, object, Space.CONST)
        self._fields: dict[str, str] = {}

    @property
    def family(self) -> Family:
        return FAMILIES[self._e.context.target.generation]

    def _load(self, type: str, dword: int) -> str:
        e = self._e
        place = e.let(f"getelementptr i8, {self._type} {self._pointer}, i32 {4 * dword}")
        return e.let(f"load {type}, {self._type} {place}{_INVARIANT}")

    @cached_property
    def resource(self) -> str:
        return self._load(RESOURCE, 0)

    @cached_property
    def sampler(self) -> str:
        return self._load(SAMPLER, _SAMPLER_AT)

    @cached_property
    def channel_type(self) -> str:
        """ROCm's number: 0-3 normalised, 8-10 signed, 11-13 unsigned, 14 and 15 float."""
        return self._load("i32", _CHANNEL_TYPE)

    @cached_property
    def channel_order(self) -> str:
        """ROCm's number."""
        return self._load("i32", _CHANNEL_ORDER)

    @cached_property
    def width(self) -> str:
        return self._load("i32", _WIDTH)

    @cached_property
    def height(self) -> str:
        return self._one_more("height")

    @cached_property
    def depth(self) -> str:
        """Of a 3D image; of an array its layers, of a cube its faces."""
        return self._one_more("depth")

    @cached_property
    def cubes(self) -> str:
        return self._e.let(f"udiv i32 {self.depth}, {_FACES}")

    @cached_property
    def levels(self) -> str:
        first, last = self.field("base_level"), self._one_more("last_level")
        return self._e.let(f"sub i32 {last}, {first}")

    def sizes(self, geometry: Geometry) -> list[str]:
        """Texels along the coordinates that are filtered."""
        if geometry.dimensions == 1:
            return [self.width]
        return [self.width, self.height, self.depth][: geometry.dimensions]

    def layers(self, geometry: Geometry) -> str:
        """How many layers there are to choose from."""
        return self.cubes if geometry.is_cube else self.depth

    def _one_more(self, name: str) -> str:
        return self._e.let(f"add i32 {self.field(name)}, 1")

    # ---- fields ----

    def field(self, name: str) -> str:
        """A field of the image resource."""
        return self._field(name, self.family.image[name], self.resource, RESOURCE)

    def sampler_field(self, name: str) -> str:
        """A field of the sampler."""
        return self._field(name, self.family.sampler[name], self.sampler, SAMPLER)

    def sampler_flag(self, name: str) -> str:
        """Whether a field of the sampler is not 0."""
        return self._e.let(f"icmp ne i32 {self.sampler_field(name)}, 0")

    def _field(self, name: str, pieces: Field, words: str, type: str) -> str:
        known = self._fields.get(f"{type}{name}")
        if known is not None:
            return known
        e, whole, shift = self._e, "", 0
        for word, low, width in pieces:
            part = e.let(f"extractelement {type} {words}, i32 {word}")
            part = e.let(f"lshr i32 {part}, {low}")
            part = e.let(f"and i32 {part}, {(1 << width) - 1}")
            if whole:
                part = e.let(f"shl i32 {part}, {shift}")
                part = e.let(f"or i32 {whole}, {part}")
            whole, shift = part, shift + width
        self._fields[f"{type}{name}"] = whole
        return whole
