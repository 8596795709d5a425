"""From mnemonic to `ValuOp`: collects the rows of all operation modules on the first lookup.

Comes in: a vector mnemonic without encoding suffix (`_e32`, `_e64`, `_dpp`, `_sdwa`). Goes out:
its `ValuOp`, or None where the emulator has none. It must not know what any operation does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache
from typing import Any

from ptxlift.emulator.valu.kinds import Flags, Kind, ValuOp
from ptxlift.records import dataclass

PLAIN = Flags()


@dataclass(frozen=True, slots=True)
class Row:
    """One line of an operation table; several mnemonics may share it (chip generations rename)."""

    names: str  # mnemonics, separated by blanks
    signature: str  # destination kinds = source kinds, in the words of `Kind`
    fn: Callable[..., Any]  # keywords differ by operation
    flags: Flags = PLAIN


def lookup(mnemonic: str) -> ValuOp | None:
    """The operation of a mnemonic, or None."""
    return _table().get(mnemonic)


def mnemonics() -> tuple[str, ...]:
    """All mnemonics the tables know, sorted."""
    return tuple(sorted(_table()))


@cache
def _table() -> dict[str, ValuOp]:
    table: dict[str, ValuOp] = {}
    for row in _all_rows():
        dst, srcs = parse_signature(row.signature)
        op = ValuOp(dst, srcs, row.fn, row.flags)
        for name in row.names.split():
            assert name not in table, f"{name} has two rows"
            table[name] = op
    return table


def parse_signature(text: str) -> tuple[tuple[Kind, ...], tuple[Kind, ...]]:
    """`"b32 mask = b32 b32"` as kinds of the destinations and of the sources."""
    dst, _, srcs = text.partition("=")
    return _kinds(dst), _kinds(srcs)


def _kinds(text: str) -> tuple[Kind, ...]:
    return tuple(Kind(word) for word in text.split())


def _all_rows() -> Iterable[Row]:
    """Imported here, not above: the operation modules import `Row` from this one."""
    from ptxlift.emulator.valu import (
        arithmetic,
        bitwise,
        compare,
        convert,
        cubes,
        division,
        integer,
        minmax,
        packed,
        rounding,
        small_floats,
        sums,
        transcendental,
    )

    for module in (integer, bitwise, sums, arithmetic, convert, cubes, division, packed):
        yield from module.ROWS
    for generated in (compare, minmax, rounding, small_floats, transcendental):
        yield from generated.rows()
