"""A block through which edges to several targets go, so that lanes which part there meet first.

Comes in: a function and edges of it. Goes out: the same function, where those edges lead to the hub
and the hub leads on to each edge's own target. Values may then have to be brought to their uses
anew (`ir.repair`). It must know no op but branches.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from ptxlift.ir.builder import Builder
from ptxlift.ir.core import Block, Function

Edge: TypeAlias = tuple[Block, int]  # a block and which of its successors
_EVERYONE = 0xFFFFFFFF


def target_of(edge: Edge) -> Block:
    """Where an edge leads."""
    return edge[0].terminator.successors[edge[1]]


def meet(function: Function, edges: Sequence[Edge]) -> Block:
    """Lets all these edges pass one block, which is returned."""
    targets = list(dict.fromkeys(target_of(edge) for edge in edges))
    hub = Block(f"meet_{targets[0].name}")
    selector = hub.add_param(32)
    ways = [(target, [hub.add_param(p.width) for p in target.params]) for target in targets]
    build = Builder(hub)
    # Convergent: LLVM may not let edges go round the meeting.
    build.warp_barrier(build.const(32, _EVERYONE))
    if len(ways) == 1:
        build.branch("br", (), ways)
    else:
        build.branch("switch", (selector,), ways)
    function.blocks.append(hub)
    for edge in edges:
        function.blocks.append(_redirect(edge, hub, targets))
    return hub


def _redirect(edge: Edge, hub: Block, targets: Sequence[Block]) -> Block:
    """Leads an edge to the hub, by a block of its own that says where it goes on."""
    source, index = edge
    branch = source.terminator
    target, given = branch.successors[index], branch.arguments[index]
    way = Block(f"{source.name}_{index}")
    build = Builder(way)
    arguments = [build.const(32, targets.index(target))]
    for other in targets:
        if other is target:
            arguments += given
        else:
            arguments += [build.const(param.width, 0) for param in other.params]
    build.br(hub, arguments)
    branch.successors[index], branch.arguments[index] = way, []
    return way
