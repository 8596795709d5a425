"""Initial values have the bits that ptxas writes into the cubin."""

from __future__ import annotations

import pytest
from measured import HEADER, errors, rows

from ptxlift import ptx

CONSTANTS = rows("constants.tsv")


@pytest.mark.parametrize("number", range(len(CONSTANTS)))
def test_initial_value_has_the_bits_of_ptxas(number: int) -> None:
    row = CONSTANTS[number]
    text = f"{HEADER}.global .{row['type']} x = {row['expression']};\n"
    if row["bits"] == "refused":
        assert errors(text)
        return
    found = ptx.parse_module(text).variables["x"].initializer
    assert found is not None
    assert int.from_bytes(found.data, "little") == int(row["bits"], 16)
