"""Evaluates straight-line SASS on constants: what ptxas's code computes, without a GPU.

Comes in: the text that nvdisasm prints of a kernel. Goes out: what each global store writes, where
all that it depends on is known. Instructions that are not in the table make their results unknown;
so do calls and branches everything.
"""

from __future__ import annotations

import re
import struct
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path

_LINE = re.compile(r"^\s+/\*[0-9a-f]{4,}\*/\s+(?!\.)(?P<text>[^;\n]+?)\s*;", re.M)
_STORE = re.compile(
    r"STG\.E(?P<size>[.\w]*) (?:desc\[\w+\])?"
    r"\[(?P<base>R\d+|UR\d+)(?:\.64)?(?:\+(?P<offset>-?0x[0-9a-f]+))?\], (?P<value>R\d+|RZ)"
)
_SIZES = {"": 4, ".64": 8, ".U16": 2, ".U8": 1, ".128": 16}
_BRANCHES = ("CALL", "BSSY", "BRA", "RET", "WARPSYNC", "BSYNC")
_MASK = 0xFFFFFFFF
_WIDE = re.compile(r"64|WIDE|DADD|DMUL|DFMA")


class Unknown(Exception):
    """A value that is not known."""


def disassemble(tool: Path, cubin: Path) -> str:
    """nvdisasm's text of a cubin."""
    done = subprocess.run([tool, cubin], check=True, capture_output=True, text=True)
    return done.stdout


def signed(word: int, bits: int = 32) -> int:
    """The low bits as two's complement."""
    word &= (1 << bits) - 1
    return word - (1 << bits) if word >> (bits - 1) else word


def _half(text: str) -> int:
    """A number as HFMA2 shows it: the bits of an f16."""
    if "NAN" in text:
        raise Unknown
    value = float(text.replace("INF", "inf").replace("+", ""))
    return int(struct.unpack("<H", struct.pack("<e", value))[0])


class Machine:
    """Registers and predicates; None is unknown."""

    def __init__(self) -> None:
        self._words: dict[str, int | None] = {}
        self._truths: dict[str, bool | None] = {}

    # ---- operands ----

    def word(self, text: str, step: int = 0) -> int:
        """The 32 bits of a source; `step` 1 is the upper register of a pair."""
        text = text.replace(".reuse", "")
        if text.startswith("-") and not text.startswith("-0x"):
            return -self.word(text[1:], step) & _MASK
        if text.startswith("~"):
            return ~self.word(text[1:], step) & _MASK
        if re.fullmatch(r"-?0x[0-9a-f]+", text):
            return int(text, 16) >> (32 * step) & _MASK
        if text in ("RZ", "URZ", "SRZ"):
            return 0
        found = re.fullmatch(r"(U?R)(\d+)", text)
        value = self._words.get(f"{found[1]}{int(found[2]) + step}") if found else None
        if value is None:
            raise Unknown
        return value

    def truth(self, text: str) -> bool:
        """A predicate source."""
        if text.startswith("!"):
            return not self.truth(text[1:])
        if text in ("PT", "UPT"):
            return True
        value = self._truths.get(text)
        if value is None:
            raise Unknown
        return value

    def set(self, name: str, value: int | None, step: int = 0) -> None:
        found = re.fullmatch(r"(U?R)(\d+)", name)
        if found is not None:
            kept = None if value is None else value & _MASK
            self._words[f"{found[1]}{int(found[2]) + step}"] = kept

    def set_truth(self, name: str, value: bool | None) -> None:
        if name not in ("PT", "UPT"):
            self._truths[name] = value

    # ---- instructions ----

    def execute(self, text: str) -> None:
        """One instruction that is not a store."""
        guard = re.match(r"@(\S+) +", text)
        body = text[guard.end() :] if guard else text
        opcode, _, rest = body.partition(" ")
        operands = [part.strip() for part in rest.split(",")] if rest else []
        if opcode.startswith(_BRANCHES):
            self._words.clear()
            self._truths.clear()
            return
        try:
            if guard is not None and not self.truth(guard[1]):
                return
            self._compute(opcode, operands)
        except Unknown:
            self._forget(opcode, operands)

    def _compute(self, opcode: str, operands: Sequence[str]) -> None:
        name, *modifiers = opcode.split(".")
        name = name.removeprefix("U") if name.removeprefix("U") in _TABLE else name
        compute = _TABLE.get(name)
        if compute is None:
            raise Unknown
        compute(self, modifiers, operands)

    def _forget(self, opcode: str, operands: Sequence[str]) -> None:
        """Results are the leading predicates and one register, a pair of wide instructions."""
        for operand in operands:
            if re.fullmatch(r"U?P\d", operand):
                self.set_truth(operand, None)
                continue
            for step in range(2 if _WIDE.search(opcode) else 1):
                self.set(operand, None, step)
            if operand not in ("PT", "UPT"):
                return


def _move(m: Machine, modifiers: Sequence[str], operands: Sequence[str]) -> None:
    m.set(operands[0], m.word(operands[1]))


def _zero(m: Machine, modifiers: Sequence[str], operands: Sequence[str]) -> None:
    if operands[1] != "SRZ":
        raise Unknown
    for step in range(1 if "32" in modifiers else 2):
        m.set(operands[0], 0, step)


def _halves(m: Machine, modifiers: Sequence[str], operands: Sequence[str]) -> None:
    """Only the form that makes a constant: -RZ * RZ + (high, low)."""
    target, a, b, *parts = operands
    if (a, b) != ("-RZ", "RZ") or len(parts) != 2:
        raise Unknown
    m.set(target, _half(parts[0]) << 16 | _half(parts[1]))


def _permute(m: Machine, modifiers: Sequence[str], operands: Sequence[str]) -> None:
    if modifiers:
        raise Unknown
    target, a, selector, c = operands
    source = m.word(c) << 32 | m.word(a)
    result = 0
    for place in range(4):
        nibble = m.word(selector) >> (4 * place) & 0xF
        byte = source >> (8 * (nibble & 7)) & 0xFF
        if nibble & 8:
            byte = 0xFF if byte & 0x80 else 0
        result |= byte << (8 * place)
    m.set(target, result)


def _select(m: Machine, modifiers: Sequence[str], operands: Sequence[str]) -> None:
    target, a, b, truth = operands
    m.set(target, m.word(a) if m.truth(truth) else m.word(b))


def _lookup(m: Machine, modifiers: Sequence[str], operands: Sequence[str]) -> None:
    if re.fullmatch(r"U?P(\d|T)", operands[0]):
        raise Unknown
    target, a, b, c, table, *_ = operands
    words = [m.word(text) for text in (a, b, c)]
    result = 0
    for bit in range(32):
        index = sum((word >> bit & 1) << (2 - place) for place, word in enumerate(words))
        result |= (int(table, 16) >> index & 1) << bit
    m.set(target, result)


def _carries(operands: Sequence[str]) -> tuple[str, list[str], list[str], list[str]]:
    """Target, carries out, sources and carries in of an addition."""
    target, *rest = operands
    out = []
    while rest and re.fullmatch(r"U?P(\d|T)", rest[0]):
        out.append(rest.pop(0))
    inputs = [text for text in rest if re.fullmatch(r"!?U?P(\d|T)", text)]
    return target, out, [text for text in rest if text not in inputs], inputs


def _add(m: Machine, modifiers: Sequence[str], operands: Sequence[str]) -> None:
    """Without .X a minus is the complement plus one; with it the carry in is that one."""
    target, out, sources, inputs = _carries(operands)
    total = 0
    for text in sources:
        total += m.word(text)
        if text.startswith("-") and "X" not in modifiers and m.word(text) == 0:
            total += 1 << 32  # ~0 + 1 carries
    if "X" in modifiers:
        total += sum(m.truth(text) for text in inputs)
    m.set(target, total)
    if len(out) > 1 and out[1] not in ("PT", "UPT"):
        raise Unknown
    if out:
        m.set_truth(out[0], bool(total >> 32))


def _multiply(m: Machine, modifiers: Sequence[str], operands: Sequence[str]) -> None:
    """IMAD in its forms; .MOV and .IADD only name what it is used for."""
    target, out, sources, inputs = _carries(operands)
    if out:
        raise Unknown
    a, b, c = sources
    left, right = m.word(a), m.word(b)
    if "WIDE" in modifiers or "HI" in modifiers:
        if "U32" not in modifiers:
            left, right = signed(left), signed(right)
        addend = m.word(c.lstrip("-")) | m.word(c.lstrip("-"), 1) << 32
        total = left * right + (-addend if c.startswith("-") else addend)
        if "HI" in modifiers:
            m.set(target, total >> 32)
            return
        m.set(target, total)
        m.set(target, total >> 32, 1)
        return
    carry = sum(m.truth(text) for text in inputs) if "X" in modifiers else 0
    m.set(target, left * right + m.word(c) + carry)


def _compare(m: Machine, modifiers: Sequence[str], operands: Sequence[str]) -> None:
    """With .EX these are upper words and the last predicate is the result for the lower ones."""
    first, second, a, b, other, *lower = operands
    if second not in ("PT", "UPT"):
        raise Unknown
    left, right = m.word(a), m.word(b)
    if "U32" not in modifiers:
        left, right = signed(left), signed(right)
    below = m.truth(lower[0]) if "EX" in modifiers else None
    truth = _order(modifiers[0], left, right, below)
    extra = m.truth(other)
    if "AND" in modifiers:
        m.set_truth(first, truth and extra)
    elif "OR" in modifiers:
        m.set_truth(first, truth or extra)
    else:
        m.set_truth(first, truth != extra)


def _order(word: str, left: int, right: int, below: bool | None) -> bool:
    tie = {"EQ": True, "NE": False, "LT": False, "LE": True, "GT": False, "GE": True}[word]
    if left == right:
        return tie if below is None else below
    return {"EQ": False, "NE": True}.get(word, (left < right) == word.startswith("L"))


def _extreme(m: Machine, modifiers: Sequence[str], operands: Sequence[str]) -> None:
    if not set(modifiers) <= {"U32"}:
        raise Unknown
    target, a, b, smaller = operands
    words = [m.word(a), m.word(b)]
    if "U32" not in modifiers:
        words = [signed(word) for word in words]
    m.set(target, min(words) if m.truth(smaller) else max(words))


def _shift(m: Machine, modifiers: Sequence[str], operands: Sequence[str]) -> None:
    """The funnel shift of c:a; .HI takes the upper word."""
    direction, kind = modifiers[0], modifiers[1]
    target, a, amount, c = operands
    count = m.word(amount)
    limit = int(kind[1:]) if "HI" not in modifiers or kind.endswith("64") else 32
    count = count % limit if "W" in modifiers else min(count, limit)
    if direction == "L" and kind == "U32" and "HI" not in modifiers:
        m.set(target, m.word(a) << count)
        return
    if kind.endswith("32"):  # .HI of 32 bits shifts the upper word alone
        word = signed(m.word(c)) if kind[0] == "S" else m.word(c)
        if direction == "L":
            raise Unknown
        m.set(target, word >> count)
        return
    pair = m.word(c) << 32 | m.word(a)
    if direction == "L":
        whole = pair << count
    else:
        whole = (signed(pair, 64) if kind[0] == "S" else pair) >> count
    m.set(target, whole >> 32 if "HI" in modifiers else whole)


def _scaled(m: Machine, modifiers: Sequence[str], operands: Sequence[str]) -> None:
    """LEA.HI: the upper word of c:a << n, plus b; .SX32 takes c from the sign of a."""
    target, out, sources, inputs = _carries(operands)
    if "HI" not in modifiers or out:
        raise Unknown
    if "SX32" in modifiers:
        a, b, amount = sources
        pair = signed(m.word(a))
    else:
        a, b, c, amount = sources
        pair = m.word(c) << 32 | m.word(a)
    carry = sum(m.truth(text) for text in inputs) if "X" in modifiers else 0
    m.set(target, (pair << m.word(amount) >> 32) + m.word(b) + carry)


def _magnitude(m: Machine, modifiers: Sequence[str], operands: Sequence[str]) -> None:
    m.set(operands[0], abs(signed(m.word(operands[1]))))


def _saturate(m: Machine, modifiers: Sequence[str], operands: Sequence[str]) -> None:
    target_kind, source_kind, *more = modifiers
    if more != ["SAT"] or source_kind != "S32":
        raise Unknown
    bits = int(target_kind[1:])
    low = -(1 << (bits - 1)) if target_kind[0] == "S" else 0
    high = (1 << (bits - (target_kind[0] == "S"))) - 1
    m.set(operands[0], min(max(signed(m.word(operands[1])), low), high))


def _dot(m: Machine, modifiers: Sequence[str], operands: Sequence[str]) -> None:
    kind, left, right = modifiers
    if kind != "4A":
        raise Unknown
    target, a, b, c = operands
    total = m.word(c)
    for place in range(4):
        x, y = (m.word(text) >> (8 * place) & 0xFF for text in (a, b))
        x = signed(x, 8) if left == "S8" else x
        y = signed(y, 8) if right == "S8" else y
        total += x * y
    m.set(target, total)


def _mask(m: Machine, modifiers: Sequence[str], operands: Sequence[str]) -> None:
    if "W" in modifiers:
        raise Unknown
    position, length = m.word(operands[1]), m.word(operands[2])
    m.set(operands[0], (1 << min(length, 32)) - 1 << min(position, 32))


_TABLE: dict[str, Callable[[Machine, Sequence[str], Sequence[str]], None]] = {
    "MOV": _move, "R2UR": _move, "CS2R": _zero, "HFMA2": _halves, "PRMT": _permute,
    "SEL": _select, "LOP3": _lookup, "IADD3": _add, "VIADD": _add, "IMAD": _multiply,
    "ISETP": _compare, "VIMNMX": _extreme, "IMNMX": _extreme, "SHF": _shift, "LEA": _scaled,
    "IABS": _magnitude, "I2I": _saturate, "IDP": _dot, "BMSK": _mask,
}  # fmt: skip


def stored_constants(text: str) -> dict[int, tuple[int, int | None]]:
    """Offset -> (size, value or None) of every store behind the first pointer."""
    machine = Machine()
    found: dict[int, tuple[int, int | None]] = {}
    for line in _LINE.finditer(text):
        store = _STORE.match(line["text"])
        if store is None:
            machine.execute(line["text"])
            continue
        size = _SIZES[store["size"]]
        offset = int(store["offset"] or "0", 16)
        for start in range(0, size, 4):
            width = min(size, 4)
            found[offset + start] = (width, _stored(machine, store["value"], start // 4, width))
    return found


def _stored(machine: Machine, name: str, step: int, width: int) -> int | None:
    try:
        return machine.word(name, step) & ((1 << (8 * width)) - 1)
    except Unknown:
        return None
