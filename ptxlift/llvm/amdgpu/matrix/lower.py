"""Lowering of `matrix_core`: one intrinsic call on vectors of the operands' registers."""

from __future__ import annotations

from collections.abc import Sequence

from ptxlift.ir.core import Op, Value
from ptxlift.llvm.amdgpu.emitter import Emitter
from ptxlift.llvm.amdgpu.matrix.cores import MatrixCore
from ptxlift.llvm.amdgpu.registry import lowers


def _vector(e: Emitter, registers: Sequence[Value], type_: str) -> str:
    """Registers as one value of a type that is as wide as they are together."""
    if len(registers) == 1:
        whole, have = e.bits(registers[0]), "i32"
    else:
        whole, have = "poison", f"<{len(registers)} x i32>"
        for index, register in enumerate(registers):
            whole = e.let(f"insertelement {have} {whole}, i32 {e.bits(register)}, i32 {index}")
    return whole if have == type_ else e.let(f"bitcast {have} {whole} to {type_}")


@lowers("matrix_core")
def _matrix_core(e: Emitter, op: Op) -> None:
    chosen = op.attr("core")
    assert isinstance(chosen, MatrixCore)
    core = chosen.core
    _, types = e.context.signature(core.intrinsic)
    inputs, sums = (types[1], types[4]) if types[0] == "i1" else (types[0], types[2])
    a, b, c = op.operands[: core.words], op.operands[core.words : 2 * core.words], op.operands
    parts = [_vector(e, a, inputs), _vector(e, b, inputs), _vector(e, c[2 * core.words :], sums)]
    result = e.let(e.call(core.intrinsic, *_arguments(types, parts)))
    words = e.let(f"bitcast {sums} {result} to <{core.accumulators} x i32>")
    for index, value in enumerate(op.results):
        e.set_bits(value, f"extractelement <{core.accumulators} x i32> {words}, i32 {index}")


def _arguments(types: Sequence[str], parts: Sequence[str]) -> list[str]:
    """The vectors with the constants between and behind them: signed inputs, no clamping, no
    broadcast.
    """
    a, b, c = parts
    if types[0] == "i1":
        return ["true", a, "true", b, c, "false"]
    return [a, b, c, *["0"] * (len(types) - 3)]
