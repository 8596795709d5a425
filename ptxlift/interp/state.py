"""The state of the threads that run together: registers, places, stacks.

Comes in: the shape of a launch. Goes out: arrays with one element a thread slot. Blocks are padded
to whole warps, so slot // 32 is a warp; padding slots never run. It must know no instruction.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from ptxlift.interp.lanes import Lanes, dtype_of
from ptxlift.interp.layout import Layout
from ptxlift.interp.memory import LOCAL_WINDOW, SHARED_WINDOW, Fault, Memory, Region
from ptxlift.ptx import module as ptx
from ptxlift.records import dataclass

if TYPE_CHECKING:
    from ptxlift.interp.waiting import Waiting
    from ptxlift.interp.watch import Watch

Dim3 = tuple[int, int, int]
Selection: TypeAlias = "slice | Lanes"  # all slots, or the indices of some

WARP = 32
ALL = slice(None)
_FIRST_STACK = 1024
_LARGEST_STACK = 1 << 19
_DEEPEST = 2000

RUNNING = 0
WAITING = 1
DONE = 2


@dataclass(slots=True)
class Stack:
    """What one call depth keeps for each thread slot."""

    base: Lanes  # where its frame begins in local memory
    returns: Lanes  # code block to go on with
    callee: Lanes  # number of its function


@dataclass(slots=True)
class Shape:
    """A launch's grid and block, and which blocks of the grid run together."""

    grid: Dim3
    block: Dim3
    first: int
    count: int

    @property
    def threads(self) -> int:
        """Threads of a block."""
        return self.block[0] * self.block[1] * self.block[2]

    @property
    def padded(self) -> int:
        """Slots of a block."""
        return (self.threads + WARP - 1) // WARP * WARP


def _stack(total: int) -> Stack:
    return Stack(np.zeros(total, np.int64), np.zeros(total, np.int32), np.zeros(total, np.int32))


class State:
    """Everything that changes while a batch of blocks runs."""

    def __init__(
        self,
        shape: Shape,
        memory: Memory,
        shared: Layout,
        shared_bytes: int,
        waiting: Waiting,
    ) -> None:
        self.shape = shape
        self.memory = memory
        self.shared = shared
        self.slots = np.arange(shape.count * shape.padded)
        self.block_of = self.slots // shape.padded
        total = len(self.slots)
        self.place = np.zeros(total, np.int32)  # code block
        self.depth = np.zeros(total, np.int32)
        self.status = np.full(total, RUNNING, np.int8)
        self.status[self.slots % shape.padded >= shape.threads] = DONE
        self.last_run = np.zeros(total, np.int64)
        self.frames: dict[tuple[int, int], list[Lanes]] = {}
        self.stacks = [_stack(total)]
        self.top = np.zeros(total, np.int64)
        self.registers: list[Lanes] = []  # of the group at hand
        self.level = 0  # call depth of the group at hand
        self.active: Selection = ALL  # lanes of the instruction at hand
        self.waiting = waiting
        self.steps = 0
        self.specials: dict[tuple[str, str], Lanes] = {}  # registers that do not change
        self.output: list[str] = []
        self.shared_region = self._window(
            SHARED_WINDOW, shape.count, shared_bytes, "shared memory", self.block_of
        )
        self.local_region = self._window(LOCAL_WINDOW, total, 0, "local memory", self.slots)
        self.param_region: Region = Region(0, np.zeros(0, np.uint8), 0, "parameters")
        self.dynamic_shared = 0
        self.reserved_shared = 0  # where what %reserved_smem_offset_* tell begins
        self.watch: Watch | None = None
        self.inst: ptx.Inst | None = None  # the one at hand, while something is watched
        self.grid_words = 0  # address of what the blocks of a cooperative launch count in

    def _window(self, base: int, rows: int, size: int, what: str, row_of: Lanes) -> Region:
        stride = (size + 15) // 16 * 16
        data = np.zeros(max(rows * stride, 1), np.uint8)
        region = Region(base, data, size, what, stride=max(stride, 16))
        region.row_of = row_of
        return region

    def slots_of(self, lanes: Selection) -> Lanes:
        """The slot numbers of a selection."""
        return self.slots[lanes]

    def live_of_blocks(self) -> Lanes:
        """How many threads of each block have not ended."""
        return np.bincount(self.block_of[self.status != DONE], minlength=self.shape.count)

    def enter_frame(self, function: int, level: int, widths: tuple[int, ...]) -> list[Lanes]:
        """The registers of a function at a call depth; made when first needed."""
        found = self.frames.get((function, level))
        if found is None:
            total = len(self.slots)
            found = [np.zeros(total, dtype_of(width)) for width in widths]
            self.frames[function, level] = found
        return found

    def push(self, lanes: Selection, callee: int, size: int, returns: int) -> None:
        """Makes a frame of `size` bytes one call deeper than the group at hand."""
        level = self.level + 1
        if level == len(self.stacks):
            self.stacks.append(_stack(len(self.slots)))
        stack = self.stacks[level]
        stack.base[lanes] = (self.top[lanes] + 15) // 16 * 16
        stack.returns[lanes] = returns
        stack.callee[lanes] = callee
        self.reserve(lanes, stack.base[lanes] + size)
        self.depth[lanes] = level

    def reserve(self, lanes: Selection, top: Lanes) -> None:
        """Raises the stacks' tops; local memory grows as needed."""
        need = int(top.max())
        if need > _LARGEST_STACK or self.level >= _DEEPEST:
            raise Fault(int(top.argmax()), f"{need} bytes of local memory: the stack overflows")
        self.top[lanes] = top
        if need > self.local_region.size:
            self._grow(need)

    def _grow(self, need: int) -> None:
        stride = max(self.local_region.size, _FIRST_STACK)
        while stride < need:
            stride *= 2
        total = len(self.slots)
        data = np.zeros((total, stride), np.uint8)
        old = self.local_region.data()
        have = self.local_region.size
        if have:
            data[:, :have] = old.reshape(total, -1)[:, :have]
        self.local_region.replace(data.reshape(-1), stride, stride)


@dataclass(slots=True)
class Thread:
    """One thread's coordinates, for messages."""

    thread: Dim3
    block: Dim3

    def __str__(self) -> str:
        return f"thread {self.thread} of block {self.block}"


def unfold(index: int, shape: Dim3) -> Dim3:
    """Coordinates of a linear index, x fastest."""
    x, y, _ = shape
    return index % x, index // x % y, index // (x * y)


def thread_of(shape: Shape, slot: int) -> Thread:
    """Who runs in a slot."""
    block = shape.first + slot // shape.padded
    return Thread(unfold(slot % shape.padded, shape.block), unfold(block, shape.grid))
