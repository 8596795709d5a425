"""Values that LLVM cannot look into, where it would fold something wrongly.

`llvm.arithmetic.fence` is no way: of a uniform value that a vector instruction computes it ends the
process ("illegal VGPR to SGPR copy"). Or-ing a zero that LLVM takes for a lane's number costs one
instruction and always works.
"""

from __future__ import annotations

from ptxlift.llvm.amdgpu.emitter import Emitter
from ptxlift.llvm.amdgpu.floats import FloatType


def opaque_bits(e: Emitter, text: str, width: int) -> str:
    """The same integer of 32 or 64 bits."""
    zero = e.let(e.call("i32 @llvm.amdgcn.mbcnt.lo(i32, i32)", "0", "0"))
    if width == 64:
        low = e.let(f"zext i32 {zero} to i64")
        high = e.let(f"shl i64 {low}, 32")
        zero = e.let(f"or i64 {low}, {high}")
    return e.let(f"or i{width} {text}, {zero}")


def opaque_real(e: Emitter, text: str, type: FloatType) -> str:
    """The same float of 32 or 64 bits; of a half, the expression widened to 32 and back."""
    if type.bits == 16:
        narrow = e.let(f"bitcast {type.name} {text} to i16")
        wide = opaque_bits(e, e.let(f"zext i16 {narrow} to i32"), 32)
        back = e.let(f"trunc i32 {wide} to i16")
        return e.let(f"bitcast i16 {back} to {type.name}")
    bits = e.let(f"bitcast {type.name} {text} to {type.integer}")
    return e.let(f"bitcast {type.integer} {opaque_bits(e, bits, type.bits)} to {type.name}")
