"""Assembly text of one instruction, taken apart.

Comes in: the text LLVM prints and the encoded words. Goes out: an `Inst` with mnemonic, encoding
suffix, typed operands and modifiers. It must not know what any mnemonic does.
"""

from __future__ import annotations

import re
from enum import Enum
from typing import TypeAlias

from ptxlift.diag import PtxError
from ptxlift.records import dataclass


class File(Enum):
    """Register files."""

    S = "s"
    V = "v"
    A = "a"


class Special(Enum):
    """Operands that are neither registers nor numbers."""

    NULL = "null"
    OFF = "off"
    SCC = "src_scc"
    VCCZ = "src_vccz"
    EXECZ = "src_execz"
    SHARED_BASE = "src_shared_base"
    SHARED_LIMIT = "src_shared_limit"
    PRIVATE_BASE = "src_private_base"
    PRIVATE_LIMIT = "src_private_limit"


class Form(Enum):
    """How a constant was written; it decides the bits at each width."""

    INTEGER = "integer"  # inline, sign-extended to the operand's width
    FLOAT = "float"  # inline, rounded to the operand's float format
    LITERAL = "literal"  # 32 bits that follow the instruction
    LITERAL64 = "literal64"  # 64 bits that follow the instruction


@dataclass(frozen=True, slots=True)
class Reg:
    """`count` consecutive registers; `half` is 0 or 1 for `v0.l` or `v0.h`."""

    file: File
    index: int
    count: int = 1
    half: int | None = None


@dataclass(frozen=True, slots=True)
class Const:
    """`value` is an int for integers and literals, a float for inline floats."""

    value: float
    form: Form


@dataclass(frozen=True, slots=True)
class Regs:
    """Registers that need not follow each other, as in `[v0, v2, v[4:5]]`."""

    regs: tuple[Reg, ...]


@dataclass(frozen=True, slots=True)
class Words:
    """Anything else, such as `hwreg(...)`, kept as text."""

    text: str


@dataclass(frozen=True, slots=True)
class Operand:
    """A value with its source modifiers, applied in the order abs, neg."""

    value: Reg | Regs | Const | Special | Words
    neg: bool = False
    abs: bool = False
    sext: bool = False


Modifier: TypeAlias = int | str | tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Inst:
    """A decoded instruction. `suffix` is one of "", e32, e64, dpp, sdwa, e64_dpp. `is_listed`:
    LLVM's listing has it.
    """

    address: int
    text: str
    words: tuple[int, ...]
    mnemonic: str
    suffix: str
    operands: tuple[Operand, ...]
    modifiers: dict[str, Modifier]
    is_listed: bool = True

    @property
    def end(self) -> int:
        """Address of the next instruction."""
        return self.address + 4 * len(self.words)


VCC = 106
M0 = 124
EXEC = 126
FLAT_SCRATCH = 128
XNACK_MASK = 130
TTMP = 108
"""Rows of the scalar file above s105; the numbers are the emulator's own from 128 on."""

_NAMED: dict[str, Reg] = {
    "vcc": Reg(File.S, VCC, 2),
    "vcc_lo": Reg(File.S, VCC),
    "vcc_hi": Reg(File.S, VCC + 1),
    "exec": Reg(File.S, EXEC, 2),
    "exec_lo": Reg(File.S, EXEC),
    "exec_hi": Reg(File.S, EXEC + 1),
    "m0": Reg(File.S, M0),
    "flat_scratch": Reg(File.S, FLAT_SCRATCH, 2),
    "flat_scratch_lo": Reg(File.S, FLAT_SCRATCH),
    "flat_scratch_hi": Reg(File.S, FLAT_SCRATCH + 1),
    "src_flat_scratch_base_lo": Reg(File.S, FLAT_SCRATCH),
    "src_flat_scratch_base_hi": Reg(File.S, FLAT_SCRATCH + 1),
    "xnack_mask": Reg(File.S, XNACK_MASK, 2),
    "xnack_mask_lo": Reg(File.S, XNACK_MASK),
    "xnack_mask_hi": Reg(File.S, XNACK_MASK + 1),
}

_SPECIAL: dict[str, Special] = {special.value: special for special in Special} | {
    "scc": Special.SCC,
    "vccz": Special.VCCZ,
    "execz": Special.EXECZ,
    "shared_base": Special.SHARED_BASE,
    "private_base": Special.PRIVATE_BASE,
}

_SINGLE = re.compile(r"(s|v|a|ttmp)(\d+)(?:\.([lh]))?")
_RANGE = re.compile(r"(s|v|a|ttmp)\[(\d+):(\d+)\]")
_LITERAL = re.compile(r"-?0x[0-9a-fA-F]+")
_INTEGER = re.compile(r"-?\d+")
_FLOAT = re.compile(r"-?\d+\.\d+(?:e[+-]?\d+)?")
_SUFFIX = re.compile(r"_(e64_dpp|e32|e64|dpp|sdwa)$")
_MODIFIER = re.compile(r"(?P<key>[a-z_][a-z_0-9]*)(?::(?P<value>.+))?")


def parse_inst(address: int, text: str, words: tuple[int, ...]) -> Inst:
    """Take one printed instruction apart; VOPD pairs are split by the caller."""
    name, _, rest = text.partition(" ")
    suffix = _SUFFIX.search(name)
    mnemonic = name[: suffix.start()] if suffix else name
    pieces = _split(rest.strip(), ",")
    modifiers: dict[str, Modifier] = {}
    free = mnemonic in _FREE_TEXT or (mnemonic.startswith("s_wait_") and "(" in rest)
    if pieces and not free:
        last, *words_after = _split(pieces[-1].strip(), " ")
        pieces[-1] = last
        for piece in words_after:
            _read_modifier(piece, modifiers)
        if not last:
            pieces.pop()
        elif len(pieces) == 1 and _is_modifier(last):
            _read_modifier(pieces.pop(), modifiers)
    if free:
        operands: tuple[Operand, ...] = (Operand(Words(rest.strip())),)
    else:
        operands = tuple(_parse_operand(piece.strip(), words) for piece in pieces)
    found = suffix.group(1) if suffix else ""
    return Inst(address, text, words, mnemonic, found, operands, modifiers)


_FREE_TEXT = frozenset(
    {"s_waitcnt", "s_waitcnt_depctr", "s_delay_alu", "s_sendmsg", "s_sendmsghalt"}
)
"""Instructions whose operand has a syntax of its own."""


def _is_modifier(piece: str) -> bool:
    """Whether a lone word is a modifier, as in `global_inv scope:SCOPE_DEV` or `buffer_inv sc1`."""
    return piece in {"sc0", "sc1", "nt", "glc", "slc", "dlc"} or piece.startswith(("scope:", "th:"))


def _split(text: str, separator: str) -> list[str]:
    """Split at a separator that is outside brackets."""
    pieces, depth, start = [], 0, 0
    for at, char in enumerate(text):
        if char in "([":
            depth += 1
        elif char in ")]":
            depth -= 1
        elif char == separator and depth == 0:
            pieces.append(text[start:at])
            start = at + 1
    pieces.append(text[start:])
    return [piece for piece in pieces if piece] if separator == " " else pieces if text else []


def _read_modifier(piece: str, modifiers: dict[str, Modifier]) -> None:
    match = _MODIFIER.fullmatch(piece)
    if match is None:
        raise PtxError.of("PTX406", f"modifier {piece!r} is not understood")
    value = match["value"]
    if value is None:
        modifiers[match["key"]] = 1
    elif value.startswith("["):
        modifiers[match["key"]] = tuple(int(item, 0) for item in value[1:-1].split(","))
    elif _LITERAL.fullmatch(value) or _INTEGER.fullmatch(value):
        modifiers[match["key"]] = int(value, 0)
    else:
        modifiers[match["key"]] = value


def _parse_operand(text: str, words: tuple[int, ...]) -> Operand:
    for prefix, suffix in (("-", ""), ("neg(", ")")):
        inner = _inside(text, prefix, suffix)
        if inner is not None and not _is_number(text):
            operand = _parse_operand(inner, words)
            return Operand(operand.value, True, operand.abs, operand.sext)
    for prefix, suffix in (("|", "|"), ("abs(", ")")):
        inner = _inside(text, prefix, suffix)
        if inner is not None:
            operand = _parse_operand(inner, words)
            return Operand(operand.value, operand.neg, True, operand.sext)
    inner = _inside(text, "sext(", ")")
    if inner is not None:
        return Operand(_parse_value(inner, words), sext=True)
    return Operand(_parse_value(text, words))


def _inside(text: str, prefix: str, suffix: str) -> str | None:
    if text.startswith(prefix) and text.endswith(suffix) and len(text) > len(prefix + suffix):
        return text[len(prefix) : len(text) - len(suffix)]
    return None


def _is_number(text: str) -> bool:
    return any(form.fullmatch(text) for form in (_INTEGER, _FLOAT, _LITERAL))


def _parse_value(text: str, words: tuple[int, ...]) -> Reg | Regs | Const | Special | Words:
    if text in _NAMED:
        return _NAMED[text]
    if text in _SPECIAL:
        return _SPECIAL[text]
    listed = _inside(text, "[", "]")
    if listed is not None:
        regs = [_parse_value(item.strip(), words) for item in _split(listed, ",")]
        return Regs(tuple(reg for reg in regs if isinstance(reg, Reg)))
    match = _SINGLE.fullmatch(text)
    if match is not None:
        half = None if match[3] is None else "lh".index(match[3])
        return _register(match[1], int(match[2]), 1, half)
    match = _RANGE.fullmatch(text)
    if match is not None:
        return _register(match[1], int(match[2]), int(match[3]) - int(match[2]) + 1, None)
    return _parse_number(text, words)


def _register(file: str, index: int, count: int, half: int | None) -> Reg:
    if file == "ttmp":
        return Reg(File.S, TTMP + index, count)
    return Reg(File(file), index, count, half)


def _parse_number(text: str, words: tuple[int, ...]) -> Const | Words:
    wide = _inside(text, "lit64(", ")") or _inside(text, "lit(", ")")
    if wide is not None:
        return Const(int(wide, 0), Form.LITERAL64 if text.startswith("lit64") else Form.LITERAL)
    if _LITERAL.fullmatch(text):
        return Const(int(text, 16), Form.LITERAL)
    if _INTEGER.fullmatch(text):
        return Const(int(text), Form.INTEGER)
    if _FLOAT.fullmatch(text):
        return Const(float(text), Form.FLOAT)
    if "64" in text.partition("@")[2].partition("+")[0]:  # of the relocation, not of its offset
        return Const(words[-2] | words[-1] << 32, Form.LITERAL64)
    if "@" in text:  # a relocated literal: the linked word has its value
        return Const(words[-1], Form.LITERAL)
    return Words(text)
