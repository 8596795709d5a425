"""A CUDA program, host code and all: nvcc compiles it, its launches run in ptxlift's emulator.

Comes in: a `.cu` source with `extern "C"` functions. Goes out: a library of its host code whose
kernels, taken from its fat binary, run wherever the loaded program runs them. Addresses of device
memory are those of the host's, so no argument is translated.
"""

from __future__ import annotations

import ctypes
import hashlib
import shutil
import subprocess
from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

import ptxlift
from ptxlift.runtime import program as runtime

RUNTIME = Path(__file__).with_name("cuda_runtime.c")
NVCC = shutil.which("nvcc")
_OPTIONS = ("-std=c++17", "-shared", "-Xcompiler", "-fPIC", "-cudart", "none", "-w")
_CODE = ("-gencode", "arch=compute_80,code=compute_80")

_MAP = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_size_t)
_UNMAP = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
_LAUNCH = ctypes.CFUNCTYPE(
    ctypes.c_int,
    ctypes.c_char_p,
    ctypes.POINTER(ctypes.c_uint),
    ctypes.POINTER(ctypes.c_void_p),
    ctypes.c_size_t,
)
_SHARED = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_char_p)


class _Device(ctypes.Structure):
    _fields_ = (("map", _MAP), ("unmap", _UNMAP), ("launch", _LAUNCH), ("shared", _SHARED))


def build(source: Path, cache: Path) -> tuple[Path, Path]:
    """The libraries of the runtime and of a program, compiled once for each state of the source."""
    assert NVCC is not None
    host = (NVCC, "-x", "c", *_OPTIONS[1:])
    return _compiled(RUNTIME, host, cache), _compiled(source, (NVCC, *_OPTIONS, *_CODE), cache)


def _compiled(source: Path, command: tuple[str, ...], cache: Path) -> Path:
    version = subprocess.run([command[0], "--version"], check=True, capture_output=True).stdout
    parts = [version, " ".join(command[1:]).encode(), source.read_bytes()]
    parts.extend(path.read_bytes() for path in sorted(source.parent.glob("*.h")))
    key = hashlib.sha256(b"\0".join(parts)).hexdigest()[:16]
    path = cache / f"lib{source.stem}-{key}.so"
    if not path.exists():
        made = path.with_suffix(".new")
        subprocess.run([*command, str(source), "-o", str(made)], check=True)
        made.rename(path)
    return path


def image_of(library: Path) -> str:
    """The PTX that a program carries."""
    images = ptxlift.extract(library)
    assert len(images) == 1, "compiled for one architecture"
    return images[0].text


class HostProgram:
    """A program on a device; its `extern "C"` functions are those of `library`."""

    def __init__(self, runtime_library: Path, library: Path, place: Callable[[str], Any]) -> None:
        """`place` loads PTX, as `ptxlift.load` does."""
        self._place = place
        self._text = image_of(library)
        self._buffers: dict[int, runtime.Buffer] = {}
        self._problems: list[ptxlift.PtxError] = []
        self.launched: list[str] = []  # kernels, in order
        self._callbacks = _Device(
            _MAP(self._map), _UNMAP(self._unmap), _LAUNCH(self._launch), _SHARED(self._shared)
        )
        host = ctypes.CDLL(str(runtime_library), ctypes.RTLD_GLOBAL)
        host.set_device(self._callbacks)
        self.library = ctypes.CDLL(str(library))

    @cached_property
    def program(self) -> runtime.Program:
        """The program on its device."""
        loaded: runtime.Program = self._place(self._text)
        return loaded

    @cached_property
    def _module(self) -> Any:
        return ptxlift.parse(self._text)

    def call(self, function: str, *arguments: Any) -> int:
        """Calls a host function; an error of a launch in it is raised here."""
        self._problems.clear()
        code: int = getattr(self.library, function)(*map(_argument, arguments))
        if self._problems:
            raise self._problems[0]
        return code

    def _map(self, address: int, count: int) -> None:
        data = np.frombuffer((ctypes.c_uint8 * count).from_address(address), np.uint8)
        self._buffers[address] = self.program.alloc(data, address)

    def _unmap(self, address: int) -> None:
        self.program.free(self._buffers.pop(address))

    def _launch(self, name: bytes, shape: Any, arguments: Any, shared: int) -> int:
        kernel = name.decode()
        self.launched.append(kernel)
        params = self._module.functions[kernel].params
        blocks = [ctypes.string_at(arguments[at], p.size) for at, p in enumerate(params)]
        try:
            self.program.launch(kernel, shape[:3], shape[3:6], blocks, shared)
        except ptxlift.PtxError as problem:  # ctypes would only print it
            self._problems.append(problem)
            return 1
        return 0

    def _shared(self, name: bytes) -> int:
        return 0


def _argument(value: Any) -> Any:
    """Arrays as host pointers."""
    return ctypes.c_void_p(value.ctypes.data) if isinstance(value, np.ndarray) else value
