"""A CUDA source compiled natively: clang's AMDGPU target, its code object run in the emulator.

Comes in: a source under examples/cuda, or any HIP-like source, and a chip. Goes out: a code object
with the listing that the emulator reads, its static figures, and what a launch cost. It must not
know ptxlift's translator: this is what the translator is compared with.
"""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ptxlift import emulator
from ptxlift.emulator.elf import read_elf
from ptxlift.emulator.msgpack import decode

COMPILER = "clang-19"
_FLAGS = (
    *("-x", "hip", "--offload-device-only", "--no-gpu-bundle-output", "-nogpulib", "-nogpuinc"),
    *("-O3", "-Xclang", "-target-feature", "-Xclang", "+dumpcode"),
)
_COPY_SECTION = "llvm-objcopy-19"
_LISTING = ".AMDGPU.disasm"


@dataclass(frozen=True, slots=True)
class Static:
    """What a kernel takes before it runs: instructions of the whole object, registers, bytes."""

    instructions: int
    vgprs: int
    sgprs: int
    scratch: int


@dataclass(frozen=True, slots=True)
class NativeProgram:
    """A linked code object and the assembly listing of its text."""

    code_object: bytes
    listing: bytes
    target: str

    def image(self) -> emulator.Image:
        """The object, loaded."""
        return emulator.load_code_object(self.code_object, self.listing, self.target)

    def static(self, kernel: str) -> Static:
        """The kernel's figures from its metadata."""
        note: Any = decode(read_elf(self.code_object).note)  # Any: a tree of MessagePack values
        row = next(k for k in note["amdhsa.kernels"] if k[".name"] == kernel)
        count = len(self.image().insts)
        scratch = row[".private_segment_fixed_size"]
        return Static(count, row[".vgpr_count"], row[".sgpr_count"], scratch)


def missing_tool() -> str | None:
    """The name of a tool that is not installed, or None."""
    tools = (COMPILER, _COPY_SECTION, "ld.lld-19")
    return next((tool for tool in tools if shutil.which(tool) is None), None)


def compile_native(source: Path, target: str, flags: Sequence[str] = ()) -> NativeProgram:
    """Compiles a source. Raises `CalledProcessError` with clang's words in `stderr`."""
    with tempfile.TemporaryDirectory() as folder:
        linked, listing = Path(folder, "native.co"), Path(folder, "listing")
        command = [COMPILER, *_FLAGS, *flags, f"--offload-arch={target}", source.name]
        _call([*command, "-o", str(linked)], source.parent)
        _call(
            [_COPY_SECTION, "--dump-section", f"{_LISTING}={listing}", str(linked)], source.parent
        )
        return NativeProgram(linked.read_bytes(), listing.read_bytes(), target)


def _call(command: list[str], folder: Path) -> None:
    subprocess.run(command, check=True, cwd=folder, capture_output=True, text=True)


def run_native(
    program: NativeProgram,
    kernel: str,
    grid: tuple[int, int, int],
    block: tuple[int, int, int],
    arguments: Sequence[Any],  # Any: arrays, numpy scalars, bytes of structs
    shared: int = 0,
) -> emulator.RunStats:
    """One launch; arrays among the arguments come back as the kernel left them."""
    image, memory = program.image(), emulator.Memory()
    image.map_into(memory)
    explicit = image.kernels[kernel].explicit_args
    block_bytes = bytearray(max((a.offset + a.size for a in explicit), default=0))
    for row, value in zip(explicit, arguments, strict=True):
        if isinstance(value, np.ndarray):
            data = memory.alloc(value).to_bytes(8, "little")
        elif isinstance(value, bytes):
            data = value
        else:
            data = np.asarray(value).tobytes()
        assert len(data) == row.size, (kernel, row, value)
        block_bytes[row.offset : row.offset + row.size] = data
    return emulator.launch(image, memory, kernel, grid, block, bytes(block_bytes), shared)
