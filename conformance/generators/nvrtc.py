"""CUDA text becomes PTX through NVRTC, which the scratch environment holds."""

from __future__ import annotations

from pathlib import Path

from cuda.bindings import nvrtc

ARCH = "--gpu-architecture=compute_80"


class CompileError(Exception):
    """What the compiler said."""


def cuda_headers() -> str:
    """The folder with cuda_fp16.h: of the toolkit on the path, else of the environment."""
    import shutil

    found = shutil.which("nvcc")
    root = Path(found).resolve().parents[1] if found else Path("/usr/local/cuda")
    for folder in (
        root / "include",
        *root.glob("targets/*/include"),
        Path("/usr/local/cuda/include"),
    ):
        if (folder / "cuda_fp16.h").exists():
            return str(folder)
    return str(root)


def compile_text(text: str, name: str, options: tuple[str, ...] = ()) -> str:
    """PTX of one source."""
    error, program = nvrtc.nvrtcCreateProgram(text.encode(), name.encode(), 0, [], [])
    given = [option.encode() for option in (ARCH, "-std=c++17", "-default-device", *options)]
    (error,) = nvrtc.nvrtcCompileProgram(program, len(given), given)
    if error != nvrtc.nvrtcResult.NVRTC_SUCCESS:
        _, size = nvrtc.nvrtcGetProgramLogSize(program)
        log = b" " * size
        nvrtc.nvrtcGetProgramLog(program, log)
        lines = [line for line in log.decode(errors="replace").splitlines() if "error" in line]
        raise CompileError((lines or [str(error)])[0][-200:])
    _, size = nvrtc.nvrtcGetPTXSize(program)
    ptx = b" " * size
    nvrtc.nvrtcGetPTX(program, ptx)
    nvrtc.nvrtcDestroyProgram(program)
    return ptx.rstrip(b"\0 ").decode()
