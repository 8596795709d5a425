"""Numbers that follow from the thread alone, such as offsets in shared memory.

Comes in: a function whose block is a row of threads, all of its warps full. Goes out: a value in
each thread, as a symbol's address and what is added to it. It must know no target.
"""

from __future__ import annotations

from collections.abc import Callable

from ptxlift.ir.attributes import Special
from ptxlift.ir.core import Function, Op, Value
from ptxlift.ir.lane_values import LOW_OPERATIONS
from ptxlift.records import dataclass

_WIDTH = 32
_MASK = (1 << _WIDTH) - 1
_WARP = 32

_OPERATIONS: dict[str, Callable[..., int]] = {
    **LOW_OPERATIONS,
    "shl": lambda a, b: a << b,
    "lshr": lambda a, b: a >> b,
    "bfe_u": lambda a, at, size: a >> at & (1 << size) - 1,
    "bfe_s": lambda a, at, size: (
        (a << _WIDTH - at - size & _MASK ^ 1 << 31) - (1 << 31) >> _WIDTH - size
    ),
}
_AMOUNTS = frozenset({"shl", "lshr", "bfe_u", "bfe_s"})  # operands behind the first are small


@dataclass(frozen=True, slots=True)
class Spread:
    """A value in each thread: `numbers`, modulo 2 ** 32, added to the address of `symbol`."""

    numbers: tuple[int, ...]
    symbol: str = ""


class ThreadValues:
    """The values of one function."""

    def __init__(self, function: Function) -> None:
        x, y, z = function.bounds.reqntid or (0, 0, 0)
        is_row = function.is_kernel and x % _WARP == 0 and y == z == 1
        self.threads = x if is_row else 0
        self._known: dict[Value, Spread | None] = {}

    def of(self, value: Value) -> Spread | None:
        """A word in all threads; None if it depends on more than the thread."""
        if value not in self._known:
            self._known[value] = None  # should it depend on itself
            self._known[value] = self._find(value)
        return self._known[value]

    def _find(self, value: Value) -> Spread | None:
        op = value.definition
        if not self.threads or not isinstance(op, Op) or value.width != _WIDTH:
            return None
        match op.name:
            case "const":
                bits = op.attr("bits")
                assert isinstance(bits, int)
                return Spread((bits,) * self.threads)
            case "symbol_address":
                return Spread((0,) * self.threads, str(op.attr("symbol")))
            case "special":
                return self._special(op)
            case _:
                return self._computed(op)

    def _special(self, op: Op) -> Spread | None:
        match op.attr("register"):
            case Special.TID_X:
                return Spread(tuple(range(self.threads)))
            case Special.LANEID:
                return Spread(tuple(thread % _WARP for thread in range(self.threads)))
            case Special.TID_Y | Special.TID_Z:
                return Spread((0,) * self.threads)
            case _:
                return None

    def _computed(self, op: Op) -> Spread | None:
        operation = _OPERATIONS.get(op.name)
        found = [self.of(operand) for operand in op.operands] if operation else []
        operands = [spread for spread in found if spread is not None]
        if operation is None or len(operands) < len(found):
            return None
        symbols = [spread.symbol for spread in operands if spread.symbol]
        if symbols and (op.name != "add" or len(symbols) > 1):
            return None
        columns = list(zip(*(spread.numbers for spread in operands), strict=True))
        if op.name in _AMOUNTS and any(not _is_inside(column[1:]) for column in columns):
            return None
        numbers = tuple(operation(*column) & _MASK for column in columns)
        return Spread(numbers, *symbols)


def _is_inside(amounts: tuple[int, ...]) -> bool:
    """Whether a shift or a field stays in the word; a field has at least one bit."""
    is_field = len(amounts) > 1
    return sum(amounts) <= _WIDTH - (not is_field) and amounts[-1] >= is_field
