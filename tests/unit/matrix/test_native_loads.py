"""ldmatrix and mma in a loop on matrix instructions: tiles come from shared memory in place."""

from __future__ import annotations

import re

import numpy as np
import pytest
from matrix_kernels import HEAD, LANES, Array, launch

import ptxlift

TARGETS = ("gfx1100", "gfx1201", "gfx942", "gfx950")
MATRIX = re.compile(r"v_(?:mfma|wmma)_\w+")
DEPTH = 64  # along K
A_BYTES, B_BYTES = 16 * DEPTH * 2, 16 * DEPTH * 2
WARP_BYTES = A_BYTES + B_BYTES

# Row addresses of ldmatrix.x4. a: rows 0-7 and 8-15, then eight columns on.
A_ROW = """
and.b32 %r1, %lane, 15; mul.lo.u32 %r1, %r1, {pitch};
shr.u32 %r2, %lane, 4; and.b32 %r2, %r2, 1; shl.b32 %r2, %r2, 4;
add.u32 %r1, %r1, %r2; add.u32 %r10, %r1, %r20;
"""
# b by columns: columns 0-7 at K 0 and 8, then columns 8-15.
B_COLUMN = """
and.b32 %r1, %lane, 7; shr.u32 %r2, %lane, 4; and.b32 %r2, %r2, 1; shl.b32 %r2, %r2, 3;
add.u32 %r1, %r1, %r2; mul.lo.u32 %r1, %r1, {pitch};
shr.u32 %r2, %lane, 3; and.b32 %r2, %r2, 1; shl.b32 %r2, %r2, 4;
add.u32 %r1, %r1, %r2; add.u32 %r11, %r1, %r20; add.u32 %r11, %r11, {a_bytes};
"""
# b by rows: K 0-7 and 8-15, then eight columns on.
B_ROW = """
and.b32 %r1, %lane, 15; mul.lo.u32 %r1, %r1, 32;
shr.u32 %r2, %lane, 4; and.b32 %r2, %r2, 1; shl.b32 %r2, %r2, 4;
add.u32 %r1, %r1, %r2; add.u32 %r11, %r1, %r20; add.u32 %r11, %r11, {a_bytes};
"""
KERNEL = """{head}
.shared .align 16 .b8 tiles[{shared}];
.visible .entry k(.param .u64 q0, .param .u64 q1, .param .u64 q2) .reqntid {lanes} {{
.reg .b32 %lane, %r<32>, %a<4>, %b<4>; .reg .f32 %c<8>; .reg .b64 %p<4>; .reg .pred %t;
mov.u32 %lane, %tid.x;
ld.param.u64 %p0, [q0]; ld.param.u64 %p1, [q1]; ld.param.u64 %p2, [q2];
shr.u32 %r0, %lane, 5; mul.lo.u32 %r0, %r0, {warp_bytes};
mov.u32 %r20, tiles; add.u32 %r20, %r20, %r0;
mov.u32 %r3, 0;
and.b32 %r4, %lane, 31; shl.b32 %r4, %r4, 2;
mad.wide.u32 %p3, %r0, 1, %p0;
FILL:
add.u32 %r5, %r3, %r4; add.u32 %r6, %r20, %r5;
mad.wide.u32 %p1, %r5, 1, %p3; ld.global.b32 %r7, [%p1]; st.shared.b32 [%r6], %r7;
add.u32 %r3, %r3, 128; setp.lt.u32 %t, %r3, {warp_bytes}; @%t bra FILL;
bar.sync 0;
{addresses}
{zeros}
mov.u32 %r3, 0;
LOOP:
{body}
add.u32 %r10, %r10, 32; add.u32 %r11, %r11, {b_step};
add.u32 %r3, %r3, 1; setp.lt.u32 %t, %r3, {rounds}; @%t bra LOOP;
mad.wide.u32 %p2, %lane, 32, %p2;
{stores}
ret;
}}
"""
LOADS = """
ldmatrix.sync.aligned.m8n8.x4.shared.b16 {{%a0, %a1, %a2, %a3}}, [%r10];
{between}
ldmatrix.sync.aligned.m8n8.x4{trans}.shared.b16 {{%b0, %b1, %b2, %b3}}, [%r11];
"""
PRODUCTS = """
mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32
  {%c0, %c1, %c2, %c3}, {%a0, %a1, %a2, %a3}, {%b0, %b1}, {%c0, %c1, %c2, %c3};
mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32
  {%c4, %c5, %c6, %c7}, {%a0, %a1, %a2, %a3}, {%b2, %b3}, {%c4, %c5, %c6, %c7};
"""


def source(by_row: bool, between: str = "", extra: str = "") -> str:
    """The kernel. `between`: text between the two loads; `extra`: behind the products."""
    pitch = DEPTH * 2
    rows = A_ROW + (B_ROW if by_row else B_COLUMN)
    body = LOADS.format(trans=".trans" if by_row else "", between=between) + PRODUCTS + extra
    return KERNEL.format(
        head=HEAD,
        shared=2 * WARP_BYTES,
        lanes=LANES,
        warp_bytes=WARP_BYTES,
        addresses=rows.format(pitch=pitch, a_bytes=A_BYTES),
        zeros="\n".join(f"mov.f32 %c{i}, 0f00000000;" for i in range(8)),
        body=body,
        b_step=16 * 32 if by_row else 32,
        rounds=DEPTH // 16,
        stores="\n".join(f"st.global.f32 [%p2+{4 * i}], %c{i};" for i in range(8)),
    )


def tiles(by_row: bool) -> tuple[Array, Array, Array]:
    """What lies in memory, and the products of both warps."""
    rng = np.random.default_rng(6)
    a = rng.standard_normal((2, 16, DEPTH)).astype(np.float16)
    b = rng.standard_normal((2, DEPTH, 16)).astype(np.float16)
    stored = b if by_row else np.swapaxes(b, 1, 2)
    memory = np.concatenate([a.reshape(2, -1), stored.reshape(2, -1)], axis=1)
    exact = a.astype(float) @ b.astype(float)
    bound = (DEPTH + 1) * 2.0**-24 * (np.abs(a.astype(float)) @ np.abs(b.astype(float)))
    return np.ascontiguousarray(memory), exact, bound


def results(out: Array) -> Array:
    """Registers of all lanes as (warps, 16, 16)."""
    d = np.zeros((2, 16, 16))
    for lane in range(LANES):
        g, t = lane % 32 // 4, lane % 4
        for i in range(8):
            row, column = g + 8 * (i % 4 // 2), 8 * (i // 4) + 2 * t + i % 2
            d[lane // 32, row, column] = out[lane, i]
    return d


def run(text: str, by_row: bool, target: str, matrix: str) -> str:
    """Runs and compares; gives the assembly."""
    memory, exact, bound = tiles(by_row)
    out = np.zeros((LANES, 8), np.float32)
    unused = np.zeros(4, np.uint32)
    launch(text, [memory, unused, out], target, matrix)
    assert (np.abs(results(out) - exact) <= bound).all()
    if target == "interpreter":
        return ""
    return ptxlift.lift(text, target=target, options=ptxlift.Options(matrix=matrix)).asm


def between_products(text: str) -> str:
    """From the first to the last matrix instruction."""
    found = list(MATRIX.finditer(text))
    return text[found[0].start() : found[-1].end()]


@pytest.mark.parametrize("by_row", [False, True])
def test_the_kernel_itself(by_row: bool) -> None:
    run(source(by_row), by_row, "interpreter", "auto")


@pytest.mark.parametrize("by_row", [False, True])
@pytest.mark.parametrize("target", TARGETS)
def test_tiles_are_loaded_in_place(target: str, by_row: bool) -> None:
    asm = run(source(by_row), by_row, target, "auto")
    assert "permute" not in between_products(asm)  # addresses are exchanged before the loop
    assert "accvgpr" not in asm  # results are in registers that all operations read


@pytest.mark.parametrize("matrix", ["native", "generic"])
@pytest.mark.parametrize("target", TARGETS)
def test_fragments_that_others_read_too(target: str, matrix: str) -> None:
    """The registers that ldmatrix leaves stay right where something else uses them."""
    extra = "xor.b32 %r21, %a1, %b2; st.global.b32 [%p1], %r21;"
    text = source(True, extra=extra).replace(
        "mov.u32 %r3, 0;\nLOOP:", "ld.param.u64 %p1, [q1]; mov.u32 %r3, 0;\nLOOP:"
    )
    run(text, True, target, matrix)


@pytest.mark.parametrize("target", TARGETS)
def test_memory_that_changes_between_loads(target: str) -> None:
    """a and b are loaded apart: what is stored between them does not hinder."""
    between = "st.shared.b32 [%r20+0], %a0;\nld.shared.b32 %r22, [%r20+0];"
    text = source(False, between=between)
    reference = (
        text.replace("[%r20+0]", "[%r23]")
        .replace("LOOP:", "mov.u32 %r23, spare;\nLOOP:")
        .replace(
            ".shared .align 16 .b8 tiles",
            ".shared .align 4 .b8 spare[4];\n.shared .align 16 .b8 tiles",
        )
    )
    run(reference, False, target, "native")
