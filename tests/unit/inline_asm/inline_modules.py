"""Small LLVM modules with inline PTX, and running them on the emulator.

Comes in: the body of a kernel. Goes out: one word a thread.
"""

from __future__ import annotations

import struct

import numpy as np
from numpy.typing import NDArray

import ptxlift
from ptxlift import emulator
from ptxlift.link import link, listing
from ptxlift.llvm.compile import run as compile_job
from ptxlift.llvm.options import Compiled, Job, Pipeline
from ptxlift.target import lookup

AMD = 'target triple = "amdgcn-amd-amdhsa"\n'
NVIDIA = 'target triple = "nvptx64-nvidia-cuda"\n'
THREADS = 64
_FLAGS = '!llvm.module.flags = !{!90}\n!90 = !{i32 1, !"amdhsa_code_object_version", i32 500}\n'


def kernel(text: str, result: str) -> str:
    """A module whose kernel stores `result`; %a is the thread, %b the thread + 100."""
    return (
        f"{AMD}declare i32 @llvm.amdgcn.workitem.id.x()\n"
        "define protected amdgpu_kernel void @k(ptr addrspace(1) %out) {\nentry:\n"
        "  %a = call i32 @llvm.amdgcn.workitem.id.x()\n  %b = add i32 %a, 100\n"
        f"{text}\n"
        "  %place = getelementptr i32, ptr addrspace(1) %out, i32 %a\n"
        f"  store i32 {result}, ptr addrspace(1) %place\n  ret void\n}}\n{_FLAGS}"
    )


def compiled(text: str, target: str = "gfx942") -> Compiled:
    """The module with its inline PTX lifted, compiled."""
    spec = lookup(target)
    features = spec.llvm_features(spec.target.default_wave)
    made = ptxlift.lift_inline_asm(text, target)
    return compile_job(
        Job("test", made, "amdgcn-amd-amdhsa", spec.cpu, features, 2, Pipeline.FULL, want_asm=True)
    )


def emulate_words(text: str, target: str = "gfx942") -> NDArray[np.uint32]:
    """What the kernel of a module stores."""
    objects = [compiled(text, target).object]
    code = link(objects, target_id=lookup(target).target_id)
    image = emulator.load_code_object(code, listing(objects), target)
    memory, out = emulator.Memory(), np.zeros(THREADS, np.uint32)
    block = struct.pack("<Q", memory.alloc(out))
    emulator.launch(image, memory, "k", (1, 1, 1), (THREADS, 1, 1), block, max_steps=10**6)
    return out
