"""Whether a result is as near to a vector's as its section's tolerance allows.

Comes in: two bit patterns and the tolerance's words. Goes out: yes or no.
"""

from __future__ import annotations

import numpy as np

from ptxlift.interp.exact import is_nan
from ptxlift.interp.rounding import widen
from ptxlift.ir.attributes import Format

_FORMATS = {"f16": Format.F16, "bf16": Format.BF16, "f32": Format.F32, "f64": Format.F64}


def _value(bits: int, fmt: Format) -> float:
    return float(widen(np.array([bits], f"u{fmt.bits // 8}"), fmt)[0])


def is_near(got: int, want: int, tolerance: str) -> bool:
    """Equal, or as near as the section's tolerance allows."""
    if got == want or not tolerance:
        return got == want
    *distance, name = tolerance.split()[1:]
    fmt = _FORMATS[name]
    if is_nan(want, fmt):
        return is_nan(got, fmt)
    if tolerance.startswith("absolute"):
        return abs(_value(got, fmt) - _value(want, fmt)) <= 2.0 ** -int(distance[0])
    sign = 1 << (fmt.bits - 1)
    limit = int(distance[0]) if distance else 0
    return got & sign == want & sign and abs(got - want) <= limit
