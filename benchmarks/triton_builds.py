"""Triton's matrix kernels twice: as PTX, and as its own AMD backend's code.

Comes in: a kernel of tests/corpus/matrix_kernels_of_triton.py with its types and constants. Goes
out: PTX for sm_80, and a code object made of the LLVM IR that Triton wrote for an AMD chip, by the
LLVM that ptxlift uses: what differs is then what the translation made. It must know nothing of
ptxlift's translator.
"""

from __future__ import annotations

import importlib.util
import re
import struct
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import llvmlite.binding as llvm

from benchmarks.native import NativeProgram
from ptxlift.link import link, listing

SOURCE = Path(__file__).resolve().parents[1] / "tests/corpus/matrix_kernels_of_triton.py"
_CAPABILITY = 80
_ALIGNED = 16  # what Triton finds out of most arguments at run time
_FLOAT = re.compile(r"f0x([0-9A-F]{8})")
# What Triton's LLVM writes and an older one does not read: floats as they are stored, infinities
# by name; and its own names of layouts and processors.
_NEWER = (
    (re.compile(r"^target (?:datalayout|triple) = .*$", re.MULTILINE), ""),
    (re.compile(r" nofree| inreg"), ""),  # arguments in memory, as ptxlift has them
    (re.compile(r"(?<=float )-inf|(?<=\[ )-inf"), "0xFFF0000000000000"),
)


@dataclass(frozen=True, slots=True)
class Kernel:
    """`signature`: Triton's types of the arguments; `constants`: of the others."""

    name: str
    signature: str
    constants: tuple[tuple[str, Any], ...]  # Any: numbers and Triton's types
    warps: int = 4
    stages: int = 2


@cache
def _functions() -> Any:  # Any: a module of Triton functions, which are untyped
    spec = importlib.util.spec_from_file_location(SOURCE.stem, SOURCE)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _compiled(kernel: Kernel, backend: str, chip: int | str, lanes: int) -> Any:
    """What Triton made; Any: it is untyped."""
    import triton  # type: ignore[import-untyped]
    from triton.backends.compiler import GPUTarget  # type: ignore[import-untyped]
    from triton.compiler import ASTSource

    function = getattr(_functions(), kernel.name)
    given = kernel.signature.split()
    types = [*given, *("constexpr" for _ in kernel.constants)]
    source = ASTSource(
        fn=function,
        signature=dict(zip(function.arg_names, types, strict=True)),
        constexprs=dict(kernel.constants),
        attrs={
            (index,): [["tt.divisibility", _ALIGNED]]
            for index, type_ in enumerate(given)
            if type_ != "fp32"
        },
    )
    options = {"num_warps": kernel.warps, "num_stages": kernel.stages}
    return triton.compile(source, target=GPUTarget(backend, chip, lanes), options=options)


def ptx_of(kernel: Kernel) -> tuple[str, int]:
    """PTX and the bytes of shared memory it wants."""
    made = _compiled(kernel, "cuda", _CAPABILITY, 32)
    return made.asm["ptx"], made.metadata.shared


def native_of(kernel: Kernel, target: str, lanes: int) -> tuple[NativeProgram, int]:
    """Triton's code for an AMD chip and the bytes of shared memory it wants. Copies to shared
    memory go through registers: LLVM 22 does not know the intrinsics of gfx950's others.
    """
    from triton import knobs

    knobs.amd.use_async_copy = False
    made = _compiled(kernel, "hip", target, lanes)
    return _code_of(made.asm["llir"], target), made.metadata.shared


def _code_of(text: str, target: str) -> NativeProgram:
    for pattern, instead in _NEWER:
        text = pattern.sub(instead, text)
    text = _FLOAT.sub(lambda found: _as_double(int(found[1], 16)), text)
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    triple = "amdgcn-amd-amdhsa"
    machine = llvm.Target.from_triple(triple).create_target_machine(
        cpu=target, features="+dumpcode", opt=3, reloc="pic"
    )
    module = llvm.parse_assembly(f'target triple = "{triple}"\n{text}')
    code = machine.emit_object(module)
    return NativeProgram(link([code], target_id=target), listing([code]).encode(), target)


def _as_double(bits: int) -> str:
    """A single-precision number as LLVM 22 wants it: its value in double precision."""
    value = struct.unpack("<f", struct.pack("<I", bits))[0]
    return f"0x{struct.unpack('<Q', struct.pack('<d', value))[0]:016X}"
