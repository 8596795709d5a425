"""Malformed statements of every kind: a diagnostic with its place in the string."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ptxlift
from ptxlift import Operand

I32 = "i32"
ONE, TWO = [I32], [I32] * 2


@dataclass(frozen=True)
class Bad:
    """A statement and what is said of it: code, line, column, words of the message."""

    name: str
    template: str
    constraints: str | Sequence[str]
    operands: Sequence[str | Operand]
    code: str
    place: tuple[int, int]
    words: str
    dialect: str = "cuda"


TEMPLATES = (
    Bad("no such operand", "add.s32 %0, %1, %5;", "=r,r", TWO, "PTX112", (1, 17), "2 operands"),
    Bad("no operands", "mov.u32 %0, 1;", "", [], "PTX112", (1, 9), "no operands"),
    Bad("huge number", "mov.u32 %0, %99999999999999999999;", "=r", ONE,
        "PTX112", (1, 13), "1 operand"),
    Bad("unknown name", "mov.u32 %0,\n  %[b];", "=r,r", [I32, Operand(I32, name="a")],
        "PTX112", (2, 3), "`b`"),
    Bad("modifier", "mov.u32 %0, %c1;", "=r,r", TWO, "PTX112", (1, 13), "modifiers"),
    Bad("percent at the end", "mov.u32 %0, 1;%", "=r", ONE, "PTX112", (1, 15), "begins nothing"),
    Bad("percent alone", "mov.u32 %0, % 1;", "=r", ONE, "PTX112", (1, 13), "begins nothing"),
    Bad("block not closed", "{ mov.u32 %0, 1;", "=r", ONE, "PTX112", (1, 1), "brace"),
    Bad("block not opened", "mov.u32 %0, 1; }", "=r", ONE, "PTX112", (1, 16), "brace"),
    Bad("unknown instruction", "mov.u32 %0, 1;\naddd.u32 %0, %0, %0;", "=r", ONE,
        "PTX101", (2, 1), "addd"),
    Bad("bad modifier", "add.rn.u32 %0, %1, %1;", "=r,r", TWO, "PTX102", (1, 4), ""),
    Bad("missing comma", "mov.u32 %0 %1;", "=r,r", TWO, "PTX001", (1, 12), ""),
    Bad("unknown register", "add.u32 %0, %1, tmp;", "=r,r", TWO, "PTX104", (1, 17), "tmp"),
    Bad("unknown symbol", "ld.global.u32 %0, [table];", "=r", ONE, "PTX104", (1, 20), "table"),
    Bad("unknown special", "mov.u32 %0, %%nosuch;", "=r", ONE, "PTX104", (1, 13), "%nosuch"),
    Bad("label elsewhere", "bra OUT;", "", [], "PTX104", (1, 5), "OUT"),
    Bad("wrong size", "add.u64 %0, %1, %1;", "=l,r", ["i64", I32], "PTX103", (1, 13), "%1"),
    Bad("number on a float", "add.s32 %0, %1, %1;", "=r,f", [I32, "float"],
        "PTX103", (1, 13), "%1"),
    Bad("return", "{ .reg .pred p; setp.eq.u32 p, %0, 0;\n @p ret; }", "r", ONE,
        "PTX206", (2, 2), "ret"),
    Bad("exit", "exit;", "", [], "PTX206", (1, 1), "exit"),
    Bad("carry of others", "addc.u32 %0, %1, 0;", "=r,r", TWO, "PTX206", (1, 1), "carry"),
    Bad("comment not closed", "mov.u32 %0, 1; /* oh", "=r", ONE, "PTX002", (1, 16), "comment"),
    Bad("control character", "mov.u32 %0, \x01;", "=r", ONE, "PTX003", (1, 13), ""),
    Bad("other alphabet", "mov.u32 %0, \u0661;", "=r", ONE, "PTX001", (1, 13), ""),
    Bad("header inside", ".version 8.0\nmov.u32 %0, 1;", "=r", ONE, "PTX001", (1, 1), ""),
    Bad("function inside", "mov.u32 %0, 1; } .func f() { ret;", "=r", ONE,
        "PTX112", (1, 16), "brace"),
    Bad("not translated", "wgmma.fence.sync.aligned;", "", [], "PTX201", (1, 1), ""),
    Bad("dollar at the end", "mov.u32 $0, 1;$", "=r", ONE,
        "PTX112", (1, 15), "begins nothing", "llvm"),
    Bad("dollar operand", "mov.u32 $0, $3;", "=r", ONE, "PTX112", (1, 13), "1 operand", "llvm"),
    Bad("dollar modifier", "mov.u32 $0, ${0:x};", "=r", ONE,
        "PTX112", (1, 13), "modifiers", "llvm"),
    Bad("operand of llvm", "add.u64 $0, $1, $1;", "=l,r", ["i64", I32],
        "PTX103", (1, 13), "`$1`", "llvm"),
)  # fmt: skip

CONSTRAINTS = (
    Bad("unknown letter", "", "=r,z", TWO, "PTX113", (1, 4), "`z`"),
    Bad("memory", "", "r,m", TWO, "PTX206", (1, 3), "memory"),
    Bad("several letters", "", "=r,rn", TWO, "PTX113", (1, 4), "several"),
    Bad("empty", "", "=r,,r", ONE * 3, "PTX113", (1, 4), "empty"),
    Bad("equals alone", "", "=", ONE, "PTX113", (1, 1), "empty"),
    Bad("constant written", "", "=n", ONE, "PTX113", (1, 1), "output"),
    Bad("tied to nothing", "", "=r,3", TWO, "PTX113", (1, 4), "operand 3"),
    Bad("tied to an input", "", "r,0", TWO, "PTX113", (1, 3), "operand 0"),
    Bad("tied output", "", "=r,=0", TWO, "PTX113", (1, 4), "tied"),
    Bad("register clobbered", "", "=r,~{r5}", ONE, "PTX113", (1, 4), "r5"),
    Bad("fixed register", "", "={r1}", ONE, "PTX113", (1, 1), "{r1}"),
    Bad("in memory", "", "=*r", ONE, "PTX206", (1, 1), "memory"),
    Bad("asm goto", "", "=r : r : memory : out", TWO, "PTX206", (1, 17), "asm goto"),
    Bad("output among inputs", "", "=r : =r", TWO, "PTX113", (1, 6), "input"),
    Bad("input among outputs", "", "r : r", TWO, "PTX113", (1, 1), "output"),
    Bad("plus in llvm", "", "+r", ONE, "PTX113", (1, 1), "`+`", "llvm"),
    Bad("short in r", "", ["=r", "r"], [I32, "i16"], "PTX113", (1, 4), "i16"),
    Bad("long in r", "", "=r,r", [I32, "i64"], "PTX113", (1, 4), "i64"),
    Bad("pointer in r", "", "r", ["ptr"], "PTX113", (1, 1), "ptr"),
    Bad("float in r", "", "r", ["float"], "PTX113", (1, 1), "no floats"),
    Bad("int in f", "", "f", ONE, "PTX113", (1, 1), "floats only"),
    Bad("double in f", "", "f", ["double"], "PTX113", (1, 1), "double"),
    Bad("float in d", "", "=d", ["float"], "PTX113", (1, 1), "float"),
    Bad("byte in h", "", "h", ["i8"], "PTX113", (1, 1), "i8"),
    Bad("structure", "", "r", ["{ i32, i32 }"], "PTX113", (1, 1), "no register"),
    Bad("nonsense type", "", "r", ["banana"], "PTX113", (1, 1), "banana"),
    Bad("too wide for llvm", "", "r", ["i64"], "PTX113", (1, 1), "i64", "llvm"),
    Bad("tied sizes", "", "=r,0", [I32, "i64"], "PTX113", (1, 4), "tied"),
    Bad("too few types", "", "=r,r", ONE, "PTX113", (1, 4), "2 constraints for 1"),
    Bad("too many types", "", "=r", TWO, "PTX113", (1, 1), "1 constraints for 2"),
    Bad("constant without value", "", "n", ONE, "PTX113", (1, 1), "constant"),
    Bad("fractional constant", "", "n", [Operand(I32, 1.5)], "PTX113", (1, 1), "1.5"),
    Bad("text without value", "", "C", ["ptr"], "PTX113", (1, 1), "string"),
)  # fmt: skip


def raise_bad(bad: Bad) -> ptxlift.PtxError:
    with pytest.raises(ptxlift.PtxError) as caught:
        ptxlift.raise_inline_asm(
            bad.template, bad.constraints, bad.operands, target="gfx942", dialect=bad.dialect
        )
    return caught.value


@pytest.mark.parametrize("bad", TEMPLATES + CONSTRAINTS, ids=lambda bad: bad.name)
def test_diagnostic_points_into_the_string(bad: Bad) -> None:
    found = raise_bad(bad).diagnostics[0]
    assert found.span is not None
    assert (found.code, (found.span.line, found.span.column)) == (bad.code, bad.place)
    assert bad.words in found.message
    is_constraint = bad in CONSTRAINTS
    text = ",".join([bad.constraints] if isinstance(bad.constraints, str) else bad.constraints)
    assert found.span.source.text == (text if is_constraint else bad.template)


def test_all_errors_of_a_statement_are_reported() -> None:
    template = "addd.u32 %0, %0, %0;\nmov.u32 %0, x;\nmov.u32 %0, y;"
    with pytest.raises(ptxlift.PtxError) as caught:
        ptxlift.raise_inline_asm(template, "=r", ["i32"], target="gfx942")
    assert [d.span.line for d in caught.value.diagnostics if d.span] == [1, 2, 3]


def test_place_is_shown_under_the_callers_name() -> None:
    with pytest.raises(ptxlift.PtxError) as caught:
        ptxlift.raise_inline_asm(
            "mov.u32 %0, oops;", "=r", ["i32"], target="gfx942", location="kernel.cu:17"
        )
    lines = str(caught.value).splitlines()
    assert lines[0] == "kernel.cu:17:1:13: error[PTX104]: `oops` is not declared"
    assert lines[2].rstrip().endswith("^" * 4)


@pytest.mark.parametrize(
    ("options", "code"),
    [
        ({"target": "sm_95"}, "PTX301"),
        ({"target": "sm_90", "wave_size": 32}, "PTX307"),
        ({"target": "gfx1"}, "PTX301"),
        ({"target": "gfx942", "dialect": "intel"}, "PTX307"),
        ({"target": "gfx942", "wave_size": 32}, "PTX302"),
        ({"target": "gfx942", "sm": 3}, "PTX307"),
        ({"target": "gfx942", "sm": "ninety"}, "PTX307"),
    ],
)
def test_bad_options(options: dict[str, object], code: str) -> None:
    with pytest.raises(ptxlift.PtxError) as caught:
        ptxlift.raise_inline_asm("mov.u32 %0, 1;", "=r", ["i32"], **options)  # type: ignore[arg-type]
    assert [d.code for d in caught.value.diagnostics] == [code]


def test_architecture_that_lacks_an_instruction() -> None:
    with pytest.raises(ptxlift.PtxError, match="sm_80"):
        ptxlift.raise_inline_asm(
            "redux.sync.add.s32 %0, %1, -1;", "=r,r", ["i32"] * 2, target="gfx942", sm=75
        )


PIECES = st.sampled_from(
    [
        *("%0", "%1", "%", "%%", "%=", "%[x]", "{", "}", ";", ",", "add.u32 ", "mov.b64 ", "@p "),
        *("[", "]", "L:", "bra L", ".reg .u32 t", "\n", " ", "//", "/*", "*/", '"', "1", "0f"),
        *("-", "\\", "\t", "\x00", "\u00e9"),
    ]
)


@settings(max_examples=150, deadline=None, derandomize=True)
@given(st.lists(PIECES, max_size=12).map("".join), st.sampled_from(["cuda", "llvm"]))
def test_any_text_gives_a_fragment_or_diagnostics(template: str, dialect: str) -> None:
    try:
        ptxlift.raise_inline_asm(
            template.replace("%", "$") if dialect == "llvm" else template,
            "=r,r", ["i32", Operand("i32", name="x")], target="gfx1100", dialect=dialect,
        )  # fmt: skip
    except ptxlift.PtxError as error:
        assert error.diagnostics


@settings(max_examples=150, deadline=None, derandomize=True)
@given(st.text("=+&rlfdhnCq0123,~{}: memory*m", max_size=14))
def test_any_constraints_give_a_fragment_or_diagnostics(constraints: str) -> None:
    try:
        ptxlift.raise_inline_asm("", constraints, ["i32", "i32"], target="gfx1100")
    except ptxlift.PtxError as error:
        assert error.diagnostics
