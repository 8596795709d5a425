"""Which numbers only matrix instructions read, so that no one can tell one NaN from another.

Comes in: a function. Goes out: values whose bits reach matrix instructions of floats and nothing
else, by operations that move whole halves of words. It must know no LLVM.
"""

from __future__ import annotations

from ptxlift.ir.core import Function, Op, Value
from ptxlift.ir.matrix import Element
from ptxlift.llvm.amdgpu.matrix.cores import MatrixCore

_CORE = "matrix_core"
_MOVED = {"pack": (), "permute": (1,), "wave_permute": (1,), "select": (0,), "prmt": (2,)}
_HALVES = frozenset({0x10, 0x32, 0x54, 0x76})  # bytes of a selector that take a half as it is


def values_without_payload(function: Function) -> set[Value]:
    """Values of which only products see the bits; empty without products."""
    if not any(op.name == _CORE for op in function.ops()):
        return set()
    users: dict[Value, list[Op]] = {}
    given: set[Value] = set()
    for op in function.ops():
        for value in op.operands:
            users.setdefault(value, []).append(op)
        given.update(value for arguments in op.arguments for value in arguments)
    free: set[Value] = set()
    for block in reversed(function.blocks):
        for op in reversed(block.ops):
            for value in op.results:
                read = users.get(value, [])
                if value not in given and read and all(_is_blind(u, value, free) for u in read):
                    free.add(value)
    return free


def _is_blind(op: Op, value: Value, free: set[Value]) -> bool:
    """Whether an operation makes nothing else of a value than what products see."""
    if op.name == _CORE:
        inputs = _float_inputs(op)
        return value in op.operands[:inputs] and value not in op.operands[inputs:]
    numbers = _MOVED.get(op.name)
    if numbers is None or op.result not in free:
        return False
    if any(op.operands[number] is value for number in numbers):
        return False
    return op.name != "prmt" or _takes_halves(op.operands[2])


def _float_inputs(op: Op) -> int:
    """How many of a product's operands are pairs of f16 or bf16 numbers to multiply."""
    chosen = op.attr("core")
    assert isinstance(chosen, MatrixCore)
    core = chosen.core
    is_half = core.a in (Element.F16, Element.BF16) and core.sparse is None
    return 2 * core.words if is_half else 0


def _takes_halves(selector: Value) -> bool:
    op = selector.definition
    if not isinstance(op, Op):
        return False
    if op.name == "select":
        return all(_takes_halves(value) for value in op.operands[1:])
    if op.name != "const":
        return False
    bits = op.attr("bits")
    assert isinstance(bits, int)
    return {bits & 0xFF, bits >> 8 & 0xFF} <= _HALVES
