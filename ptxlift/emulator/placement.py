"""Which listed instruction stands at which address.

Comes in: a linked code object and the listing of its inputs. Goes out: decoded instructions by
address. Words come from the linked `.text`, text from the listing. It must not know what
instructions do, except for two kinds that LLVM's listing leaves out: the s_nop in front of an
aligned loop, and moves under gfx9's GPR index mode.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ptxlift.diag import PtxError
from ptxlift.emulator.elf import STT_FUNC, Elf
from ptxlift.emulator.indexed import hidden_move
from ptxlift.emulator.listing import Listed
from ptxlift.emulator.operands import Inst, parse_inst
from ptxlift.records import replace

_PADDING = 0xBF800000  # s_nop 0


def place(elf: Elf, listed: Sequence[Listed], base: int) -> dict[int, Inst]:
    """Every instruction of every function, keyed by absolute address."""
    start, size = elf.text
    functions = sorted({(s.value, s.size) for s in elf.symbols if s.kind == STT_FUNC and s.size})
    placer = _Placer(elf, iter(listed), base)
    for address, length in functions:
        if start <= address and address + length <= start + size:
            placer.place_function(address, address + length)
    if next(placer.following, None) is not None:
        raise _bad("the assembly listing has more instructions than .text")
    return placer.insts


def _bad(message: str) -> PtxError:
    return PtxError.of("PTX305", message)


class _Placer:
    def __init__(self, elf: Elf, following: Iterator[Listed], base: int) -> None:
        self.elf = elf
        self.following = following
        self.base = base
        self.insts: dict[int, Inst] = {}

    def place_function(self, at: int, end: int) -> None:
        """Instructions from `at` to `end`, all of them listed or known to be left out."""
        index_mode = False
        while at < end:
            item = next(self.following, None)
            if item is None:
                raise _bad(f"the assembly listing ends before .text does, at {at:#x}")
            while at < end and not self._stands_at(item, at):
                size = self._place_unlisted(at, index_mode)
                if not size:
                    raise _bad(f"the assembly listing differs from .text at {at:#x}: {item.text}")
                at += size
            if at + item.size > end:
                raise _bad(f"the assembly listing does not fit .text at {at:#x}: {item.text}")
            self._place(at, item.text, len(item.words))
            at += item.size
            if item.text.startswith("s_set_gpr_idx_o"):
                index_mode = item.text.startswith("s_set_gpr_idx_on")

    def _stands_at(self, item: Listed, at: int) -> bool:
        """Whether the opcode agrees; literals and branch offsets are filled in after listing."""
        word = self.elf.word_at(at)
        if item.words[0] == _PADDING or word == _PADDING:
            return item.words[0] == word
        return item.words[0] & 0xFFFF0000 == word & 0xFFFF0000

    def _place_unlisted(self, at: int, index_mode: bool) -> int:
        """Place an instruction the listing omits; gives its size, or 0 if there is none."""
        word = self.elf.word_at(at)
        if word == _PADDING:
            self._place(at, "s_nop 0", 1, is_listed=False)
            return 4
        found = hidden_move((word, self.elf.word_at(at + 4))) if index_mode else None
        if found is None:
            return 0
        self._place(at, *found, is_listed=False)
        return 4 * found[1]

    def _place(self, at: int, text: str, count: int, is_listed: bool = True) -> None:
        words = tuple(self.elf.word_at(at + 4 * i) for i in range(count))
        inst = parse_inst(self.base + at, text, words)
        self.insts[self.base + at] = inst if is_listed else replace(inst, is_listed=False)
