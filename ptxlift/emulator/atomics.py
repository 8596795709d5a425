"""Atomic operations on memory, as a table of what the new value is.

Comes in: old values and data of lanes as unsigned arrays. Goes out: new values. It must not know
addresses or mnemonics' spelling by address space.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ptxlift.emulator.buffers import Change

Bits: TypeAlias = NDArray[Any]
Many: TypeAlias = Callable[..., Bits]

_SIGNED = {4: np.int32, 8: np.int64}


def _signed(bits: Bits) -> Bits:
    found: Bits = bits.view(_SIGNED[bits.dtype.itemsize])
    return found


def _increment(old: Bits, limit: Bits) -> Bits:
    found: Bits = np.where(old >= limit, old.dtype.type(0), old + old.dtype.type(1))
    return found


def _decrement(old: Bits, limit: Bits) -> Bits:
    wraps = (old == 0) | (old > limit)
    return np.where(wraps, limit, old - old.dtype.type(1))


def _sub_clamp(old: Bits, data: Bits) -> Bits:
    return np.where(old < data, old.dtype.type(0), old - data)


def _cond_sub(old: Bits, data: Bits) -> Bits:
    return np.where(old >= data, old - data, old)


def _swap_if_equal(old: Bits, new: Bits, expected: Bits) -> Bits:
    return np.where(old == expected, new, old)


def _float_add(old: Bits, data: Bits) -> Bits:
    float_type = np.float32 if old.dtype.itemsize == 4 else np.float64
    total: Bits = old.view(float_type) + data.view(float_type)
    return total.view(old.dtype)


def _float_pick(want_max: bool) -> Many:
    """Number over NaN, and -0 below +0, as minNum and maxNum of IEEE 754-2008 choose here."""

    def pick(old: Bits, data: Bits) -> Bits:
        float_type = np.float32 if old.dtype.itemsize == 4 else np.float64
        a: Bits = old.view(float_type)
        b: Bits = data.view(float_type)
        sign = old.dtype.type(1 << old.dtype.itemsize * 8 - 1)
        if want_max:
            second = np.greater(b, a) | ((b == a) & (old & sign != 0))
        else:
            second = np.less(b, a) | ((b == a) & (data & sign != 0))
        return np.where(np.isnan(a) | (second & ~np.isnan(b)), data, old)

    return pick


def _packed_add_f16(old: Bits, data: Bits) -> Bits:
    a, b = (np.ascontiguousarray(x).view(np.float16) for x in (old, data))
    return (a + b).view(np.uint32)


def _packed_add_bf16(old: Bits, data: Bits) -> Bits:
    low = _bf16_add(old << np.uint32(16), data << np.uint32(16))
    high = _bf16_add(old & np.uint32(0xFFFF0000), data & np.uint32(0xFFFF0000))
    return low >> np.uint32(16) | high


def _bf16_add(a: Bits, b: Bits) -> Bits:
    """Sum of two bf16 in the high halves, rounded to nearest even once, in the high half."""
    exact = a.view(np.float32).astype(np.float64) + b.view(np.float32)
    near = exact.astype(np.float32)
    bits = near.view(np.uint32)
    # f64 to f32 to bf16 would round twice: make the f32 step round to odd
    error = exact - near
    inexact = (error != 0) & np.isfinite(near)
    toward_zero = np.where((error < 0) == (near > 0), np.uint32(1), np.uint32(0))
    odd = np.where(inexact, (bits - toward_zero) | np.uint32(1), bits)
    rounded = odd + np.uint32(0x7FFF) + (odd >> np.uint32(16) & np.uint32(1))
    kept = np.where(np.isnan(near), bits | np.uint32(0x400000), rounded)
    return kept & np.uint32(0xFFFF0000)


def _signed_pick(want_max: bool) -> Many:
    def pick(old: Bits, data: Bits) -> Bits:
        a, b = _signed(old), _signed(data)
        keep: Bits = np.greater(a, b) if want_max else np.less(a, b)
        return np.where(keep, old, data)

    return pick


def _float_add_one(mask: int, old: int, data: int) -> int:
    """The f32 sum as Python floats: rounding a double sum once more is harmless for f32."""
    form, single = ("<f", "<I") if mask == 0xFFFFFFFF else ("<d", "<Q")
    a, b = (struct.unpack(form, struct.pack(single, bits))[0] for bits in (old, data))
    total = a + b
    rounded = np.float32(total) if form == "<f" else total
    result: int = struct.unpack(single, struct.pack(form, rounded))[0]
    return result


CHANGES: dict[str, Change] = {
    "swap": Change(lambda old, data: data, lambda mask, old, data: data),
    "add": Change(lambda old, data: old + data, lambda mask, old, data: old + data & mask),
    "sub": Change(lambda old, data: old - data, lambda mask, old, data: old - data & mask),
    "rsub": Change(lambda old, data: data - old, lambda mask, old, data: data - old & mask),
    "and": Change(lambda old, data: old & data, lambda mask, old, data: old & data),
    "or": Change(lambda old, data: old | data, lambda mask, old, data: old | data),
    "xor": Change(lambda old, data: old ^ data, lambda mask, old, data: old ^ data),
    "umin": Change(np.minimum, lambda mask, old, data: min(old, data)),
    "umax": Change(np.maximum, lambda mask, old, data: max(old, data)),
    "smin": Change(_signed_pick(False)),
    "smax": Change(_signed_pick(True)),
    "inc": Change(_increment, lambda mask, old, data: 0 if old >= data else old + 1),
    "dec": Change(_decrement, lambda mask, old, data: data if old == 0 or old > data else old - 1),
    "csub": Change(_sub_clamp, lambda mask, old, data: max(0, old - data)),
    "cond_sub": Change(_cond_sub, lambda mask, old, data: old - data if old >= data else old),
    "cmpswap": Change(_swap_if_equal, lambda mask, old, new, want: new if old == want else old),
    "fadd": Change(_float_add, _float_add_one),
    "fmin": Change(_float_pick(False)),
    "fmax": Change(_float_pick(True)),
    "pk_add_f16": Change(_packed_add_f16),
    "pk_add_bf16": Change(_packed_add_bf16),
}

_INTEGER = ("swap", "add", "sub", "rsub", "and", "or", "xor", "inc", "dec", "cmpswap", "csub")


def _vector_names() -> dict[str, tuple[str, int]]:
    """What follows `global_atomic_`, `flat_atomic_` or `buffer_atomic_`, to change and width."""
    names: dict[str, tuple[str, int]] = {}
    for name in (*_INTEGER, "smin", "smax", "umin", "umax", "fmin", "fmax"):
        names |= {name: (name, 4), f"{name}_x2": (name, 8)}
    for name in ("add", "sub", "inc", "dec", "csub", "cond_sub"):
        names |= {f"{name}_u32": (name, 4), f"{name}_u64": (name, 8)}
    for name in ("swap", "and", "or", "xor", "cmpswap"):
        names |= {f"{name}_b32": (name, 4), f"{name}_b64": (name, 8)}
    for which in ("min", "max"):
        names |= {
            f"{which}_u32": (f"u{which}", 4),
            f"{which}_u64": (f"u{which}", 8),
            f"{which}_i32": (f"s{which}", 4),
            f"{which}_i64": (f"s{which}", 8),
        }
        for spelling in (which, f"{which}_num"):
            names |= {f"{spelling}_f32": (f"f{which}", 4), f"{spelling}_f64": (f"f{which}", 8)}
    return names | {
        "add_f32": ("fadd", 4),
        "add_f64": ("fadd", 8),
        "pk_add_f16": ("pk_add_f16", 4),
        "pk_add_bf16": ("pk_add_bf16", 4),
        "sub_clamp_u32": ("csub", 4),
    }


VECTOR_ATOMICS: dict[str, tuple[str, int]] = _vector_names()


def _lds_names() -> dict[str, tuple[str, int]]:
    """What follows `ds_`, without `_rtn`, to change and width."""
    names = {
        name: found
        for name, found in VECTOR_ATOMICS.items()
        if name.rpartition("_")[2] in {"u32", "u64", "b32", "b64", "i32", "i64", "f32", "f64"}
    }
    for width, size in (("32", 4), ("64", 8)):
        names |= {
            f"rsub_u{width}": ("rsub", size),
            f"wrxchg_b{width}": ("swap", size),
            f"storexchg_b{width}": ("swap", size),
            f"cmpst_b{width}": ("cmpswap", size),
            f"cmpstore_b{width}": ("cmpswap", size),
        }
    return names | {"pk_add_f16": ("pk_add_f16", 4), "pk_add_bf16": ("pk_add_bf16", 4)}


LDS_ATOMICS: dict[str, tuple[str, int]] = _lds_names()
