"""The places of an instruction's parts."""

from __future__ import annotations

from ptxlift.diag import Span
from ptxlift.syntax import parse
from ptxlift.syntax.locate import Parts, locate
from ptxlift.syntax.nodes import Function, Instruction

HEADER = ".version 9.0\n.target sm_90\n"


def parts(text: str) -> tuple[str, Parts]:
    module = parse(f"{HEADER}.entry k() {{\n  {text}\n}}")
    item = module.items[0]
    assert isinstance(item, Function) and item.body is not None
    first = item.body.statements[-1]
    assert isinstance(first, Instruction)
    return module.source.text, locate(module.source, first)


def shown(text: str, spans: tuple[Span, ...]) -> list[str]:
    return [text[span.start : span.end] for span in spans]


def test_all_parts() -> None:
    text, found = parts("@!%p1 tex.1d.v4 {%r1,_}|%p2, [t, {a}], -(3+4),  %r2.b0 ;")
    assert shown(text, (found.opcode,)) == ["tex"]
    assert shown(text, found.modifiers) == [".1d", ".v4"]
    assert shown(text, found.operands) == ["{%r1,_}|%p2", "[t, {a}]", "-(3+4)", "%r2.b0"]
    assert shown(text, found.atoms) == ["%p1", "%r1", "%p2", "t", "a", "3", "4", "%r2"]


def test_comments_do_not_move_places() -> None:
    text, found = parts("ret; add /* ,,, */ .s32 a, // b,\n 1 , _c;")
    assert shown(text, found.modifiers) == [".s32"]
    assert shown(text, found.operands) == ["a", "1", "_c"]
    assert [span.line for span in found.operands] == [4, 5, 5]


def test_no_operands() -> None:
    text, found = parts("ret;")
    assert (shown(text, (found.opcode,)), found.operands, found.atoms) == (["ret"], (), ())
