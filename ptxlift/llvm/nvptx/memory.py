"""Lowerings of loads, stores, atomics and fences.

Weak accesses are LLVM's, so that it can merge and move them; all others are PTX's instructions.
"""

from __future__ import annotations

from ptxlift.ir.attributes import AtomicOp, Hint, Number, Order, Scope, Space
from ptxlift.ir.core import Op, Value
from ptxlift.llvm.addresses import access
from ptxlift.llvm.nvptx.emitter import Emitter
from ptxlift.llvm.nvptx.registry import lowers

_FENCES = {Order.SEQ_CST: "sc", Order.ACQ_REL: "acq_rel", Order.ACQUIRE: "acq_rel",
           Order.RELEASE: "acq_rel"}  # fmt: skip
_WORDS = {Order.VOLATILE: "volatile", Order.MMIO: "mmio.relaxed.sys", Order.SEQ_CST: "acquire"}
_WIDEST = 128


@lowers("load")
def _load(e: Emitter, op: Op) -> None:
    space, width, count, align, order, scope, hint = op.attrs
    assert isinstance(space, Space) and isinstance(order, Order) and isinstance(scope, Scope)
    if order is not Order.WEAK:
        for index, result in enumerate(op.results):
            text = f"ld{_ordered(order, scope)}{_word(space)}.{_kind(result.width)}"
            place = _element(op.operands[0], index * result.width // 8)
            line = f"{text} $0, {place.replace('$', '$1')};"
            e.define([result], e.ptx(line, [result.width], [op.operands[0]], effects=True))
        return
    pointer, type = access(e, op.operands[0], space)
    suffix = ", !invariant.load !0" if hint is Hint.INVARIANT and space is Space.GLOBAL else ""
    if count == 1:
        e.set_bits(op.results[0], f"load i{width}, {type} {pointer}, align {align}{suffix}")
        return
    vector = f"<{count} x i{width}>"
    whole = e.let(f"load {vector}, {type} {pointer}, align {align}{suffix}")
    for index, result in enumerate(op.results):
        e.set_bits(result, f"extractelement {vector} {whole}, i32 {index}")


@lowers("store")
def _store(e: Emitter, op: Op) -> None:
    space, width, count, align, order, scope, _ = op.attrs
    assert isinstance(space, Space) and isinstance(order, Order) and isinstance(scope, Scope)
    address, *values = op.operands
    if order is not Order.WEAK:
        for index, value in enumerate(values):
            text = f"st{_ordered(order, scope, True)}{_word(space)}.{_kind(value.width)}"
            place = _element(address, index * value.width // 8).replace("$", "$0")
            e.do(e.ptx(f"{text} {place}, $1;", [], [address, value], effects=True))
        return
    pointer, type = access(e, address, space)
    if count == 1:
        e.do(f"store i{width} {e.bits(values[0])}, {type} {pointer}, align {align}")
        return
    vector, whole = f"<{count} x i{width}>", "poison"
    for index, value in enumerate(values):
        whole = e.let(f"insertelement {vector} {whole}, i{width} {e.bits(value)}, i32 {index}")
    e.do(f"store {vector} {whole}, {type} {pointer}, align {align}")


def _element(address: Value, offset: int) -> str:
    return f"[$+{offset}]" if offset else "[$]"


def _kind(width: int) -> str:
    return f"u{width}" if width == 8 else f"b{width}"


def _word(space: Space) -> str:
    return "" if space is Space.GENERIC else f".{space.value}"


def _ordered(order: Order, scope: Scope, stores: bool = False) -> str:
    if order is Order.SEQ_CST and stores:
        return f".release.{scope.value}"
    word = _WORDS.get(order, order.value)
    return f".{word}" if order in (Order.VOLATILE, Order.MMIO) else f".{word}.{scope.value}"


@lowers("atomic")
def _atomic(e: Emitter, op: Op) -> None:
    space, width, what, number, order, scope, returns = op.attrs
    assert isinstance(space, Space) and isinstance(what, AtomicOp) and isinstance(number, Number)
    assert isinstance(order, Order) and isinstance(scope, Scope)
    values = op.operands[1:]
    result = op.results[0]
    ordered = Order.ACQ_REL if order is Order.SEQ_CST else order
    words = f".{ordered.value}.{scope.value}{_word(space)}.{what.value}"
    noftz = ".noftz" if _needs_noftz(number, what) else ""
    words += f"{noftz}.{_atomic_kind(what, number, int(str(width)))}"
    if returns or what in (AtomicOp.EXCH, AtomicOp.CAS):
        listed = ", ".join(f"${index + 2}" for index in range(len(values)))
        line = f"atom{words} $0, [$1], {listed};"
        e.define([result], e.ptx(line, [result.width], op.operands, effects=True))
        return
    e.do(e.ptx(f"red{words} [$0], $1;", [], op.operands, effects=True))
    e.alias(result, "poison")  # nobody reads it


def _needs_noftz(number: Number, what: AtomicOp) -> bool:
    halves = (Number.F16, Number.BF16, Number.F16X2, Number.BF16X2)
    return number in halves and what in (AtomicOp.ADD, AtomicOp.MIN, AtomicOp.MAX)


def _atomic_kind(what: AtomicOp, number: Number, width: int) -> str:
    """The type's name: bits for exchanges and logic."""
    if number in (Number.UNSIGNED, Number.SIGNED, Number.BITS):
        letter = number.value
        if what in (AtomicOp.EXCH, AtomicOp.CAS, AtomicOp.AND, AtomicOp.OR, AtomicOp.XOR):
            letter = "b"
        elif what is AtomicOp.ADD and (width == 64 or number is Number.BITS):
            letter = "u"
        return f"{letter}{width}"
    return number.value


@lowers("fence")
def _fence(e: Emitter, op: Op) -> None:
    order, scope = op.attrs
    assert isinstance(order, Order) and isinstance(scope, Scope)
    e.do(e.ptx(f"fence.{_FENCES[order]}.{scope.value};", [], [], effects=True))
