"""What a name in a body can mean, and the scopes that say so.

Comes in: declarations. Goes out: one dictionary in which every visible name is its object; leaving
a block restores what the block shadowed, so entering one costs nothing but its own declarations.
This module must know no instruction.
"""

from __future__ import annotations

from typing import TypeAlias

from ptxlift.ptx.module import Function, Label, PrototypeRef, Register, TargetsRef, Variable
from ptxlift.ptx.specials import Special
from ptxlift.records import dataclass


@dataclass(slots=True, eq=False)
class TargetList:
    """A label of `.branchtargets`, `.calltargets` or `.callprototype`."""

    operand: TargetsRef | PrototypeRef
    signature: str  # "branchtargets", "calltargets" or "prototype"


Symbol: TypeAlias = Register | Variable | Function | Label | TargetList | Special


class Scope:
    """The names visible at one place. `names` is read directly where speed counts."""

    def __init__(self, names: dict[str, Symbol]) -> None:
        self.names = names
        self._undo: list[dict[str, Symbol | None]] = []

    def enter(self) -> None:
        self._undo.append({})

    def leave(self) -> None:
        for name, old in self._undo.pop().items():
            if old is None:
                del self.names[name]
            else:
                self.names[name] = old

    def declares(self, name: str) -> bool:
        """Whether the innermost block declares the name itself."""
        return name in self._undo[-1]

    def declare(self, name: str, symbol: Symbol) -> None:
        undo = self._undo[-1]
        if name not in undo:
            undo[name] = self.names.get(name)
        self.names[name] = symbol
