"""wmma from memory to memory: loads by rows and columns, products, stores; integers exactly."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
from matrix_kernels import HEAD, INTERPRETER, TARGETS, WARPS, Array, launch, told
from matrix_numbers import WIDTHS, random_matrix, values_of
from test_mma import Instruction, assert_right, sizes

import ptxlift

EVERYWHERE = (INTERPRETER, *TARGETS)
GAP = 8  # elements between the end of a row (or column) and the next


@dataclass(frozen=True)
class Tile:
    """One operand: its size, its type, how it lies in memory, how many registers it takes."""

    name: str
    kind: str
    rows: int
    columns: int
    layout: str
    space: str
    gap: int

    @property
    def stride(self) -> int:
        return (self.columns if self.layout == "row" else self.rows) + self.gap

    @property
    def registers(self) -> int:
        if self.kind == "f16" and self.name in "ab":
            return 8
        width = WIDTHS[self.kind]
        return max(1, self.rows * self.columns * width // 32 // max(width, 32))

    @property
    def bytes(self) -> int:
        lines = self.rows if self.layout == "row" else self.columns
        return lines * self.stride * WIDTHS[self.kind] // 8

    def in_memory(self, bits: Array) -> Array:
        """A matrix as bytes."""
        lines = bits if self.layout == "row" else bits.T
        padded = np.pad(lines, ((0, 0), (0, self.gap)), constant_values=1)
        width = WIDTHS[self.kind]
        if width >= 8:
            return padded.astype(f"<u{width // 8}").reshape(-1).view(np.uint8)
        each = padded.reshape(-1, 8 // width).astype(np.uint8)
        return np.bitwise_or.reduce(each << (np.arange(8 // width) * width).astype(np.uint8), 1)

    def from_memory(self, data: Array) -> Array:
        width = WIDTHS[self.kind]
        lines = data.view(f"<u{width // 8}").reshape(-1, self.stride)
        kept = lines[:, : self.stride - self.gap]
        return (kept if self.layout == "row" else kept.T).astype(np.uint64)


def vector(tile: Tile) -> str:
    return "{" + ", ".join(f"%{tile.name}{i}" for i in range(tile.registers)) + "}"


def declare(tile: Tile) -> str:
    width = 64 if tile.kind == "f64" else 32
    kind = f"f{width}" if tile.kind in ("f32", "f64") else f"b{width}"
    return f".reg .{kind} %{tile.name}<{tile.registers}>;"


def load(tile: Tile, index: int, shape: str) -> str:
    stride = f", {tile.stride}" if tile.gap else ""
    lines = [
        f"ld.param.u64 %p, [q{index}];",
        f"mad.wide.u32 %p, %warp, {tile.bytes}, %p;",
        "" if tile.space == "" else "cvta.to.global.u64 %p, %p;",
        f"wmma.load.{tile.name}.sync.aligned.{tile.layout}.{shape}{tile.space}.{tile.kind} "
        f"{vector(tile)}, [%p]{stride};",
    ]
    return "\n".join(lines)


def store(tile: Tile, index: int, shape: str) -> str:
    stride = f", {tile.stride}" if tile.gap else ""
    return (
        f"ld.param.u64 %p, [q{index}];\nmad.wide.u32 %p, %warp, {tile.bytes}, %p;\n"
        f"wmma.store.d.sync.aligned.{tile.layout}.{shape}.{tile.kind} [%p], {vector(tile)}{stride};"
    )


def kernel(tiles: dict[str, Tile], shape: str, mma: str) -> str:
    parts = [HEAD, ".visible .entry k(.param .u64 q0, .param .u64 q1, .param .u64 q2,"]
    parts.append(".param .u64 q3) {\n.reg .b64 %p; .reg .b32 %warp;")
    parts += [declare(tile) for tile in tiles.values()]
    parts.append("mov.u32 %warp, %tid.x;\nshr.u32 %warp, %warp, 5;")
    parts += [load(tiles[name], i, shape) for i, name in enumerate("abc")]
    parts.append(f"{mma} {', '.join(vector(tiles[name]) for name in 'dabc')};")
    return "\n".join([*parts, store(tiles["d"], 3, shape), "ret;\n}"])


def check(
    inst: Instruction,
    mma: str,
    layouts: str,
    space: str,
    gap: int,
    target: str,
    matrix: str = "generic",
) -> str:
    """Runs two warps and compares; gives the kernel."""
    rng = np.random.default_rng(7)
    m, n, k = sizes(inst.shape)
    words = dict(zip("abcd", (w for w in layouts.split()), strict=True))
    shapes = {"a": (m, k), "b": (k, n), "c": (m, n), "d": (m, n)}
    kinds = {"a": inst.a, "b": inst.b, "c": inst.c, "d": inst.d}
    tiles = {x: Tile(x, kinds[x], *shapes[x], words[x], space, gap) for x in "abcd"}
    bits, values = {}, {}
    for x in "abc":
        bits[x], values[x] = random_matrix(kinds[x], (WARPS, *shapes[x]), rng)
    arrays = [np.concatenate([tiles[x].in_memory(b) for b in bits[x]]) for x in "abc"]
    out = np.zeros(WARPS * tiles["d"].bytes, np.uint8)
    text = kernel(tiles, inst.shape, mma)
    other = told(text, arrays, [out])[0]
    launch(text, [*arrays, out], target, matrix)
    d, interpreted = (
        values_of(inst.d, np.stack([tiles["d"].from_memory(part) for part in np.split(x, WARPS)]))
        for x in (out, other)
    )
    assert_right(inst, (d, interpreted), *(values[x] for x in "abc"))
    return text


SHAPES = ("m16n16k16", "m32n8k16", "m8n32k16")
LAYOUTS = ("row row row row", "col row col row", "row col row col", "col col col col")


@pytest.mark.sampled(12)
@pytest.mark.parametrize("target", EVERYWHERE)
@pytest.mark.parametrize("layouts", LAYOUTS)
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("kind", ["f16", "s8"])
def test_large_tiles(kind: str, shape: str, layouts: str, target: str) -> None:
    al, bl = layouts.split()[:2]
    if kind == "f16":
        inst = Instruction(shape, "f32", "f16", "f16", "f32")
        mma = f"wmma.mma.sync.aligned.{al}.{bl}.{shape}.f32.f32"
    else:
        inst = Instruction(shape, "s32", "s8", "s8", "s32")
        mma = f"wmma.mma.sync.aligned.{al}.{bl}.{shape}.s32.s8.s8.s32"
    check(inst, mma, layouts, ".global", GAP if layouts == LAYOUTS[1] else 0, target)


OTHERS = [
    (Instruction("m16n16k16", "f16", "f16", "f16", "f16"), "f16.f16", ""),
    (Instruction("m16n16k16", "f32", "f16", "f16", "f16"), "f32.f16", ""),
    (Instruction("m8n32k16", "f16", "f16", "f16", "f32"), "f16.f32", ""),
    (Instruction("m16n16k16", "f32", "bf16", "bf16", "f32"), "f32.bf16.bf16.f32", ""),
    (Instruction("m32n8k16", "f32", "bf16", "bf16", "f32"), "f32.bf16.bf16.f32", ""),
    (Instruction("m16n16k8", "f32", "tf32", "tf32", "f32"), "f32.tf32.tf32.f32", ""),
    (Instruction("m8n8k4", "f64", "f64", "f64", "f64"), "f64.f64.f64.f64", ""),
    (Instruction("m16n16k16", "s32", "u8", "u8", "s32", ".satfinite"), "s32.u8.u8.s32", ""),
    (Instruction("m8n8k32", "s32", "s4", "s4", "s32"), "s32.s4.s4.s32", ""),
    (Instruction("m8n8k128", "s32", "b1", "b1", "s32", "", ".xor.popc"), "s32.b1.b1.s32", "xor"),
    (Instruction("m8n8k128", "s32", "b1", "b1", "s32", "", ".and.popc"), "s32.b1.b1.s32", "and"),
]


@pytest.mark.sampled(18)
@pytest.mark.parametrize("target", EVERYWHERE)
@pytest.mark.parametrize("space", ["", ".global"])
@pytest.mark.parametrize(("inst", "types", "bits"), OTHERS, ids=lambda value: str(value))
def test_other_types(inst: Instruction, types: str, bits: str, space: str, target: str) -> None:
    operation = f".{bits}.popc" if bits else ""
    mma = f"wmma.mma{operation}.sync.aligned.row.col.{inst.shape}.{types}{inst.kind}"
    gap = 0 if inst.a == "b1" or space else 32
    check(inst, mma, "row col row col" if not space else "row col col row", space, gap, target)


def test_saturation_of_floats_is_refused() -> None:
    text = """.version 6.0
.target sm_70
.address_size 64
.visible .entry k() {
.reg .b32 %a<8>, %d<4>;
wmma.mma.sync.row.col.m16n16k16.f16.f16.satfinite {%d0, %d1, %d2, %d3},
 {%a0, %a1, %a2, %a3, %a4, %a5, %a6, %a7}, {%a0, %a1, %a2, %a3, %a4, %a5, %a6, %a7},
 {%d0, %d1, %d2, %d3};
ret;
}"""
    with pytest.raises(ptxlift.PtxError, match=r"satfinite"):
        ptxlift.lift(text, target="gfx942")


NATIVE = [("gfx1100", "f16"), ("gfx1201", "f16"), ("gfx1100", "s8"), ("gfx1201", "s8")]


@pytest.mark.parametrize(("target", "kind"), NATIVE)
def test_square_tiles_on_matrix_instructions(target: str, kind: str) -> None:
    """One wmma.mma of 16 by 16 is one matrix instruction a step of K."""
    inst = Instruction("m16n16k16", "f32" if kind == "f16" else "s32", kind, kind, "f32")
    if kind == "s8":
        inst = Instruction("m16n16k16", "s32", "s8", "s8", "s32")
    types = "f32.f32" if kind == "f16" else "s32.s8.s8.s32"
    mma = f"wmma.mma.sync.aligned.row.col.m16n16k16.{types}"
    text = check(inst, mma, "row col row row", ".global", 0, target, "native")
    options = ptxlift.Options(matrix="native")
    assert ptxlift.lift(text, target=target, options=options).asm.count("v_wmma_") == 1
