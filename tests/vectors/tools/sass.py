"""Reads the constants that straight-line SASS stores: a small evaluator of register moves.

Comes in: the text that nvdisasm prints of a kernel. Goes out: what each global store writes, where
all its registers hold constants. Instructions it does not know make their results unknown.
"""

from __future__ import annotations

import re
import struct
import subprocess
from pathlib import Path

_LINE = re.compile(r"^\s+/\*[0-9a-f]{4}\*/\s+(?!\.)(?P<text>[^;]+?)\s*;", re.M)
_STORE = re.compile(
    r"STG\.E(?P<size>[.\w]*) (?:desc\[\w+\])?"
    r"\[(?P<base>R\d+|UR\d+)(?:\.64)?(?:\+(?P<offset>-?0x[0-9a-f]+))?\], (?P<value>R\d+|RZ)"
)
_SIZES = {"": 4, ".64": 8, ".U16": 2, ".U8": 1, ".128": 16}


def disassemble(tool: Path, cubin: Path) -> str:
    """nvdisasm's text of a cubin."""
    done = subprocess.run([tool, cubin], check=True, capture_output=True, text=True)
    return done.stdout


def _half(text: str) -> int | None:
    """A number as HFMA2 shows it: the bits of an f16."""
    if "NAN" in text:
        return None
    value = float(text.replace("INF", "inf").replace("+", ""))
    return int(struct.unpack("<H", struct.pack("<e", value))[0])


class Registers:
    """Known register contents; None is unknown."""

    def __init__(self) -> None:
        self._values: dict[str, int | None] = {"RZ": 0, "URZ": 0}

    def value(self, text: str) -> int | None:
        """The 32 bits of a source."""
        text = text.removesuffix(".reuse")
        if re.fullmatch(r"-?0x[0-9a-f]+", text):
            return int(text, 16) & 0xFFFFFFFF
        return self._values.get(text)

    def set(self, name: str, value: int | None) -> None:
        if name not in ("RZ", "URZ"):
            self._values[name] = value

    def execute(self, text: str) -> None:
        """One instruction that is not a store."""
        guarded = text.startswith("@")
        words = re.sub(r"^@\S+ +", "", text).split(None, 1)
        opcode = words[0]
        if guarded or opcode.startswith(("CALL", "BSSY", "BRA", "RET", "WARPSYNC")):
            self._lose(opcode, words)
            return
        operands = [part.strip() for part in words[1].split(",")] if len(words) > 1 else []
        match opcode, operands:
            case (("MOV" | "UMOV"), [target, source, *_]):
                self.set(target, self.value(source))
            case (("IMAD.MOV.U32" | "UIMAD.MOV.U32"), [target, "RZ", "RZ", source]):
                self.set(target, self.value(source))
            case (("HFMA2.MMA" | "HFMA2"), [target, "-RZ", "RZ", high, low]):
                parts = (_half(high), _half(low))
                known = None not in parts
                self.set(target, parts[0] << 16 | parts[1] if known else None)  # type: ignore[operator]  # both are numbers
            case "CS2R", [target, "SRZ"]:
                number = int(target[1:])
                self.set(target, 0)
                self.set(f"R{number + 1}", 0)
            case "CS2R.32", [target, "SRZ"]:
                self.set(target, 0)
            case _, [target, *_]:
                self._forget(target, opcode)

    def _lose(self, opcode: str, words: list[str]) -> None:
        """After a branch nothing is known; after a guarded instruction not its result."""
        if opcode.startswith(("CALL", "BSSY", "BRA", "RET", "WARPSYNC")):
            self._values = {"RZ": 0, "URZ": 0}
        elif len(words) > 1:
            self._forget(words[1].split(",")[0].strip(), opcode)

    def _forget(self, target: str, opcode: str) -> None:
        """Results of other instructions are unknown, up to four registers wide."""
        found = re.fullmatch(r"(U?R)(\d+)", target)
        if found is None:
            return
        wide = opcode.startswith(("D", "IMAD.WIDE", "F2I.S64", "F2I.U64", "F2F.F64", "I2F.F64"))
        wide = wide or any(
            word in opcode for word in (".64", "ULDC.64", "WIDE", "S64", "U64", "F64")
        )
        for step in range(2 if wide else 1):
            self._values[f"{found[1]}{int(found[2]) + step}"] = None


def stored_constants(text: str) -> dict[int, tuple[int, int | None]]:
    """Offset -> (size, value or None) of every store behind the first pointer."""
    registers = Registers()
    found: dict[int, tuple[int, int | None]] = {}
    for line in _LINE.finditer(text):
        instruction = line["text"]
        store = _STORE.match(instruction)
        if store is None:
            registers.execute(instruction)
            continue
        size = _SIZES[store["size"]]
        offset = int(store["offset"] or "0", 16)
        for start in range(0, size, 4):
            value = _word(registers, store["value"], start // 4)
            width = min(size, 4)
            mask = (1 << (8 * width)) - 1
            found[offset + start] = (width, None if value is None else value & mask)
    return found


def _word(registers: Registers, name: str, step: int) -> int | None:
    return 0 if name == "RZ" else registers.value(f"R{int(name[1:]) + step}")
