"""mma.sp on random tiles: half of a's elements are stored, metadata says where they belong."""

from __future__ import annotations

import re
from dataclasses import dataclass

import manual_fragments as manual
import numpy as np
import pytest
from matrix_kernels import INTERPRETER, LANES, TARGETS, WARPS, Array, run, vector
from matrix_numbers import WIDTHS, assert_close, random_matrix, values_of
from test_mma import Instruction, assert_right, gather, sizes, spread

EVERYWHERE = (INTERPRETER, *TARGETS)


@dataclass(frozen=True)
class Sparse:
    """An instruction, and the shapes of dense ones whose fragments its stored a and its b have."""

    inst: Instruction
    stored: str
    right: str
    selectors: int  # how many there are

    def __str__(self) -> str:
        return str(self.inst)


CASES = [
    Sparse(Instruction("m16n8k16", "f32", "f16", "f16", "f32"), "m16n8k8", "m16n8k16", 4),
    Sparse(Instruction("m16n8k32", "f32", "f16", "f16", "f32"), "m16n8k16", "", 2),
    Sparse(Instruction("m16n8k32", "f16", "f16", "f16", "f16"), "m16n8k16", "", 2),
    Sparse(Instruction("m16n8k32", "f32", "bf16", "bf16", "f32"), "m16n8k16", "", 2),
    Sparse(Instruction("m16n8k8", "f32", "tf32", "tf32", "f32"), "m16n8k4", "m16n8k8", 4),
    Sparse(Instruction("m16n8k16", "f32", "tf32", "tf32", "f32"), "m16n8k8", "", 2),
    Sparse(Instruction("m16n8k32", "s32", "s8", "u8", "s32"), "m16n8k16", "m16n8k32", 2),
    Sparse(Instruction("m16n8k64", "s32", "u8", "s8", "s32"), "m16n8k32", "", 1),
    Sparse(Instruction("m16n8k64", "s32", "s8", "s8", "s32", ".satfinite"), "m16n8k32", "", 1),
    Sparse(Instruction("m16n8k64", "s32", "s4", "u4", "s32"), "m16n8k32", "m16n8k64", 2),
    Sparse(Instruction("m16n8k128", "s32", "s4", "s4", "s32", ".satfinite"), "m16n8k64", "", 1),
    Sparse(Instruction("m16n8k64", "f32", "e4m3", "e5m2", "f32"), "m16n8k32", "", 1),
]


def right_formula(case: Sparse) -> manual.Formula:
    """b of the longest shapes: registers of four lanes' neighbours, one after the other."""
    if case.right:
        return manual.RIGHT[case.right, WIDTHS[case.inst.b]]
    packed = 32 // WIDTHS[case.inst.b]
    return lambda g, t, i: (i // packed * 4 * packed + t * packed + i % packed, g)


def positions(kind: str, rng: np.random.Generator) -> tuple[list[int], int]:
    """Which elements of a chunk are stored, and the chunk's four bits of metadata."""
    if WIDTHS[kind] == 32:
        index = int(rng.integers(2))
        return [index], 0b1110 if index else 0b0100
    first, second = sorted(rng.choice(4, 2, replace=False).tolist())
    bits = first | second << 2
    if WIDTHS[kind] == 4:
        return [2 * first, 2 * first + 1, 2 * second, 2 * second + 1], bits
    return [first, second], bits


def metadata_place(kind: str, k: int, row: int, chunk: int, selector: int) -> tuple[int, int]:
    """Lane and lowest bit of a chunk's metadata, from the figures of the manual."""
    t0 = row % 8 * 4
    if WIDTHS[kind] in (16, 32):
        if k * WIDTHS[kind] == 256:  # one lane a group: T0..T3 by the selector
            return t0 + selector, 4 * chunk + (16 if row >= 8 else 0)
        return t0 + 2 * selector + chunk // 4, 4 * (chunk % 4) + (16 if row >= 8 else 0)
    if k * WIDTHS[kind] == 256:  # two lanes: one for each row
        return t0 + 2 * selector + row // 8, 4 * chunk
    return t0 + row // 8 + 2 * (chunk // 8), 4 * (chunk % 8)


def sparse_matrix(
    case: Sparse, selector: int, rng: np.random.Generator
) -> tuple[Array, Array, Array]:
    """Stored bits (warps, 16, k / 2), the values of the whole a, and each lane's metadata."""
    kind = case.inst.a
    k = sizes(case.inst.shape)[2]
    bits, values = random_matrix(kind, (WARPS, 16, k // 2), rng)
    whole = np.zeros((WARPS, 16, k), values.dtype)
    metadata = rng.integers(0, 1 << 32, (LANES, 1), dtype=np.uint32)  # of the others: anything
    size = {32: 2, 4: 8}.get(WIDTHS[kind], 4)
    for warp in range(WARPS):
        for row in range(16):
            for chunk in range(k // size):
                kept, fields = positions(kind, rng)
                for number, at in enumerate(kept):
                    stored = values[warp, row, chunk * size // 2 + number]
                    whole[warp, row, chunk * size + at] = stored
                lane, low = metadata_place(kind, k, row, chunk, selector)
                word = int(metadata[32 * warp + lane, 0]) & ~(15 << low)
                metadata[32 * warp + lane, 0] = word | fields << low
    return bits, whole, metadata


@pytest.mark.sampled(20)
@pytest.mark.parametrize("target", EVERYWHERE)
@pytest.mark.parametrize("case", CASES, ids=str)
def test_sparse(case: Sparse, target: str) -> None:
    check_sparse(case, target, "generic")


CHIPS = ["gfx942", "gfx950", "gfx1100", "gfx1201", "gfx1250"]
# What takes a sparse a, and the types; formats of eight bits are not OCP's on gfx942.
HALVES, FP8 = {("f16", "f16"), ("bf16", "bf16")}, {("e4m3", "e5m2")}
SIGNED, MIXED = {("s8", "s8")}, {("s8", "u8"), ("u8", "s8")}
INSTRUCTIONS = {
    "gfx942": HALVES | SIGNED,
    "gfx950": HALVES | SIGNED | FP8,
    "gfx1201": HALVES | SIGNED | MIXED | FP8,
    "gfx1250": HALVES | SIGNED | MIXED | FP8,
}


@pytest.mark.sampled(14)
@pytest.mark.parametrize("target", CHIPS)
@pytest.mark.parametrize("case", [case for case in CASES if WIDTHS[case.inst.a] > 4], ids=str)
def test_sparse_on_matrix_instructions(case: Sparse, target: str) -> None:
    """Sparse ones, or the whole a is multiplied, with its zeros."""
    text = check_sparse(case, target, "native")
    taken = (case.inst.a, case.inst.b) in INSTRUCTIONS.get(target, set())
    assert bool(re.search(r"v_s(?:mfm|wmm)ac_", text)) == taken


def check_sparse(case: Sparse, target: str, matrix: str) -> str:
    """Gives the assembly."""
    rng = np.random.default_rng(2)
    inst = case.inst
    m, n, k = sizes(inst.shape)
    selector = case.selectors - 1
    a_width, b_width = WIDTHS[inst.a], WIDTHS[inst.b]
    stored, a, metadata = sparse_matrix(case, selector, rng)
    b_bits, b = random_matrix(inst.b, (WARPS, k, n), rng)
    c_bits, c = random_matrix(inst.c, (WARPS, m, n), rng)
    sums = manual.accumulator("m16n8k16")
    inputs = {
        "a": spread(stored, manual.LEFT[case.stored, a_width], m * k // 64, a_width),
        "b": spread(b_bits, right_formula(case), n * k // 32, b_width),
        "c": spread(c_bits, sums, 4, WIDTHS[inst.c]),
        "e": metadata,
    }
    d_width = WIDTHS[inst.d]
    count = 4 * d_width // 32
    operands = ", ".join(vector(letter, inputs[letter].shape[1]) for letter in "abc")
    text = inst.text.replace("mma.sync", "mma.sp::ordered_metadata.sync")
    body = f"{text} {vector('d', count)}, {operands}, %e0, {selector};"
    listing: list[str] = []
    outputs = {"d": (count, 32)}
    got = run(body, inputs, outputs, target, matrix=matrix, listing=listing)["d"]
    other = run(body, inputs, outputs, INTERPRETER)["d"]
    found = [values_of(inst.d, gather(x, sums, (m, n), d_width)) for x in (got, other)]
    assert_right(inst, (found[0], found[1]), a, b, c)
    return "".join(listing)


LOOP = """.reg .pred %again; .reg .b32 %i, %t;
mov.u32 %i, 0;
LOOP:
{first} {{%c0, %c1, %c2, %c3}}, {a}, {{%b0, %b1, %b2, %b3}}, {{%c0, %c1, %c2, %c3}}, %e0, 0;
{first} {{%c4, %c5, %c6, %c7}}, {a}, {{%b4, %b5, %b6, %b7}}, {{%c4, %c5, %c6, %c7}}, %e0, 0;
add.u32 %i, %i, 1;
setp.lt.u32 %again, %i, 3;
@%again bra LOOP;
{moves}"""


@pytest.mark.parametrize("target", ["gfx942", "gfx950", "gfx1201", "gfx1250"])
def test_a_loop_chooses_them(target: str) -> None:
    """Two products side by side become one instruction; accumulators stay where they are."""
    case = Sparse(Instruction("m16n8k32", "f32", "f16", "f16", "f32"), "m16n8k16", "", 2)
    rng = np.random.default_rng(3)
    stored, a, metadata = sparse_matrix(case, 0, rng)
    b_bits, b = random_matrix("f16", (2, WARPS, 32, 8), rng)
    sums = manual.accumulator("m16n8k16")
    inputs = {
        "a": spread(stored, manual.LEFT["m16n8k16", 16], 8, 16),
        "b": np.hstack([spread(bits, right_formula(case), 8, 16) for bits in b_bits]),
        "c": np.zeros((LANES, 8), np.uint32),
        "e": metadata,
    }
    text = case.inst.text.replace("mma.sync", "mma.sp::ordered_metadata.sync")
    moves = "".join(f"mov.b32 %d{i}, %c{i};" for i in range(8))
    body = LOOP.format(first=text, a=vector("a", 4), moves=moves)
    listing: list[str] = []
    got = run(body, inputs, {"d": (8, 32)}, target, matrix="auto", listing=listing)["d"]
    warps_of_wave = 2 if target.startswith("gfx9") else 1
    count = len(re.findall(r"v_s(?:mfm|wmm)ac_", listing[0]))  # LLVM may unroll the loop
    assert 0 < count <= 3 * warps_of_wave
    whole = np.concatenate([a] * 3, axis=2)
    for half in range(2):
        d = values_of("f32", gather(got[:, 4 * half : 4 * half + 4], sums, (16, 8), 32))
        assert_close("f32", d, whole, np.concatenate([b[half]] * 3, axis=1), 0 * d)
