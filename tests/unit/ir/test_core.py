"""The builder, text form, verifier and dominator trees."""

from __future__ import annotations

import pytest

from ptxlift.diag import InternalError
from ptxlift.ir.attributes import IntPredicate, Special
from ptxlift.ir.builder import Builder
from ptxlift.ir.core import Block, Function, Value
from ptxlift.ir.dominators import dominators, post_dominators
from ptxlift.ir.text import print_function
from ptxlift.ir.verify import verify_function


def diamond() -> tuple[Function, dict[str, Block]]:
    """entry -> left | right -> join -> ret, the join taking one value."""
    blocks = {name: Block(name) for name in ("entry", "left", "right", "join")}
    function = Function("f", True, blocks=list(blocks.values()))
    builder = Builder(blocks["entry"])
    lane = builder.special(32, Special.TID_X)
    zero = builder.const(32, 0)
    builder.cond_br(builder.icmp(lane, zero, IntPredicate.EQ), blocks["left"], blocks["right"])
    merged = blocks["join"].add_param(32)
    for name, value in (("left", lane), ("right", zero)):
        builder.block = blocks[name]
        builder.br(blocks["join"], (value,))
    builder.block = blocks["join"]
    builder.add(merged, merged)
    builder.ret()
    return function, blocks


def test_text_form() -> None:
    function, _ = diamond()
    assert print_function(function).splitlines() == [
        "kernel @f {",
        "entry:",
        "  %0: i32 = special<width=32, register=tid_x>",
        "  %1: i32 = const<width=32, bits=0>",
        "  %2: i1 = icmp<predicate=eq> %0, %1",
        "  cond_br %2 -> left(), right()",
        "left:",
        "  br -> join(%0)",
        "right:",
        "  br -> join(%1)",
        "join(%3: i32):",
        "  %4: i32 = add %3, %3",
        "  ret",
        "}",
    ]


def test_dominators() -> None:
    function, blocks = diamond()
    tree = dominators(function)
    assert tree.parent[blocks["join"]] is blocks["entry"]
    assert tree.dominates(blocks["entry"], blocks["left"])
    assert not tree.dominates(blocks["left"], blocks["join"])


def test_post_dominators_of_an_endless_loop() -> None:
    entry, loop = Block("entry"), Block("loop")
    Builder(entry).br(loop)
    Builder(loop).br(loop)
    tree = post_dominators(Function("f", True, blocks=[entry, loop]))
    assert tree.parent[entry] is loop
    assert tree.parent[loop] is None


def test_verifier_accepts_the_diamond() -> None:
    verify_function(diamond()[0])


def _wrong_width(blocks: dict[str, Block]) -> None:
    blocks["join"].ops[0].operands[1] = Value(64, blocks["join"])


def _missing_argument(blocks: dict[str, Block]) -> None:
    blocks["left"].terminator.arguments[0].clear()


def _use_before_definition(blocks: dict[str, Block]) -> None:
    blocks["left"].ops.insert(0, blocks["join"].ops.pop(0))


def _no_terminator(blocks: dict[str, Block]) -> None:
    blocks["join"].ops.pop()


@pytest.mark.parametrize(
    ("breakage", "why"),
    [
        (_wrong_width, "i64, not i32"),
        (_missing_argument, "do not fit"),
        (_use_before_definition, "dominate"),
        (_no_terminator, "terminator"),
    ],
)
def test_verifier_refuses(breakage: object, why: str) -> None:
    function, blocks = diamond()
    assert callable(breakage)
    breakage(blocks)
    with pytest.raises(InternalError, match=why):
        verify_function(function)
