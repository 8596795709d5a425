"""The rewriter of a target: its rules and passes in their order.

Comes in: a module and a chip's features. Goes out: a module whose functions are at most as long,
and the log of what fired; what nothing fits stays the same object.
"""

from __future__ import annotations

from functools import cache

from ptxlift.ir.core import Module
from ptxlift.records import replace
from ptxlift.rewrite.driver import FOLD, Log, Pass, Rewriter
from ptxlift.rewrite.logic import LOGIC_TREES
from ptxlift.rewrite.parameter_copies import PARAMETER_COPIES
from ptxlift.rewrite.products import CARRIES, PRODUCTS
from ptxlift.rewrite.reductions import WARP_REDUCTIONS
from ptxlift.rewrite.rules import all_rules
from ptxlift.target import Feature

PASSES: tuple[Pass, ...] = (PARAMETER_COPIES, PRODUCTS, CARRIES, LOGIC_TREES)
PTX_PASSES: tuple[Pass, ...] = (WARP_REDUCTIONS,)


@cache
def rewriter_for(features: frozenset[Feature]) -> Rewriter:
    """The rewriter for chips with these features."""
    return Rewriter(all_rules(), PASSES, features)


@cache
def _rewriter_for_ptx(has_redux: bool) -> Rewriter:
    return Rewriter((), PTX_PASSES if has_redux else (), frozenset())


def rewrite_for_ptx(module: Module, has_redux: bool, log: Log) -> Module:
    """The module for a target that speaks PTX: what its compiler does not find by itself."""
    return _rewritten(module, _rewriter_for_ptx(has_redux), log)


def rewrite_module(module: Module, features: frozenset[Feature], log: Log) -> Module:
    """The module with its functions rewritten."""
    return _rewritten(module, rewriter_for(features), log)


def _rewritten(module: Module, rewriter: Rewriter, log: Log) -> Module:
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
    return made | {each.name: each.made for each in (*PASSES, *PTX_PASSES)} | {FOLD: "a constant"}
