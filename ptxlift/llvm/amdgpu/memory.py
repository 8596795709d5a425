"""Lowerings of loads, stores and fences.

Comes in: accesses through a state space with PTX's order and scope. Goes out: LLVM accesses. Weak
ones are plain; all others are atomic in LLVM's sense, each element by itself.
"""

from __future__ import annotations

from ptxlift.ir.attributes import Hint, Order, Scope, Space
from ptxlift.ir.core import Op
from ptxlift.llvm.addresses import access
from ptxlift.llvm.amdgpu.emitter import Emitter
from ptxlift.llvm.amdgpu.registry import lowers

_LOAD_HINTS = {
    Hint.NONE: "",
    Hint.STREAMING: ", !nontemporal !1",
    Hint.INVARIANT: ", !invariant.load !0",
}
_SYNC_SCOPES: dict[Scope, str] = {
    Scope.THREAD: ' syncscope("singlethread")',
    Scope.WARP: ' syncscope("wavefront")',
    Scope.CTA: ' syncscope("workgroup")',
    Scope.CLUSTER: ' syncscope("agent")',
    Scope.GPU: ' syncscope("agent")',
    Scope.SYS: "",
}
_LOAD_ORDERS = {
    Order.VOLATILE: "monotonic",
    Order.MMIO: "monotonic",
    Order.RELAXED: "monotonic",
    Order.ACQUIRE: "acquire",
    Order.SEQ_CST: "seq_cst",
}
_STORE_ORDERS = {**_LOAD_ORDERS, Order.RELEASE: "release"}
_FENCE_ORDERS = {
    Order.ACQUIRE: "acquire",
    Order.RELEASE: "release",
    Order.ACQ_REL: "acq_rel",
    Order.SEQ_CST: "seq_cst",
}
_WHOLE_MACHINE = frozenset({Order.VOLATILE, Order.MMIO})
_LARGEST_ATOMIC = 64


def sync_scope(order: Order, scope: Scope, space: Space) -> str:
    """LLVM's scope text; volatile and mmio accesses are seen by everybody, but shared memory is
    only seen by the block.
    """
    if space is Space.SHARED and scope not in (Scope.THREAD, Scope.WARP):
        return _SYNC_SCOPES[Scope.CTA]
    return "" if order in _WHOLE_MACHINE else _SYNC_SCOPES[scope]


def _ordered_suffix(op: Op, e: Emitter, orders: dict[Order, str]) -> str:
    """` syncscope("agent") acquire`, or why such an access cannot be."""
    space, width, _, align, order, scope, _ = op.attrs
    assert isinstance(order, Order) and isinstance(scope, Scope) and isinstance(space, Space)
    bits, bytes_ = int(str(width)), int(str(align))
    if bits > _LARGEST_ATOMIC or bytes_ * 8 < bits:
        raise e.error(
            op,
            "PTX302",
            f"a {bits}-bit access of order .{order.value} aligned to {bytes_} bytes is not one "
            "access on AMD GPUs",
            "use naturally aligned accesses of at most 64 bits, or a weak one and a fence",
        )
    if order not in orders:
        raise e.error(op, "PTX102", f"a memory access cannot have the order .{order.value}")
    return f"{sync_scope(order, scope, space)} {orders[order]}"


@lowers("load")
def _load(e: Emitter, op: Op) -> None:
    space, width, count, align, order, _, hint = op.attrs
    assert isinstance(space, Space) and isinstance(hint, Hint)
    pointer, type = access(e, op.operands[0], space)
    if order is not Order.WEAK:
        suffix = _ordered_suffix(op, e, _LOAD_ORDERS)
        for index, result in enumerate(op.results):
            place = _element(e, pointer, type, index, result.width)
            load = f"load atomic i{width}, {type} {place}{suffix}, align {result.width // 8}"
            e.set_bits(result, load)
    elif count == 1:
        hints = _LOAD_HINTS[hint]
        e.set_bits(op.results[0], f"load i{width}, {type} {pointer}, align {align}{hints}")
    else:
        vector = f"<{count} x i{width}>"
        whole = e.let(f"load {vector}, {type} {pointer}, align {align}{_LOAD_HINTS[hint]}")
        for index, result in enumerate(op.results):
            e.set_bits(result, f"extractelement {vector} {whole}, i32 {index}")


@lowers("store")
def _store(e: Emitter, op: Op) -> None:
    space, width, count, align, order, _, hint = op.attrs
    assert isinstance(space, Space)
    pointer, type = access(e, op.operands[0], space)
    values = op.operands[1:]
    hints = ", !nontemporal !1" if hint is Hint.STREAMING else ""
    if order is not Order.WEAK:
        suffix = _ordered_suffix(op, e, _STORE_ORDERS)
        for index, value in enumerate(values):
            place = _element(e, pointer, type, index, value.width)
            text = f"store atomic i{width} {e.bits(value)}, {type} {place}"
            e.do(f"{text}{suffix}, align {value.width // 8}")
    elif count == 1:
        e.do(f"store i{width} {e.bits(values[0])}, {type} {pointer}, align {align}{hints}")
    else:
        vector = f"<{count} x i{width}>"
        whole = "poison"
        for index, value in enumerate(values):
            whole = e.let(f"insertelement {vector} {whole}, i{width} {e.bits(value)}, i32 {index}")
        e.do(f"store {vector} {whole}, {type} {pointer}, align {align}{hints}")


def _element(e: Emitter, pointer: str, type: str, index: int, width: int) -> str:
    if index == 0:
        return pointer
    return e.let(f"getelementptr i8, {type} {pointer}, i32 {index * width // 8}")


@lowers("fence")
def _fence(e: Emitter, op: Op) -> None:
    order, scope = op.attrs
    assert isinstance(order, Order) and isinstance(scope, Scope)
    if order in _FENCE_ORDERS:
        e.do(f"fence{_SYNC_SCOPES[scope]} {_FENCE_ORDERS[order]}")
    else:
        raise e.error(op, "PTX102", f"a fence cannot have the order .{order.value}")
