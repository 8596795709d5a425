"""Every instruction that ptxas accepts is accepted, from its least version and target on and not
before.
"""

from __future__ import annotations

from collections import defaultdict

import pytest
from measured import errors, in_kernel, rows

from ptxlift.isa.versions import TARGETS, VERSIONS, sm_number

LEAST_TARGET = "min target (or list of arch-specific targets)"
CHUNK = 400


def _groups() -> dict[tuple[str, str, bool], list[str]]:
    found: dict[tuple[str, str, bool], list[str]] = defaultdict(list)
    for row in rows("instances.tsv.gz"):
        target = row[LEAST_TARGET].split()[0]
        text = row["instruction"]
        found[row["min PTX version"], target, "smpl" in text].append(text)
    return found


def test_all_measured_instances_are_accepted() -> None:
    count = 0
    for (version, target, sampler), texts in _groups().items():
        for at in range(0, len(texts), CHUNK):
            body = "\n".join(texts[at : at + CHUNK])
            found = errors(in_kernel(body, version, target, sampler=sampler))
            assert not found, found[0].render()
            count += len(texts[at : at + CHUNK])
    assert count == 20791


def _refused(text: str, version: str, target: str) -> bool:
    found = errors(in_kernel(text, version, target, sampler="smpl" in text))
    return any(diagnostic.code == "PTX108" for diagnostic in found)


def _lower_version(version: str) -> str:
    known = sorted(VERSIONS)
    major, minor = known[known.index(tuple(int(n) for n in version.split("."))) - 1]
    return f"{major}.{minor}"


def _lower_target(target: str) -> str:
    numbers = sorted({sm_number(t) for t in TARGETS if t[-1].isdigit()})
    return f"sm_{numbers[numbers.index(sm_number(target)) - 1]}"


@pytest.mark.parametrize("part", range(4))
def test_modern_instances_are_refused_one_step_earlier(part: int) -> None:
    """A few minima depend on operands and are not enforced; nine of ten must be."""
    tried = refused = 0
    for row in rows("instances.tsv.gz")[part::120]:
        version, target = row["min PTX version"], row[LEAST_TARGET].split()[0]
        if float(version) < 6.0:
            continue
        tried += 1
        refused += _refused(row["instruction"], _lower_version(version), target)
        if target[-1].isdigit() and sm_number(target) > 10:
            tried += 1
            refused += _refused(row["instruction"], version, _lower_target(target))
    assert tried > 100
    assert refused >= 0.9 * tried
