"""Checks that IR is well formed: widths by each op's signature, terminators, block arguments,
dominance.

A broken rule is ptxlift's fault: `InternalError` names the op. Tests run it after every pass.
"""

from __future__ import annotations

from collections.abc import Iterator

from ptxlift.diag import InternalError
from ptxlift.ir.core import Block, Function, Module, Op, Value
from ptxlift.ir.dominators import dominators
from ptxlift.ir.ops import Effect
from ptxlift.ir.text import print_op


def verify_module(module: Module) -> None:
    """Raises `InternalError` at the first rule broken in any function."""
    for function in module.functions.values():
        if function.blocks:
            verify_function(function)


def verify_function(function: Function) -> None:
    """Raises `InternalError` at the first rule broken."""
    blocks = set(function.blocks)
    for block in function.blocks:
        _check_block(function, block, blocks)
    _check_dominance(function)


def _fail(function: Function, op: Op | None, why: str) -> InternalError:
    place = f": {print_op(op)}" if op is not None else ""
    return InternalError(f"ill-formed IR in {function.name}: {why}{place}")


def _check_block(function: Function, block: Block, blocks: set[Block]) -> None:
    if not block.ops:
        raise _fail(function, None, f"block {block.name} is empty")
    for op in block.ops:
        last = op is block.ops[-1]
        if (op.opdef.effect is Effect.TERMINATOR) != last:
            raise _fail(function, op, "terminator not last, or last op no terminator")
        for why in _signature_faults(op):
            raise _fail(function, op, why)
        for successor, arguments in zip(op.successors, op.arguments, strict=True):
            if successor not in blocks:
                raise _fail(function, op, f"successor {successor.name} is not in the function")
            if [v.width for v in arguments] != [v.width for v in successor.params]:
                raise _fail(function, op, f"arguments do not fit {successor.name}")


def _signature_faults(op: Op) -> Iterator[str]:
    wanted, produced = (side.split() for side in op.opdef.signature.split("->"))
    if len(op.attrs) != len(op.opdef.attributes):
        yield "wrong number of attributes"
        return
    bound: dict[str, int] = {}
    if "width" in op.opdef.attributes:
        bound["W"] = int(str(op.attr("width")))
    if "fmt" in op.opdef.attributes:
        bound["F"] = getattr(op.attr("fmt"), "bits", 0)
    yield from _match(wanted, op.operands, bound, "operand")
    yield from _match(produced, op.results, bound, "result")


def _match(
    wanted: list[str], values: list[Value], bound: dict[str, int], what: str
) -> Iterator[str]:
    if "*" in wanted:
        fixed = wanted[: wanted.index("*")]
        if len(values) < len(fixed):
            yield f"too few {what}s"
            return
    elif len(values) != len(wanted):
        yield f"{len(values)} {what}s, not {len(wanted)}"
        return
    else:
        fixed = wanted
    for symbol, value in zip(fixed, values, strict=False):
        width = int(symbol) if symbol.isdigit() else bound.setdefault(symbol, value.width)
        if value.width != width:
            yield f"{what} of i{value.width}, not i{width}"


def _check_dominance(function: Function) -> None:
    tree = dominators(function)
    homes = {value: block for block in function.blocks for value in _defined(block)}
    for block in function.blocks:
        if block not in tree:
            continue
        seen: set[Value] = set(block.params)
        for op in block.ops:
            for value in [*op.operands, *(v for args in op.arguments for v in args)]:
                if value in seen:
                    continue
                home = homes.get(value)
                if home is None or home is block or not tree.dominates(home, block):
                    raise _fail(function, op, "operand does not dominate its use")
            seen.update(op.results)


def _defined(block: Block) -> Iterator[Value]:
    yield from block.params
    for op in block.ops:
        yield from op.results
