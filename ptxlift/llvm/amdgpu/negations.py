"""Sums that LLVM 22 may take for a negation: 0 - x, and x * -1 + 0.

LLVM makes `0 - x` of the fused one and lets other instructions take that as -x, which is -0 where
the sum is +0 - 0 = +0. Comes in: an op. Goes out: whether it may come to that, and the expression
that no instruction makes a part of its operand.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from ptxlift.ir.attributes import Space
from ptxlift.ir.core import Block, Op, Value
from ptxlift.llvm.amdgpu.emitter import Emitter
from ptxlift.llvm.floats import FloatType

_UNKNOWN = frozenset({"call", "call_indirect"})
_OWN_MEMORY = (Space.LOCAL, Space.GENERIC)
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
        return self._may_be(value, 0, 0, self.type.sign_bit | self.type.magnitude_mask)

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
