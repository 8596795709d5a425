"""Writes docs/coverage.md: where the values of each row come from, and where it is compared.

Comes in: the vector files and kernels of tests/vectors, the rows of the fuzzer, trials of the
backend. Goes out: Markdown.
"""

from __future__ import annotations

import sys
from pathlib import Path

from docs.markdown import table
from docs.trials import Verdict, trials
from ptxlift.isa import Row
from ptxlift.isa.table import CHAPTERS, chapter

_TESTS = Path(__file__).resolve().parents[1] / "tests"
_INTRODUCTION = """# Coverage

For each row of the instruction table that is translated: where right results come from that ptxlift
has no part in, and whether random programs have the row. This page is generated from the data of
`tests/vectors` and the tables; run `make docs` to write it anew.

*ptxas*: ptxas folded the instruction, or a small evaluator computed the SASS that it wrote.
*headers*: NVIDIA's headers on the host. *exact*: exact rational arithmetic. *by hand*: worked out
from the manual's section. *kernels by hand*: whole kernels, the same way. *fuzzed*: `make fuzz`
makes programs with the row and compares interpreter and emulator on gfx942 and gfx1100, at -O0 and
-O3; "no" has its reason in `tests/fuzz/exercised.py`.

The interpreter and the machine code of {targets}
are compared with the values of vector files and kernels (`make vectors`,
`tests/vectors/test_manual_kernels.py`), and with those of the other tests as these say.
"""
_HEADS = ("row", "values from", "fuzzed")
_EXACT = "tests/unit/semantics/test_float_rows.py"
# Rows whose results other tests compare with values of their own.
_TESTED = {
    "tests/unit/matrix (numpy, the manual's fragments)":
        "mma mma_sp wmma_load wmma_store wmma_mma ldmatrix stmatrix movmatrix",
    "tests/unit/images (numpy)":
        "tex tex_base tex_level tex_grad tld4 txq txq_level istypep suld_b sust_b sust_p sured_b "
        "sured_p suq",
}  # fmt: skip


def render() -> str:
    """The page."""
    sources, fuzzed = _sources(), _fuzzed()
    parts = []
    counts = {"rows translated": 0, "with values from outside": 0, "fuzzed": 0}
    for name in CHAPTERS:
        lines = []
        for row, _ in _translated(name).items():
            found = sources.get(row, [])
            counts["rows translated"] += 1
            counts["with values from outside"] += bool(found)
            counts["fuzzed"] += row in fuzzed
            lines.append((f"`{row}`", "; ".join(found) or "none", "yes" if row in fuzzed else "no"))
        if lines:
            parts.append(
                f"## {name.strip('_').replace('_', ' ').capitalize()}\n\n{table(_HEADS, lines)}"
            )
    total = table(tuple(counts), [tuple(map(str, counts.values()))])
    introduction = _INTRODUCTION.format(targets=", ".join(_chips()))
    return "\n".join([introduction, total, *parts, _refused()])


def _translated(name: str) -> dict[str, list[Row]]:
    """The names of a chapter's rows that become machine code, in part at least."""
    found: dict[str, list[Row]] = {}
    for row in chapter(name):
        if any(v in (Verdict.YES, Verdict.PART) for v in trials().get(row, ())):
            found.setdefault(row.name, []).append(row)
    return found


def _refused() -> str:
    lines = [
        f"- {_title(name)}: " + ", ".join(f"`{row}`" for row in rows)
        for name in CHAPTERS
        if (rows := sorted({row.name for row in chapter(name)} - _translated(name).keys()))
    ]
    text = (
        "Refused, by a message that says what to do instead (PTX201, PTX202; docs/diagnostics.md):"
    )
    return "\n".join(["## Not translated", "", text, "", *lines, ""])


def _title(name: str) -> str:
    return name.strip("_").replace("_", " ").capitalize()


def _vectors_on_path() -> None:
    """The vector files' own modules lie beside them."""
    folder = str(_TESTS / "vectors")
    if folder not in sys.path:
        sys.path.append(folder)


def _chips() -> tuple[str, ...]:
    _vectors_on_path()
    from chips import TARGETS

    return tuple(TARGETS)


def _fuzzed() -> set[str]:
    from tests.fuzz.exercised import CANNOT, lowered

    return set(lowered()) - CANNOT.keys()


def _sources() -> dict[str, list[str]]:
    """Row to where its values come from."""
    _vectors_on_path()
    from manual_kernels import CASES
    from replay import instruction
    from test_coverage import ELSEWHERE
    from vector_file import read

    found: dict[str, dict[str, None]] = {}
    for path in sorted((_TESTS / "vectors").glob("*/*.txt")):
        for section in read(path):
            found.setdefault(instruction(section).form.name, {})[path.parent.name] = None
    for file, names in (*ELSEWHERE.items(), *_TESTED.items()):
        word = {_EXACT: "exact"}.get(file, "by hand" if file in ELSEWHERE else file)
        for name in names.split():
            found.setdefault(name, {})[word] = None
    for case in CASES.values():
        for name in case.rows.split():
            found.setdefault(name, {})[f"kernels by hand ({case.section})"] = None
    return {name: list(words) for name, words in found.items()}
