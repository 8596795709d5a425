"""What the modifiers of a memory instruction say: space, order, scope, cache hint.

A form's words are those chosen from its sets and those fixed in its pattern. An optional one that
is absent is no word of the form.
"""

from __future__ import annotations

from functools import lru_cache

from ptxlift.ir.attributes import AtomicOp, Hint, Number, Order, Scope, Space
from ptxlift.isa import Form, Kind, Type

_SPACES = {
    "global": Space.GLOBAL,
    "const": Space.CONST,
    "local": Space.LOCAL,
    "shared": Space.SHARED,
    "shared::cta": Space.SHARED,
    "shared::cluster": Space.SHARED,
    "param": Space.PARAM,
    "param::entry": Space.PARAM,
    "param::func": Space.PARAM,
}
_SCOPES = {
    "cta": Scope.CTA,
    "cluster": Scope.CTA,  # a block is its own cluster
    "gpu": Scope.GPU,
    "gl": Scope.GPU,  # membar's spelling
    "sys": Scope.SYS,
}
_ORDERS = {
    "weak": Order.WEAK,
    "volatile": Order.VOLATILE,
    "relaxed": Order.RELAXED,
    "acquire": Order.ACQUIRE,
    "release": Order.RELEASE,
    "acq_rel": Order.ACQ_REL,
    "sc": Order.SEQ_CST,
    "mmio": Order.MMIO,
}
_ATOMICS = {op.value: op for op in AtomicOp}
_FLOATS = {number.value: number for number in Number}
_STREAMING = frozenset(("cs", "L1::no_allocate", "L1::evict_first", "L2::evict_first"))


@lru_cache(maxsize=4096)
def words(form: Form) -> frozenset[str]:
    """All modifiers of a form without dots."""
    return frozenset(word for value in form.values.values() for word in value.split(".") if word)


def space_of(form: Form) -> Space:
    """The state space named; generic if none."""
    return next((_SPACES[word] for word in words(form) if word in _SPACES), Space.GENERIC)


def order_of(form: Form, default: Order = Order.WEAK) -> Order:
    """The memory order named. `.mmio` wins over its `.relaxed`."""
    found = [_ORDERS[word] for word in words(form) if word in _ORDERS]
    return Order.MMIO if Order.MMIO in found else next(iter(found), default)


def scope_of(form: Form, default: Scope = Scope.GPU) -> Scope:
    return next((_SCOPES[word] for word in words(form) if word in _SCOPES), default)


def hint_of(form: Form) -> Hint:
    present = words(form)
    if "nc" in present:
        return Hint.INVARIANT
    return Hint.STREAMING if present & _STREAMING else Hint.NONE


def atomic_op_of(form: Form) -> AtomicOp:
    """What an atomic does with the old value."""
    return next(_ATOMICS[word] for word in sorted(words(form)) if word in _ATOMICS)


def number_of(type_: Type) -> Number:
    """How the bits of a type are read."""
    match type_.kind:
        case Kind.U:
            return Number.UNSIGNED
        case Kind.S:
            return Number.SIGNED
        case Kind.F | Kind.BF | Kind.PACKED:
            return _FLOATS[type_.name]
        case _:
            return Number.BITS
