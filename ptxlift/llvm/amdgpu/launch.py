"""The launch as the hardware and the hidden arguments tell it.

Comes in: an emitter. Goes out: operand text for work-item numbers and block sizes. The runtime
places hidden arguments after the kernel's own (code object versions 5 and 6).
"""

from __future__ import annotations

from ptxlift.llvm.amdgpu.emitter import Emitter

_GROUP_SIZE = 12  # offset of three 16-bit sizes
_BASE_ALIGN = 8  # of the hidden arguments' own address


def hidden_argument(e: Emitter, offset: int, width: int) -> str:
    """A hidden argument by its offset. LLVM joins neighbours, and makes a scalar load of them only
    where it is told that four bytes are aligned.
    """
    align = min(_BASE_ALIGN, offset & -offset) or _BASE_ALIGN
    base = e.let(e.call("ptr addrspace(4) @llvm.amdgcn.implicitarg.ptr()"))
    place = e.let(f"getelementptr i8, ptr addrspace(4) {base}, i64 {offset}")
    load = f"load i{width}, ptr addrspace(4) {place}, align {align}, !invariant.load !0"
    return e.let(load)


def work_item(e: Emitter, axis: str) -> str:
    """The hardware's number of a lane in its work-group along an axis."""
    return e.let(e.call(f"i32 @llvm.amdgcn.workitem.id.{axis}()"))


def block_size(e: Emitter, axis: int) -> str:
    """%ntid; a split kernel is launched with twice as many work-items in x."""
    required = e.function.bounds.reqntid
    if required is not None:
        return str(required[axis])
    narrow = hidden_argument(e, _GROUP_SIZE + 2 * axis, 16)
    size = e.let(f"zext i16 {narrow} to i32")
    if e.context.is_split and axis == 0:
        return e.let(f"lshr i32 {size}, 1")
    return size
