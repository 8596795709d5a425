"""Rules as theorems: a pattern and what replaces it, as terms over the same variables.

Comes in: a `Rule` and a width. Goes out: the two terms. Widths of slots follow from the signatures
of the ops they stand in; constants are variables too, so that a rule holds for all of them.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import z3
from z3_algebra import Term, Z3Algebra

from ptxlift.ir.ops import op_table
from ptxlift.rewrite.pattern import Known, Literal, Node, Pattern, Slot
from ptxlift.rewrite.rule import Rule

SECONDS = 120


@dataclass
class Theorem:
    """Variables by name, and the terms of the pattern's parts."""

    width: int
    numbers: dict[str, int] = field(default_factory=dict)
    algebra: Z3Algebra = field(default_factory=Z3Algebra)
    bound: dict[str, Any] = field(default_factory=dict)

    def term(self, pattern: Pattern, width: int) -> Term:
        """The term of a pattern that has this width."""
        match pattern:
            case Slot(name, own):
                return self.bound.setdefault(name, z3.BitVec(name, own or width))
            case Known(name):
                if name in self.numbers:
                    self.bound[name] = self.numbers[name]
                    return z3.BitVecVal(self.numbers[name], width)
                return self.bound.setdefault(name, z3.BitVec(name, width))
            case Literal(bits):
                return z3.BitVecVal(bits, width)
            case Node():
                return self._node(pattern, width)

    def _node(self, node: Node, width: int) -> Term:
        row = op_table()[node.op]
        attributes = dict(node.attributes)
        wanted, _ = row.signature.split("->")
        free = {"N": self._free_width(node, width), "W": width}
        widths = [int(x) if x.isdigit() else free.get(x, 0) for x in wanted.split()]
        if node.op == "pack":
            widths = [0] * len(node.operands)  # each part says its own
        operands = [self.term(p, w) for p, w in zip(node.operands, widths, strict=True)]
        method = getattr(self.algebra, node.op)
        values = [attributes[name] for name in row.attributes if name in attributes]
        made = method(operands) if node.op == "pack" else method(*operands, *values)
        return made[node.result] if isinstance(made, tuple) else made

    def _free_width(self, node: Node, width: int) -> int:
        """N: the result's width where it is N, else what a slot says."""
        row = op_table()[node.op]
        if "N" in row.signature.split("->")[1].split():
            return width
        own = [p.width for p in node.operands if isinstance(p, Slot) and p.width]
        return own[0] if own else self.width


def theorems(rule: Rule, width: int) -> Iterator[tuple[Term, Term]]:
    """What the pattern and its replacement compute; one pair for each choice of constants that the
    rule needs as numbers and applies to.
    """
    for numbers in itertools.product(*rule.constants.values()):
        known = dict(zip(rule.constants, numbers, strict=True))
        if known and rule.when is not None and not rule.when(**known):
            continue
        proof = Theorem(width, known)
        before = proof.term(rule.pattern, 1 if rule.pattern.op == "icmp" else width)
        yield before, rule.build(proof.algebra, **proof.bound)


def counterexample(before: Term, after: Term) -> str:
    """Inputs for which the two differ; empty if there are none."""
    solver = z3.Solver()
    solver.set("timeout", 1000 * SECONDS)
    solver.add(before != after)
    verdict = solver.check()
    if verdict == z3.unsat:
        return ""
    return str(solver.model()) if verdict == z3.sat else f"undecided in {SECONDS} s"
