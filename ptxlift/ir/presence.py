"""Where all lanes of a warp are proven to be there.

Comes in: a function. Goes out: for a block whether every lane of the warp exists, has not ended and
runs it together with the others. It is cautious: what it cannot prove it denies.
"""

from __future__ import annotations

from functools import cached_property
from math import prod

from ptxlift.ir.core import Block, Function, Op
from ptxlift.ir.uniformity import Uniformity

WARP = 32
_CALLS = frozenset({"call", "call_indirect"})
_ENDS = frozenset({"exit", "ret", "trap", "unreachable"})


class Presence:
    """Answers about one function; nothing is computed before the first question."""

    def __init__(self, function: Function) -> None:
        self._function = function

    def all_there(self, block: Block) -> bool:
        """Whether the 32 lanes of each warp that gets to a block are there."""
        return self._fills_warps and block not in self._apart

    @property
    def _fills_warps(self) -> bool:
        size = self._function.bounds.reqntid
        return self._function.is_kernel and size is not None and prod(size) % WARP == 0

    @cached_property
    def _apart(self) -> frozenset[Block]:
        """The blocks that some lanes may be in, or have left the kernel from, without others."""
        everything = frozenset(self._function.blocks)
        if any(op.opdef.name in _CALLS for op in self._function.ops()):
            return everything
        uniformity = Uniformity(self._function)
        apart: set[Block] = set()
        for branch in uniformity.branches:
            region = uniformity.region(branch)
            if any(_ends(block.terminator) for block in region):
                return everything
            apart |= region
        return frozenset(apart)


def _ends(terminator: Op) -> bool:
    return terminator.opdef.name in _ENDS
