"""From descriptor words in scalar registers to what the image unit works with.

Comes in: words and the chip's generation. Goes out: an `Image` or a `Sampler`. What the unit does
not model is refused by name, with PTX406: tiled, compressed and multisampled images, mipmaps,
anisotropy and borders from a table. It must not know lanes or instructions.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import NoReturn, TypeVar

from ptxlift.diag import PtxError
from ptxlift.records import dataclass
from ptxlift.target.image_words import (
    FAMILIES,
    HAS_OWN_PITCH,
    Border,
    Clamp,
    Family,
    ImageType,
    Select,
    Texel,
    row_bytes,
    slice_bytes,
    unpack,
)

T = TypeVar("T")

_MULTISAMPLED = (ImageType.D2_MSAA, ImageType.D2_MSAA_ARRAY)
LAYERED = (ImageType.D1_ARRAY, ImageType.D2_ARRAY, ImageType.CUBE)
_CLAMPS = (Clamp.WRAP, Clamp.MIRROR, Clamp.LAST_TEXEL, Clamp.BORDER)


@dataclass(frozen=True, slots=True)
class Image:
    """A linear image. `size` is the texels in x, y and z; `layers` counts faces of cubes singly."""

    address: int
    shape: ImageType
    texel: Texel
    size: tuple[int, int, int]
    layers: int
    row: int  # bytes from row to row
    slice: int  # bytes from slice or layer to the next
    selects: tuple[Select, ...]


@dataclass(frozen=True, slots=True)
class Sampler:
    """How an image is sampled."""

    clamps: tuple[Clamp, Clamp, Clamp]
    normalized: bool
    truncate: bool  # point sampling takes the coordinate's floor, without rounding it first
    linear: bool
    linear_z: bool
    seamless: bool  # filtering at the edge of a cube's face reads the next face
    border: Border


@lru_cache(maxsize=256)
def read_image(words: tuple[int, ...], generation: int) -> Image:
    """The image that eight words describe."""
    family = FAMILIES[generation]
    found = unpack(family.image, words)
    shape = _member(ImageType, found["type"], "image type")
    _refuse_image(found, shape)
    texel = next((key for key, code in family.formats.items() if code == found["format"]), None)
    if texel is None:
        _refuse(f"texel format {found['format']}")
    is_volume = shape is ImageType.D3
    width, height = found["width"] + 1, found["height"] + 1
    depth = found["depth"] + 1 if is_volume else 1
    first = found["base_layer"] if shape in LAYERED else 0
    row, slice_ = _pitches(family, found, shape, width, height, texel)
    return Image(
        address=(found["address"] << 8) + first * slice_,
        shape=shape,
        texel=texel,
        size=(width, 1 if shape in (ImageType.D1, ImageType.D1_ARRAY) else height, depth),
        layers=found["depth"] + 1 - first if shape in LAYERED else 1,
        row=row,
        slice=slice_,
        selects=tuple(_member(Select, found[f"select_{c}"], "channel selection") for c in "xyzw"),
    )


def _pitches(
    family: Family, found: dict[str, int], shape: ImageType, width: int, height: int, texel: Texel
) -> tuple[int, int]:
    """Bytes between rows and between slices; only some images choose the first themselves."""
    has_field = family is FAMILIES[9] or shape in HAS_OWN_PITCH
    if shape is ImageType.D1_ARRAY:
        height = 1
    if has_field:
        row = (found["pitch"] + 1) * texel.size
        return row, row * height
    return row_bytes(family, width, texel), slice_bytes(family, width, height, texel)


def _refuse_image(found: dict[str, int], shape: ImageType) -> None:
    if shape in _MULTISAMPLED:
        _refuse("a multisampled image")
    if found["tile_mode"]:
        _refuse(f"tile mode {found['tile_mode']}, only linear images are modelled")
    if found["compression"]:
        _refuse("a compressed image")
    if found["base_level"] or found["last_level"] or found["max_level"]:
        _refuse("an image with mipmap levels")


@lru_cache(maxsize=256)
def read_sampler(words: tuple[int, ...], generation: int) -> Sampler:
    """The sampler that four words describe."""
    found = unpack(FAMILIES[generation].sampler, words)
    _refuse_sampler(found)
    clamps = tuple(_member(Clamp, found[f"clamp_{axis}"], "clamp") for axis in "xyz")
    border = _member(Border, found["border"], "border colour")
    for clamp in clamps:
        if clamp not in _CLAMPS:
            _refuse(f"clamp mode {clamp.name}")
    if border is Border.REGISTER and Clamp.BORDER in clamps:
        _refuse("a border colour from a table")
    if found["unnormalized"] and (Clamp.WRAP in clamps or Clamp.MIRROR in clamps):
        _refuse("wrapped or mirrored coordinates that are not normalised")
    x, y, z = clamps
    linear = bool(found["magnify"])
    return Sampler(
        clamps=(x, y, z),
        normalized=not found["unnormalized"],
        truncate=bool(found["truncate"]),
        linear=linear,
        linear_z={0: linear, 1: False, 2: True}[found["filter_z"]],
        seamless=not found["separate_faces"],
        border=border,
    )


def _refuse_sampler(found: dict[str, int]) -> None:
    if found["magnify"] > 1 or found["minify"] > 1 or found["anisotropy"]:
        _refuse("anisotropic filtering")
    if found["magnify"] != found["minify"]:
        _refuse("filters that depend on the level of detail")
    if found["filter_mode"]:
        _refuse(f"filter mode {found['filter_mode']}")
    if found["filter_z"] > 2:
        _refuse(f"filter {found['filter_z']} in z")


def _member(kind: Callable[[int], T], value: int, what: str) -> T:
    try:
        return kind(value)
    except ValueError:
        _refuse(f"{what} {value}")


def _refuse(what: str) -> NoReturn:
    raise PtxError.of("PTX406", f"the emulator's image unit does not model {what}")
