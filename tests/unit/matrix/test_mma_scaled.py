"""mma and mma.sp with block scaling on random tiles.

Which lane's byte scales which row or column is told by the layouts of scale factors in NVIDIA's
CUTLASS for the same instructions (of 32 lanes, `2:8, 2:0, 8:1` for a and `4:0, 8:1` for b).
"""

from __future__ import annotations

from dataclasses import dataclass

import manual_fragments as manual
import numpy as np
import pytest
from matrix_kernels import INTERPRETER, LANES, SAMPLED, TARGETS, WARPS, Array, run, vector
from matrix_numbers import WIDTHS, random_matrix, small_value, values_of
from test_mma import Instruction, gather, sizes, spread
from test_mma_sparse import Sparse, sparse_matrix

EVERYWHERE = (INTERPRETER, *TARGETS, *SAMPLED[:1])


@dataclass(frozen=True)
class Scaled:
    """An instruction. `vector`: blocks along K; `byte`, `thread_a`, `thread_b`: the selectors."""

    shape: str
    kind: str
    a: str
    b: str
    vector: int
    scale: str = "ue8m0"
    byte: int = 0
    thread_a: int = 0
    thread_b: int = 0
    sparse: str = ""  # the dense shape whose fragment the stored a has

    @property
    def text(self) -> str:
        sp = ".sp::ordered_metadata" if self.sparse else ""
        return (
            f"mma{sp}.sync.aligned.{self.shape}.row.col.kind::{self.kind}.block_scale"
            f".scale_vec::{self.vector}X.f32.{self.a}.{self.b}.f32.{self.scale}"
        )

    @property
    def width(self) -> int:
        """Bits of an element in a register."""
        return 8 if self.kind == "mxf8f6f4" else 4

    def __str__(self) -> str:
        return f"{self.text}-{self.byte}{self.thread_a}{self.thread_b}"


CASES = [
    Scaled("m16n8k32", "mxf8f6f4", "e4m3", "e5m2", 1, byte=3, thread_a=1, thread_b=2),
    Scaled("m16n8k32", "mxf8f6f4", "e2m1", "e3m2", 1),
    Scaled("m16n8k64", "mxf4", "e2m1", "e2m1", 2, byte=2, thread_b=3),
    Scaled("m16n8k64", "mxf4nvf4", "e2m1", "e2m1", 2, thread_a=1),
    Scaled("m16n8k64", "mxf4nvf4", "e2m1", "e2m1", 4, "ue4m3", thread_a=1, thread_b=1),
    Scaled("m16n8k64", "mxf8f6f4", "e4m3", "e2m3", 1, byte=1, sparse="m16n8k32"),
    Scaled("m16n8k128", "mxf4", "e2m1", "e2m1", 2, byte=2, thread_b=2, sparse="m16n8k64"),
    Scaled("m16n8k128", "mxf4nvf4", "e2m1", "e2m1", 4, "ue4m3", thread_a=1, sparse="m16n8k64"),
]


def scale_value(kind: str, byte: int) -> float:
    return 2.0 ** (byte - 127) if kind == "ue8m0" else small_value("e4m3", byte)


def random_scales(case: Scaled, rng: np.random.Generator) -> Array:
    """A register a lane; the lanes that no scale is read from hold some too."""
    low, high = (120, 134) if case.scale == "ue8m0" else (0x08, 0x7E)
    return rng.integers(low, high, (LANES, 4)).astype(np.uint8).view(np.uint32)


def scales(case: Scaled, words: Array, side: str) -> Array:
    """(warps, rows or columns, blocks)."""
    count = 16 if side == "a" else 8
    found = np.zeros((WARPS, count, case.vector))
    held = words.view(np.uint8).reshape(WARPS, 32, 4)
    for warp in range(WARPS):
        for index in range(count):
            if side == "a":
                lane = 4 * (index % 8) + 2 * case.thread_a + index // 8
            else:
                lane = 4 * index + case.thread_b
            for block in range(case.vector):
                byte = int(held[warp, lane, case.byte + block])
                found[warp, index, block] = scale_value(case.scale, byte)
    return found


def small(
    case: Scaled, name: str, shape: tuple[int, ...], rng: np.random.Generator
) -> tuple[Array, Array]:
    """Bits as they lie in registers, and values."""
    bits, values = random_matrix(name, shape, rng)
    return (bits >> 2 if case.width == 4 else bits), values


def right_formula(case: Scaled) -> manual.Formula:
    """b: registers of four lanes' neighbours, one after the other."""
    packed = 32 // case.width
    return lambda g, t, i: (i // packed * 4 * packed + t * packed + i % packed, g)


def dense_a(case: Scaled, rng: np.random.Generator) -> tuple[Array, Array]:
    """Registers and values of a."""
    _, _, k = sizes(case.shape)
    bits, a = small(case, case.a, (WARPS, 16, k), rng)
    formula = manual.LEFT[case.shape, case.width]
    return spread(bits, formula, 16 * k // 32, case.width), a


def sparse_a(case: Scaled, rng: np.random.Generator) -> tuple[Array, Array, Array]:
    """Registers, values of the whole a, and metadata."""
    # Metadata goes by width: elements of four bits as integers of four.
    kind = "s4" if case.width == 4 else case.a
    inst = Instruction(case.shape, "s32", kind, kind, "s32")
    bits, integers, metadata = sparse_matrix(Sparse(inst, case.sparse, "", 1), 0, rng)
    if case.width == 4:
        code = np.vectorize(lambda value: small_value("e2m1", int(value) & 15))
        integers = np.where(integers == 0, 0.0, code(integers.astype(np.int64)))
    k = sizes(case.sparse)[2]
    formula = manual.LEFT[case.sparse, case.width]
    return spread(bits, formula, 16 * k // 32, case.width), integers, metadata


@pytest.mark.sampled(13)
@pytest.mark.parametrize("target", EVERYWHERE)
@pytest.mark.parametrize("case", CASES, ids=str)
@pytest.mark.parametrize("in_registers", [False, True])
def test_scaled(case: Scaled, in_registers: bool, target: str) -> None:
    """The selectors are immediates or registers."""
    if in_registers and (target != "gfx1100" or case.sparse):
        pytest.skip("one chip is enough")
    rng = np.random.default_rng(len(str(case)))
    m, n, k = sizes(case.shape)
    inputs = {}
    if case.sparse:
        inputs["a"], a, inputs["e"] = sparse_a(case, rng)
    else:
        inputs["a"], a = dense_a(case, rng)
    b_bits, b = small(case, case.b, (WARPS, k, n), rng)
    inputs["b"] = spread(b_bits, right_formula(case), n * k // 32, case.width)
    c_bits, c = random_matrix("f32", (WARPS, m, n), rng)
    sums = manual.accumulator(case.shape)
    inputs["c"] = spread(c_bits, sums, 4, WIDTHS["f32"])
    inputs["s"], inputs["u"] = random_scales(case, rng), random_scales(case, rng)
    head = ""
    pairs = [f"{{{case.byte}, {case.thread_a}}}", f"{{{case.byte}, {case.thread_b}}}"]
    if in_registers:
        values = (case.byte, case.thread_a, case.byte, case.thread_b)
        head = ".reg .b16 %h<4>;" + "".join(f"mov.b16 %h{i}, {v};" for i, v in enumerate(values))
        pairs = ["{%h0, %h1}", "{%h2, %h3}"]
    operands = ", ".join(vector(letter, inputs[letter].shape[1]) for letter in "abc")
    operands += ", %e0, 0" if case.sparse else ""
    body = f"{head}{case.text} {vector('d', 4)}, {operands}, %s0, {pairs[0]}, %u0, {pairs[1]};"
    got = run(body, inputs, {"d": (4, 32)}, target)["d"]
    d = values_of("f32", gather(got, sums, (m, n), 32))
    size = k // case.vector
    wide_a = a * scales(case, inputs["s"], "a").repeat(size, axis=2)
    wide_b = b * np.swapaxes(scales(case, inputs["u"], "b"), 1, 2).repeat(size, axis=1)
    bound = (k + 1) * 2.0**-24 * (np.abs(wide_a) @ np.abs(wide_b) + np.abs(c))
    assert (np.abs(d - (wide_a @ wide_b + c)) <= bound).all()
