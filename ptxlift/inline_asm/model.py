"""What a compiler says about an `asm` statement and what it gets back.

Comes in: nothing; these are plain records. They must know no PTX and no LLVM.
"""

from __future__ import annotations

from enum import Enum
from typing import TypeAlias

from ptxlift.records import dataclass

Immediate: TypeAlias = int | float | str


class Dialect(Enum):
    """How a template writes its operands; the value is the public name."""

    CUDA = "cuda"  # %0, %[name], %%
    LLVM = "llvm"  # $0, ${0:modifier}, $$


@dataclass(frozen=True, slots=True)
class Operand:
    """One operand of an `asm` statement.

    type: an LLVM type: "i32", "half", "<2 x half>", "ptr addrspace(1)". value: of a constant
    operand ("n"), or the text of a "C" operand. name: for `%[name]`.
    """

    type: str
    value: Immediate | None = None
    name: str | None = None


class Access(Enum):
    """What a statement may do to memory."""

    NONE = "none"
    READ = "read"
    ANY = "any"


@dataclass(frozen=True, slots=True)
class Effects:
    """What a fragment does besides computing its results.

    memory: which accesses. convergent: lanes exchange values or wait for each other, so it must
    not move across branches. side_effects: it must be kept even where its results are unused.
    """

    memory: Access = Access.NONE
    convergent: bool = False
    side_effects: bool = False
