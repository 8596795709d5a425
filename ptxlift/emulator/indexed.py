"""Register-indexed moves: v_movrel on gfx10 and later, and gfx9's GPR index mode.

Comes in: decoded instructions, and on gfx9 the words of moves that LLVM's listing leaves out. Goes
out: closures over a `State`, and text for the missing moves. It must not know other instructions.
"""

from __future__ import annotations

import numpy as np

from ptxlift.diag import PtxError
from ptxlift.emulator.access import raw_source, scalar_source
from ptxlift.emulator.operands import M0, File, Inst, Reg, Words
from ptxlift.emulator.salu import Op
from ptxlift.emulator.state import State
from ptxlift.emulator.valu.kinds import Kind

_MOVE_WORD = 0x7E000200  # v_mov_b32_e32 v0, s0
_MOVE_MASK = 0xFE01FE00
_FLOATS = ("0.5", "-0.5", "1.0", "-1.0", "2.0", "-2.0", "4.0", "-4.0", "0.15915494")


def hidden_move(words: tuple[int, int]) -> tuple[str, int] | None:
    """Text and number of words of a v_mov_b32_e32, or None if the word is no such move."""
    word, literal = words
    if word & _MOVE_MASK != _MOVE_WORD:
        return None
    source = word & 0x1FF
    target = f"v_mov_b32_e32 v{word >> 17 & 0xFF}, "
    if source == 255:
        return f"{target}{literal:#x}", 2
    return target + _source_text(source), 1


def _source_text(source: int) -> str:
    if source >= 256:
        return f"v{source - 256}"
    if source < 102:
        return f"s{source}"
    if 128 <= source <= 192:
        return str(source - 128)
    if 193 <= source <= 208:
        return str(192 - source)
    if 240 <= source <= 248:
        return _FLOATS[source - 240]
    raise PtxError.of("PTX406", f"source {source} of an indexed move is not understood")


def compile_indexed_move(inst: Inst, from_index: bool, to_index: bool) -> Op:
    """A move whose source, destination or both are offset by M0, which may differ by wave."""
    target, source = inst.operands[0].value, inst.operands[1].value
    if not isinstance(target, Reg):
        raise PtxError.of("PTX406", f"indexed move is not understood: {inst.text}")
    base = target.index
    plain = raw_source(inst.operands[1], Kind.B32)
    first = source.index if isinstance(source, Reg) and source.file is File.V else None
    if from_index and first is None:
        raise PtxError.of("PTX406", f"indexed move is not understood: {inst.text}")

    def run(st: State) -> None:
        index = (st.s32[M0] & np.uint32(0xFF)).astype(np.int64)
        value = plain(st)
        if from_index:
            value = st.vectors[_inside(st, index + (first or 0)), st.wave_index]
        if not to_index:
            st.put_v(st.v[base], value)
            return
        rows = _inside(st, index + base)
        value = np.broadcast_to(value, (st.waves, st.lanes))
        for row in np.unique(rows):
            lanes = st.mask & (rows == row)[:, None]
            np.copyto(st.v[row], value, where=lanes)

    return run


def _inside(
    st: State, rows: np.ndarray[tuple[int], np.dtype[np.int64]]
) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """Rows of the waves that execute; the others hold any index and are kept in range."""
    if (rows[st.active] >= len(st.v)).any():
        raise PtxError.of("PTX402", f"kernel {st.kernel}: register index out of range")
    return np.minimum(rows, len(st.v) - 1)


_RELATIVE: dict[str, tuple[bool, bool]] = {
    "v_movrels_b32": (True, False),
    "v_movreld_b32": (False, True),
    "v_movrelsd_b32": (True, True),
}


class IndexMode:
    """Follows gfx9's index mode through straight-line code."""

    def __init__(self) -> None:
        self.source = False
        self.target = False

    def compile(self, inst: Inst) -> Op | None:
        """The action of an instruction that index mode concerns, or None for all others."""
        name = inst.mnemonic
        if name in _RELATIVE:
            return compile_indexed_move(inst, *_RELATIVE[name])
        if name == "s_set_gpr_idx_off":
            self.source = self.target = False
            return lambda st: None
        if name == "s_set_gpr_idx_on":
            modes = inst.operands[1].value
            text = modes.text if isinstance(modes, Words) else ""
            self.source, self.target = "SRC0" in text, "DST" in text
            return _set_index(inst)
        if name == "s_set_gpr_idx_idx":
            return _set_index(inst)
        if not (self.source or self.target):
            return None
        if name == "v_mov_b32":
            return compile_indexed_move(inst, self.source, self.target)
        if name.startswith("v_"):
            raise PtxError.of("PTX406", f"index mode on {inst.text!r} is not emulated")
        return None


def _set_index(inst: Inst) -> Op:
    read = scalar_source(inst.operands[0], Kind.B32)
    return lambda st: st.put_s32(M0, read(st) & np.uint32(0xFF))
