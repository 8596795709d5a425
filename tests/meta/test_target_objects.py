"""Small examples translate for every target; the objects are what a loader for it expects."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest

import ptxlift
from ptxlift import Options
from ptxlift.link import read_code_object
from ptxlift.target import illegal_mnemonics, lookup

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
KERNELS = {  # file: what it is here for
    "ptx/saxpy.ptx": "loads, stores, fma",
    "ptx/reduce_shared.ptx": "shared memory, barriers",
    "ptx/histogram.ptx": "atomics",
    "hand/vectors.ptx": "vector accesses",
}
ET_DYN, EM_AMDGPU = 3, 224


@pytest.mark.parametrize("target", [target.name for target in ptxlift.targets()])
@pytest.mark.parametrize("file", KERNELS)
def test_every_target(file: str, target: str) -> None:
    spec = lookup(target)
    text = (EXAMPLES / file).read_text()
    for wave in spec.target.wave_sizes:
        made = ptxlift.lift(text, target, options=Options(wave_size=wave))
        code = made.code_object
        kind, machine = struct.unpack_from("<HH", code, 16)
        assert (kind, machine) == (ET_DYN, EM_AMDGPU)
        assert struct.unpack_from("<I", code, 48)[0] == spec.e_flags
        assert illegal_mnemonics(spec.target, made.listing) == []
        found = {kernel.name: kernel for kernel in read_code_object(code).kernels}
        assert found.keys() == made.kernels.keys() and found
        assert {kernel.wave_size for kernel in found.values()} == {wave}
