"""Natural loops: which loops a block is in.

Comes in: a function. Goes out: for each reachable block the headers of the loops around it. It must
know no op.
"""

from __future__ import annotations

from ptxlift.ir.core import Block, Function
from ptxlift.ir.dominators import dominators, predecessors, successors


def loops_around(function: Function) -> dict[Block, frozenset[Block]]:
    """The headers of the loops that each block is in, its own loop's included."""
    tree, before = dominators(function), predecessors(function)
    headers: dict[Block, set[Block]] = {block: set() for block in tree.order}
    for block in tree.order:
        for header in successors(block):
            if tree.dominates(header, block):
                for inside in _body(header, block, before):
                    headers[inside].add(header)
    return {block: frozenset(found) for block, found in headers.items()}


def _body(header: Block, latch: Block, before: dict[Block, list[Block]]) -> set[Block]:
    """The blocks from which the latch is reached without passing the header."""
    body = {header, latch}
    work = [latch] if latch is not header else []
    while work:
        for block in before[work.pop()]:
            if block not in body:
                body.add(block)
                work.append(block)
    return body
