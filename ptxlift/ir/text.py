"""The text form of the IR, for people, goldens and `r.ir`. One op a line; values are numbered
in order of definition.
"""

from __future__ import annotations

from enum import Enum

from ptxlift.ir.core import Attribute, Block, Function, Module, Op, Value, Variable


def print_module(module: Module) -> str:
    """The whole module."""
    parts = [_variable(variable) for variable in module.variables.values()]
    parts += [print_function(function) for function in module.functions.values()]
    return "\n".join(parts)


def _variable(variable: Variable) -> str:
    linkage = f"{variable.linkage} " if variable.linkage else ""
    initial = "" if variable.data is None else f" = 0x{variable.data.hex()}"
    place = f"{variable.space.value}, {variable.size} bytes, align {variable.align}"
    return f"{linkage}variable @{variable.name} : {place}{initial}"


def print_function(function: Function) -> str:
    """One function, or its declaration."""
    return "\n".join(text for text, _ in function_lines(function))


def function_lines(function: Function) -> list[tuple[str, int]]:
    """The lines of a function, each with the span of the op it shows, or -1."""
    kind = "kernel" if function.is_kernel else "func"
    linkage = f"{function.linkage} " if function.linkage else ""
    results = " -> " + _widths(function.result_widths) if function.result_widths else ""
    if not function.blocks:
        head = f"{linkage}{kind} @{function.name}({_widths(function.param_widths)}){results}"
        return [(head, -1)]
    names = _Names()
    lines = [(f"{linkage}{kind} @{function.name}{results} {{", -1)]
    lines += [
        (f"  slot {index}: {slot.name}, {slot.size} bytes, align {slot.align}", -1)
        for index, slot in enumerate(function.slots)
    ]
    for block in function.blocks:
        lines += _block(block, names)
    lines.append(("}", -1))
    return lines


def print_op(op: Op) -> str:
    """One op by itself, for messages."""
    return _op(op, _Names())


def _widths(widths: tuple[int, ...]) -> str:
    return ", ".join(f"i{width}" for width in widths)


class _Names:
    """Numbers values in order of first sight."""

    def __init__(self) -> None:
        self._numbers: dict[Value, int] = {}

    def of(self, value: Value) -> str:
        return f"%{self._numbers.setdefault(value, len(self._numbers))}"


def _block(block: Block, names: _Names) -> list[tuple[str, int]]:
    params = ", ".join(f"{names.of(param)}: i{param.width}" for param in block.params)
    head = f"{block.name}({params}):" if params else f"{block.name}:"
    return [(head, -1), *(("  " + _op(op, names), op.span) for op in block.ops)]


def _op(op: Op, names: _Names) -> str:
    operands = ", ".join(names.of(value) for value in op.operands)
    results = ", ".join(f"{names.of(value)}: i{value.width}" for value in op.results)
    text = f"{results} = {op.name}" if results else op.name
    attrs = [
        f"{name}={_attribute(value)}"
        for name, value in zip(op.opdef.attributes, op.attrs, strict=True)
    ]
    if attrs:
        text += "<" + ", ".join(attrs) + ">"
    if operands:
        text += " " + operands
    targets = [
        f"{block.name}({', '.join(names.of(value) for value in arguments)})"
        for block, arguments in zip(op.successors, op.arguments, strict=True)
    ]
    return f"{text} -> {', '.join(targets)}" if targets else text


def _attribute(value: Attribute) -> str:
    match value:
        case Enum():
            return value.name.lower()
        case bool():
            return "true" if value else "false"
        case tuple():
            return "(" + ", ".join(_attribute(item) for item in value) + ")"
        case _:
            return str(value)
