"""The typed program: what the checker makes and what lifter and interpreter read.

Comes in: nothing; these are plain records. Every name is an object, compared by identity; every
operand has the type its instruction gives it; bodies are flat. This module must know nothing of
syntax nodes or of how PTX is checked. Records are built once per instruction of big programs, so
they are plain slots (a frozen dataclass costs three times as much to make); nobody changes them
after `check`.
"""

from __future__ import annotations

from enum import Enum
from typing import TypeAlias

from ptxlift.diag import Source, Span
from ptxlift.isa import Form, Type
from ptxlift.records import dataclass, field


class Space(Enum):
    """State spaces of variables."""

    GLOBAL = "global"
    CONST = "const"
    SHARED = "shared"
    LOCAL = "local"
    PARAM = "param"


# ---- symbols ----


@dataclass(slots=True, eq=False)
class Register:
    """A register; unique, whatever its name.

    `vector`: 1, 2 or 4. `index`: position in `Function.registers`.
    """

    name: str
    type: Type
    vector: int = 1
    index: int = 0
    signature: str = ""  # what checking an operand needs to know, as one hashable word

    def __repr__(self) -> str:
        return self.name


@dataclass(slots=True, frozen=True)
class Relocation:
    """A symbol's address inside initial data.

    `size` bytes at `offset` hold (address + addend) >> `shift`, cut to `size` bytes. `generic`: the
    generic address.
    """

    offset: int
    size: int
    symbol: Variable | Function
    addend: int = 0
    generic: bool = False
    shift: int = 0


@dataclass(slots=True, frozen=True)
class Initial:
    """Initial value of a variable: its bytes (symbol fields are zero) and relocations over them."""

    data: bytes
    relocations: tuple[Relocation, ...] = ()


@dataclass(slots=True, eq=False)
class Variable:
    """A variable or parameter.

    `type`: of one element; `vector`: elements of `.v2`/`.v4`; `dims`: array dimensions, () for a
    scalar (an incomplete one is 0); `size`: bytes of the whole; `align`: bytes. `offset`: of kernel
    parameters, in the natural layout of PTX; -1 otherwise. `pointer_space`, `pointer_align`: from
    `.ptr` of a kernel parameter.
    """

    name: str
    space: Space
    type: Type
    vector: int = 1
    dims: tuple[int, ...] = ()
    align: int = 1
    size: int = 0
    linkage: str = ""  # "" "extern" "visible" "weak" "common"
    initializer: Initial | None = None
    managed: bool = False
    offset: int = -1
    pointer: bool = False
    pointer_space: Space | None = None
    pointer_align: int = 0
    signature: str = ""
    start: int = 0

    def __repr__(self) -> str:
        return self.name


@dataclass(slots=True, eq=False)
class Label:
    """A place in a body; unique, whatever its name."""

    name: str
    signature: str = "label"

    def __repr__(self) -> str:
        return self.name


# ---- operands ----


@dataclass(slots=True)
class Immediate:
    """A constant as a bit pattern of `type` (two's complement, or the float's bits)."""

    bits: int
    type: Type


@dataclass(slots=True)
class SpecialRegister:
    """`%tid.x`: name without component, component "x".."w" or "" (scalar, or the whole vector of
    `mov.v4`).
    """

    name: str
    component: str
    type: Type


@dataclass(slots=True)
class RegisterComponent:
    """`v.x` of a vector register; `index` 0..3."""

    register: Register
    index: int


@dataclass(slots=True)
class RegisterOffset:
    """`mov d, register+offset`."""

    register: Register
    offset: int


@dataclass(slots=True)
class Selected:
    """`r.b0`, `r.h1`, `r.b3210` of the video instructions; `negated` for vmad's `-r`."""

    register: Register
    selector: str
    negated: bool = False


@dataclass(slots=True)
class Negated:
    """`!p` on a predicate source."""

    register: Register


@dataclass(slots=True)
class Memory:
    """`[base+offset]`; the state space is in the form (`form.get("ss")`, "" is generic).

    `base` None: absolute.
    """

    base: Register | RegisterComponent | Variable | None
    offset: int


@dataclass(slots=True)
class SymbolAddress:
    """The address of a symbol, in the symbol's own state space, plus a constant."""

    symbol: Variable | Function
    offset: int


@dataclass(slots=True)
class LabelRef:
    label: Label


@dataclass(slots=True)
class VectorOperand:
    """`{a, b, ...}` or a vector register spelled out; results may hold `SINK`."""

    elements: tuple[Element, ...]


@dataclass(slots=True)
class PairOperand:
    """`d|p`: both results; either may be `SINK`."""

    first: Register | VectorOperand | Sink
    second: Register | Sink


class Sink(Enum):
    """`_`: a result nobody wants."""

    SINK = "_"


SINK = Sink.SINK


@dataclass(slots=True)
class FunctionRef:
    function: Function


@dataclass(slots=True)
class ArgList:
    """Arguments or results of a call: registers, constants or `.param` variables."""

    elements: tuple[Register | Immediate | Variable | Sink, ...]


@dataclass(slots=True)
class Prototype:
    """`.callprototype`: what a called address takes and returns."""

    returns: tuple[Variable | Register, ...]
    params: tuple[Variable | Register, ...]
    noreturn: bool = False


@dataclass(slots=True)
class TargetsRef:
    """`.branchtargets` (labels) or `.calltargets` (functions) of an indirect branch or call."""

    kind: str
    labels: tuple[Label, ...] = ()
    functions: tuple[Function, ...] = ()


@dataclass(slots=True)
class PrototypeRef:
    prototype: Prototype


@dataclass(slots=True)
class BracketOperand:
    """`[t, s, {x, y}]` of textures, surfaces and tensor maps."""

    parts: tuple[Operand, ...]


Element: TypeAlias = Register | RegisterComponent | Immediate | Sink
Operand: TypeAlias = (
    Register
    | Immediate
    | SpecialRegister
    | RegisterComponent
    | RegisterOffset
    | Selected
    | Negated
    | Memory
    | SymbolAddress
    | LabelRef
    | VectorOperand
    | PairOperand
    | Sink
    | FunctionRef
    | ArgList
    | TargetsRef
    | PrototypeRef
    | BracketOperand
)


# ---- statements ----


@dataclass(slots=True, eq=False)
class Inst:
    """One instruction.

    `operands` are in the order of `form.operands`; `start`, `end`: offsets in the source.
    """

    form: Form
    operands: tuple[Operand, ...]
    guard: Register | None
    guard_negated: bool
    start: int
    end: int


@dataclass(slots=True, eq=False)
class LabelMark:
    """Where a label stands."""

    label: Label
    start: int


@dataclass(slots=True, eq=False)
class LocMark:
    """`.loc`: the source line of what follows. `inlined_at`: (file, line, column) of the call."""

    file: int
    line: int
    column: int
    start: int
    function_name: str = ""
    function_offset: int = 0
    inlined_at: tuple[int, int, int] | None = None


Statement: TypeAlias = Inst | LabelMark | LocMark


# ---- functions and modules ----


@dataclass(slots=True, eq=False)
class Function:
    """`.entry` or `.func`.

    `body` None: only declared. `attributes`: "maxntid" -> (256, 1, 1), "noreturn" -> ().

    `registers` are those of all scopes; `locals` the variables declared in the body, every state
    space.
    """

    name: str
    kind: str  # "entry" or "func"
    linkage: str
    params: tuple[Variable | Register, ...] = ()
    returns: tuple[Variable | Register, ...] = ()
    attributes: dict[str, tuple[int, ...]] = field(default_factory=dict)
    body: tuple[Statement, ...] | None = None
    locals: tuple[Variable, ...] = ()
    registers: tuple[Register, ...] = ()
    pragmas: tuple[str, ...] = ()
    start: int = 0
    signature: str = "function"

    def __repr__(self) -> str:
        return self.name


@dataclass(slots=True, eq=False)
class Module:
    """A checked PTX module.

    `sm`: 90; `target`: "sm_90a"; `aliases`: new name -> function; `files`: index -> name.
    """

    source: Source
    version: tuple[int, int]
    sm: int
    target: str
    address_size: int
    functions: dict[str, Function] = field(default_factory=dict)
    variables: dict[str, Variable] = field(default_factory=dict)
    aliases: dict[str, Function] = field(default_factory=dict)
    files: dict[int, str] = field(default_factory=dict)
    options: frozenset[str] = frozenset()  # of .target: "debug", "texmode_independent", ...

    def span(self, start: int, end: int | None = None) -> Span:
        return Span(self.source, start, start + 1 if end is None else end)
