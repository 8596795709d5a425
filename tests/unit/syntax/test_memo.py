"""The memo: one look is parsed once, however it is laid out, and the memory it takes is bounded."""

from __future__ import annotations

import gc
import pickle
from concurrent.futures import ThreadPoolExecutor

import pytest

from ptxlift.syntax import parse
from ptxlift.syntax.looks import Memo, normal, split
from ptxlift.syntax.nodes import Function, Instruction, Shape

HEADER = ".version 9.0\n.target sm_90\n"


def shapes(body: str, *, memo: bool = True) -> list[Shape]:
    item = parse(f"{HEADER}.entry k() {{\n{body}\n}}", memo=memo).items[0]
    assert isinstance(item, Function) and item.body is not None
    return [s.shape for s in item.body.statements if isinstance(s, Instruction)]


@pytest.mark.parametrize(
    "layout",
    [
        "@%p ld.global.v2.f32 {%f1, %f2}, [%rd1+16];",
        "@%p ld.global.v2.f32 {%f3,%f9},[%rd22+0x20];",
        "@ %p\tld.global.v2.f32\t{ %f1 ,\n%f2 } , [ %rd1 + 16 ] ;",
        "@q /* why */ ld.global.v2.f32 {a, // first\n b}, [c+8];",
        "@%p ld .global.v2.f32 {%f1, %f2}, [%rd1+WARP_SZ];",
    ],
)
def test_layout_and_comments_give_one_shape(layout: str) -> None:
    reference = "@%p ld.global.v2.f32 {%f1, %f2}, [%rd1+16];"
    first, second = shapes(reference + layout)
    assert first is second


def test_grammar_only_gives_the_same_shape() -> None:
    text = "mul.wide.s32 %rd1, %r1, 4;"
    assert shapes(text)[0] is shapes(text, memo=False)[0]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("foo %r1, 3;", "foo %r1, %r3;"),
        ("foo {a, _};", "foo {a, _a};"),
        ("foo _;", "foo _a;"),
        ("foo a.x;", "foo a.y;"),
        ("foo [a+4];", "foo [a+-4];"),
        ("foo a, 10 % 3;", "foo a, 10 * 3;"),
        ("foo a, (1+2)*3;", "foo a, 1+2*3;"),
        ("foo a;", "@a foo a;"),
        ("@p foo a;", "@!p foo a;"),
        ("foo.x a;", "foo.y a;"),
        ("foo a, (1);", "foo a, 1;"),
    ],
)
def test_different_looks_give_different_shapes(one: str, other: str) -> None:
    first, second = shapes(one + other)
    assert first is not second


def test_atoms_are_what_the_grammar_takes_for_names_and_numbers() -> None:
    atoms, key = split("{%f1, _}, [%rd1+0x10], 0f3F800000, WARP_SZ, .5, %tid.x, 089")
    assert atoms == ("%f1", "%rd1", "0x10", "0f3F800000", "WARP_SZ", ".5", "%tid")
    assert key[1::2] == (None, None, "", "0", "W", "", None)
    assert key[-1] == ".x, 089"


def test_blanks_do_not_count() -> None:
    assert normal(split("a ,\t\n b")[1]) == normal(split("a , b")[1])


def test_the_memo_is_bounded() -> None:
    memo: Memo[int] = Memo(limit=3, parts=2)
    for number in range(5):
        memo.keep((str(number),), number)
        assert len(memo.table) <= 3
    memo.keep(("long", "long", "long"), 9)
    assert 9 not in memo.table.values()


def test_parsing_in_threads() -> None:
    texts = [f"add.s32 %r{n}, %r{n}, {n}; foo.x{n % 7} a{n};" for n in range(64)]
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(shapes, texts))
    assert len({id(pair[0]) for pair in found}) == 1
    assert [pair[1].modifiers for pair in found] == [(f"x{n % 7}",) for n in range(64)]


def test_nothing_process_wide_is_touched() -> None:
    before = (gc.isenabled(), gc.get_threshold())
    shapes("add.s32 a, b, c;")
    assert (gc.isenabled(), gc.get_threshold()) == before


def test_modules_pickle() -> None:
    module = parse(f"{HEADER}.entry k() {{ add.s32 a, b, c; }}")
    again = pickle.loads(pickle.dumps(module))
    item = again.items[0]
    assert isinstance(item, Function) and item.body is not None
    first = item.body.statements[0]
    assert isinstance(first, Instruction) and first.atoms == ("a", "b", "c")
