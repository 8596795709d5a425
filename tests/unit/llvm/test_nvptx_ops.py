"""Every pure op for NVIDIA targets: LLVM's PTX on the interpreter against the algebra.

The interpreter of the output knows the PTX instruction by its manual and its vectors; the algebra
says what the IR op means. `ptxas`, where it is installed, judges the text.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest
from op_cases import COUNT, Case, float_cases, integer_cases, random_lanes, width_of_kind
from run_ir import THREADS, kernel_of_op
from test_pure_ops import body_of, differences

import ptxlift
from ptxlift import PtxError
from ptxlift.interp.lanes import Lanes, dtype_of
from ptxlift.ir.builder import Builder
from ptxlift.ir.core import Function, Module, Value
from ptxlift.ir.images import IMAGE_OPS
from ptxlift.ir.ops import Effect, op_table
from ptxlift.ir.verify import verify_module
from ptxlift.llvm.nvptx import NvptxBackend, registry
from ptxlift.llvm.nvptx.backend import tidy
from ptxlift.llvm.options import CodegenOptions
from ptxlift.target import lookup_nvidia

TARGETS = ("sm_90", pytest.param("sm_75", marks=pytest.mark.slow))
# No PTX instruction does these, or none of sm_75's, so that no PTX can ask for them.
NOT_IN_PTX = re.compile(r"\w+_BF16_True\w*|(fdiv|fsqrt|fround|float_to_int)_F16_True\w*")
NOT_ON_SM_75 = re.compile(r"(fmin|fmax)_B?F16_True\w*|(fconvert|int_to_float|ffma)_\w*")


def compiled(module: Module, target: str) -> str:
    """PTX of a module."""
    verify_module(module)
    spec, options, backend = lookup_nvidia(target), CodegenOptions(), NvptxBackend()
    emitted = backend.emit_module(module, spec, options)
    return tidy(backend.compile(backend.job(module.name, emitted, spec, options)).asm)


def accepted(text: str, target: str, folder: Path) -> None:
    """Lets NVIDIA's assembler judge, where there is one."""
    if shutil.which("ptxas") is None:
        return
    path = folder / "out.ptx"
    path.write_text(text)
    command = ["ptxas", "-arch", target, "-O0", "-o", str(folder / "out.cubin"), str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr + done.stdout


def _kernel(case: Case) -> Function:
    inputs, outputs = ([width_of_kind(k) for k in kinds] for kinds in (case.inputs, case.outputs))
    return kernel_of_op(case.name, body_of(case), inputs, outputs)


def _is_there(case: Case, target: str) -> bool:
    """Whether the target has the op; what it lacks must be what PTX lacks."""
    module = Module("one", {case.name: _kernel(case)})
    try:
        NvptxBackend().emit_module(module, lookup_nvidia(target), CodegenOptions())
    except PtxError as error:
        code = error.diagnostics[0].code
        lacks = {"PTX202": NOT_IN_PTX, "PTX302": NOT_ON_SM_75}[code].fullmatch(case.name)
        assert lacks and (code == "PTX202" or target == "sm_75"), str(error)
        return False
    return True


def _run(cases: Sequence[Case], target: str, folder: Path) -> Iterator[str]:
    cases = [case for case in cases if _is_there(case, target)]
    functions = {case.name: _kernel(case) for case in cases}
    text = compiled(Module("ops", functions), target)
    accepted(text, target, folder)
    program = ptxlift.load(text, device="interpreter")
    rng = np.random.default_rng(7)
    for case in cases:
        inputs = [random_lanes(kind, rng) for kind in case.inputs]
        yield from differences(case, inputs, _launch(program, case, inputs))


def _launch(program: ptxlift.Program, case: Case, inputs: list[Lanes]) -> list[Lanes]:
    arrays = [a.astype(np.uint8) if a.dtype == bool else a.copy() for a in inputs]
    widths = [width_of_kind(kind) for kind in case.outputs]
    stored = [np.zeros(COUNT, np.uint8 if w == 1 else dtype_of(w)) for w in widths]
    program.launch(case.name, COUNT // THREADS, THREADS, [*arrays, *stored])
    return [out.astype(np.bool_) if w == 1 else out for w, out in zip(widths, stored, strict=True)]


def test_every_op_has_a_lowering() -> None:
    """But for what passes for AMD chips make of shuffles, barriers and matrix products: that is
    refused. Texture instructions stay PTX.
    """
    absent = op_table().keys() - registry.table().keys() - IMAGE_OPS
    assert {"wave_permute", "matrix_core", "mma"} <= absent
    others = absent - {"is_among", "named_barrier"}
    assert {op_table()[name].effect for name in others} == {Effect.WARP}


def test_ops_of_amd_are_refused() -> None:
    def body(b: Builder, values: list[Value]) -> list[Value]:
        return [b.emit("wave_permute", [values[0], values[0]], (tuple(range(64)),), (32,)).result]

    module = Module("one", {"k": kernel_of_op("k", body, [32], [32])})
    with pytest.raises(PtxError, match="its op wave_permute has no counterpart in PTX"):
        NvptxBackend().emit_module(module, lookup_nvidia("sm_90"), CodegenOptions())


@pytest.mark.parametrize("target", TARGETS)
def test_integer_ops_match_the_algebra(target: str, tmp_path: Path) -> None:
    found = list(_run(list(integer_cases()), target, tmp_path))
    assert not found, "\n".join(found)


@pytest.mark.sampled(1)
@pytest.mark.parametrize("target", TARGETS)
def test_float_ops_match_the_algebra(target: str, tmp_path: Path) -> None:
    found = list(_run(list(float_cases()), target, tmp_path))
    assert not found, "\n".join(found)
