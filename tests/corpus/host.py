"""Runs an example's CUDA source on the CPU, through g++ and examples/cuda/mini_host.h.

In go a source, a kernel and its arguments; the arrays are updated in place. This checks that the
sources compute what the references say without a GPU; nothing of ptxlift is used.
"""

from __future__ import annotations

import ctypes
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

COMPILE = ("g++", "-O1", "-std=c++17", "-fPIC", "-shared", "-ffp-contract=off", "-x", "c++")


def build_host_library(source: Path, kernels: Sequence[str], directory: Path) -> Path:
    """A shared library with one entry point a kernel."""
    entries = "\n".join(f"MINI_HOST_ENTRY({kernel})" for kernel in kernels)
    wrapper = directory / f"{source.stem}.host.cpp"
    wrapper.write_text(f'#define MINI_CUDA_HOST\n#include "{source}"\n{entries}\n')
    library = directory / f"{source.stem}.so"
    subprocess.run([*COMPILE, str(wrapper), "-o", str(library)], check=True)
    return library


def argument_address(value: Any) -> ctypes.c_void_p:  # Any: an array, a numpy scalar or bytes
    """Where a kernel argument lies: arrays pass their address, the rest their own bytes."""
    if isinstance(value, np.ndarray):
        raw = value.ctypes.data.to_bytes(8, "little")
    else:
        raw = bytes(value) if isinstance(value, bytes) else value.tobytes()
    return ctypes.cast(ctypes.create_string_buffer(raw), ctypes.c_void_p)


def run_on_host(
    library: Path,
    kernel: str,
    grid: tuple[int, int, int],
    block: tuple[int, int, int],
    arguments: Sequence[Any],  # Any: as above
    shared: int,
) -> None:
    """One launch; returns when all blocks are done."""
    entry = ctypes.CDLL(str(library))[f"mini_run_{kernel}"]
    addresses = [argument_address(value) for value in arguments]
    pointers = (ctypes.c_void_p * len(addresses))(*addresses)
    entry(pointers, (ctypes.c_uint * 3)(*grid), (ctypes.c_uint * 3)(*block), shared)
