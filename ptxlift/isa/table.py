"""All rows of the instruction table, and their index by opcode.

Comes in: the chapter modules, imported when first asked for. Goes out: rows in the order in which
they are tried.
"""

from __future__ import annotations

import importlib
from functools import cache

from ptxlift.isa.row import Row

CHAPTERS = (
    "integer", "extended", "float_", "half", "mixed", "compare", "half_compare", "logic", "data",
    "async_copy", "texture", "surface", "control", "sync", "matrix", "wgmma", "tcgen05", "stack",
    "video", "misc",
)  # fmt: skip


@cache
def chapter(name: str) -> tuple[Row, ...]:
    """The rows of one chapter."""
    rows: tuple[Row, ...] = importlib.import_module(f"ptxlift.isa.{name}").ROWS
    return rows


@cache
def rows() -> tuple[Row, ...]:
    """Every row, by chapter."""
    return tuple(row for name in CHAPTERS for row in chapter(name))


@cache
def _index() -> dict[str, tuple[Row, ...]]:
    found: dict[str, list[Row]] = {}
    for row in rows():
        found.setdefault(row.opcode, []).append(row)
    return {opcode: tuple(list_) for opcode, list_ in found.items()}


def by_opcode(opcode: str) -> tuple[Row, ...]:
    """The rows of an opcode; none if PTX has no such instruction."""
    return _index().get(opcode, ())


def opcodes() -> tuple[str, ...]:
    """Every opcode."""
    return tuple(_index())
