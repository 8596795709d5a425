"""Replays what NVIDIA computes: the semantics must give the same bits."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from replay import evaluate
from vector_file import Section, read

from ptxlift.interp.exact import is_nan
from ptxlift.interp.numpy_algebra import NumpyAlgebra
from ptxlift.interp.rounding import widen
from ptxlift.ir.attributes import Format

HERE = Path(__file__).resolve().parent
FILES = sorted([*(HERE / "ptxas").glob("*.txt"), *(HERE / "headers").glob("*.txt")])


def all_sections() -> list[Section]:
    """The sections of every vector file."""
    return [section for path in FILES for section in read(path)]


_FORMATS = {"f16": Format.F16, "bf16": Format.BF16, "f32": Format.F32, "f64": Format.F64}


def _value(bits: int, fmt: Format) -> float:
    return float(widen(np.array([bits], f"u{fmt.bits // 8}"), fmt)[0])


def _is_near(got: int, want: int, tolerance: str) -> bool:
    """Equal, or as near as the section's tolerance allows."""
    if got == want or not tolerance:
        return got == want
    *distance, name = tolerance.split()[1:]
    fmt = _FORMATS[name]
    if is_nan(want, fmt):
        return is_nan(got, fmt)
    if tolerance.startswith("absolute"):
        return abs(_value(got, fmt) - _value(want, fmt)) <= 2.0 ** -int(distance[0])
    sign = 1 << (fmt.bits - 1)
    limit = int(distance[0]) if distance else 0
    return got & sign == want & sign and abs(got - want) <= limit


@pytest.mark.parametrize("section", all_sections(), ids=lambda section: section.opcode)
def test_semantics_gives_what_nvidia_computes(section: Section) -> None:
    results = evaluate(section, NumpyAlgebra())
    wrong = []
    for number, vector in enumerate(section.vectors):
        got = tuple(
            int(np.broadcast_to(result, len(section.vectors))[number])
            for result, _ in zip(results, section.signature.results, strict=False)
        )
        pairs = zip(got, vector.results, strict=True)
        if not all(_is_near(*pair, section.tolerance) for pair in pairs):
            inputs = " ".join(f"{value:x}" for value in vector.inputs)
            wrong.append(
                f"{inputs} -> {[hex(v) for v in got]}, NVIDIA {[hex(v) for v in vector.results]}"
            )
    assert not wrong, f"{section.opcode}: {len(wrong)} differ\n" + "\n".join(wrong[:10])
