"""Constant expressions against the bits ptxas 13.0 writes for them as initial values."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest

from ptxlift.syntax import parse
from ptxlift.syntax.constants import Constant, ConstantError, Integer, evaluate, integer, literal
from ptxlift.syntax.nodes import Declaration

TABLE = Path(__file__).parents[2] / "data" / "ptxas" / "constants.tsv"
ROWS = [line.split("\t") for line in TABLE.read_text().splitlines()[1:]]
HEADER = ".version 9.0\n.target sm_90\n"


def value_of(type_: str, expression: str) -> Constant:
    module = parse(f"{HEADER}.global .{type_} x = {expression};")
    item = module.items[0]
    assert isinstance(item, Declaration)
    initializer = item.declarators[0].initializer
    assert initializer is not None and not isinstance(initializer.value, tuple)
    return evaluate(initializer.value, initializer.atoms)


def bits_of(value: Constant, type_: str) -> int:
    """The bits that a variable of this type holds."""
    if isinstance(value, Integer):
        return value.bits
    if type_ == "f64":
        return int.from_bytes(struct.pack("<d", value.value), "little")
    if value.hex_bits == 32:
        return value.bits
    try:
        return int.from_bytes(struct.pack("<f", value.value), "little")
    except OverflowError:
        return 0x7F800000


@pytest.mark.parametrize(("type_", "expression", "expected"), ROWS)
def test_as_ptxas(type_: str, expression: str, expected: str) -> None:
    if expected == "refused":
        with pytest.raises(ConstantError):
            value_of(type_, expression)
    else:
        assert bits_of(value_of(type_, expression), type_) == int(expected, 16)


@pytest.mark.parametrize(
    ("text", "bits"),
    [
        ("12", 12),
        ("0x1F", 31),
        ("0X1fU", 31),
        ("017", 15),
        ("0b101", 5),
        ("5U", 5),
        ("WARP_SZ", 32),
    ],
)
def test_integer_literals(text: str, bits: int) -> None:
    assert integer(text) == bits


def test_signedness_of_literals() -> None:
    assert literal("5") == Integer(5, signed=True)
    assert literal("5U") == Integer(5, signed=False)
    assert literal("0x8000000000000000") == Integer(1 << 63, signed=False)


def test_a_number_of_any_length_is_refused_at_once() -> None:
    with pytest.raises(ConstantError, match="64 bits"):
        literal("9" * 50_000)
    assert integer("0" * 50_000 + "7") == 7
