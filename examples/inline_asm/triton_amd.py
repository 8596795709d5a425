"""Triton's AMD backend with PTX in `tl.inline_asm_elementwise`: raised between two of its stages.

Run it to see the machine code: `python examples/inline_asm/triton_amd.py`. No GPU is needed.
"""

from __future__ import annotations

from typing import Any

import triton
import triton.language as tl
from triton import knobs
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource

import ptxlift


@triton.jit
def mix(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    """out = x ^ y ^ (x >> 3), and the bytes of y added to those of out without carries."""
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + at, mask=at < n, other=0)
    y = tl.load(y_ptr + at, mask=at < n, other=0)
    z = tl.inline_asm_elementwise(
        "lop3.b32 $0, $1, $2, $3, 0x96;", "=r,r,r,r", [x, y, x >> 3],
        dtype=tl.int32, is_pure=True, pack=1,
    )  # fmt: skip
    z = tl.inline_asm_elementwise(
        "{ .reg .b32 c; mov.b32 c, 0; vadd4.u32.u32.u32 $0, $1, $2, c; }", "=r,r,r", [z, y],
        dtype=tl.int32, is_pure=True, pack=1,
    )  # fmt: skip
    tl.store(out_ptr + at, z, mask=at < n)


@triton.jit
def shift_nibbles(x_ptr, out_ptr, BLOCK: tl.constexpr):
    """Four bytes a register: Triton packs them, one statement does all four."""
    at = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + at)
    y = tl.inline_asm_elementwise(
        "{ .reg .b32 t; shl.b32 t, $1, 3; and.b32 $0, t, 0xf8f8f8f8; }", "=r,r", [x],
        dtype=tl.int8, is_pure=True, pack=4,
    )  # fmt: skip
    tl.store(out_ptr + at, y)


def raise_inline_ptx(
    backend: Any = None,
    stages: Any = None,
    options: Any = None,
    language: Any = None,
    capability: Any = None,
) -> tuple[str, str] | None:
    """A stage hook for `triton.knobs.runtime.add_stages_inspection_hook`.

    Without arguments Triton asks for what its caches must depend on.
    """
    if stages is None:
        version = f"ptxlift {ptxlift.__version__}"
        return version, version
    make_llir = stages["llir"]

    def make_raised_llir(source: Any, metadata: Any) -> str:
        return ptxlift.lift_inline_asm(make_llir(source, metadata), options.arch)

    stages["llir"] = make_raised_llir
    return None


def build(kernel: Any, signature: str, constants: dict[str, int], arch: str) -> Any:
    """Compiles a kernel for an AMD chip; the PTX in it is raised on the way."""
    types = [*signature.split(), *("constexpr" for _ in constants)]
    names = dict(zip(kernel.arg_names, types, strict=True))
    waves = GPUTarget("hip", arch, 64 if arch.startswith("gfx9") else 32)
    before = knobs.runtime.add_stages_inspection_hook
    knobs.runtime.add_stages_inspection_hook = raise_inline_ptx
    try:
        source = ASTSource(fn=kernel, signature=names, constexprs=constants)
        return triton.compile(source, target=waves, options={"num_warps": 1})
    finally:
        knobs.runtime.add_stages_inspection_hook = before


if __name__ == "__main__":
    print(build(mix, "*i32 *i32 *i32 i32", {"BLOCK": 64}, "gfx942").asm["amdgcn"])
