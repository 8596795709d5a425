"""What a person reads after a mistake: the place, the fact, and what to do."""

from __future__ import annotations

import pytest

from ptxlift.diag import Diagnostic, PtxError
from ptxlift.syntax import parse

HEADER = ".version 9.0\n.target sm_90\n"


def errors(text: str | bytes) -> list[Diagnostic]:
    with pytest.raises(PtxError) as caught:
        parse(text)
    return list(caught.value.diagnostics)


def body_errors(text: str) -> list[Diagnostic]:
    """Errors of a body whose first line is line 4 of the file."""
    return errors(f"{HEADER}.entry k() {{\n{text}\n}}\n")


def place(found: Diagnostic) -> tuple[int, int]:
    assert found.span is not None
    return found.span.line, found.span.column


@pytest.mark.parametrize(
    ("text", "line", "column", "hint"),
    [
        ("\tmov.u32 %r1, 1\n\tret;", 5, 2, "did you forget ';' at the end of the statement"),
        ("ld.u32 %r1, [%rd1-4];", 4, 18, "write +-4"),
        ("mov.u32 %r1, 10%3;", 4, 16, "blank after the operator %"),
        ("mov.u32 %r1, 'a';", 4, 14, "no character constants"),
        ("add.s32 %r1, %r2,;", 4, 18, "expected a name, a number"),
        ("add.s32 %r1, %r2, _;", 4, 19, "expected"),
        ("mov.u32 %r1, 1;;", 4, 16, "remove the ';'"),
        (".reg .bf16 a;", 4, 6, "expected a type"),
        (".loc 1 3\nret;", 5, 1, "expected a number"),
        ("ld.v2.u32 {%r1, [a];", 4, 17, "expected a name"),
        ("@%p1 { ret; }", 4, 6, "expected a name"),
        (".maxntid 3;", 4, 1, "expected an instruction"),
        (".pragma nounroll;", 4, 9, "a string in double quotes"),
    ],
)
def test_place_and_hint(text: str, line: int, column: int, hint: str) -> None:
    (found,) = body_errors(text)
    assert found.code == "PTX001"
    assert place(found) == (line, column)
    assert hint in found.hint


@pytest.mark.parametrize("number", ["089", "0b2", "0f3F8", "0d0", "0x1p3", "5u", "5UL", "1.0f"])
def test_malformed_numbers_are_shown_whole(number: str) -> None:
    (found,) = body_errors(f"mov.u32 %r1, {number};")
    assert found.code == "PTX005"
    assert place(found) == (4, 14)
    assert f"'{number}'" in found.message


def test_rendered_text_has_a_caret() -> None:
    (found,) = body_errors("\tadd.s32 %r1, , 2;")
    assert found.render() == (
        "<ptx>:4:15: error[PTX001]: unexpected ','\n"
        "    4 |  add.s32 %r1, , 2;\n"
        "      |               ^\n"
        "  hint: expected a name, a number, '{' or '['"
    )


def test_every_statement_is_judged_on_its_own() -> None:
    lines = ["mov.u32 %r1, ;", "ret;", "add.s32 [%r1;", "mov.u32 %r1 2;", "bra L,;"]
    found = body_errors("\n".join(lines))
    assert [place(error)[0] for error in found] == [4, 6, 7, 8]


def test_a_missing_semicolon_costs_one_error() -> None:
    found = body_errors("mov.u32 %r1, 1\nmov.u32 %r2, 2\nadd.s32 %r3, , 1;\nret;")
    assert [place(error)[0] for error in found] == [5, 6, 6]


def test_errors_in_several_functions() -> None:
    text = HEADER + ".entry () { ret; }\n.entry b() { mov 1 2; }\n.entry c(.param x) { ret; }\n"
    assert [place(error)[0] for error in errors(text)] == [3, 4, 5]


def test_at_most_twenty() -> None:
    found = body_errors("\n".join(["mov.u32 %r1, ;"] * 50))
    assert [error.code for error in found] == ["PTX001"] * 20 + ["PTX007"]


def test_exactly_twenty_are_not_too_many() -> None:
    found = body_errors("\n".join(["mov.u32 %r1, ;"] * 20))
    assert [error.code for error in found] == ["PTX001"] * 20


def test_missing_brace_is_one_error() -> None:
    text = HEADER + ".entry a() {\n{ mov.u32 x, 1;\n}\n.visible .entry b() {\nret;\n}\n"
    (found,) = errors(text)
    assert place(found) == (6, 1)
    assert "did you forget '}'" in found.hint and "line 3" in found.hint


@pytest.mark.parametrize(
    ("text", "place_"),
    [
        ("", (1, 1)),
        ("// only a comment\n", (1, 1)),
        ("hello", (1, 1)),
        (".target sm_90\n.version 9.0\n", (1, 1)),
        (".version 9\n.target sm_90\n", (1, 1)),
        (".version 9.0\n.entry k() { ret; }", (2, 1)),
        (".version 99999999999999999999.1\n.target sm_90", (1, 1)),
    ],
)
def test_header(text: str, place_: tuple[int, int]) -> None:
    (found,) = errors(text)
    assert found.code == "PTX004"
    assert place(found) == place_


@pytest.mark.parametrize(
    "text",
    [
        ".entry k() {",
        ".entry k() { mov.u32 %r1, 1",
        ".entry k() { mov.u32 %r1,",
        ".entry k() { { ret; }",
        ".entry k() { .reg .u32 a",
        ".entry k(.param .u32 a",
        ".entry k()",
        ".global .u32 x",
        ".global .u32 x[2] = {1,",
        ".section .debug_info { .b8 1",
        "/* a comment",
        ".entry k() { /* a comment",
    ],
)
def test_truncated(text: str) -> None:
    found = errors(HEADER + text)
    assert found[-1].code == "PTX002"
    assert found[-1].hint


@pytest.mark.parametrize(
    ("data", "word"),
    [
        (b"\x7fELF\x02\x01\x01", "ELF"),
        (b"\x50\xed\x55\xba\x01\x00", "fat binary"),
        (b"BC\xc0\xde5\x14", "bitcode"),
        (".version 9.0".encode("utf-16"), "UTF-16"),
        (b".version 9.0\n\x00\x01\x02", "control character"),
        (bytes(range(256)), "control character"),
    ],
)
def test_not_text(data: bytes, word: str) -> None:
    (found,) = errors(data)
    assert found.code == "PTX003"
    assert word in found.message


def test_non_ascii_name() -> None:
    (found,) = body_errors(".reg .u32 größe;")
    assert found.code == "PTX001"
    assert place(found) == (4, 13)


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        (".global .u64 x = generic(y+4);", "expected ')'"),
        (".global .u64 x = mask(y);", "generic(symbol)"),
        (".global .u32 x[2][];", "expected a number"),
        (".global .u32 x[2] = {1,2,};", "expected"),
        (".global .v3 .f32 x;", "expected a type"),
        (".visible .visible .global .u32 x;", "a state space"),
        (".section .debug_x { .b8 1; }", "expected a label or .b8"),
        (".alias a b;", "','"),
        ("mov.u32 %r1, 1;", "expected .entry, .func"),
        ("}", "closes nothing"),
        (".entry k() .noreturn { trap; }", "performance directive"),
    ],
)
def test_module_level(text: str, hint: str) -> None:
    (found,) = errors(HEADER + text + "\n.entry z() { ret; }\n")
    assert found.span is not None and found.span.line == 3
    assert hint in found.hint


def test_a_directive_with_a_body_is_one_error() -> None:
    text = HEADER + ".global .u32 x {\nret;\nret;\n}\n.foo k() { { ret; } }\n.entry z() { ret; }\n"
    assert [place(error) for error in errors(text)] == [(3, 16), (7, 1)]
