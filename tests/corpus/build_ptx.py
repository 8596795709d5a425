"""Writes the checked-in PTX under examples/ptx from the CUDA sources under examples/cuda.

In go the tables below and an installed clang-19; out goes one .ptx file a build, whose first lines
state its source, the exact command and the compiler. Knows nothing of ptxlift. Run it with no
arguments to rewrite all files, with names to rewrite some, with --check to compare only.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
COMPILER = "clang-19"
BASE_FLAGS = (
    *("-x", "cuda", "--cuda-device-only", "-nocudainc", "-nocudalib"),
    *("--cuda-feature=+ptx75", "-Wno-unknown-cuda-version", "-S"),
)


@dataclass(frozen=True, slots=True)
class Build:
    """One PTX file: the source's stem, the optimisation level and the NVIDIA architecture."""

    source: str
    level: str = "-O2"
    arch: str = "sm_80"
    suffix: str = ""
    extra: tuple[str, ...] = ()

    @property
    def output(self) -> Path:
        return EXAMPLES / "ptx" / f"{self.source}{self.suffix}.ptx"

    def command(self) -> list[str]:
        arch = f"--cuda-gpu-arch={self.arch}"
        flags = (*BASE_FLAGS, *self.extra, self.level, arch)
        return [COMPILER, *flags, f"{self.source}.cu", "-o", "-"]


FLUSH = ("-fgpu-flush-denormals-to-zero",)

# Every source is built once with the defaults of Build; these are built in other ways as well.
VARIANTS = (
    Build("saxpy", level="-O0", suffix=".O0"),
    Build("saxpy", arch="sm_75", suffix=".sm75"),
    Build("reduce_shared", level="-O0", suffix=".O0"),
    Build("matmul_tiled", level="-O3", arch="sm_90", suffix=".sm90"),
    Build("struct_param", level="-O0", suffix=".O0"),
    Build("scan_inclusive", level="-O1", arch="sm_75", suffix=".sm75"),
    Build("softmax", level="-O0", suffix=".O0"),
    Build("sobel", level="-O0", suffix=".O0"),
    Build("histogram", level="-O0", suffix=".O0"),
    Build("noinline_calls", level="-O0", suffix=".O0"),
    Build("stack_machine", level="-O0", suffix=".O0"),
    Build("ray_sphere", level="-O1", suffix=".O1"),
    Build("mul256_carry", level="-O3", arch="sm_90", suffix=".sm90"),
    Build("black_scholes", level="-O0", suffix=".O0"),
    Build("fast_functions", extra=FLUSH, suffix=".ftz"),
    Build("nbody", extra=FLUSH, suffix=".ftz"),
    Build("layernorm", extra=FLUSH, suffix=".ftz"),
    Build("float_edges", level="-O0", suffix=".O0"),
    Build("wide_integers", level="-O0", suffix=".O0"),
)


def all_builds() -> list[Build]:
    """One row a source, then the variants."""
    sources = sorted(path.stem for path in (EXAMPLES / "cuda").glob("*.cu"))
    return [*(Build(source) for source in sources), *VARIANTS]


def compiler_version() -> str:
    """The first line of the compiler's own version text."""
    shown = subprocess.run([COMPILER, "--version"], check=True, capture_output=True, text=True)
    return shown.stdout.splitlines()[0]


def compile_ptx(build: Build, version: str) -> str:
    """The PTX of one row with its three header lines."""
    command = build.command()
    made = subprocess.run(
        command, check=True, capture_output=True, text=True, cwd=EXAMPLES / "cuda"
    )
    header = (
        f"// source: examples/cuda/{build.source}.cu\n"
        f"// command: {' '.join(command)}\n"
        f"// compiler: {version}\n"
    )
    return header + made.stdout


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", help="sources to build (default: all)")
    parser.add_argument("--check", action="store_true", help="compare with the files, write none")
    options = parser.parse_args(arguments)
    version = compiler_version()
    stale = 0
    for build in all_builds():
        if options.names and build.source not in options.names:
            continue
        text = compile_ptx(build, version)
        if options.check:
            same = build.output.exists() and build.output.read_text() == text
            stale += not same
            print(f"{'ok' if same else 'STALE':6}{build.output.name}")
            continue
        build.output.write_text(text)
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
