"""Writes the checked-in PTX under examples/triton from the kernels in examples/triton/kernels.py.

In goes the table below and an installed triton (no GPU, no torch); out goes one .ptx file a row,
whose first lines state source, options, launch facts and versions. Knows nothing of ptxlift.

Triton appends two pointer parameters (global scratch and profile scratch) that these kernels do
not use; a launch passes null for both. The block is 32 * num_warps threads.
"""

from __future__ import annotations

import importlib.util
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).resolve().parents[2] / "examples" / "triton"
CAPABILITY = 80


@dataclass(frozen=True, slots=True)
class Build:
    """One kernel: the types of its run-time arguments, its constants and its warps."""

    kernel: str
    signature: str  # as Triton spells it, in parameter order: "*fp32 *fp32 i32"
    constants: dict[str, int]
    warps: int
    stages: int = 1  # more than one: loads run ahead with cp.async
    file: str = ""  # the PTX file's name where it is not the kernel's

    @property
    def options(self) -> dict[str, int]:
        return {"num_warps": self.warps, "num_stages": self.stages, "enable_fp_fusion": True}


FLOAT_PRODUCT = "*fp32 *fp32 *fp32 i32 i32 i32"
HALF_PRODUCT = "*fp16 *fp16 *fp32 i32 i32 i32"
BUILDS = (
    Build("vector_add", "*fp32 *fp32 *fp32 i32", {"BLOCK": 256}, 4),
    Build("row_softmax", "*fp32 *fp32 i32 i32", {"BLOCK": 128}, 2),
    Build("row_layernorm", "*fp32 *fp32 *fp32 *fp32 i32 fp32", {"BLOCK": 128}, 2),
    Build("sum_rows", "*i32 *i32 i32 i32", {"ROWS": 8, "COLUMNS": 64}, 4),
    Build("dropout", "*fp32 *fp32 i32 fp32 i32", {"BLOCK": 128}, 4),
    Build("gelu", "*fp16 *fp16 i32", {"BLOCK": 256}, 4),
    Build("cumulative_sum", "*i32 *i32 i32", {"BLOCK": 128}, 4),
    Build("rotary", "*fp32 *fp32 *fp32 i32", {"BLOCK": 32}, 1),
    Build("atomic_histogram", "*i32 *i32 i32", {"BLOCK": 256}, 4),
    Build("float_matmul", FLOAT_PRODUCT, {"TILE": 16}, 4),
    Build("float_matmul", FLOAT_PRODUCT, {"TILE": 16}, 4, stages=3, file="pipelined_matmul"),
    Build("half_matmul", HALF_PRODUCT, {"TILE": 16}, 2),
)


def load_kernels() -> Any:  # Any: a module of Triton functions, which are untyped
    spec = importlib.util.spec_from_file_location("triton_kernels", FOLDER / "kernels.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def compile_ptx(build: Build, kernels: Any) -> str:
    """The PTX of one row with its header."""
    # Triton ships no type information.
    import triton  # type: ignore[import-untyped]
    from triton.backends.compiler import GPUTarget  # type: ignore[import-untyped]
    from triton.compiler import ASTSource  # type: ignore[import-untyped]

    function = getattr(kernels, build.kernel)
    types = [*build.signature.split(), *("constexpr" for _ in build.constants)]
    signature = dict(zip(function.arg_names, types, strict=True))
    source = ASTSource(fn=function, signature=signature, constexprs=build.constants)
    target = GPUTarget("cuda", CAPABILITY, 32)
    made = triton.compile(source, target=target, options=build.options)
    header = (
        f"// source: examples/triton/kernels.py, {build.kernel}({build.signature})\n"
        f"// command: triton.compile(ASTSource(fn, signature, {build.constants}), "
        f'target=GPUTarget("cuda", {CAPABILITY}, 32), options={build.options})\n'
        f"// compiler: triton {triton.__version__}\n"
        f"// launch: block {32 * build.warps}, shared {made.metadata.shared} bytes, "
        f"two unused scratch pointers at the end\n"
    )
    return header + without_debug(made.asm["ptx"])


def without_debug(text: str) -> str:
    """Drops file names and line tables: they hold paths of the machine that compiled."""
    lines = text.split("\t.section")[0].splitlines()
    kept = [line for line in lines if not line.strip().startswith((".file", ".loc\t"))]
    return "\n".join(kept).replace(", debug", "").rstrip() + "\n"


def main() -> int:
    kernels = load_kernels()
    for build in BUILDS:
        path = FOLDER / f"{build.file or build.kernel}.ptx"
        path.write_text(compile_ptx(build, kernels))
        print(path.read_text().splitlines()[3], path.name)
    return 0


if __name__ == "__main__":
    sys.exit(main())
