"""The syntax tree: what the grammar says, before any name or type is known.

Real PTX repeats itself: most statements differ only in names and numbers. So an instruction is a
*shape* (shared by all statements that look alike) plus its *atoms*: the texts of the names and
literals, in source order. Operand trees belong to the shape and refer to atoms by slot; nothing per
instruction is built but one small node. This module must know no instruction.
"""

from __future__ import annotations

from typing import TypeAlias

from ptxlift.diag import Source, Span
from ptxlift.records import dataclass, field

# ---- expressions and operands (shared by all instructions of one shape; texts are the atoms) ----


@dataclass(frozen=True, slots=True)
class Name:
    """An identifier: register, variable, label, function or special register.

    `component` is what follows its dot: "x" "y" "z" "w" "r" "g" "b" "a", or a video selector such
    as "b0", "h1", "b10", "b3210"; empty if there is none.
    """

    slot: int
    component: str = ""


@dataclass(frozen=True, slots=True)
class Literal:
    """A number as written: decimal, 0x, 0b, octal (suffix U allowed), 0f/0d, float, `WARP_SZ`."""

    slot: int


@dataclass(frozen=True, slots=True)
class Unary:
    """A prefix operator of a constant expression (`-` `+` `~` `!`) or a cast (`(.s64)`)."""

    operator: str
    operand: Expression


@dataclass(frozen=True, slots=True)
class Binary:
    """An infix operator of a constant expression."""

    operator: str
    left: Expression
    right: Expression


@dataclass(frozen=True, slots=True)
class Conditional:
    """`condition ? then : otherwise` of a constant expression."""

    condition: Expression
    then: Expression
    otherwise: Expression


@dataclass(frozen=True, slots=True)
class SymbolCall:
    """`generic(sym)` or a byte mask `0xff(sym)` in an initialiser; both fields are atom slots.

    Inside a mask the symbol may have an offset and may itself be `generic(...)`:
    `0xff(generic(sym)+4)`.
    """

    function: int
    symbol: int
    offset: Expression | None = None
    generic: bool = False


Expression: TypeAlias = Literal | Name | Unary | Binary | Conditional | SymbolCall


@dataclass(frozen=True, slots=True)
class Negated:
    """`!p` on a predicate source."""

    operand: Name


@dataclass(frozen=True, slots=True)
class Minus:
    """`-r` on a register source (vmad)."""

    operand: Name


@dataclass(frozen=True, slots=True)
class Sink:
    """`_` as a result or vector element."""


@dataclass(frozen=True, slots=True)
class Pair:
    """`d|p`: a result and its predicate; either may be a sink. Texture results: `{...}|p`."""

    first: Name | Sink | Vector
    second: Name | Sink


@dataclass(frozen=True, slots=True)
class Vector:
    """`{a, b, ...}`."""

    elements: tuple[Operand, ...]


@dataclass(frozen=True, slots=True)
class Address:
    """`[base+offset]`, `[imm]` or `name[index]`. `base` None: an immediate address."""

    base: Name | None
    offset: Expression | None = None
    subscript: bool = False  # written as name[index]; the index is a constant or a register


@dataclass(frozen=True, slots=True)
class Bracket:
    """`[a, {x, y}]` and `[a, b, {x, y}]` of textures, surfaces and tensor maps."""

    parts: tuple[Operand, ...]


@dataclass(frozen=True, slots=True)
class Offset:
    """`name+imm` without brackets: a variable's address plus a constant."""

    base: Name
    offset: Expression


@dataclass(frozen=True, slots=True)
class Parens:
    """`(a, b)` lists of a call.

    The grammar knows no instruction, so an operand that is one value in parentheses is always a
    `Parens` of one element: `call f, (5)` but also `mov.u32 %r1, (5)`. Whoever knows the
    instruction unwraps the latter.
    """

    elements: tuple[Operand, ...]


Operand: TypeAlias = (
    Expression | Negated | Minus | Sink | Pair | Vector | Address | Bracket | Offset | Parens
)


@dataclass(frozen=True, slots=True, eq=False)
class Shape:
    """What all statements of one look share: one object a look, compared by identity."""

    opcode: str  # first word: "ld"
    modifiers: tuple[str, ...]  # the rest, without dots: ("global", "v2", "f32")
    operands: tuple[Operand, ...]
    guard: int | None = None  # atom slot of the guard predicate
    guard_negated: bool = False


@dataclass(frozen=True, slots=True)
class Instruction:
    """One instruction. `start`, `end`: character offsets in the source, the `;` excluded."""

    shape: Shape
    atoms: tuple[str, ...]
    start: int
    end: int


# ---- other statements ----


@dataclass(frozen=True, slots=True)
class Label:
    name: str
    start: int


@dataclass(frozen=True, slots=True)
class Block:
    """`{ ... }` with its own scope of registers and labels."""

    statements: tuple[Statement, ...]
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Loc:
    """`.loc file line column[, function_name label[+n], inlined_at file line column]`."""

    file: int
    line: int
    column: int
    start: int
    function_name: str = ""
    function_offset: int = 0
    inlined_at: tuple[int, int, int] | None = None


@dataclass(frozen=True, slots=True)
class Pragma:
    strings: tuple[str, ...]
    start: int


@dataclass(frozen=True, slots=True)
class Targets:
    """`label: .branchtargets a, b;` or `.calltargets f, g;` (`kind`: the directive, no dot).

    A range `base<3>` is written out: `base0, base1, base2`.
    """

    label: str
    kind: str
    names: tuple[str, ...]
    start: int


@dataclass(frozen=True, slots=True)
class CallPrototype:
    label: str
    returns: tuple[Parameter, ...]
    parameters: tuple[Parameter, ...]
    start: int
    attributes: tuple[Attribute, ...] = ()


@dataclass(frozen=True, slots=True)
class Initializer:
    """An initial value: an expression over `atoms`, or nested braces.

    Only the outermost initialiser has atoms and a place. `settings` are the fields of an opaque
    variable, `{ width = 8 }`, as (name, value text); `value` is then empty.
    """

    value: Expression | tuple[Initializer, ...]
    atoms: tuple[str, ...] = ()
    start: int = 0
    settings: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Declarator:
    """One name of a declaration: `x`, `x[4][]`, `%r<100>`, with its initial value."""

    name: str
    start: int
    dimensions: tuple[int | None, ...] = ()  # None: `[]`
    count: int | None = None  # `<count>`
    initializer: Initializer | None = None


@dataclass(frozen=True, slots=True)
class Declaration:
    """`.reg .v2 .f32 a, b<3>;` and variables of every state space.

    `space`: "reg" "global" "const" "shared" "local" "param" "tex"; `type`: "u32", "b8", "texref";
    `linkage`: "" "extern" "visible" "weak" "common"; `attributes`: "managed", "unified(1,2)";
    `bank`: the number in `.const[2]`, which PTX before 2.2 has.
    """

    space: str
    type: str
    declarators: tuple[Declarator, ...]
    start: int
    end: int
    align: int | None = None
    vector: int = 1
    linkage: str = ""
    attributes: tuple[str, ...] = ()
    bank: int | None = None


@dataclass(frozen=True, slots=True)
class Parameter:
    """A formal parameter; the `pointer_` fields belong to `.ptr`."""

    space: str  # "param" or "reg"
    type: str
    name: str
    start: int
    align: int | None = None
    dimensions: tuple[int | None, ...] = ()
    vector: int = 1
    pointer: bool = False
    pointer_space: str = ""
    pointer_align: int | None = None


@dataclass(frozen=True, slots=True)
class Attribute:
    """A directive of a function header: `.maxntid 16, 16`, `.noreturn`, `.abi_preserve 4`, ..."""

    name: str
    values: tuple[int, ...]
    start: int


@dataclass(frozen=True, slots=True)
class Function:
    """`.entry` or `.func`; `body` None: a prototype."""

    kind: str  # "entry" or "func"
    name: str
    returns: tuple[Parameter, ...]
    parameters: tuple[Parameter, ...]
    body: Block | None
    start: int  # of the name
    end: int
    linkage: str = ""
    attributes: tuple[Attribute, ...] = ()
    pragmas: tuple[Pragma, ...] = ()


@dataclass(frozen=True, slots=True)
class Alias:
    name: str
    target: str
    start: int


@dataclass(frozen=True, slots=True)
class File:
    index: int
    name: str
    start: int
    time: int | None = None
    size: int | None = None


@dataclass(frozen=True, slots=True)
class Section:
    """`.section .debug_x { ... }`; `text` is what stands between the braces."""

    name: str
    text: str
    start: int


Statement: TypeAlias = (
    Instruction | Label | Block | Declaration | Loc | Pragma | Targets | CallPrototype
)
Item: TypeAlias = Declaration | Function | Alias | File | Section | Pragma


@dataclass(frozen=True, slots=True, eq=False)
class Module:
    """One PTX text. `version`: (9, 0); `targets`: ("sm_90", "debug", ...) as written."""

    source: Source
    version: tuple[int, int]
    targets: tuple[str, ...]
    address_size: int | None
    items: tuple[Item, ...]
    header_starts: dict[str, int] = field(default_factory=dict)  # directive -> offset of its value

    def span(self, start: int, end: int | None = None) -> Span:
        return Span(self.source, start, start + 1 if end is None else end)
