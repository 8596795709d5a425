"""Launch arguments written as words: `f32=2.5`, `u32[1024]=ramp`, `f32=weights.npy`.

Comes in: words. Goes out: numpy scalars and arrays. It must know nothing of kernels.
"""

from __future__ import annotations

import re
from typing import Any

import click
import numpy as np

from ptxlift.diag import PtxError
from ptxlift.runtime.arguments import Argument
from ptxlift.runtime.buffers import Array

_DTYPES = {
    "u8": np.uint8, "u16": np.uint16, "u32": np.uint32, "u64": np.uint64,
    "i8": np.int8, "i16": np.int16, "i32": np.int32, "i64": np.int64,
    "s8": np.int8, "s16": np.int16, "s32": np.int32, "s64": np.int64,
    "f16": np.float16, "f32": np.float32, "f64": np.float64,
}  # fmt: skip
_WORD = re.compile(r"(?P<type>[uisf]\d+)(\[(?P<count>\d{1,12})\])?=(?P<value>.+)")
_MOST = 1 << 30  # bytes of one array


def argument(word: str, rng: np.random.Generator) -> Argument:
    """What one word means; a usage error if it means nothing."""
    match = _WORD.fullmatch(word)
    if match is None or match["type"] not in _DTYPES:
        types = ", ".join(_DTYPES)
        raise click.UsageError(f"{word!r} is no TYPE=VALUE or TYPE[COUNT]=FILL; types: {types}")
    dtype = np.dtype(_DTYPES[match["type"]])
    if match["count"] is not None:
        return _array(match["value"], int(match["count"]), dtype, rng)
    if match["value"].endswith(".npy"):
        return _load(match["value"], dtype)
    return _number(match["value"], dtype)


def _number(text: str, dtype: np.dtype[Any]) -> np.generic:
    try:
        value: np.generic = dtype.type(float(text) if dtype.kind == "f" else int(text, 0))
    except (ValueError, OverflowError):
        raise click.UsageError(f"{text!r} is no {dtype}") from None
    return value


def _load(path: str, dtype: np.dtype[Any]) -> Array:
    try:
        return np.ascontiguousarray(np.load(path, allow_pickle=False).astype(dtype))
    except (OSError, ValueError, EOFError) as error:
        message = f"{path} cannot be read: {error}"
        raise PtxError.of("PTX008", message, hint="give an array that numpy.save wrote") from None


def _array(fill: str, count: int, dtype: np.dtype[Any], rng: np.random.Generator) -> Array:
    if count * dtype.itemsize > _MOST:
        raise click.UsageError(f"{count} elements of {dtype} are more than {_MOST} bytes")
    match fill:
        case "zeros":
            return np.zeros(count, dtype)
        case "ones":
            return np.ones(count, dtype)
        case "ramp":
            return np.arange(count).astype(dtype)
        case "random" if dtype.kind == "f":
            return rng.standard_normal(count).astype(dtype)
        case "random":
            low, high = np.iinfo(dtype).min, np.iinfo(dtype).max
            return rng.integers(low, high, count, dtype, endpoint=True)
    try:
        return np.full(count, _number(fill, dtype))
    except click.UsageError:
        message = f"{fill!r} is no zeros, ones, ramp, random or number"
        raise click.UsageError(message) from None
