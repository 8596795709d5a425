"""CUDA's math functions, from nvcc and libdevice, are as accurate as NVIDIA documents.

The bounds are those of the CUDA C++ Programming Guide's Mathematical Functions Appendix: "Standard
Functions", the tables of maximum ulp errors of single and double precision over the full range, and
"Intrinsic Functions" for what -use_fast_math puts in their place. Functions that it does not
replace keep their bound. The guide counts from the rounded exact result and these tests from the
exact one, so they ask for up to half a unit more. Expected values are mpmath's.
"""

from __future__ import annotations

import math
import shutil
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pytest
from numpy.typing import NDArray
from test_nvcc import NvccBuild, compile_with_nvcc

from ptxlift.emulator import Approx
from tests.numerics.device import BLOCK, apply, load

mpmath = pytest.importorskip("mpmath")

COUNT = 2 * BLOCK
PRECISE = NvccBuild("math", ("-arch=sm_80",))
FAST = NvccBuild("math-fast", ("-arch=sm_80", "--use_fast_math"))
Reals = NDArray[np.floating]
Bound = Callable[[float, float], float]  # operand, exact result -> allowed error


def ulps(number: float, places: int) -> Bound:
    """Units in the last place of a format with so many bits of fraction."""
    least = -126 if places == 23 else -1022

    def allowed(_: float, exact: float) -> float:
        power = max(math.frexp(exact)[1] - 1, least)
        return number * math.ldexp(1.0, power - places)

    return allowed


def fixed(exponent: float) -> Bound:
    return lambda _operand, _exact: 2.0**exponent


def fast_exponential(x: float, exact: float) -> float:
    """__expf: 2 + floor(1.173 |x|) ulp."""
    return ulps(2 + math.floor(abs(1.173 * x)), 23)(x, exact)


def fast_logarithm(x: float, exact: float) -> float:
    """__logf: 2^-21.41 between 1/2 and 2, else 3 ulp."""
    return 2.0**-21.41 if 0.5 <= x <= 2 else ulps(3, 23)(x, exact)


def fast_power(x: float, exact: float) -> float:
    """__powf: derived from exp2f(y * __log2f(x)).

    __log2f is within 2^-22 between 1/2 and 2, else within 2 ulp; the product adds half a unit, and
    exp2f 2 units. `exact` gives y back: its logarithm is y times that of x.
    """
    logarithm = math.log2(x)
    power = math.log2(exact)
    near = 2.0**-22 if 0.5 <= x <= 2 else ulps(2, 23)(x, logarithm)
    of_power = abs(power / logarithm) * near + ulps(0.5, 23)(x, power)
    return exact * (2.0**of_power - 1) + ulps(2, 23)(x, exact)


def relative(exponent: float) -> Bound:
    return lambda _operand, exact: 2.0**exponent * abs(exact)


@dataclass(frozen=True)
class Function:
    """A function by its double name, its operands' range, and bounds in ulp for f32 and f64.

    `fast`: the bound of what -use_fast_math puts in place of the f32 form, and where it holds.
    """

    name: str
    low: float
    high: float
    single: float
    double: float
    fast: tuple[Bound, float, float] | None = None
    exponents: bool = False  # operands are 2^uniform


FUNCTIONS = (
    Function("sin", -1e5, 1e5, 2, 2, (fixed(-21.41), -math.pi, math.pi)),
    Function("cos", -1e5, 1e5, 2, 2, (fixed(-21.19), -math.pi, math.pi)),
    Function("exp", -87, 88, 2, 1, (fast_exponential, -87, 88)),
    Function("log", -126, 127, 1, 1, (fast_logarithm, -126, 127), exponents=True),
    Function("pow", -9, 9, 4, 2, (fast_power, -9, 9), exponents=True),
    Function("tanh", -10, 10, 2, 1, (relative(-11), -10, 10)),
    Function("erf", -4, 4, 2, 2),
    Function("tgamma", -30, 34, 5, 10),
)


def source() -> str:
    """A kernel for each function and type."""
    kernels = []
    for function in FUNCTIONS:
        for kind, suffix in (("float", "f"), ("double", "")):
            two = function.name == "pow"
            params = f"const {kind}* a, {f'const {kind}* b, ' if two else ''}{kind}* out"
            call = f"{function.name}{suffix}(a[i]{', b[i]' if two else ''})"
            kernels.append(
                f'extern "C" __global__ void k_{function.name}{suffix}({params}) {{\n'
                f"  int i = blockIdx.x * blockDim.x + threadIdx.x; out[i] = {call};\n}}\n"
            )
    return "".join(kernels)


def operands(function: Function, low: float, high: float, dtype: type[np.floating]) -> list[Reals]:
    rng = np.random.default_rng(len(function.name))
    values = rng.uniform(low, high, COUNT)
    if function.exponents:
        values = 2.0**values
    if function.name == "tgamma":  # not at its poles
        values = np.where(np.abs(values - np.rint(values)) < 1e-3, values + 0.1, values)
    arrays = [values.astype(dtype)]
    if function.name == "pow":
        arrays.append(rng.uniform(-9, 9, COUNT).astype(dtype))
    return arrays


def exact(function: Function, values: list[Reals]) -> list[float]:
    """mpmath's results with more digits than an f64 has."""
    names = {"pow": "power", "tgamma": "gamma"}
    compute = getattr(mpmath, names.get(function.name, function.name))
    with mpmath.workdps(40):
        return [compute(*map(mpmath.mpf, map(float, row))) for row in zip(*values, strict=True)]


def worst(values: list[Reals], wanted: list[float], got: Reals, bound: Bound) -> float:
    """The largest error over its bound."""
    largest = 0.0
    with mpmath.workdps(40):
        for x, have, want in zip(values[0], got, wanted, strict=True):
            error = abs(mpmath.mpf(float(have)) - want)
            largest = max(largest, float(error / bound(float(x), float(want))))
    return largest


def build(options: NvccBuild, config: pytest.Config) -> str:
    assert config.cache is not None
    folder = config.cache.mkdir("math-library")
    path = folder / "math_library.cu"
    path.write_text(source())
    return compile_with_nvcc(path, options, folder)


def measure(text: str, target: str, fast: bool) -> dict[str, float]:
    """The worst error over its bound of every function, in every mode of the emulator."""
    image = load(text, target)
    results = {}
    for function in FUNCTIONS:
        for dtype, suffix, places in ((np.float32, "f", 23), (np.float64, "", 52)):
            low, high = function.low, function.high
            bound = ulps(function.single if suffix else function.double, places)
            if fast and function.fast is not None and suffix:
                bound, low, high = function.fast
            values = operands(function, low, high, dtype)
            bits = [value.view(f"u{value.itemsize}") for value in values]
            wanted = exact(function, values)
            for approx in Approx:
                got = apply(image, f"k_{function.name}{suffix}", bits, approx).view(dtype)
                key = f"{function.name}{suffix} {approx.name}"
                results[key] = worst(values, wanted, got, bound)
    return results


@pytest.mark.skipif(shutil.which("nvcc") is None, reason="nvcc is not installed")
@pytest.mark.parametrize("target", ["gfx942", "gfx1100"])
@pytest.mark.parametrize("options", [PRECISE, FAST], ids=lambda build: build.name)
def test_errors_are_within_the_documented_ones(
    options: NvccBuild, target: str, pytestconfig: pytest.Config
) -> None:
    errors = measure(build(options, pytestconfig), target, options.fast_math)
    assert len(errors) == len(FUNCTIONS) * 2 * len(Approx)
    beyond = {name: error for name, error in errors.items() if not error <= 1}
    assert not beyond
