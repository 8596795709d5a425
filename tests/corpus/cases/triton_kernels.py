"""Cases of Triton's PTX: predicated inline loads, redux, shuffles, libdevice pieces, two scratch
pointers at the end of every parameter list (null here: the kernels do not use them)."""

from __future__ import annotations

import numpy as np

from .model import Array, Case, Inputs, Tolerance

NO_SCRATCH = (np.uint64(0), np.uint64(0))


def add_inputs(rng: np.random.Generator) -> Inputs:
    n = 700
    x, y = rng.standard_normal((2, n)).astype(np.float32)
    return [x, y, np.zeros(n + 3, np.float32), np.int32(n), *NO_SCRATCH]


def add_reference(inputs: Inputs) -> dict[int, Array]:
    x, y, out, n = inputs[:4]
    out[:n] = x + y
    return {2: out}


def softmax_inputs(rng: np.random.Generator) -> Inputs:
    rows, columns, stride = 5, 101, 110
    values = (rng.standard_normal((rows, stride)) * 4).astype(np.float32)
    sizes = [np.int32(stride), np.int32(columns)]
    return [values, np.zeros_like(values), *sizes, *NO_SCRATCH]


def softmax_reference(inputs: Inputs) -> dict[int, Array]:
    values, out, _, columns = inputs[:4]
    wide = values[:, :columns].astype(np.float64)
    powers = np.exp(wide - wide.max(1, keepdims=True))
    out[:, :columns] = powers / powers.sum(1, keepdims=True)
    return {1: out}


def layernorm_inputs(rng: np.random.Generator) -> Inputs:
    rows, columns = 4, 100
    values = (rng.standard_normal((rows, columns)) * 3 + 1).astype(np.float32)
    gain, shift = rng.standard_normal((2, columns)).astype(np.float32)
    sizes = [np.int32(columns), np.float32(1e-5)]
    return [values, gain, shift, np.zeros_like(values), *sizes, *NO_SCRATCH]


def layernorm_reference(inputs: Inputs) -> dict[int, Array]:
    values, gain, shift = (array.astype(np.float64) for array in inputs[:3])
    centred = values - values.mean(1, keepdims=True)
    scale = 1 / np.sqrt((centred**2).mean(1, keepdims=True) + 1e-5)
    return {3: (centred * scale * gain + shift).astype(np.float32)}


def sum_rows_inputs(rng: np.random.Generator) -> Inputs:
    rows, columns = 21, 50
    values = rng.integers(-(2**31), 2**31, (rows, columns), dtype=np.int32)
    return [values, np.zeros(rows, np.int32), np.int32(rows), np.int32(columns), *NO_SCRATCH]


def sum_rows_reference(inputs: Inputs) -> dict[int, Array]:
    return {1: inputs[0].sum(1, dtype=np.int32)}


def dropout_inputs(rng: np.random.Generator) -> Inputs:
    n = 300
    values = rng.standard_normal(n).astype(np.float32)
    sizes = [np.int32(n), np.float32(0.7), np.int32(987654321)]
    return [values, np.zeros(n, np.float32), *sizes, *NO_SCRATCH]


def philox4x32(counter: tuple[int, int, int, int], key: tuple[int, int]) -> tuple[int, ...]:
    """Philox 4x32 with ten rounds, after Salmon et al., "Parallel random numbers" (2011)."""
    a, b, c, d = counter
    low, high = key
    for _ in range(10):
        first, second = 0xD2511F53 * a, 0xCD9E8D57 * c
        a, b = second >> 32 ^ b ^ low, second & 0xFFFFFFFF
        c, d = first >> 32 ^ d ^ high, first & 0xFFFFFFFF
        low = (low + 0x9E3779B9) % 2**32
        high = (high + 0xBB67AE85) % 2**32
    return a, b, c, d


def uniform_f32(word: int) -> np.float32:
    """Triton's mapping to [0, 1): the word is signed, negative values fold onto positive ones."""
    folded = 0xFFFFFFFF - word if word >> 31 else word
    return np.float32(folded) * np.float32(4.6566127342e-10)


def dropout_reference(inputs: Inputs) -> dict[int, Array]:
    values, _, n, keep, seed = inputs[:5]
    words = [philox4x32((at, 0, 0, 0), (int(seed), 0))[0] for at in range(n)]
    kept = np.array([uniform_f32(word) < keep for word in words])
    return {1: np.where(kept, values / keep, np.float32(0))}


def gelu_inputs(rng: np.random.Generator) -> Inputs:
    n = 400
    values = (rng.standard_normal(n) * 2).astype(np.float16)
    return [values, np.zeros(n, np.float16), np.int32(n), *NO_SCRATCH]


def gelu_reference(inputs: Inputs) -> dict[int, Array]:
    v = inputs[0].astype(np.float64)
    inner = 0.7978845608 * (v + 0.044715 * v**3)
    return {1: (v * 0.5 * (1 + np.tanh(inner))).astype(np.float16)}


def cumsum_inputs(rng: np.random.Generator) -> Inputs:
    rows, columns = 3, 113
    values = rng.integers(-999, 999, (rows, columns), dtype=np.int32)
    return [values, np.zeros_like(values), np.int32(columns), *NO_SCRATCH]


def cumsum_reference(inputs: Inputs) -> dict[int, Array]:
    return {1: np.cumsum(inputs[0], axis=1, dtype=np.int32)}


def rotary_inputs(rng: np.random.Generator) -> Inputs:
    rows, half = 4, 27
    values = rng.standard_normal((rows, 2, half)).astype(np.float32)
    angles = (np.arange(rows)[:, None] * 100.0 ** (-np.arange(half) / half)).astype(np.float32)
    # Past 105615 the reduction of the argument takes its long path.
    angles[1, :3] = [1e6, -3e7, 2e5]
    return [values, angles, np.zeros_like(values), np.int32(half), *NO_SCRATCH]


def rotary_reference(inputs: Inputs) -> dict[int, Array]:
    values = inputs[0].astype(np.float64)
    angles = inputs[1].astype(np.float64)
    c, s = np.cos(angles), np.sin(angles)
    first, second = values[:, 0], values[:, 1]
    turned = np.stack([first * c - second * s, second * c + first * s], axis=1)
    return {2: turned.astype(np.float32)}


def histogram_inputs(rng: np.random.Generator) -> Inputs:
    n = 600
    values = rng.integers(0, 1000, n, dtype=np.int32)
    return [values, np.arange(32, dtype=np.int32), np.int32(n), *NO_SCRATCH]


def histogram_reference(inputs: Inputs) -> dict[int, Array]:
    counts = np.bincount(inputs[0] & 31, minlength=32).astype(np.int32)
    return {1: inputs[1] + counts}


def matmul_inputs(rng: np.random.Generator) -> Inputs:
    m, n, k = 25, 19, 21
    a = rng.standard_normal((m, k)).astype(np.float32)
    b = rng.standard_normal((k, n)).astype(np.float32)
    sizes = [np.int32(m), np.int32(n), np.int32(k)]
    return [a, b, np.zeros((m, n), np.float32), *sizes, *NO_SCRATCH]


def half_matmul_inputs(rng: np.random.Generator) -> Inputs:
    a, b, *rest = matmul_inputs(rng)
    return [a.astype(np.float16), b.astype(np.float16), *rest]


def matmul_reference(inputs: Inputs) -> dict[int, Array]:
    product = inputs[0].astype(np.float64) @ inputs[1].astype(np.float64)
    return {2: product.astype(np.float32)}


CASES = (
    Case(
        name="triton_vector_add",
        source="triton/vector_add.ptx",
        kernel="vector_add",
        grid=(3, 1, 1),
        block=(128, 1, 1),
        make_inputs=add_inputs,
        reference=add_reference,
    ),
    Case(
        name="triton_row_softmax",
        source="triton/row_softmax.ptx",
        kernel="row_softmax",
        grid=(5, 1, 1),
        block=(64, 1, 1),
        shared=8,
        make_inputs=softmax_inputs,
        reference=softmax_reference,
        tolerance=Tolerance(5e-6, 1e-9, "ex2.approx and div.full"),
    ),
    Case(
        name="triton_row_layernorm",
        source="triton/row_layernorm.ptx",
        kernel="row_layernorm",
        grid=(4, 1, 1),
        block=(64, 1, 1),
        shared=8,
        make_inputs=layernorm_inputs,
        reference=layernorm_reference,
        tolerance=Tolerance(1e-5, 2e-6, "sqrt.approx, div.full, f32 sums"),
    ),
    Case(
        name="triton_sum_rows",
        source="triton/sum_rows.ptx",
        kernel="sum_rows",
        grid=(3, 1, 1),
        block=(128, 1, 1),
        shared=64,
        make_inputs=sum_rows_inputs,
        reference=sum_rows_reference,
    ),
    Case(
        name="triton_dropout",
        source="triton/dropout.ptx",
        kernel="dropout",
        grid=(3, 1, 1),
        block=(128, 1, 1),
        make_inputs=dropout_inputs,
        reference=dropout_reference,
        tolerance=Tolerance(3e-7, 0.0, "div.full is within two ulp"),
    ),
    Case(
        name="triton_gelu",
        source="triton/gelu.ptx",
        kernel="gelu",
        grid=(2, 1, 1),
        block=(128, 1, 1),
        make_inputs=gelu_inputs,
        reference=gelu_reference,
        tolerance=Tolerance(1e-3, 1e-6, "ex2.approx and div.full, then one f16 rounding"),
    ),
    Case(
        name="triton_cumulative_sum",
        source="triton/cumulative_sum.ptx",
        kernel="cumulative_sum",
        grid=(3, 1, 1),
        block=(128, 1, 1),
        shared=16,
        make_inputs=cumsum_inputs,
        reference=cumsum_reference,
    ),
    Case(
        name="triton_rotary",
        source="triton/rotary.ptx",
        kernel="rotary",
        grid=(4, 1, 1),
        block=(32, 1, 1),
        make_inputs=rotary_inputs,
        reference=rotary_reference,
        tolerance=Tolerance(1e-6, 5e-7, "libdevice sine and cosine are within two ulp"),
    ),
    Case(
        name="triton_atomic_histogram",
        source="triton/atomic_histogram.ptx",
        kernel="atomic_histogram",
        grid=(3, 1, 1),
        block=(128, 1, 1),
        make_inputs=histogram_inputs,
        reference=histogram_reference,
    ),
    Case(
        name="triton_float_matmul",
        source="triton/float_matmul.ptx",
        kernel="float_matmul",
        grid=(2, 2, 1),
        block=(128, 1, 1),
        shared=2048,
        make_inputs=matmul_inputs,
        reference=matmul_reference,
        tolerance=Tolerance(1e-5, 1e-5, "the reference sums in f64"),
    ),
    Case(
        name="triton_pipelined_matmul",
        source="triton/pipelined_matmul.ptx",
        kernel="float_matmul",
        grid=(2, 2, 1),
        block=(128, 1, 1),
        shared=4096,
        make_inputs=matmul_inputs,
        reference=matmul_reference,
        tolerance=Tolerance(1e-5, 1e-5, "the reference sums in f64"),
    ),
    Case(
        name="triton_half_matmul",
        source="triton/half_matmul.ptx",
        kernel="half_matmul",
        grid=(2, 2, 1),
        block=(64, 1, 1),
        shared=1024,
        make_inputs=half_matmul_inputs,
        reference=matmul_reference,
        tolerance=Tolerance(1e-5, 1e-5, "the order inside a matrix product is open"),
    ),
)
