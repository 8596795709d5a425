"""Which operations of a warp its lanes may come to at different places.

A `.sync` operation waits for all lanes of its mask, wherever they are: those of one branch may meet
those of the other at another operation of the same kind. Lanes of a wave meet only where the paths
do. Comes in: a function. Goes out: whether lanes must be brought together, and the operations.

Most branches that cannot be proven uniform are so all the same. A program whose lanes do not wait
forever executes as many operations of a kind, with one mask, on each lane; so a branch is only
suspect where both of its ways have one, or where its two halves are guarded apart.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from enum import Enum

from ptxlift.ir.core import Attribute, Block, Function, Module, Op, Value
from ptxlift.ir.dominators import Tree, dominators, post_dominators, predecessors, successors
from ptxlift.ir.locks import natural_loops
from ptxlift.ir.ops import Effect
from ptxlift.ir.uniformity import can_reach, reach
from ptxlift.ir.warp_uniformity import WarpUniformity, constant
from ptxlift.records import dataclass

_MASK_AT = {  # op: which operand is its member mask; the others take the whole warp
    "shuffle": 3,
    "vote": 1,
    "ballot": 1,
    "match_any": 1,
    "match_all": 1,
    "reduce": 1,
    "elect": 0,
    "warp_barrier": 0,
}
_ALONE = frozenset({"active_mask", "permute", "wave_permute"})  # wait for nobody
_MOST_UNPROVEN = 6  # operations of a kind, behind a branch that may well be uniform

Kind = tuple[Attribute, ...]


class Parting(Enum):
    """What is known of a function's lanes."""

    NONE = "none"  # they come together
    LIKELY = "likely"  # they do if a branch is uniform, as code of this size usually assumes
    SOME = "some"  # they may come apart, and are to be brought together


@dataclass(frozen=True, slots=True)
class Verdict:
    """`span`: PTX offset of an operation that lanes may come to apart."""

    parting: Parting
    span: int = -1


def is_site(op: Op) -> bool:
    """Whether an op waits for other lanes of its warp."""
    return op.opdef.effect in (Effect.WARP, Effect.BARRIER) and op.name not in _ALONE


def mask_of(op: Op) -> Value | None:
    """Its member mask; None: the whole warp."""
    place = _MASK_AT.get(op.name)
    return None if place is None else op.operands[place]


def kind_of(op: Op) -> Kind:
    """What operations must have in common to meet, but for the mask."""
    number = constant(op.operands[0]) if op.name == "barrier" else None
    return (op.name, op.attrs, tuple(v.width for v in op.operands), number)


def parting_of(function: Function, waiting: Collection[str] = ()) -> Verdict:
    """Whether lanes of one warp may come to a function's operations apart, or to its calls of
    `waiting` functions, which have such operations.
    """
    sites = [op for op in function.ops() if is_site(op) or _calls(op, waiting)]
    if not sites:
        return Verdict(Parting.NONE)
    return _Search(function, sites).verdict()


def waiting_functions(module: Module) -> set[str]:
    """Functions in which lanes wait for each other, themselves or in what they call."""
    found: set[str] = set()
    while True:
        more = {
            name
            for name, function in module.functions.items()
            if name not in found and any(is_site(op) or _calls(op, found) for op in function.ops())
        }
        if not more:
            return found
        found |= more


def _calls(op: Op, functions: Collection[str]) -> bool:
    return op.name == "call" and op.attr("symbol") in functions


class _Search:
    def __init__(self, function: Function, sites: list[Op]) -> None:
        self._home = {op: block for block in function.blocks for op in block.ops}
        self._sites: dict[Block, list[Op]] = {}
        for op in sites:
            self._sites.setdefault(self._home[op], []).append(op)
        self._live = can_reach(function, list(self._sites))
        self._uniformity = WarpUniformity(function)
        self._join = post_dominators(function, self._follow)
        self._whole_join = post_dominators(function)
        tree = dominators(function)
        self._loops = [loop for _, loop in natural_loops(tree, predecessors(function))]
        self._order = tree.order
        self._places = [block for block in tree.order if block in self._sites]

    def _follow(self, block: Block) -> list[Block]:
        return [after for after in successors(block) if after in self._live]

    def verdict(self) -> Verdict:
        """The worst of all branches at which lanes part."""
        likely = Verdict(Parting.NONE)
        sides: dict[tuple[Value, bool], list[Op]] = {}
        for branch in self._order:
            if branch not in self._uniformity.branches or branch not in self._live:
                continue
            for op, parting in self._suspects(branch, self._ways(branch, self._join)):
                if parting is Parting.SOME:
                    return Verdict(parting, op.span)
                likely = Verdict(parting, op.span)
            for op in self._opposite(branch, sides):
                return Verdict(Parting.SOME, op.span)
        return likely

    def _ways(self, branch: Block, join: Tree) -> list[list[Op]]:
        """For each way of a branch, the sites on it before all ways meet."""
        stop = join.parent.get(branch)
        ways = []
        for after in dict.fromkeys(successors(branch)):
            starts = [after] if after in self._live else []
            blocks = reach(starts, self._follow, stop=stop)
            ways.append([op for block in self._places if block in blocks for op in self._at(block)])
        return ways

    def _at(self, block: Block) -> list[Op]:
        return self._sites.get(block, [])

    def _suspects(self, branch: Block, ways: list[list[Op]]) -> Iterator[tuple[Op, Parting]]:
        """Sites that lanes come to on one way while others come to one of its kind on another."""
        varies = self._uniformity.surely_varies(branch.terminator.operands[0])
        for index, way in enumerate(ways):
            others = [op for other in ways[index + 1 :] for op in other]
            for op in way:
                partners = [o for o in others if o not in way and _may_meet(op, o)]
                if op in others or not partners:
                    continue
                few = len(_of_kind(op, [*way, *others])) <= _MOST_UNPROVEN
                if varies or not _is_aligned(op):
                    yield op, Parting.SOME if varies or few else Parting.LIKELY
        if varies and len([way for way in ways if way]) == 1:
            for op in next(way for way in ways if way):
                if self._turns(branch, op):
                    yield op, Parting.SOME

    def _turns(self, branch: Block, op: Op) -> bool:
        """Whether lanes that pass by a site may come to it in a later turn of a loop, where lanes
        that came to it now wait for them.
        """
        home = self._home[op]
        around = [loop for loop in self._loops if home in loop and branch in loop]
        inside = all(after in loop for loop in around for after in successors(branch))
        return bool(around) and inside and home in reach([branch], self._follow)

    def _opposite(self, branch: Block, sides: dict[tuple[Value, bool], list[Op]]) -> Iterator[Op]:
        """Sites behind the two values of one condition, tested twice."""
        ways = self._ways(branch, self._whole_join)
        meets = self._whole_join.parent.get(branch) is not None
        if not meets or len(ways) != 2 or bool(ways[0]) == bool(ways[1]):
            return
        condition, negated = _plain(branch.terminator.operands[0])
        truth = bool(ways[0]) != negated
        mine = ways[0] or ways[1]
        for op in mine:
            if any(_may_meet(op, other) for other in sides.get((condition, not truth), ())):
                yield op
        sides.setdefault((condition, truth), []).extend(mine)


def _is_aligned(op: Op) -> bool:
    """Whether PTX leaves open what happens where lanes of a warp come to it apart."""
    return mask_of(op) is None


def _plain(condition: Value) -> tuple[Value, bool]:
    """A condition without its negations, and whether they negate it."""
    negated = False
    definition = condition.definition
    while isinstance(definition, Op) and definition.name in ("not_", "xor"):
        if definition.name == "xor" and constant(definition.operands[1]) != 1:
            break
        condition, negated = definition.operands[0], not negated
        definition = condition.definition
    return condition, negated


def _of_kind(op: Op, ops: list[Op]) -> list[Op]:
    return [other for other in ops if _may_meet(op, other)]


def _may_meet(a: Op, b: Op) -> bool:
    """Whether two operations have the same kind and may have the same mask."""
    if kind_of(a) != kind_of(b):
        return False
    first, second = mask_of(a), mask_of(b)
    if first is None or second is None or first is second:
        return True
    bits = constant(first)
    return bits is not None and bits == constant(second)
