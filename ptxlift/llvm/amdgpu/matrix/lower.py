"""Lowering of `matrix_core`: intrinsic calls on vectors of the operands' registers."""

from __future__ import annotations

from collections.abc import Sequence

from ptxlift.ir.core import Op
from ptxlift.llvm.amdgpu.emitter import Emitter
from ptxlift.llvm.amdgpu.matrix.cores import Core, MatrixCore
from ptxlift.llvm.amdgpu.registry import lowers

_PERM = "i32 @llvm.amdgcn.perm(i32, i32, i32)"
_UPPER_HALVES = 0x07060302
_EXPONENT = 0x7F800000


def _vector(e: Emitter, registers: Sequence[str], type_: str) -> str:
    """Registers as one value of a type that is as wide as they are together."""
    if len(registers) == 1:
        whole, have = registers[0], "i32"
    else:
        whole, have = "poison", f"<{len(registers)} x i32>"
        for index, register in enumerate(registers):
            whole = e.let(f"insertelement {have} {whole}, i32 {register}, i32 {index}")
    return whole if have == type_ else e.let(f"bitcast {have} {whole} to {type_}")


@lowers("matrix_core")
def _matrix_core(e: Emitter, op: Op) -> None:
    chosen = op.attr("core")
    assert isinstance(chosen, MatrixCore)
    core = chosen.core
    _, types = e.context.signature(core.intrinsic)
    inputs, sums = (types[1], types[4]) if types[0] == "i1" else (types[0], types[2])
    texts = [e.bits(value) for value in op.operands]
    a, b, c = texts[: core.words], texts[core.words : 2 * core.words], texts[2 * core.words :]
    result = _vector(e, c, sums)
    for left, right in _terms(e, core, a, b):
        parts = [_vector(e, left, inputs), _vector(e, right, inputs), result]
        result = e.let(e.call(core.intrinsic, *_arguments(types, parts)))
    words = e.let(f"bitcast {sums} {result} to <{core.accumulators} x i32>")
    for index, value in enumerate(op.results):
        e.set_bits(value, f"extractelement <{core.accumulators} x i32> {words}, i32 {index}")


def _terms(
    e: Emitter, core: Core, a: Sequence[str], b: Sequence[str]
) -> list[tuple[Sequence[str], Sequence[str]]]:
    """What the instructions multiply one after the other."""
    if core.parts == 1:
        return [(a, b)]
    one, other = _Parts(e, a), _Parts(e, b)
    return [
        ([*one.upper, *one.lower], [*other.upper, *other.finite]),
        ([*one.finite, *one.lower], [*other.lower, *other.lower]),
    ]


class _Parts:
    """tf32 numbers as sums of two bf16 ones: eleven bits are eight and three exactly.

    `upper`: the eight bits, `lower`: the three, two numbers a register. An infinity or NaN is only
    in `upper`: `finite` has zero instead of it, to be multiplied by lower parts that may be zero.
    """

    def __init__(self, e: Emitter, words: Sequence[str]) -> None:
        uppers, rests = [], []
        for word in words:
            finite, rest = self._of(e, word)
            uppers.append(finite)
            rests.append(rest)
        self.upper, self.finite, self.lower = (
            [_upper_halves(e, of[at], of[at + 1]) for at in range(0, len(words), 2)]
            for of in (words, uppers, rests)
        )

    @staticmethod
    def _of(e: Emitter, word: str) -> tuple[str, str]:
        """A word, and what its upper half leaves of it; zeros for what is not finite."""
        exponent = e.let(f"and i32 {word}, {_EXPONENT}")
        endless = e.let(f"icmp eq i32 {exponent}, {_EXPONENT}")
        finite = e.let(f"select i1 {endless}, i32 0, i32 {word}")
        upper = e.let(f"bitcast i32 {e.let(f'and i32 {finite}, {-0x10000}')} to float")
        whole = e.let(f"bitcast i32 {finite} to float")
        rest = e.let(f"fsub float {whole}, {upper}")
        return finite, e.let(f"bitcast float {rest} to i32")


def _upper_halves(e: Emitter, low: str, high: str) -> str:
    return e.let(e.call(_PERM, high, low, str(_UPPER_HALVES)))


def _arguments(types: Sequence[str], parts: Sequence[str]) -> list[str]:
    """The vectors with the constants between and behind them: signed inputs, no clamping, no
    broadcast.
    """
    a, b, c = parts
    if types[0] == "i1":
        return ["true", a, "true", b, c, "false"]
    return [a, b, c, *["0"] * (len(types) - 3)]
