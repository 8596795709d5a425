"""How texture and surface instructions are read: which operand is what, which op they are.

Comes in: a typed instruction. Goes out: the op's attributes and its operands in the order of
`ir.images`, still as PTX operands; and what the instruction's type makes of the channels.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from ptxlift.ir.attributes import AtomicOp, Format, Number, Rounding
from ptxlift.ir.images import GEOMETRIES, Border, Geometry, ImageQuery, Lod
from ptxlift.isa import Kind
from ptxlift.ptx import module as ptx
from ptxlift.records import dataclass
from ptxlift.semantics.algebra import Algebra
from ptxlift.semantics.images.surfaces import SurfaceForm
from ptxlift.semantics.images.textures import TextureForm

V = TypeVar("V")
_LODS = {"tex_level": Lod.LEVEL, "tex_grad": Lod.GRADIENT}
_COMPONENTS = "rgba"
_NUMBERS = {Kind.U: Number.UNSIGNED, Kind.S: Number.SIGNED}


def named(inst: ptx.Inst) -> dict[str, ptx.Operand]:
    """The operands by the names of their specifications, lists in brackets taken apart."""
    found: dict[str, ptx.Operand] = {}
    for spec, operand in zip(inst.form.operands, inst.operands, strict=True):
        if isinstance(operand, ptx.BracketOperand):
            inner = zip(spec.parts, operand.parts, strict=True)
            found |= {part.name: given for part, given in inner}
        else:
            found[spec.name] = operand
    return found


def elements(operand: ptx.Operand | None, count: int) -> list[ptx.Operand]:
    """The first elements of a vector."""
    match operand:
        case None:
            return []
        case ptx.VectorOperand():
            return list(operand.elements[:count])
        case ptx.Register(vector=vector) if vector > 1:
            return [ptx.RegisterComponent(operand, index) for index in range(count)]
        case _:
            return [operand]


@dataclass(frozen=True, slots=True)
class TextureCall:
    """`component`: of a gather, else None. `has_depth`: texels are compared with a depth."""

    form: TextureForm
    component: int | None
    texture: ptx.Operand
    sampler: ptx.Operand
    operands: tuple[ptx.Operand, ...]
    has_depth: bool


def texture_call(inst: ptx.Inst) -> TextureCall:
    """Of `tex` and `tld4`."""
    found, form = named(inst), inst.form
    geometry = GEOMETRIES[form.get("geom")]
    component = form.get("comp")
    number = Number.SIGNED if form.get("ctype") == "s32" else Number.F32
    lod = _LODS.get(form.name, Lod.BASE)
    offsets = found.get("e")
    chosen = geometry.has_layer + geometry.has_sample + geometry.coordinates
    operands = elements(found["c"], chosen)
    if geometry is Geometry.A2DMS:
        # The manual says two things; ptxas takes the first element as the sample.
        operands[:2] = reversed(operands[:2])
    if lod is Lod.LEVEL:
        operands.append(found["lod"])
    if lod is Lod.GRADIENT:
        operands += elements(found["dx"], geometry.coordinates)
        operands += elements(found["dy"], geometry.coordinates)
    operands += elements(offsets, geometry.dimensions)
    return TextureCall(
        TextureForm(geometry, number, lod, offsets is not None),
        _COMPONENTS.index(component) if component else None,
        found["t"],
        found.get("smp", found["t"]),
        tuple(operands),
        "f" in found,
    )


def typed_channels(algebra: Algebra[V], inst: ptx.Inst, channels: Sequence[V]) -> list[V]:
    """The channels as the destination type has them: f16 by rounding, all others as they are."""
    word = inst.form.get("dtype")
    if word not in ("f16", "f16x2"):
        return list(channels)
    halves = [algebra.fconvert(c, Format.F32, Format.F16, Rounding.RN, False) for c in channels]
    if word == "f16":
        return halves
    return [algebra.pack(halves[i : i + 2]) for i in range(0, len(halves), 2)]


@dataclass(frozen=True, slots=True)
class QueryCall:
    """`level`: the operand of a query of a level."""

    query: ImageQuery
    image: ptx.Operand
    level: tuple[ptx.Operand, ...]


def query_call(inst: ptx.Inst) -> QueryCall:
    """Of `txq` and `suq`."""
    found = named(inst)
    level = (found["lod"],) if "lod" in found else ()
    image = found["t"] if "t" in found else found["s"]
    return QueryCall(ImageQuery(inst.form.get("q")), image, level)


@dataclass(frozen=True, slots=True)
class SurfaceCall:
    """`values`: what is stored, none for a load."""

    form: SurfaceForm
    surface: ptx.Operand
    operands: tuple[ptx.Operand, ...]
    values: tuple[ptx.Operand, ...]


def surface_call(inst: ptx.Inst) -> SurfaceCall:
    """Of `suld`, `sust` and `sured`."""
    found, form = named(inst), inst.form
    geometry: Geometry = GEOMETRIES[form.get("geom")]
    count = int((form.get("vec") or "v1")[1:])
    shape = SurfaceForm(
        geometry,
        form.types[-1].bits,
        count,
        Border(form.get("mode")),
        form.name in ("sust_p", "sured_p"),
    )
    operands = elements(found["c"], geometry.has_layer + geometry.coordinates)
    values = elements(found.get("v"), count)
    return SurfaceCall(shape, found["s"], tuple(operands), tuple(values))


def reduction_of(inst: ptx.Inst) -> tuple[AtomicOp, Number]:
    """What `sured` does."""
    number = _NUMBERS.get(inst.form.types[-1].kind, Number.BITS)
    return AtomicOp(inst.form.get("op")), number
