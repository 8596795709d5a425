"""Results that gfx9 does not wait for: how many instructions must lie between maker and user.

Comes in: the instructions a wave executes, in order. Goes out: the rule that is broken, if any. The
rules are the tables "Required User-Inserted Wait States" of AMD's MI200 and MI300 manuals, those
that compiled compute code can meet. From gfx10 on the chips wait by themselves. It must not know
values.
"""

from __future__ import annotations

from collections.abc import Callable

from ptxlift.emulator.blocks import class_of
from ptxlift.emulator.operands import EXEC, VCC, Const, File, Inst, Operand, Reg
from ptxlift.emulator.profile import InstClass
from ptxlift.records import dataclass

# Instructions at hand that may still matter: each with the wait states since it was issued.
Recent = tuple[tuple[Inst, int], ...]
Numbers = frozenset[tuple[File, int]]

_VALU = (InstClass.VALU, InstClass.F64, InstClass.TRANS)
_LANE_MOVES = ("v_readlane_b32", "v_writelane_b32")
_LONGEST = 5


@dataclass(frozen=True, slots=True)
class Rule:
    """`made` and `used` give the registers of maker and user that must not meet within `states`;
    `chips`: what their names begin with.
    """

    name: str
    states: int
    made: Callable[[Inst], Numbers]
    used: Callable[[Inst], Numbers]
    chips: tuple[str, ...] = ("gfx9",)


def broken_rule(recent: Recent, inst: Inst, target: str) -> tuple[Rule, Inst] | None:
    """The first rule that an instruction breaks, and with which earlier one."""
    for rule in RULES:
        if not target.startswith(rule.chips):
            continue
        used = rule.used(inst)
        if not used:
            continue
        for earlier, between in recent:
            if between < rule.states and used & rule.made(earlier):
                return rule, earlier
    return None


def after(recent: Recent, inst: Inst) -> Recent:
    """What may still matter behind an instruction."""
    states = 1
    if inst.mnemonic == "s_nop":
        value = inst.operands[0].value
        states += int(value.value) if isinstance(value, Const) else 0
    aged = ((earlier, between + states) for earlier, between in recent)
    kept = tuple(pair for pair in aged if pair[1] < _LONGEST)
    return (*kept, (inst, 0)) if _is_valu(inst) else kept


def _is_valu(inst: Inst) -> bool:
    return class_of(inst) in _VALU


def _numbers(operands: tuple[Operand, ...], file: File) -> Numbers:
    found = set()
    for operand in operands:
        value = operand.value
        if isinstance(value, Reg) and value.file is file:
            found |= {(file, value.index + i) for i in range(value.count)}
    return frozenset(found)


def _results(inst: Inst) -> int:
    """How many operands in front are results."""
    two = "_co_" in inst.mnemonic or inst.mnemonic.startswith(
        ("v_div_scale", "v_mad_u64", "v_mad_i64")
    )
    return 2 if two else 1


def _made_vectors(inst: Inst) -> Numbers:
    return _numbers(inst.operands[: _results(inst)], File.V)


def _made_scalars(inst: Inst) -> Numbers:
    return _numbers(inst.operands[: _results(inst)], File.S)


def _made_exec(inst: Inst) -> Numbers:
    if not inst.mnemonic.startswith("v_cmpx"):
        return frozenset()
    return frozenset({(File.S, EXEC), (File.S, EXEC + 1)})


def _made_by_transcendental(inst: Inst) -> Numbers:
    return _made_vectors(inst) if _is_transcendental(inst) else frozenset()


def _is_transcendental(inst: Inst) -> bool:
    return class_of(inst) is InstClass.TRANS


def _used_by_dpp(inst: Inst) -> Numbers:
    return _numbers(inst.operands[1:], File.V) if inst.suffix.endswith("dpp") else frozenset()


def _exec_of_dpp(inst: Inst) -> Numbers:
    return frozenset({(File.S, EXEC)}) if inst.suffix.endswith("dpp") else frozenset()


def _used_by_memory(inst: Inst) -> Numbers:
    memory = class_of(inst) is InstClass.VMEM
    return _numbers(inst.operands, File.S) if memory else frozenset()


def _selecting(inst: Inst) -> Numbers:
    """The lane that v_readlane or v_writelane names."""
    lane = inst.mnemonic in _LANE_MOVES
    return _numbers(inst.operands[2:], File.S) if lane else frozenset()


def _used_by_fmas(inst: Inst) -> Numbers:
    fmas = inst.mnemonic.startswith("v_div_fmas")
    return frozenset({(File.S, VCC), (File.S, VCC + 1)}) if fmas else frozenset()


def _constants(inst: Inst) -> Numbers:
    """Scalars that a vector instruction reads; carries and conditions are forwarded."""
    if not _is_valu(inst):
        return frozenset()
    return _numbers(inst.operands[_results(inst) : 3], File.S) - _VCC


_VCC: Numbers = frozenset({(File.S, VCC), (File.S, VCC + 1)})


def _used_by_readlane(inst: Inst) -> Numbers:
    reads = inst.mnemonic in ("v_readlane_b32", "v_readfirstlane_b32")
    return _numbers(inst.operands[1:2], File.V) if reads else frozenset()


def _used_by_others(inst: Inst) -> Numbers:
    others = _is_valu(inst) and not _is_transcendental(inst)
    return _numbers(inst.operands[_results(inst) :], File.V) if others else frozenset()


_MI300 = ("gfx94", "gfx95")
# fmt: off
RULES = (
    Rule("a DPP read of a vector register that was just written", 2, _made_vectors, _used_by_dpp),
    Rule("DPP after EXEC was written by a vector instruction", 5, _made_exec, _exec_of_dpp),
    Rule("an address in a scalar register that a vector instruction wrote", 5, _made_scalars, _used_by_memory),  # noqa: E501
    Rule("a lane selected by what a vector instruction wrote", 4, _made_scalars, _selecting),
    Rule("v_div_fmas after VCC was written by a vector instruction", 4, _made_scalars, _used_by_fmas),  # noqa: E501
    Rule("a vector read of a scalar register that a vector instruction wrote", 2, _made_scalars, _constants, _MI300),  # noqa: E501
    Rule("a lane read of a vector register that was just written", 1, _made_vectors, _used_by_readlane, _MI300),  # noqa: E501
    Rule("a transcendental result read by another vector instruction", 1, _made_by_transcendental, _used_by_others, _MI300),  # noqa: E501
)
# fmt: on
