"""Bad input of every kind ends in diagnostics with a place and exit status 1."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from command import EXAMPLES, SAXPY, ptxlift, refused

HEADER = ".version 8.0\n.target sm_80\n.address_size 64\n"
KERNEL = (
    ".visible .entry k()\n{{\n"
    ".reg .pred %p<4>;\n.reg .b32 %r<4>;\n.reg .b64 %rd<4>;\n"
    "{}\nret;\n}}\n"
)
BODY_LINE = 9  # where the statement stands in a module made of both
TRUNCATED = sorted(EXAMPLES.glob("hand/*.ptx"))


def kernel(statement: str) -> bytes:
    return (HEADER + KERNEL.format(statement)).encode()


def name_of_nest(text: bytes) -> str:
    middle = len(text) // 2
    return f"{len(text)}-{text[middle : middle + 4].decode().strip()}"


# ---- whole files ----


@pytest.mark.parametrize("path", TRUNCATED, ids=lambda path: path.stem)
def test_truncated_files(path: Path) -> None:
    """Cut anywhere: an error with a place, unless only a remark or whole functions were lost."""
    text = path.read_bytes()
    for end in range(0, len(text), 1 + len(text) // 40):
        ended = ptxlift("check", "-", stdin=text[:end])
        assert ended.status in (0, 1)
        if ended.status == 1:
            assert ended.first_place()[2].startswith(("PTX0", "PTX1"))


def test_cut_in_the_middle_of_a_body_is_seen() -> None:
    text = SAXPY.read_bytes()
    cut = text[: text.index(b"fma.rn")]
    line, _, code = refused(ptxlift("lift", "-", stdin=cut)).first_place()
    assert code == "PTX002"
    assert text.splitlines()[line - 1].startswith(b"{")


@pytest.mark.parametrize(
    "junk",
    [
        b"",
        b"\n\n\n",
        bytes(range(256)) * 8,
        random.Random(1).randbytes(5000),
        b"\x7fELF" + bytes(60),
        b"\x7fELF" + random.Random(2).randbytes(500),
        b"\x50\xed\x55\xba" + random.Random(3).randbytes(500),
        b"!<arch>\n" + random.Random(4).randbytes(500),
        b"\x89PNG\r\n\x1a\n" + bytes(100),
        b"\x1f\x8b\x08" + bytes(40),
        b"BC\xc0\xde" + bytes(40),
        b"MZ" + bytes(100),
        b"\0" * 100,
    ],
    ids=lambda junk: f"{junk[:4].hex()}-{len(junk)}",
)
def test_binary_junk(junk: bytes) -> None:
    code = refused(ptxlift("lift", "-", "-o", "-", stdin=junk)).codes()[0]
    assert code in ("PTX003", "PTX004", "PTX305")


@pytest.mark.parametrize(
    "text",
    [
        b"{" * 10_000_000,
        b"}" * 10_000_000,
        b"{}" * 5_000_000,
        HEADER.encode() + b"{" * 10_000_000,
        HEADER.encode() + b".visible .entry k() " + b"{" * 10_000_000,
        kernel("{" * 40_000 + "}" * 40_000),
        HEADER.encode() + b".global .u32 t[4] = " + b"{" * 40_000 + b"}" * 40_000 + b";",
        kernel("mov.u32 %r1, " + "(" * 40_000 + "1" + ")" * 40_000 + ";"),
        kernel("mov.u32 %r1, " + "-" * 40_000 + "1;"),
        kernel("mov.u32 %r1, " + "!" * 40_000 + "1;"),
        kernel("mov.u32 %r1, " + "1 ? " * 40_000 + "1" + ": 2" * 40_000 + ";"),
        b"(" * 1_000_000,
        b"/*" * 1_000_000,
        b'"' * 1_000_001,
    ],
    ids=name_of_nest,
)
def test_endless_nesting(text: bytes) -> None:
    refused(ptxlift("lift", "-", stdin=text)).first_place()


def test_long_lines_are_shown_in_part() -> None:
    text = kernel("add.u32 %r1, %r2, %r3; " * 50_000 + "frob;")
    errors = refused(ptxlift("check", "-", stdin=text)).errors
    assert max(len(line) for line in errors.splitlines()) < 200


def test_at_most_twenty_errors() -> None:
    codes = refused(ptxlift("check", "-", stdin=kernel("frob;\n" * 500))).codes()
    assert codes.count("PTX101") == 20 and "PTX007" in codes


# ---- encodings ----


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32", "cp500"])
def test_wrong_encodings(encoding: str) -> None:
    text = SAXPY.read_text().encode(encoding)
    assert "PTX003" in refused(ptxlift("lift", "-", stdin=text)).codes()


def test_latin1_letter_outside_a_comment() -> None:
    text = kernel("add.u32 %r\xe9, %r2, %r3;").replace("\xe9".encode(), b"\xe9")
    line, _, code = refused(ptxlift("lift", "-", stdin=text)).first_place()
    assert (line, code) == (BODY_LINE, "PTX001")


@pytest.mark.parametrize(
    "change",
    [
        lambda text: b"\xef\xbb\xbf" + text,
        lambda text: text.replace(b"\n", b"\r\n"),
        lambda text: text + b"\0",
        lambda text: text.replace(b"// %bb.0:", "// größer als µ".encode()),
    ],
    ids=["bom", "crlf", "nul", "utf8-comment"],
)
def test_harmless_differences_are_accepted(change: object) -> None:
    assert callable(change)
    assert ptxlift("check", "-", stdin=change(SAXPY.read_bytes())).status == 0


def test_control_characters_are_not_sent_to_the_terminal() -> None:
    ended = refused(ptxlift("check", "-", stdin=kernel("add.u32 \x1b[31m%r1, %r2, %r3;")))
    assert "\x1b" not in ended.errors


# ---- statements: (statement, column, code) ----


@pytest.mark.parametrize(
    ("statement", "column", "code"),
    [
        ("add.u32 %r1 %r2, %r3;", 13, "PTX001"),
        ("frob.u32 %r1, %r2;", 1, "PTX101"),
        ("add.u32.frob %r1, %r2, %r3;", 8, "PTX102"),
        ("add.u32 %r1, %r2, %r9;", 19, "PTX104"),
        ("add.u32 %r1, %rd2, %r3;", 14, "PTX103"),
        ("add.u32 %r1, %r2, %p1;", 19, "PTX103"),
        ("add.u32 %r1, %r2;", 1, "PTX103"),
        (".reg .b32 %r1;", 11, "PTX105"),
        ("bra nowhere;", 5, "PTX104"),
        ("ld.global.u32 %r1, [nothing];", 21, "PTX104"),
        ("mov.b32 %r1, 0f12;", 14, "PTX005"),
        ("@%r1 ret;", 2, "PTX103"),
    ],
)
def test_bad_statements(statement: str, column: int, code: str) -> None:
    ended = refused(ptxlift("lift", "-", stdin=kernel(statement)))
    assert ended.first_place() == (BODY_LINE, column, code)
    marked = ended.errors.splitlines()[1:3]
    assert marked[0].endswith(f"| {statement}")
    assert marked[1].index("^") - marked[1].index("|") == column + 1


def test_hint_names_what_was_meant() -> None:
    errors = refused(ptxlift("lift", "-", stdin=kernel("add.u32 %r1, %r2, %R3;"))).errors
    assert "hint: did you mean `%r3`?" in errors


def test_too_much_shared_memory() -> None:
    text = HEADER + (
        ".visible .entry big()\n{\n.shared .b8 tile[65540];\n.reg .b32 %r<2>;\n"
        "ld.shared.u32 %r1, [tile];\nst.shared.u32 [tile+4], %r1;\nret;\n}\n"
    )
    for target in ("gfx942", "gfx1100"):
        ended = refused(ptxlift("lift", "-", "-t", target, stdin=text.encode()))
        assert ended.codes() == ["PTX303"]
        assert "big" in ended.errors and "65540" in ended.errors and "65536" in ended.errors
    assert ptxlift("lift", "-", "-t", "gfx950", "-o", "-", stdin=text.encode()).status == 0


@pytest.mark.parametrize("seed", range(4))
def test_mutants_of_an_example(seed: int) -> None:
    """Single bytes lost, doubled or exchanged: never our own fault, never a hang."""
    rng = random.Random(seed)
    original = (EXAMPLES / "hand" / "calls.ptx").read_bytes()
    for _ in range(40):
        text = bytearray(original)
        for _ in range(rng.randint(1, 4)):
            at = rng.randrange(len(text))
            text[at : at + 1] = rng.choice(
                (b"", b"%", b"{", b";", b".", b"\xff", bytes(text[at : at + 9]) * 2)
            )
        ended = ptxlift("check", "-", stdin=bytes(text))
        assert ended.status in (0, 1)
        assert ended.status == 0 or ended.codes()
