"""Random programs whose lanes come to `.sync` operations by different ways: the emulator gives what
the interpreter gives, whose lanes wait for each other one by one.

Each lane of a warp does the same operations in the same order, so no lane waits forever; which of
the many copies of an operation it does them at depends on its number and on its data.
"""

from __future__ import annotations

import random
from collections.abc import Sequence

import numpy as np
import pytest

import ptxlift

HEAD = """.version 8.6
.target sm_90
.address_size 64
.visible .entry k(.param .u64 out)
{
.reg .pred %p<99>; .reg .b32 %r<99>; .reg .b64 %rd<9>;
ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x; mov.u32 %r2, %laneid;
mul.wide.u32 %rd3, %r1, 4; add.u64 %rd1, %rd1, %rd3; mul.lo.u32 %r3, %r1, 7;
"""
OPERATIONS = (
    "shfl.sync.bfly.b32 %r10, %r3, 5, 31, -1; xor.b32 %r3, %r3, %r10;",
    "and.b32 %r10, %r3, 2; setp.eq.u32 %p80, %r10, 0; vote.sync.ballot.b32 %r10, %p80, -1;",
    "redux.sync.add.u32 %r10, %r3, -1; mad.lo.u32 %r3, %r3, 3, %r10;",
    "and.b32 %r11, %r3, 3; match.any.sync.b32 %r10, %r11, -1; add.u32 %r3, %r3, %r10;",
    "bar.warp.sync -1;",
)
CONDITIONS = (
    "setp.lt.u32 {p}, %r2, {n};",
    "and.b32 %r12, %r2, {n}; setp.eq.u32 {p}, %r12, 0;",
    "and.b32 %r12, %r3, {n}; setp.ne.u32 {p}, %r12, 0;",
)
WAYS: list[tuple[str, dict[str, str]]] = [
    ("gfx942", {}),
    ("gfx1100", {}),
    ("gfx90a", {"warp_mapping": "split"}),
]


class Writer:
    """Writes one program."""

    def __init__(self, seed: int) -> None:
        self.choose = random.Random(seed)
        self.lines: list[str] = []
        self.names = 0

    def name(self) -> int:
        self.names += 1
        return self.names

    def condition(self) -> str:
        predicate = f"%p{self.name() % 70}"
        pattern = self.choose.choice(CONDITIONS)
        self.lines.append(pattern.format(p=predicate, n=self.choose.randrange(1, 32)))
        return predicate

    def write(self, operations: Sequence[str], depth: int) -> None:
        """Code in which each lane does these operations, in order."""
        split = self.choose.randrange(len(operations) + 1)
        match self.choose.randrange(4) if depth and operations else 0:
            case 0:
                for operation in operations:
                    factor, term = self.choose.choice((3, 5)), self.choose.randrange(100)
                    self.lines.append(f"{operation} mad.lo.u32 %r3, %r3, {factor}, {term};")
            case 1:
                self.write(operations[:split], depth - 1)
                self.write(operations[split:], depth - 1)
            case 2:
                self.either(operations, depth)
            case _:
                self.one_and_then_the_other(operations[:split], depth)
                self.write(operations[split:], depth - 1)

    def either(self, operations: Sequence[str], depth: int) -> None:
        predicate, label = self.condition(), self.name()
        self.lines.append(f"@{predicate} bra A{label};")
        self.write(operations, depth - 1)
        self.lines.append(f"bra E{label}; A{label}:")
        self.write(operations, depth - 1)
        self.lines.append(f"E{label}:")

    def one_and_then_the_other(self, operations: Sequence[str], depth: int) -> None:
        predicate, label = self.condition(), self.name()
        self.lines.append(f"@!{predicate} bra A{label};")
        self.write(operations, depth - 1)
        self.lines.append(f"A{label}: @{predicate} bra E{label};")
        self.write(operations, depth - 1)
        self.lines.append(f"E{label}:")

    def program(self) -> str:
        for number in range(self.choose.randrange(1, 4)):
            operations = self.choose.choices(OPERATIONS, k=self.choose.randrange(1, 4))
            turns = self.choose.randrange(1, 4)
            self.lines.append(f"mov.u32 %r{30 + number}, 0; T{number}:")
            self.write(operations, 3)
            self.lines.append(f"add.u32 %r{30 + number}, %r{30 + number}, 1;")
            self.lines.append(f"setp.lt.u32 %p81, %r{30 + number}, {turns}; @%p81 bra T{number};")
        return HEAD + "\n".join(self.lines) + "\nst.global.u32 [%rd1], %r3; ret;\n}\n"


@pytest.mark.parametrize("seed", range(12))
def test_lanes_meet_in_random_programs(seed: int) -> None:
    text = Writer(seed).program()
    expected, out = np.zeros(64, np.uint32), np.zeros(64, np.uint32)
    ptxlift.run(text, "k", 1, 64, [expected], device="interpreter")
    target, options = WAYS[seed % len(WAYS)]
    program = ptxlift.load(ptxlift.lift(text, target=target, options=ptxlift.Options(**options)))
    program.launch("k", (1, 1, 1), (64, 1, 1), [program.alloc(out)], max_steps=300_000)
    assert np.array_equal(out, expected)
