"""The SSA IR: Value, Op, Block, Function, Module.

Blocks take parameters (there is no phi); a terminator passes arguments to each successor. Only
ops, blocks and builders mutate. Knows nothing of PTX syntax or of LLVM.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeAlias

from ptxlift.diag import Source
from ptxlift.ir.attributes import Space
from ptxlift.ir.ops import OpDef
from ptxlift.records import dataclass, field

Attribute: TypeAlias = object  # an int, bool, str, Enum or tuple of these: hashable and printable


class Value:
    """A bit pattern of `width` bits. `definition`: the op, or the block whose parameter it is."""

    __slots__ = ("definition", "index", "width")

    def __init__(self, width: int, definition: Op | Block, index: int = 0) -> None:
        self.width = width
        self.definition = definition
        self.index = index


class Op:
    """One operation. `attrs` in the order of `opdef.attributes`; `span`: character offset of
    its PTX, or -1.
    """

    __slots__ = ("arguments", "attrs", "opdef", "operands", "results", "span", "successors")

    def __init__(
        self,
        opdef: OpDef,
        operands: Sequence[Value],
        attrs: tuple[Attribute, ...] = (),
        widths: Sequence[int] = (),
        span: int = -1,
    ) -> None:
        self.opdef = opdef
        self.operands = list(operands)
        self.attrs = attrs
        self.results = [Value(width, self, index) for index, width in enumerate(widths)]
        self.span = span
        self.successors: list[Block] = []
        self.arguments: list[list[Value]] = []  # one list a successor

    @property
    def name(self) -> str:
        return self.opdef.name

    @property
    def result(self) -> Value:
        return self.results[0]

    def attr(self, name: str) -> Attribute:
        return self.attrs[self.opdef.attributes.index(name)]


class Block:
    """A straight line of ops; the last one is a terminator."""

    __slots__ = ("name", "ops", "params")

    def __init__(self, name: str) -> None:
        self.name = name
        self.params: list[Value] = []
        self.ops: list[Op] = []

    def add_param(self, width: int) -> Value:
        value = Value(width, self, len(self.params))
        self.params.append(value)
        return value

    @property
    def terminator(self) -> Op:
        return self.ops[-1]


@dataclass(slots=True)
class Slot:
    """A function-local variable in local memory, or the buffer of an aggregate call argument."""

    name: str
    size: int
    align: int


@dataclass(slots=True)
class KernelParam:
    """A kernel parameter at PTX's own offset. `pointer_space`: from `.ptr`, for metadata and
    alignment.
    """

    name: str
    offset: int
    size: int
    align: int
    type: str
    is_array: bool = False
    pointer_space: str = ""
    pointer_align: int = 1


@dataclass(slots=True)
class LaunchBounds:
    """From performance directives; None where not given."""

    reqntid: tuple[int, int, int] | None = None
    maxntid: tuple[int, int, int] | None = None
    minnctapersm: int | None = None
    maxnreg: int | None = None
    cluster: tuple[int, int, int] | None = None  # blocks
    max_cluster: int | None = None
    blocks_are_clusters: bool = False


@dataclass(frozen=True, slots=True)
class Apart:
    """An op that waits for lanes of a warp which may not come to it together. `certain`: they do
    not, else it is assumed that they do; `span`: PTX offset of the op.
    """

    certain: bool
    span: int


OUTSIDE = "outside."  # in front of the names of functions that linked bitcode defines


@dataclass(frozen=True, slots=True)
class Location:
    """What a `.loc` says of the text from offset `start` on: a place in the source that the PTX was
    made from. `function`: the inlined function it lies in, with the place of its call.
    """

    start: int
    file: str
    line: int
    column: int
    function: str = ""
    inlined_at: Location | None = None


@dataclass(frozen=True, slots=True)
class Origin:
    """The text that the spans of a function's ops count in, and its locations by their start."""

    source: Source
    locations: tuple[Location, ...] = ()


@dataclass(eq=False, slots=True)
class Function:
    """A kernel or device function. A declaration has no blocks. Entry: `blocks[0]`; its params are
    the arguments (none for a kernel, whose parameters are read by `kernel_param`)."""

    name: str
    is_kernel: bool
    linkage: str = ""  # "" (module-private), "visible", "extern", "weak"
    blocks: list[Block] = field(default_factory=list)
    param_widths: tuple[int, ...] = ()
    result_widths: tuple[int, ...] = ()
    kernel_params: list[KernelParam] = field(default_factory=list)
    param_bytes: int = 0
    slots: list[Slot] = field(default_factory=list)
    bounds: LaunchBounds = field(default_factory=LaunchBounds)
    noreturn: bool = False
    printf_formats: dict[str, None] = field(default_factory=dict)  # in order of first use
    apart: Apart | None = None
    origin: Origin | None = None

    def ops(self) -> Iterator[Op]:
        for block in self.blocks:
            yield from block.ops


@dataclass(frozen=True, slots=True)
class Relocation:
    """`size` bytes at `offset` hold `(address of symbol + addend) >> shift`; `generic`: the
    generic address.
    """

    offset: int
    size: int
    symbol: str
    addend: int = 0
    generic: bool = False
    shift: int = 0


@dataclass(slots=True)
class Variable:
    """A module variable in GLOBAL, CONST or SHARED space. `data` None: no initial value. `size` 0
    with `external`: dynamic shared memory (`extern .shared x[]`)."""

    name: str
    space: Space
    size: int
    align: int
    linkage: str = ""
    data: bytes | None = None
    relocations: tuple[Relocation, ...] = ()
    is_object: bool = False  # of a texture, sampler or surface; `data` as `target.image_object`

    @property
    def is_dynamic_shared(self) -> bool:
        return self.space is Space.SHARED and self.linkage == "extern"


@dataclass(eq=False, slots=True)
class Module:
    name: str
    functions: dict[str, Function] = field(default_factory=dict)
    variables: dict[str, Variable] = field(default_factory=dict)
    version: tuple[int, int] = (0, 0)  # of PTX, the newest of its sources
