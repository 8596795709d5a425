"""Values that no LLVM pass looks into, where one would fold something wrongly or make more of it.

`llvm.arithmetic.fence` is no way: of a uniform value that a vector instruction computes it ends the
process ("illegal VGPR to SGPR copy"). `softwqm` takes no instruction: outside of pixel shaders
there are no helper lanes that the value would have to be made in, so that LLVM turns it into a
plain copy before it allocates registers.
"""

from __future__ import annotations

from ptxlift.llvm.amdgpu.emitter import Emitter
from ptxlift.llvm.floats import FloatType

_COPY = {width: f"i{width} @llvm.amdgcn.softwqm.i{width}(i{width})" for width in (32, 64)}


def opaque_bits(e: Emitter, text: str, width: int) -> str:
    """The same integer of 32 or 64 bits."""
    return e.let(e.call(_COPY[width], text))


def opaque_real(e: Emitter, text: str, type: FloatType) -> str:
    """The same float of 32 or 64 bits; of a half, the expression widened to 32 and back."""
    if type.bits == 16:
        narrow = e.let(f"bitcast {type.name} {text} to i16")
        wide = opaque_bits(e, e.let(f"zext i16 {narrow} to i32"), 32)
        back = e.let(f"trunc i32 {wide} to i16")
        return e.let(f"bitcast i16 {back} to {type.name}")
    bits = e.let(f"bitcast {type.name} {text} to {type.integer}")
    return e.let(f"bitcast {type.integer} {opaque_bits(e, bits, type.bits)} to {type.name}")
