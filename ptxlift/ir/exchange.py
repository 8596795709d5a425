"""Registers gathered from other lanes of the warp or the wave, by fixed maps.

Comes in: for each of the lanes, which lane's which register it wants. Goes out: IR that fetches it:
permutations, which know their map and can also be done by the lane computed from the own lane's
bits. It must know nothing of matrices.
"""

from __future__ import annotations

from collections.abc import Sequence

from ptxlift.ir.attributes import Special
from ptxlift.ir.builder import Builder
from ptxlift.ir.core import Op, Value
from ptxlift.records import dataclass

LANES = 32
WAVE = 64
_ANY = -1
_POINTWISE = frozenset({"add", "sub", "and_", "or_", "xor", "shl", "lshr"})

LaneMap = tuple[int | None, ...]  # the lane to read; None where any will do


@dataclass(frozen=True, slots=True)
class Place:
    """A register of a lane."""

    lane: int
    register: int


class Surroundings:
    """What an exchange may know of the function around it; as it stands, nothing."""

    def is_uniform(self, value: Value) -> bool:
        """Whether a value is the same in all lanes of the wave."""
        definition = value.definition
        return isinstance(definition, Op) and definition.name == "const"

    def moved_earlier(self, value: Value, lane_map: LaneMap, builder: Builder) -> Value | None:
        """The permuted value, made in a block that runs less often, but for what `builder` writes
        here; None if there is none.
        """
        return None


class Exchange:
    """Gathers values in one block; asks for nothing twice. `lanes`: 32 of a warp, 64 of a wave."""

    def __init__(
        self, builder: Builder, lanes: int = LANES, around: Surroundings | None = None
    ) -> None:
        self.builder = builder
        self.lanes = lanes
        self._around = around or Surroundings()
        self._gathered: dict[tuple[Value, LaneMap], Value] = {}
        self._fetched: dict[tuple[tuple[Value, ...], tuple[Place | None, ...]], Value] = {}
        self._lanes: dict[LaneMap, Value] = {}
        self._constants: dict[tuple[int, int], Value] = {}
        self._lane: Value | None = None

    def const(self, width: int, bits: int) -> Value:
        """A constant, once."""
        key = (width, bits)
        found = self._constants.get(key)
        if found is None:
            found = self._constants[key] = self.builder.const(width, bits)
        return found

    def lane(self) -> Value:
        """The own lane's number."""
        if self._lane is None:
            register = Special.LANEID if self.lanes == LANES else Special.WAVE_LANE
            self._lane = self.builder.special(32, register)
        return self._lane

    # ---- fetching ----

    def fetch(self, registers: Sequence[Value], places: Sequence[Place | None]) -> Value:
        """For each lane the register it wants; `places[lane]` says which, None: any."""
        key = (tuple(registers), tuple(places))
        found = self._fetched.get(key)
        if found is None:
            found = self._fetched[key] = self._fetch(registers, places)
        return found

    def _fetch(self, registers: Sequence[Value], places: Sequence[Place | None]) -> Value:
        wanted = list(dict.fromkeys(place.register for place in places if place is not None))
        result: Value | None = None
        for register in wanted:
            mine = tuple(
                p.lane if p is not None and p.register == register else None for p in places
            )
            value = self.permute(registers[register], mine)
            if result is None:
                result = value
            else:
                inside = self.is_one_of([lane for lane, at in enumerate(mine) if at is not None])
                result = self.builder.select(inside, value, result)
        assert result is not None, "some lane wants something"
        return result

    def permute(self, value: Value, lane_map: LaneMap) -> Value:
        """The value in another lane."""
        if all(at is None or at == lane for lane, at in enumerate(lane_map)):
            return value
        key = (value, lane_map)
        found = self._gathered.get(key)
        if found is None:
            found = self._gathered[key] = self._move(value, lane_map)
        return found

    def _move(self, value: Value, lane_map: LaneMap) -> Value:
        if self._around.is_uniform(value):
            return value
        pushed = self._before_operation(value, lane_map)
        if pushed is None:
            pushed = self._around.moved_earlier(value, lane_map, self.builder)
        return self._shuffle(value, lane_map) if pushed is None else pushed

    def _before_operation(self, value: Value, lane_map: LaneMap) -> Value | None:
        """Moves the operand of an operation with something uniform, so that moves are shared."""
        op = value.definition
        if not isinstance(op, Op) or op.name not in _POINTWISE:
            return None
        differing = [x for x in op.operands if not self._around.is_uniform(x)]
        if len(differing) != 1 or any(x.width != 32 for x in op.operands):
            return None
        operands = [self.permute(x, lane_map) if x in differing else x for x in op.operands]
        return self.builder.emit(op.name, operands, op.attrs, (value.width,)).results[0]

    def _shuffle(self, value: Value, lane_map: LaneMap) -> Value:
        if value.width == 64:
            parts = [self.builder.extract(value, 32, offset) for offset in (0, 32)]
            return self.builder.pack([self.permute(part, lane_map) for part in parts])
        known = tuple(_ANY if at is None else at for at in lane_map)
        move = self.builder.permute if self.lanes == LANES else self.builder.wave_permute
        return move(value, self._source(lane_map), known)

    # ---- functions of the lane number ----

    def _source(self, lane_map: LaneMap) -> Value:
        """The lane to read, computed from the own one's bits."""
        found = self._lanes.get(lane_map)
        if found is None:
            columns = [_column(lane_map, bit) for bit in range(self.lanes.bit_length() - 1)]
            found = self._lanes[lane_map] = self._join(columns)
        return found

    def _join(self, columns: Sequence[tuple[int, int] | int]) -> Value:
        """Bits that are each 0, 1, or a bit of the lane number (moved together where they can),
        or any function of it given as a word of 32 truths.
        """
        constant = 0
        moves: dict[int, int] = {}
        parts: list[Value] = []
        for bit, column in enumerate(columns):
            if isinstance(column, tuple):
                source, inverted = column
                moves[bit - source] = moves.get(bit - source, 0) | 1 << source
                constant ^= inverted << bit
            elif column == (1 << self.lanes) - 1:
                constant |= 1 << bit
            elif column:
                parts.append(self._shifted(self._truth(column), bit))
        for distance, mask in moves.items():
            kept = self.builder.and_(self.lane(), self.const(32, mask))
            parts.append(self._shifted(kept, distance))
        if not parts:
            return self.const(32, constant)
        total = parts[0]
        for part in parts[1:]:
            total = self.builder.or_(total, part)
        return self.builder.xor(total, self.const(32, constant)) if constant else total

    def _shifted(self, value: Value, distance: int) -> Value:
        if distance == 0:
            return value
        amount = self.const(32, abs(distance))
        return (self.builder.shl if distance > 0 else self.builder.lshr)(value, amount)

    def _truth(self, word: int) -> Value:
        """0 or 1: the own lane's bit of a word."""
        moved = self.builder.lshr(self.const(self.lanes, word), self.lane())
        return self.builder.and_(self.builder.extract(moved, 32, 0), self.const(32, 1))

    def number(self, values: Sequence[int]) -> Value:
        """A small number that depends on the lane, given for each."""
        width = max(values).bit_length()
        maps = tuple(values)
        return self._join([_column(maps, bit) for bit in range(width)])

    def is_one_of(self, lanes: Sequence[int]) -> Value:
        """Whether the own lane is among these."""
        return self.builder.is_among(sum(1 << lane for lane in lanes), self.lanes)


def _column(lane_map: Sequence[int | None], bit: int) -> tuple[int, int] | int:
    """How one bit of the wanted number follows from the lane's: (its bit, inverted), or a word
    with the wanted bit for each lane, 0 or all ones if it is always the same.
    """
    wanted = {lane: at >> bit & 1 for lane, at in enumerate(lane_map) if at is not None}
    if not any(wanted.values()):
        return 0
    if all(wanted.values()):
        return (1 << len(lane_map)) - 1
    for inverted in (0, 1):
        for source in range(len(lane_map).bit_length() - 1):
            if all(lane >> source & 1 ^ inverted == truth for lane, truth in wanted.items()):
                return source, inverted
    return sum(truth << lane for lane, truth in wanted.items())
