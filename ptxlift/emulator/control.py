"""Instructions at which waves may part, stop or end.

Comes in: the last instruction of a block. Goes out: a function that gives the next address, one
for all active waves or one each, after marking waves that wait or end. It must not know
scheduling.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ptxlift.diag import PtxError
from ptxlift.emulator.access import scalar_source, scalar_target, vcc_is_zero
from ptxlift.emulator.barriers import NamedBarriers
from ptxlift.emulator.operands import EXEC, VCC, Const, Inst
from ptxlift.emulator.salu import compile_salu
from ptxlift.emulator.state import State
from ptxlift.emulator.valu.kinds import Kind

Next: TypeAlias = int | NDArray[np.int64]
Leave: TypeAlias = Callable[[State, Any], Next]  # the second argument is the batch's Barriers


def branch_target(inst: Inst) -> int:
    """Address a SOPP or SOPK branch encodes: a signed 16-bit count of words from its end."""
    words = inst.words[0] & 0xFFFF
    return inst.end + 4 * ((words ^ 0x8000) - 0x8000)


_CONDITIONS: dict[str, Callable[[State], NDArray[np.bool_]]] = {
    "s_cbranch_scc0": lambda st: ~st.scc,
    "s_cbranch_scc1": lambda st: st.scc,
    "s_cbranch_vccz": lambda st: vcc_is_zero(st, VCC),
    "s_cbranch_vccnz": lambda st: ~vcc_is_zero(st, VCC),
    "s_cbranch_execz": lambda st: vcc_is_zero(st, EXEC),
    "s_cbranch_execnz": lambda st: ~vcc_is_zero(st, EXEC),
}


def compile_leave(inst: Inst) -> Leave:
    """How waves leave a block that ends with this instruction."""
    make = LEAVING.get(inst.mnemonic)
    if make is None:
        after = inst.end
        return lambda st, barriers: after
    return make(inst)


def _branch(inst: Inst) -> Leave:
    target = branch_target(inst)
    return lambda st, barriers: target


def _conditional(inst: Inst) -> Leave:
    condition = _CONDITIONS[inst.mnemonic]
    target, after = branch_target(inst), inst.end

    def leave(st: State, barriers: Any) -> Next:
        taken = condition(st)
        if not st.all_active:
            taken = taken & st.active
        count = int(np.count_nonzero(taken))
        if count == 0:
            return after
        if count == st.active_count:
            return target
        return np.where(taken, target, after)

    return leave


def _one_address(st: State, addresses: NDArray[Any]) -> Next:
    """A single address where all active waves agree."""
    found = np.broadcast_to(addresses, (st.waves,)).astype(np.int64)
    chosen = found[st.active]
    return int(chosen[0]) if (chosen == chosen[0]).all() else found


def _set_pc(inst: Inst) -> Leave:
    read = scalar_source(inst.operands[0], Kind.B64)
    return lambda st, barriers: _one_address(st, read(st))


def _swap_pc(inst: Inst) -> Leave:
    write = scalar_target(inst.operands[0], True)
    read = scalar_source(inst.operands[1], Kind.B64)
    after = np.array([inst.end], np.uint64)

    def leave(st: State, barriers: Any) -> Next:
        target = _one_address(st, read(st))
        write(st, after)
        return target

    return leave


def _call(inst: Inst) -> Leave:
    write = scalar_target(inst.operands[0], True)
    after, target = np.array([inst.end], np.uint64), branch_target(inst)

    def leave(st: State, barriers: Any) -> Next:
        write(st, after)
        return target

    return leave


def _end(inst: Inst) -> Leave:
    def leave(st: State, barriers: Any) -> Next:
        barriers.end(st.active)
        st.must_reschedule = True
        return inst.end

    return leave


def _is_groups(inst: Inst) -> bool:
    """Whether an instruction is for the work-group's own barrier, -1, which old ones do not name.
    The others below 0 are no program's, or those of a cluster.
    """
    if not inst.operands:
        return True
    value = inst.operands[0].value
    if not isinstance(value, Const):
        return False
    number = (int(value.value) & 0xFFFF ^ 0x8000) - 0x8000
    if number < -1:
        raise PtxError.of("PTX406", f"this barrier is not emulated: {inst.text}")
    return number == -1


def _barrier(arrives: bool, waits: bool, first: bool = False) -> Callable[[Inst], Leave]:
    def make(inst: Inst) -> Leave:
        if not _is_groups(inst):
            if first:
                raise PtxError.of("PTX406", f"this barrier is not emulated: {inst.text}")
            return _named_wait(inst) if waits else _named(_signal)(inst)

        def leave(st: State, barriers: Any) -> Next:
            if first:
                st.put_scc(barriers.is_first(st.active))
            if arrives:
                barriers.arrive(st.active)
            if waits:
                barriers.wait(st.active)
                st.must_reschedule = True
            return inst.end

        return leave

    return make


_NAMED_MASK, _COUNT_MASK = 31, 127
_Act: TypeAlias = Callable[[NamedBarriers, int, int, int], str]


def _named(act: _Act) -> Callable[[Inst], Leave]:
    """What waves do at a named barrier, whose number is constant or in M0's lowest bits; there, the
    count is in bits 16 to 22. EXEC is not heeded: who has no lane there should not have come.
    """

    def make(inst: Inst) -> Leave:
        read = scalar_source(inst.operands[0], Kind.B32)

        def leave(st: State, barriers: Any) -> Next:
            words = np.broadcast_to(read(st).reshape(-1), st.active.shape)
            for wave in np.flatnonzero(st.active).tolist():
                word = int(words[wave])
                number = word & _NAMED_MASK
                wrong = act(barriers.named, wave, number, word >> 16 & _COUNT_MASK)
                if wrong:
                    raise PtxError.of(
                        "PTX403",
                        f"named barrier {number} in kernel {st.kernel}: {wrong}:"
                        f" {st.describe_wave(wave)}, instruction {inst.text!r}",
                    )
            return inst.end

        return leave

    return make


def _begin(named: NamedBarriers, wave: int, number: int, count: int) -> str:
    return named.begin(wave, number, count)


def _join(named: NamedBarriers, wave: int, number: int, count: int) -> str:
    return named.join(wave, number)


def _signal(named: NamedBarriers, wave: int, number: int, count: int) -> str:
    return named.signal(wave, number, count)


def _named_wait(inst: Inst) -> Leave:
    """The number says only that it is a named one: the one that the wave joined last."""

    def leave(st: State, barriers: Any) -> Next:
        barriers.wait_named(st.active)
        st.must_reschedule = True
        return inst.end

    return leave


def _sleep(inst: Inst) -> Leave:
    def leave(st: State, barriers: Any) -> Next:
        st.must_reschedule = True
        return inst.end

    return leave


def _trap(inst: Inst) -> Leave:
    def leave(st: State, barriers: Any) -> Next:
        wave = int(st.active.argmax())
        lane = int(st.first_lane()[wave])
        raise PtxError.of(
            "PTX403",
            f"kernel {st.kernel} executed a trap: {st.describe_wave(wave)}, lane {lane},"
            f" instruction {inst.text!r}",
        )

    return leave


def _mode_change(inst: Inst) -> Leave:
    """Writes of MODE end a block, because afterwards waves may differ in it."""
    action = compile_salu(inst)
    if action is None:
        raise PtxError.of("PTX406", f"unknown machine instruction: {inst.text}")

    def leave(st: State, barriers: Any) -> Next:
        action(st)
        return inst.end

    return leave


LEAVING: dict[str, Callable[[Inst], Leave]] = (
    dict.fromkeys(_CONDITIONS, _conditional)
    | dict.fromkeys(("s_setpc_b64", "s_set_pc_i64"), _set_pc)
    | dict.fromkeys(("s_swappc_b64", "s_swap_pc_i64"), _swap_pc)
    | dict.fromkeys(("s_call_b64", "s_call_i64"), _call)
    | dict.fromkeys(("s_endpgm", "s_endpgm_saved"), _end)
    | dict.fromkeys(("s_trap", "s_sethalt"), _trap)
    | dict.fromkeys(("s_sleep", "s_sleep_var"), _sleep)
    | dict.fromkeys(
        ("s_setreg_b32", "s_setreg_imm32_b32", "s_round_mode", "s_denorm_mode"), _mode_change
    )
    | {
        "s_branch": _branch,
        "s_barrier": _barrier(True, True),
        "s_barrier_signal": _barrier(True, False),
        "s_barrier_signal_isfirst": _barrier(True, False, True),
        "s_barrier_wait": _barrier(False, True),
        "s_barrier_init": _named(_begin),
        "s_barrier_join": _named(_join),
    }
)
"""Instructions that end a block."""
