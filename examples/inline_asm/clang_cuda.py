"""clang: device functions with inline PTX, compiled for NVIDIA, raised, moved to AMD.

HIP's front end refuses the constraints "=l" and "=f" because AMD has none of that name; CUDA's
takes them. So: clang writes LLVM IR for NVIDIA, the names of NVIDIA's target are taken out, and
ptxlift raises the statements. Run it to see the module: `python examples/inline_asm/clang_cuda.py`.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import ptxlift

SOURCE = Path(__file__).with_name("bignum.cu")
CLANG = shutil.which("clang-19") or shutil.which("clang")
FLAGS = ("-x", "cuda", "--cuda-device-only", "-nocudainc", "-nocudalib", "--cuda-gpu-arch=sm_80")
_OF_NVIDIA = re.compile(
    r'^target (?:triple|datalayout) = .*\n|"target-(?:cpu|features)"="[^"]*"', re.M
)


def clang_ir(source: Path = SOURCE) -> str:
    """clang's LLVM IR for NVIDIA, with the statements in it."""
    assert CLANG is not None, "clang is not installed"
    command = [CLANG, *FLAGS, "-O1", "-S", "-emit-llvm", str(source), "-o", "-"]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def moved(target: str) -> str:
    """The functions as a module for an AMD chip, to be linked with kernels."""
    text = 'target triple = "amdgcn-amd-amdhsa"\n' + _OF_NVIDIA.sub("", clang_ir())
    return ptxlift.lift_inline_asm(text, target)


if __name__ == "__main__":
    print(moved("gfx942"))
