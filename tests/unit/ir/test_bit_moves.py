"""Moves that permute the bits of lanes and registers, carried out by hand on numbered values."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from numpy.typing import NDArray

from ptxlift.ir.attributes import Special
from ptxlift.ir.bit_moves import Places, bit_moves
from ptxlift.ir.builder import Builder
from ptxlift.ir.core import Block, Op, Value
from ptxlift.ir.exchange import LANES, Exchange, Place
from ptxlift.ir.redistribution import redistribute

Lanes = NDArray[np.uint64]
REGISTERS = 4
BITS = 7  # five of the lane, two of the register


def evaluate(value: Value, known: dict[Value, Lanes]) -> Lanes:
    """What the lanes have, by the ops that moves are made of."""
    if value not in known:
        op = value.definition
        assert isinstance(op, Op)
        known[value] = _result(op, [evaluate(x, known) for x in op.operands])
    return known[value]


def _result(op: Op, given: list[Lanes]) -> Lanes:
    lanes = np.arange(LANES)
    match op.name:
        case "const":
            return np.full(LANES, op.attr("bits"), np.uint64)
        case "is_among":
            mask = op.attr("mask")
            assert isinstance(mask, int)
            return np.array([mask >> lane & 1 for lane in lanes], np.uint64)
        case "select":
            return np.where(given[0], given[1], given[2])
        case "permute":
            sources = op.attr("lanes")
            assert isinstance(sources, tuple)
            return given[0][[lane if at < 0 else at for lane, at in enumerate(sources)]]
        case "prmt":
            return np.array([_prmt(*(int(x) for x in row)) for row in zip(*given, strict=True)])
        case "special":
            return lanes.astype(np.uint64)
        case _:  # the lane to read, which `permute` also has as a number
            return np.zeros(LANES, np.uint64)


def _prmt(a: int, b: int, selector: int) -> int:
    given = (b << 32 | a).to_bytes(8, "little")
    return int.from_bytes(bytes(given[selector >> at & 7] for at in (0, 4, 8, 12)), "little")


def places_of(goal: tuple[int, ...], count: int) -> tuple[Places, ...]:
    """Bit number i of a source is the destination's bit goal[i]."""
    found = []
    for number in range(count):
        places = []
        for lane in range(LANES):
            at = number * LANES + lane
            source = sum((at >> position & 1) << bit for bit, position in enumerate(goal))
            places.append(Place(source % LANES, source // LANES))
        found.append(tuple(places))
    return tuple(found)


def check(wants: tuple[Places, ...]) -> None:
    builder = Builder(Block("here"))
    registers = [builder.special(32, Special.TID_X) for _ in range(REGISTERS)]
    lanes = np.arange(LANES, dtype=np.uint64)
    known = {value: lanes + 100 * (n + 1) for n, value in enumerate(registers)}
    exchange = Exchange(builder)
    moves = bit_moves(wants, REGISTERS)
    assert moves is not None
    for made in (moves.run(exchange, registers), redistribute(exchange, registers, wants)):
        for value, places in zip(made, wants, strict=True):
            expected = [100 * (p.register + 1) + p.lane for p in places if p is not None]
            assert evaluate(value, known).tolist() == expected


@pytest.mark.parametrize("goal", list(permutations(range(BITS)))[::97])
def test_every_permutation_of_bits(goal: tuple[int, ...]) -> None:
    check(places_of(goal, REGISTERS))


@pytest.mark.parametrize("top", [5, 6, 7])
def test_registers_that_both_rows_want(top: int) -> None:
    """The lane's highest bit does not count: sources' bits are among the seven others."""
    others = [bit for bit in range(8) if bit != 4]
    goals = [goal for goal in permutations(others) if goal[4] == top]
    for goal in goals[::151]:
        check(places_of(goal, 2 * REGISTERS))


def test_one_lane_that_wants_another() -> None:
    wants = places_of((1, 0, 2, 3, 4, 5, 6), REGISTERS)
    other = (*wants[0][:-1], Place(0, 0))
    assert bit_moves((other, *wants[1:]), REGISTERS) is None


def test_a_constant_register() -> None:
    wants = tuple((Place(lane, 0) for lane in range(LANES)) for _ in range(REGISTERS))
    assert bit_moves(tuple(map(tuple, wants)), REGISTERS) is None


def test_the_cheapest_way() -> None:
    """A lane's bit in a row for a register's is one choice for each register."""
    moves = bit_moves(places_of((5, 1, 2, 3, 4, 0, 6), REGISTERS), REGISTERS)
    assert moves is not None
    assert moves.cost == REGISTERS
