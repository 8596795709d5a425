"""Input of any size and depth ends in a diagnostic or a module, soon and without recursion."""

from __future__ import annotations

import time

import pytest

from ptxlift.diag import PtxError
from ptxlift.syntax import parse

HEADER = ".version 9.0\n.target sm_90\n"
SIZE = 10_000_000


def body(text: str) -> str:
    return f"{HEADER}.entry k() {{ {text} }}\n"


def first_code(text: str) -> str:
    """The first error's code; fails if it takes longer than any person would wait."""
    begin = time.monotonic()
    with pytest.raises(PtxError) as caught:
        parse(text)
    rendered = str(caught.value)
    assert time.monotonic() - begin < 60
    assert len(rendered) < 20_000
    return caught.value.diagnostics[0].code


@pytest.mark.parametrize(
    ("text", "code"),
    [
        pytest.param(HEADER + ".entry k() " + "{" * SIZE, "PTX006", id="open braces"),
        pytest.param(HEADER + "}" * SIZE, "PTX001", id="closing braces"),
        pytest.param(body("mov.u32 a, " + "(" * SIZE + ";"), "PTX006", id="parentheses"),
        pytest.param(
            body("mov.u32 a, " + "(" * 20_000 + "1" + ")" * 20_000 + ";"),
            "PTX006",
            id="balanced parentheses",
        ),
        pytest.param(body("mov.u32 a, " + "-" * 20_000 + "1;"), "PTX006", id="signs"),
        pytest.param(body("mov.u32 a, " + "1+" * 20_000 + "1;"), "PTX006", id="sums"),
        pytest.param(body("mov.u32 a, " + "1?2:" * 10_000 + "1;"), "PTX006", id="conditionals"),
        pytest.param(body("add.s32 " + "%r1, " * (SIZE // 5) + ";"), "PTX006", id="one line"),
        pytest.param(body("mov.u32 a b\n" * (SIZE // 12)), "PTX001", id="no semicolons"),
        pytest.param(body("a " * (SIZE // 2)), "PTX001", id="words"),
        pytest.param(body("x { " * (SIZE // 4)), "PTX001", id="words and braces"),
        pytest.param(body("@" * SIZE), "PTX001", id="guards"),
        pytest.param(body("." * SIZE), "PTX001", id="dots"),
        pytest.param(body("mov.u32 " + "a" * SIZE + ", 1;"), "PTX006", id="one name"),
        pytest.param(body(".reg .b32 a<" + "9" * 60_000 + ">;"), "PTX005", id="one number"),
        pytest.param(body("L: .branchtargets A<4000000000>;"), "PTX005", id="label range"),
        pytest.param(HEADER + '"' * SIZE, "PTX001", id="quotes"),
        pytest.param(HEADER + "/*" * (SIZE // 2), "PTX002", id="comments"),
        pytest.param(HEADER + ".visible " * (SIZE // 9), "PTX002", id="linkage"),
        pytest.param(
            HEADER + ".global .b8 x[9] = {" + "1," * (SIZE // 2) + ",};", "PTX001", id="table"
        ),
        pytest.param(
            HEADER + ".global .b8 x[9] = " + "{" * (SIZE // 2) + "}" * (SIZE // 2) + ";",
            "PTX006",
            id="table of braces",
        ),
        pytest.param(
            HEADER + ".section .debug_x {" + ".b8 1,2\n" * (SIZE // 8), "PTX002", id="section"
        ),
        pytest.param("hello world " * (SIZE // 12), "PTX004", id="prose"),
        pytest.param("\x01" * SIZE, "PTX003", id="binary"),
    ],
)
def test_refused_soon(text: str, code: str) -> None:
    assert first_code(text) == code


@pytest.mark.parametrize("text", [" " * SIZE, "\n" * SIZE, "/" * SIZE, "\r\n" * (SIZE // 2)])
def test_emptiness_is_accepted(text: str) -> None:
    assert parse(HEADER + text).items == ()


def test_truncation_at_every_place() -> None:
    text = body(".reg .v2 .f32 a, b<3>; @!%p ld.v2.u32 {a, _}, [b+-4]; L: bra L;")
    closing = text.rindex("}")
    for length in range(len(HEADER), closing + 1):
        if text[:length].strip() == HEADER.strip():
            continue
        with pytest.raises(PtxError) as caught:
            parse(text[:length])
        assert caught.value.diagnostics[0].hint
    assert parse(text[: closing + 1]).items
