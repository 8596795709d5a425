"""Broken programs give diagnostics with places, never a traceback."""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest
from measured import HEADER, errors, in_kernel

from ptxlift import syntax
from ptxlift.diag import PtxError

EXAMPLES = sorted((Path(__file__).parents[3] / "examples" / "hand").glob("*.ptx"))
TOKEN = re.compile(r"\.[\w:]+|[%$\w]+|\s+|.")
ODD = ("_", "0", "-1", "1.5", "0f3F800000", "%tid", "{%r1,%r2}", "[%rd1]", "%r1|%p1", "!%p1")


def _mutated(text: str, rng: random.Random) -> str:
    """One word replaced by another of the same text, or by something odd."""
    tokens = TOKEN.findall(text)
    words = [t for t in tokens if re.match(r"[.%$\w]", t)]
    for _ in range(rng.randint(1, 3)):
        at = rng.randrange(40, len(tokens))
        tokens[at] = rng.choice(words) if rng.random() < 0.8 else rng.choice(ODD)
    return "".join(tokens)


@pytest.mark.parametrize("path", EXAMPLES, ids=[path.stem for path in EXAMPLES])
def test_mutated_programs_never_crash(path: Path) -> None:
    rng = random.Random(path.stem)
    text = path.read_text(encoding="utf-8")
    refused = 0
    for _ in range(40):
        found = errors(_mutated(text, rng))
        refused += bool(found)
        assert all(d.span is not None and d.message for d in found)
    assert refused > 10


def test_at_most_twenty_errors() -> None:
    found = errors(in_kernel("add.s32 %r1, %f1, %r2;\n" * 50))
    assert [d.code for d in found] == ["PTX103"] * 20 + ["PTX007"]


def test_all_errors_of_a_body_are_found_with_their_lines() -> None:
    text = in_kernel("add.s32 %r1, %r2, %r3;\nadd.s32 %f1, %r2, %r3;\nnot.b32 %r1;\nbra nowhere;")
    found = errors(text)
    first = found[0].span
    assert first is not None
    lines = [d.span.line - first.line for d in found if d.span is not None]
    assert [d.code for d in found] == ["PTX103", "PTX103", "PTX104"]
    assert lines == [0, 1, 2]


CASES = (
    ("mov.u32 %r1, %r99;", None),
    ("mov.u32 %r1, %rx;", ("PTX104", "%rx", "did you mean")),
    ("ld.global.u32 %r1, [%r2];", ("PTX203", "[%r2]", "64 bits")),
    ("mov.u32 %r1, gvar;", ("PTX203", "gvar", ".b64")),
    ("bfe.u32 %r1, %r2, 300, 3;", ("PTX103", "300", "0 to 255")),
    ("st.param.u32 [kp], %r1;", ("PTX103", "[kp]", "")),
    ("call fone, (%rd1);", ("PTX110", "(%rd1)", "4 bytes")),
    ("setp.eq.u32 !%p1, %r1, %r2;", ("PTX103", "!%p1", "")),
    ("ld.global.v8.f32 {%f1,%f2,%f3,%f4,%f5,%f6,%f7,%f8}, [%rd1];", ("PTX108", "ld", "")),
)


@pytest.mark.parametrize("case", CASES, ids=[case[0][:30] for case in CASES])
def test_diagnostic(case: tuple[str, tuple[str, str, str] | None]) -> None:
    text, wanted = case
    found = errors(in_kernel(text))
    if wanted is None:
        assert not found
        return
    code, covered, hint = wanted
    span = found[0].span
    assert span is not None
    assert (found[0].code, span.source.text[span.start : span.end]) == (code, covered)
    assert hint in found[0].hint


def test_narrow_modules_are_refused() -> None:
    text = ".version 7.0\n.target sm_70\n.address_size 32\n.entry k() { ret; }\n"
    assert [d.code for d in errors(text)] == ["PTX203"]


@pytest.mark.parametrize(
    "text",
    [
        ".global .b8 x[4294967296][4294967296];",
        ".entry k() { .reg .u32 %r<99999999>; ret; }",
        ".entry k(.param .b8 s[99999999999]) { ret; }",
    ],
)
def test_absurd_sizes_are_refused(text: str) -> None:
    assert errors(HEADER + text)


def test_deep_nesting_is_refused_or_taken() -> None:
    text = HEADER + ".entry k() {" + "{" * 3000 + "ret;" + "}" * 3000 + "}"
    try:
        syntax.parse(text, "deep")
    except PtxError as error:
        assert error.diagnostics[0].code in ("PTX006", "PTX001")
        return
    assert not errors(text)
