"""Applies rules and passes to functions until nothing fits any more.

Comes in: functions and a target. Goes out: functions that compute the same in fewer instructions,
and what fired where. A function that nothing fits is returned as it is; others are copied first. It
must know no rule.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Sequence

from ptxlift.ir.copy import Copier
from ptxlift.ir.core import Function, Op, Value
from ptxlift.ir.ops import Effect
from ptxlift.records import dataclass, field
from ptxlift.rewrite.editor import Editor
from ptxlift.rewrite.fold import fold
from ptxlift.rewrite.pattern import (
    COMMUTATIVE,
    AnyUses,
    Bindings,
    Uses,
    constant_of,
    match,
)
from ptxlift.rewrite.rule import Index, Rule
from ptxlift.target import Feature

FOLD = "fold"  # what the log calls the folding of constants
_FIRES_PER_OP = 8  # more rewrites than that mean that rules undo each other


@dataclass(frozen=True, slots=True)
class Fire:
    """A rule or pass that changed something. `span`: where in the PTX."""

    name: str
    function: str
    span: int


@dataclass(slots=True)
class Log:
    """What was done. `stopped`: functions that reached the bound."""

    fires: list[Fire] = field(default_factory=list)
    stopped: list[str] = field(default_factory=list)

    def counts(self) -> dict[str, int]:
        """How often each rule fired, by name."""
        return dict(sorted(Counter(fire.name for fire in self.fires).items()))


@dataclass(frozen=True, slots=True)
class Pass:
    """A rewrite that no single pattern expresses. `wants(names, function, features)`: a quick test,
    from the names of the function's ops on; `run` changes the function through the session. `found`
    and `made` say for people what it looks for and what becomes of it, `proof` how that is known to
    be right; `cost` is that of `Rule`.
    """

    name: str
    found: str
    made: str
    proof: str
    cost: tuple[int, int]
    wants: Callable[[frozenset[str], Function, frozenset[Feature]], bool]
    run: Callable[[Session], None]


class Session:
    """One function at work."""

    def __init__(self, editor: Editor, index: Index, features: frozenset[Feature], log: Log):
        self.editor = editor
        self.index = index
        self.features = features
        self._log = log
        self._left = _FIRES_PER_OP * sum(len(b.ops) for b in editor.function.blocks)
        self._work: deque[Op] = deque()
        self._waiting: set[Op] = set()

    def note(self, name: str, op: Op) -> None:
        """Records that something fired."""
        self._log.fires.append(Fire(name, self.editor.function.name, op.span))

    def replace(self, name: str, op: Op, new: Sequence[Op], results: Sequence[Value]) -> None:
        """Puts ops before an op, whose results become other values."""
        self.note(name, op)
        self.editor.insert(op, new)
        for each in new:
            self._push(each)
        for old, value in zip(op.results, results, strict=True):
            for reader in self.editor.replace_value(old, value):
                self._push(reader)
        self.editor.remove_dead(op)

    def _push(self, op: Op) -> None:
        if op not in self._waiting:
            self._waiting.add(op)
            self._work.append(op)

    # ---- rules, folding, canonical forms ----

    def begin(self) -> None:
        """Drops what nobody reads; every other op is to be looked at."""
        self.editor.remove_all_dead()
        self.editor.finish()
        self._work = deque(self.editor.function.ops())
        self._waiting = set(self._work)

    def apply_rules(self) -> None:
        """Works until no rule fits, or the bound is reached; then the blocks are in order."""
        while self._work:
            op = self._work.popleft()
            self._waiting.discard(op)
            if op in self.editor.dead or not self._simplify(op):
                continue
            self._left -= 1
            if self._left < 0:
                self._log.stopped.append(self.editor.function.name)
                self._work.clear()
        self._waiting.clear()
        self.editor.finish()

    def _simplify(self, op: Op) -> bool:
        if op.opdef.effect is not Effect.PURE or not op.operands:
            return False
        if self._fold(op):
            return True
        _constants_right(op)
        for rule in self.index.rules_for(op):
            bound = applies(rule, op, self.editor.uses)
            if bound is not None:
                self._build(rule, op, bound)
                return True
        return False

    def _fold(self, op: Op) -> bool:
        bits = fold(op)
        if bits is None:
            return False
        builder = self.editor.builder(op)
        pairs = zip(op.results, bits, strict=True)
        results = [builder.const(value.width, number) for value, number in pairs]
        self.replace(FOLD, op, builder.block.ops, results)
        return True

    def _build(self, rule: Rule, op: Op, bound: Bindings) -> None:
        builder = self.editor.builder(op)
        made = rule.build(builder, **bound)
        results = made if isinstance(made, tuple) else (made,)
        self.replace(rule.name, op, builder.block.ops, results)


def _constants_right(op: Op) -> None:
    """The canonical form of a commutative op."""
    if op.opdef.name in COMMUTATIVE:
        a, b = op.operands[:2]
        if constant_of(a) is not None and constant_of(b) is None:
            op.operands[:2] = [b, a]


def applies(rule: Rule, op: Op, uses: Uses) -> Bindings | None:
    """What the rule's names are bound to, if it fits."""
    width = op.results[0].width
    if width == 1 or rule.pattern.op == "icmp":
        width = op.operands[0].width
    if width not in rule.widths:
        return None
    bound = match(rule.pattern, op, uses)
    if bound is None or (rule.when is not None and not rule.when(**bound)):
        return None
    return bound


class Rewriter:
    """The rules and passes for one target."""

    def __init__(
        self, rules: Sequence[Rule], passes: Sequence[Pass], features: frozenset[Feature]
    ) -> None:
        self._index = Index(rules, features)
        self._passes = passes
        self._features = features

    def rewrite(self, function: Function, log: Log) -> Function:
        """The function, or a better one."""
        if not function.blocks:
            return function
        names = frozenset({op.opdef.name for block in function.blocks for op in block.ops})
        wanted = [each for each in self._passes if each.wants(names, function, self._features)]
        if not wanted and not self._has_gain(names, function):
            return function
        copy = Copier(function).run()
        session = Session(Editor(copy), self._index, self._features, log)
        before = len(log.fires)
        session.begin()
        session.apply_rules()
        for each in wanted:
            each.run(session)
            session.apply_rules()
        return copy if len(log.fires) > before else function

    def _has_gain(self, names: frozenset[str], function: Function) -> bool:
        """Whether some rule that is worth a beginning may fit."""
        if not any(needs <= names for rule, needs in self._index.needs if not rule.enabling):
            return False
        index, uses = self._index, AnyUses()
        for block in function.blocks:
            for op in block.ops:
                if not index.is_root(op.opdef.name):
                    continue
                for rule in index.rules_for(op):
                    if not rule.enabling and applies(rule, op, uses) is not None:
                        return True
        return False
