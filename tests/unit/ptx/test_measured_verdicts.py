"""Snippets are judged as ptxas judges them: same verdict, the right place, the right reason."""

from __future__ import annotations

import re

import pytest
from measured import as_module, covered, errors, in_kernel, rows

from ptxlift.isa.types import TYPES

NEGATIVE = rows("negative.tsv")
# ptxas refuses what is newer than itself; ptxlift reads it: tests/regressions/test_newer_version.py
PROBES = [row for row in rows("directives-probe.tsv") if row["note"] != "future version"]
QUIRKS = rows("quirks.tsv")

# ptxas's message -> codes that mean the same
REASONS = (
    (r"Parsing error", {"PTX001", "PTX002", "PTX005"}),
    (r"Not a name of any known instruction", {"PTX101"}),
    (r"(Unknown|Illegal|Multiple|Duplicate) .*modifier|modifier required", {"PTX102"}),
    (r"Unexpected instruction types|applies only to|Mismatch between instruction", {"PTX102"}),
    (r"Operation \.\w+ requires|requires \.v4 type|Modifier '.*'|Illegal operation", {"PTX102"}),
    (r"State space incorrect", {"PTX102"}),
    (r"State space mismatch|Illegal state space", {"PTX103"}),
    (r"Arguments mismatch|Illegal vector size|out of range|multiple of warp", {"PTX103"}),
    (r"Incompatible elements|Vector with elements", {"PTX103"}),
    (r"Predicate expression expected", {"PTX103", "PTX104"}),
    (r"Special register argument|Unknown vector selector", {"PTX103"}),
    (r"requires \.target|not supported on \.target|is not supported on", {"PTX108", "PTX102"}),
    (r"Duplicate definition|Inconsistent redefinition", {"PTX105"}),
    (r"Illegal call target|Call has wrong|Type of argument", {"PTX110"}),
    (r"Unknown symbol", {"PTX104"}),
    (r"array initializer|initial value", {"PTX107"}),
    (r"power of two|conflicts with '.extern'", {"PTX106"}),
    (r"Unresolved extern", {"PTX111"}),
)


def _codes(message: str) -> set[str]:
    return next(codes for pattern, codes in REASONS if re.search(pattern, message))


@pytest.mark.parametrize("row", NEGATIVE, ids=[row["id"] for row in NEGATIVE])
def test_snippet_has_the_verdict_of_ptxas(row: dict[str, str]) -> None:
    found = errors(as_module(row["level"], row["snippet"]), whole_program=True)
    verdict = "rejected" if found else "accepted"
    assert verdict == row["ptxas verdict"]
    if found:
        assert found[0].code in _codes(row["ptxas message kind"])
        assert found[0].hint or found[0].code != "PTX101"


# Where ptxas names what it dislikes, the caret must stand there.
NAMED = (
    r"(?:Unknown|Illegal|Duplicate) modifier '(\.[\w:]+)'",
    r"Modifier '(\.nc|\.volatile)' (?:requires|cannot)",
    r"Unknown symbol '([^']+)'",
    r"Duplicate definition of (?:label|function|variable) '([^']+)'",
    r"Unresolved extern function '([^']+)'",
    r"Not a name of any known instruction: '(\w+)'",
)


def _named(message: str) -> str | None:
    found = (re.search(pattern, message) for pattern in NAMED)
    return next((match[1] for match in found if match), None)


PLACED = [row for row in NEGATIVE if _named(row["ptxas message kind"])]


@pytest.mark.parametrize("row", PLACED, ids=[row["id"] for row in PLACED])
def test_caret_stands_where_ptxas_points(row: dict[str, str]) -> None:
    found = errors(as_module(row["level"], row["snippet"]), whole_program=True)
    assert covered(found[0]) == _named(row["ptxas message kind"])


TYPED = [row for row in NEGATIVE if "Unexpected instruction types" in row["ptxas message kind"]]


@pytest.mark.parametrize("row", TYPED, ids=[row["id"] for row in TYPED])
def test_wrong_types_are_blamed_on_a_type_or_the_instruction(row: dict[str, str]) -> None:
    found = errors(as_module(row["level"], row["snippet"]))
    text = covered(found[0])
    opcode = row["snippet"].split(".")[0]
    assert text.removeprefix(".").lower() in TYPES or text == opcode or "noftz" in found[0].message


MISMATCHED = [row for row in NEGATIVE if row["ptxas message kind"].startswith("Arguments mismatch")]


@pytest.mark.parametrize("row", MISMATCHED, ids=[row["id"] for row in MISMATCHED])
def test_wrong_operands_are_blamed_on_an_operand_or_their_number(row: dict[str, str]) -> None:
    found = errors(as_module(row["level"], row["snippet"]))
    text = covered(found[0])
    head, _, tail = row["snippet"].partition(" ")
    if "takes" in found[0].message:
        assert text == head.split(".")[0] or text in tail
    else:
        assert text in tail


@pytest.mark.parametrize("number", range(len(PROBES)))
def test_directive_has_the_verdict_of_ptxas(number: int) -> None:
    row = PROBES[number]
    found = errors(as_module(row["level"], row["snippet"]), whole_program=True)
    assert ("rejected" if found else "accepted") == row["verdict"], row["snippet"]


@pytest.mark.parametrize("row", QUIRKS, ids=[row["instruction"][:40] for row in QUIRKS])
def test_odd_instruction_has_the_verdict_of_ptxas(row: dict[str, str]) -> None:
    found = errors(in_kernel(row["instruction"]))
    assert bool(found) == (row["parse-only verdict"] != "ok")
    if found:
        assert found[0].span is not None
        assert found[0].message
