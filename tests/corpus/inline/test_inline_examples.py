"""The embedding examples: what other compilers make with raised statements, on the emulator."""

from __future__ import annotations

import importlib.util
import json
import shutil
import struct
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from catalogue.model import Array
from inline_harness import load_text

from ptxlift import emulator

EXAMPLES = Path(__file__).resolve().parents[3] / "examples" / "inline_asm"
ROOT = EXAMPLES.parents[1]
TARGETS = ("gfx942", "gfx1100")


def example(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"inline_{name}", EXAMPLES / f"{name}.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def run(text: str, kernel: str, target: str, *arguments: Array | int, threads: int = 64) -> None:
    """One block; arrays are changed in place, numbers are 32 bits, None is a null pointer."""
    image = load_text(text, kernel, target)
    memory = emulator.Memory()
    block = bytearray()
    for value in arguments:
        size = 8 if isinstance(value, np.ndarray) else 4
        block.extend(bytes(-len(block) % size))
        number = memory.alloc(value) if isinstance(value, np.ndarray) else value
        block.extend(struct.pack("<Q" if size == 8 else "<I", number))
    wanted = image.kernels[kernel].explicit_args
    block.extend(bytes(max((a.offset + a.size for a in wanted), default=0) - len(block)))
    emulator.launch(
        image, memory, kernel, (1, 1, 1), (threads, 1, 1), bytes(block), max_steps=10**6
    )


# ---- clang ----

CALLER = """
declare i32 @llvm.amdgcn.workitem.id.x()
define protected amdgpu_kernel void @caller(ptr addrspace(1) %out) {
  %slot = alloca i32, addrspace(5)
  %high.p = addrspacecast ptr addrspace(5) %slot to ptr
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %top = sub i32 40, %t
  %low = call i32 @add_with_carry(i32 %top, i32 %t, i32 -20, i32 1000, ptr %high.p)
  %high = load i32, ptr %high.p
  %wide = zext i32 %low to i64
  %swapped = call i64 @swap_words(i64 %wide)
  %back = lshr i64 %swapped, 32
  %word = trunc i64 %back to i32
  %f = uitofp i32 %t to float
  %g = call float @fused(float %f, float 3.0, float 0.5)
  %bits = bitcast float %g to i32
  %p0 = getelementptr [3 x i32], ptr addrspace(1) %out, i32 %t
  store i32 %word, ptr addrspace(1) %p0
  %p1 = getelementptr i32, ptr addrspace(1) %p0, i32 1
  store i32 %high, ptr addrspace(1) %p1
  %p2 = getelementptr i32, ptr addrspace(1) %p0, i32 2
  store i32 %bits, ptr addrspace(1) %p2
  ret void
}
"""


@pytest.mark.parametrize("target", TARGETS)
def test_clang(target: str) -> None:
    clang = example("clang_cuda")
    if clang.CLANG is None:
        pytest.skip("clang is not installed")
    text = clang.moved(target)
    assert " asm " not in text.replace("@ptxlift.asm", "")
    text = text.replace("define dso_local", "define internal")
    flags = '!900 = !{i32 1, !"amdhsa_code_object_version", i32 500}\n'
    out = np.zeros((64, 3), np.uint32)
    text = text.replace("!llvm.module.flags = !{", "!llvm.module.flags = !{!900, ") + flags
    run(text + CALLER, "caller", target, out)
    t = np.arange(64, dtype=np.uint64)
    top = (40 - t.astype(np.int64)) % 2**32
    total = top.astype(np.uint64) + np.uint64(2**32 - 20)
    np.testing.assert_array_equal(out[:, 0], total & np.uint64(2**32 - 1))
    np.testing.assert_array_equal(out[:, 1], t + np.uint64(1000) + (total >> np.uint64(32)))
    np.testing.assert_array_equal(out[:, 2].view(np.float32), t.astype(np.float32) * 3 + 0.5)


# ---- llvmlite, as Numba uses it ----


@pytest.mark.parametrize("target", TARGETS)
def test_llvmlite(target: str) -> None:
    pytest.importorskip("llvmlite.ir")
    out = np.zeros(64, np.uint32)
    run(example("numba_llvmlite").raised(target), "hash", target, out)
    mixed = np.arange(64, dtype=np.uint64) * np.uint64(0x9E3779B1) & np.uint64(2**32 - 1)
    rotated = (mixed << np.uint64(13) | mixed >> np.uint64(19)) & np.uint64(2**32 - 1)
    np.testing.assert_array_equal(out, rotated)


# ---- Triton ----


@pytest.mark.parametrize("target", TARGETS)
def test_triton(target: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    pytest.importorskip("triton")
    monkeypatch.setenv("TRITON_CACHE_DIR", str(tmp_path))
    kernels = example("triton_amd")
    made = kernels.build(kernels.mix, "*i32 *i32 *i32 i32", {"BLOCK": 64}, target)
    assert "v_xor" in made.asm["amdgcn"] and "lop3" not in made.asm["amdgcn"]
    random = np.random.default_rng(3)
    x, y = random.integers(-(2**31), 2**31, (2, 64), np.int64).astype(np.int32)
    out = np.zeros(64, np.int32)
    run(made.asm["llir"], "mix", target, x, y, out, 60, threads=made.metadata.warp_size)
    z = x ^ y ^ (x >> 3)
    added = (z.view(np.uint8) + y.view(np.uint8)).view(np.int32)
    np.testing.assert_array_equal(out, np.where(np.arange(64) < 60, added, 0))


@pytest.mark.parametrize("target", TARGETS)
def test_triton_with_packed_bytes(
    target: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    pytest.importorskip("triton")
    monkeypatch.setenv("TRITON_CACHE_DIR", str(tmp_path))
    kernels = example("triton_amd")
    made = kernels.build(kernels.shift_nibbles, "*i8 *i8", {"BLOCK": 256}, target)
    x = np.random.default_rng(4).integers(0, 256, 256, np.uint8)
    out = np.zeros(256, np.uint8)
    run(made.asm["llir"], "shift_nibbles", target, x, out, threads=made.metadata.warp_size)
    np.testing.assert_array_equal(out, x << 3)


# ---- a compiler in C ----


def test_client_in_c(tmp_path: Path) -> None:
    compiler = shutil.which("cc") or shutil.which("clang-19")
    if compiler is None:
        pytest.skip("no C compiler is installed")
    client = tmp_path / "client"
    subprocess.run([compiler, "-Wall", EXAMPLES / "client.c", "-o", client], check=True)
    server = f"{sys.executable} -m ptxlift inline --serve"
    result = subprocess.run(
        [client, server], capture_output=True, text=True, check=True, cwd=ROOT, timeout=60
    )
    good, bad = map(json.loads, result.stdout.splitlines())
    assert good["id"] == 1 and good["ok"] and "add i32 %a0, %a1" in good["llvm_ir"]
    assert bad["id"] == 2 and not bad["ok"]
    found = bad["diagnostics"][0]
    assert (found["code"], found["line"], found["column"]) == ("PTX112", 1, 13)
