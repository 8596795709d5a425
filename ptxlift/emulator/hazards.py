"""Checker mode: registers touched while a memory operation on them is outstanding, or too early.

Comes in: the instructions each wave executes, in order. Goes out: PTX407 where one reads or
overwrites a register that a load has not been waited for, or breaks a rule of `wait_states`. It
must not know values. What is pending is an immutable tuple for each wave, so waves that took the
same path share all work.

Loads into vector registers return in order within a counter; scalar loads do not. Flat accesses
count in both the vector and the LDS counter. On gfx9 stores count with loads.
"""

from __future__ import annotations

import re
from enum import Enum

import numpy as np

from ptxlift.diag import PtxError
from ptxlift.emulator.operands import (
    VCC,
    Const,
    Inst,
    Operand,
    Reg,
    Regs,
    Words,
    parse_inst,
)
from ptxlift.emulator.profile import InstClass, classify
from ptxlift.emulator.state import State
from ptxlift.emulator.wait_states import Recent, after, broken_rule
from ptxlift.records import dataclass


class Counter(Enum):
    """Hardware counters; gfx12 splits LGKM into DS and KM, and samples from VM."""

    VM = "vmcnt or loadcnt"
    VS = "vscnt or storecnt"
    LGKM = "lgkmcnt"
    DS = "dscnt"
    KM = "kmcnt"
    SAMPLE = "samplecnt"


Registers = frozenset[tuple[str, int]]  # register file and number


@dataclass(frozen=True, slots=True)
class Pending:
    """An operation that has been issued and not waited for."""

    counters: frozenset[Counter]
    registers: Registers
    ordered: bool  # results come in the order of issue
    text: str


Queue = tuple[Pending, ...]

_WAITCNT = re.compile(r"(vmcnt|lgkmcnt|expcnt)\((\d+)\)")
_LEGACY = {"vmcnt": Counter.VM, "lgkmcnt": Counter.LGKM}
_SINGLE = {
    "s_wait_loadcnt": Counter.VM,
    "s_wait_storecnt": Counter.VS,
    "s_wait_dscnt": Counter.DS,
    "s_wait_kmcnt": Counter.KM,
    "s_wait_samplecnt": Counter.SAMPLE,
    "s_waitcnt_vscnt": Counter.VS,
    "s_waitcnt_vmcnt": Counter.VM,
    "s_waitcnt_lgkmcnt": Counter.LGKM,
}
_DOUBLE = {
    "s_wait_loadcnt_dscnt": (Counter.VM, Counter.DS),
    "s_wait_storecnt_dscnt": (Counter.VS, Counter.DS),
}
_SAMPLES = ("image_sample", "image_gather4", "image_get_lod")
_ANSWERS = (*_SAMPLES, "image_get_resinfo")


class HazardChecker:
    """Follows the waves of one batch."""

    def __init__(self, waves: int, major: int, target: str) -> None:
        self.major = major
        self.target = target
        self.queues: list[Queue] = [()] * waves
        self.recent: list[Recent] = [()] * waves
        self._known: dict[tuple[int, Queue], Queue] = {}
        self._followed: dict[tuple[int, tuple[tuple[int, int], ...]], Recent] = {}

    def step(self, st: State, inst: Inst) -> None:
        """Account for one instruction that the active waves are about to execute."""
        for wave in np.flatnonzero(st.active).tolist():
            queue = self.queues[wave]
            key = (inst.address, queue)
            following = self._known.get(key)
            if following is None:
                following = self._advance(st, wave, inst, queue)
                self._known[key] = following
            self.queues[wave] = following
            if self.major == 9:
                self.recent[wave] = self._follow(st, wave, inst)

    def _follow(self, st: State, wave: int, inst: Inst) -> Recent:
        recent = self.recent[wave]
        key = (inst.address, tuple((earlier.address, age) for earlier, age in recent))
        following = self._followed.get(key)
        if following is None:
            broken = broken_rule(recent, inst, self.target)
            if broken is not None:
                rule, earlier = broken
                raise PtxError.of(
                    "PTX407",
                    f"kernel {st.kernel}: {inst.text!r} comes too early behind {earlier.text!r}: "
                    f"{rule.name}, {st.describe_wave(wave)}",
                    hint=f"{rule.states} wait states between the two, by instructions or s_nop",
                )
            following = self._followed[key] = after(recent, inst)
        return following

    def _advance(self, st: State, wave: int, inst: Inst, queue: Queue) -> Queue:
        waits = _waits(inst)
        if waits:
            for counter, allowed in waits.items():
                queue = _wait(queue, counter, allowed)
            return queue
        issued = self._issued(inst)
        self._check(st, wave, inst, queue, issued)
        return queue if issued is None else (*queue, issued)

    def _check(
        self, st: State, wave: int, inst: Inst, queue: Queue, issued: Pending | None
    ) -> None:
        touched = _registers(inst, inst.operands)
        in_order = issued.registers if issued is not None and issued.ordered else frozenset()
        for pending in queue:
            clash = touched & pending.registers
            if pending.ordered and issued is not None and pending.counters == issued.counters:
                clash -= in_order - _registers(inst, inst.operands[1:])
            if clash:
                file, number = min(clash)
                raise PtxError.of(
                    "PTX407",
                    f"kernel {st.kernel}: {inst.text!r} uses {file}{number} before"
                    f" {pending.text!r} was waited for, {st.describe_wave(wave)}",
                )

    def _issued(self, inst: Inst) -> Pending | None:
        """What an instruction leaves outstanding."""
        kind = classify(inst, False, False)
        name = inst.mnemonic
        if kind is InstClass.SMEM and "load" in name:
            counter = Counter.KM if self.major >= 12 else Counter.LGKM
            return self._pending(inst, {counter}, True, False)
        if kind in (InstClass.LDS, InstClass.CROSSBAR):
            counter = Counter.DS if self.major >= 12 else Counter.LGKM
            return self._pending(inst, {counter}, _reads_back(inst), True)
        if kind is not InstClass.VMEM:
            return None
        loads = _reads_back(inst)
        if self.major >= 12 and name.startswith(_SAMPLES):
            return self._pending(inst, {Counter.SAMPLE}, True, True)
        counters = {Counter.VM if loads or self.major == 9 else Counter.VS}
        if name.startswith("flat_"):
            counters.add(Counter.DS if self.major >= 12 else Counter.LGKM)
        return self._pending(inst, counters, loads, not name.startswith("flat_"))

    def _pending(self, inst: Inst, counters: set[Counter], writes: bool, ordered: bool) -> Pending:
        registers = _registers(inst, inst.operands[:1]) if writes else frozenset()
        return Pending(frozenset(counters), registers, ordered, inst.text)


def _reads_back(inst: Inst) -> bool:
    """Whether a vector memory or LDS instruction writes registers."""
    name = inst.mnemonic
    if "lds_" in name.partition("_")[2] or "lds" in inst.modifiers:
        return False
    if name.startswith(_ANSWERS):
        return True
    if "load" in name or "read" in name or "_rtn_" in name or "permute" in name:
        return True
    if "swizzle" in name or "append" in name or "consume" in name:
        return True
    returning = "TH_ATOMIC_RETURN" in str(inst.modifiers.get("th", ""))
    flags = {"glc", "sc0"} & inst.modifiers.keys()
    return "atomic" in name and (returning or bool(flags))


def _waits(inst: Inst) -> dict[Counter, int]:
    """How many operations of each counter a wait allows to stay outstanding."""
    name = inst.mnemonic
    if name == "s_waitcnt":
        text = inst.operands[0].value
        found = _WAITCNT.findall(text.text if isinstance(text, Words) else "")
        return {_LEGACY[counter]: int(n) for counter, n in found if counter in _LEGACY}
    if name not in _SINGLE and name not in _DOUBLE:
        return {}
    last = inst.operands[-1].value
    number = int(last.value) if isinstance(last, Const) else 0
    if name in _SINGLE:
        return {_SINGLE[name]: number}
    first, second = _DOUBLE[name]
    return {first: number >> 8 & 0x3F, second: number & 0x3F}


def _wait(queue: Queue, counter: Counter, allowed: int) -> Queue:
    """Drop what has surely completed once at most `allowed` operations are outstanding."""
    counted = [pending for pending in queue if counter in pending.counters]
    if allowed and any(not pending.ordered for pending in counted):
        return queue  # an operation out of order may be any of those left
    done = counted[: len(counted) - allowed] if allowed else counted
    kept = []
    for pending in queue:
        if any(pending is item for item in done):
            rest = pending.counters - {counter}
            if not rest or not pending.registers:
                continue
            pending = Pending(rest, pending.registers, pending.ordered, pending.text)
        kept.append(pending)
    return tuple(kept)


def _registers(inst: Inst, operands: tuple[Operand, ...]) -> Registers:
    """Registers that operands name; both halves of a VOPD pair count."""
    found: set[tuple[str, int]] = set()
    pieces = list(operands)
    if " :: " in inst.text:
        _, _, second = inst.text.partition(" :: ")
        pieces = [
            *parse_inst(inst.address, inst.text.partition(" :: ")[0], inst.words).operands,
            *parse_inst(inst.address, second, inst.words).operands,
        ]
    for operand in pieces:
        value = operand.value
        for reg in value.regs if isinstance(value, Regs) else (value,):
            if isinstance(reg, Reg):
                found |= {(reg.file.value, reg.index + i) for i in range(reg.count)}
    if inst.mnemonic in ("s_cbranch_vccz", "s_cbranch_vccnz"):
        found |= {("s", VCC), ("s", VCC + 1)}
    return frozenset(found)
