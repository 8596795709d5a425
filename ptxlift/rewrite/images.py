"""Textures and surfaces in software: a device function for each kind of access, and calls of them.

Comes in: a module with the ops of `ir.images`. Goes out: one without, for chips that have no image
instructions. What is done is in `semantics.images`; here it is written as IR.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import Enum

from ptxlift.ir.attributes import AtomicOp, Number, Order, Scope, Space
from ptxlift.ir.builder import Builder
from ptxlift.ir.copy import Copier
from ptxlift.ir.core import Attribute, Block, Function, Module, Op, Value
from ptxlift.ir.images import IMAGE_OPS, Border, Geometry, ImageQuery, Lod
from ptxlift.records import dataclass, replace
from ptxlift.semantics.images.queries import image_query
from ptxlift.semantics.images.surfaces import (
    SurfaceForm,
    surface_load,
    surface_reduce,
    surface_store,
)
from ptxlift.semantics.images.textures import TextureForm, gather, texture

_PREFIX = "image."  # no PTX name has a dot
_OBJECT_ALIGN = 4  # as the host may have placed it


class BlockMachine:
    """Writes a function: memory accesses and branches; `semantics.images.machine`."""

    def __init__(self, function: Function) -> None:
        self.function = function
        self.algebra = Builder(self._new_block())

    def _new_block(self) -> Block:
        block = Block(f"b{len(self.function.blocks)}")
        self.function.blocks.append(block)
        return block

    # ---- memory ----

    def object_words(self, address: Value, count: int) -> list[Value]:
        return self.algebra.load(address, Space.CONST, 32, count, _OBJECT_ALIGN)

    def load(self, address: Value, width: int, count: int = 1) -> list[Value]:
        return self.algebra.load(address, Space.GLOBAL, width, count, width // 8 * count)

    def store(self, address: Value, values: Sequence[Value], width: int) -> None:
        self.algebra.store(address, values, Space.GLOBAL, width, width // 8 * len(values))

    def reduce(
        self, address: Value, value: Value, width: int, op: AtomicOp, number: Number
    ) -> None:
        self.algebra.atomic(
            address, [value], Space.GLOBAL, width, op, number, Order.RELAXED, Scope.GPU, False
        )

    # ---- branches ----

    def either(
        self,
        condition: Value,
        yes: Callable[[], Sequence[Value]],
        no: Callable[[], Sequence[Value]],
    ) -> list[Value]:
        branch = self.algebra.block
        ends = []
        for way in (yes, no):
            first = self._new_block()
            self.algebra.block = first
            ends.append((first, way(), self.algebra.block))
        meeting = self._new_block()
        for _, values, last in ends:
            self.algebra.block = last
            self.algebra.br(meeting, values)
        self.algebra.block = branch
        self.algebra.cond_br(condition, ends[0][0], ends[1][0])
        self.algebra.block = meeting
        return [meeting.add_param(value.width) for value in ends[0][1]]

    def when(self, condition: Value, action: Callable[[], None]) -> None:
        branch, then = self.algebra.block, self._new_block()
        self.algebra.block = then
        action()
        after = self._new_block()
        if not self._has_ended():
            self.algebra.br(after)
        self.algebra.block = branch
        self.algebra.cond_br(condition, then, after)
        self.algebra.block = after

    def _has_ended(self) -> bool:
        ops = self.algebra.block.ops
        return bool(ops) and ops[-1].name == "trap"

    def trap(self) -> None:
        self.algebra.trap()


@dataclass(frozen=True, slots=True)
class _Kind:
    """What tells one device function from another. `unified`: texture and sampler are one."""

    op: str
    attributes: tuple[Attribute, ...]
    operands: tuple[int, ...]  # widths
    results: tuple[int, ...]
    unified: bool

    @property
    def symbol(self) -> str:
        words = [self.op, *map(_word, self.attributes)]
        if self.op in ("texture", "texture_gather") and not self.unified:
            words.append("apart")
        if self.op == "image_query" and len(self.operands) > 1:
            words.append("level")
        return _PREFIX + ".".join(words)


def _word(attribute: Attribute) -> str:
    match attribute:
        case Geometry():
            return attribute.word
        case Enum():
            return str(attribute.value)
        case _:
            return str(attribute).lower()


def replace_images(module: Module) -> Module:
    """The module with calls in place of image ops, and the functions called; itself if none is."""
    users = [f for f in module.functions.values() if any(op.name in IMAGE_OPS for op in f.ops())]
    if not users:
        return module
    functions = dict(module.functions)
    made: dict[str, Function] = {}
    for function in users:
        functions[function.name] = _Caller(function, made).run()
    return replace(module, functions={**made, **functions})


class _Caller(Copier):
    """Calls a device function for each image op."""

    def __init__(self, function: Function, made: dict[str, Function]) -> None:
        super().__init__(function)
        self._made = made

    def rewrite(self, op: Op, block: Block, builder: Builder) -> Sequence[Value] | None:
        if op.name not in IMAGE_OPS:
            return None
        unified = len(op.operands) > 1 and op.operands[0] is op.operands[1]
        given = op.operands[1:] if unified else op.operands
        kind = _Kind(
            op.name,
            op.attrs,
            tuple(value.width for value in given),
            tuple(value.width for value in op.results),
            unified,
        )
        if kind.symbol not in self._made:
            self._made[kind.symbol] = _device_function(kind)
        operands = [self.value(value, block) for value in given]
        return builder.call(kind.symbol, operands, kind.results)


def _device_function(kind: _Kind) -> Function:
    function = Function(
        kind.symbol, is_kernel=False, param_widths=kind.operands, result_widths=kind.results
    )
    machine = BlockMachine(function)
    params = [machine.algebra.block.add_param(width) for width in kind.operands]
    machine.algebra.ret(_BODIES[kind.op](machine, kind, params))
    return function


# ---- the functions' bodies ----


def _texture(machine: BlockMachine, kind: _Kind, params: Sequence[Value]) -> list[Value]:
    geometry, number, lod, offset = kind.attributes
    assert isinstance(geometry, Geometry) and isinstance(number, Number) and isinstance(lod, Lod)
    form = TextureForm(geometry, number, lod, bool(offset))
    return texture(machine, form, *_objects(kind, params))


def _gather(machine: BlockMachine, kind: _Kind, params: Sequence[Value]) -> list[Value]:
    geometry, component, offset = kind.attributes
    assert isinstance(geometry, Geometry) and isinstance(component, int)
    form = TextureForm(geometry, offset=bool(offset))
    return gather(machine, form, component, *_objects(kind, params))


def _objects(kind: _Kind, params: Sequence[Value]) -> tuple[tuple[Value, Value], Sequence[Value]]:
    if kind.unified:
        return (params[0], params[0]), params[1:]
    return (params[0], params[1]), params[2:]


def _query(machine: BlockMachine, kind: _Kind, params: Sequence[Value]) -> list[Value]:
    (query,) = kind.attributes
    assert isinstance(query, ImageQuery)
    return [image_query(machine, query, params[0], params[1:])]


def _load(machine: BlockMachine, kind: _Kind, params: Sequence[Value]) -> list[Value]:
    geometry, width, count, border = kind.attributes
    form = _surface_form(geometry, width, count, border)
    return surface_load(machine, form, params[0], params[1:])


def _store(machine: BlockMachine, kind: _Kind, params: Sequence[Value]) -> list[Value]:
    form = _surface_form(*kind.attributes)
    values = len(params) - form.count
    surface_store(machine, form, params[0], params[1:values], params[values:])
    return []


def _reduce(machine: BlockMachine, kind: _Kind, params: Sequence[Value]) -> list[Value]:
    geometry, width, op, number, border, formatted = kind.attributes
    assert isinstance(op, AtomicOp) and isinstance(number, Number)
    form = _surface_form(geometry, width, 1, border, formatted)
    surface_reduce(machine, form, op, number, params[0], params[1:-1], params[-1])
    return []


def _surface_form(
    geometry: Attribute,
    width: Attribute,
    count: Attribute,
    border: Attribute,
    formatted: Attribute = False,
) -> SurfaceForm:
    assert isinstance(geometry, Geometry) and isinstance(border, Border)
    return SurfaceForm(geometry, int(str(width)), int(str(count)), border, bool(formatted))


_BODIES: dict[str, Callable[[BlockMachine, _Kind, Sequence[Value]], list[Value]]] = {
    "texture": _texture,
    "texture_gather": _gather,
    "image_query": _query,
    "surface_load": _load,
    "surface_store": _store,
    "surface_reduce": _reduce,
}
