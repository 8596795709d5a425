"""Names of several modules, joined as nvlink 13 does (verdicts of `ptxas -c` and nvlink)."""

from __future__ import annotations

import numpy as np
import pytest

import ptxlift

_HEAD = ".version 8.0\n.target sm_90\n.address_size 64\n"


def _kernel(name: str, body: str) -> str:
    registers = ".reg .b32 %r<3>; .reg .b64 %rd<3>;"
    return f".visible .entry {name}(.param .u64 out) {{ {registers}\n{body}\nret; }}"


def _function(value: int, linkage: str = "") -> str:
    return f"{linkage} .func (.reg .b32 d) f() {{ mov.u32 d, {value}; ret; }}\n"


def _caller(name: str) -> str:
    return _kernel(name, "ld.param.u64 %rd1, [out]; call (%r1), f; st.global.u32 [%rd1], %r1;")


def _reader(name: str) -> str:
    return _kernel(
        name,
        "ld.param.u64 %rd1, [out]; ld.global.u32 %r1, [g]; st.global.u32 [%rd1], %r1;",
    )


def _results(first: str, second: str) -> tuple[int, int]:
    program = ptxlift.lift([_HEAD + first, _HEAD + second])
    found = []
    for kernel in ("one", "two"):
        out = np.zeros(1, np.uint32)
        ptxlift.run(program, kernel, 1, 1, [out])
        found.append(int(out[0]))
    return found[0], found[1]


def _refused(first: str, second: str) -> list[ptxlift.Diagnostic]:
    with pytest.raises(ptxlift.PtxError) as caught:
        ptxlift.lift([_HEAD + first, _HEAD + second])
    return list(caught.value.diagnostics)


@pytest.mark.parametrize("linkage", ["", ".visible"])
def test_private_functions_of_one_name_are_two(linkage: str) -> None:
    one = _function(11) + _caller("one")
    two = _function(22, linkage) + _caller("two")
    assert _results(one, two) == (11, 22)


@pytest.mark.parametrize(
    ("one", "two", "values"),
    [
        (".global .u32 g = 1;", ".global .u32 g = 2;", (1, 2)),
        (".visible .global .u32 g = 1;", ".global .u32 g = 2;", (1, 2)),
        (".global .u32 g = 1;", ".visible .global .u32 g = 2;", (1, 2)),
        (".weak .global .u32 g = 1;", ".visible .global .u32 g = 2;", (2, 2)),
        (".common .global .u32 g;", ".visible .global .u32 g = 2;", (2, 2)),
        (".extern .global .u32 g;", ".visible .global .u32 g = 2;", (2, 2)),
    ],
)
def test_variables_of_one_name(one: str, two: str, values: tuple[int, int]) -> None:
    assert _results(one + _reader("one"), two + _reader("two")) == values


def test_an_exported_variable_keeps_its_name_beside_a_private_one() -> None:
    private = ".global .u32 g = 1;" + _reader("one")
    exported = ".visible .global .u32 g = 2;" + _reader("two")
    program = ptxlift.load(ptxlift.lift([_HEAD + private, _HEAD + exported]))
    assert program.symbol("g").array.view(np.uint32)[0] == 2


@pytest.mark.parametrize(
    "text",
    [
        ".visible .global .u32 g;",
        ".visible .func g() { ret; }",
        ".visible .entry g() { ret; }",
        ".entry g() { ret; }",
    ],
)
def test_exported_names_of_two_modules_are_shown_with_both_places(text: str) -> None:
    first, second = _refused(text, "\n" + text)
    assert {first.code, second.code} == {"PTX306"}
    assert first.span is not None and second.span is not None
    assert (first.span.line, second.span.line) == (4, 5)
    assert first.span.source.text[first.span.start : first.span.end] == "g"
    assert first.span.source is not second.span.source


def test_a_function_and_a_variable_of_one_exported_name() -> None:
    found = _refused(".visible .global .u32 g;", ".visible .func g() { ret; }")
    assert [d.code for d in found] == ["PTX306", "PTX306"]


def test_extern_does_not_reach_a_private_function() -> None:
    one = ".extern .func (.reg .b32 d) f();\n" + _caller("one")
    found = _refused(one, _function(22) + _caller("two"))
    assert [d.code for d in found] == ["PTX111"]
