"""What the emulator's core and its vector ALU tables agree on.

Comes in: nothing. Goes out: operand kinds, the description of one vector operation (`ValuOp`) and
the floating-point context (`Ctx`) each one receives. It must not know registers, waves, EXEC
or text.

Calling convention. `fn(ctx, *sources, **keywords)` gets one numpy array a source, in the order of
the assembly text, and returns one array (or a tuple of arrays, one a destination). Arrays are at
least one-dimensional and broadcast against each other: a vector register has one value a lane, a
scalar or constant has length 1 on some or all axes. So every function is elementwise and
indifferent to shape, may return a broadcastable shape or one of its sources unchanged, and never
writes into a source. Float kinds travel as unsigned bit patterns of their width. abs, neg, sext,
SDWA, DPP, EXEC, omod and the float clamp are applied by the caller.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ptxlift.records import dataclass, field

Bits = NDArray[Any]  # unsigned patterns of several widths, or bool: one alias keeps tables readable


class Kind(Enum):
    """How the bits of an operand are handed over; see `dtype_of` for the numpy type."""

    B16 = "b16"
    B32 = "b32"
    B64 = "b64"
    F16 = "f16"
    BF16 = "bf16"
    F32 = "f32"
    F64 = "f64"
    P16 = "p16"  # two 16-bit halves in one uint32
    P32 = "p32"  # two 32-bit values in one uint64, the first in the low half
    B96 = "b96"  # uint32 with a trailing axis of 3
    B128 = "b128"  # uint32 with a trailing axis of 4
    MASK = "mask"  # one bool a lane


DTYPES: dict[Kind, type[np.generic]] = {
    Kind.B16: np.uint16,
    Kind.F16: np.uint16,
    Kind.BF16: np.uint16,
    Kind.B32: np.uint32,
    Kind.F32: np.uint32,
    Kind.P16: np.uint32,
    Kind.B96: np.uint32,
    Kind.B128: np.uint32,
    Kind.B64: np.uint64,
    Kind.F64: np.uint64,
    Kind.P32: np.uint64,
    Kind.MASK: np.bool_,
}

REGISTERS: dict[Kind, int] = {
    Kind.B64: 2,
    Kind.F64: 2,
    Kind.P32: 2,
    Kind.B96: 3,
    Kind.B128: 4,
}
"""How many 32-bit registers a kind takes; one where absent."""

FLOATS = frozenset({Kind.F16, Kind.BF16, Kind.F32, Kind.F64})
HALVES = frozenset({Kind.B16, Kind.F16, Kind.BF16})


class Approx(Enum):
    """How approximate operations (rcp, rsq, sqrt, exp, log, sin, cos) err within AMD's bound."""

    EXACT = "exact"
    PLUS = "+bound"
    MINUS = "-bound"
    RANDOM = "random"


class Rounding(Enum):
    """MODE's rounding fields, by their encoding."""

    NEAREST_EVEN = 0
    UP = 1
    DOWN = 2
    ZERO = 3


@dataclass(frozen=True, slots=True)
class Ctx:
    """The MODE register as float operations see it, the chip, and how approximations behave."""

    round32: Rounding = Rounding.NEAREST_EVEN
    round64: Rounding = Rounding.NEAREST_EVEN  # f64 and f16
    flush_in32: bool = False
    flush_out32: bool = False
    flush_in64: bool = False  # f64 and f16
    flush_out64: bool = False
    ieee: bool = True
    dx10_clamp: bool = True
    major: int = 9  # chip generation: 9 for gfx9xx, 10, 11, 12
    target: str = "gfx942"
    approx: Approx = Approx.EXACT
    rng: np.random.Generator = field(default_factory=lambda: np.random.default_rng(0))


@dataclass(frozen=True, slots=True)
class Flags:
    """What the caller must do around the function."""

    reads_dst: bool = False  # the old destination is handed over as one more source, last
    packed: bool = (
        False  # fn takes op_sel, op_sel_hi, neg_lo, neg_hi as tuples of bool, one a source
    )
    implicit_vcc: bool = False  # VCC is handed over as a MASK after the written sources
    int_clamp: bool = False  # fn takes clamp=bool and saturates itself
    signed: bool = False  # an integer result is signed (for apply_clamp)
    trans: bool = False  # transcendental: cost class
    f64: bool = False  # double rate cost class
    keywords: tuple[str, ...] = ()  # text modifiers handed over as int keywords, such as "bitop3"


@dataclass(frozen=True, slots=True)
class ValuOp:
    """One vector operation: kinds of what it writes and reads, and the function itself."""

    dst: tuple[Kind, ...]
    srcs: tuple[Kind, ...]
    fn: Callable[..., Any]  # keywords differ by operation
    flags: Flags = Flags()


def dtype_of(kind: Kind) -> type[np.generic]:
    """The numpy type in which a kind is handed over."""
    return DTYPES[kind]
