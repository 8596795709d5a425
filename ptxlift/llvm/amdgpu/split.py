"""One warp a wave of 64: lanes 32..63 of every wave leave at entry.

Comes in: an emitter of a split kernel, launched with twice the work-items in x. Goes out: PTX's
thread indices, and the prologue that ends the idle lanes. Work-items fill waves in linear order, so
thread number = 32 * wave + lane, whatever the block's shape is.
"""

from __future__ import annotations

from ptxlift.llvm.amdgpu.emitter import Emitter
from ptxlift.llvm.amdgpu.launch import block_size, work_item

WARP = 32


def split_tid(e: Emitter) -> tuple[str, str, str]:
    """Thread indices x, y, z."""
    required = e.function.bounds.reqntid
    if required is not None and required[0] % WARP == 0:
        return _thread_of(e, work_item(e, "x")), work_item(e, "y"), work_item(e, "z")
    number = _thread_of(e, _linear_item(e))
    width, height = block_size(e, 0), block_size(e, 1)
    row = e.let(f"udiv i32 {number}, {width}")
    x = e.let(f"urem i32 {number}, {width}")
    return x, e.let(f"urem i32 {row}, {height}"), e.let(f"udiv i32 {row}, {height}")


def _linear_item(e: Emitter) -> str:
    doubled = e.let(f"shl i32 {block_size(e, 0)}, 1")
    plane = e.let(f"mul i32 {work_item(e, 'z')}, {block_size(e, 1)}")
    row = e.let(f"add i32 {plane}, {work_item(e, 'y')}")
    row = e.let(f"mul i32 {row}, {doubled}")
    return e.let(f"add i32 {row}, {work_item(e, 'x')}")


def _thread_of(e: Emitter, item: str) -> str:
    """32 * (item / 64) + item % 32."""
    wave = e.let(f"lshr i32 {item}, 6")
    first = e.let(f"shl i32 {wave}, 5")
    lane = e.let(f"and i32 {item}, 31")
    return e.let(f"or i32 {first}, {lane}")


def leave_idle_lanes(e: Emitter) -> None:
    """The kernel's prologue."""
    item = _linear_item(e)
    upper = e.let(f"and i32 {item}, {WARP}")
    idle = e.let(f"icmp ne i32 {upper}, 0")
    count = block_size(e, 0)
    for axis in (1, 2):
        count = e.let(f"mul i32 {count}, {block_size(e, axis)}")
    outside = e.let(f"icmp uge i32 {_thread_of(e, item)}, {count}")
    leaves = e.let(f"or i1 {idle}, {outside}")
    idle_label, start = e.fresh("idle"), e.fresh("start")
    e.do(f"br i1 {leaves}, label %{idle_label}, label %{start}")
    e.start_block(idle_label)
    e.do("ret void")
    e.start_block(start)
