"""The rewriter of a target: its rules and passes in their order.

Comes in: a module and a chip's features. Goes out: a module whose functions are at most as long,
and the log of what fired; what nothing fits stays the same object.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache

from ptxlift.ir.core import Module
from ptxlift.rewrite.driver import FOLD, Log, Pass, Rewriter
from ptxlift.rewrite.logic import LOGIC_TREES
from ptxlift.rewrite.parameter_copies import PARAMETER_COPIES
from ptxlift.rewrite.products import CARRIES, PRODUCTS
from ptxlift.rewrite.rules import all_rules
from ptxlift.target import Feature

PASSES: tuple[Pass, ...] = (PARAMETER_COPIES, PRODUCTS, CARRIES, LOGIC_TREES)


@cache
def rewriter_for(features: frozenset[Feature]) -> Rewriter:
    """The rewriter for chips with these features."""
    return Rewriter(all_rules(), PASSES, features)


def rewrite_module(module: Module, features: frozenset[Feature], log: Log) -> Module:
    """The module with its functions rewritten."""
    rewriter = rewriter_for(features)
    functions = {name: rewriter.rewrite(f, log) for name, f in module.functions.items()}
    if all(functions[name] is f for name, f in module.functions.items()):
        return module
    return replace(module, functions=functions)


def outcome_of(name: str) -> str:
    """What a rule or pass makes, for people; its name is that of a `Fire`."""
    return _outcomes()[name]


@cache
def _outcomes() -> dict[str, str]:
    made = {rule.name: rule.shown for rule in all_rules()}
    return made | {each.name: each.made for each in PASSES} | {FOLD: "a constant"}
