"""docs/conformance.md from the results in the scratch folder.

Comes in: JSON of checked packages and of test suites. Goes out: the page. It must hold no result of
its own.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from conformance.check import TARGETS
from conformance.driver.suites import REASONS
from conformance.packages import PACKAGES
from conformance.scratch import Scratch

PAGE = Path(__file__).resolve().parents[1] / "docs" / "conformance.md"
Record = dict[str, Any]  # Any: what JSON holds
REFUSED = ("PTX2", "PTX302", "PTX303")  # valid PTX that is not translated, each by name
HEAD = """# Conformance

Kernels that nobody here wrote, from packages of the Python package index: their CUDA sources
compiled by nvcc, their texts by NVRTC, their Python by their own compilers. Every kernel is read,
checked, translated and linked for {targets}; the tests of some packages run unchanged on an
emulated GPU.
Written by `make conformance`; nothing of the packages is kept in the repository. Of every package
at most so many files are taken as `--sample` says, always the same ones, spread over the package,
and none of more lines than `--lines` says.

*Translated*: machine code was made and linked. *Refused*: an error with its reason, listed below;
no kernel is dropped or approximated silently. *Failed*: PTX that ptxas takes was called wrong, LLVM
stopped, or ptxlift crashed: a bug.
"""


def write_page(scratch: Scratch) -> None:
    """Writes the page."""
    records = [json.loads(path.read_text()) for path in _in_order(scratch)]
    text = HEAD.format(targets=", ".join(TARGETS))
    parts = [text, *_packages(records), *_absent(scratch)]
    parts += [*_problems(records), *_suites(scratch), *_left_out(records)]
    PAGE.write_text("\n".join(parts).rstrip() + "\n", encoding="utf-8")
    print(f"{len(records)} packages, {sum(map(_kernel_count, records))} kernels: {PAGE.name}")


def _in_order(scratch: Scratch) -> list[Path]:
    paths = [scratch.results(package.name) for package in PACKAGES]
    return [path for path in paths if path.exists()]


def kind_of(code: str) -> str:
    """translated, refused or failed."""
    if not code:
        return "translated"
    return "refused" if code.startswith(REFUSED) else "failed"


def _outcomes(record: Record, target: str) -> Iterator[Record]:
    for file in record["files"]:
        yield from file["outcomes"].get(target, [])


def _kernel_count(record: Record) -> int:
    return sum(1 for _ in _outcomes(record, TARGETS[0]))


def _packages(records: list[Record]) -> Iterator[str]:
    columns = " | ".join(TARGETS)
    yield "## Packages\n\nTranslated / refused / failed, by target.\n"
    yield f"| package | version | date | PTX files | lines | kernels | {columns} |"
    yield f"| --- | --- | --- | ---: | ---: | ---: | {' | '.join('---' for _ in TARGETS)} |"
    totals: dict[str, Counter[str]] = {target: Counter() for target in TARGETS}
    for record in records:
        cells = []
        for target in TARGETS:
            counts = Counter(kind_of(o["code"]) for o in _outcomes(record, target))
            totals[target] += counts
            cells.append(_three(counts))
        lines = sum(file["lines"] for file in record["files"])
        yield (
            f"| {record['package']} | {record['version']} | {record['date']} | "
            f"{_file_count(record)} | {lines:,} | {_kernel_count(record)} | {' | '.join(cells)} |"
        )
    files = sum(len(record["files"]) for record in records)
    lines = sum(file["lines"] for record in records for file in record["files"])
    kernels = sum(map(_kernel_count, records))
    cells = [_three(totals[target]) for target in TARGETS]
    yield f"| **all {len(records)}** | | | {files} | {lines:,} | {kernels} | {' | '.join(cells)} |"


def _absent(scratch: Scratch) -> Iterator[str]:
    """Packages that were not checked, or could not be fetched or compiled."""
    names = [one.name for one in PACKAGES if not scratch.results(one.name).exists()]
    if names:
        yield f"\nThis run has no result of {', '.join(names)}."


def _file_count(record: Record) -> str:
    """How many were checked, of how many if that is not all."""
    checked, found = len(record["files"]), record["found"]
    return str(checked) if checked == found else f"{checked} of {found}"


def _three(counts: Counter[str]) -> str:
    return f"{counts['translated']} / {counts['refused']} / {counts['failed']}"


def _problems(records: list[Record]) -> Iterator[str]:
    """Every reason for which a kernel was not translated."""
    found: Counter[tuple[str, str, str]] = Counter()
    example: dict[tuple[str, str, str], str] = {}
    targets: dict[tuple[str, str, str], set[str]] = {}
    for record in records:
        for target in TARGETS:
            for outcome in _outcomes(record, target):
                if outcome["code"]:
                    key = (record["package"], outcome["code"], _general(outcome))
                    found[key] += 1
                    example.setdefault(key, outcome["statement"])
                    targets.setdefault(key, set()).add(target)
    yield "\n## Not translated\n"
    if not found:
        yield "Nothing."
        return
    yield "Kernels counted over the targets.\n"
    yield "| kernels | code | package | targets | reason | at |"
    yield "| ---: | --- | --- | --- | --- | --- |"
    for key, count in found.most_common():
        package, code, reason = key
        where = "all" if len(targets[key]) == len(TARGETS) else ", ".join(sorted(targets[key]))
        texts = (_cell(reason), f"`{_cell(example[key])}`")
        yield f"| {count} | {code} | {package} | {where} | {' | '.join(texts)} |"


def _general(outcome: Record) -> str:
    """A message without the kernel's name, so that like reasons count together."""
    kernel = outcome["kernel"]
    message: str = (
        outcome["message"].replace(kernel, "…") if len(kernel) > 1 else outcome["message"]
    )
    return message[:160]


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("`", "'").replace("\n", " ")[:160]


def _suites(scratch: Scratch) -> Iterator[str]:
    """Tests of the packages on the emulated device."""
    folders = sorted((scratch.root / "suites").glob("*/*"))
    folders = [folder for folder in folders if folder.is_dir()]
    if not folders:
        return
    yield "\n## The packages' own tests\n"
    yield (
        "The package believes that it runs on an NVIDIA GPU: a CUDA driver of ours translates what"
        " it loads and runs it in the emulator, as the AMD chip named, or in the interpreter. The"
        " results are judged by the tests' own assertions. *Too long*: stopped after a minute.\n"
    )
    yield "| package | device | test modules | launches | passed | failed | too long | skipped |"
    yield "| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: |"
    faults: Counter[tuple[str, str, str]] = Counter()
    failures: list[str] = []
    for folder in folders:
        records = [json.loads(path.read_text()) for path in sorted(folder.glob("*.json"))]
        counts = Counter(test["result"] for record in records for test in record["tests"])
        bad = counts["failed"] + counts["error"]
        launches = sum(record["launches"] for record in records)
        yield (
            f"| {folder.parent.name} | {folder.name} | {len(records)} | {launches:,} | "
            f"{counts['passed']} | {bad} | {counts['time']} | {counts['skipped']} |"
        )
        faults += _faults(folder, records)
        failures += _failures(folder, records)
    if faults:
        yield "\nWhat the driver reported to the tests as an error:\n"
        yield "| times | package | code | message |\n| ---: | --- | --- | --- |"
        for (package, code, message), count in faults.most_common():
            yield f"| {count} | {package} | {code} | {_cell(message)} |"
    if failures:
        yield "\nTests that failed:\n"
        yield from failures


def _faults(folder: Path, records: list[Record]) -> Counter[tuple[str, str, str]]:
    """Modules and launches that failed, but for those that took too long."""
    lines = [fault for record in records for fault in record["faults"]]
    return Counter(
        (folder.parent.name, fault["code"], fault["message"].splitlines()[-1])
        for fault in lines
        if "takes too long" not in fault["message"]
    )


def _failures(folder: Path, records: list[Record]) -> Iterator[str]:
    for record in records:
        names = [
            ".".join(test["test"].split(".")[-2:])
            for test in record["tests"]
            if test["result"] in ("failed", "error")
        ]
        if names:
            where = f"{folder.parent.name} {record['module']} on {folder.name}"
            yield f"- {where}: {', '.join(map(_with_reason, names))}"
        if record["ended"]:
            yield f"- {folder.parent.name} {record['module']}: {_cell(record['ended'])}"


def _with_reason(test: str) -> str:
    return f"{test} ({REASONS[test]})" if test in REASONS else test


def _left_out(records: list[Record]) -> Iterator[str]:
    """Sources that the compiler did not take."""
    lines = [
        f"- {record['package']}: {name}: {_cell(problem)}"
        for record in records
        for name, problem in record["problems"].items()
    ]
    if lines:
        yield "\n## Sources that did not compile\n"
        yield from lines
