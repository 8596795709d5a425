"""Goldens of the rewriter: what each rule makes of a small kernel, and what it leaves alone.

A file names its rule and its targets. Kernels named `fires...` must make the rule fire, those named
`near_miss...` must not. `CHECK` lines before a kernel are found in its rewritten IR in that order;
a `NOT` line's op is found nowhere after the last of them, or nowhere at all without one.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from ptxlift import ptx
from ptxlift.ir.core import Module
from ptxlift.ir.text import print_function
from ptxlift.ir.verify import verify_module
from ptxlift.lifter.module import lift_program
from ptxlift.rewrite.driver import Log
from ptxlift.rewrite.passes import PASSES, rewrite_module
from ptxlift.rewrite.rules import all_rules
from ptxlift.target import lookup

FILES = sorted((Path(__file__).parent / "rewrite").glob("*.ptx"))
CASES = [
    (path, target)
    for path in FILES
    for target in re.findall(r"// TARGETS: (.*)", path.read_text())[0].split()
]


def _rule(path: Path) -> str:
    return re.findall(r"// RULE: (\w+)", path.read_text())[0]


def _checks(text: str) -> dict[str, list[tuple[str, str]]]:
    """The lines before each kernel."""
    found: dict[str, list[tuple[str, str]]] = {}
    pending: list[tuple[str, str]] = []
    for line in text.splitlines():
        check = re.match(r"// (CHECK|NOT): (.*)", line)
        entry = re.search(r"\.entry (\w+)", line)
        if check is not None:
            pending.append((check[1], check[2]))
        elif entry is not None:
            found[entry[1]], pending = pending, []
    return found


def _rewritten(path: Path, target: str) -> tuple[Module, Log]:
    lifted = lift_program([ptx.parse_module(path.read_text(), path.name)]).module
    log = Log()
    module = rewrite_module(lifted, lookup(target).target.features, log)
    verify_module(module)
    return module, log


@pytest.mark.parametrize(("path", "target"), CASES, ids=lambda x: getattr(x, "stem", x))
def test_golden(path: Path, target: str) -> None:
    module, log = _rewritten(path, target)
    fired = {fire.function for fire in log.fires if fire.name == _rule(path)}
    assert log.stopped == []
    for name, checks in _checks(path.read_text()).items():
        assert (name in fired) == name.startswith("fires"), name
        text, at = print_function(module.functions[name]), 0
        for kind, wanted in checks:
            pattern = rf"(?:= |^ +){re.escape(wanted)}(?!\w)"
            hit = re.compile(pattern, re.M).search(text, at)
            assert (hit is not None) == (kind == "CHECK"), f"{name}: {kind} {wanted}\n{text}"
            at = hit.end() if hit is not None else at


def test_every_rule_has_a_golden() -> None:
    """And every golden's rule exists."""
    names = {rule.name for rule in all_rules()} | {each.name for each in PASSES} | {"fold"}
    assert {_rule(path) for path in FILES} == names


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_goldens_show_both_cases(path: Path) -> None:
    names = _checks(path.read_text())
    assert any(name.startswith("fires") for name in names)
    assert any(name.startswith("near_miss") for name in names)
