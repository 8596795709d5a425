"""Locks: which loops wait for a word that the waiting lane's own warp may have to release.

Comes in: a function. Goes out: `Lock`s: what is retried, the loop around it, and the writes that
release the same word. It must know no chip and change nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from ptxlift.ir.attributes import AtomicOp, IntPredicate, Order, Special
from ptxlift.ir.core import Block, Function, Op, Value
from ptxlift.ir.dominators import Tree, dominators, predecessors, successors
from ptxlift.ir.ops import Effect
from ptxlift.ir.uniformity import reach
from ptxlift.records import dataclass

_NO_RELEASE = frozenset({AtomicOp.CAS})
_DEEPEST = 24  # ops of an address or a condition that are looked through


@dataclass(frozen=True, slots=True)
class Lock:
    """`attempt`: the atomic or load that is repeated; `header`, `loop`: the loop that repeats it;
    `releases`: writes to its word, inside the loop or behind it.
    """

    attempt: Op
    header: Block
    loop: frozenset[Block]
    releases: tuple[Op, ...]


def locks_of(function: Function) -> list[Lock]:
    """Every lock of a function whose release is known, the innermost loop of each."""
    attempts = [op for op in function.ops() if _may_wait(op)]
    if not attempts:
        return []
    users = users_of(function)
    attempts = [op for op in attempts if is_used(op, users)]
    if not attempts:
        return []
    search = _Search(function, users)
    found = (search.lock(op) for op in attempts)
    return [lock for lock in found if lock is not None]


def natural_loops(
    tree: Tree, before: dict[Block, list[Block]]
) -> Iterator[tuple[Block, set[Block]]]:
    """Header and blocks of each loop: all that leads back to one header counts as one."""
    bodies: dict[Block, set[Block]] = {}
    for block in tree.order:
        for header in successors(block):
            if tree.dominates(header, block):
                body = reach([block], before.__getitem__, stop=header) | {header}
                bodies.setdefault(header, set()).update(body)
    yield from bodies.items()


def is_retry(op: Op, cycle: set[Block], home: dict[Op, Block]) -> bool:
    """A compare-and-swap whose comparand is what it last saw: some lane always gets on."""
    if op.name != "atomic" or op.attr("op") is not AtomicOp.CAS:
        return False
    return varies(op.operands[1], cycle, home)


def same_address(a: Value, b: Value, depth: int = _DEEPEST) -> bool:
    """Whether two addresses are surely one: the same value, or computed alike from the same."""
    if a is b:
        return True
    first, second = a.definition, b.definition
    if not (isinstance(first, Op) and isinstance(second, Op)) or depth == 0:
        return False
    if first.opdef is not second.opdef or first.attrs != second.attrs or a.index != b.index:
        return False
    if first.opdef.effect is not Effect.PURE or len(first.operands) != len(second.operands):
        return False
    pairs = zip(first.operands, second.operands, strict=True)
    return all(same_address(x, y, depth - 1) for x, y in pairs)


class _Search:
    def __init__(self, function: Function, users: dict[Value, list[Op]]) -> None:
        self._before = predecessors(function)
        self._tree = dominators(function)
        self._home = {op: block for block in self._tree.order for op in block.ops}
        self._loops = sorted(natural_loops(self._tree, self._before), key=_size)
        self._users = users
        self._writes = [op for op in self._home if _may_release(op)]

    def lock(self, attempt: Op) -> Lock | None:
        """The lock that an attempt takes."""
        block = self._home.get(attempt)
        for header, loop in self._loops:
            if block not in loop or is_retry(attempt, loop, self._home):
                continue
            if not decides(attempt, loop, self._users, self._home, attempt.name == "load"):
                continue
            releases = tuple(self._releases(attempt, header, loop))
            if releases:
                return Lock(attempt, header, frozenset(loop), releases)
        return None

    def _releases(self, attempt: Op, header: Block, loop: set[Block]) -> Iterator[Op]:
        """Writes to the attempt's word after it: in the loop, or in what only the loop leads to."""
        behind = {after for block in loop for after in successors(block) if after not in loop}
        above = {block for block in self._tree.order if self._tree.dominates(block, header)}
        follow = _without(loop | above)
        later = reach(list(behind - above), follow)
        for op in self._writes:
            home = self._home[op]
            inside = home in loop and attempt.name == "atomic"
            if op is attempt or not (inside or home in later):
                continue
            if same_address(op.operands[0], attempt.operands[0]):
                yield op


def _without(stops: set[Block]) -> Callable[[Block], list[Block]]:
    def follow(block: Block) -> list[Block]:
        return [after for after in successors(block) if after not in stops]

    return follow


def _size(entry: tuple[Block, set[Block]]) -> int:
    return len(entry[1])


def _may_wait(op: Op) -> bool:
    if op.name == "load":
        return op.attr("order") is not Order.WEAK
    return op.name == "atomic" and bool(op.attr("returns"))


def _may_release(op: Op) -> bool:
    if op.name == "store":
        return True
    return op.name == "atomic" and op.attr("op") not in _NO_RELEASE


_NEUTRAL_AT_ZERO = frozenset({AtomicOp.ADD, AtomicOp.OR, AtomicOp.XOR})


def is_poll(op: Op) -> bool:
    """Whether an op looks at a word that others may change, and leaves it as it is."""
    if op.name == "load":
        return op.attr("order") is not Order.WEAK
    if op.name != "atomic" or not op.attr("returns"):
        return False
    kind = op.attr("op")
    if kind is AtomicOp.CAS:
        return same_address(op.operands[1], op.operands[2])
    return kind in _NEUTRAL_AT_ZERO and _constant(op.operands[1]) == 0


def is_count(op: Op) -> bool:
    """Whether an atomic adds a number, so that nobody need wait for its result."""
    if op.name != "atomic" or op.attr("op") is not AtomicOp.ADD:
        return False
    return _constant(op.operands[1]) not in (None, 0)


def users_of(function: Function) -> dict[Value, list[Op]]:
    """The ops that use each value."""
    users: dict[Value, list[Op]] = {}
    for op in function.ops():
        for value in {*op.operands, *(v for given in op.arguments for v in given)}:
            users.setdefault(value, []).append(op)
    return users


def is_used(op: Op, users: Mapping[Value, list[Op]]) -> bool:
    """Whether anything reads what an op gives."""
    return any(value in users for value in op.results)


def decides(
    op: Op,
    cycle: set[Block],
    users: dict[Value, list[Op]],
    home: dict[Op, Block],
    must_leave: bool = True,
) -> bool:
    """Whether a branch in the cycle, or only one out of it, depends on the op's result."""
    work: list[Value] = list(op.results)
    seen: set[Value] = set()
    while work:
        value = work.pop()
        if value in seen:
            continue
        seen.add(value)
        for user in users.get(value, ()):
            if home.get(user) not in cycle:
                continue
            leaves = any(target not in cycle for target in user.successors)
            if value in user.operands and user.successors and (leaves or not must_leave):
                return True
            work += _receivers(user, value)
            if user.opdef.effect is Effect.PURE:
                work += user.results
            if user.name == "store" and value is not user.operands[0]:
                work += _read_back(user, cycle)
    return False


def _read_back(store: Op, cycle: set[Block]) -> Iterator[Value]:
    """What is loaded in the cycle from the place in the own frame that a store writes."""
    if not _is_in_frame(store.operands[0]):
        return
    for block in cycle:
        for op in block.ops:
            if op.name == "load" and same_address(op.operands[0], store.operands[0]):
                yield from op.results


def _is_in_frame(address: Value) -> bool:
    """Whether an address is computed from that of a local variable."""
    work, seen = [address], {address}
    while work:
        op = work.pop().definition
        if isinstance(op, Op) and op.name == "frame_address":
            return True
        if isinstance(op, Op) and op.opdef.effect is Effect.PURE:
            work += [operand for operand in op.operands if operand not in seen]
            seen.update(op.operands)
    return False


def _receivers(branch: Op, value: Value) -> list[Value]:
    """The block parameters to which a branch passes a value."""
    return [
        param
        for target, arguments in zip(branch.successors, branch.arguments, strict=True)
        for param, given in zip(target.params, arguments, strict=True)
        if given is value
    ]


def varies(value: Value, cycle: set[Block], home: dict[Op, Block]) -> bool:
    """Whether a value comes from a load, an atomic or a parameter inside the cycle."""
    work, seen = [value], {value}
    while work:
        definition = work.pop().definition
        if isinstance(definition, Block):
            if definition in cycle:
                return True
        elif home.get(definition) in cycle:
            effect = definition.opdef.effect
            if effect is not Effect.PURE and not _keeps(definition, cycle):
                return True
            work += [operand for operand in definition.operands if operand not in seen]
            seen.update(definition.operands)
    return False


def _keeps(op: Op, cycle: set[Block]) -> bool:
    """Whether an op loads what the own frame has, which nobody in the cycle changes."""
    if op.name != "load" or not _is_in_frame(op.operands[0]):
        return False
    stores = (other for block in cycle for other in block.ops if other.name == "store")
    return not any(same_address(store.operands[0], op.operands[0]) for store in stores)


# ---- one contender a warp ----

_NUMBERS = frozenset({Special.TID_X, Special.TID_Y, Special.TID_Z, Special.LANEID})
_SPREADING = frozenset({"add", "or_", "mul", "shl", "zext", "trunc", "sext", "pack", "extract"})
_LANE_BITS = 31


def one_lane_reaches(op: Op, function: Function) -> bool:
    """Whether an op stands behind a test that one lane of a warp passes: its lane or thread number
    is one that the test names, or it was elected.

    A thread number with fewer than three parts is taken to tell the lanes apart, as it does in
    blocks of as many dimensions as the kernel asks about.
    """
    home = next((block for block in function.blocks if op in block.ops), None)
    if home is None:
        return False
    return bool(one_lane_guards(home, dominators(function), predecessors(function)))


def one_lane_guards(home: Block, tree: Tree, before: Mapping[Block, Sequence[Block]]) -> set[Block]:
    """The blocks behind such tests that a block is or stands behind; `before`: predecessors."""
    found: set[Block] = set()
    at: Block | None = home if home in tree else None
    while at is not None:
        above = tree.parent[at]
        ways = [block for block in before[at] if block in tree and not tree.dominates(at, block)]
        if above is not None and ways == [above] and above.terminator.name == "cond_br":
            branch = above.terminator
            if _names_lane(branch.operands[0], branch.successors[0] is at, _DEEPEST):
                found.add(at)
        at = above
    return found


def _names_lane(condition: Value, truth: bool, depth: int) -> bool:
    """Whether at most one lane has this truth value of the condition."""
    op = condition.definition
    if not isinstance(op, Op) or depth == 0:
        return False
    match op.name:
        case "elect":
            return truth and condition.index == 1
        case "icmp":
            wanted = IntPredicate.EQ if truth else IntPredicate.NE
            if op.attr("predicate") is not wanted:
                return False
            a, b = op.operands
            return any(_tells_lanes_apart(x) for x in (a, b))
        case "and_" if truth:
            return any(_names_lane(x, True, depth - 1) for x in op.operands)
        case "or_" if not truth:
            return any(_names_lane(x, False, depth - 1) for x in op.operands)
        case "xor" if op.operands[1].width == 1:
            return _constant(op.operands[1]) == 1 and _names_lane(
                op.operands[0], not truth, depth - 1
            )
        case "not_":
            return _names_lane(op.operands[0], not truth, depth - 1)
        case _:
            return False


def _tells_lanes_apart(value: Value, depth: int = _DEEPEST) -> bool:
    op = value.definition
    if not isinstance(op, Op) or depth == 0:
        return False
    match op.name:
        case "special":
            return op.attr("register") in _NUMBERS
        case "and_":
            bits = [_constant(operand) for operand in op.operands]
            kept = any(b is not None and b & _LANE_BITS == _LANE_BITS for b in bits)
            return kept and any(_tells_lanes_apart(x, depth - 1) for x in op.operands)
        case "popcount":
            return _counts_lanes_below(op.operands[0])
        case name if name in _SPREADING:
            return any(_tells_lanes_apart(x, depth - 1) for x in op.operands)
        case _:
            return False


def _counts_lanes_below(value: Value) -> bool:
    """`popc(mask & %lanemask_lt)`: the rank among the lanes of a mask."""
    op = value.definition
    if not isinstance(op, Op) or op.name != "and_":
        return False
    below = (operand.definition for operand in op.operands)
    return any(
        isinstance(d, Op)
        and d.name == "special"
        and d.attr("register") in (Special.LANEMASK_LT, Special.LANEMASK_LE)
        for d in below
    )


def _constant(value: Value) -> int | None:
    op = value.definition
    if isinstance(op, Op) and op.name == "const":
        return int(str(op.attr("bits")))
    return None
