"""Local copies of kernel parameters that are only read: the parameters themselves are read instead.

Comes in: kernels where a front end copied a struct into local memory to index it at run time. Goes
out: loads from the parameter block, which is constant memory, and no copy. Reading a byte that the
copy left out is undefined in PTX, so the copied parameter may stand for all of it.
"""

from __future__ import annotations

from ptxlift.ir.attributes import Order, Space
from ptxlift.ir.builder import Builder
from ptxlift.ir.core import Function, Op, Value
from ptxlift.ir.dominators import dominators
from ptxlift.records import dataclass, field
from ptxlift.rewrite.driver import Pass, Session
from ptxlift.rewrite.pattern import constant_of
from ptxlift.target import Feature

_NAME = "parameter_copy"
_SIGN = 1 << 31
_WRAP = 1 << 32


@dataclass(slots=True)
class _Copy:
    """All ops that touch one slot: none but these may."""

    size: int
    places: dict[Value, int | None]  # derived addresses: distance from the slot, if constant
    loads: list[Op] = field(default_factory=list)
    stores: list[Op] = field(default_factory=list)


def _wants(names: frozenset[str], function: Function, _: frozenset[Feature]) -> bool:
    return function.is_kernel and {"frame_address", "kernel_param", "store"} <= names


def _run(session: Session) -> None:
    function = session.editor.function
    for slot in range(len(function.slots)):
        copy = _trace(session, slot)
        base = _source(function, copy) if copy is not None else None
        if copy is not None and base is not None and _is_filled_first(function, copy):
            _redirect(session, copy, base)


# ---- what is done with the slot ----


def _trace(session: Session, slot: int) -> _Copy | None:
    """Follows the slot's address through casts and sums; None if it goes anywhere else."""
    function = session.editor.function
    copy = _Copy(function.slots[slot].size, {})
    work: list[Value] = []
    for op in function.ops():
        if op.opdef.name == "frame_address" and op.attr("slot") == slot:
            copy.places[op.results[0]] = 0
            work.append(op.results[0])
    while work:
        value = work.pop()
        for reader in dict.fromkeys(session.editor.uses.of.get(value, ())):
            result = _follow(copy, value, reader)
            if result is None:
                return None
            work += result
    return copy if copy.loads and copy.stores else None


def _follow(copy: _Copy, value: Value, reader: Op) -> list[Value] | None:
    """The addresses that a reader makes of an address; None where it may not be read so."""
    name = reader.opdef.name
    if name in {"zext", "trunc"}:
        return _derive(copy, reader, copy.places[value])
    if name == "add":
        return _follow_sum(copy, value, reader)
    is_plain = name in {"load", "store"} and reader.attr("order") is Order.WEAK
    if not is_plain or reader.attr("space") is not Space.LOCAL or value in reader.operands[1:]:
        return None
    if name == "store" and copy.places[value] is None:
        return None
    (copy.loads if name == "load" else copy.stores).append(reader)
    return []


def _follow_sum(copy: _Copy, value: Value, reader: Op) -> list[Value] | None:
    a, b = reader.operands
    other = b if a is value else a
    distance = constant_of(other)
    if other in copy.places or (distance is None and value.width != 64):
        return None
    place = copy.places[value]
    if place is None or distance is None:
        return _derive(copy, reader, None)
    return _derive(copy, reader, (place + distance) % _WRAP)


def _derive(copy: _Copy, reader: Op, place: int | None) -> list[Value]:
    result = reader.results[0]
    if result in copy.places:
        return []
    copy.places[result] = place
    return [result]


# ---- whether it is a copy ----


def _source(function: Function, copy: _Copy) -> int | None:
    """The offset in the parameter block of which the slot is the copy."""
    bases: set[int] = set()
    for store in copy.stores:
        place = copy.places[store.operands[0]]
        assert place is not None
        step = int(str(store.attr("width"))) // 8
        for index, value in enumerate(store.operands[1:]):
            offset = _parameter(value)
            if offset is None:
                return None
            bases.add(offset - place - index * step)
    if len(bases) != 1:
        return None
    base = bases.pop()
    is_inside = any(
        p.offset <= base and base + copy.size <= p.offset + p.size for p in function.kernel_params
    )
    return base if is_inside else None


def _parameter(value: Value) -> int | None:
    """The offset of the parameter's bits that a value is, perhaps through a wider register."""
    width, definition = value.width, value.definition
    while isinstance(definition, Op) and definition.opdef.name in {"trunc", "zext", "sext"}:
        value = definition.operands[0]
        definition = value.definition
        if value.width < width:
            return None
    if not isinstance(definition, Op) or definition.opdef.name != "kernel_param":
        return None
    return int(str(definition.attr("offset")))


def _is_filled_first(function: Function, copy: _Copy) -> bool:
    """Whether every load comes after all stores: these stand in one block above."""
    blocks = {op: block for block in function.blocks for op in block.ops}
    homes = {blocks[store] for store in copy.stores}
    if len(homes) != 1:
        return False
    home = homes.pop()
    places = {op: index for index, op in enumerate(home.ops)}
    last = max(places[store] for store in copy.stores)
    above = dominators(function)
    return all(
        places[load] > last if load in places else above.dominates(home, blocks[load])
        for load in copy.loads
    )


# ---- what becomes of it ----


def _redirect(session: Session, copy: _Copy, base: int) -> None:
    for load in copy.loads:
        builder = session.editor.builder(load)
        address = _in_parameters(builder, load.operands[0], copy, base)
        width, count, align = (int(str(load.attr(name))) for name in ("width", "count", "align"))
        results = builder.load(
            address, Space.PARAM, width, count, min(align, base & -base or align)
        )
        session.replace(_NAME, load, builder.block.ops, results)
        session.editor.remove(load)
    for store in copy.stores:
        session.editor.remove(store)


def _in_parameters(builder: Builder, value: Value, copy: _Copy, base: int) -> Value:
    """The address in the parameter block of what an address points to in the copy."""
    place = copy.places[value]
    if place is not None:
        return builder.kernel_param_address(base + (place ^ _SIGN) - _SIGN)
    definition = value.definition
    assert isinstance(definition, Op)
    operands = definition.operands
    if definition.opdef.name != "add":
        return _in_parameters(builder, operands[0], copy, base)
    below, other = operands if operands[0] in copy.places else reversed(operands)
    distance = constant_of(other)
    if distance is not None:
        signed = (distance ^ 1 << other.width - 1) - (1 << other.width - 1)
        other = builder.const(64, signed % (1 << 64))
    return builder.add(_in_parameters(builder, below, copy, base), other)


PARAMETER_COPIES = Pass(
    _NAME,
    "loads from a local slot that only holds a copy of a kernel parameter",
    "loads from the parameter block: scalar where the address is uniform",
    "every byte read is the parameter's own; no byte of it is written",
    (2, 1),
    _wants,
    _run,
)
