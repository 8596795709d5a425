"""A syntax tree comes in; PTX text with the same tree goes out.

One statement a line, in the layout nvcc uses. This module must not know which instructions exist.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import assert_never

from ptxlift.syntax.nodes import (
    Address,
    Alias,
    Attribute,
    Binary,
    Block,
    Bracket,
    CallPrototype,
    Conditional,
    Declaration,
    Declarator,
    Expression,
    File,
    Function,
    Initializer,
    Instruction,
    Item,
    Label,
    Literal,
    Loc,
    Minus,
    Module,
    Name,
    Negated,
    Offset,
    Operand,
    Pair,
    Parameter,
    Parens,
    Pragma,
    Section,
    Sink,
    Statement,
    SymbolCall,
    Targets,
    Unary,
    Vector,
)


def print_module(module: Module) -> str:
    """The module as PTX text."""
    major, minor = module.version
    lines = [f".version {major}.{minor}", f".target {', '.join(module.targets)}"]
    if module.address_size is not None:
        lines.append(f".address_size {module.address_size}")
    for item in module.items:
        lines.append("")
        lines += _item_lines(item)
    return "\n".join(lines) + "\n"


def print_statement(statement: Statement) -> str:
    """One statement as text, without indentation."""
    return "\n".join(_statement_lines(statement))


def instruction_text(node: Instruction) -> str:
    """An instruction with its guard, without `;`."""
    shape, atoms = node.shape, node.atoms
    guard = ""
    if shape.guard is not None:
        guard = f"@{'!' if shape.guard_negated else ''}{atoms[shape.guard]} "
    words = ".".join((shape.opcode, *shape.modifiers))
    operands = ", ".join(operand_text(operand, atoms) for operand in shape.operands)
    return f"{guard}{words} {operands}".rstrip()


def operand_text(node: Operand, atoms: Sequence[str]) -> str:
    """An operand as text."""
    match node:
        case Negated(operand):
            return "!" + name_text(operand, atoms)
        case Minus(operand):
            return "-" + name_text(operand, atoms)
        case Sink():
            return "_"
        case Pair(first, second):
            return f"{operand_text(first, atoms)}|{operand_text(second, atoms)}"
        case Vector(elements):
            return f"{{{_joined(elements, atoms)}}}"
        case Address():
            return _address_text(node, atoms)
        case Bracket(parts):
            return f"[{_joined(parts, atoms)}]"
        case Offset(base, offset):
            return f"{name_text(base, atoms)}+{integral_text(offset, atoms)}"
        case Parens(elements):
            return f"({_joined(elements, atoms)})"
        case _:
            return expression_text(node, atoms)


def expression_text(node: Expression, atoms: Sequence[str]) -> str:
    """An expression as text, with all the parentheses it needs."""
    match node:
        case Literal(slot):
            return atoms[slot]
        case Name():
            return name_text(node, atoms)
        case SymbolCall():
            return _symbol_call_text(node, atoms)
        case Unary(operator, operand):
            return operator + _inner(operand, atoms)
        case Binary(operator, left, right):
            return f"{_inner(left, atoms)} {operator} {_inner(right, atoms)}"
        case Conditional(condition, then, otherwise):
            parts = [_inner(part, atoms) for part in (condition, then, otherwise)]
            return f"{parts[0]} ? {parts[1]} : {parts[2]}"
        case _:
            assert_never(node)


def name_text(node: Name, atoms: Sequence[str]) -> str:
    """A name with its component."""
    return f"{atoms[node.slot]}.{node.component}" if node.component else atoms[node.slot]


# ---- operands ----


def _joined(nodes: Iterable[Operand], atoms: Sequence[str]) -> str:
    return ", ".join(operand_text(node, atoms) for node in nodes)


def _address_text(node: Address, atoms: Sequence[str]) -> str:
    if node.base is None:
        return f"[{integral_text(node.offset, atoms)}]" if node.offset else "[]"
    base = name_text(node.base, atoms)
    if node.offset is None:
        return f"[{base}]"
    if node.subscript:
        return f"{base}[{integral_text(node.offset, atoms)}]"
    return f"[{base}+{integral_text(node.offset, atoms)}]"


def integral_text(node: Expression, atoms: Sequence[str]) -> str:
    """An expression as an offset, index or field, where PTX takes no bare hex float."""
    return _inner(node, atoms) if isinstance(node, Literal) else expression_text(node, atoms)


def _inner(node: Expression, atoms: Sequence[str]) -> str:
    """An expression inside another; hex floats need parentheses there, as PTX wants it."""
    text = expression_text(node, atoms)
    if isinstance(node, Name | SymbolCall):
        return text
    if isinstance(node, Literal) and atoms[node.slot][1:2] not in ("f", "F", "d", "D"):
        return text
    return f"({text})"


def _symbol_call_text(node: SymbolCall, atoms: Sequence[str]) -> str:
    inner = atoms[node.symbol]
    if node.generic:
        inner = f"generic({inner})"
    if node.offset is not None:
        inner += f"+{integral_text(node.offset, atoms)}"
    return f"{atoms[node.function]}({inner})"


# ---- statements ----


def _statement_lines(statement: Statement) -> list[str]:
    match statement:
        case Instruction():
            return [instruction_text(statement) + ";"]
        case Label(name):
            return [f"{name}:"]
        case Block(statements):
            return _block_lines(statements)
        case Declaration():
            return [_declaration_text(statement)]
        case Loc():
            return [_loc_text(statement)]
        case Pragma():
            return [_pragma_text(statement)]
        case Targets(label, kind, names):
            return [f"{label}: .{kind} {', '.join(names)};"]
        case CallPrototype():
            return [_prototype_text(statement)]
        case _:
            assert_never(statement)


def _block_lines(statements: Iterable[Statement]) -> list[str]:
    """The lines of a block. The stack holds what is left to print of each open block."""
    lines = ["{"]
    stack = [iter(statements)]
    while stack:
        statement = next(stack[-1], None)
        indent = "\t" * len(stack)
        if statement is None:
            stack.pop()
            lines.append(f"{indent[1:]}}}")
        elif isinstance(statement, Block):
            lines.append(f"{indent}{{")
            stack.append(iter(statement.statements))
        elif isinstance(statement, Label):
            lines.append(f"{statement.name}:")
        else:
            lines += [indent + line for line in _statement_lines(statement)]
    return lines


def _loc_text(node: Loc) -> str:
    text = f".loc {node.file} {node.line} {node.column}"
    if node.inlined_at is None:
        return text
    offset = f"+{node.function_offset}" if node.function_offset else ""
    place = " ".join(map(str, node.inlined_at))
    return f"{text}, function_name {node.function_name}{offset}, inlined_at {place}"


def _pragma_text(node: Pragma) -> str:
    strings = ", ".join(f'"{text}"' for text in node.strings)
    return f".pragma {strings};"


def _prototype_text(node: CallPrototype) -> str:
    returns = f" ({_parameters_text(node.returns)})" if node.returns else ""
    words = f"{node.label}: .callprototype{returns} _ ({_parameters_text(node.parameters)})"
    return " ".join([words, *map(_attribute_text, node.attributes)]) + ";"


# ---- declarations ----


def _declaration_text(node: Declaration) -> str:
    bank = "" if node.bank is None else f"[{node.bank}]"
    words = [
        f".{node.linkage}" if node.linkage else "",
        f".{node.space}{bank}",
        _attributes_text(node.attributes),
        "" if node.align is None else f".align {node.align}",
        f".v{node.vector}" if node.vector > 1 else "",
        f".{node.type}",
        ", ".join(map(_declarator_text, node.declarators)),
    ]
    return " ".join(word for word in words if word) + ";"


def _attributes_text(texts: Iterable[str]) -> str:
    joined = ", ".join(f".{text}" for text in texts)
    return f".attribute({joined})" if joined else ""


def _declarator_text(node: Declarator) -> str:
    count = "" if node.count is None else f"<{node.count}>"
    text = f"{node.name}{_dimensions_text(node.dimensions)}{count}"
    if node.initializer is None:
        return text
    return f"{text} = {_initializer_text(node.initializer, node.initializer.atoms)}"


def _dimensions_text(dimensions: Iterable[int | None]) -> str:
    return "".join("[]" if size is None else f"[{size}]" for size in dimensions)


def _initializer_text(node: Initializer, atoms: Sequence[str]) -> str:
    if node.settings:
        return f"{{{', '.join(f'{name} = {value}' for name, value in node.settings)}}}"
    if isinstance(node.value, tuple):
        return f"{{{', '.join(_initializer_text(child, atoms) for child in node.value)}}}"
    return expression_text(node.value, atoms)


def _parameters_text(nodes: Iterable[Parameter]) -> str:
    return ", ".join(map(_parameter_text, nodes))


def _parameter_text(node: Parameter) -> str:
    words = [
        f".{node.space}",
        "" if node.align is None else f".align {node.align}",
        f".v{node.vector}" if node.vector > 1 else "",
        f".{node.type}",
        ".ptr" if node.pointer else "",
        f".{node.pointer_space}" if node.pointer_space else "",
        "" if node.pointer_align is None else f".align {node.pointer_align}",
        node.name + _dimensions_text(node.dimensions),
    ]
    return " ".join(word for word in words if word)


# ---- module level ----


def _item_lines(item: Item) -> list[str]:
    match item:
        case Declaration():
            return [_declaration_text(item)]
        case Function():
            return _function_lines(item)
        case Alias(name, target):
            return [f".alias {name}, {target};"]
        case File():
            return [_file_text(item)]
        case Section(name, text):
            return [f".section {name}", f"{{{text}}}"]
        case Pragma():
            return [_pragma_text(item)]
        case _:
            assert_never(item)


def _file_text(node: File) -> str:
    extra = "".join(f", {number}" for number in (node.time, node.size) if number is not None)
    return f'.file {node.index} "{node.name}"{extra}'


_ON_DECLARATION = ("managed", "unified")


def _attribute_text(node: Attribute) -> str:
    values = ", ".join(map(str, node.values))
    return f".{node.name} {values}".rstrip()


def _declared_text(node: Attribute) -> str:
    values = f"({', '.join(map(str, node.values))})" if node.values else ""
    return f".attribute(.{node.name}{values}) "


def _function_lines(node: Function) -> list[str]:
    declared = [a for a in node.attributes if a.name in _ON_DECLARATION]
    attributes = "".join(map(_declared_text, declared))
    linkage = f".{node.linkage} " if node.linkage else ""
    returns = f"({_parameters_text(node.returns)}) " if node.returns else ""
    parameters = ",\n\t".join(map(_parameter_text, node.parameters))
    open_, close = ("(\n\t", "\n)") if parameters else ("(", ")")
    head = f"{linkage}.{node.kind} {attributes}{returns}{node.name}{open_}{parameters}{close}"
    lines = [head]
    lines += [_attribute_text(a) for a in node.attributes if a not in declared]
    lines += map(_pragma_text, node.pragmas)
    if node.body is None:
        return [*lines, ";"]
    return lines + _block_lines(node.body.statements)
