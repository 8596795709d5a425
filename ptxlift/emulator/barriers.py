"""Work-group barriers and named barriers among the waves of a batch.

Comes in: which waves arrive, wait or end. Goes out: which waiting waves may go on. It must not
know registers or instructions. A barrier is a phase counter for each group: arriving aims at the
next phase, which begins when every wave of the group that has not ended aims at it.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

RUN, WAIT, DONE = 0, 1, 2
_NEVER = 1 << 60


class Barriers:
    """`groups` equal groups of consecutive waves."""

    def __init__(self, groups: int, waves: int) -> None:
        self.groups = groups
        self.status = np.zeros(waves, np.int8)
        self.phase = np.zeros(groups, np.int64)
        self.aim = np.zeros(waves, np.int64)
        self.arrived = np.zeros(waves, np.bool_)  # since the last wait
        self.group = np.repeat(np.arange(groups), waves // groups)
        self.named = NamedBarriers(groups, self.group)
        self.waits_named = np.zeros(waves, np.bool_)  # those that wait do so at the one they joined

    def arrive(self, active: NDArray[np.bool_]) -> None:
        """These waves have reached a barrier and may go on working."""
        self.aim[active] = self.phase[self.group[active]] + 1
        self.arrived[active] = True

    def wait(self, active: NDArray[np.bool_]) -> None:
        """These waves stop until their phase has begun: never, without having arrived."""
        self.aim[active & ~self.arrived] = _NEVER
        self.arrived[active] = False
        self.status[active] = WAIT

    def wait_named(self, active: NDArray[np.bool_]) -> None:
        """These waves stop until the named barrier that they joined completes."""
        self.waits_named |= active
        self.status[active] = WAIT

    def end(self, active: NDArray[np.bool_]) -> None:
        """These waves are done; barriers no longer wait for them."""
        self.status[active] = DONE

    def is_first(self, active: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Whether no other wave of the group has arrived at the coming phase yet."""
        aims: NDArray[np.bool_] = (self.aim > self.phase[self.group]) & (self.aim < _NEVER)
        arrived: NDArray[np.bool_] = aims.reshape(self.groups, -1).max(axis=1)
        return ~arrived[self.group] & active

    def update(self) -> None:
        """Begin phases that all waves aim at, and release those who waited."""
        aims = (self.aim > self.phase[self.group]) & (self.aim < _NEVER) | (self.status == DONE)
        complete = aims.reshape(self.groups, -1).all(axis=1)
        self.phase += complete
        passes = np.where(self.waits_named, self.named.passes(), self.phase[self.group] >= self.aim)
        free = (self.status == WAIT) & passes
        self.named.complete[free & self.waits_named] = False
        self.waits_named[free] = False
        self.status[free] = RUN


_NAMED = 16  # the numbers 1 to 16; 0 is a barrier at which nothing happens
_NOWHERE = -1
_NOT_ASKED_FOR = "the kernel's descriptor does not ask for it"


class NamedBarriers:
    """Barriers for some waves of a group, as LLVM's "AMDGPU Execution Synchronization" has them.

    Each expects a number of arrivals. The last one completes it: it is empty again, and the waves
    that joined it may go on from their next wait. Joining forgets earlier completions. What is done
    gives what is wrong or undefined about it, or "". `available`: how many there are.
    """

    def __init__(self, groups: int, group_of: NDArray[np.int64]) -> None:
        self._group_of = group_of
        self.available = 0
        self.expected = np.zeros((groups, _NAMED + 1), np.int64)
        self.arrived = np.zeros((groups, _NAMED + 1), np.int64)
        self.joined = np.full(len(group_of), _NOWHERE, np.int64)
        self.complete = np.zeros(len(group_of), np.bool_)

    def begin(self, wave: int, number: int, expected: int) -> str:
        """Sets a barrier up."""
        if number > self.available:
            return _NOT_ASKED_FOR
        if not expected:
            return "it would expect no wave"
        place = self._group_of[wave], number
        self.expected[place], self.arrived[place] = expected, 0
        return ""

    def join(self, wave: int, number: int) -> str:
        """The wave's next waits are for this barrier."""
        if number > self.available:
            return _NOT_ASKED_FOR
        self.joined[wave], self.complete[wave] = number, False
        return ""

    def signal(self, wave: int, number: int, expected: int) -> str:
        """A wave arrives; `expected`: how many do from now on, 0 for no change."""
        if number == 0:
            return ""
        if number > self.available:
            return _NOT_ASKED_FOR
        group = self._group_of[wave]
        place = group, number
        if not self.expected[place]:
            return "nobody has set it up"
        if expected:
            self.expected[place] = expected
        self.arrived[place] += 1
        if self.arrived[place] > self.expected[place]:
            return "more waves have arrived than it expects"
        if self.arrived[place] == self.expected[place]:
            self.arrived[place] = 0
            self.complete |= (self._group_of == group) & (self.joined == number)
        return ""

    def passes(self) -> NDArray[np.bool_]:
        """Which waves need not wait at the barrier that they joined."""
        passing: NDArray[np.bool_] = self.complete | (self.joined == 0)
        return passing
