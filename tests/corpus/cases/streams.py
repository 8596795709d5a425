"""Cases that move or combine whole arrays: copies, transposes, products, parameter passing."""

from __future__ import annotations

import struct

import numpy as np

from .model import Array, Case, Inputs, fma32


def saxpy_inputs(rng: np.random.Generator) -> Inputs:
    n = 1000
    x = rng.standard_normal(n).astype(np.float32)
    y = rng.standard_normal(n + 7).astype(np.float32)
    return [np.int32(n), np.float32(1.7), x, y]


def saxpy_reference(inputs: Inputs) -> dict[int, Array]:
    n, a, x, y = inputs
    result = y.copy()
    result[:n] = fma32(np.full(n, a), x, y[:n])
    return {3: result}


def strided_copy_inputs(rng: np.random.Generator) -> Inputs:
    count, stride = 777, 3
    values = rng.integers(-(2**31), 2**31, count * stride, dtype=np.int32)
    return [values, np.zeros(count + 5, np.int32), np.int32(count), np.int32(stride)]


def strided_copy_reference(inputs: Inputs) -> dict[int, Array]:
    values, out, count, stride = inputs
    out[:count] = values[::stride]
    return {1: out}


def transpose_inputs(rng: np.random.Generator) -> Inputs:
    width, height = 37, 22
    matrix = rng.standard_normal((height, width)).astype(np.float32)
    return [matrix, np.zeros((width, height), np.float32), np.int32(width), np.int32(height)]


def transpose_reference(inputs: Inputs) -> dict[int, Array]:
    return {1: inputs[0].T.copy()}


def vector4_inputs(rng: np.random.Generator) -> Inputs:
    n = 503
    values = rng.standard_normal(n).astype(np.float32)
    return [values, np.zeros(n + 9, np.float32), np.float32(-2.5), np.int32(n)]


def vector4_reference(inputs: Inputs) -> dict[int, Array]:
    values, out, scale, n = inputs
    whole = n // 4 * 4
    out[:whole] = (values[:whole].reshape(-1, 4)[:, ::-1] * scale).ravel()
    out[whole:n] = values[whole:] * scale
    return {1: out}


def half_axpy_inputs(rng: np.random.Generator) -> Inputs:
    n = 300
    x = rng.standard_normal(n).astype(np.float16)
    y = rng.standard_normal(n).astype(np.float16)
    x[:4] = [6e-8, -6e-5, 65504, 0]
    y[:4] = [3e-7, 6e-5, 60000, -0.0]
    return [np.int32(n), np.float16(0.75), x, y, np.zeros(n, np.float32)]


def half_axpy_reference(inputs: Inputs) -> dict[int, Array]:
    _, a, x, y, _ = inputs
    # Products of two halves have 22 bits and fit f64 together with the addend: one rounding.
    with np.errstate(over="ignore"):
        total = (np.float64(a) * x.astype(np.float64) + y).astype(np.float16)
    return {3: total, 4: x.astype(np.float32) + total.astype(np.float32)}


def matmul_inputs(rng: np.random.Generator) -> Inputs:
    m, n, k = 19, 21, 13
    a = rng.standard_normal((m, k)).astype(np.float32)
    b = rng.standard_normal((k, n)).astype(np.float32)
    return [a, b, np.zeros((m, n), np.float32), np.int32(m), np.int32(n), np.int32(k)]


def matmul_reference(inputs: Inputs) -> dict[int, Array]:
    a, b, c = inputs[:3]
    total = np.zeros_like(c)
    for i in range(a.shape[1]):
        total = fma32(a[:, i : i + 1], b[i : i + 1, :], total)
    return {2: total}


STRUCT_SCALES = (0.5, -1.25, 3.0, 1e-3, 1e4)


def struct_inputs(rng: np.random.Generator) -> Inputs:
    n = 100
    # double, five floats, short, signed char, unsigned char: 32 bytes without padding.
    transform = struct.pack("<d5fhbB", 1e6, *STRUCT_SCALES, -321, 3, 2)
    values = rng.integers(-1000, 1000, n, dtype=np.int32)
    return [transform, values, np.zeros(n, np.float64), np.int32(n)]


def struct_reference(inputs: Inputs) -> dict[int, Array]:
    values = inputs[1]
    shifted = (values * 8 - 321).astype(np.float32)
    scales = np.resize(np.array(STRUCT_SCALES, np.float32), len(values))
    return {2: (shifted * scales).astype(np.float64) + 1e6}


CASES = (
    Case(
        name="saxpy",
        source="cuda/saxpy.cu",
        kernel="saxpy",
        grid=(8, 1, 1),
        block=(128, 1, 1),
        make_inputs=saxpy_inputs,
        reference=saxpy_reference,
    ),
    Case(
        name="strided_copy",
        source="cuda/strided_copy.cu",
        kernel="strided_copy",
        grid=(3, 1, 1),
        block=(96, 1, 1),
        make_inputs=strided_copy_inputs,
        reference=strided_copy_reference,
    ),
    Case(
        name="transpose_tiled",
        source="cuda/transpose_tiled.cu",
        kernel="transpose_tiled",
        grid=(3, 2, 1),
        block=(16, 16, 1),
        make_inputs=transpose_inputs,
        reference=transpose_reference,
    ),
    Case(
        name="vector4_scale",
        source="cuda/vector4_scale.cu",
        kernel="vector4_scale",
        grid=(2, 1, 1),
        block=(64, 1, 1),
        make_inputs=vector4_inputs,
        reference=vector4_reference,
    ),
    Case(
        name="half_axpy",
        source="cuda/half_axpy.cu",
        kernel="half_axpy",
        grid=(3, 1, 1),
        block=(128, 1, 1),
        make_inputs=half_axpy_inputs,
        reference=half_axpy_reference,
    ),
    Case(
        name="matmul_tiled",
        source="cuda/matmul_tiled.cu",
        kernel="matmul_tiled",
        grid=(3, 3, 1),
        block=(8, 8, 1),
        make_inputs=matmul_inputs,
        reference=matmul_reference,
    ),
    Case(
        name="struct_param",
        source="cuda/struct_param.cu",
        kernel="struct_param",
        grid=(2, 1, 1),
        block=(64, 1, 1),
        make_inputs=struct_inputs,
        reference=struct_reference,
    ),
)
