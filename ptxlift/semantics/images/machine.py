"""What sampling needs besides arithmetic: memory and choices."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol, TypeVar

from ptxlift.ir.attributes import AtomicOp, Number
from ptxlift.semantics.algebra import Algebra

V = TypeVar("V")
Values = Sequence[V]


class ImageMachine(Protocol[V]):
    """Memory by 64-bit addresses. Branches may part the lanes; what they give back meets again."""

    @property
    def algebra(self) -> Algebra[V]: ...

    def object_words(self, address: V, count: int) -> Sequence[V]:
        """Dwords of an object or a table of levels, which no kernel changes."""

    def load(self, address: V, width: int, count: int = 1) -> Sequence[V]:
        """Elements of an image, from an aligned address."""

    def store(self, address: V, values: Sequence[V], width: int) -> None:
        """Writes elements of an image."""

    def reduce(self, address: V, value: V, width: int, op: AtomicOp, number: Number) -> None:
        """An atomic operation on an element, without its old value."""

    def either(
        self, condition: V, yes: Callable[[], Sequence[V]], no: Callable[[], Sequence[V]]
    ) -> Sequence[V]:
        """What one of two ways gives, each run only by its lanes."""

    def when(self, condition: V, action: Callable[[], None]) -> None:
        """Runs an action by the lanes whose condition holds."""

    def trap(self) -> None:
        """Aborts the grid; the last thing in an action."""
