"""The wait-count checker: silent on what LLVM emits, loud when a wait is taken out."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from emulator_builds import ALL, load, needs_lld, pack, run
from host_programs import OUTPUTS, for_gpu, generate, make_inputs
from test_kernels import REDUCE, SAXPY
from test_memory_access import atomic_kernel

from ptxlift import emulator
from ptxlift.diag import PtxError

pytestmark = needs_lld


@pytest.mark.sampled(10)
@pytest.mark.parametrize("cpu", ALL)
@pytest.mark.parametrize("level", (0, 2))
def test_compiled_code_waits(cpu: str, level: int) -> None:
    for seed in (1, 2):
        inputs, out = make_inputs(seed, 64, True), np.zeros((64, OUTPUTS), np.uint64)
        ir = for_gpu(generate(seed, True))
        run(ir, "main", cpu, (1, 1, 1), (64, 1, 1), inputs, out, level=level, check_hazards=True)
    values, sums = np.ones(512, np.float32), np.zeros(2, np.float32)
    run(REDUCE, "reduce", cpu, (2, 1, 1), (256, 1, 1), values, sums, check_hazards=True)
    for space in ("global", "lds", "flat"):
        cells, data, old = (np.zeros(64, np.uint32) for _ in range(3))
        ir = atomic_kernel("umax", "i32", space)
        run(ir, "k", cpu, (1, 1, 1), (64, 1, 1), cells, data, old, check_hazards=True)


@pytest.mark.parametrize("cpu", ALL)
def test_every_wait_of_saxpy_is_needed(cpu: str) -> None:
    """Each wait replaced by a nop in turn: the first use of a loaded register is reported."""
    waits = ("s_waitcnt", "s_wait_loadcnt", "s_wait_kmcnt")
    addresses = [a for a, i in load(SAXPY, cpu).insts.items() if i.mnemonic in waits]
    assert len(addresses) >= 3
    for address in addresses:
        image, memory = load(SAXPY, cpu), emulator.Memory()
        inst = image.insts[address]
        image.insts[address] = dataclasses.replace(
            inst, text="s_nop 0", mnemonic="s_nop", operands=load_nop()
        )
        x, y = np.ones(128, np.float32), np.ones(128, np.float32)
        args = pack(memory, image, "saxpy", (x, y, np.float32(2), np.int32(128)))
        with pytest.raises(PtxError, match="PTX407"):
            options = emulator.Options(check_hazards=True)
            emulator.launch(image, memory, "saxpy", (1, 1, 1), (128, 1, 1), args, options=options)


def load_nop() -> tuple[object, ...]:
    """The operands of `s_nop 0`."""
    from ptxlift.emulator.operands import parse_inst

    return parse_inst(0, "s_nop 0", (0xBF800000,)).operands
