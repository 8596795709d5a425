"""Damaged objects: always PTX305 or PTX306, never another exception, never a hang."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from link_objects import KINDS, NEEDY, PROVIDER, WHOLE, compiled

from ptxlift.diag import PtxError
from ptxlift.link import link, msgpack, read_code_object
from ptxlift.link.elf import read_elf
from ptxlift.link.notes import read_notes, write_notes

FUZZ = settings(max_examples=300, deadline=None, derandomize=True)
SOURCES = (WHOLE, KINDS, NEEDY)
EDITS = st.lists(st.tuples(st.floats(0, 1, exclude_max=True), st.integers(0, 255)), max_size=4)


def survives(data: bytes) -> bool:
    """Whether the bytes link; anything but a diagnostic is a failure."""
    try:
        link([data, compiled(PROVIDER)], target_id="gfx942")
        read_code_object(data)
    except PtxError as error:
        assert {d.code for d in error.diagnostics} <= {"PTX305", "PTX306"}
        assert len(str(error)) < 5000
        return False
    return True


def edited(data: bytes, edits: list[tuple[float, int]], start: int = 0) -> bytes:
    changed = bytearray(data)
    for where, value in edits:
        changed[start + int(where * (len(data) - start))] = value
    return bytes(changed)


@FUZZ
@given(st.sampled_from(SOURCES), st.floats(0, 1, exclude_max=True))
def test_cut_off_objects(ir: str, where: float) -> None:
    data = compiled(ir)
    assert not survives(data[: int(where * len(data))])


@FUZZ
@given(st.sampled_from(SOURCES), EDITS)
def test_changed_bytes(ir: str, edits: list[tuple[float, int]]) -> None:
    survives(edited(compiled(ir), edits))


@FUZZ
@given(st.sampled_from(SOURCES), EDITS)
def test_changed_headers_and_tables(ir: str, edits: list[tuple[float, int]]) -> None:
    """Section headers are at the end, symbols and relocations before them."""
    data = compiled(ir)
    elf = read_elf(data)
    survives(edited(data, edits, min(s.offset for s in elf.sections if s.name == ".symtab")))


@FUZZ
@given(st.binary(max_size=200))
def test_arbitrary_bytes(data: bytes) -> None:
    assert not survives(data)
    assert not survives(compiled(WHOLE)[:64] + data)


@FUZZ
@given(EDITS, st.floats(0, 1))
def test_damaged_metadata(edits: list[tuple[float, int]], where: float) -> None:
    (note,) = read_notes(read_elf(compiled(WHOLE)).section(".note").data, "")
    data = edited(note.data, edits)[: int(where * len(note.data)) or None]
    try:
        msgpack.unpack(data)
    except PtxError as error:
        assert error.diagnostics[0].code == "PTX305"


def test_whole_objects_do_link() -> None:
    assert survives(compiled(NEEDY))


def test_sizes_that_would_exhaust_memory() -> None:
    data = bytearray(compiled(WHOLE))
    elf = read_elf(bytes(data))
    at = int.from_bytes(data[40:48], "little")
    bss = elf.section(".bss").index
    for field, value in ((32, 1 << 60), (48, 1 << 40), (48, 3)):
        broken = bytearray(data)
        start = at + 64 * bss + field
        broken[start : start + 8] = value.to_bytes(8, "little")
        with pytest.raises(PtxError, match=r"too large|alignment"):
            link([bytes(broken)], target_id="gfx942")


VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**64 - 1)
    | st.floats(allow_nan=False)
    | st.text(max_size=40)
    | st.binary(max_size=40),
    lambda inner: (
        st.lists(inner, max_size=20) | st.dictionaries(st.text(max_size=8), inner, max_size=20)
    ),
    max_leaves=60,
)


@FUZZ
@given(VALUES)
def test_messagepack_round_trip(value: msgpack.Value) -> None:
    packed = msgpack.pack(value)
    back = msgpack.unpack(packed)
    assert back == value
    assert type(back) is type(value)


@pytest.mark.parametrize(
    ("value", "packed"),
    [
        (0, "00"), (127, "7f"), (128, "cc80"), (256, "cd0100"), (65536, "ce00010000"),
        (2**32, "cf0000000100000000"), (-1, "ff"), (-32, "e0"), (-33, "d0df"), (-129, "d1ff7f"),
        (-32769, "d2ffff7fff"), (True, "c3"), (None, "c0"), ("a", "a161"), ([1, 2], "920102"),
        ({"a": 1}, "81a16101"), ("x" * 32, "d920" + "78" * 32),
        (list(range(16)), "dc0010" + bytes(range(16)).hex()),
        (1.5, "cb3ff8000000000000"), (b"\1", "c40101"),
    ],
)  # fmt: skip
def test_messagepack_by_the_specification(value: msgpack.Value, packed: str) -> None:
    assert msgpack.pack(value).hex() == packed
    assert msgpack.unpack(bytes.fromhex(packed)) == value


def test_llvm_s_metadata_is_reproduced() -> None:
    section = read_elf(compiled(WHOLE)).section(".note").data
    (note,) = read_notes(section, "")
    assert msgpack.pack(msgpack.unpack(note.data)) == note.data
    assert write_notes([note]) == section


def test_deep_nesting_ends() -> None:
    with pytest.raises(PtxError, match="nested too deep"):
        msgpack.unpack(b"\x91" * 100_000)
    with pytest.raises(PtxError, match="cut off"):
        msgpack.unpack(b"\xdd\xff\xff\xff\xff")
