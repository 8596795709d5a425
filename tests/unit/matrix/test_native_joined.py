"""Products that follow each other along K become one where an instruction takes more of K."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass

import manual_fragments as manual
import numpy as np
import pytest
from matrix_kernels import INTERPRETER, LANES, WARPS, Array, run, vector
from matrix_numbers import WIDTHS, random_matrix, values_of
from test_mma import Instruction, assert_right, gather, sizes, spread
from test_mma_sparse import Sparse, right_formula, sparse_matrix

ROUNDS = 3
MATRIX = re.compile(r"v_(?:mfma|wmma|smfmac|swmmac)_(\w+)")

F16 = Instruction("m16n8k16", "f32", "f16", "f16", "f32")
F16_SHORT = Instruction("m16n8k8", "f32", "f16", "f16", "f32")
BF16 = Instruction("m16n8k16", "f32", "bf16", "bf16", "f32")
S8 = Instruction("m16n8k32", "s32", "s8", "s8", "s32")
S8_SHORT = Instruction("m16n8k16", "s32", "s8", "s8", "s32")
SATURATED = Instruction("m16n8k32", "s32", "s8", "s8", "s32", ".satfinite")


@dataclass(frozen=True)
class Case:
    """A chain of products, and the shape of the instruction that takes them."""

    target: str
    inst: Instruction
    count: int
    shape: str

    def __str__(self) -> str:
        return f"{self.target}-{self.inst.shape}-{self.inst.a}-{self.count}"


CASES = [
    Case("gfx950", F16, 2, "f32_16x16x32_f16"),
    Case("gfx950", BF16, 4, "f32_16x16x32_bf16"),
    Case("gfx950", F16, 3, "f32_16x16x16_f16"),
    Case("gfx950", S8, 2, "i32_16x16x64_i8"),
    Case("gfx950", SATURATED, 2, "i32_16x16x32_i8"),
    Case("gfx942", S8_SHORT, 2, "i32_16x16x32_i8"),
    Case("gfx942", F16_SHORT, 2, "f32_16x16x16_f16"),
    Case("gfx1201", F16_SHORT, 2, "f32_16x16x16_f16"),
    Case("gfx1250", F16, 2, "f32_16x16x32_f16"),
]


def body_of(text: str, count: int, a: int, b: int, rest: str = "") -> str:
    """A loop around a chain of products of so many registers each."""
    lines = ["mov.u32 %r0, 0;", "LOOP:"]
    for step in range(count):
        left = "{" + ", ".join(f"%a{a * step + i}" for i in range(a)) + "}"
        right = "{" + ", ".join(f"%b{b * step + i}" for i in range(b)) + "}"
        tail = rest.format(step=step)
        lines.append(f"{text} {vector('c', 4)}, {left}, {right}, {vector('c', 4)}{tail};")
    lines.append(f"add.u32 %r0, %r0, 1; setp.lt.u32 %t0, %r0, {ROUNDS}; @%t0 bra LOOP;")
    lines += [f"mov.b32 %d{i}, %c{i};" for i in range(4)]
    return "\n".join(lines)


def check_chain(
    inst: Instruction, target: str, body: str, inputs: dict[str, Array], a: Array, b: Array
) -> set[str]:
    """Gives the instructions' names."""
    listing: list[str] = []
    full = inputs | {"c": np.zeros((LANES, 4), np.uint32)}
    got = run(body, full, {"d": (4, 32)}, target, matrix="native", listing=listing)["d"]
    d = values_of(inst.d, gather(got, manual.accumulator("m16n8k16"), (16, 8), 32))
    whole = np.concatenate([a] * ROUNDS, axis=2)
    right = np.concatenate([b] * ROUNDS, axis=1)
    zero = np.zeros((WARPS, 16, 8), d.dtype)
    other = run(body, full, {"d": (4, 32)}, INTERPRETER)["d"]
    told = values_of(inst.d, gather(other, manual.accumulator("m16n8k16"), (16, 8), 32))
    assert_right(inst, (d, told), whole, right, zero)
    return set(Counter(MATRIX.findall(listing[0])))


@pytest.mark.parametrize("case", CASES, ids=str)
def test_chains(case: Case) -> None:
    rng = np.random.default_rng(4)
    inst = case.inst
    m, n, k = sizes(inst.shape)
    width = WIDTHS[inst.a]
    left = [random_matrix(inst.a, (WARPS, m, k), rng) for _ in range(case.count)]
    right = [random_matrix(inst.b, (WARPS, k, n), rng) for _ in range(case.count)]
    places = manual.LEFT[inst.shape, width], manual.RIGHT[inst.shape, width]
    a = np.hstack([spread(bits, places[0], m * k // 32, width) for bits, _ in left])
    b = np.hstack([spread(bits, places[1], n * k // 32, width) for bits, _ in right])
    body = body_of(inst.text, case.count, a.shape[1] // case.count, b.shape[1] // case.count)
    values = (
        np.concatenate([value for _, value in left], axis=2),
        np.concatenate([value for _, value in right], axis=1),
    )
    names = check_chain(inst, case.target, body, {"a": a, "b": b}, *values)
    assert names == {case.shape}


SPARSE_F16 = Sparse(Instruction("m16n8k32", "f32", "f16", "f16", "f32"), "m16n8k16", "", 2)
SPARSE_S8 = Sparse(Instruction("m16n8k64", "s32", "s8", "s8", "s32"), "m16n8k32", "", 1)
SPARSE_FP8 = Sparse(Instruction("m16n8k64", "f32", "e4m3", "e4m3", "f32"), "m16n8k32", "", 1)
SPARSE = [
    ("gfx950", SPARSE_F16, "f32_16x16x64_f16"),
    ("gfx950", SPARSE_S8, "i32_16x16x128_i8"),
    ("gfx950", SPARSE_FP8, "f32_16x16x128_fp8_fp8"),
    ("gfx1250", SPARSE_F16, "f32_16x16x64_f16"),
    ("gfx1250", SPARSE_S8, "i32_16x16x128_iu8"),
    ("gfx1250", SPARSE_FP8, "f32_16x16x128_fp8_fp8"),
    ("gfx1201", SPARSE_F16, "f32_16x16x32_f16"),
]


@pytest.mark.parametrize(("target", "case", "shape"), SPARSE, ids=str)
def test_sparse_chains(target: str, case: Sparse, shape: str) -> None:
    """Each part of K has metadata of its own, with a selector of its own."""
    rng = np.random.default_rng(5)
    inst = case.inst
    _, n, k = sizes(inst.shape)
    width = WIDTHS[inst.a]
    parts = [sparse_matrix(case, step % case.selectors, rng) for step in range(2)]
    right = [random_matrix(inst.b, (WARPS, k, n), rng) for _ in range(2)]
    formula = manual.LEFT[case.stored, width]
    inputs = {
        "a": np.hstack([spread(bits, formula, 16 * k // 64, width) for bits, _, _ in parts]),
        "b": np.hstack(
            [spread(bits, right_formula(case), n * k // 32, width) for bits, _ in right]
        ),
        "e": np.hstack([metadata for _, _, metadata in parts]),
    }
    text = inst.text.replace("mma.sync", "mma.sp::ordered_metadata.sync")
    body = body_of(text, 2, 4, 4, ", %e{step}, SELECTOR{step}")
    body = body.replace("SELECTOR0", "0").replace("SELECTOR1", str(case.selectors - 1))
    a = np.concatenate([whole for _, whole, _ in parts], axis=2)
    b = np.concatenate([value for _, value in right], axis=1)
    assert check_chain(inst, target, body, inputs, a, b) == {shape}
