"""Instructions that ptxas accepts, lifted for a target that has them: ptxas takes the output."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from measured import in_kernel, rows

import ptxlift
from ptxlift.target import NVIDIA_TARGETS

PTXAS = shutil.which("ptxas")
TARGETS = {target.name for target in NVIDIA_TARGETS} - {"sm_70", "sm_72"}  # no ptxas 13 for these
LEAST_TARGET = "min target (or list of arch-specific targets)"
EVERY = 260  # of 20,791
# Forms without .sync are gone from PTX; others name a texture or have 8-bit registers.
REFUSED = {"PTX108": "is gone", "PTX202": "cannot be kept as it is"}


@pytest.mark.sampled(1)
@pytest.mark.skipif(not PTXAS, reason="ptxas is not installed")
@pytest.mark.parametrize("part", range(3))
def test_measured_instances(part: int, tmp_path: Path) -> None:
    taken = 0
    for row in rows("instances.tsv.gz")[part * 17 :: EVERY]:
        least = row[LEAST_TARGET].split()[0]
        target, text = least if least in TARGETS else "sm_80", row["instruction"]
        source = in_kernel(text, "9.0", target, sampler="smpl" in text)
        try:
            out = ptxlift.lift(source, target).ptx
        except ptxlift.PtxError as error:
            found = error.diagnostics[0]
            assert REFUSED.get(found.code, "-") in found.message, f"{text}: {error}"
            continue
        (tmp_path / "a.ptx").write_text(out)
        command = [str(PTXAS), "-arch", target, "-O0", "-o", str(tmp_path / "o")]
        done = subprocess.run(
            [*command, str(tmp_path / "a.ptx")], capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, f"{text}\n{done.stdout}{done.stderr}{out}"
        taken += 1
    assert taken > 60
