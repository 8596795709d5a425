"""Writes one function: blocks in order, edges, phis; what lowerings of any target work with.

Comes in: an `ir.Function`. Goes out: lines of LLVM text. Each op is handed to its lowering. It must
know no op and no target; of terminators it knows that they have successors.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ptxlift.diag import PtxError
from ptxlift.ir.attributes import Space
from ptxlift.ir.core import Block, Function, Op, Value
from ptxlift.ir.dominators import reverse_post_order, successors
from ptxlift.llvm.debug_lines import UNKNOWN, Mark
from ptxlift.llvm.floats import TYPES
from ptxlift.llvm.forms import Forms, Shared
from ptxlift.llvm.pointers import PointerSpaces

ENTRY = "b.entry"
_TYPE_OF_NAME = {type.name: type for type in TYPES.values()}
# Any: a lowering takes its own target's emitter.
Lowerings = Mapping[str, Callable[[Any, Op], None]]


class FunctionEmitter(Forms[Shared]):
    """The state of one function's translation."""

    def __init__(
        self,
        context: Shared,
        function: Function,
        lowerings: Lowerings,
        spaces: PointerSpaces,
        pointer_types: Mapping[Space, str],
    ) -> None:
        super().__init__(context)
        self.function = function
        self.lowerings = lowerings
        self.spaces = spaces
        self.pointer_types = pointer_types
        self.label = ENTRY
        self._labels: dict[Block, str] = {}
        self._headers: dict[Block, int] = {}
        self._edges: dict[Block, list[tuple[str, Sequence[Value]]]] = {}
        self._trampolines: list[str] = []
        self.marks: list[Mark] = []  # filled where the options ask for debug lines
        self._is_marked = context.options.debug_lines

    # ---- blocks ----

    def emit_blocks(self, prologue: Callable[[Any], None] | None = None) -> None:
        """Translates every reachable block; `prologue` comes before the first."""
        order = reverse_post_order(self.function.blocks[:1], successors)
        self._labels = {block: f"b.{index}" for index, block in enumerate(order)}
        self.lines.append(f"{ENTRY}:")
        self.open_slots()
        if prologue is not None:
            prologue(self)
        self._open_first(order[0])
        for block in order:
            if block is not order[0]:
                self._mark(UNKNOWN)
                self._open(block)
            for op in block.ops:
                self._mark(op.span)
                self.lowerings[op.opdef.name](self, op)
            self.lines += self._trampolines
            self._trampolines.clear()

    def _mark(self, span: int) -> None:
        if self._is_marked:
            self.marks.append(Mark(len(self.lines), span))

    def open_slots(self) -> None:
        """Defines the function's local variables at its entry."""
        raise NotImplementedError

    def start_block(self, label: str) -> None:
        """Begins a block; lowerings may need some inside their op."""
        self.lines.append(f"{label}:")
        self.label = label

    def trap(self) -> None:
        """Ends a block with a trap."""
        self.do(self.call("void @llvm.trap()"))
        self.do("unreachable")

    def trap_if(self, condition: str) -> None:
        """Traps where a condition holds; what follows is another block."""
        wrong, after = self.fresh("trap"), self.fresh("after")
        self.do(f"br i1 {condition}, label %{wrong}, label %{after}")
        self.start_block(wrong)
        self.trap()
        self.start_block(after)

    def branch_target(self, op: Op, index: int) -> str:
        """`label %x` of a successor; its arguments are noted for the phis."""
        successor, arguments = op.successors[index], op.arguments[index]
        label = self._labels[successor]
        source = self.label
        if arguments and op.successors.count(successor) > 1:
            source = self.fresh("edge")
            self._trampolines.append(f"{source}:\n  br label %{label}")
            label = source
        self._edges.setdefault(successor, []).append((source, arguments))
        return f"label %{label}"

    def pointer(self, value: Value, space_type: str) -> str:
        """The pointer form of an address."""
        known = self.known_pointer(value)
        if known is not None:
            return known
        if isinstance(value.definition, Block) and value.definition in self._headers:
            return self.pointer_phi(value, space_type)
        integer = f"inttoptr i{value.width} {self.bits(value)} to {space_type}"
        return self.set_pointer(value, space_type, integer)

    def _open_first(self, first: Block) -> None:
        """The first block is the entry, unless a loop goes back to it."""
        arguments = [Value(param.width, first, param.index) for param in first.params]
        for value, text in zip(arguments, self.parameter_names(), strict=True):
            self.alias(value, text)
        if any(first in successors(block) for block in self.function.blocks):
            self.do(f"br label %{self._labels[first]}")
            self._edges[first] = [(self.label, arguments)]
            self._open(first)
            return
        for param, text in zip(first.params, self.parameter_names(), strict=True):
            self.alias(param, text)

    def parameter_names(self) -> list[str]:
        """A device function's arguments."""
        return [f"%a{index}" for index in range(len(self.function.param_widths))]

    def result_types(self) -> list[str]:
        """The types of what the function returns."""
        return [f"i{width}" for width in self.function.result_widths]

    def leave(self) -> None:
        """Writes what comes before the function's results."""

    def result(self, index: int, value: Value) -> str:
        """A value as the function returns it."""
        return self.bits(value)

    def _open(self, block: Block) -> None:
        self.start_block(self._labels[block])
        self._headers[block] = len(self.lines) - 1
        self.lines.append("")
        for param in block.params:
            self.set_param(param)
            pointee = self.spaces.of(param)
            if pointee is not None and self.spaces.is_plain(pointee):
                self.pointer_phi(param, self.pointer_types[pointee.space])

    def complete_phis(self) -> None:
        """Writes the phis that were asked for; these may ask for more."""
        while self.pending_phis:
            param, type, name = self.pending_phis.pop()
            assert isinstance(param.definition, Block)
            incoming = [
                f"[ {self._incoming(arguments[param.index], type)}, %{label} ]"
                for label, arguments in self._edges[param.definition]
            ]
            line = f"\n  {name} = phi {type} {', '.join(incoming)}"
            self.lines[self._headers[param.definition]] += line

    def _incoming(self, value: Value, type: str) -> str:
        if type.startswith("ptr"):
            return self.pointer(value, type)
        real = _TYPE_OF_NAME.get(type)
        return self.bits(value) if real is None else self.real(value, real)

    def joined_results(self, types: Sequence[str], values: Sequence[str]) -> None:
        """Returns one value, or several as a structure."""
        if not types:
            self.do("ret void")
            return
        if len(types) == 1:
            self.do(f"ret {types[0]} {values[0]}")
            return
        whole, aggregate = "poison", joined(types)
        for index, (type, value) in enumerate(zip(types, values, strict=True)):
            whole = self.let(f"insertvalue {aggregate} {whole}, {type} {value}, {index}")
        self.do(f"ret {aggregate} {whole}")

    # ---- errors ----

    def error(self, op: Op, code: str, message: str, hint: str = "") -> PtxError:
        """The error for an op that cannot be translated; the caller raises it."""
        return self.context.error(code, message, op.span, hint)


def joined(types: Sequence[str]) -> str:
    """The LLVM type of several results."""
    if not types:
        return "void"
    return types[0] if len(types) == 1 else f"{{ {', '.join(types)} }}"
