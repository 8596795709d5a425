"""Progress and the summary; levels of optimisation."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from command import SAXPY, ptxlift

from ptxlift import Options, lift, run


def _folder(tmp_path: Path) -> Path:
    for number in range(3):
        (tmp_path / f"k{number}.ptx").write_text(SAXPY.read_text())
    (tmp_path / "bad.ptx").write_text("nonsense")
    return tmp_path


def test_a_summary_says_how_it_went(tmp_path: Path) -> None:
    words = ("lift", _folder(tmp_path), "-t", "gfx942,gfx1100", "--emit", "ir", "-o", tmp_path)
    first, second = ptxlift(*words), ptxlift(*words, "--progress")
    assert first.status == second.status == 1
    line = first.errors.splitlines()[-1]
    assert line.startswith("4 programs, 8 translations, 6 kernels, 2 failed; ")
    assert "2 failed, 8 from the cache; " in second.errors
    assert "translating" in second.errors and "translating" not in first.errors
    assert "translating" not in second.text
    assert not ptxlift(*words[:1], SAXPY, *words[2:]).errors  # one program needs no summary


@pytest.mark.parametrize("level", [0, 1, 2, 3])
def test_levels_of_optimisation(tmp_path: Path, level: int) -> None:
    path = tmp_path / "k.hsaco"
    assert ptxlift("lift", SAXPY, f"-O{level}", "-o", path).status == 0
    program = lift(SAXPY.read_text(), options=Options(opt_level=level))
    assert path.read_bytes() == program.code_object
    x, y = np.arange(64, dtype=np.float32), np.ones(64, np.float32)
    kernel = program.kernels["saxpy"]
    given = {"n": np.uint32(64), "a": np.float32(2), "x": x, "y": y}
    by_type = {"u64": [x, y], "f32": [np.float32(2)], "u32": [np.uint32(64)]}
    assert len(given) == len(kernel.params)
    run(program, "saxpy", 1, 64, [by_type[param.type].pop(0) for param in kernel.params])
    np.testing.assert_array_equal(y, 2 * np.arange(64, dtype=np.float32) + 1)
