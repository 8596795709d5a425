"""The approximate functions over numpy lanes, computed as exactly as f64 allows.

Comes in: lanes of bits. Goes out: lanes of bits, well inside the bounds that PTX gives. It must
know nothing of how any chip approximates.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ptxlift.interp.exact import CANONICAL_NAN
from ptxlift.interp.lanes import Lanes
from ptxlift.interp.rounding import F64, canonical, flush, narrow, widen
from ptxlift.ir.attributes import Approximation, Format, Rounding

_UPPER_HALF = np.uint64(0xFFFFFFFF00000000)


def _reciprocal(x: F64) -> F64:
    return 1.0 / x


def _reciprocal_root(x: F64) -> F64:
    return 1.0 / np.sqrt(x)


_FUNCTIONS: dict[Approximation, Callable[[F64], F64]] = {
    Approximation.RCP: _reciprocal,
    Approximation.RSQRT: _reciprocal_root,
    Approximation.SQRT: np.sqrt,
    Approximation.SIN: np.sin,
    Approximation.COS: np.cos,
    Approximation.LG2: np.log2,
    Approximation.EX2: np.exp2,
    Approximation.TANH: np.tanh,
}


class ApproximateOps:
    """The approximate primitives of the Algebra."""

    def fapprox(self, a: Lanes, function: Approximation, fmt: Format, ftz: bool) -> Lanes:
        if ftz:
            a = flush(a, fmt)
        if fmt is Format.F64:
            return self._approximate_f64(a, function, ftz)
        return narrow(_FUNCTIONS[function](widen(a, fmt)), fmt, Rounding.RN, ftz)

    def _approximate_f64(self, a: Lanes, function: Approximation, ftz: bool) -> Lanes:
        """The `.ftz.f64` forms read and write only the upper 32 bits."""
        if not ftz:
            return canonical(_FUNCTIONS[function](a.view(np.float64)).view(np.uint64), Format.F64)
        upper = (a & _UPPER_HALF).view(np.float64)
        result = canonical(_FUNCTIONS[function](upper).view(np.uint64), Format.F64)
        return flush(result & _UPPER_HALF, Format.F64)

    def fdiv_approx(self, a: Lanes, b: Lanes, fmt: Format, ftz: bool, full: bool) -> Lanes:
        """`div.approx` multiplies by a reciprocal that has underflowed for |b| above 2^126."""
        if ftz:
            a, b = flush(a, fmt), flush(b, fmt)
        x, y = widen(a, fmt), widen(b, fmt)
        result = narrow(x / y, fmt, Rounding.RN, ftz)
        if not full:
            large = (np.abs(y) > 2.0**126) & np.isfinite(y)
            zero = (a ^ b) & a.dtype.type(1 << (fmt.bits - 1))
            lost = np.where(np.isfinite(x), zero, a.dtype.type(CANONICAL_NAN[fmt]))
            result = np.where(large, lost, result)
        return result
