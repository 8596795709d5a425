"""Several work-groups running in lockstep.

Comes in: registers at entry and compiled code. Goes out: executed waves. Waves that stand at the
same instruction in the same MODE run together; the group that is furthest behind goes first, and
the one that waited longest gets a turn now and then, so that spinning waves cannot starve others.
It must not know what instructions do.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ptxlift.diag import InternalError, PtxError
from ptxlift.emulator.barriers import DONE, RUN, WAIT, Barriers
from ptxlift.emulator.blocks import Block, Code, Next
from ptxlift.emulator.control import LEAVING
from ptxlift.emulator.hazards import HazardChecker
from ptxlift.emulator.operands import Inst
from ptxlift.emulator.state import State
from ptxlift.records import replace

_FAR = 1 << 62
_QUANTUM = 512  # blocks a set of waves runs before the others are looked at
_SHORT_QUANTUM = 24  # the same while others wait further ahead
_FAIR_EVERY = 4  # picks after which the longest-waiting waves go first


class Batch:
    """The waves of `groups` work-groups with their program counters."""

    def __init__(
        self,
        st: State,
        code: Code,
        groups: int,
        entry: int,
        checker: HazardChecker | None = None,
    ) -> None:
        self.checker = checker
        self.st = st
        self.code = code
        self.barriers = Barriers(groups, st.waves)
        self.pcs: NDArray[np.int64] = np.full(st.waves, entry, np.int64)
        self.last_run = np.zeros(st.waves, np.int64)
        self.picks = 0
        self.fair_next = False
        self.executions: dict[int, int] = {}

    def run(self, budget: int) -> tuple[int, bool]:
        """Run for about `budget` wave instructions; gives those used and whether all have ended."""
        used = 0
        while used < budget:
            limit = self._pick()
            if limit < 0:
                return used, True
            used += self._run_chosen(limit, budget - used)
        return used, False

    def _pick(self) -> int:
        """Choose the waves that run next; gives the address where others wait, or -1 at the end."""
        barriers = self.barriers
        if (barriers.status == WAIT).any():
            barriers.update()
        ready = barriers.status == RUN
        if not ready.any():
            if (barriers.status == DONE).all():
                return -1
            raise self._deadlock()
        self.picks += 1
        fair = self.fair_next or self.picks % _FAIR_EVERY == 0
        self.fair_next = False
        if fair:
            leader = int(np.argmin(np.where(ready, self.last_run, _FAR)))
        else:
            leader = int(np.argmin(np.where(ready, self.pcs, _FAR)))
        chosen = ready & (self.pcs == self.pcs[leader]) & (self.st.mode == self.st.mode[leader])
        self.last_run[chosen] = self.picks
        self.st.set_active(chosen)
        self.st.use_mode()
        self.st.must_reschedule = False
        others = ready & ~chosen
        if fair or not others.any():
            return _FAR
        return int(self.pcs[others].min())

    def _run_chosen(self, limit: int, budget: int) -> int:
        st = self.st
        blocks, executions = self.code.blocks, self.executions
        active = st.active_count
        at = int(self.pcs[st.active.argmax()])
        used = 0
        for _ in range(_QUANTUM if limit == _FAR else _SHORT_QUANTUM):
            block = blocks.get(at) or self.code.block(at)
            if self.checker is not None:
                self._check(block, self.checker)
            else:
                self._act(block)
            following = self._leave(block)
            executions[at] = executions.get(at, 0) + active
            used += block.weights.instructions * active
            st.clock += block.weights.instructions
            if not isinstance(following, int):
                np.copyto(self.pcs, following, where=st.active)
                return used
            at = following
            if st.must_reschedule or at >= limit or used >= budget:
                break
        else:
            self.fair_next = True
        self.pcs[st.active] = at
        return used

    def _act(self, block: Block) -> None:
        try:
            for action in block.actions:
                action(self.st)
        except PtxError as error:
            raise self._located(error, block.insts[block.actions.index(action)]) from None
        except Exception as error:
            inst = block.insts[block.actions.index(action)]
            text = inst.text if inst is not None else "bookkeeping"
            raise InternalError(f"the emulator failed in {text!r}") from error

    def _leave(self, block: Block) -> Next:
        try:
            return block.leave(self.st, self.barriers)
        except PtxError as error:
            raise self._located(error, block.last) from None

    def _located(self, error: PtxError, inst: Inst | None) -> PtxError:
        """The error with the line that the instruction comes from, where that is known."""
        place = self.code.image.place(inst) if inst is not None else ""
        if not place:
            return error
        found = [replace(d, message=f"{d.message}, from {place}") for d in error.diagnostics]
        return PtxError(found)

    def _check(self, block: Block, checker: HazardChecker) -> None:
        for inst, action in zip(block.insts, block.actions, strict=True):
            if inst is not None:
                checker.step(self.st, inst)
            action(self.st)
        if block.last.mnemonic in LEAVING:
            checker.step(self.st, block.last)

    def _deadlock(self) -> PtxError:
        st = self.st
        stuck = np.flatnonzero(self.barriers.status == WAIT)
        places = [
            f"{st.describe_wave(int(wave))} waits at {self._place(int(wave))}" for wave in stuck[:4]
        ]
        return PtxError.of(
            "PTX404",
            f"kernel {st.kernel}: no wave can go on",
            hint="; ".join(places),
        )

    def _place(self, wave: int) -> str:
        return f"the barrier before {int(self.pcs[wave]):#x}"
