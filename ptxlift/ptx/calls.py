"""Calls: arguments and results are checked against the function or prototype that is called.

Comes in: one call's shape and symbols. Goes out: its form and operands, or a `Fault`. Unlike other
instructions a call is checked each time, for what it takes depends on the function.
"""

from __future__ import annotations

from collections.abc import Sequence

from ptxlift.isa import Form, OperandKind, OperandSpec, Role, Rule, type_of
from ptxlift.isa.classify import Candidate
from ptxlift.isa.forms import form_of
from ptxlift.isa.pattern import Bracket, parse
from ptxlift.ptx.agree import agrees
from ptxlift.ptx.binding.constants import constant
from ptxlift.ptx.binding.context import Context, is_constant, what
from ptxlift.ptx.module import (
    SINK,
    ArgList,
    Function,
    FunctionRef,
    Immediate,
    Operand,
    Prototype,
    PrototypeRef,
    Register,
    Sink,
    Space,
    TargetsRef,
    Variable,
)
from ptxlift.ptx.plans import candidates, version_fault
from ptxlift.ptx.report import Fault
from ptxlift.ptx.symbols import TargetList
from ptxlift.records import dataclass
from ptxlift.syntax import nodes

Formal = Variable | Register


@dataclass(frozen=True, slots=True)
class _Parts:
    """The operands of a call by meaning; indices are places in the instruction."""

    results: nodes.Parens | None
    callee: nodes.Operand
    arguments: nodes.Parens | None
    targets: nodes.Operand | None


def bind_call(shape: nodes.Shape, context: Context) -> tuple[Form, tuple[Operand, ...]]:
    """The form and typed operands of a call."""
    parts = _parts(shape)
    callee, signature = _callee(context, parts)
    at = 1 if parts.results is not None else 0
    operands: list[Operand] = []
    if parts.results is not None or signature.returns:
        found = _list(context, parts.results, signature.returns, 0, result=True)
        operands += [found] if parts.results is not None else []
    operands.append(callee)
    arguments = _list(context, parts.arguments, signature.params, at + 1, result=False)
    operands += [arguments] if parts.arguments is not None else []
    if parts.targets is not None:
        operands.append(_target_list(context, parts.targets).operand)
    return _form(shape, context, parts), tuple(operands)


def _parts(shape: nodes.Shape) -> _Parts:
    rest = list(shape.operands)
    results = arguments = targets = None
    if rest and isinstance(rest[0], nodes.Parens):
        results = rest.pop(0)
    if not rest:
        raise Fault("PTX110", "the call names no function", "call f, (arguments)")
    callee = rest.pop(0)
    if rest and isinstance(rest[0], nodes.Parens):
        arguments = rest.pop(0)
    if rest:
        targets = rest.pop(0)
    if rest:
        raise Fault("PTX110", "the call has too many operands", "call (r), f, (arguments), list")
    assert results is None or isinstance(results, nodes.Parens)
    assert arguments is None or isinstance(arguments, nodes.Parens)
    return _Parts(results, callee, arguments, targets)


def _callee(context: Context, parts: _Parts) -> tuple[Operand, Prototype]:
    at = 1 if parts.results is not None else 0
    symbol = context.symbol(parts.callee) if isinstance(parts.callee, nodes.Name) else None
    if isinstance(symbol, Function):
        if symbol.kind != "func":
            raise Fault("PTX110", f"`{symbol.name}` is a kernel", "only a .func can be called", at)
        signature = Prototype(symbol.returns, symbol.params, "noreturn" in symbol.attributes)
        return FunctionRef(symbol), signature
    if isinstance(symbol, Register):
        if not agrees(type_of("u64"), Rule.EQUAL, symbol.type):
            raise Fault("PTX110", f"`{symbol.name}` holds no address", "use a 64-bit register", at)
        if parts.targets is None:
            raise Fault(
                "PTX110", "an indirect call needs a .calltargets or .callprototype label", "", at
            )
        return symbol, _prototype(_target_list(context, parts.targets))
    described = what(symbol) if symbol is not None else "no name"
    raise Fault("PTX110", f"a call needs a function; this is {described}", "", at)


def _target_list(context: Context, node: nodes.Operand) -> TargetList:
    symbol = context.symbol(node) if isinstance(node, nodes.Name) else None
    if isinstance(symbol, TargetList) and symbol.signature != "branchtargets":
        return symbol
    raise Fault("PTX110", "the last operand must be a .calltargets or .callprototype label")


def _prototype(targets: TargetList) -> Prototype:
    if isinstance(targets.operand, PrototypeRef):
        return targets.operand.prototype
    assert isinstance(targets.operand, TargetsRef)
    first = targets.operand.functions[0]
    return Prototype(first.returns, first.params)


def _list(
    context: Context,
    node: nodes.Parens | None,
    formals: Sequence[Formal],
    at: int,
    *,
    result: bool,
) -> ArgList:
    elements = node.elements if node is not None else ()
    if len(elements) != len(formals):
        kind = "results" if result else "arguments"
        raise Fault(
            "PTX110",
            f"the call has {len(elements)} {kind}; the function has {len(formals)}",
            "match the function's declaration",
            at,
        )
    bound = []
    for element, formal in zip(elements, formals, strict=True):
        try:
            bound.append(_argument(context, element, formal, result=result))
        except Fault as fault:
            fault.where = at
            raise
    return ArgList(tuple(bound))


def _argument(
    context: Context, node: nodes.Operand, formal: Formal, *, result: bool
) -> Register | Immediate | Variable | Sink:
    if isinstance(node, nodes.Sink) and result:
        return SINK
    if is_constant(node) and not result:
        spec = OperandSpec(formal.name, Role.SOURCE, OperandKind.VALUE, formal.type)
        built = constant(context, node, spec)(context.symbols, context.atoms)
        assert isinstance(built, Immediate)
        return built
    symbol = context.symbol(node) if isinstance(node, nodes.Name) else None
    if isinstance(symbol, Register) and _register_fits(symbol, formal):
        return symbol
    if isinstance(symbol, Variable) and _variable_fits(symbol, formal):
        return symbol
    described = what(symbol) if symbol is not None else "this"
    raise Fault(
        "PTX110",
        f"{described} does not match `{formal.name}`, which is .{formal.type.name}",
        f"it has {_size(formal)} bytes",
    )


def _register_fits(register: Register, formal: Formal) -> bool:
    if isinstance(formal, Variable) and formal.dims:
        return False
    return register.vector == formal.vector and agrees(formal.type, Rule.EQUAL, register.type)


def _variable_fits(variable: Variable, formal: Formal) -> bool:
    return variable.space is Space.PARAM and variable.size == _size(formal)


def _size(formal: Formal) -> int:
    return formal.size if isinstance(formal, Variable) else formal.type.bytes


def _form(shape: nodes.Shape, context: Context, parts: _Parts) -> Form:
    """The row with the same brackets; the callee tells a direct call from an indirect one."""
    wanted = tuple(
        Bracket.ROUND if isinstance(operand, nodes.Parens) else Bracket.NONE
        for operand in shape.operands
    )
    for candidate in candidates(shape):
        places = parse(candidate.row).places
        if tuple(place.bracket for place in places) == wanted and _is_indirect(candidate) == (
            parts.targets is not None
        ):
            late = version_fault(candidate, context)
            if late is not None:
                raise late
            return form_of(candidate, tuple(range(len(places))))
    raise Fault("PTX110", "the call has the wrong operands", "call (results), f, (arguments)")


def _is_indirect(candidate: Candidate) -> bool:
    return not any(name == "fn" for place in parse(candidate.row).places for name in place.names)
