"""Every corpus case optimised for NVIDIA targets: the PTX that goes out means what came in.

The interpreter runs both; ptxas, where it is installed, takes every output.
"""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest
from cases import ALL_CASES
from cases.model import Case, copy_inputs

import ptxlift

PTXAS = shutil.which("ptxas")
TARGET = "sm_90"
FILES = [(case, path) for case in ALL_CASES for path in case.ptx_files()]
RUNS = [
    pytest.param(case, path, id=f"{case.name}-{path.stem}", marks=[pytest.mark.slow] * (number > 0))
    for case in ALL_CASES
    for number, path in enumerate(case.ptx_files())
]


@pytest.mark.sampled(40)
@pytest.mark.parametrize(("case", "path"), RUNS)
def test_output_leaves_the_same_memory(case: Case, path: Path) -> None:
    text = path.read_text()
    out = ptxlift.lift(text, TARGET).ptx
    before = case.inputs()
    found, wanted = copy_inputs(before), copy_inputs(before)
    for program, arguments in ((out, found), (text, wanted)):
        ptxlift.run(
            program, case.kernel, case.grid, case.block, arguments,
            shared=case.shared, device="interpreter",
        )  # fmt: skip
    for one, other in zip(found, wanted, strict=True):
        if isinstance(one, np.ndarray):
            assert one.tobytes() == other.tobytes()


@pytest.mark.sampled(1)
@pytest.mark.skipif(not PTXAS, reason="ptxas is not installed")
@pytest.mark.parametrize(
    "target",
    ["sm_90a", *(pytest.param(t, marks=pytest.mark.slow) for t in ("sm_80", "sm_100", "sm_120"))],
)
def test_ptxas_takes_every_output(target: str, tmp_path: Path) -> None:
    """A target that lacks what a file uses refuses it by name."""
    sources = []
    for path in dict.fromkeys(path for _, path in FILES):
        try:
            text = ptxlift.lift(path.read_text(), target).ptx
        except ptxlift.PtxError as error:
            assert [d.code for d in error.diagnostics] == ["PTX302"], str(error)
            continue
        sources.append(tmp_path / f"{len(sources)}-{path.name}")
        sources[-1].write_text(text)
    for source in sources:
        command = [str(PTXAS), "-arch", target, "-O0", "-o", str(tmp_path / "o"), str(source)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, f"{source.name}: {done.stderr}{done.stdout}"
    assert len(sources) > 50
