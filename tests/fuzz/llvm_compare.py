"""LLVM IR two ways: compiled for this machine, and by way of PTX and ptxlift for others.

Both ways begin with the same text. Here LLVM compiles it as it is; for the other way it optimises
it, its NVPTX backend writes PTX, and ptxlift makes AMD code for the emulator of that, or PTX again
for the interpreter.
"""

from __future__ import annotations

import ctypes
from dataclasses import replace
from functools import cache

import llvmlite.binding as llvm
import numpy as np

import ptxlift
from ptxlift.target.nvidia import DATA_LAYOUT, TRIPLE
from tests.fuzz.apart import apart
from tests.fuzz.compare import THREADS
from tests.fuzz.llvm_program import LlvmProgram, Step
from tests.fuzz.program import WORDS

_BYTES = 8 * WORDS
_KERNEL = f"""
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
define ptx_kernel void @fuzz(ptr addrspace(1) %in, ptr addrspace(1) %out) {{
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %wide = zext i32 %tid to i64
  %place = mul i64 %wide, {_BYTES}
  %from = getelementptr i8, ptr addrspace(1) %in, i64 %place
  %to = getelementptr i8, ptr addrspace(1) %out, i64 %place
  %a = addrspacecast ptr addrspace(1) %from to ptr
  %b = addrspacecast ptr addrspace(1) %to to ptr
  call void @body(ptr %a, ptr %b)
  ret void
}}
"""
_HOST = """
define void @host(ptr %in, ptr %out) {
  call void @body(ptr %in, ptr %out)
  ret void
}
"""


@cache
def _initialise() -> None:
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()


def to_ptx(program: LlvmProgram, level: int) -> str:
    """The program as PTX, by LLVM at an optimisation level."""
    _initialise()
    head = f'target datalayout = "{DATA_LAYOUT}"\ntarget triple = "{TRIPLE}"\n'
    module = llvm.parse_assembly(head + program.body + _KERNEL, llvm.create_context())
    module.verify()
    target = llvm.Target.from_triple(TRIPLE)
    machine = target.create_target_machine(cpu="sm_80", features="+ptx78", opt=level)
    tuning = llvm.create_pipeline_tuning_options(level)
    builder = llvm.create_pass_builder(machine, tuning)
    builder.getModulePassManager().run(module, builder)
    return machine.emit_assembly(module)


def on_host(program: LlvmProgram, data: np.ndarray) -> np.ndarray:
    """The output words, computed by this machine's processor."""
    _initialise()
    module = llvm.parse_assembly(program.body + _HOST, llvm.create_context())
    module.verify()
    machine = llvm.Target.from_default_triple().create_target_machine(opt=0)
    engine = llvm.create_mcjit_compiler(module, machine)
    engine.finalize_object()
    run = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p)(
        engine.get_function_address("host")
    )
    before, after = data.copy(), np.zeros_like(data)
    for thread in range(THREADS):
        run(before.ctypes.data + thread * _BYTES, after.ctypes.data + thread * _BYTES)
    return after


def compare_llvm(
    program: LlvmProgram, data: np.ndarray, targets: tuple[tuple[str, int], ...]
) -> str | None:
    """The first difference between this machine and any target; `sm_*` runs on the interpreter."""
    expected = on_host(program, data)
    texts = {level: to_ptx(program, level) for level in sorted({level for _, level in targets})}
    for target, level in targets:
        out = np.zeros_like(data)
        made = ptxlift.lift(texts[level], target)
        device = "interpreter" if made.is_ptx else "emulator"
        loaded = made.ptx if made.is_ptx else made
        ptxlift.run(
            loaded, "fuzz", 1, THREADS, [data.copy(), out], device=device, max_steps=10_000_000
        )
        different = np.flatnonzero(expected != out)
        if different.size:
            at = int(different[0])
            return (
                f"{target} -O{level}: thread {at // WORDS}, word {at % WORDS}: host "
                f"{int(expected[at]):#018x}, {device} {int(out[at]):#018x}"
            )
    return None


def shrink_llvm(
    program: LlvmProgram, data: np.ndarray, targets: tuple[tuple[str, int], ...]
) -> LlvmProgram:
    """Drops steps while some difference remains: whole ones first, then those inside others."""
    changed = True
    while changed:
        changed = False
        for smaller in _smaller(program.steps):
            candidate = replace(program, steps=smaller)
            if _fails(candidate, data, targets):
                program, changed = candidate, True
                break
    return program


def _smaller(steps: tuple[Step, ...]) -> list[tuple[Step, ...]]:
    """The steps without some of them, and with less inside one of them."""
    found = []
    size = max(1, len(steps) // 2)
    while size:
        found += [steps[:at] + steps[at + size :] for at in range(0, len(steps), size)]
        size //= 2
    for at, step in enumerate(steps):
        for number, body in enumerate(step.bodies):
            for less in _smaller(body):
                bodies = (*step.bodies[:number], less, *step.bodies[number + 1 :])
                found.append((*steps[:at], replace(step, bodies=bodies), *steps[at + 1 :]))
    return found


def _fails(program: LlvmProgram, data: np.ndarray, targets: tuple[tuple[str, int], ...]) -> bool:
    return apart(lambda: compare_llvm(program, data, targets)).is_find
