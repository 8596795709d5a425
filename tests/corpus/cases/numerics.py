"""Cases of floating-point work: particles, prices, transforms, linear algebra, rays, rounding."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from .model import Array, Case, Inputs, Tolerance, fma32


def nbody_inputs(rng: np.random.Generator) -> Inputs:
    n = 100
    bodies = rng.standard_normal((n, 4)).astype(np.float32)
    bodies[:, 3] = np.abs(bodies[:, 3])
    return [bodies, np.zeros_like(bodies), np.int32(n), np.float32(0.05)]


def nbody_reference(inputs: Inputs) -> dict[int, Array]:
    bodies = inputs[0].astype(np.float64)
    gaps = bodies[None, :, :3] - bodies[:, None, :3]
    squares = (gaps**2).sum(2) + np.float64(inputs[3])
    pulls = bodies[None, :, 3] * squares**-1.5
    forces = np.zeros_like(inputs[0])
    forces[:, :3] = (pulls[:, :, None] * gaps).sum(1)
    return {1: forces}


def black_scholes_inputs(rng: np.random.Generator) -> Inputs:
    n = 200
    spot = rng.uniform(5, 30, n).astype(np.float32)
    strike = rng.uniform(1, 100, n).astype(np.float32)
    years = rng.uniform(0.25, 10, n).astype(np.float32)
    rates = [np.float32(0.02), np.float32(0.3)]
    return [spot, strike, years, *rates, *(np.zeros(n, np.float32) for _ in "cp"), np.int32(n)]


def normal_cdf(d: Array) -> Array:
    """Abramowitz and Stegun 26.2.17, the approximation that the kernel states."""
    k = 1 / (1 + 0.2316419 * np.abs(d))
    terms = (0.31938153, -0.356563782, 1.781477937, -1.821255978, 1.330274429)
    series = sum(c * k ** (power + 1) for power, c in enumerate(terms))
    tail = np.exp(-d * d / 2) / np.sqrt(2 * np.pi) * series
    result: Array = np.where(d > 0, 1 - tail, tail)
    return result


def black_scholes_reference(inputs: Inputs) -> dict[int, Array]:
    spot, strike, years, rate, volatility = (np.asarray(v, np.float64) for v in inputs[:5])
    spread = volatility * np.sqrt(years)
    d1 = (np.log(spot / strike) + (rate + volatility**2 / 2) * years) / spread
    discounted = strike * np.exp(-rate * years)
    c1 = normal_cdf(d1)
    c2 = normal_cdf(d1 - spread)
    call = spot * c1 - discounted * c2
    put = discounted * (1 - c2) - spot * (1 - c1)
    return {5: call.astype(np.float32), 6: put.astype(np.float32)}


def fft_inputs(rng: np.random.Generator) -> Inputs:
    signal = rng.standard_normal((2, 256, 2)).astype(np.float32)
    return [signal, np.zeros_like(signal)]


def fft_reference(inputs: Inputs) -> dict[int, Array]:
    signal = inputs[0].astype(np.float64)
    spectrum = np.fft.fft(signal[..., 0] + 1j * signal[..., 1])
    return {1: np.stack([spectrum.real, spectrum.imag], -1).astype(np.float32)}


def spmv_inputs(rng: np.random.Generator) -> Inputs:
    rows, width = 45, 60
    lengths = rng.integers(0, 20, rows)
    starts = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int32)
    columns = rng.integers(0, width, starts[-1], dtype=np.int32)
    values = rng.standard_normal(starts[-1])
    return [starts, columns, values, rng.standard_normal(width), np.zeros(rows), np.int32(rows)]


def spmv_reference(inputs: Inputs) -> dict[int, Array]:
    starts, columns, values, x, _, rows = inputs
    dense = np.zeros((rows, len(x)))
    np.add.at(dense, (np.repeat(np.arange(rows), np.diff(starts)), columns), values)
    return {4: dense @ x}


def kmeans_inputs(rng: np.random.Generator) -> Inputs:
    n, k = 150, 7
    points = rng.standard_normal((n, 3)).astype(np.float32)
    centres = rng.standard_normal((k, 3)).astype(np.float32)
    outputs = [np.zeros(n, np.int32), np.zeros(n, np.float32), np.zeros(k, np.int32)]
    return [points, centres, np.int32(n), np.int32(k), *outputs]


def kmeans_reference(inputs: Inputs) -> dict[int, Array]:
    points, centres = inputs[:2]
    gaps = points[:, None, :] - centres[None, :, :]
    squares = np.zeros(gaps.shape[:2], np.float32)
    for axis in range(3):
        squares = fma32(gaps[..., axis], gaps[..., axis], squares)
    labels = squares.argmin(1).astype(np.int32)
    sizes = np.bincount(labels, minlength=len(centres)).astype(np.int32)
    return {4: labels, 5: squares.min(1), 6: sizes}


def gauss_inputs(rng: np.random.Generator) -> Inputs:
    n = 17
    return [rng.standard_normal((n, n)), np.int32(n), np.int32(3)]


def fma64(a: float, b: float, c: float) -> float:
    """a * b + c rounded once: fractions are exact and their conversion rounds to nearest even."""
    return float(Fraction(a) * Fraction(b) + Fraction(c))


def gauss_reference(inputs: Inputs) -> dict[int, Array]:
    matrix, n, pivot = inputs
    for row in range(pivot + 1, n):
        factor = float(matrix[row, pivot] / matrix[pivot, pivot])
        matrix[row, pivot] = factor
        for column in range(pivot + 1, n):
            matrix[row, column] = fma64(
                -factor, float(matrix[pivot, column]), float(matrix[row, column])
            )
    return {0: matrix}


def dct_inputs(rng: np.random.Generator) -> Inputs:
    tiles = rng.integers(-128, 128, (3, 8, 8), dtype=np.int16)
    return [tiles, np.zeros_like(tiles), np.float32(5.0)]


def dct_reference(inputs: Inputs) -> dict[int, Array]:
    u = np.arange(8)[:, None]
    x = np.arange(8)[None, :]
    basis = np.cos((2 * x + 1) * u * np.pi / 16) / 2
    basis[0] /= np.sqrt(2)
    return {1: np.rint(basis @ inputs[0] @ basis.T / 5).astype(np.int16)}


def ray_inputs(rng: np.random.Generator) -> Inputs:
    width, height, count = 30, 20, 6
    spheres = rng.uniform(-1, 1, (count, 4)).astype(np.float32)
    spheres[:, 2] += 3
    spheres[:, 3] = rng.uniform(0.2, 0.9, count)
    ids = np.zeros((height, width), np.int32)
    depths = np.zeros((height, width), np.float32)
    return [spheres, np.int32(count), np.int32(width), np.int32(height), ids, depths]


def ray_reference(inputs: Inputs) -> dict[int, Array]:
    spheres, _, width, height, ids, depths = inputs
    u = ((2 * np.arange(width) + 1 - width).astype(np.float32) / np.float32(width))[None, :]
    v = ((2 * np.arange(height) + 1 - height).astype(np.float32) / np.float32(height))[:, None]
    one = np.float32(1)
    scale = one / np.sqrt(fma32(u, u, fma32(v, v, one)))
    direction = np.stack([u * scale, v * scale, scale])
    depths[:] = 1e30
    ids[:] = -1
    for at, (sx, sy, sz, radius) in enumerate(spheres):
        px, py, pz = -sx, -sy, -sz
        b = fma32(px, direction[0], fma32(py, direction[1], pz * direction[2]))
        c = fma32(px, px, fma32(py, py, fma32(pz, pz, -(radius * radius))))
        under = fma32(b, b, np.broadcast_to(-c, b.shape))
        root = np.sqrt(np.maximum(under, 0))
        near = np.where(-b - root < 0, root - b, -b - root)
        closer = (under >= 0) & (near >= 0) & (near < depths)
        depths[closer] = near[closer]
        ids[closer] = at
    depths[ids < 0] = -1
    return {4: ids, 5: depths}


def mandelbrot_inputs(rng: np.random.Generator) -> Inputs:
    width, height = 40, 20
    counts = np.zeros((height, width), np.int32)
    window = [np.float32(-2.1), np.float32(-1.2), np.float32(0.12)]
    return [counts, np.int32(width), np.int32(height), *window, np.int32(40)]


def mandelbrot_reference(inputs: Inputs) -> dict[int, Array]:
    counts, width, height, left, top, step, limit = inputs
    cr = fma32(np.arange(width, dtype=np.float32), step, np.full(width, left))[None, :]
    ci = fma32(np.arange(height, dtype=np.float32), step, np.full(height, top))[:, None]
    cr, ci = np.broadcast_arrays(cr, ci)
    zr = np.zeros_like(cr)
    zi = np.zeros_like(cr)
    alive = np.ones(cr.shape, bool)
    for _ in range(limit):
        alive &= ~(fma32(zr, zr, zi * zi) > 4)
        following = fma32(zr, zr, fma32(-zi, zi, cr))
        zi = np.where(alive, fma32(np.float32(2) * zr, zi, ci), zi)
        zr = np.where(alive, following, zr)
        counts += alive
    return {0: counts}


def interval_inputs(rng: np.random.Generator) -> Inputs:
    n = 160
    a = rng.standard_normal(n).astype(np.float32)
    b = (rng.standard_normal(n) * 10.0 ** rng.integers(-3, 4, n)).astype(np.float32)
    a[:3] = [1.5, -2.0, 0.25]
    b[:3] = [2.0, 0.5, -4.0]
    return [a, b, *(np.zeros(n, np.float32) for _ in range(3)), np.int32(n)]


def round_f32(exact: Fraction, direction: int) -> np.float32:
    """An exact value to f32: down (-1), up (1) or toward zero (0)."""
    near = np.float32(float(exact))
    if direction == 0:
        direction = -1 if exact > 0 else 1
    wrong = Fraction(float(near)) > exact if direction < 0 else Fraction(float(near)) < exact
    return np.nextafter(near, np.float32(direction * np.inf)) if wrong else near


def interval_reference(inputs: Inputs) -> dict[int, Array]:
    pairs = [(Fraction(float(a)), Fraction(float(b))) for a, b in zip(*inputs[:2], strict=True)]
    return {
        2: np.array([round_f32(a * b, -1) for a, b in pairs]),
        3: np.array([round_f32(a * b, 1) for a, b in pairs]),
        4: np.array([round_f32(a + b, 0) for a, b in pairs]),
    }


def newton_inputs(rng: np.random.Generator) -> Inputs:
    n = 90
    values = rng.uniform(0, 1, n) * 10.0 ** rng.integers(-5, 5, n)
    return [values, *(np.zeros(n) for _ in range(3)), np.int32(n)]


def newton_reference(inputs: Inputs) -> dict[int, Array]:
    values = inputs[0]
    ratios = np.arange(1, len(values) + 1) / values
    return {1: np.sqrt(values), 2: np.cbrt(values), 3: ratios}


def fast_inputs(rng: np.random.Generator) -> Inputs:
    n = 120
    values = rng.uniform(-3, 3, n).astype(np.float32)
    # Away from one, where the logarithm is small and its absolute error stays.
    values[np.abs(np.abs(values) - 1) < 0.1] = 2.5
    return [values, np.zeros((n, 6), np.float32), np.int32(n)]


def fast_reference(inputs: Inputs) -> dict[int, Array]:
    v = inputs[0].astype(np.float64)
    size = np.abs(v)
    columns = [np.exp(v), np.log(size), np.sin(v), np.cos(v), v / 3, 1 / np.sqrt(size)]
    return {1: np.stack(columns, axis=1).astype(np.float32)}


EDGES = (0.0, -0.0, 1.0, -1.0, 0.5, 1.5, 2.5, 1e-40, np.inf, -np.inf, np.nan, 3.99e9, 9.9e17, -1e20)


def edges_inputs(rng: np.random.Generator) -> Inputs:
    a, b = np.meshgrid(np.array(EDGES, np.float32), np.array(EDGES, np.float32))
    outputs = [np.zeros((a.size, 4), np.float32), np.zeros((a.size, 3), np.float64)]
    return [a.ravel(), b.ravel(), np.zeros(a.size, np.uint32), *outputs, np.int32(a.size)]


def edges_reference(inputs: Inputs) -> dict[int, Array]:
    x: Array = inputs[0]
    y: Array = inputs[1]
    less, same, more = x < y, x == y, x > y
    unordered = np.isnan(x) | np.isnan(y)
    narrow = [less, less | same, more, more | same, same, ~same, ~less, ~(more | same), unordered]
    bits = [*narrow, less, less | same, same, ~more, ~same]
    flags = sum(bit.astype(np.uint32) << np.uint32(at) for at, bit in enumerate(bits))
    with np.errstate(invalid="ignore"):
        rounded = np.floor(x) + np.rint(y)
        whole = np.trunc(x.astype(np.float64) * 1.5)
    extremes: list[Array] = [np.fmin(x, y), np.fmax(x, y), rounded, np.copysign(x, y)]
    wide: list[Array] = [
        np.where(more | same, x, y),
        np.where((x > -1e18) & (x < 1e18), whole, -0.5),
        np.where((y >= 0) & (y < 4e9), np.trunc(y), np.abs(y)),
    ]
    return {
        2: np.asarray(flags, np.uint32),
        3: np.stack(extremes, axis=1),
        4: np.stack(wide, axis=1).astype(np.float64),
    }


CASES = (
    Case(
        name="fast_functions",
        source="cuda/fast_functions.cu",
        kernel="fast_functions",
        grid=(2, 1, 1),
        block=(64, 1, 1),
        make_inputs=fast_inputs,
        reference=fast_reference,
        tolerance=Tolerance(1e-5, 1e-6, "approximate functions, within the manual's bounds"),
        fast_math=Tolerance(1e-5, 1e-6, "the same instructions"),
    ),
    Case(
        name="float_edges",
        source="cuda/float_edges.cu",
        kernel="float_edges",
        grid=(4, 1, 1),
        block=(64, 1, 1),
        make_inputs=edges_inputs,
        reference=edges_reference,
        fast_math=None,
    ),
    Case(
        name="nbody",
        source="cuda/nbody.cu",
        kernel="nbody",
        grid=(2, 1, 1),
        block=(64, 1, 1),
        make_inputs=nbody_inputs,
        reference=nbody_reference,
        tolerance=Tolerance(2e-5, 2e-5, "rsqrt is approximate; forces cancel"),
        fast_math=Tolerance(1e-4, 1e-4, "rsqrt is approximate; forces cancel"),
    ),
    Case(
        name="black_scholes",
        source="cuda/black_scholes.cu",
        kernel="black_scholes",
        grid=(2, 1, 1),
        block=(128, 1, 1),
        make_inputs=black_scholes_inputs,
        reference=black_scholes_reference,
        tolerance=Tolerance(1e-5, 2e-5, "f32 functions; prices are differences of large terms"),
        fast_math=Tolerance(1e-4, 2e-4, "approximate functions; differences of large terms"),
    ),
    Case(
        name="fft256",
        source="cuda/fft256.cu",
        kernel="fft256",
        grid=(2, 1, 1),
        block=(128, 1, 1),
        make_inputs=fft_inputs,
        reference=fft_reference,
        tolerance=Tolerance(1e-5, 2e-5, "f32 butterflies against an f64 transform"),
        fast_math=Tolerance(1e-4, 1e-4, "approximate sine and cosine"),
    ),
    Case(
        name="spmv_csr",
        source="cuda/spmv_csr.cu",
        kernel="spmv_csr",
        grid=(3, 1, 1),
        block=(128, 1, 1),
        make_inputs=spmv_inputs,
        reference=spmv_reference,
        tolerance=Tolerance(1e-12, 1e-12, "the reference sums in another order"),
    ),
    Case(
        name="kmeans_assign",
        source="cuda/kmeans_assign.cu",
        kernel="kmeans_assign",
        grid=(3, 1, 1),
        block=(64, 1, 1),
        make_inputs=kmeans_inputs,
        reference=kmeans_reference,
    ),
    Case(
        name="gauss_step",
        source="cuda/gauss_step.cu",
        kernel="gauss_step",
        grid=(16, 1, 1),
        block=(32, 1, 1),
        make_inputs=gauss_inputs,
        reference=gauss_reference,
    ),
    Case(
        name="dct8x8",
        source="cuda/dct8x8.cu",
        kernel="dct8x8",
        grid=(3, 1, 1),
        block=(8, 8, 1),
        make_inputs=dct_inputs,
        reference=dct_reference,
    ),
    Case(
        name="ray_sphere",
        source="cuda/ray_sphere.cu",
        kernel="ray_sphere",
        grid=(4, 3, 1),
        block=(8, 8, 1),
        make_inputs=ray_inputs,
        reference=ray_reference,
    ),
    Case(
        name="mandelbrot",
        source="cuda/mandelbrot.cu",
        kernel="mandelbrot",
        grid=(3, 5, 1),
        block=(16, 4, 1),
        make_inputs=mandelbrot_inputs,
        reference=mandelbrot_reference,
    ),
    Case(
        name="interval",
        source="cuda/interval.cu",
        kernel="interval",
        grid=(3, 1, 1),
        block=(64, 1, 1),
        make_inputs=interval_inputs,
        reference=interval_reference,
    ),
    Case(
        name="newton_f64",
        source="cuda/newton_f64.cu",
        kernel="newton_f64",
        grid=(2, 1, 1),
        block=(64, 1, 1),
        make_inputs=newton_inputs,
        reference=newton_reference,
        tolerance=Tolerance(4e-15, 0.0, "the iteration stops within 1e-15"),
        exact=(1, 3),
    ),
)
