"""A GPU as a device, through hip-python: the code object runs on the machine it was made for.

Comes in: a translation. Goes out: calls of HIP's module API. Arrays stay numpy's: before a launch
all that the program knows are copied to the device, after it back, so that results are seen in
place as on the other devices. It must know nothing of PTX.
"""

from __future__ import annotations

import ctypes
import weakref
from typing import Any

import numpy as np

from ptxlift.diag import PtxError
from ptxlift.driver.kernels import Param
from ptxlift.driver.translation import Translation
from ptxlift.records import dataclass
from ptxlift.runtime.arguments import Addressed, parameter_block
from ptxlift.runtime.buffers import Array, Buffer
from ptxlift.runtime.device import Launch, RunResult, params_of
from ptxlift.runtime.image_memory import ImageMemory
from ptxlift.target import lookup

Hip = Any  # hip-python's module `hip.hip`, which has no types


@dataclass(frozen=True, slots=True)
class _Memory:
    """An array and its place on the device. `pointer`: None for a variable of the module."""

    buffer: Buffer
    pointer: object | None


class HipDevice:
    """One loaded code object and its memory on the current device."""

    def __init__(self, translation: Translation) -> None:
        self._translation = translation
        self._hip = hip = load_hip()
        _check_device(hip, translation)
        self._module = _call(hip, "hipModuleLoadData", translation.code_object)
        self._functions: dict[str, object] = {}
        self._memory: dict[int, _Memory] = {}  # by id of the array, which the buffer keeps alive
        self.images = ImageMemory(self.alloc, self.free, lookup(translation.target))
        weakref.finalize(self, _release, hip, self._module, self._memory)
        self._symbols: dict[str, Buffer] = {}

    def params(self, kernel: str) -> tuple[Param, ...]:
        return params_of(self._translation, kernel)

    def alloc(self, array: Array, address: int | None = None) -> Buffer:
        known = self._memory.get(id(array))
        if known is not None:
            return known.buffer
        if address is not None:
            hint = "use the emulator for programs that hold addresses in their data"
            raise PtxError.of("PTX401", "HIP chooses where memory lies", hint=hint)
        if not array.flags.c_contiguous:
            hint = "pass numpy.ascontiguousarray of it"
            raise PtxError.of("PTX401", "an array with gaps cannot be copied to a GPU", hint=hint)
        pointer = _call(self._hip, "hipMalloc", max(array.nbytes, 1))
        buffer = Buffer(array, int(pointer))
        self._memory[id(array)] = _Memory(buffer, pointer)
        return buffer

    def _address_of(self, argument: Addressed) -> int:
        if isinstance(argument, np.ndarray):
            return self.alloc(argument).address
        return self.images.address(argument)

    def free(self, buffer: Buffer) -> None:
        known = self._memory.get(id(buffer.array))
        if known is None or known.pointer is None:
            raise PtxError.of("PTX401", "this buffer was freed before, or not made by `alloc`")
        del self._memory[id(buffer.array)]
        _call(self._hip, "hipFree", known.pointer)

    def symbol(self, name: str) -> Buffer:
        known = self._symbols.get(name)
        if known is None:
            pointer, size = _call(self._hip, "hipModuleGetGlobal", self._module, name.encode())
            array: Array = np.zeros(int(size), np.uint8)
            known = Buffer(array, int(pointer))
            self._copy_back(known)
            self._memory[id(array)] = _Memory(known, None)
            self._symbols[name] = known
        return known

    def launch(self, launch: Launch) -> RunResult:
        if launch.max_steps is not None:
            hint = "use the emulator for kernels that may not end"
            raise PtxError.of("PTX401", "a GPU counts no steps", hint=hint)
        params = self.params(launch.kernel)
        block = self._translation.kernels[launch.kernel].launch_block(launch.block)
        arguments = parameter_block(launch.kernel, params, launch.arguments, self._address_of)
        function = self._function(launch.kernel)
        self.images.copy_there()
        for memory in self._memory.values():
            self._copy_there(memory.buffer)
        given = (_as_structure(arguments),) if arguments else ()
        _call(
            self._hip, "hipModuleLaunchKernel", function, *launch.grid, *block, launch.shared,
            None, None, given,
        )  # fmt: skip
        _call(self._hip, "hipDeviceSynchronize", code="PTX402")
        for memory in self._memory.values():
            self._copy_back(memory.buffer)
        self.images.copy_back()
        return RunResult()

    def _function(self, kernel: str) -> object:
        if kernel not in self._functions:
            name = kernel.encode()
            self._functions[kernel] = _call(self._hip, "hipModuleGetFunction", self._module, name)
        return self._functions[kernel]

    def _copy_there(self, buffer: Buffer) -> None:
        if buffer.array.nbytes:
            kind = self._hip.hipMemcpyKind.hipMemcpyHostToDevice
            array = buffer.array
            _call(self._hip, "hipMemcpy", buffer.address, array.ctypes.data, array.nbytes, kind)

    def _copy_back(self, buffer: Buffer) -> None:
        array = buffer.array
        if array.nbytes and array.flags.writeable:
            kind = self._hip.hipMemcpyKind.hipMemcpyDeviceToHost
            _call(self._hip, "hipMemcpy", array.ctypes.data, buffer.address, array.nbytes, kind)


def _release(hip: Hip, module: object, memory: dict[int, _Memory]) -> None:
    """Gives everything back; what fails then is of no use to anybody."""
    for known in memory.values():
        if known.pointer is not None:
            hip.hipFree(known.pointer)
    hip.hipModuleUnload(module)


def load_hip() -> Hip:
    """hip-python. Raises PTX307 where it, or ROCm, is not installed."""
    try:
        from hip import hip
    except (ImportError, OSError, RuntimeError) as error:
        hint = "install ROCm and ptxlift[hip], or use the emulator"
        message = f"device 'hip' needs hip-python: {error}"
        raise PtxError.of("PTX307", message, hint=hint) from None
    return hip


def device_target(hip: Hip) -> str:
    """The current device's target id, such as `gfx942:sramecc+:xnack-`."""
    number = _call(hip, "hipGetDevice")
    properties = hip.hipDeviceProp_t()
    _call(hip, "hipGetDeviceProperties", properties, number)
    name: bytes = properties.gcnArchName
    return name.split(b"\0")[0].decode()


def _check_device(hip: Hip, translation: Translation) -> None:
    """PTX302 for a program for another chip; what HIP makes of generic targets it says itself."""
    there, wanted = device_target(hip), translation.target
    name, *settings = wanted.split(":")
    if "generic" in name:
        return
    if name != there.split(":")[0] or not set(settings) <= set(there.split(":")):
        hint = f"translate for {there}"
        raise PtxError.of("PTX302", f"this GPU is {there}, the program for {wanted}", hint=hint)


def _as_structure(data: bytes) -> ctypes.Structure:
    """Bytes as hip-python takes them by value; several fields it would align by its own rule."""
    fields = [("data", ctypes.c_char * len(data))]
    made: ctypes.Structure = type("Arguments", (ctypes.Structure,), {"_fields_": fields})()
    ctypes.memmove(ctypes.addressof(made), data, len(data))
    return made


def _call(hip: Hip, name: str, *arguments: object, code: str = "PTX401") -> Any:
    """A call of HIP; what it returns besides the status. Raises `code` where that is an error."""
    status, *results = getattr(hip, name)(*arguments)
    if int(status) != 0:
        said = getattr(status, "name", str(status))
        raise PtxError.of(code, f"{name} failed: {said}", hint="the HIP documentation explains it")
    if len(results) == 1:
        return results[0]
    return tuple(results)
