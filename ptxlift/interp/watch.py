"""What the interpreter can be asked to look for beyond faults, and what it found.

Comes in: readings of registers that nothing was written to, and races. Goes out: diagnostics, one a
place, with the first thread that was seen there. A launch goes on after a finding; the report comes
at its end. It must not know how the facts are noticed.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum

from ptxlift.diag import Diagnostic, PtxError, Span
from ptxlift.interp.races import Race, Races
from ptxlift.interp.state import Shape, State, thread_of
from ptxlift.ptx import module as ptx
from ptxlift.records import dataclass, field

_MOST = 20  # findings that are told


class Check(Enum):
    """What to look for: reads of registers never written; accesses that nothing orders."""

    UNINITIALISED = "uninitialised"
    RACES = "races"


@dataclass(slots=True)
class Watch:
    """The findings of one launch, in the order they were first seen."""

    module: ptx.Module
    kernel: str
    shape: Shape  # of the whole launch
    races: Races | None = None
    found: dict[tuple[object, ...], Diagnostic] = field(default_factory=dict)

    def unwritten(self, state: State, register: ptx.Register, index: int, slot: int) -> None:
        """A thread reads a register that it has not written."""
        inst = state.inst
        key = (register, index, None if inst is None else inst.start)
        if key in self.found:
            return
        part = f".{'xyzw'[index]}" if register.vector > 1 else ""
        who = thread_of(state.shape, slot)
        text = (
            f"'{register.name}{part}' is read and was never written; kernel '{self.kernel}', {who}"
        )
        hint = "its value is undefined: set it on every way that leads here"
        self.found[key] = Diagnostic("PTX408", text, self._span(inst), hint)

    def diagnostics(self) -> list[Diagnostic]:
        """What was found, up to a number of findings."""
        races = self.races.found.values() if self.races is not None else ()
        return [*self.found.values(), *map(self._race, races)][:_MOST]

    def report(self) -> None:
        """Raises `PtxError` with what was found, if anything was."""
        found = self.diagnostics()
        if found:
            raise PtxError(found)

    def _race(self, race: Race) -> Diagnostic:
        earlier = self._span(race.first)
        line = "" if earlier is None else f" in line {earlier.line}"
        me, other = (thread_of(self.shape, slot) for slot in (race.slot, race.other))
        text = (
            f"race on byte {race.offset} of {race.what}: {me} {race.does} here what {other} "
            f"{race.did}{line}, with nothing that orders the two; kernel '{self.kernel}'"
        )
        hint = "bar.sync between the two, an atomic operation, or a fence before a flag is set"
        return Diagnostic("PTX409", text, self._span(race.second), hint)

    def _span(self, inst: ptx.Inst | None) -> Span | None:
        return None if inst is None else self.module.span(inst.start, inst.end)


def checks_of(names: Iterable[str]) -> frozenset[Check]:
    """The checks of these names; PTX307 for one that the interpreter does not have."""
    known = {check.value: check for check in Check}
    chosen = list(names)
    for name in chosen:
        if name not in known:
            raise PtxError.of(
                "PTX307",
                f"the interpreter has no check '{name}'",
                hint=f"it has {', '.join(known)}; the emulator has others",
            )
    return frozenset(known[name] for name in chosen)
