"""What dense and sparse matrix instructions have in common: kinds of elements, registers.

Comes in: a decoded instruction. Goes out: how its operands are read and its result is written. It
must know no layout.
"""

from __future__ import annotations

import re
from collections.abc import Collection

import numpy as np
from numpy.typing import NDArray

from ptxlift.diag import PtxError
from ptxlift.emulator.matrix_elements import WIDTHS, Bits, decode, encode, split
from ptxlift.emulator.operands import File, Inst, Operand, Reg
from ptxlift.emulator.state import State
from ptxlift.records import dataclass

_OWN_EIGHT_BITS = ("gfx940", "gfx941", "gfx942")  # their formats of eight bits are not OCP's


@dataclass(frozen=True, slots=True)
class Elements:
    """Names of the elements of A, B and of C and D; `signed`: integers of A and B."""

    a: str
    b: str
    d: str
    signed: tuple[bool, bool]
    saturates: bool
    fnuz: bool

    def numbers(self, st: State, reg: Reg, name: str, signed: bool = True) -> Bits:
        """Registers' elements as (waves, lanes, count)."""
        return decode(name, split(words_of(st, reg), WIDTHS[name]), self.fnuz, signed)

    def write(self, st: State, reg: Reg, values: Bits) -> None:
        """Results, (waves, lanes, count), to registers; EXEC does not count."""
        words = np.ascontiguousarray(encode(self.d, values, self.saturates)).view(np.uint32)
        rows = st.a if reg.file is File.A else st.v
        for step in range(reg.count):
            np.copyto(rows[reg.index + step], words[..., step], where=st.active[:, None])


def elements_of(inst: Inst, found: re.Match[str], target: str, known: Collection[str]) -> Elements:
    """The elements that a mnemonic names. Raises PTX406 for modifiers other than `known`."""
    unknown = sorted(inst.modifiers.keys() - set(known))
    if unknown:
        raise PtxError.of("PTX406", f"modifier {unknown[0]} of {inst.mnemonic} is not emulated")
    a = found["a"]
    signs = inst.modifiers.get("neg_lo", (0, 0, 0))
    assert isinstance(signs, tuple), "neg_lo has a bit a source"
    signed = (a == "i8" or bool(signs[0]), a == "i8" or bool(signs[1]))
    fnuz = target.startswith(_OWN_EIGHT_BITS)
    return Elements(a, found["b"] or a, found["d"], signed, "clamp" in inst.modifiers, fnuz)


def register_of(operand: Operand) -> Reg:
    """The operand's registers; PTX406 for any other operand."""
    if not isinstance(operand.value, Reg):
        raise PtxError.of("PTX406", f"matrix operand {operand.value} is not understood")
    return operand.value


def words_of(st: State, reg: Reg) -> NDArray[np.uint32]:
    """Registers as (waves, lanes, count)."""
    rows = st.a if reg.file is File.A else st.v
    return np.stack(rows[reg.index : reg.index + reg.count], axis=-1)
