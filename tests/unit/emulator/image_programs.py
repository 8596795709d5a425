"""LLVM IR that uses image intrinsics, and descriptors written out by hand, bit by bit.

Comes in: what an intrinsic does. Goes out: kernels and descriptor words. The words are made here
from AMD's documents without the product's table, so that a slip in the table shows.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

CHIPS = ("gfx90a", "gfx1030", "gfx1100", "gfx1201")
COORDINATES = {"1d": 1, "2d": 2, "3d": 3, "cube": 3, "1darray": 2, "2darray": 3}
SHAPES = {"1d": 8, "2d": 9, "3d": 10, "cube": 11, "1darray": 12, "2darray": 13}
GRADIENTS = {"1d": 1, "2d": 2, "3d": 3, "cube": 2, "1darray": 1, "2darray": 2}

# the format's number: gfx9 (data format, number format), gfx10, gfx11 and gfx12
FORMATS = {
    "u8x1": ((1, 4), 5, 5),
    "unorm8x4": ((10, 0), 56, 42),
    "snorm8x2": ((3, 1), 15, 15),
    "u8x4": ((10, 4), 60, 46),
    "s16x2": ((5, 5), 28, 28),
    "unorm16x1": ((2, 0), 7, 7),
    "f16x4": ((12, 7), 71, 57),
    "u32x1": ((4, 4), 20, 20),
    "u32x2": ((11, 4), 62, 48),
    "f32x1": ((4, 7), 22, 22),
    "f32x2": ((11, 7), 64, 50),
    "f32x4": ((14, 7), 77, 63),
}


@dataclass(frozen=True)
class Plan:
    """A linear image at an address: sizes in texels, `pitch` too; `last` is depth or layers - 1."""

    form: str
    shape: str
    width: int
    height: int = 1
    last: int = 0
    pitch: int = 0


def image_words(chip: str, plan: Plan, address: int) -> list[int]:
    """The eight dwords of an image resource."""
    parted, gfx10, gfx11 = FORMATS[plan.form]
    low, high = address >> 8 & 0xFFFFFFFF, address >> 40
    w, h = plan.width - 1, plan.height - 1
    selects = 4 | 5 << 3 | 6 << 6 | 7 << 9
    word3 = selects | SHAPES[plan.shape] << 28
    own_pitch = plan.shape in ("1d", "2d")
    word4 = plan.pitch - 1 if own_pitch else plan.last
    if chip == "gfx90a":
        word1 = high | parted[0] << 20 | parted[1] << 26
        return [low, word1, w | h << 14, word3, plan.last | plan.pitch - 1 << 13, 0, 0, 0]
    if chip == "gfx1201":
        word1 = high | gfx11 << 17 | (w & 3) << 30
        return [low, word1, w >> 2 | h << 14, word3, word4, 0, 0, 0]
    number = gfx10 if chip == "gfx1030" else gfx11
    word1 = high | number << 20 | (w & 3) << 30
    level = 1 << 31 if chip == "gfx1030" else 0
    return [low, word1, w >> 2 | h << 14 | level, word3, word4, 0, 0, 0]


def sampler_words(
    clamp: int = 2, linear: bool = False, unnormalized: bool = False, border: int = 0
) -> list[int]:
    """The four dwords of a sampler, all axes alike."""
    word0 = clamp | clamp << 3 | clamp << 6 | unnormalized << 15
    return [word0, 4095 << 12, 5 << 20 if linear else 0, border << 30]


def sample_program(operation: str, dim: str, channel: int | None = None) -> str:
    """A kernel `k(out, object, coordinates)`: lane i samples at the i-th row of f32 coordinates.

    With a level, gradients or offsets the row holds them too, as the intrinsic orders them.
    """
    parts = operation.split(".")
    arguments = ["i32"] if "o" in parts else []
    arguments += ["float"] * (2 * GRADIENTS[dim] if "d" in parts else 0)
    arguments += ["float"] * (COORDINATES[dim] + ("l" in parts))
    suffix = ".f32" if "d" in parts else ""
    name = f"llvm.amdgcn.image.{operation}.{dim}.v4f32{suffix}.f32.v8i32.v4i32"
    dmask = 15 if channel is None else 1 << channel
    return _kernel(
        f"declare <4 x float> @{name}(i32, {', '.join(arguments)}, <8 x i32>, <4 x i32>, i1, i32,"
        " i32)",
        arguments,
        f"%v = call <4 x float> @{name}(i32 {dmask}, ARGUMENTS, <8 x i32> %r, <4 x i32> %s, i1 0,"
        " i32 0, i32 0)\n  %o = getelementptr <4 x float>, ptr addrspace(1) %out, i32 %i\n"
        "  store <4 x float> %v, ptr addrspace(1) %o, align 16",
    )


def half_program(operation: str) -> str:
    """Samples in 2D with f16 coordinates, two to a register, and f16 results likewise."""
    name = f"llvm.amdgcn.image.{operation}.2d.v4f16.f16.v8i32.v4i32"
    return _kernel(
        f"declare <4 x half> @{name}(i32, half, half, <8 x i32>, <4 x i32>, i1, i32, i32)",
        ["half", "half"],
        f"%v = call <4 x half> @{name}(i32 15, ARGUMENTS, <8 x i32> %r, <4 x i32> %s, i1 0,"
        " i32 0, i32 0)\n  %o = getelementptr <4 x float>, ptr addrspace(1) %out, i32 %i\n"
        "  store <4 x half> %v, ptr addrspace(1) %o, align 16",
    )


def load_program(dim: str) -> str:
    """The same for loads at integer coordinates; the result is four words."""
    arguments = ["i32"] * COORDINATES[dim]
    name = f"llvm.amdgcn.image.load.{dim}.v4i32.i32.v8i32"
    return _kernel(
        f"declare <4 x i32> @{name}(i32, {', '.join(arguments)}, <8 x i32>, i32, i32)",
        arguments,
        f"%v = call <4 x i32> @{name}(i32 15, ARGUMENTS, <8 x i32> %r, i32 0, i32 0)\n"
        "  %o = getelementptr <4 x i32>, ptr addrspace(1) %out, i32 %i\n"
        "  store <4 x i32> %v, ptr addrspace(1) %o, align 16",
    )


def store_program(dim: str, channels: int) -> str:
    """Lane i stores `channels` words of the i-th row of `out`, which is an input here."""
    arguments = ["i32"] * COORDINATES[dim]
    data = "float" if channels == 1 else f"<{channels} x float>"
    kind = "f32" if channels == 1 else f"v{channels}f32"
    name = f"llvm.amdgcn.image.store.{dim}.{kind}.i32.v8i32"
    return _kernel(
        f"declare void @{name}({data}, i32, {', '.join(arguments)}, <8 x i32>, i32, i32)",
        arguments,
        f"%o = getelementptr {data}, ptr addrspace(1) %out, i32 %i\n"
        f"  %v = load {data}, ptr addrspace(1) %o, align 4\n"
        f"  call void @{name}({data} %v, i32 {(1 << channels) - 1}, ARGUMENTS, <8 x i32> %r, i32 0,"
        " i32 0)",
    )


def atomic_program(operation: str, dim: str, bits: int) -> str:
    """Lane i's operand is the i-th of `out`, where the old value goes."""
    arguments = ["i32"] * COORDINATES[dim]
    data = f"i{bits}"
    name = f"llvm.amdgcn.image.atomic.{operation}.{dim}.{data}.i32.v8i32"
    return _kernel(
        f"declare {data} @{name}({data}, {', '.join(arguments)}, <8 x i32>, i32, i32)",
        arguments,
        f"%o = getelementptr {data}, ptr addrspace(1) %out, i32 %i\n"
        f"  %v = load {data}, ptr addrspace(1) %o\n"
        f"  %x = call {data} @{name}({data} %v, ARGUMENTS, <8 x i32> %r, i32 0, i32 0)\n"
        f"  store {data} %x, ptr addrspace(1) %o",
    )


def size_program(dim: str) -> str:
    """Four words a lane: what the resource says of its size."""
    name = f"llvm.amdgcn.image.getresinfo.{dim}.v4f32.i32.v8i32"
    return _kernel(
        f"declare <4 x float> @{name}(i32, i32, <8 x i32>, i32, i32)",
        [],
        f"%v = call <4 x float> @{name}(i32 15, i32 0, <8 x i32> %r, i32 0, i32 0)\n"
        "  %o = getelementptr <4 x float>, ptr addrspace(1) %out, i32 %i\n"
        "  store <4 x float> %v, ptr addrspace(1) %o, align 16",
    )


def _kernel(declaration: str, arguments: list[str], body: str) -> str:
    """A kernel that reads descriptors and each lane's row of arguments."""
    lines = []
    for at, kind in enumerate(arguments):
        lines.append(f"%p{at} = getelementptr i32, ptr addrspace(1) %row, i32 {at}")
        lines.append(f"%a{at} = load {kind}, ptr addrspace(1) %p{at}")
    loads = "\n  ".join(lines)
    values = ", ".join(f"{kind} %a{at}" for at, kind in enumerate(arguments))
    return f"""{declaration}
define amdgpu_kernel void @k(ptr addrspace(1) %out, ptr addrspace(4) %object,
                             ptr addrspace(1) %rows) {{
  %i = call i32 @llvm.amdgcn.workitem.id.x()
  %first = mul i32 %i, {max(len(arguments), 1)}
  %row = getelementptr i32, ptr addrspace(1) %rows, i32 %first
  %r = load <8 x i32>, ptr addrspace(4) %object, align 16
  %sp = getelementptr i8, ptr addrspace(4) %object, i64 48
  %s = load <4 x i32>, ptr addrspace(4) %sp, align 16
  {loads}
  {body.replace("ARGUMENTS", values)}
  ret void
}}
"""


def padded(texels: NDArray[np.generic], pitch: int) -> NDArray[np.generic]:
    """Texels (slices, rows, columns, channels) with rows of `pitch` texels, zeros beyond."""
    slices, rows, columns, channels = texels.shape
    found = np.zeros((slices, rows, pitch, channels), texels.dtype)
    found[:, :, :columns] = texels
    return found
