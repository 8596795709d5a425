"""mma.sync: every shape and type on random tiles, against numpy in float64; integers exactly."""

from __future__ import annotations

import re
from dataclasses import dataclass

import manual_fragments as manual
import numpy as np
import pytest
from matrix_kernels import INTERPRETER, LANES, SAMPLED, TARGETS, WARPS, Array, run, vector
from matrix_numbers import (
    INTEGERS,
    WIDTHS,
    assert_close,
    bound_of,
    pack_lane,
    random_matrix,
    unpack_lane,
    values_of,
)


@dataclass(frozen=True)
class Instruction:
    """One mma.sync. `suffix` stands behind the types, `kind` before them."""

    shape: str
    d: str
    a: str
    b: str
    c: str
    kind: str = ""
    suffix: str = ""

    @property
    def text(self) -> str:
        types = f"{self.d}.{self.a}.{self.b}.{self.c}"
        return f"mma.sync.aligned.{self.shape}.row.col{self.kind}.{types}{self.suffix}"

    def __str__(self) -> str:
        return self.text.removeprefix("mma.sync.aligned.")


def floats(shapes: str, d: str, a: str, c: str, kind: str = "") -> list[Instruction]:
    return [Instruction(shape, d, a, a, c, kind) for shape in shapes.split()]


def mixed(shapes: str, kinds: str, kind: str = "") -> list[Instruction]:
    return [
        Instruction(shape, "s32", a, b, "s32", kind)
        for shape in shapes.split()
        for a in kinds.split()
        for b in kinds.split()
    ]


COMMON = [
    *floats("m16n8k8 m16n8k16", "f32", "f16", "f32"),
    *floats("m16n8k8 m16n8k16", "f16", "f16", "f16"),
    *floats("m16n8k8 m16n8k16", "f32", "bf16", "f32"),
    *floats("m16n8k4 m16n8k8", "f32", "tf32", "f32"),
    *floats("m8n8k4 m16n8k4 m16n8k8 m16n8k16", "f64", "f64", "f64"),
    Instruction("m8n8k4", "f64", "f64", "f64", "f64", ".rz"),
    *mixed("m8n8k16 m16n8k16 m16n8k32", "s8 u8"),
    Instruction("m16n8k32", "s32", "s8", "u8", "s32", ".satfinite"),
]
RARE = [
    *floats("m16n8k16 m16n8k32", "f32", "e4m3", "f32"),
    *floats("m16n8k32", "f16", "e5m2", "f16"),
    Instruction("m16n8k32", "f32", "e4m3", "e5m2", "f32"),
    *floats("m16n8k32", "f32", "e2m1", "f32", ".kind::f8f6f4"),
    Instruction("m16n8k32", "f32", "e2m3", "e3m2", "f32", ".kind::f8f6f4"),
    Instruction("m16n8k32", "f16", "e4m3", "e2m1", "f16", ".kind::f8f6f4"),
    *mixed("m8n8k32 m16n8k32 m16n8k64", "s4 u4"),
    Instruction("m16n8k64", "s32", "u4", "s4", "s32", ".satfinite"),
    *[
        Instruction(shape, "s32", "b1", "b1", "s32", "", f".{op}.popc")
        for shape in ("m8n8k128", "m16n8k128", "m16n8k256")
        for op in ("xor", "and")
    ],
]
EVERYWHERE = (INTERPRETER, *TARGETS)


def sizes(shape: str) -> tuple[int, int, int]:
    found = re.fullmatch(r"m(\d+)n(\d+)k(\d+)", shape)
    assert found is not None
    m, n, k = (int(part) for part in found.groups())
    return m, n, k


def spread(bits: Array, formula: manual.Formula, elements: int, width: int) -> Array:
    """Matrices, one a warp, as the registers of all lanes."""
    rows = []
    for lane in range(LANES):
        matrix = bits[lane // 32]
        places = [formula(lane % 32 // 4, lane % 4, i) for i in range(elements)]
        rows.append(pack_lane([int(matrix[place]) for place in places], width))
    return np.array(rows, np.uint64 if width == 64 else np.uint32)


def gather(registers: Array, formula: manual.Formula, shape: tuple[int, int], width: int) -> Array:
    """Registers of all lanes as matrices."""
    result = np.zeros((WARPS, *shape), np.uint64)
    for lane in range(LANES):
        for i, element in enumerate(unpack_lane(registers[lane], width)):
            result[(lane // 32, *formula(lane % 32 // 4, lane % 4, i))] = element
    return result


def expected_integers(inst: Instruction, a: Array, b: Array, c: Array) -> Array:
    """Exact, then wrapped or clamped."""
    if inst.suffix == ".xor.popc":
        differ = a[:, :, None, :] != np.swapaxes(b, 1, 2)[:, None, :, :]
        total = differ.sum(axis=-1) + c
    else:
        total = a @ b + c
    if inst.kind == ".satfinite":
        return np.clip(total, -(1 << 31), (1 << 31) - 1)
    return total.astype(np.uint64).astype(np.uint32).view(np.int32).astype(np.int64)


def assert_right(
    inst: Instruction, results: tuple[Array, Array], a: Array, b: Array, c: Array, steps: int = 1
) -> None:
    """A target's result, and the interpreter's, against numpy and each other: integers exactly,
    floats within the accumulator's bound, where each has been rounded to d's type.
    """
    d, other = results
    if inst.a in INTEGERS:
        assert np.array_equal(d, expected_integers(inst, a, b, c))
        assert np.array_equal(d, other)
        return
    assert_close(inst.d, d, a, b, c, steps=steps)
    assert (np.abs(d - other) <= bound_of(inst.d, a, b, c, 2, steps)).all()


def check(inst: Instruction, target: str, matrix: str = "generic") -> str:
    """Gives the assembly."""
    rng = np.random.default_rng(len(str(inst)))
    m, n, k = sizes(inst.shape)
    a_width, b_width = WIDTHS[inst.a], WIDTHS[inst.b]
    c_width, d_width = WIDTHS[inst.c], WIDTHS[inst.d]
    a_bits, a = random_matrix(inst.a, (WARPS, m, k), rng)
    b_bits, b = random_matrix(inst.b, (WARPS, k, n), rng)
    c_bits, c = random_matrix(inst.c, (WARPS, m, n), rng)
    if inst.kind == ".satfinite":
        c_bits[:, ::2], c[:, ::2] = 0x7FFFFF00, 0x7FFFFF00
        c_bits[:, 1::4], c[:, 1::4] = 0x80000100, -0x7FFFFF00
    sums = manual.accumulator(inst.shape)
    inputs = {
        "a": spread(a_bits, manual.LEFT[inst.shape, a_width], m * k // 32, a_width),
        "b": spread(b_bits, manual.RIGHT[inst.shape, b_width], n * k // 32, b_width),
        "c": spread(c_bits, sums, m * n // 32, c_width),
    }
    count = m * n * d_width // 32 // max(32, d_width)
    operands = ", ".join(vector(letter, inputs[letter].shape[1]) for letter in "abc")
    body = f"{inst.text} {vector('d', count)}, {operands};"
    outputs = {"d": (count, max(32, d_width))}
    listing: list[str] = []
    ran = [
        run(body, inputs, outputs, x, matrix=matrix, listing=listing)["d"]
        for x in (target, INTERPRETER)
    ]
    got, other = (values_of(inst.d, gather(x, sums, (m, n), d_width)) for x in ran)
    # Directed roundings may be off by a whole unit each time.
    steps = 2 if inst.kind in (".rz", ".rm", ".rp") else 1
    assert_right(inst, (got, other), a, b, c, steps)
    return "".join(listing)


@pytest.mark.sampled(26)
@pytest.mark.parametrize("target", EVERYWHERE)
@pytest.mark.parametrize("inst", COMMON, ids=str)
def test_common(inst: Instruction, target: str) -> None:
    check(inst, target)


@pytest.mark.sampled(18)
@pytest.mark.parametrize("target", EVERYWHERE)
@pytest.mark.parametrize("inst", RARE, ids=str)
def test_rare(inst: Instruction, target: str) -> None:
    check(inst, target)


@pytest.mark.sampled(8)
@pytest.mark.parametrize("target", SAMPLED)
@pytest.mark.parametrize("inst", [COMMON[1], COMMON[4], COMMON[6], COMMON[9], COMMON[-1]], ids=str)
def test_other_chips(inst: Instruction, target: str) -> None:
    check(inst, target)
