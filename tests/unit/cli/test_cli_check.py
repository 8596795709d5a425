"""`ptxlift check`: its forms, what fails for which target, its exit status."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest
from command import SAXPY, ptxlift
from schema import problems

from ptxlift.cli import check as check_module
from ptxlift.codes import CODES
from ptxlift.diag import Diagnostic, Severity
from ptxlift.driver.outcomes import Outcome
from ptxlift.target import all_targets

SCHEMA = json.loads((Path(__file__).parents[3] / "docs" / "check.schema.json").read_text())
HEADER = ".version 8.0\n.target sm_80\n.address_size 64\n"
LARGE = """.visible .entry large(.param .u64 p)
{ .shared .b8 tile[100000]; .reg .u32 r; .reg .u64 a; ld.param.u64 a, [p];
  ld.shared.u32 r, [tile]; st.shared.u32 [tile+4], r; st.global.u32 [a], r; ret; }
"""
GOOD = ".visible .entry good() { ret; }\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "a b.ptx").write_text(HEADER + GOOD + LARGE)
    (tmp_path / "wrong.ptx").write_text(HEADER + "// é 🙂\n.visible .entry bad() { addd; }\n")
    return tmp_path


def as_json(*words: object) -> dict[str, Any]:
    ended = ptxlift("check", *words, "--format", "json")
    found: dict[str, Any] = json.loads(ended.text)
    assert not ended.errors and found["status"] == ended.status
    assert problems(found, SCHEMA, SCHEMA) == []
    return found


def test_what_fails_on_which_target(folder: Path) -> None:
    found = as_json(folder / "a b.ptx", "-t", "gfx942,gfx950,gfx1100")
    assert found["status"] == 1 and found["targets"] == ["gfx942", "gfx950", "gfx1100"]
    (program,) = found["programs"]
    assert program["fails_for"] == ["gfx942", "gfx1100"]
    assert {kernel["name"]: kernel["fails_for"] for kernel in program["kernels"]} == {
        "good": [], "large": ["gfx942", "gfx1100"],
    }  # fmt: skip
    assert [d["targets"] for d in program["diagnostics"]] == [["gfx942"], ["gfx1100"]]
    assert {d["code"] for d in program["diagnostics"]} == {"PTX303"}


def test_all_targets(folder: Path) -> None:
    (program,) = as_json(folder / "a b.ptx", "-t", "all")["programs"]
    small = [target.name for target in all_targets() if target.lds_bytes < 100000]
    assert program["fails_for"] == small and "gfx950" not in small


def test_nothing_is_wrong() -> None:
    found = as_json(SAXPY)
    assert found["status"] == 0 and not found["programs"][0]["diagnostics"]
    ended = ptxlift("check", SAXPY)
    assert ended.text == f"{SAXPY}: gfx942: 1 of 1 kernels can be translated\n"


def test_text_says_for_which_targets(folder: Path) -> None:
    ended = ptxlift("check", folder / "a b.ptx", "-t", "gfx942,gfx950")
    assert ended.status == 1
    assert "gfx942: 1 of 2 kernels can be translated\n  not: large\n" in ended.text
    assert "gfx950: 2 of 2 kernels can be translated\n" in ended.text
    assert "for gfx942" in ended.errors and "PTX303" in ended.errors


def test_warnings_fail_if_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    warning = Diagnostic("PTX205", "lanes may wait", severity=Severity.WARNING)
    outcome = Outcome({"llvm_ir": ""}, diagnostics=(warning,))
    monkeypatch.setattr("ptxlift.driver.batch.translate", lambda *_: [outcome])
    ended = ptxlift("check", SAXPY, "--no-cache")
    assert ended.status == 0 and "warning[PTX205]" in ended.errors
    assert ptxlift("check", SAXPY, "--no-cache", "--strict").status == 1


def test_sarif(folder: Path) -> None:
    ended = ptxlift("check", folder, "-t", "gfx942,gfx950", "--format", "sarif")
    assert ended.status == 1 and not ended.errors
    log = json.loads(ended.text)
    assert log["version"] == "2.1.0" and "sarif" in log["$schema"]
    (run,) = log["runs"]
    driver = run["tool"]["driver"]
    assert driver["name"] == "ptxlift"
    rules = [rule["id"] for rule in driver["rules"]]
    assert rules == sorted(set(rules)) and set(rules) <= set(CODES)
    for rule in driver["rules"]:
        assert rule["shortDescription"]["text"] and rule["fullDescription"]["text"]
    assert run["columnKind"] == "unicodeCodePoints"
    assert run["invocations"] == [{"executionSuccessful": True, "toolExecutionNotifications": []}]
    by_code = {result["ruleId"]: result for result in run["results"]}
    assert set(by_code) == {"PTX101", "PTX303"}
    for result in run["results"]:
        assert rules[result["ruleIndex"]] == result["ruleId"]
        assert result["level"] == "error" and result["message"]["text"]
    assert by_code["PTX303"]["properties"] == {"targets": ["gfx942"]}
    place = by_code["PTX101"]["locations"][0]["physicalLocation"]
    assert unquote(place["artifactLocation"]["uri"]) == f"file://{folder}/wrong.ptx"
    region = place["region"]
    text = (folder / "wrong.ptx").read_text()
    start = region["charOffset"]
    assert text[start : start + region["charLength"]].startswith("addd")
    assert (region["startLine"], region["startColumn"]) == (5, 25)
    assert region["endLine"] == 5 and region["endColumn"] == 25 + region["charLength"]


def test_the_uri_of_a_relative_path(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    ended = ptxlift("check", "a b.ptx", "--format", "sarif", "-o", "out/report.sarif")
    assert ended.status == 1 and not ended.text
    (run,) = json.loads(Path("out/report.sarif").read_text())["runs"]
    (result,) = run["results"]
    assert result["locations"][0]["physicalLocation"]["artifactLocation"] == {"uri": "a%20b.ptx"}


@pytest.mark.parametrize("form", ["json", "sarif"])
def test_a_fault_of_our_own_is_in_the_report(form: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object, **__: object) -> list[Outcome]:
        return [Outcome(fault="KeyError: 'x'")]

    monkeypatch.setattr("ptxlift.driver.batch.translate", broken)
    from click.testing import CliRunner

    from ptxlift.cli.app import app

    words = ["check", str(SAXPY), "--format", form, "--no-cache"]
    ended = CliRunner().invoke(app, words)
    assert ended.exit_code == 3
    found = json.loads(ended.stdout)
    if form == "json":
        assert found["programs"][0]["faults"] == {"gfx942": "KeyError: 'x'"}
        assert found["schema"] == check_module.SCHEMA
    else:
        (invocation,) = found["runs"][0]["invocations"]
        assert invocation["executionSuccessful"] is False
        assert "KeyError: 'x'" in invocation["toolExecutionNotifications"][0]["message"]["text"]
