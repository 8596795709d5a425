"""Local memory that only plain loads and stores of one function reach becomes values.

Code that nobody has optimised keeps every variable there. Locks, loops that wait and distances of
shuffles are found only where values lead from one operation to the next. Comes in: a function. Goes
out: the same function, changed in place. What is read in other pieces than it was written, volatile
accesses, and slots whose address goes elsewhere stay as they are.
"""

from __future__ import annotations

from collections.abc import Iterator

from ptxlift.ir import core as ir
from ptxlift.ir.attributes import Order, Space
from ptxlift.ir.core import Block, Function, Op, Value
from ptxlift.ir.dominators import predecessors, reverse_post_order, successors
from ptxlift.lifter.ssa import Node, Variables

Place = tuple[int, int]  # slot, bytes from its start
Cell = tuple[int, int, int]  # slot, bytes from its start, bits
_SAME = frozenset({"zext", "sext", "trunc", "to_generic", "from_generic"})
_SIGN, _WRAP = 1 << 31, 1 << 32


def values_for_locals(module: ir.Module) -> None:
    """Rewrites all functions of a module that have local memory."""
    for function in module.functions.values():
        if function.slots and function.blocks:
            _Promotion(function).run()


class _Promotion:
    """The change of one function."""

    def __init__(self, function: Function) -> None:
        self._function = function
        self._order = reverse_post_order(function.blocks[:1], successors)
        self._places: dict[Value, Place] = {}
        self._lost: set[int] = set()  # slots whose address goes elsewhere
        self._accesses: dict[Op, list[Cell]] = {}
        for block in self._order:
            for op in block.ops:
                self._look(op)

    def run(self) -> None:
        cells = self._whole_cells()
        plain = {op for op, touched in self._accesses.items() if cells.issuperset(touched)}
        if plain:
            _replace(self._function, self._order, self._accesses, plain)

    # ---- where addresses go ----

    def _look(self, op: Op) -> None:
        if op.name == "frame_address":
            slot = op.attr("slot")
            assert isinstance(slot, int)
            self._places[op.results[0]] = (slot, 0)
            return
        derived = _derived(op, self._places)
        if derived is not None:
            self._places[op.results[0]] = derived
            return
        used = op.operands
        if op.name in ("load", "store") and op.operands[0] in self._places:
            slot, _ = self._places[op.operands[0]]
            self._accesses[op] = list(self._cells(op))
            if op.attr("order") is not Order.WEAK or not self._inside(self._accesses[op]):
                self._lost.add(slot)
            used = op.operands[1:]
        for value in (*used, *(v for given in op.arguments for v in given)):
            if value in self._places:
                self._lost.add(self._places[value][0])

    def _cells(self, op: Op) -> Iterator[Cell]:
        """What an access reads or writes, element by element."""
        slot, start = self._places[op.operands[0]]
        width = int(str(op.attr("width")))
        count = len(op.results) if op.name == "load" else len(op.operands) - 1
        for index in range(count):
            yield slot, start + index * width // 8, width

    def _inside(self, cells: list[Cell]) -> bool:
        size = self._function.slots[cells[0][0]].size
        return all(0 <= start <= size - width // 8 for _, start, width in cells)

    def _whole_cells(self) -> set[Cell]:
        """Those that no access cuts."""
        found = {cell for cells in self._accesses.values() for cell in cells}
        bytes_of: dict[Place, int] = {}
        for slot, start, width in found:
            for byte in range(start, start + width // 8):
                bytes_of[slot, byte] = bytes_of.get((slot, byte), 0) + 1
        return {
            (slot, start, width)
            for slot, start, width in found
            if slot not in self._lost
            and all(bytes_of[slot, at] == 1 for at in range(start, start + width // 8))
        }


def _derived(op: Op, places: dict[Value, Place]) -> Place | None:
    """The place of an address that is computed from another one."""
    if op.name in _SAME:
        local = op.attr("space") is Space.LOCAL if op.name.endswith("_generic") else True
        return places.get(op.operands[0]) if local else None
    if op.name != "add":
        return None
    for base, distance in (op.operands, op.operands[::-1]):
        bytes = _constant(distance)
        if base in places and bytes is not None:
            slot, start = places[base]
            low = bytes % _WRAP
            return slot, start + (low - _WRAP if low & _SIGN else low)
    return None


def _constant(value: Value) -> int | None:
    op = value.definition
    return int(str(op.attr("bits"))) if isinstance(op, Op) and op.name == "const" else None


def _replace(
    function: Function, order: list[Block], accesses: dict[Op, list[Cell]], plain: set[Op]
) -> None:
    nodes = {block: Node([block]) for block in order}
    before = predecessors(function)
    for block, node in nodes.items():
        sources = dict.fromkeys(before[block])
        node.predecessors = [nodes[source] for source in sources if source in nodes]
    variables, loaded = Variables(order[0]), dict[Value, Value]()
    for block, node in nodes.items():
        for op in block.ops:
            if op not in plain:
                continue
            if op.name == "load":
                for cell, result in zip(accesses[op], op.results, strict=True):
                    loaded[result] = variables.read(node, cell, cell[2])
                continue
            for cell, value in zip(accesses[op], op.operands[1:], strict=True):
                variables.write(node, cell, loaded.get(value, value))
        block.ops = [op for op in block.ops if op not in plain]
    variables.finish(function, loaded)
