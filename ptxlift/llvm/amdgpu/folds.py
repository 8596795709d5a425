"""What LLVM 22 may wrongly make of sums and products, by what it may find out of their operands.

0 - x and x * -1 + 0: LLVM lets other instructions take it as -x, which is -0 where the sum is
+0 - 0 = +0. An f32 product and its conversion to 16 bits: LLVM makes one instruction of both,
product + 0, which makes +0 of -0. Comes in: ops and values. Goes out: whether it may come to that.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from ptxlift.ir.attributes import Format, Space
from ptxlift.ir.core import Block, Op, Value
from ptxlift.llvm.amdgpu.emitter import Emitter
from ptxlift.llvm.floats import FloatType

_UNKNOWN = frozenset({"call", "call_indirect"})
_OWN_MEMORY = (Space.LOCAL, Space.GENERIC)
# What ends in a product, as PTX's op or as what is emitted for it.
_PRODUCTS = frozenset({"fmul", "fdiv", "fdiv_approx", "fapprox", "fsqrt"})
_SIGNS = frozenset({"fneg", "fabs", "fflush"})
_DEPTH = 6  # selects, block parameters and packs that a value is followed through


def may_be_negation(e: Emitter, name: str, type: FloatType, operands: Sequence[Value]) -> bool:
    """Whether LLVM may find that this fadd, fsub or ffma is 0 - x."""
    look = _Look(e, type)
    if name == "fsub":
        return look.may_be_zero(operands[0])
    if name == "fadd":
        pairs = (operands, operands[::-1])
        return any(look.may_be_negated(x) and look.may_be_zero(zero) for x, zero in pairs)
    if name != "ffma":
        return False
    return any(map(look.may_be_one, operands[:2])) and look.may_be_zero(operands[2])


def may_be_product(e: Emitter, type: FloatType, value: Value) -> bool:
    """Whether LLVM may take the value for the result of an inexact multiplication. Of two widened
    f16 it makes one f16 product, which is right.
    """
    return _Look(e, type).may_be_product(value)


def kept_sum(e: Emitter, name: str, type: FloatType, operands: Sequence[str]) -> str:
    """A sum that no instruction makes a part of its operand."""
    n, word = type.name, "fma" if name == "ffma" else name
    types = ", ".join([n] * len(operands))
    signature = (
        f"{n} @llvm.experimental.constrained.{word}.{type.suffix}({types}, metadata, metadata)"
    )
    return e.call(signature, *operands, '!"round.tonearest"', '!"fpexcept.ignore"')


@dataclass(frozen=True, slots=True)
class _Look:
    """What LLVM may come to know of values where the IR does not: in doubt, everything."""

    e: Emitter
    type: FloatType
    depth: int = _DEPTH

    def may_be_zero(self, value: Value) -> bool:
        return self._may_be(value, 0, 0, self.type.sign_bit * 2 - 1)

    def may_be_one(self, value: Value) -> bool:
        """1 or -1."""
        return self._may_be(value, 0, self.type.one, self.type.magnitude_mask)

    def may_be_negated(self, value: Value) -> bool:
        definition = value.definition
        if isinstance(definition, Op) and definition.name == "fmul":
            return any(map(self.may_be_one, definition.operands))
        if isinstance(definition, Op) and definition.name in ("fneg", "fsub", "xor", *_UNKNOWN):
            return True
        deeper = replace(self, depth=self.depth - 1)
        sources = self._sources(value, 0) if self.depth else ()
        return any(deeper.may_be_negated(source) for source, _ in sources)

    def may_be_product(self, value: Value) -> bool:
        definition = value.definition
        if isinstance(definition, Op):
            if definition.name == "fmul":
                return not all(map(_is_widened_half, definition.operands))
            if definition.name == "ffma":
                minus_zero, all_bits = self.type.sign_bit, self.type.sign_bit * 2 - 1
                return self._may_be(definition.operands[2], 0, minus_zero, all_bits)
            if definition.name in _PRODUCTS or definition.name in _UNKNOWN:
                return True
        if self.depth == 0:
            return True
        deeper = replace(self, depth=self.depth - 1)
        if isinstance(definition, Op) and definition.name in _SIGNS:
            return deeper.may_be_product(definition.operands[0])
        return any(deeper.may_be_product(source) for source, _ in self._sources(value, 0))

    def _may_be(self, value: Value, offset: int, wanted: int, mask: int) -> bool:
        """The bits from an offset on, under a mask."""
        constant = self.e.constant(value)
        if constant is not None:
            return constant >> offset & mask == wanted
        if self.depth == 0:
            return True
        definition = value.definition
        if isinstance(definition, Op) and definition.name == "load":
            return definition.attr("space") in _OWN_MEMORY
        if isinstance(definition, Op) and definition.name in _UNKNOWN:
            return True
        deeper = replace(self, depth=self.depth - 1)
        if isinstance(definition, Op) and definition.name in _SIGNS:
            size = self.type.magnitude_mask
            return deeper._may_be(definition.operands[0], offset, wanted & size, mask & size)
        sources = self._sources(value, offset)
        return any(deeper._may_be(source, at, wanted, mask) for source, at in sources)

    def _sources(self, value: Value, offset: int) -> Iterator[tuple[Value, int]]:
        """What bits of a value are the bits of, from which offset on: of a select, a block
        parameter, a part, or several side by side.
        """
        definition = value.definition
        if isinstance(definition, Block):
            yield from ((given[value.index], offset) for given in self.e.incoming[definition])
        elif definition.name == "select":
            yield from ((operand, offset) for operand in definition.operands[1:])
        elif definition.name == "extract":
            yield definition.operands[0], offset + int(str(definition.attr("offset")))
        elif definition.name == "pack":
            for part in definition.operands:
                if 0 <= offset < part.width:
                    yield part, offset
                offset -= part.width


def _is_widened_half(value: Value) -> bool:
    definition = value.definition
    if not isinstance(definition, Op) or definition.name != "fconvert":
        return False
    return definition.attr("source") is Format.F16
