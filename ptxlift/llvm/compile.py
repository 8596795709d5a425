"""LLVM itself: text -> passes -> object. The only module that imports llvmlite.

Comes in: a `Job`. Goes out: `Compiled`. LLVM is initialised at the first job. Some inputs make LLVM
end the process (`isolate` guards against that); what it reports in order becomes PTX304. This
module must know nothing of PTX, IR or chips.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import llvmlite.binding as llvm

from ptxlift.diag import PtxError
from ptxlift.llvm.libraries import link_libraries
from ptxlift.llvm.options import Compiled, Job, Pipeline

# Puts each instruction's text and encoding into the object, for the emulator and `r.asm`.
_DUMP_CODE = "+dumpcode"
# Atomics of a whole wave on one address become one, of what lanes add up by DPP; LLVM's own choice
# is a scalar loop over the lanes, five times as long. An option of the AMDGPU target alone, but of
# the whole process.
_ONE_ATOMIC_A_WAVE = "-amdgpu-atomic-optimizer-strategy=DPP"
# Strength reduction and reassociation of straight-line code before instruction selection: a sixth
# to a half of code generation's time for 0.1% of the dynamic cost, since the PTX has been through
# them. An option of the whole process as well.
_NO_SECOND_STRENGTH_REDUCTION = "-amdgpu-scalar-ir-passes=false"

_LEVEL_OF_MOST = 1
_PASSES = {  # the others are LLVM's own pipelines
    Pipeline.SHORT: (
        *("sroa", "simplify_cfg", "instruction_combine", "simplify_cfg"),
        "dead_code_elimination",
    ),
    Pipeline.LOOPS: (
        *("always_inliner", "sroa", "simplify_cfg", "instruction_combine", "simplify_cfg"),
        *("new_gvn", "loop_simplify", "lcssa", "loop_rotate", "loop_unroll", "sroa"),
        # No second new_gvn: a tenth of the time for the same code.
        *("instruction_combine", "simplify_cfg", "dead_code_elimination"),
    ),
}


@cache
def _initialise() -> None:
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    for option in (_ONE_ATOMIC_A_WAVE, _NO_SECOND_STRENGTH_REDUCTION):
        llvm.set_option("ptxlift", option)


def run(job: Job, optimised: Callable[[], None] | None = None) -> Compiled:
    """Parses, verifies, optimises and compiles a unit. `optimised`: called between the passes and
    code generation, for who measures them.
    """
    _initialise()
    module = _parse(job)
    machine = _machine(job)
    if job.opt_level > 0:
        _optimise(module, machine, job)
    if optimised is not None:
        optimised()
    bitcode = module.as_bitcode() if job.want_bitcode else b""
    if job.is_text:
        return Compiled(b"", machine.emit_assembly(module), bitcode)
    # Code generation changes the module, so the text is made from a copy.
    asm = machine.emit_assembly(module.clone()) if job.want_asm else ""
    return Compiled(machine.emit_object(module), asm, bitcode)


def _parse(job: Job) -> llvm.ModuleRef:
    try:
        context = llvm.create_context()
        module = llvm.parse_assembly(job.text, context)
        if job.libraries:
            _link(module, job, context)
        module.verify()
    except RuntimeError as error:
        message = f"LLVM refuses the IR of {job.name}: {error}"
        raise PtxError.of("PTX304", message) from error
    return module


def _link(module: llvm.ModuleRef, job: Job, context: llvm.ContextRef) -> None:
    try:
        link_libraries(module, job, context)
    except PtxError:
        module.close()  # before its context, whatever the collector does later
        raise


def _machine(job: Job) -> llvm.TargetMachine:
    target = llvm.Target.from_triple(job.triple)
    return target.create_target_machine(
        cpu=job.cpu,
        features=job.features if job.is_text else f"{job.features},{_DUMP_CODE}",
        opt=job.opt_level,
        reloc="pic",
        codemodel="default",
    )


def _optimise(module: llvm.ModuleRef, machine: llvm.TargetMachine, job: Job) -> None:
    level = _LEVEL_OF_MOST if job.pipeline is Pipeline.MOST else job.opt_level
    tuning = llvm.create_pipeline_tuning_options(level)
    tuning.loop_vectorization = False  # lanes are the vectors
    tuning.slp_vectorization = job.pairs
    builder = llvm.create_pass_builder(machine, tuning)
    names = _PASSES.get(job.pipeline)
    if names is None:
        builder.getModulePassManager().run(module, builder)
        return
    passes = llvm.create_new_module_pass_manager()
    for name in names:
        getattr(passes, f"add_{name}_pass")()
    passes.run(module, builder)
