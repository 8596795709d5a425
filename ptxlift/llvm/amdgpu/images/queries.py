"""Lowering of `image_query`: what an object says of itself, from its descriptors."""

from __future__ import annotations

from collections.abc import Mapping
from typing import assert_never

from ptxlift.ir.core import Op
from ptxlift.ir.images import Geometry, ImageQuery
from ptxlift.llvm.amdgpu.emitter import Emitter
from ptxlift.llvm.amdgpu.images.words import ObjectWords, dimension
from ptxlift.llvm.amdgpu.registry import lowers
from ptxlift.target.image_object import AddressMode
from ptxlift.target.image_words import Clamp, ImageType

_UMAX = "i32 @llvm.umax.i32(i32, i32)"
_OPENCL_TYPES = 0x10D0  # of ROCm's numbers 0-3; then OpenCL has three more
_OPENCL_LATER_TYPES = 0x10CF  # of numbers from 8 on
_FIRST_LATER = 8
_OPENCL_ORDERS = {0: 0x10B1, 1: 0x10B0, 3: 0x10B2, 5: 0x10B3, 6: 0x10B4, 8: 0x10B5}
"""By ROCm's numbers of a, r, rg, ra, rgb and rgba."""

_MODES = {
    Clamp.WRAP: AddressMode.WRAP,
    Clamp.MIRROR: AddressMode.MIRROR,
    Clamp.LAST_TEXEL: AddressMode.CLAMP,
    Clamp.BORDER: AddressMode.BORDER,
}
_LINEAR_LAYOUT = 1


@lowers("image_query")
def _query(e: Emitter, op: Op) -> None:
    (query,) = op.attrs
    assert isinstance(query, ImageQuery)
    dimension(e, op, Geometry.D2)  # there are image instructions
    image = ObjectWords(e, op.operands[0])
    e.set_bits(op.results[0], f"add i32 {_answer(e, op, image, query)}, 0")


def _answer(e: Emitter, op: Op, image: ObjectWords, query: ImageQuery) -> str:
    match query:
        case ImageQuery.WIDTH | ImageQuery.HEIGHT | ImageQuery.DEPTH:
            return _size(e, op, image, query)
        case ImageQuery.ARRAY_SIZE:
            return _layers(e, image)
        case ImageQuery.NUM_MIPMAP_LEVELS:
            return image.levels
        case ImageQuery.NUM_SAMPLES:
            return "1"
        case ImageQuery.MEMORY_LAYOUT:
            is_linear = e.let(f"icmp eq i32 {image.field('tile_mode')}, 0")
            return e.let(f"select i1 {is_linear}, i32 {_LINEAR_LAYOUT}, i32 0")
        case ImageQuery.CHANNEL_DATA_TYPE:
            later = e.let(f"icmp uge i32 {image.channel_type}, {_FIRST_LATER}")
            first = f"select i1 {later}, i32 {_OPENCL_LATER_TYPES}, i32 {_OPENCL_TYPES}"
            return e.let(f"add i32 {image.channel_type}, {e.let(first)}")
        case ImageQuery.CHANNEL_ORDER:
            return _looked_up(e, image.channel_order, _OPENCL_ORDERS)
        case ImageQuery.FORCE_UNNORMALIZED_COORDS:
            return image.sampler_field("unnormalized")
        case ImageQuery.NORMALIZED_COORDS:
            return e.let(f"xor i32 {image.sampler_field('unnormalized')}, 1")
        case ImageQuery.FILTER_MODE:
            return e.let(f"zext i1 {image.sampler_flag('magnify')} to i32")
        case ImageQuery.ADDR_MODE_0 | ImageQuery.ADDR_MODE_1 | ImageQuery.ADDR_MODE_2:
            axis = "xyz"[int(query.value[-1])]
            modes = {clamp.value: mode.value for clamp, mode in _MODES.items()}
            return _looked_up(e, image.sampler_field(f"clamp_{axis}"), modes)
    assert_never(query)


def _size(e: Emitter, op: Op, image: ObjectWords, query: ImageQuery) -> str:
    if query is ImageQuery.DEPTH:
        is_deep = e.let(f"icmp eq i32 {image.field('type')}, {ImageType.D3.value}")
        size = e.let(f"select i1 {is_deep}, i32 {image.depth}, i32 1")
    else:
        size = image.width if query is ImageQuery.WIDTH else image.height
    if len(op.operands) == 1:
        return size
    few = e.let(f"and i32 {e.bits(op.operands[1])}, 31")
    return e.let(e.call(_UMAX, e.let(f"lshr i32 {size}, {few}"), "1"))


def _layers(e: Emitter, image: ObjectWords) -> str:
    """Of arrays, of cube arrays the cubes; else 1."""
    type = image.field("type")
    is_cube = e.let(f"icmp eq i32 {type}, {ImageType.CUBE.value}")
    is_array = e.let(f"icmp ugt i32 {type}, {ImageType.CUBE.value}")
    layers = e.let(f"select i1 {is_array}, i32 {image.depth}, i32 1")
    return e.let(f"select i1 {is_cube}, i32 {image.cubes}, i32 {layers}")


def _looked_up(e: Emitter, key: str, table: Mapping[int, int]) -> str:
    found = "0"
    for value, answer in table.items():
        is_it = e.let(f"icmp eq i32 {key}, {value}")
        found = e.let(f"select i1 {is_it}, i32 {answer}, i32 {found}")
    return found
