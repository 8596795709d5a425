"""Changes one function: replaces ops, keeps uses, drops what is dead.

Comes in: a function that nobody else holds. Goes out: the same function, changed. It must know no
rule and no op by name.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ptxlift.ir.builder import Builder
from ptxlift.ir.core import Block, Function, Op, Value
from ptxlift.ir.ops import Effect
from ptxlift.rewrite.pattern import Uses


class Editor:
    """A function being changed. New ops stand before the op they were made for; `finish` puts the
    blocks together.
    """

    def __init__(self, function: Function) -> None:
        self.function = function
        self.uses = Uses()
        self.dead: set[Op] = set()
        self._before: dict[Op, list[Op]] = {}
        self._written = 0  # dead ops that are in no block any more
        for block in function.blocks:
            for op in block.ops:
                self._read(op)

    def _read(self, op: Op) -> None:
        readers = self.uses.of
        for value in op.operands:
            readers.setdefault(value, []).append(op)
        for given in op.arguments:
            for value in given:
                readers.setdefault(value, []).append(op)

    def builder(self, op: Op) -> Builder:
        """A builder whose ops get the span of `op`; `replace` or `insert` puts them in place."""
        builder = Builder(Block("new"))
        builder.span = op.span
        return builder

    def insert(self, op: Op, new: Sequence[Op]) -> None:
        """Puts ops before an op."""
        self._before.setdefault(op, []).extend(new)
        for each in new:
            self._read(each)

    def replace_value(self, old: Value, new: Value) -> list[Op]:
        """Makes every reader of a value read another; returns the readers."""
        readers = self.uses.of.pop(old, [])
        for op in dict.fromkeys(readers):
            op.operands = [new if value is old else value for value in op.operands]
            op.arguments = [[new if v is old else v for v in given] for given in op.arguments]
        self.uses.of.setdefault(new, []).extend(readers)
        return readers

    def remove_dead(self, start: Op) -> None:
        """Drops an op, and then what only it needed, as far as nobody reads their results."""
        readers, dead = self.uses.of, self.dead
        work = [start]
        while work:
            op = work.pop()
            if op.opdef.effect is not Effect.PURE or op in dead or self._is_read(op):
                continue
            dead.add(op)
            for value in op.operands:
                readers[value].remove(op)
                if type(value.definition) is Op:
                    work.append(value.definition)

    def remove(self, op: Op) -> None:
        """Drops an op, whatever its effect, whose results nobody reads, and what only it needed."""
        self.dead.add(op)
        for value in op.operands:
            self.uses.of[value].remove(op)
            if type(value.definition) is Op:
                self.remove_dead(value.definition)

    def remove_all_dead(self) -> None:
        """Drops every op whose results nobody reads."""
        for block in self.function.blocks:
            for op in reversed(block.ops):
                if op.opdef.effect is Effect.PURE and not self._is_read(op):
                    self.remove_dead(op)

    def _is_read(self, op: Op) -> bool:
        readers = self.uses.of
        return any(readers.get(value) for value in op.results)

    def finish(self) -> None:
        """Writes the blocks anew."""
        dead, before = self.dead, self._before
        if not before and len(dead) == self._written:
            return
        for block in self.function.blocks:
            ops: list[Op] = []
            for op in block.ops:
                if op in before:
                    ops += self._placed(op)
                elif op not in dead:
                    ops.append(op)
            block.ops = ops
        before.clear()
        self._written = len(dead)

    def _placed(self, op: Op) -> Iterator[Op]:
        for new in self._before.get(op, ()):
            yield from self._placed(new)
        if op not in self.dead:
            yield op
