"""Dominator and post-dominator trees over blocks (Cooper, Harvey, Kennedy: "A Simple, Fast
Dominance Algorithm").
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from ptxlift.ir.core import Block, Function


class Tree:
    """Immediate dominators; holds reachable blocks only."""

    def __init__(self, order: Sequence[Block], parent: dict[Block, Block | None]) -> None:
        self.order = order  # reverse post order
        self.parent = parent
        self._depth: dict[Block, int] = {}
        for block in order:
            above = parent[block]
            self._depth[block] = 0 if above is None else self._depth[above] + 1

    def __contains__(self, block: Block) -> bool:
        return block in self._depth

    def dominates(self, above: Block, below: Block) -> bool:
        """Whether every path from the root to `below` passes `above`."""
        if above not in self._depth:
            return False
        at: Block | None = below
        while at is not None and self._depth[at] > self._depth[above]:
            at = self.parent[at]
        return at is above


def successors(block: Block) -> list[Block]:
    """The blocks a terminator may go to."""
    return block.terminator.successors


def predecessors(function: Function) -> dict[Block, list[Block]]:
    """For each block the blocks that branch to it, once for each edge."""
    before: dict[Block, list[Block]] = {block: [] for block in function.blocks}
    for block in function.blocks:
        for successor in successors(block):
            before[successor].append(block)
    return before


def reverse_post_order(
    roots: Sequence[Block], follow: Callable[[Block], Sequence[Block]]
) -> list[Block]:
    """Blocks reachable from the roots, each before what it leads to (but for back edges)."""
    seen: set[Block] = set()
    done: list[Block] = []
    for root in reversed(roots):
        if root in seen:
            continue
        seen.add(root)
        stack = [(root, iter(follow(root)))]
        while stack:
            block, rest = stack[-1]
            for child in rest:
                if child not in seen:
                    seen.add(child)
                    stack.append((child, iter(follow(child))))
                    break
            else:
                done.append(block)
                stack.pop()
    done.reverse()
    return done


def cycles(function: Function, before: Mapping[Block, Sequence[Block]]) -> dict[Block, set[Block]]:
    """For each block that some way leads back to, all blocks on such ways (Kosaraju and Sharir).
    before: the predecessors.
    """
    found: dict[Block, set[Block]] = {}
    seen: set[Block] = set()
    for root in reverse_post_order(function.blocks, successors):
        if root in seen:
            continue
        seen.add(root)
        together, work = {root}, [root]
        while work:
            fresh = [block for block in dict.fromkeys(before[work.pop()]) if block not in seen]
            seen.update(fresh)
            together.update(fresh)
            work += fresh
        if len(together) > 1 or root in successors(root):
            found |= dict.fromkeys(together, together)
    return found


def dominators(function: Function) -> Tree:
    """The dominator tree from the entry block."""
    order = reverse_post_order(function.blocks[:1], successors)
    return Tree(order, _solve(order, predecessors(function), roots=set(function.blocks[:1])))


def _solve(
    order: Sequence[Block], before: dict[Block, list[Block]], roots: set[Block]
) -> dict[Block, Block | None]:
    number = {block: index for index, block in enumerate(order)}
    parent: dict[Block, Block | None] = dict.fromkeys(roots)
    changed = True
    while changed:
        changed = False
        for block in order:
            if block in roots:
                continue
            best: Block | None = None
            for other in before[block]:
                if other not in parent:
                    continue
                best = other if best is None else _meet(best, other, parent, number)
            if block not in parent or parent[block] is not best:
                parent[block] = best
                changed = True
    return parent


def _meet(
    a: Block, b: Block, parent: dict[Block, Block | None], number: dict[Block, int]
) -> Block | None:
    left: Block | None = a
    right: Block | None = b
    while left is not right:
        if left is None or right is None:
            return None
        if number[left] > number[right]:
            left = parent[left]
        else:
            right = parent[right]
    return left


def post_dominators(
    function: Function, follow: Callable[[Block], Sequence[Block]] = successors
) -> Tree:
    """The post-dominator forest: a block's parent is where all its paths meet, None at the end.

    Blocks that lead nowhere are the roots; of an endless loop, its last block is made one.
    """
    order = reverse_post_order(function.blocks[:1], follow)
    before: dict[Block, list[Block]] = {block: [] for block in order}
    for block in order:
        for successor in follow(block):
            before[successor].append(block)
    roots = [block for block in order if not follow(block)]
    backward = reverse_post_order(roots, before.__getitem__)
    while len(backward) < len(order):
        known = set(backward)
        roots.append(next(block for block in reversed(order) if block not in known))
        backward = reverse_post_order(roots, before.__getitem__)
    after = {block: list(follow(block)) for block in order}
    return Tree(backward, _solve(backward, after, set(roots)))
