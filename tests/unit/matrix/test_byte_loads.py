"""b of bytes that lies by rows in shared memory and is read byte by byte, as Triton does."""

from __future__ import annotations

import numpy as np
import pytest
from matrix_kernels import HEAD, LANES, Array, launch

import ptxlift

TARGETS = ("gfx1100", "gfx1201", "gfx942", "gfx90a")
DEPTH, COLUMNS, ROUNDS = 32, 16, 3
TILE = DEPTH * COLUMNS  # bytes of a warp's b

# %r10: the address of b[4t][g] of the own warp's tile.
KERNEL = """{head}
.shared .align {align} .b8 tile[{shared}];
.visible .entry k(.param .u64 q0, .param .u64 q1, .param .u64 q2) .reqntid {lanes} {{
.reg .b32 %lane, %r<32>, %a<4>, %b<4>, %w<16>; .reg .s32 %c<8>; .reg .b64 %p<4>; .reg .pred %t;
.reg .b16 %h<16>;
mov.u32 %lane, %tid.x;
ld.param.u64 %p0, [q0]; ld.param.u64 %p1, [q1]; ld.param.u64 %p2, [q2];
mov.u32 %r20, tile; mov.u32 %r3, 0;
shr.u32 %r5, %lane, 5;
FILL:
mad.lo.u32 %r4, %r3, {lanes}, %lane; mad.wide.u32 %p3, %r4, 1, %p1; ld.global.b8 %r6, [%p3];
and.b32 %r7, %r4, {swizzle}; shr.u32 %r7, %r7, 2; xor.b32 %r7, %r4, %r7;
add.u32 %r7, %r20, %r7; st.shared.b8 [%r7+{offset}], %r6;
add.u32 %r3, %r3, 1; setp.lt.u32 %t, %r3, {fills}; @%t bra FILL;
bar.sync 0;
bfe.u32 %r8, %lane, 2, 3; and.b32 %r9, %lane, 3; shl.b32 %r9, %r9, 6;
add.u32 %r10, %r8, %r9; mad.lo.u32 %r10, %r5, {tile}, %r10;
mov.u32 %r3, 0;
{zeros}
mad.wide.u32 %p0, %lane, 16, %p0;
{before}
LOOP:
ld.global.v4.b32 {{%a0, %a1, %a2, %a3}}, [%p0];
add.u64 %p0, %p0, {a_step};
{loads}
{words}
mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32
  {{%c0, %c1, %c2, %c3}}, {{%a0, %a1, %a2, %a3}}, {{%b0, %b1}}, {{%c0, %c1, %c2, %c3}};
mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32
  {{%c4, %c5, %c6, %c7}}, {{%a0, %a1, %a2, %a3}}, {{%b2, %b3}}, {{%c4, %c5, %c6, %c7}};
{after}
add.u32 %r3, %r3, 1; setp.lt.u32 %t, %r3, {rounds}; @%t bra LOOP;
mad.wide.u32 %p2, %lane, 32, %p2;
{stores}
ret;
}}
"""


def _loads(between: str) -> str:
    """Sixteen bytes: of both halves of K, of both halves of the columns; their address follows."""
    lines = []
    for number in range(16):
        half, word, byte = number // 8, number // 4 % 2, number % 4
        at = (16 * word + byte) * COLUMNS + 8 * half
        lines.append(f"add.u32 %r11, %r10, {at};")
        lines.append("and.b32 %r12, %r11, {swizzle}; shr.u32 %r12, %r12, 2;")
        lines.append("xor.b32 %r11, %r11, %r12; add.u32 %r11, %r11, %r20;")
        lines.append(f"ld.shared.b8 %h{number}, [%r11+{{offset}}];")
        lines.append(between if number == 7 else "")
    return "\n".join(lines)


def _words() -> str:
    lines = [f"cvt.u32.u16 %w{number}, %h{number};" for number in range(16)]
    for word in range(4):
        first = 4 * word
        lines.append(f"prmt.b32 %r13, %w{first}, %w{first + 1}, 0x3340;")
        lines.append(f"prmt.b32 %r14, %w{first + 2}, %w{first + 3}, 0x3340;")
        lines.append(f"prmt.b32 %b{word}, %r13, %r14, 0x5410;")
    return "\n".join(lines)


def source(
    *, ahead: bool = False, swizzle: int = 0, align: int = 16, offset: int = 0, between: str = ""
) -> str:
    """The kernel. `ahead`: bytes are loaded a round before; `swizzle`: bits of the address that
    turn others, two below.
    """
    loads = _loads(between).format(swizzle=swizzle, offset=offset)
    return KERNEL.format(
        head=HEAD,
        align=align,
        offset=offset,
        swizzle=swizzle,
        shared=2 * TILE + 16,
        lanes=LANES,
        fills=2 * TILE // LANES,
        tile=TILE,
        zeros="\n".join(f"mov.s32 %c{i}, 0;" for i in range(8)),
        a_step=16 * LANES,
        before=loads if ahead else "",
        loads="" if ahead else loads,
        words=_words(),
        after=loads if ahead else "",
        rounds=ROUNDS,
        stores="\n".join(f"st.global.s32 [%p2+{4 * i}], %c{i};" for i in range(8)),
    )


def _fragments(a: Array) -> Array:
    """a of all warps and rounds, as the lanes hold it: rows g and g + 8, then 16 on along K."""
    found = np.zeros((ROUNDS, LANES, 4, 4), np.int8)
    for lane in range(LANES):
        g, t = lane % 32 // 4, lane % 4
        for register in range(4):
            row, k = g + 8 * (register % 2), 16 * (register // 2) + 4 * t
            found[:, lane, register] = a[:, lane // 32, row, k : k + 4]
    return found


def run(text: str, target: str) -> str:
    """Runs and compares; gives the assembly."""
    rng = np.random.default_rng(4)
    a = rng.integers(-128, 128, (ROUNDS, 2, 16, DEPTH)).astype(np.int8)
    b = rng.integers(-128, 128, (2, DEPTH, COLUMNS)).astype(np.int8)
    out = np.zeros((LANES, 8), np.int32)
    launch(text, [_fragments(a), b, out], target, "auto")
    exact = (a.astype(int) @ b.astype(int)).sum(axis=0)
    for lane in range(LANES):
        g, t = lane % 32 // 4, lane % 4
        for i in range(8):
            row, column = g + 8 * (i % 4 // 2), 8 * (i // 4) + 2 * t + i % 2
            assert out[lane, i] == exact[lane // 32, row, column]
    return "" if target == "interpreter" else ptxlift.lift(text, target=target).asm


def byte_loads(asm: str) -> int:
    return asm.count("ds_load_u8") + asm.count("ds_read_u8")


CASES = {
    "plain": source(),
    "ahead": source(ahead=True),
    "swizzled": source(swizzle=0x30),
}
OTHERS = {
    "swizzled inside words": source(swizzle=0xC),
    "aligned to bytes": source(align=1),
    "off by one": source(offset=1),
    "stored between": source(between="st.shared.b8 [tile+1032], %r6;"),
}


@pytest.mark.parametrize("text", (CASES | OTHERS).values(), ids=(CASES | OTHERS).keys())
def test_the_kernels_themselves(text: str) -> None:
    run(text, "interpreter")


@pytest.mark.parametrize("text", CASES.values(), ids=CASES.keys())
@pytest.mark.parametrize("target", TARGETS)
def test_rows_are_loaded_as_words(target: str, text: str) -> None:
    asm = run(text, target)
    assert byte_loads(asm) == 0


@pytest.mark.parametrize("text", OTHERS.values(), ids=OTHERS.keys())
@pytest.mark.parametrize("target", TARGETS[:3])
def test_bytes_that_are_no_words(target: str, text: str) -> None:
    assert byte_loads(run(text, target)) > 0
