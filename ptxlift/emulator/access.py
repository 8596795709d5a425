"""From an operand to functions that read or write it.

Comes in: an operand and the kind in which it is wanted. Goes out: closures over a `State`, made
once when an instruction is decoded. It must not know what instructions do with the values.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ptxlift.diag import PtxError
from ptxlift.emulator.operands import (
    EXEC,
    VCC,
    Const,
    File,
    Form,
    Operand,
    Reg,
    Special,
)
from ptxlift.emulator.state import State
from ptxlift.emulator.valu.kinds import DTYPES, HALVES, REGISTERS, Bits, Kind

Source: TypeAlias = Callable[[State], Bits]
Target: TypeAlias = Callable[[State, Bits], None]

SHARED_HIGH = 0x0001_0000
PRIVATE_HIGH = 0x0002_0000
"""High halves of the flat addresses of LDS and scratch."""

LANE_SCRATCH_HIGH = 0x0400_0000
LANE_SHIFT = 20
"""On gfx1250 a flat address of scratch also names the lane, in bits from 52 on."""

_APERTURES: dict[Special, int] = {
    Special.SHARED_BASE: SHARED_HIGH << 32,
    Special.SHARED_LIMIT: SHARED_HIGH << 32 | 0xFFFFFFFF,
    Special.PRIVATE_BASE: PRIVATE_HIGH << 32,
    Special.PRIVATE_LIMIT: PRIVATE_HIGH << 32 | 0xFFFFFFFF,
}

_FORMATS: dict[Kind, str] = {
    Kind.B16: "<e",
    Kind.F16: "<e",
    Kind.P16: "<e",
    Kind.F64: "<d",
    Kind.B64: "<d",
}
"""How an inline float constant is encoded; <f where absent."""

WIDTHS: dict[Kind, int] = {kind: 8 * np.dtype(dtype).itemsize for kind, dtype in DTYPES.items()}


def constant_bits(constant: Const, kind: Kind) -> int:
    """The bits that a constant has as an operand of a kind."""
    width = WIDTHS[kind]
    if constant.form is Form.FLOAT:
        if kind is Kind.BF16:
            return int.from_bytes(struct.pack("<f", constant.value), "little") >> 16
        return int.from_bytes(struct.pack(_FORMATS.get(kind, "<f"), constant.value), "little")
    value = int(constant.value)
    if constant.form is Form.LITERAL and kind is Kind.F64 and value >> 32 == 0:
        value <<= 32  # a 32-bit literal is the high half of a double
    return value & (1 << width) - 1


def fixed(value: int, kind: Kind) -> NDArray[Any]:
    """A constant as an array that broadcasts over waves and lanes."""
    return np.array([[value]], DTYPES[kind])


# --- scalar instructions: arrays of shape (waves,) or (1,)


def scalar_source(operand: Operand, kind: Kind) -> Source:
    """Read an operand of a scalar instruction; `kind` is 16, 32 or 64 bits wide."""
    value = operand.value
    wide = WIDTHS[kind] == 64
    if isinstance(value, Const):
        return _always(np.array([constant_bits(value, kind)], DTYPES[kind]))
    if isinstance(value, Special):
        return _special_source(value, kind)
    if not isinstance(value, Reg) or value.file is not File.S:
        raise PtxError.of("PTX406", f"scalar operand {value} is not understood")
    if wide:
        pair = value.index >> 1
        return lambda st: st.s64[pair]
    row = value.index
    if kind in HALVES:
        return lambda st: st.s32[row].astype(np.uint16)
    return lambda st: st.s32[row]


def _always(value: NDArray[Any]) -> Source:
    return lambda st: value


def _special_source(special: Special, kind: Kind) -> Source:
    dtype = DTYPES[kind]
    if special in _APERTURES:
        # read as 32 bits, the register gives the low half, which is 0 for a base
        value = _APERTURES[special]
        return _always(np.array([value & (1 << WIDTHS[kind]) - 1], dtype))
    if special is Special.NULL:
        return _always(np.zeros(1, dtype))
    if special is Special.SCC:
        return lambda st: st.scc.astype(dtype)
    if special is Special.VCCZ:
        return lambda st: _is_zero(st, VCC).astype(dtype)
    if special is Special.EXECZ:
        return lambda st: _is_zero(st, EXEC).astype(dtype)
    raise PtxError.of("PTX406", f"operand {special.value} is not understood")


def _is_zero(st: State, row: int) -> NDArray[np.bool_]:
    bits: NDArray[Any] = st.s64[row >> 1] if st.lanes == 64 else st.s32[row]
    zero: NDArray[np.bool_] = np.equal(bits, 0)
    return zero


vcc_is_zero = _is_zero


def scalar_target(operand: Operand, wide: bool) -> Target:
    """Write the destination of a scalar instruction."""
    value = operand.value
    if value is Special.NULL:
        return lambda st, bits: None
    if not isinstance(value, Reg) or value.file is not File.S:
        raise PtxError.of("PTX406", f"scalar destination {value} is not understood")
    row = value.index
    if row in (EXEC, EXEC + 1):
        return _exec_target(row, wide)
    if wide:
        return lambda st, bits: st.put_s64(row, bits)
    return lambda st, bits: st.put_s32(row, bits)


def _exec_target(row: int, wide: bool) -> Target:
    def write(st: State, bits: Bits) -> None:
        if wide:
            st.put_s64(row, bits)
        else:
            st.put_s32(row, bits)
        st.refresh()

    return write


# --- vector instructions: arrays of shape (waves or 1, lanes or 1)


def raw_source(operand: Operand, kind: Kind, constant_kind: Kind | None = None) -> Source:
    """Read a vector operand's whole registers, before half selection and modifiers.

    `constant_kind` says how a constant is encoded where that is not the operand's kind.
    """
    value = operand.value
    count = REGISTERS.get(kind, 1)
    if kind is Kind.MASK:
        return mask_source(operand)
    whole = kind if count > 1 else Kind.B32
    if isinstance(value, Const):
        return _always(fixed(constant_bits(value, constant_kind or kind), whole))
    if isinstance(value, Special):
        read = _special_source(value, whole)
        return lambda st: read(st)[:, None]
    if not isinstance(value, Reg):
        raise PtxError.of("PTX406", f"vector operand {value} is not understood")
    if value.file is File.S:
        return _scalar_register(value.index, count)
    return _vector_register(value, count)


def _scalar_register(row: int, count: int) -> Source:
    if count == 1:
        return lambda st: st.c32[row]
    if count == 2:
        return lambda st: st.c64[row >> 1]
    return lambda st: st.scalars[:, None, row : row + count]


def _vector_register(reg: Reg, count: int) -> Source:
    index = reg.index
    accumulators = reg.file is File.A
    if count == 1 and accumulators:
        return lambda st: st.a[index]
    if count == 1:
        return lambda st: st.v[index]
    if count == 2:
        return lambda st: st.pair(st.a if accumulators else st.v, index)
    return lambda st: np.stack((st.a if accumulators else st.v)[index : index + count], axis=-1)


def mask_source(operand: Operand) -> Source:
    """Read a lane mask from scalar registers or a constant."""
    value = operand.value
    if isinstance(value, Reg) and value.file is File.S:
        row = value.index
        return lambda st: st.get_mask(row)
    if isinstance(value, Const) and value.value in (0, -1):
        return _always(np.array([[value.value == -1]]))
    if value is Special.NULL:
        return _always(np.array([[False]]))
    raise PtxError.of("PTX406", f"lane mask operand {value} is not understood")


def with_modifiers(read: Source, operand: Operand, kind: Kind) -> Source:
    """Apply abs, then neg, to the sign bit of a value of a kind."""
    if not (operand.neg or operand.abs):
        return read
    sign: Bits = fixed(1 << WIDTHS[kind] - 1, kind)
    keep: Bits = ~sign
    if operand.abs and operand.neg:
        return lambda st: read(st) | sign
    if operand.abs:
        return lambda st: read(st) & keep
    return lambda st: read(st) ^ sign


def row_list(st: State, reg: Reg) -> list[NDArray[np.uint32]]:
    """The register file a vector register belongs to."""
    return st.a if reg.file is File.A else st.v


def write_rows(st: State, reg: Reg, count: int, bits: Bits, mask: Bits | None) -> None:
    """Write one or more whole vector registers where `mask` (all lanes if None) says so."""
    rows = row_list(st, reg)
    if count == 1:
        if mask is None:
            rows[reg.index][...] = bits
        else:
            np.copyto(rows[reg.index], bits, where=mask, casting="unsafe")
        return
    if count == 2:
        wide = np.empty((st.waves, st.lanes), np.uint64)
        wide[...] = bits
        words = wide.view(np.uint32).reshape(st.waves, st.lanes, 2)
    else:
        words = np.broadcast_to(bits, (st.waves, st.lanes, count))
    for step in range(count):
        np.copyto(rows[reg.index + step], words[..., step], where=True if mask is None else mask)
