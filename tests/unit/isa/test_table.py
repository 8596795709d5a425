"""The instruction table is consistent with itself and complete."""

from __future__ import annotations

import csv
import gzip
import re
from pathlib import Path

import pytest

from ptxlift import isa
from ptxlift.isa.classify import Candidate, classify
from ptxlift.isa.explain import ModifierFault
from ptxlift.isa.operands import notations
from ptxlift.isa.pattern import parse
from ptxlift.isa.versions import ARCHITECTURES, TARGETS, requirement

DATA = Path(__file__).parents[2] / "data" / "ptxas"
ROWS = isa.rows()


def _names(row: isa.Row) -> set[str]:
    places = parse(row).places
    return {n for p in places for n in p.names} | {p.pair for p in places if p.pair}


def test_pattern_and_operands_name_the_same_operands() -> None:
    for row in ROWS:
        assert _names(row) == set(notations(row)), row.pattern


def test_sets_and_minima_are_used() -> None:
    for row in ROWS:
        slots = parse(row).slots
        assert set(row.sets) <= {slot.key for slot in slots}, row.pattern
        words = {word for slot in slots for word in slot.words}
        for key in row.minima:
            assert words.issuperset(key.split("+")), (row.pattern, key)


def test_names_are_plain_words() -> None:
    assert all(re.fullmatch(r"[a-z][a-z0-9_]*", row.name) for row in ROWS)


def test_versions_can_be_read() -> None:
    for row in ROWS:
        for text in (row.since, *row.minima.values()):
            found = requirement(text)
            assert found.sm or found.targets
        assert not row.removed or requirement(row.removed)


def test_architectures_are_targets() -> None:
    for targets in ARCHITECTURES.values():
        assert set(targets.split()) <= TARGETS


# Forms without a recorded instance: each stands for itself.
ALONE = (
    "min.u16x2", "or.pred", "not.pred", "exit", "membar.proxy.alias", "activemask.b32",
    "wgmma.fence.sync.aligned", "trap",
    "ld.volatile.local.u32", "st.volatile.local.u32",  # ptxas 13.5 has them, 13.0 not
)  # fmt: skip


def _candidates(text: str) -> tuple[Candidate, ...]:
    opcode, *modifiers = text.split(".")
    found = classify(opcode, tuple(modifiers))
    assert not isinstance(found, ModifierFault), text
    return found


def _recorded() -> list[str]:
    text = gzip.decompress((DATA / "instances.tsv.gz").read_bytes()).decode()
    rows = csv.DictReader(text.splitlines(), delimiter="\t", quoting=csv.QUOTE_NONE)
    instructions = (row["instruction"].removeprefix("@p ") for row in rows)
    heads = {re.sub(r"^@\S+ ", "", i).rstrip(";").split(" ")[0] for i in instructions}
    return sorted(heads)


def test_every_row_is_a_form_that_ptxas_has() -> None:
    hit = {c.row for head in (*_recorded(), *ALONE) for c in _candidates(head)}
    missing = [row.pattern for row in ROWS if row not in hit]
    assert not missing


def test_every_opcode_is_known() -> None:
    assert len(isa.opcodes()) == len({head.split(".")[0] for head in (*_recorded(), *ALONE)})


# ---- order of modifiers ----


def _order_rows() -> list[tuple[str, str, str]]:
    pattern = re.compile(r"\| `([^`]+)` \| \d+ \| \d+ \| ([^|]*) \| ([^|]*) \|")
    text = (DATA / "modifier-order.md").read_text(encoding="utf-8")
    return [(m[1], m[2], m[3]) for m in pattern.finditer(text)]


def _swapped(words: list[str], pair: str) -> list[list[str]]:
    """The modifiers with each adjacent occurrence of this pair exchanged."""
    first, second = (word.removeprefix(".") for word in pair.split("<->"))
    places = [i for i in range(len(words) - 1) if words[i : i + 2] == [first, second]]
    return [[*words[:i], second, first, *words[i + 2 :]] for i in places]


@pytest.mark.parametrize("row", _order_rows(), ids=[row[0] for row in _order_rows()])
def test_modifiers_may_be_exchanged_where_ptxas_lets_them(row: tuple[str, str, str]) -> None:
    head, accepted, rejected = row
    opcode, *words = head.split(".")
    assert not isinstance(classify(opcode, tuple(words)), ModifierFault)
    for pair in re.findall(r"\S+<->\S+", accepted):
        for order in _swapped(words, pair):
            assert not isinstance(classify(opcode, tuple(order)), ModifierFault), order
    for pair in re.findall(r"\S+<->\S+", rejected):
        for order in _swapped(words, pair):
            assert isinstance(classify(opcode, tuple(order)), ModifierFault), order


# ---- explanations ----

FAULTS = (
    # instruction, index of the modifier at fault (-1: the opcode), words in message or hint
    ("addd.s32", -1, "add"),
    ("ADD.s32", -1, "add"),
    ("add.foo.s32", 0, ".foo"),
    ("add.S32", 0, ".s32"),
    ("fma.f32", -1, ".rn"),
    ("shfl.sync.b32", -1, ".bfly"),
    ("mad.lo.sat.s32", 1, ".sat"),
    ("cvt.sat.u64.u32", 0, ".sat"),
    ("cvt.f32.f64", -1, ".rn"),
    ("cvt.u32.f32", -1, ".rzi"),
    ("atom.global.add.s64", 2, ".s32"),
    ("setp.lo.s32", 1, ".u32"),
    ("ld.nc.u32", 0, ".global"),
    ("ld.global.global.u32", 1, "once"),
    ("mul.wide.s64", 1, ".s32"),
    ("mul.s32.lo", 1, "mul.lo"),
)


@pytest.mark.parametrize("fault", FAULTS, ids=[fault[0] for fault in FAULTS])
def test_fault_says_which_modifier_and_what_instead(fault: tuple[str, int, str]) -> None:
    text, index, word = fault
    opcode, *modifiers = text.split(".")
    found = classify(opcode, tuple(modifiers))
    assert isinstance(found, ModifierFault)
    assert found.index == index
    assert word in f"{found.message} {found.hint}"
