"""The assembly listing LLVM's `dumpcode` feature leaves in an object.

Comes in: the text of `.AMDGPU.disasm`. Goes out: its instructions in order, each with its text and
the words printed beside it. It must not know addresses, operands or what an instruction does.
"""

from __future__ import annotations

import re

from ptxlift.diag import PtxError
from ptxlift.records import dataclass

_LINE = re.compile(r"\t(?P<text>.*?\S)\s*; (?P<words>[0-9A-F]{8}(?: [0-9A-F]{8})*)\s*")
_HIGH_REGISTER = re.compile(r"v(?:\d+|\[\d+:\d+\])(\.[lh])? /\*([^*]+)\*/")
"""gfx1250 prints the low byte of a register number, then the whole number as a comment."""
_LABEL = re.compile(r"[\w.$]+:\s*")


@dataclass(frozen=True, slots=True)
class Listed:
    """One instruction as printed: `words` may lack what relocations and fixups fill in later."""

    text: str
    words: tuple[int, ...]

    @property
    def size(self) -> int:
        """Bytes of the encoding."""
        return 4 * len(self.words)


def parse_listing(listing: str | bytes) -> list[Listed]:
    """The instructions of a listing; labels and empty lines are dropped."""
    text = listing.decode("utf-8", "replace") if isinstance(listing, bytes) else listing
    found = []
    for number, line in enumerate(text.replace("\0", "").split("\n"), 1):
        match = _LINE.fullmatch(line)
        if match is not None:
            words = tuple(int(word, 16) for word in match["words"].split())
            found.append(Listed(_HIGH_REGISTER.sub(r"\2", match["text"]), words))
        elif line.strip() and _LABEL.fullmatch(line) is None:
            raise PtxError.of("PTX305", f"line {number} of the assembly listing is not understood")
    return found
