"""Every rule and pass of the rewriter, for all inputs at its real widths."""

from __future__ import annotations

import itertools
from typing import Any

import pytest

pytest.importorskip("z3")

import z3
from proving import counterexample, theorems
from z3_algebra import Z3Algebra

from ptxlift.ir.builder import Builder
from ptxlift.ir.core import Op, Value
from ptxlift.rewrite.logic import table_of
from ptxlift.rewrite.rule import Rule
from ptxlift.rewrite.rules import all_rules

CASES = [(rule, width) for rule in all_rules() if not rule.unproven for width in rule.widths]


@pytest.mark.parametrize(("rule", "width"), CASES, ids=lambda x: getattr(x, "name", str(x)))
def test_rule(rule: Rule, width: int) -> None:
    pairs = list(theorems(rule, width))
    assert pairs
    for before, after in pairs:
        assert counterexample(before, after) == ""


def test_unproven_rules_say_why() -> None:
    assert all(len(rule.unproven) > 20 for rule in all_rules() if rule.unproven)


def test_a_wrong_rule_is_found_out() -> None:
    """The prover does not say yes to everything."""
    x, y = z3.BitVecs("x y", 32)
    assert counterexample(x - y, y - x) != ""


@pytest.mark.parametrize(("high", "extend"), [("umulh", "zext"), ("smulh", "sext")])
def test_both_halves_of_a_product(high: str, extend: str) -> None:
    algebra = Z3Algebra()
    x, y = z3.BitVecs("x y", 32)
    wide = algebra.mul(*(getattr(algebra, extend)(value, 64) for value in (x, y)))
    assert counterexample(algebra.mul(x, y), algebra.extract(wide, 32, 0)) == ""
    assert counterexample(getattr(algebra, high)(x, y), algebra.extract(wide, 32, 32)) == ""


@pytest.mark.parametrize(("step", "whole"), [("add_carry", "add"), ("sub_borrow", "sub")])
def test_carry_pairs(step: str, whole: str) -> None:
    algebra = Z3Algebra()
    a, b, c, d = z3.BitVecs("a b c d", 32)
    low, carry = getattr(algebra, step)(a, b, z3.BitVecVal(0, 1))
    high, _ = getattr(algebra, step)(c, d, carry)
    total = getattr(algebra, whole)(algebra.pack([a, c]), algebra.pack([b, d]))
    assert counterexample(low, algebra.extract(total, 32, 0)) == ""
    assert counterexample(high, algebra.extract(total, 32, 32)) == ""


def _op(name: str, lut: int = 0) -> Op:
    builder = Builder()
    inputs = [Value(32, builder.block, index) for index in range(3)]
    if name == "bitwise3":
        builder.bitwise3(*inputs, lut)
    else:
        getattr(builder, name)(*inputs[: 1 if name == "not_" else 2])
    return builder.block.ops[-1]


@pytest.mark.parametrize("name", ["and_", "or_", "xor", "not_", "bitwise3"])
def test_truth_tables_of_ops(name: str) -> None:
    """A bitwise op is the same in every bit, so that one bit tells all: exhaustively, every table
    of the op over every input."""
    algebra: Any = Z3Algebra()
    for lut in range(256) if name == "bitwise3" else (0,):
        op = _op(name, lut)
        tables = [0xF0, 0xCC, 0xAA][: len(op.operands)]
        found = table_of(op, tables)
        for row in itertools.product((0, 1), repeat=3):
            bits = [z3.BitVecVal(bit, 1) for bit in row[: len(op.operands)]]
            value = z3.simplify(getattr(algebra, name)(*bits, *op.attrs)).as_long()
            assert found >> (row[0] * 4 + row[1] * 2 + row[2]) & 1 == value
