"""Functions that do little more than an atomic are put where they are called.

Unoptimised CUDA calls one for each atomic. A lock, or a loop that waits, is seen only where taking
and releasing stand in one function. Comes in: a module. Goes out: the same module with such calls
replaced, changed in place.
"""

from __future__ import annotations

from ptxlift.ir.builder import Builder
from ptxlift.ir.core import Block, Function, Module, Op, Value
from ptxlift.records import dataclass

_MOST = 24  # ops of a function that does little
_CALLS = ("call", "call_indirect")


@dataclass(frozen=True, slots=True)
class _Body:
    """A function without branches: its arguments, its ops and what it returns."""

    params: list[Value]
    ops: list[Op]
    results: list[Value]

    def fits(self, call: Op) -> bool:
        """Whether its types are those of a call."""
        given, wanted = [v.width for v in call.operands], [v.width for v in call.results]
        taken, made = [v.width for v in self.params], [v.width for v in self.results]
        return (given, wanted) == (taken, made)


def inline_atomics(module: Module) -> None:
    """Replaces calls of functions without branches that have an atomic, inner ones first."""
    for _ in module.functions:
        bodies = {name: _body(function) for name, function in module.functions.items()}
        wrappers = {name: body for name, body in bodies.items() if body is not None}
        callers = [f for f in module.functions.values() if any(_of(op, wrappers) for op in f.ops())]
        if not callers:
            return
        for function in callers:
            _inline(function, wrappers)


def _body(function: Function) -> _Body | None:
    """None if it has branches, memory of its own or calls, or no atomic."""
    if function.is_kernel or function.slots or not function.blocks:
        return None
    block, ops = function.blocks[0], list[Op]()
    for _ in function.blocks:
        ops += block.ops[:-1]
        end = block.terminator
        if end.name == "ret":
            names = {op.name for op in ops}
            useful = "atomic" in names and names.isdisjoint(_CALLS) and len(ops) <= _MOST
            return _Body(function.blocks[0].params, ops, end.operands) if useful else None
        if end.name != "br" or end.arguments[0]:
            return None
        block = end.successors[0]
    return None


def _of(op: Op, wrappers: dict[str, _Body]) -> _Body | None:
    """The body of the function that an op calls."""
    body = wrappers.get(str(op.attr("symbol"))) if op.name == "call" else None
    return body if body is not None and body.fits(op) else None


def _inline(function: Function, wrappers: dict[str, _Body]) -> None:
    replaced: dict[Value, Value] = {}
    for block in function.blocks:
        builder = Builder(Block(block.name))
        for op in block.ops:
            body = _of(op, wrappers)
            if body is None:
                builder.block.ops.append(op)
                continue
            builder.span = op.span
            operands = [replaced.get(value, value) for value in op.operands]
            results = _copy(body, operands, builder)
            replaced |= dict(zip(op.results, results, strict=True))
        block.ops[:] = builder.block.ops
    for op in function.ops():
        op.operands = [replaced.get(value, value) for value in op.operands]
        op.arguments = [[replaced.get(value, value) for value in given] for given in op.arguments]


def _copy(body: _Body, arguments: list[Value], builder: Builder) -> list[Value]:
    """Writes a body's ops for these arguments; what it returns."""
    known = dict(zip(body.params, arguments, strict=True))
    for op in body.ops:
        operands = [known[value] for value in op.operands]
        widths = [value.width for value in op.results]
        made = builder.emit(op.name, operands, op.attrs, widths)
        known |= dict(zip(op.results, made.results, strict=True))
    return [known[value] for value in body.results]
