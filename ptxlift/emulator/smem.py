"""Scalar memory loads.

Comes in: a decoded instruction. Goes out: a closure over a `State` and the launch's memory. It
must not know vector registers.
"""

from __future__ import annotations

import re

import numpy as np

from ptxlift.diag import PtxError
from ptxlift.emulator.access import Source, scalar_source
from ptxlift.emulator.addresses import offset_of
from ptxlift.emulator.memory import AccessFault, Memory
from ptxlift.emulator.operands import Const, File, Inst, Operand, Reg, Special
from ptxlift.emulator.state import State
from ptxlift.emulator.valu.kinds import Kind
from ptxlift.emulator.vmem import MemoryOp

_NAME = re.compile(r"s_(?P<buffer>buffer_)?load_(?P<what>dword(?:x(?P<count>\d+))?|[biu]\d+)")


def compile_smem(inst: Inst) -> MemoryOp | None:
    """The action of a scalar load, or None if the mnemonic is none."""
    match = _NAME.fullmatch(inst.mnemonic)
    if match is None:
        return None
    what = match["what"]
    bits = 32 * int(match["count"] or 1) if what.startswith("dword") else int(what[1:])
    target, base, *offsets = inst.operands
    if not isinstance(target.value, Reg) or not isinstance(base.value, Reg):
        raise PtxError.of("PTX406", f"unexpected operands: {inst.text}")
    where = _address(inst, base, offsets, bits // 8)
    return _load(inst, target.value.index, where, bits // 8, what.startswith("i"))


def _address(inst: Inst, base: Operand, offsets: list[Operand], size: int) -> Source:
    """Base plus offsets: immediates are signed, registers unsigned; the low bits do not count."""
    assert isinstance(base.value, Reg), "checked by the caller"
    start = scalar_source(Operand(Reg(File.S, base.value.index, 2)), Kind.B64)
    immediate = offset_of(inst)
    registers = []
    for offset in offsets:
        if isinstance(offset.value, Const):
            immediate += _signed(int(offset.value.value))
        elif offset.value is not Special.NULL:
            registers.append(scalar_source(offset, Kind.B32))
    total = np.uint64(immediate & 0xFFFFFFFFFFFFFFFF)
    keep = np.uint64(~(min(size, 4) - 1) & 0xFFFFFFFFFFFFFFFF)
    buffer = "buffer" in inst.mnemonic
    low48 = np.uint64(0xFFFFFFFFFFFF if buffer else 0xFFFFFFFFFFFFFFFF)

    def run(st: State) -> np.ndarray[tuple[int], np.dtype[np.uint64]]:
        address = (start(st) & low48) + total
        for register in registers:
            address = address + register(st).astype(np.uint64)
        return address & keep

    return run


def _signed(value: int) -> int:
    return value - (1 << 32) if value >= 1 << 31 else value


def _load(inst: Inst, index: int, where: Source, size: int, sign_extend: bool) -> MemoryOp:
    def run(st: State, memory: Memory) -> None:
        addresses = np.broadcast_to(where(st), (st.waves,))
        if not st.all_active:
            addresses = addresses[st.active]
        try:
            data = memory.load(addresses, size)
        except AccessFault as error:
            waves = np.flatnonzero(st.active)
            wave = st.describe_wave(int(waves[error.position]))
            raise PtxError.of(
                "PTX402",
                f"kernel {st.kernel}: {error.reason}, address {error.address:#x}, {wave},"
                f" instruction {inst.text!r}",
                hint=memory.describe(error.address),
            ) from None
        if size < 4:
            narrow = data.view(np.int8 if size == 1 else np.int16) if sign_extend else data
            data = narrow.astype(np.int32).view(np.uint32)[None]
        if st.all_active:
            st.scalars[:, index : index + len(data)] = data.T
        else:
            st.scalars[st.active, index : index + len(data)] = data.T

    return run
