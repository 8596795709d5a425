"""Lowering of `matrix_core`: intrinsic calls on vectors of the operands' registers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ptxlift.ir.core import Op
from ptxlift.ir.matrix import Element
from ptxlift.llvm.amdgpu.emitter import Emitter
from ptxlift.llvm.amdgpu.matrix.cores import Core, MatrixCore
from ptxlift.llvm.amdgpu.registry import lowers

_PERM = "i32 @llvm.amdgcn.perm(i32, i32, i32)"
_UPPER_HALVES = 0x07060302
_EXPONENT = 0x7F800000
_FLAGS = ("i1", "i16")  # types of arguments that are no matrices


def _vector(e: Emitter, registers: Sequence[str], width: int, type_: str) -> str:
    """Registers as one value of a type that is as wide as they are together."""
    if len(registers) == 1:
        whole, have = registers[0], f"i{width}"
    else:
        whole, have = "poison", f"<{len(registers)} x i{width}>"
        for index, register in enumerate(registers):
            whole = e.let(f"insertelement {have} {whole}, i{width} {register}, i32 {index}")
    return whole if have == type_ else e.let(f"bitcast {have} {whole} to {type_}")


@lowers("matrix_core")
def _matrix_core(e: Emitter, op: Op) -> None:
    chosen = op.attr("core")
    assert isinstance(chosen, MatrixCore)
    core = chosen.core
    _, types = e.context.signature(core.intrinsic)
    left_type, right_type, sums, *others = (type_ for type_ in types if type_ not in _FLAGS)
    texts = [e.bits(value) for value in op.operands]
    a, b, c, places = _parts(core, texts)
    result = _vector(e, c, core.width, sums)
    last = [_vector(e, places, core.width, others[0])] if places else []
    for left, right in _terms(e, core, a, b):
        parts = [_vector(e, left, core.width, left_type), _vector(e, right, core.width, right_type)]
        result = e.let(e.call(core.intrinsic, *_arguments(core, types, [*parts, result, *last])))
    have = f"<{core.accumulators} x i{core.width}>"
    words = e.let(f"bitcast {sums} {result} to {have}")
    for index, value in enumerate(op.results):
        e.set_bits(value, f"extractelement {have} {words}, i32 {index}")


def _parts(core: Core, operands: Sequence[str]) -> Iterator[Sequence[str]]:
    """a, b, c and the index."""
    b_words = core.words if core.sparse is None else 2 * core.words
    at = 0
    for size in (core.words, b_words, core.accumulators, core.index_words):
        yield operands[at : at + size]
        at += size


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


def _arguments(core: Core, types: Sequence[str], parts: Sequence[str]) -> list[str]:
    """The vectors with the constants between and behind them: which integers are signed; no
    clamping, no negation, no broadcast.
    """
    found: list[str] = []
    left = list(parts)
    signs = iter((core.a, core.b))
    for type_ in types:
        if type_ not in _FLAGS and left:
            found.append(left.pop(0))
        elif type_ == "i1" and len(left) > 1 and core.result is Element.S32:
            found.append("true" if next(signs).is_signed else "false")
        else:
            found.append("false" if type_ == "i1" else "0")
    return found
