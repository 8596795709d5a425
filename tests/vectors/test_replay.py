"""Replays what NVIDIA computes: the semantics must give the same bits."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from nearness import is_near
from replay import StrictAlgebra, evaluate
from vector_file import Section, read

HERE = Path(__file__).resolve().parent
FILES = sorted([*(HERE / "ptxas").glob("*.txt"), *(HERE / "headers").glob("*.txt")])


def all_sections() -> list[Section]:
    """The sections of every vector file."""
    return [section for path in FILES for section in read(path)]


@pytest.mark.parametrize("section", all_sections(), ids=lambda section: section.opcode)
def test_semantics_gives_what_nvidia_computes(section: Section) -> None:
    results = evaluate(section, StrictAlgebra())
    wrong = []
    for number, vector in enumerate(section.vectors):
        got = tuple(
            int(np.broadcast_to(result, len(section.vectors))[number])
            for result, _ in zip(results, section.signature.results, strict=False)
        )
        pairs = zip(got, vector.results, strict=True)
        if not all(is_near(*pair, section.tolerance) for pair in pairs):
            inputs = " ".join(f"{value:x}" for value in vector.inputs)
            wrong.append(
                f"{inputs} -> {[hex(v) for v in got]}, NVIDIA {[hex(v) for v in vector.results]}"
            )
    assert not wrong, f"{section.opcode}: {len(wrong)} differ\n" + "\n".join(wrong[:10])
