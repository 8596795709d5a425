"""atom and red on scalars and vectors, fences."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptxlift.ir.attributes import AtomicOp, Order, Space
from ptxlift.ir.core import Value
from ptxlift.isa import Role, Type
from ptxlift.lifter.registry import lifts
from ptxlift.lifter.words import atomic_op_of, number_of, order_of, scope_of, space_of
from ptxlift.ptx import module as ptx

if TYPE_CHECKING:
    from ptxlift.lifter.function import FunctionLifter


@lifts("atom", "atom_vector", "red", "red_vector")
def lift_atomic(at: FunctionLifter, inst: ptx.Inst) -> None:
    """Parallel Synchronization and Communication Instructions: atom, red."""
    form = inst.form
    memory = next(o for o in inst.operands if isinstance(o, ptx.Memory))
    place = inst.operands.index(memory)
    op = atomic_op_of(form)
    type_ = form.types[-1]
    if type_.bits == 128:
        raise at.refuse(
            "128-bit atomics have no counterpart on AMD hardware",
            "guard the two halves with a lock, or use 64-bit atomics",
        )
    space = space_of(form)
    address = at.memory_address(memory, space)
    returns = form.operands[0].role is Role.RESULT
    count = 2 if op is AtomicOp.CAS else 1
    values = [
        at.read(inst.operands[place + 1 + i], form.operands[place + 1 + i]) for i in range(count)
    ]
    parts: list[list[Value]] = [list(v) if isinstance(v, tuple) else [v] for v in values]
    old = []
    for index in range(len(parts[0])):
        operands = [part[index] for part in parts]
        where = at.advance(address, index * type_.bits // 8)
        old.append(_one(at, inst, where, operands, space, op, type_, returns))
    if returns:
        at.write(inst.operands[0], form.operands[0], old, inst)


def _one(
    at: FunctionLifter,
    inst: ptx.Inst,
    address: Value,
    operands: list[Value],
    space: Space,
    op: AtomicOp,
    type_: Type,
    returns: bool,
) -> Value:
    order = order_of(inst.form, Order.RELAXED)
    operands = [at.fit(value, type_.bits) for value in operands]
    number = number_of(type_)
    return at.builder.atomic(
        address, operands, space, type_.bits, op, number, order, scope_of(inst.form), returns
    )


@lifts("fence", "membar")
def lift_fence(at: FunctionLifter, inst: ptx.Inst) -> None:
    """Parallel Synchronization and Communication Instructions: membar, fence."""
    default = Order.SEQ_CST if inst.form.row.opcode == "membar" else Order.ACQ_REL
    at.builder.fence(order_of(inst.form, default), scope_of(inst.form))


@lifts(
    "fence_proxy",
    "fence_proxy_async",
    "fence_proxy_tensormap",
    "fence_mbarrier_init",
    "membar_proxy",
)
def lift_fence_proxy(at: FunctionLifter, inst: ptx.Inst) -> None:
    """Parallel Synchronization and Communication Instructions: proxy fences. There is one proxy."""
    at.builder.fence(Order.ACQ_REL, scope_of(inst.form))
