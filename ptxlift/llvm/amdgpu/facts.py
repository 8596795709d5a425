"""What a function may do, itself and through the functions it calls.

Comes in: an `ir.Module`. Goes out: `Facts` a function: launch values read, shared variables,
whether it may end the thread, whether single-precision subnormals must be kept. The kernel's
attributes and mode follow from them. It must know no LLVM.
"""

from __future__ import annotations

from ptxlift.ir.attributes import BarrierMode, Format, Rounding, Special
from ptxlift.ir.core import Function, Module, Op, Value
from ptxlift.records import dataclass, field


@dataclass(slots=True)
class Facts:
    """Of one function; `close` adds what its callees do."""

    specials: set[Special] = field(default_factory=set)
    variables: set[str] = field(default_factory=set)
    callees: set[str] = field(default_factory=set)
    calls_unknown: bool = False  # an indirect call, or one of a function without a body
    may_exit: bool = False  # ends the thread in a function that is not a kernel
    keeps_subnormals: bool = False  # some f32 op without .ftz could tell
    block_barrier_scratch: bool = False  # barrier reductions need LDS of their own
    named_barriers: dict[int, int] = field(default_factory=dict)  # waves by number
    has_loops: bool = False
    has_locals_or_calls: bool = False
    size: int = 0  # ops
    has_halves: bool = False  # f16 or bf16 operations
    pairable: int = 0  # f32 ops of which packed instructions do two


# A flushing mode changes results of these unless the op flushes anyway.
_SENSITIVE = frozenset({
    "fadd", "fsub", "fmul", "ffma", "fdiv", "fsqrt", "fmin", "fmax", "fcmp", "fround", "fconvert",
    "float_to_int", "fapprox", "fdiv_approx", "fsaturate",
})  # fmt: skip
_PAIRABLE = frozenset({"fadd", "fsub", "fmul", "ffma"})
_REGISTERS = frozenset({"special", "clock"})
_CALLS = frozenset({"call", "call_indirect"})
_NOTABLE = _SENSITIVE | _REGISTERS | _CALLS | {"symbol_address", "exit", "barrier", "named_barrier"}
_ROUNDS_TINY_TO_ZERO = frozenset({Rounding.RN, Rounding.RZ})
_REDUCTIONS = frozenset({BarrierMode.POPC, BarrierMode.AND, BarrierMode.OR})


def collect(module: Module) -> dict[str, Facts]:
    """The facts of every function, callees included."""
    own = {function.name: _of_function(function, module) for function in module.functions.values()}
    taken = address_taken(module)
    for facts in own.values():
        if facts.calls_unknown:
            facts.callees |= taken
    changed = True
    while changed:
        changed = False
        for name, facts in own.items():
            for callee in sorted(facts.callees):
                changed |= _absorb(facts, own[callee], module.functions[name].is_kernel)
        changed |= _make_alike([own[name] for name in taken if module.functions[name].blocks])
    for facts in list(own.values()):
        if facts.keeps_subnormals:  # a callee runs in its caller's mode
            for callee in facts.callees:
                own[callee].keeps_subnormals = True
    return own


def _make_alike(taken: list[Facts]) -> bool:
    """Who calls by address does not know whom: all say whether the thread has ended, or none."""
    if not any(facts.may_exit for facts in taken) or all(facts.may_exit for facts in taken):
        return False
    for facts in taken:
        facts.may_exit = True
    return True


def address_taken(module: Module) -> set[str]:
    taken = {
        str(op.attr("symbol"))
        for function in module.functions.values()
        for op in function.ops()
        if op.opdef.name == "function_address"
    }
    for variable in module.variables.values():
        taken |= {r.symbol for r in variable.relocations if r.symbol in module.functions}
    return taken & module.functions.keys()


def _absorb(facts: Facts, callee: Facts, is_kernel: bool) -> bool:
    before = _size(facts)
    facts.specials |= callee.specials
    facts.variables |= callee.variables
    facts.callees |= callee.callees
    facts.calls_unknown |= callee.calls_unknown
    facts.may_exit |= callee.may_exit
    facts.keeps_subnormals |= callee.keeps_subnormals
    facts.block_barrier_scratch |= callee.block_barrier_scratch
    facts.named_barriers = callee.named_barriers | facts.named_barriers
    return _size(facts) != before


def _size(facts: Facts) -> tuple[int, ...]:
    flags = (facts.calls_unknown, facts.may_exit, facts.keeps_subnormals)
    return (
        len(facts.specials),
        len(facts.variables),
        len(facts.callees),
        *flags,
        facts.block_barrier_scratch,
        len(facts.named_barriers),
    )


def _of_function(function: Function, module: Module) -> Facts:
    facts = Facts()
    seen = set()
    for block in function.blocks:
        seen.add(block)
        for op in block.ops:
            if op.opdef.name in _NOTABLE:
                _add_op(facts, op, function, module)
        for successor in block.ops[-1].successors:
            if successor in seen:
                facts.has_loops = True
        facts.size += len(block.ops)
    if function.slots:
        facts.has_locals_or_calls = True
    if not function.blocks:
        facts.calls_unknown = True
    return facts


def _add_op(facts: Facts, op: Op, function: Function, module: Module) -> None:
    name = op.opdef.name
    if name in _SENSITIVE:
        facts.has_halves |= op.operands[0].width == 16 or op.results[0].width == 16
        facts.pairable += name in _PAIRABLE and op.operands[0].width == 32
        if not facts.keeps_subnormals:
            facts.keeps_subnormals = _keeps_subnormals(op)
    elif name in _REGISTERS:
        register = op.attr("register")
        assert isinstance(register, Special)
        facts.specials.add(register)
    elif name == "symbol_address":
        facts.variables.add(str(op.attr("symbol")))
    elif name == "exit":
        facts.may_exit |= not function.is_kernel
    elif name == "barrier":
        facts.block_barrier_scratch |= op.attr("mode") in _REDUCTIONS
    elif name == "named_barrier":
        _, number, waves = op.attrs
        facts.named_barriers.setdefault(int(str(number)), int(str(waves)))
    elif name in _CALLS:
        _add_call(facts, op, module)


def _add_call(facts: Facts, op: Op, module: Module) -> None:
    facts.has_locals_or_calls = True
    symbol = str(op.attr("symbol")) if op.opdef.name == "call" else ""
    if symbol in module.functions:
        facts.callees.add(symbol)
    else:
        facts.calls_unknown = True


# Directed rounding compares the nearest f32, which a flushing mode would have changed.
_ROUND_BY_COMPARING = frozenset({"fadd", "fsub", "fmul", "ffma", "fdiv", "fsqrt", "fconvert"})
_SINGLE = frozenset({Format.F32, Format.BF16})  # bf16 is computed in f32 and has its exponents


def _keeps_subnormals(op: Op) -> bool:
    """Whether the op's result would differ if f32 subnormals were flushed."""
    fmt, name = op.attr("fmt"), op.opdef.name
    if name == "fsaturate":
        return fmt in _SINGLE and not is_flushed(op.operands[0])
    rounding = _rounding(op)
    if name in _ROUND_BY_COMPARING and rounding is not Rounding.RN and fmt is Format.F32:
        return True
    if name == "fconvert":
        source = op.attr("source")
        flushes = op.attr("ftz") and Format.F32 in (source, fmt)
        return not flushes and _conversion_keeps(source, fmt, rounding)
    if op.attr("ftz") and fmt is not Format.BF16:
        return False
    if name in ("fround", "float_to_int"):
        return fmt in _SINGLE and rounding not in _ROUNDS_TINY_TO_ZERO
    return fmt in _SINGLE


def _rounding(op: Op) -> object:
    return op.attr("rounding") if "rounding" in op.opdef.attributes else Rounding.RN


def _conversion_keeps(source: object, fmt: object, rounding: object) -> bool:
    if fmt is Format.F64:
        return source in _SINGLE
    if source is Format.F64 and fmt in _SINGLE:
        return True
    return source is not Format.F16 and rounding not in _ROUNDS_TINY_TO_ZERO


def is_flushed(value: Value) -> bool:
    """Whether the value is the result of an op that flushes."""
    definition = value.definition
    if not isinstance(definition, Op) or "ftz" not in definition.opdef.attributes:
        return False
    return bool(definition.attr("ftz"))
