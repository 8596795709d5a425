"""Lowerings of atomic read-modify-write.

Comes in: `atomic` with its operation, number type, order and scope. Goes out: `atomicrmw` and
`cmpxchg`. Memory that only the device accesses is neither fine-grained nor remote, and saying so is
what lets LLVM use the hardware's atomics; `.sys` is for memory that the host may access too, where
most of these do not work. What the hardware lacks LLVM makes a compare-and-swap loop.
"""

from __future__ import annotations

from ptxlift.ir.attributes import AtomicOp, Number, Order, Scope, Space, Special
from ptxlift.ir.core import Op, Value
from ptxlift.llvm.addresses import access
from ptxlift.llvm.amdgpu.emitter import Emitter
from ptxlift.llvm.amdgpu.memory import sync_scope
from ptxlift.llvm.amdgpu.registry import lowers

_FLOATS = {
    Number.F16: "half",
    Number.BF16: "bfloat",
    Number.F16X2: "<2 x half>",
    Number.BF16X2: "<2 x bfloat>",
    Number.F32: "float",
    Number.F64: "double",
}
_INTEGER_OPS = {
    AtomicOp.ADD: "add",
    AtomicOp.AND: "and",
    AtomicOp.OR: "or",
    AtomicOp.XOR: "xor",
    AtomicOp.EXCH: "xchg",
    AtomicOp.INC: "uinc_wrap",
    AtomicOp.DEC: "udec_wrap",
}
_COUNTING = {AtomicOp.INC: "1", AtomicOp.DEC: "-1"}
_SIGNED_OPS = {AtomicOp.MIN: "min", AtomicOp.MAX: "max"}
_UNSIGNED_OPS = {AtomicOp.MIN: "umin", AtomicOp.MAX: "umax"}
_FLOAT_OPS = {AtomicOp.ADD: "fadd", AtomicOp.MIN: "fmin", AtomicOp.MAX: "fmax"}
_ORDERS = {
    Order.WEAK: "monotonic",
    Order.RELAXED: "monotonic",
    Order.VOLATILE: "monotonic",
    Order.ACQUIRE: "acquire",
    Order.RELEASE: "release",
    Order.ACQ_REL: "acq_rel",
    Order.SEQ_CST: "seq_cst",
}
_FAILURE_ORDERS = {"release": "monotonic", "acq_rel": "acquire"}  # a failed swap stores nothing
_ORDINARY_MEMORY = ", !amdgpu.no.fine.grained.memory !0, !amdgpu.no.remote.memory !0"
_FLUSHING = ", !amdgpu.ignore.denormal.mode !0"  # PTX's global add.f32 flushes subnormals
_NOT_PRIVATE = ", !noalias.addrspace !3"  # atomics on local memory do not exist
_LARGEST = 64
_VARYING = frozenset({Special.TID_X, Special.TID_Y, Special.TID_Z, Special.LANEID})


@lowers("atomic")
def _atomic(e: Emitter, op: Op) -> None:
    space, width, kind, number, order, scope, _ = op.attrs
    assert isinstance(space, Space) and isinstance(kind, AtomicOp) and isinstance(number, Number)
    assert isinstance(order, Order) and isinstance(scope, Scope)
    if int(str(width)) > _LARGEST:
        raise e.error(
            op,
            "PTX302",
            f"AMD GPUs have no {width}-bit atomics",
            "use a lock, or two 64-bit atomics where that is enough",
        )
    pointer, type = access(e, op.operands[0], space)
    suffix = f"{sync_scope(order, scope, space)} {_ORDERS[order]}"
    notes = _NOT_PRIVATE if type == "ptr" else ""
    if scope is not Scope.SYS or e.context.options.unsafe_fp_atomics:
        notes += _ORDINARY_MEMORY
    if kind is AtomicOp.CAS:
        _compare_and_swap(e, op, f"{type} {pointer}", suffix, notes)
    elif number in _FLOATS and kind in _FLOAT_OPS:
        pointer = _keep_apart(e, op.operands[0], pointer, type)
        flushing = _FLUSHING if number is Number.F32 and space is not Space.SHARED else ""
        _float(e, op, f"{type} {pointer}", suffix, notes + flushing)
    else:
        name, value = _integer(e, op, kind, number)
        whole = f"atomicrmw {name} {type} {pointer}, i{width} {value}{suffix}{notes}"
        e.set_bits(op.results[0], whole)


def _integer(e: Emitter, op: Op, kind: AtomicOp, number: Number) -> tuple[str, str]:
    """LLVM's operation and its operand. Counting that wraps at the end of the number is a sum,
    which a wave does in one.
    """
    value, width = op.operands[1], op.results[0].width
    if kind in _COUNTING and e.constant(value) == (1 << width) - 1:
        return "add", _COUNTING[kind]
    table = _SIGNED_OPS if number is Number.SIGNED else _UNSIGNED_OPS
    name = _INTEGER_OPS.get(kind) or table.get(kind)
    if name is None:
        raise e.error(op, "PTX201", f"atomic {kind.value} of {number.value} is not translated")
    return name, e.bits(value)


def _compare_and_swap(e: Emitter, op: Op, place: str, suffix: str, notes: str) -> None:
    t = f"i{op.results[0].width}"
    order = suffix.split()[-1]
    expected, new = (e.bits(value) for value in op.operands[1:])
    failure = _FAILURE_ORDERS.get(order, order)
    pair = e.let(f"cmpxchg {place}, {t} {expected}, {t} {new}{suffix} {failure}{notes}")
    e.set_bits(op.results[0], f"extractvalue {{ {t}, i1 }} {pair}, 0")


def _float(e: Emitter, op: Op, place: str, suffix: str, notes: str) -> None:
    kind, number = op.attr("op"), op.attr("number")
    assert isinstance(kind, AtomicOp) and isinstance(number, Number)
    t, n = _FLOATS[number], f"i{op.results[0].width}"
    value = e.let(f"bitcast {n} {e.bits(op.operands[1])} to {t}")
    old = e.let(f"atomicrmw {_FLOAT_OPS[kind]} {place}, {t} {value}{suffix}{notes}")
    e.set_bits(op.results[0], f"bitcast {t} {old} to {n}")


def _keep_apart(e: Emitter, address: Value, pointer: str, type: str) -> str:
    """LLVM adds up a wave's values before one atomic where all lanes use one address, which rounds
    otherwise than adding each. It cannot see that this offset is 0 in every lane.
    """
    if _varies(address):
        return pointer
    zero = e.let(e.call("i32 @llvm.amdgcn.mbcnt.lo(i32, i32)", "0", "0"))
    return e.let(f"getelementptr i8, {type} {pointer}, i32 {zero}")


def _varies(address: Value) -> bool:
    """Whether the address surely differs between lanes in LLVM's eyes."""
    stack, seen = [address], {address}
    while stack:
        definition = stack.pop().definition
        if not isinstance(definition, Op):
            continue
        name = definition.opdef.name
        if name in ("atomic", "shuffle"):
            return True
        if name == "special" and definition.attr("register") in _VARYING:
            return True
        if definition.opdef.effect.value == "pure":
            fresh = [value for value in definition.operands if value not in seen]
            seen.update(fresh)
            stack += fresh
    return False
