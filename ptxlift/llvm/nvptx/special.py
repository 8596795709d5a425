"""Lowerings of special registers, by their own names."""

from __future__ import annotations

from ptxlift.ir.attributes import Special
from ptxlift.ir.core import Op
from ptxlift.llvm.nvptx.emitter import Emitter
from ptxlift.llvm.nvptx.registry import lowers

# Those whose range LLVM knows have intrinsics.
_INTRINSICS = frozenset(
    Special(f"{name}.{axis}") for name in ("tid", "ntid", "ctaid", "nctaid") for axis in "xyz"
) | {Special.LANEID, Special.WARPID, Special.NWARPID, Special.SMID, Special.NSMID}
_WIDE = frozenset({Special.GRIDID, Special.CLOCK64, Special.GLOBALTIMER})
_ABSENT = frozenset({Special.WAVE_LANE, Special.PRINTF_BUFFER})


@lowers("special")
def _special(e: Emitter, op: Op) -> None:
    register, result = Special(op.attr("register")), op.results[0]
    if register in _ABSENT:
        raise e.error(op, "PTX202", f"the {register.value} is AMD's and has no name in PTX")
    width = 64 if register in _WIDE else 32
    if register in _INTRINSICS:
        text = e.let(e.call(f"i32 @llvm.nvvm.read.ptx.sreg.{register.value}()"))
    else:
        text = e.let(e.ptx(f"mov.u{width} $0, %{register.value};", [width], []))
    if result.width == width:
        e.alias(result, text)
    else:
        change = "zext" if result.width > width else "trunc"
        e.set_bits(result, f"{change} i{width} {text} to i{result.width}")


@lowers("clock")
def _clock(e: Emitter, op: Op) -> None:
    register, result = Special(op.attr("register")), op.results[0]
    line = f"mov.u{result.width} $0, %{register.value};"
    e.define([result], e.ptx(line, [result.width], [], effects=True))
