"""Looks that are composed, kept, or taken from another opcode are those of the grammar."""

from __future__ import annotations

import pytest

from ptxlift.diag import PtxError
from ptxlift.syntax import parse
from ptxlift.syntax.statements import LOOKS, OPERANDS, SHAPES, look_at, parse_cut

HEADER = ".version 9.0\n.target sm_90\n"


@pytest.fixture(autouse=True)
def _no_memory() -> None:
    for memo in (SHAPES, LOOKS, OPERANDS):
        memo.table.clear()


@pytest.mark.parametrize(
    ("rule", "text"),
    [
        (
            "function_head",
            ".visible .entry k(.param .u64 a, .param .align 8 .b8 b[16], .param .f32 c)",
        ),
        (
            "function_head",
            ".entry k(\n.param .u64 .ptr .global .align 4 a\n)\n.maxntid 128, 1, 1\n",
        ),
        (
            "function_head",
            ".func (.param .b32 r, .reg .u64 q) f(.param .b64 a, .param .b8 b[6])",
        ),
        ("function_head", ".weak .func f\n(\n.param .b64 a\n)\n.noreturn"),
        ("function_head", ".func () f(.param .b64 a)"),
        ("function_head", ".func (.param .b64 a) f()"),
        ("function_head", ".visible .attribute(.unified(1,2)) .func f(.reg .u32 a)"),
        ("variable", ".global .align 8 .b8 t[4] = {1, 0, 255 , 64}"),
        ("variable", ".visible .const .u32 t[3] = {\n1,\n2,\n3\n}"),
        ("variable", ".global .u32 a = 3, t[2] = {1, 2}"),
        ("variable", ".global .u32 t[2][2] = {{1, 2}, {3, 4}}"),
        ("variable", ".global .u32 t[2] = {1, 0x10}"),
        ("variable", ".global .f32 t[2] = {1.0, 2.0}"),
        ("local_variable", ".const .u32 t[2] = {1, 2}"),
    ],
)
def test_declarations_are_what_the_grammar_says(rule: str, text: str) -> None:
    composed, cut = look_at(text, 0, len(text), rule)
    whole, expected = parse_cut(text, 0, len(text), rule)
    assert composed == whole
    assert cut.atoms == expected.atoms
    assert list(cut.starts) == list(expected.starts)


@pytest.mark.parametrize(
    "item",
    [
        ".entry k(.param .u64 a,);",
        ".entry k(,.param .u64 a);",
        ".entry k(.param .u64 a .param .u64 b);",
        ".entry k(.param .u64);",
        ".entry k(.param .u64 a)(.param .u64 a);",
        ".global .u32 t[2] = {1, 08};",
        ".global .u32 t[2] = {1, 2,};",
        ".global .u32 t[2] = {1, 2} 3;",
    ],
)
def test_what_the_grammar_refuses_is_not_composed(item: str) -> None:
    found = []
    for memo in (True, False):
        with pytest.raises(PtxError) as caught:
            parse(
                f"{HEADER}.entry one(.param .u64 a);\n.global .u32 u[1] = {{1}};\n{item}", memo=memo
            )
        found.append(str(caught.value))
    assert found[0] == found[1]


@pytest.mark.parametrize(
    "lines",
    [
        ("a.b %r1, %r2;", "c.d.e %r3, %r4;"),
        ("ld .global.u32 %r1, [a];", "st .global.u32 %r1, [a];"),
        ("ld.const[3] %r1, [a];", "st.const [3], %r1;"),
        ("a.s32\t%r1, 3;", "b.c::d.e\t%r1, 3;"),
        ("@p a [x+4], {b, c};", "@!p d [x+4], {b, c};"),
        ("a.1d.v4 {a, b}, [t, {x}];", "b.2d {a, b}, [t, {x}];"),
        ("a.x y.lo;", "b y.hi;"),
        ("a %x.y, z;", "b %x .y, z;"),
    ],
)
def test_operands_do_not_depend_on_the_opcode(lines: tuple[str, str]) -> None:
    text = f"{HEADER}.entry k() {{\n{' '.join(lines)}\n}}"
    assert parse(text).items == parse(text, memo=False).items
