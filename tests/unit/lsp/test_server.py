"""The language server over its standard streams, as an editor drives it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from client import URI, Client, client

pytest.importorskip("pygls")

TEXT = """.version 8.0
.target sm_80
.address_size 64
.global .u32 total;
.func (.param .b32 back) twice(.param .b32 given) {
  .reg .b32 %t;
  ld.param.b32 %t, [given];
  add.u32 %t, %t, %t;
  st.param.b32 [back], %t;
  ret;
}
.visible .entry scale(.param .u64 out, .param .f32 by) {
  .reg .b64 %rd<3>;
  .reg .f32 %f<4>;
  .reg .pred %p;
  // a comment, with é and 𝛼 in it
  ld.param.u64 %rd1, [out]; ld.param.f32 %f1, [by];
  cvta.to.global.u64 %rd2, %rd1;
  ld.global.f32 %f2, [%rd2];
  fma.rn.f32 %f3, %f1, %f2, %f2;
  setp.gt.f32 %p, %f3, %f1;
  @%p bra DONE;
  st.global.f32 [%rd2], %f3;
DONE:
  ret;
}
"""
LINES = TEXT.splitlines()


def place(needle: str, after: str = "", inside: int = 1) -> tuple[int, int]:
    """Line and column, from 0, of a character in the first `needle` behind `after`."""
    at = TEXT.index(needle, TEXT.index(after)) + inside
    return TEXT.count("\n", 0, at), at - TEXT.rfind("\n", 0, at) - 1


@pytest.fixture(scope="module")
def editor() -> Iterator[Client]:
    with client("--target", "gfx1100") as made:
        assert made.open(TEXT) == []
        yield made


def hover(editor: Client, *where: int) -> str:
    return str(editor.ask_at("hover", *where)["contents"]["value"])


def test_hover_says_what_an_instruction_does_and_becomes(editor: Client) -> None:
    said = hover(editor, *place("fma.rn"))
    assert "d = a * b + c, rounded once" in said
    assert "fma" in said and "On gfx1100" in said
    assert "v_fma" in said or "v_dual_fma" in said
    assert "global_store_b32" in hover(editor, *place("st.global"))


def test_hover_says_what_a_name_is(editor: Client) -> None:
    assert ".reg .f32" in hover(editor, *place("%f3"))
    assert "parameter" in hover(editor, *place("by", "ld.param.f32"))
    assert editor.ask_at("hover", 15, 8) is None  # in a comment's first word


def test_definitions(editor: Client) -> None:
    for needle, after, line, column in [
        ("%f2", "fma", 13, 12),  # a register of a family
        ("%t", "add.u32", 5, 12),
        ("DONE", "@%p", 23, 0),
        ("by", "ld.param.f32", 11, 51),
        ("given", "ld.param.b32", 4, 43),
    ]:
        found = editor.ask_at("definition", *place(needle, after))
        assert found["uri"] == URI
        assert found["range"]["start"] == {"line": line, "character": column}, needle
    assert editor.ask_at("definition", *place("version")) is None


def test_symbols(editor: Client) -> None:
    found = editor.ask("textDocument/documentSymbol", textDocument={"uri": URI})
    assert [one["name"] for one in found] == ["total", "twice", "scale"]
    inside = [one["name"] for one in found[2]["children"]]
    assert inside == ["out", "by", "%rd<3>", "%f<4>", "%p", "DONE"]
    assert found[2]["range"]["end"]["line"] == LINES.index("}", 20)


def labels(editor: Client, text: str, mark: str = "|") -> list[str]:
    """What is offered where the mark stands."""
    at = text.index(mark)
    editor.change(text.replace(mark, ""))
    where = text.count("\n", 0, at), at - text.rfind("\n", 0, at) - 1
    return [one["label"] for one in editor.ask_at("completion", *where)["items"]]


def test_completion_by_place(editor: Client) -> None:
    shown = labels(editor, TEXT.replace("  fma.rn.f32", "  f|\n  fma.rn.f32"))
    assert {"fma", "fence", "fns"} <= set(shown)
    shown = labels(editor, TEXT.replace("fma.rn.f32", "fma.|"))
    assert {"rn", "rz", "ftz", "f32", "f64"} <= set(shown) and "global" not in shown
    shown = labels(editor, TEXT.replace("fma.rn.f32 %f3, %f1", "fma.rn.f32 %f3, %|"))
    assert {"%f0", "%f3", "%rd2", "%p", "%tid"} <= set(shown)
    assert "%f4" not in shown and "%t" not in shown
    editor.change(TEXT)


def test_diagnostics_as_one_types(editor: Client) -> None:
    (found,) = editor.change(TEXT.replace("fma.rn.f32", "fma.rx.f32"))
    assert found["code"].startswith("PTX") and found["severity"] == 1
    assert found["range"]["start"] == {"line": 19, "character": 5}
    (found,) = editor.change(TEXT.replace("%f1, %f2, %f2;", "%f1, %f2, %f9;"))
    assert "%f9" in found["message"]
    found = editor.change(TEXT.replace("fma.rn.f32 %f3, %f1, %f2, %f2;", "fma.rn.f3"))
    assert found and found[0]["range"]["start"]["line"] in (19, 20)
    assert editor.change(TEXT) == []


def test_columns_are_of_utf_16(editor: Client) -> None:
    """The comment's 𝛼 is one character and two units."""
    line = LINES.index("  // a comment, with é and 𝛼 in it")
    text = TEXT.replace("𝛼 in it", "𝛼 */ in").replace("// a comment", "/* a comment")
    (found,) = editor.change(text.replace("𝛼 */ in", "𝛼 */ add.rx.u32 %p, %p, %p;"))
    assert found["range"]["start"]["line"] == line
    before = "  /* a comment, with é and 𝛼 */ add"
    assert found["range"]["start"]["character"] == len(before.encode("utf-16-le")) // 2
    editor.change(TEXT)


def test_half_typed_texts_do_no_harm(editor: Client) -> None:
    for cut in range(0, len(TEXT), 61):
        editor.change(TEXT[:cut])
        last = TEXT[:cut].count("\n")
        editor.ask("textDocument/documentSymbol", textDocument={"uri": URI})
        for method in ("completion", "hover", "definition"):
            editor.ask_at(method, last, cut - TEXT.rfind("\n", 0, cut) - 1)
    assert editor.change(TEXT) == []


def test_a_target_that_does_not_exist_is_refused() -> None:
    with pytest.raises((AssertionError, BrokenPipeError)), client("--target", "gfx9999"):
        pass
