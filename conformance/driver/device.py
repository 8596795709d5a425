"""The device behind `libcuda.c`: modules are translated, launches run in the emulator.

Comes in: calls of the library, as ctypes callbacks. Goes out: CUresult numbers, and a line of JSON
for every module and launch that failed. Device memory is host memory at the same addresses. It must
know nothing of the program it serves.
"""

from __future__ import annotations

import ctypes as c
import hashlib
import json
import os
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

import ptxlift
from ptxlift.driver.kernels import Param
from ptxlift.llvm.isolate import Worker

SUCCESS, INVALID, NOT_FOUND, UNSUPPORTED, FAILED = 0, 1, 500, 801, 719
NEXT_MODULE = "\n//// next module ////\n"
DYNAMIC_SHARED, MOST_THREADS, PTX_VERSION = 8, 0, 5
STEPS = int(os.environ.get("PTXLIFT_DRIVER_STEPS", "3000000"))
EMULATOR_RANGE = range(0x1000_0000_0000, 0x2000_0000_0000)
ATTRIBUTES = {0: 1024, 1: 0, 2: 0, 3: 0, 4: 32, 5: 80, 6: 80, 7: 0, 8: 65536}

_HEAP = 1 << 20  # bytes for `malloc` and `free` of kernels


class Hooks(c.Structure):
    """The functions that the library calls; the same order as in `libcuda.c`."""

    _fields_ = (
        ("load", c.CFUNCTYPE(c.c_int, c.c_void_p, c.POINTER(c.c_uint64))),
        ("function", c.CFUNCTYPE(c.c_int, c.c_uint64, c.c_char_p, c.POINTER(c.c_uint64))),
        (
            "launch",
            c.CFUNCTYPE(
                c.c_int,
                c.c_uint64,
                c.POINTER(c.c_uint32),
                c.c_uint32,
                c.POINTER(c.c_void_p),
                c.c_void_p,
                c.c_uint64,
            ),
        ),
        (
            "variable",
            c.CFUNCTYPE(
                c.c_int, c.c_uint64, c.c_char_p, c.POINTER(c.c_uint64), c.POINTER(c.c_uint64)
            ),
        ),
        ("attribute", c.CFUNCTYPE(c.c_int, c.c_uint64, c.c_int, c.POINTER(c.c_int))),
        ("allocated", c.CFUNCTYPE(c.c_int, c.c_uint64, c.c_uint64, c.c_int)),
        ("host", c.CFUNCTYPE(c.c_uint64, c.c_uint64)),
        ("unload", c.CFUNCTYPE(c.c_int, c.c_uint64)),
    )


@dataclass
class Module:
    """One loaded program; `known`: the allocations that its memory holds."""

    key: str
    texts: list[str]
    program: ptxlift.Program
    params: Callable[[str], tuple[Param, ...]]
    known: dict[int, ptxlift.Buffer] = field(default_factory=dict)


class Device:
    """All modules and allocations. `where`: "interpreter", or a target for the emulator."""

    def __init__(self, where: str, save: Path | None, log: Path | None) -> None:
        self.where, self.save, self.log = where, save, log
        self.modules: dict[int, Module] = {}
        self.functions: list[tuple[int, str]] = []
        self.memory: dict[int, np.ndarray[Any, Any]] = {}
        self.launches = 0
        self.worker = Worker()  # LLVM's death shall be an error
        self.deadline = 0.0  # launches after this time fail; 0: no limit

    # ---- what went wrong ----

    def note(self, what: str, module: str, kernel: str, error: BaseException) -> None:
        """One line in the log."""
        line = {"what": what, "module": module, "kernel": kernel, "code": "crash"}
        if isinstance(error, ptxlift.PtxError):
            first = error.diagnostics[0]
            line |= {"code": first.code, "message": first.message[:400]}
            if first.span is not None:
                text = first.span.source.text
                line["statement"] = text[first.span.start : first.span.end][:160]
        else:
            line["message"] = "".join(traceback.format_exception(error))[-1500:]
        if self.log is not None:
            with self.log.open("a") as file:
                file.write(json.dumps(line) + "\n")

    # ---- calls of the library ----

    def load(self, image: int, number: Any) -> int:  # Any: a ctypes pointer
        raw = c.string_at(image)
        if not raw.lstrip().startswith((b"//", b".version")):
            self.note("load", "", "", ValueError(f"not PTX: {raw[:16]!r}"))
            return UNSUPPORTED
        texts = raw.decode(errors="replace").split(NEXT_MODULE)
        key = hashlib.sha256(raw).hexdigest()[:16]
        if self.save is not None:
            for at, text in enumerate(texts):
                (self.save / f"{key}-{at}.ptx").write_text(text)
        try:
            module = self.make(key, texts)
        except Exception as error:
            self.note("load", key, "", error)
            return FAILED
        number[0] = len(self.modules) + 1
        self.modules[number[0]] = module
        return SUCCESS

    def make(self, key: str, texts: list[str]) -> Module:
        """Translates a program and puts it on the device."""
        if self.where == "interpreter":
            program = ptxlift.load(texts, "interpreter")
        else:
            options = ptxlift.Options(on_unsupported="skip", heap_bytes=_HEAP)
            run = self.worker.run
            made = ptxlift.lift(texts, self.where, options=options, name=key, compiler=run)
            assert made.code_object
            for name, found in made.failed.items():
                self.note("refused", key, name, ptxlift.PtxError(list(found)))
            program = ptxlift.load(made)
        # The device knows the parameters of its kernels.
        return Module(key, texts, program, program._device.params)

    def function(self, module: int, name: bytes, number: Any) -> int:  # Any: a ctypes pointer
        try:
            self.modules[module].params(name.decode())
        except (ptxlift.PtxError, KeyError):
            return NOT_FOUND
        self.functions.append((module, name.decode()))
        number[0] = len(self.functions)
        return SUCCESS

    def launch(
        self, function: int, shape: Any, shared: int, params: Any, block: int, size: int
    ) -> int:  # Any: ctypes pointers
        number, kernel = self.functions[function - 1]
        module = self.modules[number]
        sizes = tuple(shape[at] for at in range(6))
        self.launches += 1
        try:
            if self.deadline and time.monotonic() > self.deadline:
                raise TimeoutError("the test takes too long here")
            self.refresh(module)
            arguments = []
            whole = c.string_at(block, size) if block else b""
            for at, param in enumerate(module.params(kernel)):
                if block:
                    arguments.append(whole[param.offset : param.offset + param.size])
                else:
                    arguments.append(c.string_at(params[at], param.size))
            result = module.program.launch(
                kernel, sizes[:3], sizes[3:], arguments, shared, max_steps=STEPS
            )
        except Exception as error:
            self.note("launch", module.key, kernel, error)
            return FAILED
        if result.stdout:
            os.write(1, result.stdout.encode())
        return SUCCESS

    def refresh(self, module: Module) -> None:
        """The module's memory holds what is allocated now."""
        for address in [a for a in module.known if a not in self.memory]:
            module.program.free(module.known.pop(address))
        for address, array in self.memory.items():
            if address not in module.known:
                module.known[address] = module.program.alloc(array, address)

    def variable(self, module: int, name: bytes, address: Any, size: Any) -> int:  # Any: pointers
        try:
            found = self.modules[module].program.symbol(name.decode())
        except (ptxlift.PtxError, KeyError):
            return NOT_FOUND
        address[0], size[0] = found.address, found.array.nbytes
        self.memory.setdefault(found.address, found.array)
        self.modules[module].known[found.address] = found
        return SUCCESS

    def host(self, address: int) -> int:
        """Where the bytes of a module variable are."""
        for base, array in self.memory.items():
            if base <= address < base + array.nbytes:
                return array.ctypes.data + address - base
        return address

    def attribute(self, function: int, which: int, value: Any) -> int:  # Any: a pointer
        value[0] = ATTRIBUTES.get(which, 0)
        return SUCCESS

    def allocated(self, address: int, size: int, alive: int) -> int:
        if alive:
            raw = (c.c_uint8 * size).from_address(address)
            self.memory[address] = np.frombuffer(raw, np.uint8)
        else:
            self.memory.pop(address, None)
        return SUCCESS

    def unload(self, module: int) -> int:
        # Numbers of modules are not used again: functions may still name them.
        return SUCCESS


_KEPT: list[Any] = []  # the library calls these for as long as the process lives


def install(library: str) -> Device:
    """Makes the emulator the device of `libcuda.so.1`; the environment says how."""
    save, log = os.environ.get("PTXLIFT_DRIVER_SAVE"), os.environ.get("PTXLIFT_DRIVER_LOG")
    where = os.environ.get("PTXLIFT_DRIVER_DEVICE", "gfx942")
    device = Device(where, Path(save) if save else None, Path(log) if log else None)
    hooks = Hooks()
    for name, kind in Hooks._fields_:
        setattr(hooks, name, kind(getattr(device, name)))
    loaded = c.CDLL(library, mode=c.RTLD_GLOBAL)
    loaded.set_hooks(c.byref(hooks))
    _KEPT.extend((hooks, loaded, device))
    return device
