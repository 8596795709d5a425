"""Chooses which threads run next, until all have ended.

Comes in: code and a state. Goes out: a state where everyone is done, or a `PtxError` that names the
thread and the line. Threads at one place run as one group; each thread makes progress of its own:
of the groups that can run, the deepest and earliest goes first, and now and then the one that
waited longest.
"""

from __future__ import annotations

import numpy as np

from ptxlift.diag import Diagnostic, PtxError, Span
from ptxlift.interp.code import Code, CodeBlock
from ptxlift.interp.control import Trap
from ptxlift.interp.lanes import Lanes
from ptxlift.interp.memory import Fault
from ptxlift.interp.state import ALL, RUNNING, WAITING, Selection, State, thread_of

_FAIR = 8  # every so many choices the group that waited longest runs
_PATIENCE = 64  # code blocks that a group runs at most while others could


class Scheduler:
    """Runs one batch of blocks of a kernel."""

    def __init__(self, code: Code, state: State, kernel: str, max_steps: int | None) -> None:
        self._code = code
        self._state = state
        self._kernel = kernel
        self._max_steps = max_steps
        self._choices = 0

    def run(self) -> None:
        """Runs until every thread has ended."""
        state = self._state
        while True:
            candidates = np.flatnonzero(state.status == RUNNING)
            if len(candidates) == 0:
                break
            self._choices += 1
            self._run_group(candidates)
        if (state.status == WAITING).any():
            raise self._deadlock()

    def _run_group(self, candidates: Lanes) -> None:
        state = self._state
        depths, places = state.depth[candidates], state.place[candidates]
        if self._choices % _FAIR == 0:
            leader = int(state.last_run[candidates].argmin())
            depth, place = int(depths[leader]), int(places[leader])
        else:
            depth = int(depths.max())
            place = int(places[depths == depth].min())
        mine = (depths == depth) & (places == place)
        slots = candidates[mine]
        others = places[~mine]
        alone = len(others) == 0
        lanes: Selection = ALL if len(slots) == len(state.slots) else slots
        state.level = depth
        # A group may go on by itself as long as it does not pass a place where others stand.
        limit = int(others.min()) if not alone and (depths == depth).all() else -1
        self._advance(place, lanes, alone, limit)
        state.last_run[slots] = self._choices

    def _advance(self, place: int, lanes: Selection, alone: bool, limit: int) -> None:
        """Runs code blocks as long as the group stays together and nobody else must run."""
        state = self._state
        budget = _PATIENCE
        while True:
            block = self._code.blocks[place]
            function = block.function
            state.registers = state.enter_frame(
                function.index, state.level, tuple(function.operands.widths)
            )
            target = self._run_block(block, lanes)
            if target is None:
                return
            backward = target <= place
            place = target
            budget -= 1
            if not alone and (backward or place >= limit or budget == 0):
                state.place[lanes] = place
                return

    def _run_block(self, block: CodeBlock, lanes: Selection) -> int | None:
        state = self._state
        state.active = lanes
        state.steps += len(block.insts)
        if self._max_steps is not None and state.steps > self._max_steps:
            raise self._error("PTX405", f"more than {self._max_steps} steps", block, 0, 0)
        at = 0
        try:
            for step in block.steps:
                if state.watch is not None:
                    state.inst = block.insts[at]
                step(state, lanes)
                at += 1
            assert block.end is not None, "every block has an end"
            if state.watch is not None:
                state.inst = block.insts[at]
            return block.end(state, lanes)
        except Fault as fault:
            raise self._error("PTX402", fault.text, block, at, fault.lane) from None
        except Trap as trap:
            raise self._error("PTX403", trap.text, block, at, 0) from None

    # ---- errors ----

    def _error(self, code: str, text: str, block: CodeBlock, at: int, lane: int) -> PtxError:
        state = self._state
        slots = state.slots[state.active]
        who = thread_of(state.shape, int(slots[min(lane, len(slots) - 1)]))
        message = f"{text}; kernel '{self._kernel}', {who}"
        return PtxError.of(code, message, self._span(block, at))

    def _span(self, block: CodeBlock, at: int) -> Span | None:
        inst = block.insts[at] if at < len(block.insts) else None
        return None if inst is None else self._code.module.span(inst.start, inst.end)

    def _deadlock(self) -> PtxError:
        """One diagnostic a place where threads wait."""
        waiting = self._state.waiting
        arrivals = [a for wait in waiting.warps.values() for a in wait.arrivals]
        arrivals += [a for wait in waiting.barriers.values() for a in wait.arrivals]
        counts: dict[int, int] = {}
        first: dict[int, int] = {}
        for arrival in arrivals:
            counts[arrival.line] = counts.get(arrival.line, 0) + len(arrival.slots)
            first.setdefault(arrival.line, int(arrival.slots[0]))
        found = []
        for line in sorted(counts):
            who = thread_of(self._state.shape, first[line])
            text = (
                f"kernel '{self._kernel}' cannot go on: {counts[line]} threads wait here "
                f"for others that do not come, {who} first"
            )
            found.append(Diagnostic("PTX404", text, self._code.module.span(line)))
        return PtxError(found)
