"""Finds which integer values are addresses derived from exactly one pointer.

Comes in: the IR of one function. Goes out: for a value, the state space its pointer points to, or
None. PTX computes addresses as integers; LLVM sees base registers, scalar loads and aliasing only
through pointers. A sum is a pointer when exactly one side is; a block parameter or select when all
its sources are, into the same space. It must know no LLVM.
"""

from __future__ import annotations

from ptxlift.ir.attributes import Space
from ptxlift.ir.core import Block, Function, Module, Op, Value
from ptxlift.records import dataclass


@dataclass(frozen=True, slots=True)
class Pointee:
    """`generic`: the integer is a generic address; else an address inside the space."""

    space: Space
    generic: bool


@dataclass(frozen=True, slots=True)
class _Unknown:
    """Not settled yet: assumed to become whatever the others are."""


_TOP = _Unknown()
_ACCESSES = frozenset({"load", "store", "atomic"})
_State = Pointee | _Unknown | None
_ROOTS = frozenset({"kernel_param", "kernel_param_address", "symbol_address", "frame_address"})
_STEPS = frozenset({"add", "sub", "select", "to_generic", "from_generic", "zext", "trunc"})


class PointerSpaces:
    """Answers for the values that some memory access of one function is derived from.

    `flat`: the spaces of the target whose own addresses are their generic ones.
    """

    def __init__(self, function: Function, module: Module, flat: frozenset[Space]) -> None:
        self.flat = flat
        self._module = module
        self._function = function
        self._known: dict[Value, Pointee | None] = {}
        self._used: dict[Value, Pointee] = {}
        self._incoming: dict[Block, list[list[Value]]] | None = None
        for op in function.ops():
            if op.opdef.name in _ACCESSES or self._leaves_window(op):
                self._mark(op.operands[0])
            elif op.opdef.name == "call":
                for operand in op.operands:
                    self._mark(operand)

    def of(self, value: Value) -> Pointee | None:
        """What the value points to, if an access uses that."""
        return self._used.get(value)

    def is_plain(self, pointee: Pointee) -> bool:
        """Whether the pointer's own bits are the integer."""
        return pointee.space in self.flat or not pointee.generic

    def fits(self, pointee: Pointee, space: Space) -> bool:
        """Whether an access through the state space may use the pointer."""
        if space is Space.GENERIC:
            return pointee.generic
        if space in self.flat:
            return pointee.space in self.flat
        return pointee.space is space

    def _leaves_window(self, op: Op) -> bool:
        """Whether an address of shared or local memory becomes generic. LLVM follows pointers
        through such casts into functions that it inlines, integers it does not."""
        return op.opdef.name == "to_generic" and op.attr("space") not in self.flat

    def pointer_params(self) -> set[int]:
        """Offsets of the kernel parameters that are the base of an access."""
        offsets = set()
        for value in self._used:
            definition = value.definition
            if isinstance(definition, Op) and definition.opdef.name == "kernel_param":
                offsets.add(int(str(definition.attr("offset"))))
        return offsets

    def _mark(self, start: Value) -> None:
        """Notes the address and what it is derived from as used."""
        stack = [start]
        while stack:
            value = stack.pop()
            if value in self._used:
                continue
            if value not in self._known:
                self._solve(value)
            pointee = self._known[value]
            if pointee is not None:
                self._used[value] = pointee
                stack += [s for s in self._sources(value) if self._known.get(s) is not None]

    def _solve(self, start: Value) -> None:
        """Settles the value and all it depends on: from the top down to the first fixed point."""
        nodes = self._collect(start)
        states: dict[Value, _State] = dict.fromkeys(nodes, _TOP)
        changed = True
        while changed:
            changed = False
            for value in nodes:
                old = states[value]
                new = self._evaluate(value, states) if old is not None else None
                if new != old and not (isinstance(old, Pointee) and new == _TOP):
                    states[value] = new if old == _TOP else None
                    changed = True
        for value, state in states.items():
            self._known[value] = state if isinstance(state, Pointee) else None

    def _collect(self, start: Value) -> list[Value]:
        """The unsettled values that matter, sources first."""
        order: list[Value] = []
        seen = {start}
        stack = [(start, iter(self._sources(start)))]
        while stack:
            value, rest = stack[-1]
            for source in rest:
                if source not in seen and source not in self._known:
                    seen.add(source)
                    stack.append((source, iter(self._sources(source))))
                    break
            else:
                order.append(value)
                stack.pop()
        return order

    def _sources(self, value: Value) -> list[Value]:
        definition = value.definition
        if isinstance(definition, Block):
            return [arguments[value.index] for arguments in self._arguments_of(definition)]
        if definition.opdef.name not in _STEPS:
            return []
        operands = definition.operands
        return operands[1:] if definition.opdef.name == "select" else operands

    def _arguments_of(self, block: Block) -> list[list[Value]]:
        if self._incoming is None:
            self._incoming = {block: [] for block in self._function.blocks}
            for each in self._function.blocks:
                terminator = each.ops[-1]
                for successor, arguments in zip(
                    terminator.successors, terminator.arguments, strict=True
                ):
                    self._incoming[successor].append(arguments)
        return self._incoming[block]

    def _evaluate(self, value: Value, states: dict[Value, _State]) -> _State:
        definition = value.definition
        sources = [states.get(s, self._known.get(s)) for s in self._sources(value)]
        if isinstance(definition, Block):
            return _meet(sources) if sources else None
        name = definition.opdef.name
        if name in _ROOTS:
            return self._root(definition)
        if name == "select":
            return _meet(sources)
        if name == "add":
            return _sum(sources[0], sources[1])
        if name == "sub":
            return sources[0] if not isinstance(sources[1], Pointee) else None
        if name in _STEPS:
            return _cast(definition, sources[0], self.flat)
        return None

    def _root(self, op: Op) -> Pointee | None:
        name = op.opdef.name
        if name == "kernel_param":
            return Pointee(Space.GLOBAL, True) if self._is_pointer_param(op) else None
        if name == "kernel_param_address":
            return Pointee(Space.PARAM, Space.PARAM in self.flat)
        if name == "frame_address":
            return Pointee(Space.LOCAL, False)
        variable = self._module.variables.get(str(op.attr("symbol")))
        return (
            Pointee(variable.space, variable.space in self.flat) if variable is not None else None
        )

    def _is_pointer_param(self, op: Op) -> bool:
        """Whether a kernel argument of exactly these 8 bytes exists; the host passes no other
        addresses than global ones."""
        if op.results[0].width != 64:
            return False
        offset = op.attr("offset")
        return any(
            p.offset == offset and p.size == 8 and not p.is_array
            for p in self._function.kernel_params
        )


def _meet(sources: list[_State]) -> _State:
    result: _State = _TOP
    for source in sources:
        if source is None:
            return None
        if result == _TOP:
            result = source
        elif source not in (_TOP, result):
            return None
    return result


def _sum(a: _State, b: _State) -> _State:
    if isinstance(a, Pointee) and isinstance(b, Pointee):
        return None
    if isinstance(a, Pointee):
        return a
    if isinstance(b, Pointee):
        return b
    return _TOP if _TOP in (a, b) else None


def _cast(op: Op, source: _State, flat: frozenset[Space]) -> _State:
    """`to_generic`, `from_generic`, `zext`, `trunc` of a pointer or, where it is named, of an
    unknown integer. What comes out of `from_generic` is an address of its space by definition."""
    if source == _TOP:
        return _TOP
    pointee = source if isinstance(source, Pointee) else None
    name = op.opdef.name
    if name == "to_generic":
        space = op.attr("space")
        assert isinstance(space, Space)
        fits = pointee is not None and pointee.space is space
        return Pointee(space, True) if fits or space in flat else None
    if name == "from_generic":
        space = op.attr("space")
        assert isinstance(space, Space)
        if pointee is not None and pointee.space is space and pointee.generic:
            return Pointee(space, space in flat)
        return Pointee(space, space in flat) if pointee is None else None
    if pointee is None or pointee.space in flat:
        return None
    if name == "zext":
        return None if pointee.generic else pointee
    return Pointee(pointee.space, False)
