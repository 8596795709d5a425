"""Kernels for the emulator's tests: LLVM IR compiled when the tests run, linked by LLVM's linker.

Comes in: LLVM IR text. Goes out: loaded images and finished launches. The product's own linker is
not used, so that a fault there does not hide one in the emulator.
"""

from __future__ import annotations

import shutil
import struct
import subprocess
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

import llvmlite.binding as llvm
import numpy as np
import pytest

from ptxlift import emulator
from ptxlift.emulator import RunStats
from ptxlift.emulator.elf import SHT_PROGBITS, section_bytes

LLD = shutil.which("ld.lld-19")
needs_lld = pytest.mark.skipif(LLD is None, reason="ld.lld-19 is not installed")

FIRST = ("gfx942", "gfx1100")
ALL = (
    "gfx900",
    "gfx906",
    "gfx908",
    "gfx90a",
    "gfx942",
    "gfx950",
    "gfx1010",
    "gfx1030",
    "gfx1100",
    "gfx1150",
    "gfx1200",
    "gfx1201",
    "gfx1250",
)

HEADER = """
target triple = "amdgcn-amd-amdhsa"
declare i32 @llvm.amdgcn.workitem.id.x()
declare i32 @llvm.amdgcn.workitem.id.y()
declare i32 @llvm.amdgcn.workitem.id.z()
declare i32 @llvm.amdgcn.workgroup.id.x()
declare i32 @llvm.amdgcn.workgroup.id.y()
declare i32 @llvm.amdgcn.workgroup.id.z()
declare ptr addrspace(4) @llvm.amdgcn.implicitarg.ptr()
declare void @llvm.amdgcn.s.barrier()
"""
FOOTER = '\n!llvm.module.flags = !{!0}\n!0 = !{i32 1, !"amdhsa_code_object_version", i32 500}\n'


@cache
def compile_ir(ir: str, cpu: str, features: str = "", level: int = 2) -> tuple[bytes, bytes]:
    """Linked code object and listing of a module."""
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    target = llvm.Target.from_triple("amdgcn-amd-amdhsa")
    machine = target.create_target_machine(
        cpu=cpu, features="+dumpcode" + (f",{features}" if features else ""), opt=2, reloc="pic"
    )
    module = llvm.parse_assembly(HEADER + ir + FOOTER)
    module.data_layout = str(machine.target_data)
    module.verify()
    options = llvm.create_pipeline_tuning_options(speed_level=level)
    builder = llvm.create_pass_builder(machine, options)
    builder.getModulePassManager().run(module, builder)
    code = machine.emit_object(module)
    return link(code), section_bytes(code, ".AMDGPU.disasm", SHT_PROGBITS)


def link(code: bytes) -> bytes:
    """A shared object from one relocatable object."""
    assert LLD is not None, "tests that link are skipped without ld.lld-19"
    with tempfile.TemporaryDirectory() as folder:
        source, output = Path(folder, "a.o"), Path(folder, "a.so")
        source.write_bytes(code)
        subprocess.run([LLD, "-shared", source, "-o", output], check=True)
        return output.read_bytes()


def load(ir: str, cpu: str, features: str = "", level: int = 2) -> emulator.Image:
    """A fresh image of a module."""
    return emulator.load_code_object(*compile_ir(ir, cpu, features, level), cpu)


def pack(
    memory: emulator.Memory, image: emulator.Image, kernel: str, args: tuple[Any, ...]
) -> bytes:
    """Argument bytes at the offsets the metadata gives; arrays are passed by address."""
    block = bytearray()
    for argument, value in zip(image.kernels[kernel].explicit_args, args, strict=True):
        block.extend(bytes(argument.offset - len(block)))
        if isinstance(value, np.ndarray):
            block.extend(struct.pack("<Q", memory.alloc(value)))
        else:
            block.extend(value.tobytes())
    return bytes(block)


def run(
    ir: str,
    kernel: str,
    cpu: str,
    grid: tuple[int, int, int],
    block: tuple[int, int, int],
    *args: Any,
    features: str = "",
    level: int = 2,
    dynamic_lds: int = 0,
    max_steps: int = 5_000_000,
    **options: Any,
) -> RunStats:
    """Compile, load and launch; arrays in `args` are changed in place."""
    image = load(ir, cpu, features, level)
    memory = emulator.Memory()
    return emulator.launch(
        image,
        memory,
        kernel,
        grid,
        block,
        pack(memory, image, kernel, args),
        dynamic_lds,
        max_steps=max_steps,
        options=emulator.Options(**options),
    )
