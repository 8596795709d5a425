"""Replays what ptxas computed: the semantics over the numpy algebra must give the same bits."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from replay import evaluate
from vector_file import Section, read

from ptxlift.interp.numpy_algebra import NumpyAlgebra

FILES = sorted((Path(__file__).resolve().parent / "ptxas").glob("*.txt"))


def _sections() -> list[Section]:
    return [section for path in FILES for section in read(path)]


@pytest.mark.parametrize("section", _sections(), ids=lambda section: section.opcode)
def test_semantics_computes_what_ptxas_folds(section: Section) -> None:
    results = evaluate(section, NumpyAlgebra())
    wrong = []
    for number, vector in enumerate(section.vectors):
        got = tuple(
            int(np.broadcast_to(result, len(section.vectors))[number])
            for result, _ in zip(results, section.signature.results, strict=False)
        )
        if got != vector.results:
            inputs = " ".join(f"{value:x}" for value in vector.inputs)
            wrong.append(
                f"{inputs} -> {[hex(v) for v in got]}, ptxas {[hex(v) for v in vector.results]}"
            )
    assert not wrong, f"{section.opcode}: {len(wrong)} differ\n" + "\n".join(wrong[:10])
