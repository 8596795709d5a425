"""Vector ALU instructions: operands, source selection, modifiers and masked results around `valu`.

Comes in: a decoded instruction. Goes out: a closure over a `State`. What an operation computes is
in `valu`; which lane reads which is in `lanes`. It must not know memory or control flow.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ptxlift.diag import PtxError
from ptxlift.emulator import valu
from ptxlift.emulator.access import Source, raw_source, row_list, with_modifiers, write_rows
from ptxlift.emulator.lanes import LANE_OPS, dpp_map
from ptxlift.emulator.operands import EXEC, VCC, Const, File, Form, Inst, Operand, Reg, Special
from ptxlift.emulator.salu import Op
from ptxlift.emulator.state import State
from ptxlift.emulator.valu import ValuOp, lookup
from ptxlift.emulator.valu.kinds import FLOATS, HALVES, REGISTERS, Bits, Kind
from ptxlift.records import dataclass

Compute: TypeAlias = Callable[[State], Any]  # one array, or a tuple of them
Write: TypeAlias = Callable[[State, Any], None]
LaneMask: TypeAlias = Callable[[State], NDArray[np.bool_] | None]

_KEEP_HIGH_ON_GFX9 = (
    "v_mad_f16",
    "v_fma_f16",
    "v_div_fixup_f16",
    "v_mad_u16",
    "v_mad_i16",
    "v_fma_mix",
    "v_mad_mix",
    "v_cvt_pk_fp8",
    "v_cvt_pk_bf8",
    "v_cvt_sr",
    "v_cvt_scalef32",
)
"""16-bit operations that keep the other half on gfx9 as all do from gfx10 on; the rest clear it."""

_ALIASES = {
    "v_bitop2_b32": "v_bitop3_b32",
    "v_s_exp_f32": "v_exp_f32",
    "v_s_log_f32": "v_log_f32",
    "v_s_rcp_f32": "v_rcp_f32",
    "v_s_rsq_f32": "v_rsq_f32",
    "v_s_sqrt_f32": "v_sqrt_f32",
    "v_s_exp_f16": "v_exp_f16",
    "v_s_log_f16": "v_log_f16",
    "v_s_rcp_f16": "v_rcp_f16",
    "v_s_rsq_f16": "v_rsq_f16",
    "v_s_sqrt_f16": "v_sqrt_f16",
}
"""Transcendentals with a scalar destination compute as the vector ones; bitop2 is bitop3 of 0."""


@dataclass(frozen=True, slots=True)
class Parts:
    """An instruction as two steps, so that a VOPD pair can read everything before it writes."""

    compute: Compute
    write: Write


def compile_valu(inst: Inst, major: int, lanes: int) -> Op | None:
    """The action of a vector ALU instruction, or None if its mnemonic is unknown."""
    if inst.mnemonic in LANE_OPS:
        return LANE_OPS[inst.mnemonic](inst)
    parts = valu_parts(inst, major, lanes)
    if parts is None:
        return None
    compute, write = parts.compute, parts.write
    return lambda st: write(st, compute(st))


def compile_pair(first: Inst, second: Inst, major: int, lanes: int) -> Op | None:
    """A VOPD pair: both halves read before either writes."""
    x, y = valu_parts(first, major, lanes), valu_parts(second, major, lanes)
    if x is None or y is None:
        return None

    def run(st: State) -> None:
        a = x.compute(st)
        b = y.compute(st)
        b = b if b.base is None else b.copy()  # a move gives a view of a register
        x.write(st, a)
        y.write(st, b)

    return run


def find_op(mnemonic: str) -> ValuOp | None:
    """The operation behind a mnemonic, with v_cmpx and v_dual read as their plain forms."""
    name = mnemonic.replace("v_cmpx_", "v_cmp_").replace("v_dual_", "v_")
    return lookup(_ALIASES.get(name, name))


def valu_parts(inst: Inst, major: int, lanes: int) -> Parts | None:
    """Compute and write steps of one instruction."""
    op = find_op(inst.mnemonic)
    if op is None:
        return None
    targets, sources = _split_operands(inst, op)
    lane_map = dpp_map(inst, lanes)
    written: LaneMask | None = None
    reads = []
    for position, (operand, kind) in enumerate(zip(sources, op.srcs, strict=True)):
        raw = raw_source(operand, kind, _constant_kind(inst, kind, position))
        if lane_map is not None and position == 0:
            raw, written = lane_map.apply(raw)
        read = _select(inst, raw, kind, position, operand)
        whole = op.flags.packed and kind not in FLOATS  # negated by neg_lo and neg_hi instead
        reads.append(read if whole else with_modifiers(read, operand, kind))
    if op.flags.implicit_vcc:
        reads.append(lambda st: st.get_mask(VCC))
    if op.flags.reads_dst:
        reads.append(_old_destination(inst, targets[0], op.dst[0]))
    compute = _finish(inst, op, _call(op, reads, _keywords(inst, op, sources)))
    return Parts(compute, _writers(inst, op, targets, written, major))


def _split_operands(inst: Inst, op: ValuOp) -> tuple[list[Operand], list[Operand]]:
    """Destinations and sources; operands that the text leaves out are added."""
    operands = list(inst.operands)
    exec_mask = Operand(Reg(File.S, EXEC, 2))
    if inst.mnemonic.startswith("v_cmpx_"):
        if len(operands) == len(op.srcs):  # gfx10 on: EXEC only
            return [exec_mask], operands
        return [operands[0], exec_mask], operands[1:]
    targets, sources = operands[: len(op.dst)], operands[len(op.dst) :]
    if inst.mnemonic == "v_dual_bitop2_b32":
        sources.append(Operand(Const(0, Form.INTEGER)))
    if len(sources) == len(op.srcs) - 1 and op.srcs[-1] is Kind.MASK:
        sources.append(Operand(Reg(File.S, VCC, 2)))
    if len(sources) != len(op.srcs):
        raise PtxError.of("PTX406", f"unexpected operands: {inst.text}")
    return targets, sources


# --- sources


def _constant_kind(inst: Inst, kind: Kind, position: int) -> Kind:
    """The kind in which an inline constant is encoded, where it is not the operand's own."""
    if "_mix" in inst.mnemonic:  # each source is f16 or f32 by its op_sel_hi bit
        half = inst.modifiers.get("op_sel_hi")
        return Kind.F16 if isinstance(half, tuple) and half[position] else Kind.F32
    if kind is Kind.P16 and "bf16" in inst.mnemonic:
        return Kind.BF16
    return kind


_SELECTORS: dict[str, tuple[int, int]] = {
    "BYTE_0": (0, 8),
    "BYTE_1": (8, 8),
    "BYTE_2": (16, 8),
    "BYTE_3": (24, 8),
    "WORD_0": (0, 16),
    "WORD_1": (16, 16),
    "DWORD": (0, 32),
}
"""SDWA selections: first bit and width."""


def _op_sel(inst: Inst, position: int) -> bool:
    value = inst.modifiers.get("op_sel")
    return isinstance(value, tuple) and position < len(value) and bool(value[position])


def _select(inst: Inst, raw: Source, kind: Kind, position: int, operand: Operand) -> Source:
    """From whole registers to the part that is the operand."""
    selector = inst.modifiers.get(f"src{position}_sel")
    if inst.suffix == "sdwa" and isinstance(selector, str) and kind is not Kind.MASK:
        raw = _sdwa_source(raw, selector, operand.sext)
    half = operand.value.half if isinstance(operand.value, Reg) else None
    if kind is Kind.B32 and half is not None:  # the shift of v_alignbit_b32 is 16 bits wide
        shift = np.uint32(16 * half)
        return lambda st: raw(st) >> shift & np.uint32(0xFFFF)
    if kind not in HALVES:
        return raw
    if _op_sel(inst, position) or half == 1:
        return lambda st: (raw(st) >> np.uint32(16)).astype(np.uint16)
    return lambda st: raw(st).astype(np.uint16)


def _sdwa_source(raw: Source, selector: str, sign_extend: bool) -> Source:
    start, width = _SELECTORS[selector]
    up = np.uint32(32 - start - width)
    down = np.uint32(32 - width)
    if sign_extend:
        return lambda st: ((raw(st) << up).view(np.int32) >> np.int32(down)).view(np.uint32)
    if width == 32:
        return raw
    return lambda st: raw(st) << up >> down


def _old_destination(inst: Inst, target: Operand, kind: Kind) -> Source:
    """The destination's old value, which fmac-like operations read."""
    raw = raw_source(target, kind)
    if kind not in HALVES:
        return raw
    high = _writes_high(inst, target)
    return lambda st: (raw(st) >> np.uint32(16) if high else raw(st)).astype(np.uint16)


def _writes_high(inst: Inst, target: Operand) -> bool:
    """Whether a 16-bit result goes to the upper half: `.h`, or op_sel's bit after the sources."""
    if isinstance(target.value, Reg) and target.value.half is not None:
        return target.value.half == 1
    value = inst.modifiers.get("op_sel")
    return isinstance(value, tuple) and len(value) > 1 and bool(value[-1])


# --- the call

_PACKED_DEFAULTS = {"op_sel": 0, "op_sel_hi": 1, "neg_lo": 0, "neg_hi": 0}


def _keywords(inst: Inst, op: ValuOp, sources: list[Operand]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name in op.flags.keywords:
        found[name] = int(str(inst.modifiers.get(name, 0)), 0)
    if op.flags.int_clamp:
        found["clamp"] = "clamp" in inst.modifiers
    if op.flags.packed:
        found |= _packed_keywords(inst, sources)
    return found


def _packed_keywords(inst: Inst, sources: list[Operand]) -> dict[str, Any]:
    """op_sel and its kin: a bool a source, then those for the destination.

    Mixed-precision forms print neg and abs instead.
    """
    mixed = "_mix" in inst.mnemonic
    found: dict[str, Any] = {}
    for name, default in _PACKED_DEFAULTS.items():
        value = inst.modifiers.get(name)
        if not isinstance(value, tuple):
            value = (0 if mixed else default,) * len(sources)
        found[name] = tuple(bool(bit) for bit in value)
    if mixed:
        found["neg_lo"] = tuple(source.neg for source in sources)
        found["neg_hi"] = tuple(source.abs for source in sources)
    return found


def _call(op: ValuOp, reads: list[Source], keywords: dict[str, Any]) -> Compute:
    """One call of the operation; the common arities are spelled out for speed."""
    fn = op.fn
    if keywords:
        return lambda st: fn(st.ctx, *[read(st) for read in reads], **keywords)
    if len(reads) == 1:
        (a,) = reads
        return lambda st: fn(st.ctx, a(st))
    if len(reads) == 2:
        a, b = reads
        return lambda st: fn(st.ctx, a(st), b(st))
    if len(reads) == 3:
        a, b, c = reads
        return lambda st: fn(st.ctx, a(st), b(st), c(st))
    return lambda st: fn(st.ctx, *[read(st) for read in reads])


_OUTPUT_SCALE = {("mul", 2): 1, ("mul", 4): 2, ("div", 2): 3}
"""omod's encoding of the text modifiers."""


def _finish(inst: Inst, op: ValuOp, compute: Compute) -> Compute:
    """Apply the output modifiers omod, then clamp."""
    kind = op.dst[0]
    steps: list[Callable[[State, Bits], Bits]] = []
    scales = [o for (key, n), o in _OUTPUT_SCALE.items() if inst.modifiers.get(key) == n]
    if scales:
        steps.append(lambda st, bits: valu.apply_omod(kind, bits, scales[0], st.ctx))
    if "clamp" in inst.modifiers and not op.flags.int_clamp:
        signed = op.flags.signed
        steps.append(lambda st, bits: valu.apply_clamp(kind, bits, signed, st.ctx))
    if not steps:
        return compute

    def run(st: State) -> Any:
        result = compute(st)
        first, *rest = result if isinstance(result, tuple) else (result,)
        for step in steps:
            first = step(st, first)
        return (first, *rest) if rest else first

    return run


# --- results


def _writers(
    inst: Inst, op: ValuOp, targets: list[Operand], written: LaneMask | None, major: int
) -> Write:
    if inst.mnemonic.startswith("v_cmpx_"):
        return _write_exec(targets, written)
    writers = [
        _write_mask(target, written)
        if kind is Kind.MASK
        else _write_value(inst, target, kind, written, major)
        for target, kind in zip(targets, op.dst, strict=True)
    ]
    if len(writers) == 1:
        return writers[0]

    def write(st: State, results: Any) -> None:
        kept = [r if r.base is None else r.copy() for r in results]
        for one, result in zip(writers, kept, strict=True):
            one(st, result)

    return write


def _lanes_to_write(st: State, written: LaneMask | None) -> NDArray[np.bool_] | None:
    """EXEC and DPP's row, bank and validity masks; None means every lane."""
    extra = written(st) if written is not None else None
    if extra is None:
        return None if st.full else st.mask
    return st.mask & extra


def _write_mask(target: Operand, written: LaneMask | None) -> Write:
    if target.value is Special.NULL:
        return lambda st, bits: None
    if not isinstance(target.value, Reg) or target.value.file is not File.S:
        raise PtxError.of("PTX406", f"lane mask destination {target.value} is not understood")
    row = target.value.index
    to_exec = row == EXEC

    def write(st: State, bits: Bits) -> None:
        extra = written(st) if written is not None else None
        st.put_mask(row, bits if extra is None else bits & extra)
        if to_exec:
            st.refresh()

    return write


def _write_exec(targets: list[Operand], written: LaneMask | None) -> Write:
    writers = [_write_mask(target, written) for target in targets]

    def write(st: State, bits: Bits) -> None:
        for one in writers:
            one(st, bits)

    return write


def _write_value(
    inst: Inst, target: Operand, kind: Kind, written: LaneMask | None, major: int
) -> Write:
    reg = target.value
    if reg is Special.NULL:
        return lambda st, bits: None
    if not isinstance(reg, Reg):
        raise PtxError.of("PTX406", f"vector destination {reg} is not understood")
    if reg.file is File.S:
        return _write_scalar(reg)
    count = REGISTERS.get(kind, 1)
    if inst.suffix == "sdwa" and count == 1:
        return _write_sdwa(inst, reg, written)
    if kind in HALVES:
        return _write_half(inst, target, reg, written, major)
    if count == 1 and written is None and reg.file is File.V:
        index = reg.index
        return lambda st, bits: st.put_v(st.v[index], bits)
    return lambda st, bits: write_rows(st, reg, count, bits, _lanes_to_write(st, written))


def _write_scalar(reg: Reg) -> Write:
    """A vector operation with a scalar result: all lanes agree, the first is taken."""
    row = reg.index
    return lambda st, bits: st.put_s32(row, bits[:, 0].astype(np.uint32))


def _write_half(
    inst: Inst, target: Operand, reg: Reg, written: LaneMask | None, major: int
) -> Write:
    high = _writes_high(inst, target)
    index = reg.index
    clears = major == 9 and not high and not inst.mnemonic.startswith(_KEEP_HIGH_ON_GFX9)
    if clears and "op_sel" not in inst.modifiers:
        return lambda st, bits: write_rows(
            st, reg, 1, bits.astype(np.uint32), _lanes_to_write(st, written)
        )

    def write(st: State, bits: Bits) -> None:
        halves = row_list(st, reg)[index].view(np.uint16)[:, int(high) :: 2]
        mask = _lanes_to_write(st, written)
        np.copyto(halves, bits, where=True if mask is None else mask, casting="unsafe")

    return write


def _write_sdwa(inst: Inst, reg: Reg, written: LaneMask | None) -> Write:
    start, width = _SELECTORS[str(inst.modifiers.get("dst_sel", "DWORD"))]
    unused = str(inst.modifiers.get("dst_unused", "UNUSED_PAD"))
    field = np.uint32(((1 << width) - 1) << start)
    up = np.uint32(32 - width)
    down = np.int32(32 - width - start)
    above = np.uint32(0xFFFFFFFF << start & 0xFFFFFFFF)

    def write(st: State, bits: Bits) -> None:
        old = row_list(st, reg)[reg.index]
        placed = bits.astype(np.uint32) << np.uint32(start) & field
        if unused == "UNUSED_PRESERVE":
            placed = placed | old & ~field
        elif unused == "UNUSED_SEXT":
            wide = (bits.astype(np.uint32) << up).view(np.int32)
            placed = (wide >> down).view(np.uint32) & above
        write_rows(st, reg, 1, placed, _lanes_to_write(st, written))

    return write
