"""Products on the chips' matrix instructions: the same results, and the instructions are there."""

from __future__ import annotations

import re
from collections.abc import Callable

import manual_fragments as manual
import numpy as np
import pytest
from matrix_kernels import HEAD, LANES, WARPS, Array, kernel, launch, run, vector
from matrix_numbers import INTEGERS, WIDTHS, assert_close, random_matrix, values_of
from test_mma import Instruction, check, expected_integers, gather, sizes, spread

import ptxlift

F16 = Instruction("m16n8k16", "f32", "f16", "f16", "f32")
F16_SHORT = Instruction("m16n8k8", "f32", "f16", "f16", "f32")
BF16 = Instruction("m16n8k16", "f32", "bf16", "bf16", "f32")
TF32 = Instruction("m16n8k8", "f32", "tf32", "tf32", "f32")
TF32_SHORT = Instruction("m16n8k4", "f32", "tf32", "tf32", "f32")
S8 = Instruction("m16n8k32", "s32", "s8", "s8", "s32")
S8_SHORT = Instruction("m16n8k16", "s32", "s8", "s8", "s32")
S8_SATURATED = Instruction("m16n8k32", "s32", "s8", "s8", "s32", ".satfinite")
F16_SUMS = Instruction("m16n8k16", "f16", "f16", "f16", "f16")
U8_S8 = Instruction("m16n8k32", "s32", "u8", "s8", "s32")
U8_U8 = Instruction("m16n8k16", "s32", "u8", "u8", "s32", ".satfinite")
S8_U8 = Instruction("m16n8k32", "s32", "s8", "u8", "s32")
F64 = Instruction("m16n8k8", "f64", "f64", "f64", "f64")
F64_SHORT = Instruction("m16n8k4", "f64", "f64", "f64", "f64")
FP8 = [
    Instruction("m16n8k32", "f32", a, b, "f32") for a in ("e4m3", "e5m2") for b in ("e4m3", "e5m2")
]
FP8_SUMS = Instruction("m16n8k16", "f16", "e5m2", "e4m3", "f16")
WMMA = (
    F16,
    F16_SHORT,
    BF16,
    TF32,
    TF32_SHORT,
    S8,
    S8_SHORT,
    S8_SATURATED,
    F16_SUMS,
    U8_S8,
    U8_U8,
    S8_U8,
)
SUPPORTED = {
    "gfx1100": WMMA,
    "gfx1201": (*WMMA, *FP8, FP8_SUMS),
    "gfx1250": (*WMMA, *FP8, FP8_SUMS),
    "gfx942": (F16, F16_SHORT, BF16, TF32, S8, S8_SHORT, S8_SATURATED, F16_SUMS, F64, F64_SHORT),
    "gfx950": (F16, BF16, TF32, S8, *FP8, FP8_SUMS, F64),
    "gfx90a": (TF32, S8, S8_SHORT, F64, F64_SHORT),
}
RUNS = [(target, inst) for target, insts in SUPPORTED.items() for inst in insts]
MATRIX = re.compile(r"v_(?:mfma|wmma)_\w+")


@pytest.mark.parametrize(("target", "inst"), RUNS, ids=str)
def test_one_product(target: str, inst: Instruction) -> None:
    check(inst, target, "native")


def loop(inst: Instruction, columns: int, rounds: str, start: str) -> str:
    """A loop that multiplies the same a by some b, one eight columns after the other."""
    a, b, each = registers(inst)
    lines = [start, "mov.u32 %r0, 0;", "LOOP:"]
    for j in range(columns):
        c = "{" + ", ".join(f"%c{each * j + i}" for i in range(each)) + "}"
        right = "{" + ", ".join(f"%b{b * j + i}" for i in range(b)) + "}"
        lines.append(f"{inst.text} {c}, {vector('a', a)}, {right}, {c};")
    lines += ["add.u32 %r0, %r0, 1;", f"setp.lt.u32 %t0, %r0, {rounds};", "@%t0 bra LOOP;"]
    width = max(32, WIDTHS[inst.d])
    lines += [f"mov.b{width} %d{i}, %c{i};" for i in range(each * columns)]
    return "\n".join(lines)


def registers(inst: Instruction) -> tuple[int, int, int]:
    """Of a, b and d."""
    m, n, k = sizes(inst.shape)
    elements = ((m * k, inst.a), (k * n, inst.b), (m * n, inst.d))
    a, b, d = (count * WIDTHS[name] // 32 // max(32, WIDTHS[name]) for count, name in elements)
    return a, b, d


def run_loop(
    inst: Instruction,
    columns: int,
    target: str,
    matrix: str,
    rounds: str,
    start: str,
    times: Array,
    changed: Callable[[str], str] = str,
) -> str:
    """Runs a loop; checks d = times * a @ b + c for each warp, and gives the assembly. `changed`:
    makes another text of the loop's.
    """
    rng = np.random.default_rng(columns)
    m, n, k = sizes(inst.shape)
    width = WIDTHS[inst.a]
    a_bits, a = random_matrix(inst.a, (WARPS, m, k), rng)
    right = [random_matrix(inst.b, (WARPS, k, n), rng) for _ in range(columns)]
    sums = [random_matrix(inst.c, (WARPS, m, n), rng) for _ in range(columns)]
    if start:
        sums = [(np.zeros_like(bits), np.zeros_like(c)) for bits, c in sums]
    layout = manual.accumulator(inst.shape)
    formula = manual.RIGHT[inst.shape, width]
    inputs = {
        "a": spread(a_bits, manual.LEFT[inst.shape, width], m * k // 32, width),
        "b": np.hstack([spread(bits, formula, n * k // 32, width) for bits, _ in right]),
        "c": np.hstack([spread(bits, layout, 4, WIDTHS[inst.c]) for bits, _ in sums]),
    }
    each = registers(inst)[2]
    sizes_of = {
        letter: (array.shape[1], array.dtype.itemsize * 8) for letter, array in inputs.items()
    }
    out = np.zeros((LANES, each * columns), inputs["c"].dtype)
    widths = sizes_of | {"d": (each * columns, out.dtype.itemsize * 8)}
    text = kernel(changed(loop(inst, columns, rounds, start)), widths, "abc", "d", HEAD, "")
    launch(text, [*inputs.values(), out], target, matrix)
    for j, ((_, b), (_, c)) in enumerate(zip(right, sums, strict=True)):
        part = out[:, each * j : each * (j + 1)]
        d = values_of(inst.d, gather(part, layout, (m, n), WIDTHS[inst.d]))
        if inst.a in INTEGERS:
            assert np.array_equal(d, expected_integers(inst, times * a, b, c))
        else:
            whole = np.concatenate([a] * int(times.max()), axis=2)
            parts = [np.where(times > i, b, 0) for i in range(int(times.max()))]
            right_parts = np.concatenate(parts, axis=1)
            assert_close(inst.d, d, whole, right_parts, c, int(times.max()))
    return ptxlift.lift(text, target=target, options=ptxlift.Options(matrix=matrix)).asm


THREE = np.full((WARPS, 1, 1), 3)
ZERO = "\n".join(f"mov.b32 %c{i}, 0;" for i in range(12))


LOOPS = [(target, inst, 2) for target, inst in RUNS] + [
    (target, SUPPORTED[target][0], columns) for target in SUPPORTED for columns in (1, 3)
]


@pytest.mark.sampled(28)
@pytest.mark.parametrize(("target", "inst", "columns"), LOOPS, ids=str)
def test_accumulators_of_loops(target: str, inst: Instruction, columns: int) -> None:
    """Two products side by side become one; accumulators stay where they are."""
    text = run_loop(inst, columns, target, "native", "3", "", THREE)
    assert MATRIX.search(text)


@pytest.mark.parametrize("target", ["gfx1100", "gfx942"])
def test_zero_accumulators_need_no_move(target: str) -> None:
    zeros = ZERO.splitlines()[:8]
    text = run_loop(F16, 2, target, "native", "3", "\n".join(zeros), THREE)
    assert MATRIX.search(text)


@pytest.mark.parametrize("target", SUPPORTED)
def test_long_loops_choose_them(target: str) -> None:
    """Left to itself, a loop with two columns uses them; a lone product does not pay."""
    inst = SUPPORTED[target][0]
    zeros = "\n".join(ZERO.splitlines()[:8])
    assert MATRIX.search(run_loop(inst, 2, target, "auto", "3", zeros, THREE))


@pytest.mark.parametrize("target", SUPPORTED)
def test_warps_that_part(target: str) -> None:
    """Two warps of one wave that loop differently: matrix instructions would write all lanes."""
    start = "shr.u32 %r3, %lane, 5;\nadd.u32 %r3, %r3, 1;"
    inst = SUPPORTED[target][0]
    times = np.array([1, 2]).reshape(WARPS, 1, 1)
    rng_start = start + "\n" + "\n".join(ZERO.splitlines()[:8])
    text = run_loop(inst, 2, target, "native", "%r3", rng_start, times)
    assert bool(MATRIX.search(text)) == (not target.startswith("gfx9"))


@pytest.mark.parametrize("target", ["gfx90a", "gfx1030"])
def test_subnormals_and_missing_units_stay_generic(target: str) -> None:
    """gfx90a flushes subnormals of f16 in MFMA; gfx1030 has no matrix instructions."""
    text = run_loop(F16, 2, target, "native", "3", "", THREE)
    assert not MATRIX.search(text)


@pytest.mark.parametrize("target", ["interpreter", "gfx1100", "gfx1201", "gfx942"])
def test_infinities_and_nans_of_tf32(target: str) -> None:
    """An infinity has no lower part that could make a NaN of it."""
    rng = np.random.default_rng(9)
    a_bits, a = random_matrix("tf32", (WARPS, 16, 8), rng)
    b_bits, b = random_matrix("tf32", (WARPS, 8, 8), rng)
    for row, pattern in enumerate((0x7F800000, 0xFF800000, 0x7FFFE000)):
        a_bits[:, row, row] = pattern
        a[:, row, row] = (np.inf, -np.inf, np.nan)[row]
    inputs = {
        "a": spread(a_bits, manual.LEFT["m16n8k8", 32], 4, 32),
        "b": spread(b_bits, manual.RIGHT["m16n8k8", 32], 2, 32),
    }
    c = ", ".join(["%c0"] * 4)
    body = ".reg .f32 %c<1>; mov.f32 %c0, 0f00000000;\n"
    body += f"{TF32.text} {vector('d', 4)}, {vector('a', 4)}, {vector('b', 2)}, {{{c}}};"
    got = run(body, inputs, {"d": (4, 32)}, target, matrix="native")["d"]
    d = values_of("f32", gather(got, manual.accumulator("m16n8k8"), (16, 8), 32))
    assert np.array_equal(d[:, 0], np.inf * np.sign(b[:, 0]))
    assert np.array_equal(d[:, 1], -np.inf * np.sign(b[:, 1]))
    assert np.isnan(d[:, 2]).all()
    assert np.isfinite(d[:, 3:]).all()


@pytest.mark.parametrize("threads", [32, 64])
def test_waves_that_may_be_half_empty(threads: int) -> None:
    """Where only the launch tells the block's size, the kernel has both versions."""
    rng = np.random.default_rng(7)
    a_bits, a = random_matrix("f16", (WARPS, 16, 16), rng)
    b_bits, b = random_matrix("f16", (WARPS, 16, 8), rng)
    inputs = {
        "a": spread(a_bits, manual.LEFT["m16n8k16", 16], 8, 16),
        "b": spread(b_bits, manual.RIGHT["m16n8k16", 16], 4, 16),
    }
    zero = ".reg .f32 %z; mov.f32 %z, 0f00000000;\n"
    body = (
        f"{zero}{F16.text} {vector('d', 4)}, {vector('a', 4)}, {vector('b', 2)}, {{%z,%z,%z,%z}};"
    )
    text = kernel(body, {"a": (4, 32), "b": (2, 32), "d": (4, 32)}, "ab", "d", HEAD, "")
    text = text.replace(f".reqntid {LANES}", f".maxntid {LANES}")
    lifted = ptxlift.lift(text, target="gfx942", options=ptxlift.Options(matrix="native"))
    assert MATRIX.search(lifted.asm)
    out = np.zeros((LANES, 4), np.uint32)
    ptxlift.run(lifted, "k", (1, 1, 1), (threads, 1, 1), [*inputs.values(), out])
    d = values_of("f32", gather(out, manual.accumulator("m16n8k16"), (16, 8), 32))
    warps = threads // 32
    assert_close("f32", d[:warps], a[:warps], b[:warps], np.zeros((warps, 16, 8)))
    assert not out[threads:].any()
