"""The scanner with its memo agrees with the grammar; what is printed parses to the same tree."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ptxlift.diag import PtxError
from ptxlift.syntax import parse
from ptxlift.syntax.nodes import Item, Module, Shape
from ptxlift.syntax.printer import print_module

HEADER = ".version 9.0\n.target sm_90\n.address_size 64\n"
EXAMPLES = sorted((Path(__file__).parents[2] / "examples").rglob("*.ptx"))
PLACES = ("start", "end")


def placeless(node: object) -> object:
    """A node as nested tuples without the places."""
    if isinstance(node, tuple):
        return tuple(placeless(child) for child in node)
    if isinstance(node, Shape) or not dataclasses.is_dataclass(node):
        return node
    fields = [f.name for f in dataclasses.fields(node) if f.name not in PLACES]
    return (type(node).__name__, *(placeless(getattr(node, name)) for name in fields))


def outcome(text: str, *, memo: bool) -> tuple[Item, ...] | None:
    """The items; None if the text is refused."""
    try:
        return parse(text, memo=memo).items
    except PtxError as error:
        assert all(d.code.startswith("PTX0") and d.span for d in error.diagnostics)
        assert str(error)
        return None


def check(text: str) -> None:
    found = outcome(text, memo=True)
    assert found == outcome(text, memo=False)
    assert found == outcome(text, memo=True)  # now from the memo
    if found is not None:
        printed = print_module(parse(text))
        assert placeless(parse(printed).items) == placeless(found)
        assert print_module(parse(printed)) == printed


# ---- real files ----


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.name)
def test_examples(path: Path) -> None:
    check(path.read_text())


# ---- made-up text: pieces of PTX in any order ----

NAMES = st.sampled_from(["%r1", "a", "$L", "_b", "%tid", "WARP_SZ1", "ret", "generic", "x9"])
NUMBERS = st.sampled_from(
    ["0", "7", "0x1F", "017", "0b11", "5U", "1.5", ".5", "1.", "1e3", "WARP_SZ", "0f3F800000"]
)
BROKEN = st.sampled_from(
    ["089", "0f3F8", "5u", "1_0", "0x", "é", "'a'", '"s"', "@", "::", ".", "$"]
)
BLANKS = st.sampled_from(["", " ", " ", "\t", "\n", " /* c */ ", "// c\n", "\r\n"])
EXPRESSIONS = st.recursive(
    NUMBERS,
    lambda inner: st.one_of(
        st.tuples(st.sampled_from("-+~!"), inner).map("".join),
        st.tuples(st.sampled_from(["(.s64)", "(.u64)"]), inner).map("".join),
        st.tuples(
            inner,
            st.sampled_from(["+", "-", "*", "/", " % ", "<<", ">>", "&", "|", "^", "&&", "||"]),
            inner,
        ).map("".join),
        st.tuples(inner, st.sampled_from(["==", "!=", "<", "<=", ">", ">="]), inner).map("".join),
        st.tuples(inner, st.just("?"), inner, st.just(":"), inner).map("".join),
        inner.map("({})".format),
    ),
    max_leaves=6,
)
REGISTERS = st.one_of(NAMES, NAMES.map("{}.x".format), NAMES.map("{} .b10".format))
ELEMENTS = st.one_of(REGISTERS, st.just("_"), EXPRESSIONS)
VECTORS = st.lists(ELEMENTS, min_size=1, max_size=4).map(lambda found: f"{{{', '.join(found)}}}")
PLAIN = st.one_of(
    REGISTERS,
    REGISTERS,
    EXPRESSIONS,
    VECTORS,
    NAMES.map("!{}".format),
    NAMES.map("-{}".format),
    NAMES.map("[{}]".format),
    st.tuples(NAMES, EXPRESSIONS).map(lambda pair: f"[{pair[0]}+{pair[1]}]"),
    st.tuples(NAMES, EXPRESSIONS).map(lambda pair: f"{pair[0]}+{pair[1]}"),
    st.tuples(NAMES, EXPRESSIONS).map(lambda pair: f"{pair[0]}[{pair[1]}]"),
    st.tuples(NAMES, VECTORS).map(lambda pair: f"[{pair[0]}, {pair[1]}]"),
    st.lists(ELEMENTS, max_size=3).map(lambda found: f"({', '.join(found)})"),
)
FIRST = st.one_of(PLAIN, st.just("_"), st.tuples(REGISTERS, NAMES).map("|".join))
ODD = st.one_of(BROKEN, FIRST)
OPCODES = st.sampled_from(["add.s32", "ld.global.L2::cache_hint.v4.f32", "x", "tex.2d.v4", "call"])
GUARDS = st.sampled_from(["", "", "@%p ", "@!%p ", "@ ! q\n"])


def mostly(usual: st.SearchStrategy[str], odd: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    """The usual in 15 of 16 cases."""
    return st.integers(0, 15).flatmap(lambda number: usual if number else odd)


@st.composite
def instructions(draw: st.DrawFn) -> str:
    operands = [draw(mostly(FIRST, ODD)), *draw(st.lists(mostly(PLAIN, ODD), max_size=3))]
    gap = draw(BLANKS)
    joined = f"{draw(BLANKS)},{gap}".join(operands)
    end = draw(mostly(st.just(";"), st.sampled_from([" ;", ";;", ""])))
    return f"{draw(GUARDS)}{draw(OPCODES)} {joined}{end}"


DECLARATIONS = st.sampled_from(
    [
        ".reg .b32 %r<9>, q;",
        ".param .align 8 .b8 p[16];",
        ".shared .v2 .f32 s[2][3];",
        ".local .align 0x8 .b8 d[0b11];",
        '.pragma "nounroll", "a;b{";',
        ".loc 1 2 3",
        ".loc 1 2 3, function_name L+4, inlined_at 1 2 3",
        "T: .branchtargets A, B<2>;",
        "P : .callprototype (.param .b32 _) _ (.param .b8 _[4]) .noreturn;",
        ".global .u32 g[2] = {1, -2};",
        "L:",
        "{ }",
        "{ L: { .reg .pred p; } }",
    ]
)
STATEMENTS = st.lists(
    st.tuples(BLANKS, st.one_of(instructions(), instructions(), DECLARATIONS)).map("".join),
    max_size=5,
).map("\n".join)
ITEMS = st.lists(
    st.one_of(
        STATEMENTS.map(".entry k(.param .u64 .ptr .global a) .maxntid 16, 1 {{ {} }}".format),
        STATEMENTS.map(".visible .func (.reg .b32 r) f (.param .b32 a) .noreturn {{ {} }}".format),
        st.sampled_from(
            [
                ".extern .func vprintf(.param .b64 a, .param .b64 b);",
                ".global .align 4 .b8 t[4] = {1,2,0x3};",
                ".global .u64 t[2] = {generic(a)+4, a+-4};",
                ".global .u8 t[2] = {0xff(a), 255(generic(a)+4)};",
                ".global .texref t = { width = 8, mode = wrap };",
                ".const[2] .u32 c;",
                ".alias a, b;",
                '.file 1 "a.cu", 1, 2',
                ".section .debug_x { .b8 1, 2 a: .b64 a+4 }",
                ".attribute(.managed) .global .u32 x;",
                ".weak .extern .global .u32 x;",
                ".global .u32 x = {{1},{}};",
                "}",
            ]
        ),
    ),
    max_size=3,
).map("\n".join)


@settings(max_examples=300, deadline=None, derandomize=True)
@given(STATEMENTS)
def test_bodies(statements: str) -> None:
    check(f"{HEADER}.entry k() {{\n{statements}\n}}\n")


@settings(max_examples=150, deadline=None, derandomize=True)
@given(ITEMS)
def test_modules(items: str) -> None:
    check(HEADER + items)


TOKENS = st.lists(
    st.one_of(
        NAMES,
        NUMBERS,
        BROKEN,
        BLANKS,
        OPCODES,
        st.sampled_from([*"+-*/%<>=!~&|^?:;,.()[]{}@_", ".reg", ".b32", ".entry", ".func", ".loc"]),
    ),
    max_size=30,
).map("".join)


@settings(max_examples=300, deadline=None, derandomize=True)
@given(TOKENS)
def test_any_tokens(tokens: str) -> None:
    check(f"{HEADER}.entry k() {{ {tokens} }}\n")
    check(HEADER + tokens)


@settings(max_examples=200, deadline=None, derandomize=True)
@given(st.one_of(st.text(max_size=60), st.binary(max_size=60)))
def test_any_input(data: str | bytes) -> None:
    header = HEADER.encode() if isinstance(data, bytes) else HEADER
    for text in (data, header + data):  # type: ignore[operator]  # both are of one type
        try:
            found = parse(text)
        except PtxError as error:
            assert str(error)
        else:
            assert isinstance(found, Module)
