"""What one row of the instruction table holds, and the form an instruction takes from its row.

Comes in: the tables of the chapter modules. Goes out: `Row`, and `Form`: a row with its modifiers
filled in. This module must know no particular instruction, no registers and no syntax nodes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import Enum, Flag, auto
from typing import TypeAlias

from ptxlift.isa.types import NO_TYPE, Type
from ptxlift.records import dataclass, field

Values: TypeAlias = Mapping[str, str]  # modifier name -> its word without dot, "" if absent


class Effect(Flag):
    """What an instruction does besides computing its results; passes ask for this, never for
    opcodes.

    WARP: lanes of the warp take part, so it must not move across branches. FENCE: orders memory.
    """

    PURE = 0
    MEMORY = auto()
    BARRIER = auto()
    FENCE = auto()
    WARP = auto()
    CONTROL = auto()


class Role(Enum):
    RESULT = "result"
    SOURCE = "source"


class OperandKind(Enum):
    """Which sort of operand stands in a place."""

    VALUE = "register or constant"
    REGISTER = "register"
    CONSTANT = "constant"
    PREDICATE = "predicate"
    ADDRESS = "address"
    VECTOR = "vector"
    SPECIAL = "special register"
    SYMBOL = "address of a variable or function"
    ADDRESSABLE = "register or address of a variable"
    REFERENCE = "texture, sampler or surface"
    LABEL = "label"
    FUNCTION = "function"
    ARGUMENTS = "argument list"
    TARGETS = "list of targets or prototype"
    BRACKET = "bracketed list"
    SELECTED = "register with selector"
    SINK = "_"


class Rule(Enum):
    """How a register's declared type must agree with the operand's type."""

    EQUAL = "same size"  # ALU operands, with the kinds of the manual's operand table
    WIDER = "same size or wider"  # ld and cvt results, st and cvt sources
    COUNT = "32-bit integer"  # shift counts, positions, masks: integers and bits only
    SIZE = "same size, any kind"  # shfl lanes, fragments, gradients
    EXACT8 = "8-bit register"
    LAYERED = "an integer, and then the same size"  # coordinates of arrays: the layer


@dataclass(frozen=True, slots=True)
class OperandSpec:
    """One operand of a form: what must stand there and with which type.

    `count`: elements of a vector (0: no vector). `low`, `high`: range of a constant, where there is
    one. `negatable`: `-r` is allowed. `pair`: the second name of `d|p`, "" if none. `sink`: `_` is
    allowed. `constants`: a vector's elements may be constants. `sum`: a register plus a constant.
    `writes`: an address that is written. `parts`: of a bracketed list.
    """

    name: str
    role: Role
    kind: OperandKind
    type: Type
    rule: Rule = Rule.EQUAL
    count: int = 0
    low: int | None = None
    high: int | None = None
    choices: tuple[int, ...] = ()
    multiple: int = 1
    negatable: bool = False
    pair: str = ""
    pair_optional: bool = False
    sink: bool = False
    space: str = ""
    constants: bool = False
    sum: bool = False
    writes: bool = False
    parts: tuple[OperandSpec, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Row:
    """One instruction form; compared by identity.

    name: the semantic name; semantics functions and lowerings are registered under it, and rows
        may share one.
    pattern: the form in the manual's notation: `{.x}` optional modifier, `.x` a set of `sets` or
        the word itself, `{, x}` optional operand, `{|p}` optional second result, `{!}` negation,
        `<sel>` video selector.
    operands: what each operand name of the pattern takes; `operands.py` explains the notation.
    sets: words a modifier of the pattern stands for, without dots.
    since: least `.version` and target: "6.0 sm_70", or "8.6 tcgen05" with a name of
        `versions.ARCHITECTURES`.
    minima: words (joined by `+` when all must be there) that need more than `since`.
    when: which combinations of modifiers exist; None: all.
    removed: "6.4 sm_70": gone from that version on targets from that one on.
    effect: what it does besides computing results.
    carry: uses of the carry flag: "", "in", "out" or "in out".
    """

    name: str
    pattern: str
    operands: str = ""
    sets: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    since: str = "1.4 sm_10"
    minima: Mapping[str, str] = field(default_factory=dict)
    when: Callable[[Values], bool] | None = None
    removed: str = ""
    effect: Effect = Effect.PURE
    carry: str = ""

    @property
    def opcode(self) -> str:
        """The first word of the pattern."""
        head = self.pattern.removeprefix("@p ").split(" ", 1)[0]
        return head.split(".", 1)[0].split("{", 1)[0]


class Form:
    """A row with its modifiers and optional operands chosen; shared by all instructions that look
    alike.

    `name`: the row's semantic name. `types`: the type modifiers, in order; `type`: the first of
    them. `operands`: only those that are present. `get(key)`: a modifier's word without dot, "" if
    absent.
    """

    __slots__ = ("name", "operands", "row", "type", "types", "values")

    def __init__(
        self,
        row: Row,
        values: dict[str, str],
        types: tuple[Type, ...],
        operands: tuple[OperandSpec, ...],
    ) -> None:
        self.row = row
        self.name = row.name
        self.values = values
        self.types = types
        self.type = types[0] if types else NO_TYPE
        self.operands = operands

    def get(self, key: str) -> str:
        return self.values.get(key, "")

    def __repr__(self) -> str:
        words = "".join(f".{word}" for word in self.values.values() if word)
        return f"<{self.row.opcode}{words}>"
