"""LLVM's death in a worker is an error that names the kernel and quotes LLVM."""

from __future__ import annotations

import pytest

from ptxlift.diag import PtxError
from ptxlift.llvm.isolate import run_all, run_isolated
from ptxlift.llvm.options import Compiled, Job, Pipeline

_MODULE = """target triple = "amdgcn-amd-amdhsa"
define amdgpu_kernel void @k(ptr addrspace(1) %p, i32 %n) {{
  %c = icmp eq i32 %n, 0
  %r = call i32 @llvm.{name}(i1 %c)
  store i32 %r, ptr addrspace(1) %p
  ret void
}}
declare i32 @llvm.{name}(i1)
"""
GOOD = _MODULE.replace("i1 %c)", ")").replace("(i1)", "()").format(name="amdgcn.workitem.id.x")
# Waves of 64 lanes have no 32-bit ballot: "Cannot select", and LLVM aborts.
ABORTS = _MODULE.format(name="amdgcn.ballot.i32")
# LLVM calls exit(1) where no library function exists.
EXITS = """target triple = "amdgcn-amd-amdhsa"
define amdgpu_kernel void @k(ptr addrspace(1) %p, float %x) {
  %r = call float @llvm.tan.f32(float %x)
  store float %r, ptr addrspace(1) %p
  ret void
}
declare float @llvm.tan.f32(float)
"""


def job(name: str, text: str) -> Job:
    features = "+wavefrontsize64"
    return Job(name, text, "amdgcn-amd-amdhsa", "gfx942", features, 2, Pipeline.SHORT)


@pytest.mark.parametrize(
    ("text", "quoted"),
    [(ABORTS, "Cannot select"), (EXITS, "no libcall available"), ("nonsense", "expected")],
)
def test_failures_name_the_kernel_and_quote_llvm(text: str, quoted: str) -> None:
    with pytest.raises(PtxError) as caught:
        run_isolated(job("broken_kernel", text))
    rendered = str(caught.value)
    assert caught.value.diagnostics[0].code == "PTX304"
    assert "broken_kernel" in rendered
    assert quoted in rendered


def test_a_pool_goes_on_after_a_worker_died() -> None:
    texts = [GOOD, ABORTS, GOOD, EXITS, GOOD]
    results = run_all([job(f"k{i}", text) for i, text in enumerate(texts)], processes=2)
    assert [isinstance(result, Compiled) for result in results] == [True, False, True, False, True]
    assert "k1" in str(results[1])
    assert "k3" in str(results[3])


def test_results_do_not_depend_on_the_worker() -> None:
    results = run_all([job(f"k{index}", GOOD) for index in range(4)], processes=3)
    objects = {result.object for result in results if isinstance(result, Compiled)}
    assert len(objects) == 1
