"""`ptxlift inline`: modules on the command line, requests of other compilers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import llvmlite.binding as llvm
import pytest
from click.testing import CliRunner, Result
from hypothesis import given, settings
from hypothesis import strategies as st

from ptxlift.cli.app import app
from ptxlift.inline_asm.requests import answer, answer_line

MODULE = (
    'target triple = "amdgcn-amd-amdhsa"\n'
    "define i32 @f(i32 %a) {\n"
    '  %x = call i32 asm "add.s32 $0, $1, 1;", "=r,r"(i32 %a)\n  ret i32 %x\n}\n'
)
REQUEST = {
    "id": "a",
    "do": "raise",
    "template": "add.s32 %0, %1, %2;",
    "constraints": ["=r", "r", "n"],
    "operands": ["i32", {"type": "i32", "name": "x"}, {"type": "i32", "value": 5}],
    "target": "gfx1100",
    "name": "f",
}


def command(*words: object, stdin: str | bytes = "") -> Result:
    result = CliRunner().invoke(app, ["inline", *map(str, words)], input=stdin)
    assert "Traceback" not in result.stderr and result.exit_code != 3, result.stderr
    return result


def test_module_from_a_file_to_a_file(tmp_path: Path) -> None:
    source, made = tmp_path / "a.ll", tmp_path / "new" / "b.ll"
    source.write_text(MODULE)
    assert command(source, "-t", "gfx1100", "-o", made).exit_code == 0
    assert "call i32 @ptxlift.asm.0(i32 %a)" in made.read_text()


def test_module_from_standard_input() -> None:
    result = command("-", stdin=MODULE)
    assert result.exit_code == 0 and "@ptxlift.asm.0" in result.stdout


def test_bitcode_from_a_file(tmp_path: Path) -> None:
    source = tmp_path / "a.bc"
    source.write_bytes(llvm.parse_assembly(MODULE).as_bitcode())
    assert "@ptxlift.asm.0" in command(source).stdout


def test_diagnostics_name_the_file_and_line(tmp_path: Path) -> None:
    source = tmp_path / "a.ll"
    source.write_text(MODULE.replace("add.s32 $0, $1, 1", "add.s32 $0, $2, 1"))
    result = command(source)
    assert result.exit_code == 1 and f"{source}:3, asm:1:13: error[PTX112]" in result.stderr


@pytest.mark.parametrize(
    ("words", "status"),
    [((), 2), (("x.ll", "--serve"), 2), (("missing.ll",), 1), (("-", "-t", "sm_90"), 1),
     (("-", "--llvm-version", "12"), 2), (("-", "--sm", "ninety"), 1)],
)  # fmt: skip
def test_bad_usage(words: tuple[str, ...], status: int) -> None:
    assert command(*words, stdin=MODULE).exit_code == status


def test_file_that_is_no_text(tmp_path: Path) -> None:
    source = tmp_path / "a.ll"
    source.write_bytes(b"\xff\xfe\x00junk")
    assert "PTX003" in command(source).stderr


# ---- requests ----


def test_service_answers_every_line() -> None:
    lines = [
        json.dumps(REQUEST),
        "",
        "{",
        json.dumps({"do": "module", "module": MODULE, "target": "gfx942"}),
    ]
    result = command("--serve", stdin="\n".join(lines))
    first, second, third = map(json.loads, result.stdout.splitlines())
    assert first["ok"] and first["id"] == "a" and "add i32 %a0, 5" in first["llvm_ir"]
    assert not second["ok"] and second["diagnostics"][0]["code"] == "PTX307"
    assert third["ok"] and "@ptxlift.asm.0" in third["module"]


def test_answer_describes_the_fragment() -> None:
    made = answer(REQUEST)
    assert made["declaration"] == "i32 @f(i32)"
    assert (made["parameters"], made["results"], made["needs"]) == ([1], [0], [])
    assert (made["memory"], made["convergent"], made["side_effects"]) == ("none", False, False)


@pytest.mark.parametrize(
    "changes",
    [
        {"target": None}, {"target": "gfx1"}, {"operands": "i32"}, {"operands": [5]},
        {"operands": [{"type": "i32", "colour": "red"}]}, {"operands": [{"type": 3}]},
        {"constraints": [1]}, {"constraints": {}}, {"volatile": 1}, {"wave_size": True},
        {"unknown": 1}, {"do": "fly"}, {"do": None}, {"llvm_version": 3}, {"template": None},
        {"name": ""},
    ],
)  # fmt: skip
def test_bad_requests_get_diagnostics(changes: dict[str, Any]) -> None:
    made = answer({**REQUEST, **changes})
    assert not made["ok"] and made["id"] == "a" and made["diagnostics"][0]["message"]


@pytest.mark.parametrize("name", ("template", "constraints", "operands", "target"))
def test_missing_fields_are_named(name: str) -> None:
    made = answer({key: value for key, value in REQUEST.items() if key != name})
    assert name in made["diagnostics"][0]["message"]


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from([*REQUEST, "sm", "x"]), inner)
    ),
    max_leaves=6,
)


@settings(max_examples=150, deadline=None, derandomize=True)
@given(JSON)
def test_any_json_gets_an_answer(value: Any) -> None:
    made = json.loads(answer_line(json.dumps(value)))
    assert made["ok"] or made["diagnostics"]
