"""Lowering of three-input logic by the shortest programs of `target.lop3`.

Comes in: `bitwise3`. Goes out: v_bitop3 where the target has it, else a program written so that
LLVM's combiner leaves it as short as it is. It must know no program itself.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ptxlift.ir.core import Op
from ptxlift.llvm.amdgpu.emitter import Emitter
from ptxlift.llvm.amdgpu.opaque import opaque_bits
from ptxlift.llvm.amdgpu.registry import lowers
from ptxlift.rewrite.uniform import is_uniform
from ptxlift.target import Feature
from ptxlift.target.lop3 import LogicClass, LogicOp, Step, logic_class, program

_BITOP3 = "i32 @llvm.amdgcn.bitop3.i32(i32, i32, i32, i32)"
_RESULTS = "pqrs"
_WORD = 32
_PLAIN = {0x00: "0", 0xFF: "1", 0xF0: "a", 0xCC: "b", 0xAA: "c"}  # functions of no step

# Over x, y, z, and t, the line before. No line that a constant makes superfluous is written.
_LINES: dict[LogicOp, tuple[str, ...]] = {
    LogicOp.NOT: ("xor x 1",),
    LogicOp.AND: ("and x y",),
    LogicOp.OR: ("or x y",),
    LogicOp.XOR: ("xor x y",),
    LogicOp.XNOR: ("xor x y", "xor t 1"),
    LogicOp.AND_OR: ("and x y", "or t z"),
    LogicOp.OR3: ("or x y", "or t z"),
    LogicOp.XOR3: ("xor x y", "xor t z"),
    LogicOp.AND_NOT: ("xor y 1", "and x t"),
    LogicOp.OR_NOT: ("xor y 1", "or x t"),
    LogicOp.NAND: ("and x y", "xor t 1"),
    LogicOp.NOR: ("or x y", "xor t 1"),
}


class Spelling:
    """Writes programs as LLVM instructions. `let` defines a temporary, `pin` a pinned copy."""

    def __init__(
        self, let: Callable[[str], str], pin: Callable[[str], str], width: int = _WORD
    ) -> None:
        self._let = let
        self._pin = pin
        self._type = f"i{width}"
        self._ones = "true" if width == 1 else "-1"
        self._zero = "false" if width == 1 else "0"

    def write(self, steps: Sequence[Step], lut: int, inputs: Sequence[str], pins: bool) -> str:
        """The text of the result; `inputs` are the texts of a, b and c."""
        names = {**dict(zip("abc", inputs, strict=True)), "0": self._zero, "1": self._ones}
        text = names[_PLAIN[lut]] if not steps else ""
        for index, step in enumerate(steps):
            text = self._step(step.op, [names[name] for name in step.operands])
            if step.pinned and pins:
                text = self._pin(text)
            names[_RESULTS[index]] = text
        return text

    def _step(self, op: LogicOp, operands: Sequence[str]) -> str:
        if op is LogicOp.MERGE:
            return self._merge(*operands)
        names = {**dict(zip("xyz", operands, strict=False)), "1": self._ones}
        for line in _LINES[op]:
            instruction, left, right = line.split()
            names["t"] = self._line(instruction, names[left], names[right])
        return names["t"]

    def _merge(self, mask: str, one: str, other: str) -> str:
        inside = self._line("and", mask, one)
        if other == self._zero:
            return inside
        outside = self._line("and", self._line("xor", mask, self._ones), other)
        return self._line("or", inside, outside)

    def _line(self, instruction: str, left: str, right: str) -> str:
        neutral = self._ones if instruction == "and" else self._zero
        if right == neutral:
            return left
        if left == neutral:
            return right
        if instruction == "and" and self._zero in (left, right):
            return self._zero
        return self._let(f"{instruction} {self._type} {left}, {right}")


@lowers("bitwise3")
def _bitwise3(e: Emitter, op: Op) -> None:
    width = op.operands[0].width
    lut = int(str(op.attr("lut")))
    texts = [e.bits(value) for value in op.operands]
    if width == 1 or all(is_uniform(value) for value in op.operands):
        steps = program(lut, LogicClass.SCALAR)
        e.alias(op.results[0], _spelling(e, width).write(steps, lut, texts, pins=False))
        return
    known = any(e.constant(value) is not None for value in op.operands)
    words = zip(*(_words(e, text, width) for text in texts), strict=True)
    results = [_word(e, lut, word, known) for word in words]
    _join(e, op, results)


def _word(e: Emitter, lut: int, texts: Sequence[str], known: bool) -> str:
    """One word of the result; LLVM makes more of constants where nothing is hidden from it."""
    steps = program(lut, logic_class(e.context.target.features))
    if len(steps) > 1 and e.context.has(Feature.V_BITOP3):
        return e.let(e.call(_BITOP3, *texts, str(lut)))
    return _spelling(e, _WORD).write(steps, lut, texts, pins=not known)


def _spelling(e: Emitter, width: int) -> Spelling:
    def pin(text: str) -> str:
        return opaque_bits(e, text, _WORD)

    return Spelling(e.let, pin, width)


def _words(e: Emitter, text: str, width: int) -> list[str]:
    """A value as words of 32 bits."""
    if width == _WORD:
        return [text]
    if width < _WORD:
        return [e.let(f"zext i{width} {text} to i32")]
    vector = f"<{width // _WORD} x i32>"
    parts = e.let(f"bitcast i{width} {text} to {vector}")
    return [e.let(f"extractelement {vector} {parts}, i32 {i}") for i in range(width // _WORD)]


def _join(e: Emitter, op: Op, words: Sequence[str]) -> None:
    result, width = op.results[0], op.results[0].width
    if width == _WORD:
        e.alias(result, words[0])
    elif width < _WORD:
        e.set_bits(result, f"trunc i32 {words[0]} to i{width}")
    else:
        vector = f"<{len(words)} x i32>"
        whole = "poison"
        for index, word in enumerate(words):
            whole = e.let(f"insertelement {vector} {whole}, i32 {word}, i32 {index}")
        e.set_bits(result, f"bitcast {vector} {whole} to i{width}")
