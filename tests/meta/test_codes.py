"""Every diagnostic code is defined, used and explained; every example gives its code."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import ptxlift
from ptxlift.codes import CODES, Code, Scope

PACKAGE = Path(ptxlift.__file__).parent
HEADER = ".version 8.0\n.target sm_80\n.address_size 64\n"
KERNEL = (
    ".visible .entry k(.param .u64 out)\n{{\n"
    ".reg .pred %p<4>;\n.reg .b16 %h<4>;\n.reg .b32 %r<4>;\n"
    ".reg .b64 %rd<4>;\n.reg .f32 %f<4>;\n.reg .f64 %d<4>;\n{}\nret;\n}}\n"
)
EXAMPLES = [(name, code) for name, code in CODES.items() if code.wrong]


def used_codes() -> set[str]:
    """Every code that the package's source names, but for the table itself."""
    files = (path for path in PACKAGE.rglob("*.py") if path.name != "codes.py")
    return {code for path in files for code in re.findall(r"\bPTX\d{3}\b", path.read_text("utf-8"))}


def placed(code: Code, example: str) -> str:
    """A whole module around an example."""
    match code.scope:
        case Scope.BODY:
            return HEADER + KERNEL.format(example)
        case Scope.MODULE:
            return HEADER + example
        case Scope.FILE:
            return example


def test_used_codes_are_defined() -> None:
    assert used_codes() - CODES.keys() == set()


def test_defined_codes_are_used() -> None:
    assert CODES.keys() - used_codes() == set()


@pytest.mark.parametrize(("name", "code"), EXAMPLES, ids=[name for name, _ in EXAMPLES])
def test_example_gives_its_code(name: str, code: Code) -> None:
    with pytest.raises(ptxlift.PtxError) as caught:
        _ = ptxlift.lift(placed(code, code.wrong), "gfx942").code_object
    assert [d.code for d in caught.value.diagnostics] == [name]


@pytest.mark.parametrize(("name", "code"), EXAMPLES, ids=[name for name, _ in EXAMPLES])
def test_mended_example_translates(name: str, code: Code) -> None:
    if not code.right:
        pytest.skip("what this code reports cannot be mended in PTX")
    made = ptxlift.lift(placed(code, code.right), "gfx942")
    assert list(made.kernels) == ["k"] * placed(code, code.right).count(".entry")
    assert made.code_object.startswith(b"\x7fELF")


def test_explanations_are_sentences() -> None:
    for name, code in CODES.items():
        assert code.title and not code.title.endswith("."), name
        assert len(code.text) > 60 and code.text.endswith("."), name
