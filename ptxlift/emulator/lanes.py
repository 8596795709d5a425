"""Which lane reads which: DPP controls, lane moves between registers, and permutations.

Comes in: decoded instructions. Goes out: lane maps, and closures for instructions that cross
lanes. It must not know arithmetic.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from ptxlift.diag import PtxError
from ptxlift.emulator.access import Source, raw_source, scalar_target
from ptxlift.emulator.operands import Inst, Modifier, Operand, Reg
from ptxlift.emulator.salu import Op
from ptxlift.emulator.scalar_ops import popcount
from ptxlift.emulator.state import State
from ptxlift.emulator.valu.kinds import Bits, Kind
from ptxlift.records import dataclass

Lanes = NDArray[np.intp]


@dataclass(frozen=True, slots=True)
class LaneMap:
    """`source[i]` is the lane that lane i reads where `valid[i]`; `written` are rows and banks."""

    source: Lanes
    valid: NDArray[np.bool_]
    written: NDArray[np.bool_]
    zero_invalid: bool  # bound_ctrl: an invalid source reads 0, else the lane is not written
    fetch_inactive: bool

    def apply(self, read: Source) -> tuple[Source, Callable[[State], NDArray[np.bool_] | None]]:
        """The permuted source, and the lanes to write (None: all that EXEC allows)."""
        source = self.source
        row_bank = None if self.written.all() else self.written[None, :]

        def valid(st: State) -> NDArray[np.bool_] | None:
            if self.fetch_inactive or st.full:
                return None if self.valid.all() else self.valid[None, :]
            found: NDArray[np.bool_] = st.mask[:, source] & self.valid
            return found

        def permuted(st: State) -> NDArray[np.generic]:
            bits = read(st)
            if bits.shape[1] == 1:
                bits = np.broadcast_to(bits, (bits.shape[0], st.lanes))
            moved = bits[:, source]
            good = valid(st) if self.zero_invalid else None
            return moved if good is None else np.where(good, moved, moved.dtype.type(0))

        def lanes(st: State) -> NDArray[np.bool_] | None:
            good = None if self.zero_invalid else valid(st)
            if good is None or row_bank is None:
                return row_bank if good is None else good
            return good & row_bank

        return permuted, lanes


_DPP_KEYS = (
    "quad_perm",
    "row_shl",
    "row_shr",
    "row_ror",
    "row_mirror",
    "row_half_mirror",
    "row_bcast",
    "row_share",
    "row_newbcast",
    "row_xmask",
    "wave_shl",
    "wave_shr",
    "wave_rol",
    "wave_ror",
    "dpp8",
)


def dpp_map(inst: Inst, lanes: int) -> LaneMap | None:
    """The lane map of an instruction's DPP control, if it has one."""
    modifiers = inst.modifiers
    key = next((k for k in _DPP_KEYS if k in modifiers), None)
    if key is None:
        return None
    lane = np.arange(lanes)
    source, valid = _dpp_source(key, modifiers[key], lane, lanes)
    rows, banks = _mask(modifiers, "row_mask"), _mask(modifiers, "bank_mask")
    written = (rows >> (lane >> 4) & 1 & (banks >> (lane >> 2 & 3))).astype(np.bool_)
    return LaneMap(
        np.where(valid, source, 0),
        valid,
        written,
        bool(modifiers.get("bound_ctrl", 0)) or key == "dpp8",
        bool(modifiers.get("fi", 0)),
    )


def _mask(modifiers: dict[str, Modifier], key: str) -> int:
    value = modifiers.get(key, 15)
    assert isinstance(value, int), "row_mask and bank_mask are numbers"
    return value


def _dpp_source(
    key: str, value: Modifier, lane: Lanes, lanes: int
) -> tuple[Lanes, NDArray[np.bool_]]:
    everywhere = np.ones(lanes, np.bool_)
    row, at = lane & ~15, lane & 15
    if isinstance(value, tuple):
        size = len(value)  # 4 for quad_perm, 8 for dpp8
        return (lane & ~(size - 1)) + np.array(value)[lane & size - 1], everywhere
    n = int(value)
    if key == "row_shl":
        return lane + n, at + n < 16
    if key == "row_shr":
        return lane - n, at >= n
    if key == "row_bcast":
        return (row - 1, lane >= 16) if n == 15 else (np.full(lanes, 31), lane >= 32)
    if key in ("wave_shl", "wave_shr"):
        source = lane + (n if key == "wave_shl" else -n)
        return source, (source >= 0) & (source < lanes)
    wrapped = {
        "row_ror": row + (at - n & 15),
        "row_mirror": lane ^ 15,
        "row_half_mirror": lane ^ 7,
        "row_share": row + n,
        "row_newbcast": row + n,
        "row_xmask": lane ^ n,
        "wave_rol": lane + n & lanes - 1,
        "wave_ror": lane - n & lanes - 1,
    }
    return wrapped[key], everywhere


# --- instructions


def _vector(operand: Operand) -> Reg:
    if not isinstance(operand.value, Reg):
        raise PtxError.of("PTX406", f"vector register expected, not {operand.value}")
    return operand.value


def _read_lane(inst: Inst) -> Op:
    write = scalar_target(inst.operands[0], False)
    read = raw_source(inst.operands[1], Kind.B32)
    select = raw_source(inst.operands[2], Kind.B32)

    def run(st: State) -> None:
        lane = select(st)[:, 0] & np.uint32(st.lanes - 1)
        write(st, np.broadcast_to(read(st), (st.waves, st.lanes))[st.wave_index, lane])

    return run


def _read_first_lane(inst: Inst) -> Op:
    write = scalar_target(inst.operands[0], False)
    read = raw_source(inst.operands[1], Kind.B32)

    def run(st: State) -> None:
        bits = np.broadcast_to(read(st), (st.waves, st.lanes))
        write(st, bits[st.wave_index, st.first_lane()])

    return run


def _write_lane(inst: Inst) -> Op:
    """Writes one lane whatever EXEC says."""
    index = _vector(inst.operands[0]).index
    read = raw_source(inst.operands[1], Kind.B32)
    select = raw_source(inst.operands[2], Kind.B32)

    def run(st: State) -> None:
        lane = np.broadcast_to(select(st)[:, 0] & np.uint32(st.lanes - 1), (st.waves,))
        bits = np.broadcast_to(read(st)[:, 0], (st.waves,))
        waves = np.flatnonzero(st.active)
        st.v[index][waves, lane[waves]] = bits[waves]

    return run


def _mbcnt(high: bool) -> Callable[[Inst], Op]:
    """Count the mask's bits below the own lane, in the low or high word."""

    def make(inst: Inst) -> Op:
        index = _vector(inst.operands[0]).index
        mask = raw_source(inst.operands[1], Kind.B32)
        base = raw_source(inst.operands[2], Kind.B32)

        def run(st: State) -> None:
            lane = st.lane_index.astype(np.int64)
            below = np.clip(lane - 32 if high else lane, 0, 32)
            bits = mask(st) & ((np.int64(1) << below) - 1).astype(np.uint32)
            st.put_v(st.v[index], popcount(bits) + base(st))

        return run

    return make


def _swap(inst: Inst) -> Op:
    first, second = (_vector(o).index for o in inst.operands)

    def run(st: State) -> None:
        kept = st.v[first].copy()
        st.put_v(st.v[first], st.v[second])
        st.put_v(st.v[second], kept)

    return run


def _permlane16(cross: bool, from_vector: bool) -> Callable[[Inst], Op]:
    """Selectors are nibbles of two scalars, or the low bits of a vector register (_var)."""

    def make(inst: Inst) -> Op:
        index = _vector(inst.operands[0]).index
        reads = [raw_source(o, Kind.B32) for o in inst.operands[1:]]
        op_sel = inst.modifiers.get("op_sel", (0, 0))
        fetch_inactive, zero = op_sel[:2] if isinstance(op_sel, tuple) else (0, 0)

        def run(st: State) -> None:
            lane = st.lane_index.astype(np.int64)
            select: Bits
            if from_vector:
                select = reads[1](st) & np.uint32(15)
            else:
                nibbles = np.where(lane & 8, reads[2](st), reads[1](st))
                select = nibbles >> (4 * (lane & 7)).astype(np.uint32) & np.uint32(15)
            row = lane & ~15 ^ (16 if cross else 0)
            source = np.broadcast_to(row + select, (st.waves, st.lanes))
            _move(st, index, reads[0](st), source, bool(fetch_inactive), bool(zero))

        return run

    return make


def _move(
    st: State, index: int, bits: NDArray[np.uint32], source: Lanes, fetch: bool, zero: bool
) -> None:
    """Write `bits` of lane `source` to every lane; inactive sources read 0 or leave the lane."""
    bits = np.broadcast_to(bits, (st.waves, st.lanes))
    moved = np.take_along_axis(bits, source, axis=1)
    if fetch or st.full:
        st.put_v(st.v[index], moved)
        return
    good = np.take_along_axis(st.mask, source, axis=1)
    if zero:
        st.put_v(st.v[index], np.where(good, moved, np.uint32(0)))
    else:
        np.copyto(st.v[index], moved, where=good & st.mask)


def _permlane64(inst: Inst) -> Op:
    index = _vector(inst.operands[0]).index
    read = raw_source(inst.operands[1], Kind.B32)

    def run(st: State) -> None:
        bits = np.broadcast_to(read(st), (st.waves, st.lanes))
        st.put_v(st.v[index], np.roll(bits, 32, axis=1) if st.lanes == 64 else bits)

    return run


def _permlane_swap(rows: int) -> Callable[[Inst], Op]:
    """Exchange the odd groups of `rows` lanes of the first with the even ones of the second."""

    def make(inst: Inst) -> Op:
        first, second = (_vector(o).index for o in inst.operands[:2])

        def run(st: State) -> None:
            x, y = st.v[first].copy(), st.v[second].copy()
            odd = (st.lane_index & np.uint32(rows)) != 0
            st.put_v(st.v[first], np.where(odd, np.roll(y, rows, axis=1), x))
            st.put_v(st.v[second], np.where(odd, y, np.roll(x, -rows, axis=1)))

        return run

    return make


def _permlane_width(kind: str) -> Callable[[Inst], Op]:
    """gfx1250's bcast, up, down, xor inside groups of `width` lanes, which is a power of two.

    Out of the group a lane reads its own value, as AMD's HIP header relies on.
    """

    def make(inst: Inst) -> Op:
        index = _vector(inst.operands[0]).index
        read, select, width = (raw_source(o, Kind.B32) for o in inst.operands[1:4])

        def run(st: State) -> None:
            lane = st.lane_index.astype(np.int64)
            n = select(st).astype(np.int64)
            size = np.maximum(width(st).astype(np.int64), 1)
            group = lane & ~(size - 1)
            source = {
                "bcast": group + n,
                "up": lane - n,
                "down": lane + n,
                "xor": lane ^ n,
            }[kind]
            inside = (source >= group) & (source < group + size)
            source = np.broadcast_to(np.where(inside, source, lane), (st.waves, st.lanes))
            _move(st, index, read(st), source, False, True)

        return run

    return make


def _nothing(inst: Inst) -> Op:
    return lambda st: None


LANE_OPS: dict[str, Callable[[Inst], Op]] = {
    "v_nop": _nothing,
    "v_pipeflush": _nothing,
    "v_readlane_b32": _read_lane,
    "v_readfirstlane_b32": _read_first_lane,
    "v_writelane_b32": _write_lane,
    "v_mbcnt_lo_u32_b32": _mbcnt(False),
    "v_mbcnt_hi_u32_b32": _mbcnt(True),
    "v_swap_b32": _swap,
    "v_permlane16_b32": _permlane16(False, False),
    "v_permlanex16_b32": _permlane16(True, False),
    "v_permlane16_var_b32": _permlane16(False, True),
    "v_permlanex16_var_b32": _permlane16(True, True),
    "v_permlane64_b32": _permlane64,
    "v_permlane16_swap_b32": _permlane_swap(16),
    "v_permlane32_swap_b32": _permlane_swap(32),
    "v_permlane_bcast_b32": _permlane_width("bcast"),
    "v_permlane_up_b32": _permlane_width("up"),
    "v_permlane_down_b32": _permlane_width("down"),
    "v_permlane_xor_b32": _permlane_width("xor"),
}
