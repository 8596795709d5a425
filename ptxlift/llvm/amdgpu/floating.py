"""Lowerings of floating-point arithmetic."""

from __future__ import annotations

from ptxlift.ir.attributes import Format
from ptxlift.ir.core import Op
from ptxlift.llvm.amdgpu.emitter import Emitter
from ptxlift.llvm.amdgpu.floats import TYPES
from ptxlift.llvm.amdgpu.registry import Lowering, lowers


@lowers("ffma")
def _ffma(e: Emitter, op: Op) -> None:
    a, b, c = op.operands
    fmt, _rounding, _ftz = op.attrs
    assert isinstance(fmt, Format)
    t = TYPES[fmt]
    n = t.name
    call = e.call(
        f"{n} @llvm.fma.{t.suffix}({n}, {n}, {n})", e.real(a, t), e.real(b, t), e.real(c, t)
    )
    e.set_real(op.results[0], t, call)
