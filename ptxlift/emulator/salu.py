"""Scalar ALU instructions, from text to a function on a `State`.

Comes in: a decoded instruction. Goes out: a closure that performs it, or None for a mnemonic that
is not here. Branches, barriers and scalar memory are elsewhere. It must not know vector semantics
beyond borrowing the float functions that scalar floats share with them.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from ptxlift.diag import PtxError
from ptxlift.emulator.access import Source, scalar_source, scalar_target, with_modifiers
from ptxlift.emulator.operands import EXEC, Const, File, Inst, Operand, Reg, Words
from ptxlift.emulator.scalar_ops import LOGIC, ScalarOp, scalar_ops
from ptxlift.emulator.state import State
from ptxlift.emulator.valu import ValuOp, lookup
from ptxlift.emulator.valu.kinds import REGISTERS, Kind

Op: TypeAlias = Callable[[State], None]


def compile_salu(inst: Inst) -> Op | None:
    """The action of a scalar ALU instruction."""
    name = inst.mnemonic
    op = scalar_ops().get(name)
    if op is not None:
        return _table_op(inst, op)
    for suffix, kind in (("_saveexec_b64", Kind.B64), ("_saveexec_b32", Kind.B32)):
        if name.endswith(suffix):
            return _save_exec(inst, name.removeprefix("s_").removesuffix(suffix), kind, False)
    for suffix, kind in (("_wrexec_b64", Kind.B64), ("_wrexec_b32", Kind.B32)):
        if name.endswith(suffix):
            return _save_exec(inst, name.removeprefix("s_").removesuffix(suffix), kind, True)
    if name in _WITH_IMMEDIATE:
        return _immediate_op(inst)
    if name.startswith("s_cmpk_"):
        return _compare_immediate(inst)
    if name in _SPECIAL:
        return _SPECIAL[name](inst)
    return _float_op(inst)


def _table_op(inst: Inst, op: ScalarOp) -> Op:
    operands = list(inst.operands)
    write = None
    old: Source | None = None
    if op.dst is not None:
        target = operands.pop(0)
        write = scalar_target(target, op.dst is Kind.B64)
        old = scalar_source(target, op.dst) if op.reads_dst else None
    if len(operands) != len(op.srcs):
        raise PtxError.of("PTX406", f"unexpected operands: {inst.text}")
    sources = [scalar_source(o, k) for o, k in zip(operands, op.srcs, strict=True)]
    if op.reads_scc:
        sources.append(lambda st: st.scc)
    if old is not None:
        sources.append(old)
    if write is None:
        return _compare(op, sources)
    return _with_result(op, sources, write)


def _compare(op: ScalarOp, sources: list[Source]) -> Op:
    fn = op.fn
    a, b = sources
    return lambda st: st.put_scc(fn(a(st), b(st)))


def _with_result(op: ScalarOp, sources: list[Source], write: Callable[..., None]) -> Op:
    fn, scc = op.fn, op.scc

    def run(st: State) -> None:
        result = fn(*[read(st) for read in sources])
        if scc == "fn":
            result, flag = result
            st.put_scc(flag)
        elif scc == "nz":
            st.put_scc(result != 0)
        write(st, result)

    def run_plain(st: State) -> None:
        write(st, fn(*[read(st) for read in sources]))

    return run if scc else run_plain


def _save_exec(inst: Inst, name: str, kind: Kind, result_to_dst: bool) -> Op:
    """EXEC = op(source, EXEC); the destination gets the old EXEC, or the new one for wrexec."""
    if name not in LOGIC:
        raise PtxError.of("PTX406", f"unknown machine instruction: {inst.text}")
    fn = LOGIC[name]
    target, source = inst.operands
    exec_reg = Operand(Reg(File.S, EXEC, 2))
    read, read_exec = scalar_source(source, kind), scalar_source(exec_reg, kind)
    write = scalar_target(target, kind is Kind.B64)
    write_exec = scalar_target(exec_reg, kind is Kind.B64)

    def run(st: State) -> None:
        old = read_exec(st).copy()
        new = fn(read(st), old)
        write(st, new if result_to_dst else old)
        write_exec(st, new)
        st.put_scc(new != 0)

    return run


_WITH_IMMEDIATE: dict[str, str] = {
    "s_movk_i32": "s_mov_b32",
    "s_cmovk_i32": "s_cmov_b32",
    "s_addk_i32": "s_add_i32",
    "s_addk_co_i32": "s_add_i32",
    "s_mulk_i32": "s_mul_i32",
}


def _immediate(operand: Operand) -> int:
    if not isinstance(operand.value, Const):
        raise PtxError.of("PTX406", f"immediate {operand.value} is not understood")
    return int(operand.value.value) & 0xFFFF


def _sext16(value: int) -> int:
    return (value ^ 0x8000) - 0x8000


def _immediate_op(inst: Inst) -> Op:
    """SOPK forms of two-operand instructions: the destination is also the first source."""
    target, last = inst.operands
    op = scalar_ops()[_WITH_IMMEDIATE[inst.mnemonic]]
    value = np.array([_sext16(_immediate(last)) & 0xFFFFFFFF], np.uint32)
    constant: Source = lambda st: value  # noqa: E731  # a one-line reader, like its neighbours
    read = scalar_source(target, Kind.B32)
    write = scalar_target(target, False)
    if inst.mnemonic == "s_movk_i32":
        return lambda st: write(st, value)
    if inst.mnemonic == "s_cmovk_i32":
        return _with_result(op, [constant, lambda st: st.scc, read], write)
    return _with_result(op, [read, constant], write)


def _compare_immediate(inst: Inst) -> Op:
    first, last = inst.operands
    op = scalar_ops()[inst.mnemonic.replace("s_cmpk_", "s_cmp_")]
    number = _immediate(last)
    if inst.mnemonic.endswith("i32"):
        number = _sext16(number) & 0xFFFFFFFF
    value = np.array([number], np.uint32)
    return _compare(op, [scalar_source(first, Kind.B32), lambda st: value])


# --- hardware registers

_HWREG = re.compile(r"hwreg\((?P<name>\w+)(?:, (?P<offset>\d+), (?P<size>\d+))?\)")


def hardware_register(operand: Operand) -> tuple[str, int, int]:
    """Name, first bit and width of a `hwreg(...)` operand."""
    text = operand.value.text if isinstance(operand.value, Words) else ""
    match = _HWREG.fullmatch(text)
    if match is None:
        raise PtxError.of("PTX406", f"hardware register {operand.value} is not understood")
    name = match["name"].replace("HW_REG_WAVE_", "HW_REG_")  # gfx12's spelling
    return name, int(match["offset"] or 0), int(match["size"] or 32)


_READABLE: dict[str, Callable[[State], np.ndarray[tuple[int], np.dtype[np.int64]]]] = {
    "HW_REG_MODE": lambda st: st.mode,
    "HW_REG_SHADER_CYCLES": lambda st: np.full(st.waves, st.clock & 0xFFFFF),
    "HW_REG_SHADER_CYCLES_LO": lambda st: np.full(st.waves, st.clock & 0xFFFFFFFF),
    "HW_REG_SHADER_CYCLES_HI": lambda st: np.full(st.waves, st.clock >> 32),
    "HW_REG_HW_ID": lambda st: np.zeros(st.waves, np.int64),
    "HW_REG_HW_ID1": lambda st: np.zeros(st.waves, np.int64),
    "HW_REG_HW_ID2": lambda st: np.zeros(st.waves, np.int64),
    "HW_REG_XCC_ID": lambda st: np.zeros(st.waves, np.int64),
    "HW_REG_IB_STS2": lambda st: np.zeros(st.waves, np.int64),  # no cluster
}
"""What can be read; identification registers say unit 0, as one compute unit would."""

_IGNORED_WRITES = frozenset({"HW_REG_FLAT_SCR_LO", "HW_REG_FLAT_SCR_HI", "HW_REG_SCHED_MODE"})
"""The emulator finds scratch by the wave, not by FLAT_SCRATCH."""


def _get_register(inst: Inst) -> Op:
    name, offset, size = hardware_register(inst.operands[1])
    write = scalar_target(inst.operands[0], False)
    read = _READABLE.get(name)
    if read is None:
        raise PtxError.of("PTX406", f"hardware register {name} is not emulated")
    keep = (1 << size) - 1
    return lambda st: write(st, (read(st) >> offset & keep).astype(np.uint32))


def _set_register(inst: Inst) -> Op:
    name, offset, size = hardware_register(inst.operands[0])
    if name in _IGNORED_WRITES:
        return lambda st: None
    if name != "HW_REG_MODE":
        raise PtxError.of("PTX406", f"writing hardware register {name} is not emulated")
    read = scalar_source(inst.operands[1], Kind.B32)
    keep = (1 << size) - 1

    def run(st: State) -> None:
        bits = (read(st) & np.uint32(keep)).astype(np.int64) << offset
        st.put_mode(st.mode & ~(keep << offset) | bits)

    return run


def _mode_field(shift: int) -> Callable[[Inst], Op]:
    """s_round_mode and s_denorm_mode write four bits of MODE."""

    def make(inst: Inst) -> Op:
        value = (_immediate(inst.operands[0]) & 15) << shift
        return lambda st: st.put_mode(st.mode & ~(15 << shift) | value)

    return make


def _clock(wide: bool) -> Callable[[Inst], Op]:
    def make(inst: Inst) -> Op:
        write = scalar_target(inst.operands[0], wide)
        dtype = np.uint64 if wide else np.uint32
        return lambda st: write(st, np.array([st.clock], dtype))

    return make


def _get_pc(inst: Inst) -> Op:
    write = scalar_target(inst.operands[0], True)
    after = np.array([inst.end], np.uint64)
    return lambda st: write(st, after)


def _nothing(inst: Inst) -> Op:
    return lambda st: None


def _send_message_return(inst: Inst) -> Op:
    """Doorbell, clock and the like: only the clock means something here."""
    write = scalar_target(inst.operands[0], inst.mnemonic.endswith("b64"))
    dtype = np.uint64 if inst.mnemonic.endswith("b64") else np.uint32
    timed = "REALTIME" in inst.text
    return lambda st: write(st, np.array([st.clock if timed else 0], dtype))


_SPECIAL: dict[str, Callable[[Inst], Op]] = {
    "s_getpc_b64": _get_pc,
    "s_get_pc_i64": _get_pc,
    "s_getreg_b32": _get_register,
    "s_setreg_b32": _set_register,
    "s_setreg_imm32_b32": _set_register,
    "s_round_mode": _mode_field(0),
    "s_denorm_mode": _mode_field(4),
    "s_memtime": _clock(True),
    "s_memrealtime": _clock(True),
    "s_get_shader_cycles_u64": _clock(True),
    "s_sendmsg_rtn_b32": _send_message_return,
    "s_sendmsg_rtn_b64": _send_message_return,
} | dict.fromkeys(
    (
        "s_nop",
        "s_set_vgpr_msb",
        "s_setprio",
        "s_sendmsg",
        "s_icache_inv",
        "s_dcache_inv",
        "s_dcache_inv_vol",
        "s_dcache_wb",
        "s_dcache_wb_vol",
        "s_gl1_inv",
        "s_clause",
        "s_delay_alu",
        "s_inst_prefetch",
        "s_set_inst_prefetch_distance",
        "s_waitcnt",
        "s_waitcnt_vscnt",
        "s_waitcnt_vmcnt",
        "s_waitcnt_expcnt",
        "s_waitcnt_lgkmcnt",
        "s_waitcnt_depctr",
        "s_wait_alu",
        "s_wait_idle",
        "s_wait_event",
        "s_wait_loadcnt",
        "s_wait_storecnt",
        "s_wait_samplecnt",
        "s_wait_bvhcnt",
        "s_wait_expcnt",
        "s_wait_dscnt",
        "s_wait_kmcnt",
        "s_wait_loadcnt_dscnt",
        "s_wait_storecnt_dscnt",
        "s_wait_xcnt",
        "s_wait_asynccnt",
        "s_wait_tensorcnt",
        "s_prefetch_inst",
        "s_prefetch_inst_pc_rel",
        "s_prefetch_data",
        "s_prefetch_data_pc_rel",
        "s_buffer_prefetch_data",
        "s_ttracedata",
        "s_ttracedata_imm",
        "s_incperflevel",
        "s_decperflevel",
        "s_wakeup",
        "s_version",
    ),
    _nothing,
)

# --- scalar floats (gfx11.5 and later) use the vector functions

_FLOAT = re.compile(r"s_(?P<base>\w+_(?:f16|f32|i32|u32))")


def _float_op(inst: Inst) -> Op | None:
    match = _FLOAT.fullmatch(inst.mnemonic)
    op = lookup("v_" + _VECTOR_NAMES.get(match["base"], match["base"])) if match else None
    if op is None:
        return None
    operands = list(inst.operands)
    target = None if op.dst[0] is Kind.MASK else operands.pop(0)
    if len(operands) != len(op.srcs):
        return None
    sources = [
        with_modifiers(scalar_source(o, k), o, k) for o, k in zip(operands, op.srcs, strict=True)
    ]
    if inst.mnemonic.startswith("s_cvt_hi_"):
        first = scalar_source(operands[0], Kind.B32)
        sources = [lambda st: (first(st) >> np.uint32(16)).astype(np.uint16)]
    return _run_float(op, target, sources)


_VECTOR_NAMES = {"cvt_hi_f32_f16": "cvt_f32_f16", "cvt_pk_rtz_f16_f32": "cvt_pkrtz_f16_f32"}


def _run_float(op: ValuOp, target: Operand | None, sources: list[Source]) -> Op:
    fn = op.fn
    if target is None:
        return lambda st: st.put_scc(fn(st.ctx, *[read(st) for read in sources]))
    if op.flags.reads_dst:
        sources = [*sources, scalar_source(target, op.dst[0])]
    wide = REGISTERS.get(op.dst[0], 1) == 2
    write = scalar_target(target, wide)
    dtype = np.uint64 if wide else np.uint32
    return lambda st: write(st, fn(st.ctx, *[read(st) for read in sources]).astype(dtype))
