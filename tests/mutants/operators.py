"""Small faults put into a function's syntax tree, by named operators.

Comes in: the source of a module. Goes out: mutants, each one fault in one function, where it is,
and the tree of the module that has it. Decorators, annotations, docstrings, assertions and what is
raised stay as they are. It must not know how mutants are run.
"""

from __future__ import annotations

import ast
import copy
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

# Methods whose first two operands may not change places.
_ORDERED = frozenset({
    "sub", "udiv", "urem", "sdiv", "srem", "shl", "lshr", "ashr", "icmp", "fcmp", "fsub", "fdiv",
    "ssub_sat", "sub_borrow", "fdiv_approx", "fshl", "fshr", "prmt",
})  # fmt: skip
_NEXT_INT = {
    "EQ": "NE", "NE": "EQ", "ULT": "ULE", "ULE": "ULT", "UGT": "UGE", "UGE": "UGT",
    "SLT": "SLE", "SLE": "SLT", "SGT": "SGE", "SGE": "SGT",
}  # fmt: skip
_NEXT_FLOAT = {
    "OEQ": "ONE", "ONE": "OEQ", "OLT": "OLE", "OLE": "OLT", "OGT": "OGE", "OGE": "OGT",
    "UEQ": "UNE", "UNE": "UEQ", "ULT": "ULE", "ULE": "ULT", "UGT": "UGE", "UGE": "UGT",
    "ORD": "UNO", "UNO": "ORD",
}  # fmt: skip
_NEXT_COMPARE: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Eq: ast.NotEq, ast.NotEq: ast.Eq, ast.Lt: ast.LtE, ast.LtE: ast.Lt,
    ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.In: ast.NotIn, ast.NotIn: ast.In,
    ast.Is: ast.IsNot, ast.IsNot: ast.Is,
}  # fmt: skip
_COMPARISON = re.compile(r"\b([if]cmp) (\w+)\b")
_MODIFIERS = frozenset({"get", "has", "attr"})
Change = Callable[[ast.AST], ast.AST]


@dataclass(frozen=True, slots=True)
class Mutant:
    """`function`: the qualified name inside the module; `where`: the line, with brackets around
    what is changed; `build`
    makes the tree of the whole module, changed.
    """

    operator: str
    function: str
    line: int
    what: str
    where: str
    build: Callable[[], ast.Module]

    def __str__(self) -> str:
        return f"{self.function}:{self.line} {self.operator}: {self.what} in {self.where}"


def mutants(source: str) -> Iterator[Mutant]:
    """Every mutant of the module's functions, in the order of the text."""
    module, lines = ast.parse(source), source.splitlines()
    for path, function in functions(module):
        for node in _body_nodes(function):
            for operator, change in _changes(node):
                yield _mutant(module, lines, path, node, operator, change)


def functions(
    node: ast.AST, path: tuple[str, ...] = ()
) -> Iterator[tuple[tuple[str, ...], ast.FunctionDef]]:
    """Every function of a tree with its qualified name."""
    for child in ast.iter_child_nodes(node):
        match child:
            case ast.FunctionDef(name):
                yield (*path, name), child
                yield from functions(child, (*path, name, "<locals>"))
            case ast.ClassDef(name):
                yield from functions(child, (*path, name))
            case _:
                yield from functions(child, path)


def _body_nodes(function: ast.FunctionDef) -> Iterator[ast.AST]:
    """The nodes of the function's own statements, not of functions inside it."""
    stack: list[ast.AST] = list(reversed(function.body))
    while stack:
        node = stack.pop()
        if isinstance(node, ast.FunctionDef | ast.Raise | ast.Assert | ast.AnnAssign):
            continue
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            continue
        yield node
        stack += reversed(list(ast.iter_child_nodes(node)))


def _mutant(
    module: ast.Module,
    lines: list[str],
    path: tuple[str, ...],
    node: ast.AST,
    operator: str,
    change: Change,
) -> Mutant:
    """The tree is only made when it is asked for: most mutants are not in a sample."""
    new = change(copy.deepcopy(node))
    number = getattr(node, "lineno", 1)

    def build() -> ast.Module:
        tree = _Replace(node, new).visit(copy_sharing(module))
        assert isinstance(tree, ast.Module)
        return ast.fix_missing_locations(tree)

    what = f"{_text(node)} -> {_text(new)}"
    where = _marked(lines[number - 1], node)
    return Mutant(operator, ".".join(path), number, what, where, build)


def _marked(line: str, node: ast.AST) -> str:
    """A line with brackets around a node's part of it."""
    start = getattr(node, "col_offset", 0)
    many = getattr(node, "end_lineno", 0) != getattr(node, "lineno", 0)
    end = len(line) if many else getattr(node, "end_col_offset", len(line))
    return f"{line[:start]}[{line[start:end]}]{line[end:]}".strip()


def copy_sharing(module: ast.Module) -> ast.Module:
    """The module, as a new root over the same statements."""
    return ast.Module(list(module.body), module.type_ignores)


class _Replace(ast.NodeTransformer):
    """Copies the way down to one node, and puts another in its place."""

    def __init__(self, old: ast.AST, new: ast.AST) -> None:
        self._old, self._new = old, new

    def visit(self, node: ast.AST) -> ast.AST:  # every kind of node is treated alike
        if node is self._old:
            return ast.copy_location(self._new, node) if hasattr(node, "lineno") else self._new
        changed = copy.copy(node)
        for name, value in ast.iter_fields(node):
            if isinstance(value, ast.AST):
                setattr(changed, name, self.visit(value))
            elif isinstance(value, list):
                each = [self.visit(v) if isinstance(v, ast.AST) else v for v in value]
                setattr(changed, name, each)
        return changed


def _text(node: ast.AST) -> str:
    text = " ".join(ast.unparse(node).split())
    return text if len(text) <= 90 else text[:87] + "..."


# ---- the operators ----


def _changes(node: ast.AST) -> Iterator[tuple[str, Change]]:
    yield from _swaps(node)
    yield from _constants(node)
    yield from _conditions(node)
    yield from _predicates(node)
    yield from _masks(node)


def _swaps(node: ast.AST) -> Iterator[tuple[str, Change]]:
    """Not of comparisons for equality, which stay the same."""
    match node:
        case ast.Call(args=[_, _, ast.Attribute(attr="EQ" | "NE" | "OEQ" | "UNE"), *_]):
            return
        case ast.Call(func=ast.Attribute(attr=name), args=[_, _, *_]) if name in _ORDERED:
            yield "swap operands", _exchange("args", 0, 1)
        case ast.Call(func=ast.Attribute(attr="select"), args=[_, _, _]):
            yield "swap operands", _exchange("args", 1, 2)
        case ast.Assign(
            targets=[ast.Tuple(elts=[ast.Name(), ast.Name(), *_])],
            value=ast.Attribute(attr="operands"),
        ):
            yield "swap operands", _exchange_targets


def _exchange(field: str, first: int, second: int) -> Change:
    def change(node: ast.AST) -> ast.AST:
        items = getattr(node, field)
        items[first], items[second] = items[second], items[first]
        return node

    return change


def _exchange_targets(node: ast.AST) -> ast.AST:
    assert isinstance(node, ast.Assign)
    target = node.targets[0]
    assert isinstance(target, ast.Tuple)
    target.elts[0], target.elts[1] = target.elts[1], target.elts[0]
    return node


def _constants(node: ast.AST) -> Iterator[tuple[str, Change]]:
    if isinstance(node, ast.Constant) and type(node.value) is int:
        number = node.value
        yield "off by one", lambda old: ast.Constant(number + 1)


def _conditions(node: ast.AST) -> Iterator[tuple[str, Change]]:
    """A test is turned around: the branch that it guards is taken exactly where it should not."""
    if isinstance(node, ast.If | ast.IfExp):
        operator = "drop a modifier" if _reads_modifier(node.test) else "change a predicate"
        yield operator, _negate_test
    elif isinstance(node, ast.BoolOp):
        yield "drop a modifier", lambda old: _first_value(old)


def _first_value(node: ast.AST) -> ast.AST:
    assert isinstance(node, ast.BoolOp)
    return node.values[0]


def _reads_modifier(test: ast.expr) -> bool:
    return any(
        isinstance(n, ast.Call) and isinstance(n.func, ast.Attribute) and n.func.attr in _MODIFIERS
        for n in ast.walk(test)
    )


def _negate_test(node: ast.AST) -> ast.AST:
    assert isinstance(node, ast.If | ast.IfExp)
    node.test = ast.UnaryOp(ast.Not(), node.test)
    return node


def _predicates(node: ast.AST) -> Iterator[tuple[str, Change]]:
    match node:
        case ast.Attribute(value=ast.Name(id="IntPredicate"), attr=name) if name in _NEXT_INT:
            yield "change a predicate", lambda old: _renamed(old, _NEXT_INT)
        case ast.Attribute(value=ast.Name(id="FloatPredicate"), attr=name) if name in _NEXT_FLOAT:
            yield "change a predicate", lambda old: _renamed(old, _NEXT_FLOAT)
        case ast.Compare(ops=[operator]) if type(operator) in _NEXT_COMPARE:
            yield "change a predicate", _other_comparison
        case ast.Constant(value=str(text)) if _next_text(text) != text:
            new = _next_text(text)
            yield "change a predicate", lambda old: ast.Constant(new)


def _renamed(node: ast.AST, names: dict[str, str]) -> ast.AST:
    assert isinstance(node, ast.Attribute)
    node.attr = names[node.attr]
    return node


def _other_comparison(node: ast.AST) -> ast.AST:
    assert isinstance(node, ast.Compare)
    node.ops = [_NEXT_COMPARE[type(node.ops[0])]()]
    return node


def _next_text(text: str) -> str:
    """LLVM text with its first comparison changed."""

    def other(found: re.Match[str]) -> str:
        table = _NEXT_INT if found[1] == "icmp" else _NEXT_FLOAT
        return f"{found[1]} {table.get(found[2].upper(), found[2]).lower()}"

    return _COMPARISON.sub(other, text, count=1)


def _masks(node: ast.AST) -> Iterator[tuple[str, Change]]:
    match node:
        case ast.Call(func=ast.Attribute(attr="and_"), args=[first, _]):
            yield "drop a mask", lambda old: first
        case ast.BinOp(op=ast.BitAnd(), left=left):
            yield "drop a mask", lambda old: left
        case ast.Constant(value=str(text)) if text.startswith("and i"):
            yield "drop a mask", lambda old: ast.Constant("or" + text[3:])
