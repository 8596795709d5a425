"""Work-group barriers among the waves of a batch.

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

    def arrive(self, active: NDArray[np.bool_]) -> None:
        """These waves have reached a barrier and may go on working."""
        self.aim[active] = self.phase[self.group[active]] + 1
        self.arrived[active] = True

    def wait(self, active: NDArray[np.bool_]) -> None:
        """These waves stop until their phase has begun: never, without having arrived."""
        self.aim[active & ~self.arrived] = _NEVER
        self.arrived[active] = False
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
        free = (self.status == WAIT) & (self.phase[self.group] >= self.aim)
        self.status[free] = RUN
