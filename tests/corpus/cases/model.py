"""What a corpus case is: a kernel, its launch, its inputs and what must come out.

A case knows the place of its source and numpy values only; it does not know how the kernel is run.
Expected values are computed by code that is independent of the kernel and of ptxlift.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

EXAMPLES = Path(__file__).resolve().parents[3] / "examples"
SEED = 20240607

Array = npt.NDArray[Any]
# Any: an argument is an array, a numpy scalar or the bytes of a struct, as the kernel asks.
Inputs = list[Any]


@dataclass(frozen=True, slots=True)
class Tolerance:
    """How far a result may be from the reference, and why it may differ at all."""

    rtol: float = 0.0
    atol: float = 0.0
    reason: str = ""


EXACT = Tolerance()


@dataclass(frozen=True, slots=True)
class Case:
    """One launch of one kernel with a reference result.

    `reference` maps the position of an argument to what the array must hold afterwards. An array
    that it does not mention must come back unchanged.
    """

    name: str
    source: str  # under examples/: cuda/x.cu, hand/x.ptx, triton/x.ptx
    kernel: str
    grid: tuple[int, int, int]
    block: tuple[int, int, int]
    make_inputs: Callable[[np.random.Generator], Inputs]
    reference: Callable[[Inputs], Mapping[int, Array]]
    shared: int = 0  # bytes of dynamic shared memory
    tolerance: Tolerance = EXACT
    exact: tuple[int, ...] = ()  # arguments that are compared exactly whatever the tolerance
    # What ptxlift still lacks for it: the case must then be refused, by name, with a PtxError.
    needs: str = ""
    # --use_fast_math allows flushes, approximate division and contraction on top.
    # None: flushes would change what the case is about.
    fast_math: Tolerance | None = Tolerance(
        2e-5, 1e-6, "approximate functions and flushed denormals"
    )
    # Puts an array whose order the kernel leaves open (a queue filled by atomics) into one order.
    canonical: Mapping[int, Callable[[Array], Array]] = field(default_factory=dict)

    def inputs(self) -> Inputs:
        """The arguments in launch order; the same on every call."""
        return self.make_inputs(np.random.default_rng(SEED))

    def ptx_files(self) -> list[Path]:
        """The checked-in PTX: the main file first, then builds with other options."""
        path = EXAMPLES / self.source
        if path.suffix == ".ptx":
            return [path]
        variants = sorted((EXAMPLES / "ptx").glob(f"{path.stem}.*.ptx"))
        return [EXAMPLES / "ptx" / f"{path.stem}.ptx", *variants]


def copy_inputs(inputs: Inputs) -> Inputs:
    """Arguments whose arrays can be written without touching the originals."""
    return [value.copy() if isinstance(value, np.ndarray) else value for value in inputs]


def check_results(case: Case, before: Inputs, after: Inputs, tolerance: Tolerance) -> None:
    """Compares every array argument with the reference, or with its own state before the launch."""
    expected = case.reference(copy_inputs(before))
    for position, value in enumerate(after):
        if not isinstance(value, np.ndarray):
            continue
        want = expected.get(position, before[position])
        arrange = case.canonical.get(position)
        got = value if arrange is None else arrange(value)
        label = f"{case.name}, argument {position}"
        close = position in expected and position not in case.exact and got.dtype.kind == "f"
        if not close or tolerance == EXACT:
            np.testing.assert_array_equal(got, want, err_msg=label)
            continue
        np.testing.assert_allclose(
            got, want, rtol=tolerance.rtol, atol=tolerance.atol, err_msg=label
        )


def fma32(a: npt.ArrayLike, b: npt.ArrayLike, c: npt.ArrayLike) -> Array:
    """a * b + c rounded once to f32: the f64 sum is rounded to odd first."""
    product = np.asarray(a, np.float64) * np.asarray(b, np.float64)
    addend = np.asarray(c, np.float64)
    total = product + addend
    rest = total - product
    error = (product - (total - rest)) + (addend - rest)
    even = (total.view(np.int64) & 1) == 0
    toward = np.where(error > 0, np.inf, -np.inf)
    odd: Array = np.where((error != 0) & even, np.nextafter(total, toward), total)
    return odd.astype(np.float32)
