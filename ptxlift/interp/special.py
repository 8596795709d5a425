"""Special registers of a batch of blocks.

Comes in: a state. Goes out: one lane a thread slot. It must know no instruction.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np

from ptxlift.interp.lanes import Lanes
from ptxlift.interp.state import WARP, Dim3, State

_AXES = {"x": 0, "y": 1, "z": 2}


def _u32(values: Lanes | int, state: State) -> Lanes:
    return np.broadcast_to(np.asarray(values).astype(np.uint32), state.slots.shape)


def _axis(linear: Lanes, shape: Dim3, component: str) -> Lanes:
    x, y, _ = shape
    if component == "x":
        return linear % x
    if component == "y":
        return linear // x % y
    return linear // (x * y) if component == "z" else np.zeros_like(linear)


def _size(shape: Dim3, component: str) -> int:
    return shape[_AXES[component]] if component in _AXES else 0


def _tid(state: State, component: str) -> Lanes:
    linear = state.slots % state.shape.padded
    return _u32(_axis(linear, state.shape.block, component), state)


def _ntid(state: State, component: str) -> Lanes:
    return _u32(_size(state.shape.block, component), state)


def _ctaid(state: State, component: str) -> Lanes:
    linear = state.shape.first + state.block_of
    return _u32(_axis(linear, state.shape.grid, component), state)


def _nctaid(state: State, component: str) -> Lanes:
    return _u32(_size(state.shape.grid, component), state)


def _laneid(state: State, component: str) -> Lanes:
    return _u32(state.slots % WARP, state)


def _warpid(state: State, component: str) -> Lanes:
    return _u32(state.slots % state.shape.padded // WARP, state)


def _nwarpid(state: State, component: str) -> Lanes:
    return _u32(state.shape.padded // WARP, state)


def _zero(state: State, component: str) -> Lanes:
    return _u32(0, state)


def _one(state: State, component: str) -> Lanes:
    return _u32(1, state)


def _one_by_axis(state: State, component: str) -> Lanes:
    return _u32(1 if component in _AXES else 0, state)


def _lane_bit(state: State, component: str) -> Lanes:
    return _u32(np.uint32(1) << (state.slots % WARP).astype(np.uint32), state)


def _below(state: State, component: str) -> Lanes:
    return _lane_bit(state, component) - np.uint32(1)


def _up_to(state: State, component: str) -> Lanes:
    return _below(state, component) | _lane_bit(state, component)


def _above(state: State, component: str) -> Lanes:
    return ~_up_to(state, component)


def _from(state: State, component: str) -> Lanes:
    return ~_below(state, component)


def _dynamic_shared(state: State, component: str) -> Lanes:
    return _u32(state.dynamic_shared, state)


def _total_shared(state: State, component: str) -> Lanes:
    return _u32(state.shared_region.size, state)


def _clock(state: State, component: str) -> Lanes:
    return _u32(state.steps & 0xFFFFFFFF, state)


def _clock_high(state: State, component: str) -> Lanes:
    return _u32(state.steps >> 32, state)


def _u64(value: int, state: State) -> Lanes:
    return np.full(state.slots.shape, value, np.uint64)


def _clock64(state: State, component: str) -> Lanes:
    return _u64(state.steps, state)


def _timer(state: State, component: str) -> Lanes:
    return _u64(time.time_ns(), state)


def _timer_low(state: State, component: str) -> Lanes:
    return _u32(time.time_ns() & 0xFFFFFFFF, state)


def _timer_high(state: State, component: str) -> Lanes:
    return _u32(time.time_ns() >> 32, state)


def _grid(state: State, component: str) -> Lanes:
    return _u64(1, state)


def _grid_high(state: State, component: str) -> Lanes:
    return _u32(state.grid_words >> 32, state)


def _grid_low(state: State, component: str) -> Lanes:
    return _u32(state.grid_words & 0xFFFFFFFF, state)


# Shared memory behind the kernel's own, for libraries such as cooperative groups. NVIDIA's begins
# at 0; a program may rely on the distances only (PTX manual, "%reserved_smem_offset_begin").
RESERVED_NAME, RESERVED_BYTES, RESERVED_ALIGN = "%reserved_smem_offset_", 1024, 16
_IN_RESERVED = {"begin": 0, "end": RESERVED_BYTES, "0": 0, "1": RESERVED_BYTES // 2}


def _reserved(distance: int) -> Special:
    def special(state: State, component: str) -> Lanes:
        return _u32(state.reserved_shared + distance, state)

    return special


def _reserved_capacity(state: State, component: str) -> Lanes:
    return _u32(RESERVED_BYTES, state)


Special = Callable[[State, str], Lanes]
SPECIALS: dict[str, Special] = {
    "%tid": _tid,
    "%ntid": _ntid,
    "%ctaid": _ctaid,
    "%nctaid": _nctaid,
    "%laneid": _laneid,
    "%warpid": _warpid,
    "%nwarpid": _nwarpid,
    "%smid": _zero,
    "%nsmid": _one,
    "%gridid": _grid,
    **{f"%envreg{number}": _zero for number in range(32)},
    "%envreg1": _grid_high,
    "%envreg2": _grid_low,
    "%lanemask_eq": _lane_bit,
    "%lanemask_le": _up_to,
    "%lanemask_lt": _below,
    "%lanemask_ge": _from,
    "%lanemask_gt": _above,
    "%clock": _clock,
    "%clock_hi": _clock_high,
    "%clock64": _clock64,
    "%globaltimer": _timer,
    "%globaltimer_lo": _timer_low,
    "%globaltimer_hi": _timer_high,
    "%dynamic_smem_size": _dynamic_shared,
    "%total_smem_size": _total_shared,
    **{RESERVED_NAME + name: _reserved(distance) for name, distance in _IN_RESERVED.items()},
    f"{RESERVED_NAME}cap": _reserved_capacity,
    "%clusterid": _ctaid,
    "%nclusterid": _nctaid,
    "%cluster_ctaid": _zero,
    "%cluster_nctaid": _one_by_axis,
    "%cluster_ctarank": _zero,
    "%cluster_nctarank": _one,
}
# These change while a kernel runs; the others are computed once a batch.
CHANGING = frozenset(name for name in SPECIALS if "clock" in name or "timer" in name)
