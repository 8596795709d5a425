"""Rules as data, and the index that finds those that may fit an op.

Comes in: chapters of rules. Goes out: for an op, the few rules whose root and operands have the
right names, by a table that fills itself. It must know no rule.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ptxlift.ir.core import Op
from ptxlift.records import dataclass, field
from ptxlift.rewrite.pattern import COMMUTATIVE, Known, Literal, Node, Pattern
from ptxlift.target import Feature

# Any: the operands are what the pattern's names are bound to, in the algebra at hand.
Build = Callable[..., Any]
When = Callable[..., bool]
Shape = tuple[str, ...]  # the root's name and those of the ops that define its operands
_WIDTHS = (8, 16, 32, 64)


@dataclass(frozen=True, slots=True)
class Rule:
    """One rewrite.

    `build(algebra, **bindings)` gives the root's result anew, or a tuple of its results; it only
    constructs. `when(**bindings)`: a pure condition. `widths`: of the root's result, or of its
    first operand where the result has a fixed width. `cost`: vector instructions before and after
    on a chip that gains, measured. `enabling`: gains nothing by itself, so that it never is the
    reason to begin with a function. `constants`: the values of known operands for which it is
    proven, where `build` needs them as numbers. `unproven`: why there is no proof.
    """

    name: str
    pattern: Node
    build: Build
    requires: Feature | None = None
    lacks: Feature | None = None
    when: When | None = None
    widths: tuple[int, ...] = _WIDTHS
    cost: tuple[int, int] = (0, 0)
    enabling: bool = False
    constants: Mapping[str, Sequence[int]] = field(default_factory=dict)
    unproven: str = ""
    shown: str = ""  # the result, for people


def rule(name: str, pattern: Node, build: Build, **details: Any) -> Rule:  # Any: Rule's fields
    """A rule; `details` are `Rule`'s other fields."""
    return Rule(name, pattern, build, **details)


def names_in(pattern: Pattern) -> set[str]:
    """The ops that a pattern needs."""
    if not isinstance(pattern, Node):
        return {"const"} if isinstance(pattern, Known | Literal) else set()
    return {pattern.op}.union(*(names_in(operand) for operand in pattern.operands))


class Index:
    """The rules for one target."""

    def __init__(self, rules: Sequence[Rule], features: frozenset[Feature]) -> None:
        usable = [rule for rule in rules if _is_usable(rule, features)]
        self._by_root: dict[str, list[Rule]] = {}
        for each in usable:
            self._by_root.setdefault(each.pattern.op, []).append(each)
        self.needs = [(each, names_in(each.pattern)) for each in usable]
        self._by_shape: dict[Shape, tuple[Rule, ...]] = {}

    def is_root(self, name: str) -> bool:
        """Whether any rule begins with the op."""
        return name in self._by_root

    def rules_for(self, op: Op) -> tuple[Rule, ...]:
        """The rules that the op's name and those of its operands' ops allow."""
        shape = (
            op.opdef.name,
            *[v.definition.opdef.name if type(v.definition) is Op else "" for v in op.operands],
        )
        found = self._by_shape.get(shape)
        if found is None:
            rules = self._by_root.get(shape[0], ())
            found = tuple(rule for rule in rules if _allows(rule.pattern, shape[1:]))
            self._by_shape[shape] = found
        return found


def _is_usable(rule: Rule, features: frozenset[Feature]) -> bool:
    has = rule.requires is None or rule.requires in features
    return has and (rule.lacks is None or rule.lacks not in features)


def _allows(node: Node, names: Shape) -> bool:
    if len(names) != len(node.operands):
        return False
    orders = [names]
    if node.op in COMMUTATIVE:
        orders.append((names[1], names[0], *names[2:]))
    return any(
        all(_fits(pattern, name) for pattern, name in zip(node.operands, order, strict=True))
        for order in orders
    )


def _fits(pattern: Pattern, name: str) -> bool:
    match pattern:
        case Node():
            return pattern.op == name
        case Known() | Literal():
            return name == "const"
        case _:
            return True
