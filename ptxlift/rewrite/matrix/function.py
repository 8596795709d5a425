"""Replaces the matrix products of a module by what a target can do.

Comes in: a module, and a function that says how a product is written. Goes out: the same module if
it has none, else one with new functions; the old one stays as it is.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from ptxlift.ir.builder import Builder
from ptxlift.ir.copy import copy_function
from ptxlift.ir.core import Block, Function, Module, Op, Value
from ptxlift.ir.exchange import Exchange
from ptxlift.rewrite.matrix.expand import expand_mma

Writer = Callable[[Op, Sequence[Value], Exchange], list[Value]]
_NAME = "mma"


def replace_products(module: Module, write: Writer = expand_mma) -> Module:
    """The module without `mma` ops."""
    functions = {name: _replaced(f, write) for name, f in module.functions.items()}
    if all(functions[name] is f for name, f in module.functions.items()):
        return module
    return replace(module, functions=functions)


def _replaced(function: Function, write: Writer) -> Function:
    if not any(op.name == _NAME for op in function.ops()):
        return function
    exchanges: dict[Block, Exchange] = {}

    def rewrite(op: Op, operands: list[Value], builder: Builder) -> Sequence[Value] | None:
        if op.name != _NAME:
            return None
        exchange = exchanges.get(builder.block)
        if exchange is None or exchange.builder is not builder:
            exchange = exchanges[builder.block] = Exchange(builder)
        return write(op, operands, exchange)

    return copy_function(function, rewrite)
