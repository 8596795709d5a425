"""Butterflies of shuffles become one reduction of the warp.

Comes in: chains that `ir.warp_idioms` found. Goes out: one `reduce` for each. Integer sums and
extremes do not depend on the order, so every lane has the same bits as before. It must know no
target; who has no such instruction leaves the pass out.
"""

from __future__ import annotations

from ptxlift.ir.core import Function, Op
from ptxlift.ir.demand import Demand
from ptxlift.ir.warp_idioms import FULL, REDUCTIONS, Chain, Idioms
from ptxlift.rewrite.driver import Pass, Session
from ptxlift.target import Feature

NAME = "warp_reduction"


def _wants(names: frozenset[str], function: Function, _: frozenset[Feature]) -> bool:
    return "shuffle" in names and bool(names & REDUCTIONS.keys())


def _run(session: Session) -> None:
    function = session.editor.function
    demand = Demand(function)
    for last, chain in Idioms(function.ops(), demand).reductions.items():
        shuffles = [op for op in chain.parts if op.opdef.name == "shuffle"]
        if not any(demand.readers.get(op.results[1]) for op in shuffles):
            _replace(session, last, chain, shuffles)


def _replace(session: Session, last: Op, chain: Chain, shuffles: list[Op]) -> None:
    builder = session.editor.builder(last)
    mask = builder.const(chain.value.width, FULL)
    made = builder.reduce(chain.value, mask, *REDUCTIONS[last.name])
    session.replace(NAME, last, builder.block.ops, [made])
    for shuffle in shuffles:
        session.editor.remove(shuffle)


WARP_REDUCTIONS = Pass(
    NAME,
    "`shuffle bfly` of all lanes by the five distances, each joined to its input by the same "
    "integer add, min, max, and, or, xor",
    "`reduce`",
    "integer ops of this kind are associative and commutative; tests compare it with the "
    "interpreter",
    (10, 1),
    _wants,
    _run,
)
