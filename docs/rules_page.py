"""Writes docs/rules.md: every rewrite rule and pass. Comes in: the rules themselves."""

from __future__ import annotations

from collections import Counter
from functools import cache
from pathlib import Path

from docs.markdown import table
from ptxlift import ptx
from ptxlift.diag import PtxError
from ptxlift.ir.attributes import Format
from ptxlift.lifter.module import lift_program
from ptxlift.rewrite.driver import Log
from ptxlift.rewrite.passes import PASSES, rewrite_module
from ptxlift.rewrite.pattern import Attribute, Known, Literal, Node, Pattern, Slot
from ptxlift.rewrite.rule import Rule
from ptxlift.rewrite.rules import all_rules
from ptxlift.target import lookup

_EXAMPLES = Path(__file__).resolve().parents[1] / "examples"

_INTRODUCTION = """# Rewrite rules

What becomes of PTX's idioms between the lifter and LLVM, where LLVM does not find a chip's shorter
form by itself. Patterns are written in the ops of `ptxlift/ir/ops.py`; a name twice is the same
value twice. *instructions*: vector instructions before and after, as measured on gfx942 or where
the rule applies. Every integer rule is proven by Z3 for all inputs at its real widths
(`tests/proofs`), and has a case where it fires and near misses where it does not
(`tests/golden/rewrite`). *fired*: how often, and in how many of the PTX files under `examples`,
translated for gfx942. This page is generated from `ptxlift/rewrite/`; run `make docs` to write
it anew.
"""
_ENABLING = """## Forms

These gain nothing by themselves and never are the reason to rewrite a function; they make other
rules fit. Besides, ops on constants are folded and constants of commutative ops stand right.
"""
_PASSES = """## Passes

Rewrites that no single pattern expresses.
"""
_TABLES = """## Truth tables

`lop3`, and the trees above, are written by the shortest programs of `ptxlift/target/lop3_table.py`:
for each of the 256 truth tables the fewest vector instructions, by exhaustive search over the
bitwise instructions of the chip with the constants 0 and -1. `make bench` counts what LLVM makes of
them for every target.
"""
_HEADS = ("rule", "pattern", "result", "targets", "widths", "instructions", "proof", "fired")


def render() -> str:
    """The page."""
    rules = all_rules()
    gaining = table(_HEADS, [_row(rule) for rule in rules if not rule.enabling])
    forms = table(_HEADS, [_row(rule) for rule in rules if rule.enabling])
    heads = ("pass", "finds", "makes", "instructions", "proof", "fired")
    passes = table(
        heads,
        [(f"`{p.name}`", p.found, p.made, _cost(p.cost), p.proof, _fired(p.name)) for p in PASSES],
    )
    return "\n".join([_INTRODUCTION, gaining, _PASSES, passes, _ENABLING, forms, _TABLES])


def _row(rule: Rule) -> tuple[str, ...]:
    return (
        f"`{rule.name}`",
        f"`{pattern_text(rule.pattern)}`",
        f"`{rule.shown}`",
        _targets(rule),
        ", ".join(map(str, rule.widths)),
        _cost(rule.cost),
        rule.unproven or "Z3",
        _fired(rule.name),
    )


def _fired(name: str) -> str:
    times, files = _fires()
    return f"{times[name]} in {files[name]}" if times[name] else "nowhere"


@cache
def _fires() -> tuple[Counter[str], Counter[str]]:
    """How often each rule fires in the examples, and in how many files."""
    times: Counter[str] = Counter()
    files: Counter[str] = Counter()
    for path in sorted(_EXAMPLES.glob("*/*.ptx")):
        log = Log()
        try:
            module = lift_program([ptx.parse_module(path.read_text("utf-8"), path.name)]).module
        except PtxError:
            continue  # a file that shows what is refused
        rewrite_module(module, lookup("gfx942").target.features, log)
        names = [fire.name for fire in log.fires]
        times.update(names)
        files.update(set(names))
    return times, files


def _targets(rule: Rule) -> str:
    if rule.requires is not None:
        return f"with `{rule.requires.value}`"
    return f"without `{rule.lacks.value}`" if rule.lacks is not None else "all"


def _cost(cost: tuple[int, int]) -> str:
    return f"{cost[0]} to {cost[1]}" if any(cost) else "same"


def pattern_text(pattern: Pattern) -> str:
    """A pattern on one line."""
    match pattern:
        case Slot(name, width):
            return f"{name}:{width}" if width else name
        case Known(name):
            return f"constant {name}"
        case Literal(bits):
            return str(bits) if bits < 256 else hex(bits)
        case Node():
            operands = ", ".join(pattern_text(operand) for operand in pattern.operands)
            attributes = ", ".join(f"{key}={_value(value)}" for key, value in pattern.attributes)
            return pattern.op + (f"<{attributes}>" if attributes else "") + f"({operands})"


def _value(value: object) -> str:
    if isinstance(value, Attribute):
        return value.name
    if isinstance(value, Format):
        return value.name.lower()
    return str(getattr(value, "value", value))
