"""HIP's objects for chips with image instructions: the dwords of a linear image and its sampler.

Comes in: an image in device memory and how it is sampled. Goes out: 20 dwords as ROCm's runtime
fills them, by the chip family's table. What such descriptors cannot say is refused by name: levels,
several samples, sides beyond the family's limit, colours of borders but three.
"""

from __future__ import annotations

from typing import NoReturn

from ptxlift.diag import PtxError
from ptxlift.runtime.images import Image, LevelShape, Sampler, Texture
from ptxlift.runtime.placed_images import PlacedImage
from ptxlift.target import TargetSpec
from ptxlift.target.image_object import OBJECT_BYTES, AddressMode, ChannelKind
from ptxlift.target.image_words import (
    BUFFER_WORDS,
    FAMILIES,
    HAS_OWN_PITCH,
    IMAGE_WORDS,
    SAMPLER_WORDS,
    Border,
    Clamp,
    Family,
    ImageType,
    Numbers,
    Select,
    Texel,
    pack,
    row_bytes,
    slice_bytes,
)

_SHAPES = {
    "1d": ImageType.D1,
    "2d": ImageType.D2,
    "3d": ImageType.D3,
    "a1d": ImageType.D1_ARRAY,
    "a2d": ImageType.D2_ARRAY,
    "cube": ImageType.CUBE,
    "acube": ImageType.CUBE,
}
_CLAMPS = {
    AddressMode.WRAP: Clamp.WRAP,
    AddressMode.MIRROR: Clamp.MIRROR,
    AddressMode.CLAMP_OGL: Clamp.LAST_TEXEL,
    AddressMode.CLAMP: Clamp.LAST_TEXEL,
    AddressMode.BORDER: Clamp.BORDER,
}
_BORDERS = {
    (0.0, 0.0, 0.0, 0.0): Border.TRANSPARENT_BLACK,
    (0.0, 0.0, 0.0, 1.0): Border.OPAQUE_BLACK,
    (1.0, 1.0, 1.0, 1.0): Border.OPAQUE_WHITE,
}
_NORMALIZED = {ChannelKind.UNSIGNED: Numbers.UNORM, ChannelKind.SIGNED: Numbers.SNORM}
_PLAIN = {
    ChannelKind.UNSIGNED: Numbers.UINT,
    ChannelKind.SIGNED: Numbers.SINT,
    ChannelKind.FLOAT: Numbers.FLOAT,
}

# ROCm's numbers (hsa_ext_image.h): channel types by meaning and bits, orders by channels.
_CHANNEL_TYPES = {
    (Numbers.SNORM, 8): 0,
    (Numbers.SNORM, 16): 1,
    (Numbers.UNORM, 8): 2,
    (Numbers.UNORM, 16): 3,
    (Numbers.SINT, 8): 8,
    (Numbers.SINT, 16): 9,
    (Numbers.SINT, 32): 10,
    (Numbers.UINT, 8): 11,
    (Numbers.UINT, 16): 12,
    (Numbers.UINT, 32): 13,
    (Numbers.FLOAT, 16): 14,
    (Numbers.FLOAT, 32): 15,
}
_CHANNEL_ORDERS = {1: 1, 2: 3, 4: 8}
_SAMPLER_AT = 12
_MOST_LOD = 4095


def hardware_object(
    placed: PlacedImage | None, sampler: Sampler | None, spec: TargetSpec
) -> list[int]:
    """The object of an image, a sampler, or both."""
    family = FAMILIES[spec.target.generation]
    words = [0] * (OBJECT_BYTES // 4)
    if placed is not None:
        texel = _texel(placed.image)
        if _is_buffer(family, placed.image):
            words[:BUFFER_WORDS] = _buffer_words(family, placed, texel)
        else:
            words[:IMAGE_WORDS] = _image_words(family, placed, texel)
        words[8] = _CHANNEL_TYPES[texel.numbers, texel.bits]
        words[9] = _CHANNEL_ORDERS[texel.channels]
        words[10] = placed.image.shape_of(0).width
    if sampler is not None:
        is_cube = isinstance(sampler, Texture) and "cube" in sampler.geometry
        found = pack(family.sampler, _sampler_values(sampler, is_cube), SAMPLER_WORDS)
        words[_SAMPLER_AT : _SAMPLER_AT + SAMPLER_WORDS] = found
    return words


def linear_pitches(spec: TargetSpec, image: Image, size: LevelShape) -> tuple[int, int]:
    """Bytes between rows and between slices, as the chip's instructions have them."""
    family = FAMILIES[spec.target.generation]
    texel, shape = _texel(image), _SHAPES.get(image.geometry)
    pitch = row_bytes(family, size.width, texel)
    slice_ = slice_bytes(family, size.width, size.height, texel)
    if shape is None or shape in HAS_OWN_PITCH:
        return slice_ // size.height, slice_
    return pitch, slice_


def _texel(image: Image) -> Texel:
    normalized = isinstance(image, Texture) and image.normalized_float
    numbers = _NORMALIZED[image.kind] if normalized else _PLAIN[image.kind]
    return Texel(8 * image.array.dtype.itemsize, image.channels, numbers)


def _is_buffer(family: Family, image: Image) -> bool:
    """Long rows are what CUDA calls linear memory: integer coordinates alone can read them."""
    return image.geometry == "1d" and image.shape_of(0).width > family.largest


def _buffer_words(family: Family, placed: PlacedImage, texel: Texel) -> tuple[int, ...]:
    if not isinstance(placed.image, Texture):
        _refuse(f"surfaces of more than {family.largest} texels")
    values = _selects(texel) | {
        "address": placed.base,
        "stride": texel.size,
        "records": placed.image.shape_of(0).width * texel.size,
        "format": family.buffer_formats[texel],
    }
    if "resource_level" in family.buffer:
        values["resource_level"] = 1
    return pack(family.buffer, values, BUFFER_WORDS)


def _selects(texel: Texel) -> dict[str, int]:
    """Channels in their order; those that the format lacks are 0, 0 and 1."""
    found = {}
    for number, axis in enumerate("xyzw"):
        missing = Select.ONE if axis == "w" else Select.ZERO
        found[f"select_{axis}"] = int(Select.X + number if number < texel.channels else missing)
    return found


def _image_words(family: Family, placed: PlacedImage, texel: Texel) -> tuple[int, ...]:
    image, level = placed.image, placed.levels[0]
    size = image.shape_of(0)
    shape = _SHAPES.get(image.geometry)
    if shape is None:
        _refuse(f"multisampled images ({image.geometry})")
    if len(placed.levels) > 1:
        _refuse("mipmaps")
    if max(size.width, size.height) > family.largest:
        _refuse(f"sides of more than {family.largest} texels")
    values = {
        "address": placed.base >> 8,
        "format": family.formats[texel],
        "width": size.width - 1,
        "height": size.height - 1,
        "type": shape.value,
    }
    values |= _selects(texel)
    if shape not in HAS_OWN_PITCH:
        most = 1 << sum(width for _, _, width in family.image["depth"])
        if size.planes > most:
            _refuse(f"more than {most} layers, slices or faces")
        values["depth"] = size.planes - 1
    if shape in HAS_OWN_PITCH or family is FAMILIES[9]:
        values["pitch"] = level.pitch // texel.size - 1
    if "resource_level" in family.image:
        values["resource_level"] = 1
    return pack(family.image, values, IMAGE_WORDS)


def _sampler_values(sampler: Sampler, is_cube: bool) -> dict[str, int]:
    linear = sampler.filter_mode == "linear"
    values = {"max_lod": _MOST_LOD, "magnify": linear, "minify": linear}
    values["unnormalized"] = not sampler.normalized
    values["separate_faces"] = is_cube
    for axis, mode in zip("xyz", sampler.address_modes, strict=True):
        clamp = _CLAMPS[mode]
        if is_cube or (not sampler.normalized and clamp in (Clamp.WRAP, Clamp.MIRROR)):
            clamp = Clamp.LAST_TEXEL
        values[f"clamp_{axis}"] = clamp.value
    if Clamp.BORDER.value in (values["clamp_x"], values["clamp_y"], values["clamp_z"]):
        color = tuple(float(value) for value in sampler.border)
        if color not in _BORDERS:
            _refuse(f"the border colour {color}")
        values["border"] = _BORDERS[color].value
    return {name: int(value) for name, value in values.items()}


def _refuse(what: str) -> NoReturn:
    hint = "use a chip without image instructions, such as gfx942, or the interpreter"
    raise PtxError.of("PTX302", f"image instructions cannot have {what} here", hint=hint)
