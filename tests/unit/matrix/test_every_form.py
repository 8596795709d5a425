"""Every form of mma.sync that the instruction table has, on every kind of chip; `make matrix-full`.

By default only that the list is what the table says, and a few forms that no other test takes.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import pytest
from test_mma import Instruction, check

from ptxlift.isa import Row
from ptxlift.isa.table import by_opcode

CHIPS = ("gfx90a", "gfx942", "gfx950", "gfx1030", "gfx1100", "gfx1201", "gfx1250")


def instructions_of(row: Row) -> Iterator[Instruction]:
    """The forms of a row: every choice of its modifiers that exists together."""
    for words in product(*row.sets.values()):
        values = dict(zip(row.sets, words, strict=True))
        if row.when is not None and not row.when(values):
            continue
        kinds = [values[key] for key in ("kind", "rnd") if key in values] or [""]
        if "{.satfinite}" in row.pattern:
            kinds.append("satfinite")
        suffix = f".{values['op']}.popc" if "op" in values else ""
        types = (values["dtype"], values["atype"], values["btype"], values["ctype"])
        for kind in kinds:
            yield Instruction(values["shape"], *types, f".{kind}" if kind else "", suffix)


def every_instruction() -> list[Instruction]:
    """All but the four small tiles of m8n8k4 and block scaling, which have tests of their own."""
    rows = [row for row in by_opcode("mma") if row.name == "mma" and "stype" not in row.sets]
    found = dict.fromkeys(inst for row in rows for inst in instructions_of(row))
    return [inst for inst in found if (inst.shape, inst.a) != ("m8n8k4", "f16")]


EVERY = every_instruction()
FEW = EVERY[:: len(EVERY) // 8]


def test_the_list() -> None:
    shapes = {inst.shape for inst in EVERY}
    assert {"m8n8k4", "m8n8k128", "m16n8k4", "m16n8k64", "m16n8k256"} <= shapes
    assert {"f16", "bf16", "tf32", "f64", "e4m3", "e2m1", "s8", "u4", "b1"} <= {
        inst.a for inst in EVERY
    }
    assert len(EVERY) == len(set(EVERY)) >= 148


@pytest.mark.parametrize("inst", FEW, ids=str)
def test_few(inst: Instruction) -> None:
    for device in ("interpreter", "gfx1201"):
        check(inst, device, "native")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """The sweep, if it is asked for."""
    if metafunc.function is test_every:
        full = metafunc.config.getoption("--matrix-full", default=False)
        runs = [("interpreter", "generic"), *product(CHIPS, ("generic", "native"))]
        every = [(inst, *run) for inst in EVERY for run in runs] if full else []
        metafunc.parametrize(("inst", "target", "matrix"), every, ids=str)


def test_every(inst: Instruction, target: str, matrix: str) -> None:
    check(inst, target, matrix)
