"""Kernels of many shuffles, and what each lane gets, written down from the manual's pseudocode."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

import ptxlift

HEAD = ".version 8.0\n.target sm_80\n.address_size 64\n"
LANES = 32
WIDTHS = (32, 16, 8, 4, 2)


# integer reductions, and numpy's of each row
OPERATIONS = {
    "add.s32": lambda v: v.sum(axis=1, dtype=np.uint32),
    "and.b32": lambda v: np.bitwise_and.reduce(v, axis=1),
    "or.b32": lambda v: np.bitwise_or.reduce(v, axis=1),
    "xor.b32": lambda v: np.bitwise_xor.reduce(v, axis=1),
    "min.u32": lambda v: v.min(axis=1),
    "max.u32": lambda v: v.max(axis=1),
    "min.s32": lambda v: v.view(np.int32).min(axis=1).view(np.uint32),
    "max.s32": lambda v: v.view(np.int32).max(axis=1).view(np.uint32),
}


@dataclass(frozen=True)
class Shuffle:
    """One constant shuffle. `width`: of a segment."""

    mode: str
    b: int
    width: int

    @property
    def c(self) -> int:
        return (LANES - self.width) << 8 | (0 if self.mode == "up" else 31)

    @property
    def name(self) -> str:
        return f"{self.mode} {self.b} width {self.width}"

    def source(self, lane: int) -> tuple[int, bool]:
        """The lane that is read, and whether it is in range (PTX manual, shfl.sync)."""
        segment = self.c >> 8 & 31
        last = (lane & segment) | (self.c & 31 & ~segment)
        match self.mode:
            case "up":
                at = lane - self.b
                inside = at >= last
            case "down":
                at = lane + self.b
                inside = at <= last
            case "bfly":
                at = lane ^ self.b
                inside = at <= last
            case _:
                at = (lane & segment) | (self.b & ~segment)
                inside = at <= last
        return (at if inside else lane), inside


def every_shuffle() -> list[Shuffle]:
    """All that differ: distances up to the segment, and butterflies that leave it."""
    found = []
    for width in WIDTHS:
        for mode in ("up", "down", "bfly", "idx"):
            low = 0 if mode == "idx" else 1
            high = LANES if mode == "bfly" else width
            found += [Shuffle(mode, b, width) for b in range(low, high)]
    return found


def kernel(name: str, shuffles: Sequence[Shuffle], mask: int = 0xFFFFFFFF, bounds: str = "") -> str:
    """A kernel that stores value and predicate of each shuffle, by the lanes of a mask only."""
    lines = []
    for at, each in enumerate(shuffles):
        lines.append(
            f"shfl.sync.{each.mode}.b32 %r2|%p1, %r1, {each.b}, {each.c}, {mask:#x};"
            f"selp.b32 %r3, 1, 0, %p1; st.global.u32 [%d2+{8 * at}], %r2;"
            f"st.global.u32 [%d2+{8 * at + 4}], %r3;"
        )
    guard = ""
    if mask != 0xFFFFFFFF:
        guard = (
            f"and.b32 %r4, %r0, 31; shr.u32 %r4, {mask:#x}, %r4; and.b32 %r4, %r4, 1;"
            "setp.eq.u32 %p2, %r4, 0; @%p2 bra DONE;"
        )
    return f""".visible .entry {name}(.param .u64 input, .param .u64 output) {bounds} {{
.reg .b32 %r<8>; .reg .b64 %d<6>; .reg .pred %p<4>;
ld.param.u64 %d0, [input]; ld.param.u64 %d1, [output]; mov.u32 %r0, %tid.x;
mul.wide.u32 %d2, %r0, 4; add.s64 %d0, %d0, %d2; ld.global.u32 %r1, [%d0];
mul.wide.u32 %d2, %r0, {8 * len(shuffles)}; add.s64 %d2, %d1, %d2;
{guard}
{chr(10).join(lines)}
DONE: ret; }}
"""


def check(
    lifted: ptxlift.Lifted,
    name: str,
    shuffles: Sequence[Shuffle],
    threads: int,
    mask: int = 0xFFFFFFFF,
) -> None:
    """Runs a kernel in the emulator; lanes whose source takes no part may get anything."""
    values = np.random.default_rng(1).integers(0, 1 << 32, threads, dtype=np.uint32)
    out = np.zeros((threads, len(shuffles), 2), np.uint32)
    ptxlift.run(lifted, name, (1, 1, 1), (threads, 1, 1), [values, out])
    lanes = [i for i in range(threads) if mask >> i % LANES & 1]
    for at, each in enumerate(shuffles):
        for thread in lanes:
            source, inside = each.source(thread % LANES)
            there = (thread & -LANES | source) in lanes
            expected = values[thread & -LANES | source] if there else None
            assert expected is None or out[thread, at, 0] == expected, (each.name, thread)
            assert out[thread, at, 1] == inside, (each.name, thread)


def in_parts(shuffles: Sequence[Shuffle], size: int) -> list[tuple[str, list[Shuffle]]]:
    """Names and parts of a list."""
    starts = range(0, len(shuffles), size)
    return [(f"part{start}", list(shuffles[start : start + size])) for start in starts]


def reduction(name: str, steps: str, bounds: str = "") -> str:
    """A kernel that loads a float %f1 (bits %r1), does the steps, and stores %r2."""
    return f""".visible .entry {name}(.param .u64 memory) {bounds} {{
.reg .b32 %r<12>; .reg .f32 %f<8>; .reg .pred %p<6>; .reg .b64 %d<4>;
ld.param.u64 %d0, [memory]; mov.u32 %r0, %tid.x; mul.wide.u32 %d1, %r0, 4;
add.s64 %d2, %d0, %d1; ld.global.u32 %r1, [%d2]; mov.b32 %f1, %r1;
{steps}
st.global.u32 [%d2], %r2; ret; }}
"""


def float_steps(mode: str, distances: Sequence[int], clamp: int, guard: str = "") -> str:
    """Sums of floats by shuffles, into %r2."""
    step = (
        "mov.b32 %r3, %f1; shfl.sync.{}.b32 %r4|%p1, %r3, {}, {}, -1; mov.b32 %f2, %r4;"
        "{} add.f32 %f1, %f1, %f2;"
    )
    lines = [step.format(mode, distance, clamp, guard) for distance in distances]
    return "".join(lines) + "mov.b32 %r2, %f1;"


def integer_steps(operation: str, distances: Sequence[int]) -> str:
    """A butterfly of integers, into %r2."""
    step = "shfl.sync.bfly.b32 %r3, %r1, {}, 31, -1; {} %r1, %r1, %r3;"
    return "".join(step.format(each, operation) for each in distances) + "mov.b32 %r2, %r1;"


def integer_scan(operation: str, distances: Sequence[int], width: int = LANES) -> str:
    """A scan of integers in segments, into %r2."""
    c = (LANES - width) << 8
    step = "shfl.sync.up.b32 %r3|%p1, %r1, {}, {}, -1; @%p1 {} %r1, %r3, %r1;"
    return "".join(step.format(d, c, operation) for d in distances) + "mov.b32 %r2, %r1;"


def lift(text: str, target: str, wave: int | None = None) -> ptxlift.Lifted:
    return ptxlift.lift(HEAD + text, target, options=ptxlift.Options(wave_size=wave))
