"""Small PTX programs for the tests of the driver."""

from __future__ import annotations

from dataclasses import replace

from ptxlift.driver.build import Compiler
from ptxlift.llvm.isolate import run_isolated
from ptxlift.llvm.options import Compiled, Job

HEADER = ".version 8.6\n.target sm_100a\n.address_size 64\n"


def simple(name: str, value: int = 7) -> str:
    """A kernel that stores a number."""
    return (
        f".visible .entry {name}(.param .u64 {name}_out)\n{{\n.reg .b64 %rd<2>;\n"
        f"ld.param.u64 %rd1, [{name}_out];\nst.global.u32 [%rd1], {value};\nret;\n}}\n"
    )


TWO = HEADER + simple("first", 1) + simple("second", 2)

# Half of a wave of 64 does not reach the first barrier: two warps cannot share a wave.
SPLIT_KERNEL = """.visible .entry apart(.param .u64 apart_out)
{
.reg .pred %p<2>;
.reg .b32 %r<2>;
.reg .b64 %rd<2>;
mov.u32 %r1, %tid.x;
setp.ge.u32 %p1, %r1, 32;
@%p1 bra JOIN;
bar.sync 0;
JOIN:
ld.param.u64 %rd1, [apart_out];
st.global.u32 [%rd1], %r1;
bar.sync 0;
ret;
}
"""

# Valid PTX without a translation: tensor memory, which no AMD chip has.
UNTRANSLATED = """.visible .entry matrix()
{
.reg .b32 %r<2>;
tcgen05.dealloc.cta_group::1.sync.aligned.b32 %r1, 32;
ret;
}
"""

# gfx900 has no dot products, and LLVM ends the process when asked for one.
_DEADLY = (
    "declare i32 @llvm.amdgcn.sdot4(i32, i32, i32, i1)\n"
    "define amdgpu_kernel void @deadly(ptr addrspace(1) %p, i32 %a) {\n"
    "%r = call i32 @llvm.amdgcn.sdot4(i32 %a, i32 %a, i32 %a, i1 false)\n"
    "store i32 %r, ptr addrspace(1) %p\nret void\n}\n"
)


def deadly(job: Job) -> Job:
    """The job with a kernel that makes LLVM end its process."""
    return replace(job, text=job.text + _DEADLY)


def dies_with(kernel: str) -> Compiler:
    """A compiler in which LLVM really ends its process on every unit that holds the kernel."""

    def compile_(job: Job) -> Compiled:
        return run_isolated(deadly(job) if f"@{kernel}(" in job.text else job)

    return compile_
