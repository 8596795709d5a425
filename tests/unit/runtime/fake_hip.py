"""A stand-in for hip-python's module: it checks how it is called, writes that down, and runs
launches in the emulator. Signatures and types are those of hip-python 6.
"""

from __future__ import annotations

import ctypes
from enum import IntEnum
from typing import Any

import numpy as np

from ptxlift import Translation, emulator


class hipError_t(IntEnum):
    hipSuccess = 0
    hipErrorInvalidValue = 1
    hipErrorOutOfMemory = 2
    hipErrorInvalidImage = 200
    hipErrorNotFound = 500
    hipErrorIllegalAddress = 700


class hipMemcpyKind(IntEnum):
    hipMemcpyHostToDevice = 1
    hipMemcpyDeviceToHost = 2


class hipDeviceProp_t:
    gcnArchName = b""


class Pointer:
    """What `hipMalloc` gives: no number, but it can become one."""

    def __init__(self, address: int) -> None:
        self.address = address

    def __int__(self) -> int:
        return self.address


class FakeHip:
    """The module. `calls`: names in order; `launches`: (kernel, grid, block, shared, arguments)."""

    hipError_t = hipError_t
    hipMemcpyKind = hipMemcpyKind
    hipDeviceProp_t = hipDeviceProp_t

    def __init__(self, translation: Translation, arch: str) -> None:
        self._translation = translation
        self._arch = arch
        self._memory = emulator.Memory()
        self._image: Any = None
        self._mapped: dict[int, Any] = {}
        self.calls: list[str] = []
        self.launches: list[tuple[str, tuple[int, ...], tuple[int, ...], int, bytes]] = []
        self.live: set[int] = set()
        self.fails: dict[str, hipError_t] = {}

    def _status(self, name: str, *results: object) -> tuple[object, ...]:
        self.calls.append(name)
        return (self.fails.get(name, hipError_t.hipSuccess), *results)

    def hipGetDevice(self) -> tuple[object, ...]:
        return self._status("hipGetDevice", 2)

    def hipGetDeviceProperties(self, properties: Any, number: int) -> tuple[object, ...]:
        assert isinstance(properties, hipDeviceProp_t) and number == 2
        properties.gcnArchName = self._arch.encode() + b"\0junk"
        return self._status("hipGetDeviceProperties")

    def hipModuleLoadData(self, image: object) -> tuple[object, ...]:
        assert image == self._translation.code_object
        self._image = emulator.load_code_object(
            self._translation.code_object, self._translation.listing, self._translation.target
        )
        self._image.map_into(self._memory)
        return self._status("hipModuleLoadData", "module")

    def hipModuleUnload(self, module: object) -> tuple[object, ...]:
        assert module == "module"
        return self._status("hipModuleUnload")

    def hipModuleGetFunction(self, module: object, name: object) -> tuple[object, ...]:
        assert module == "module" and isinstance(name, bytes)
        return self._status("hipModuleGetFunction", ("function", name.decode()))

    def hipModuleGetGlobal(self, module: object, name: object) -> tuple[object, ...]:
        assert module == "module" and isinstance(name, bytes)
        address, array = self._image.variable(name.decode())
        self._mapped[address] = array.view(np.uint8).reshape(-1)
        return self._status("hipModuleGetGlobal", Pointer(address), array.nbytes)

    def hipMalloc(self, size: int) -> tuple[object, ...]:
        assert size > 0
        if "hipMalloc" in self.fails:
            return self._status("hipMalloc", None)
        array = np.full(size, 0xAA, np.uint8)  # fresh memory holds anything
        address = self._memory.alloc(array)
        self._mapped[address] = array
        self.live.add(address)
        return self._status("hipMalloc", Pointer(address))

    def hipFree(self, pointer: object) -> tuple[object, ...]:
        self.live.remove(int(pointer))  # type: ignore[call-overload]
        return self._status("hipFree")

    def hipMemcpy(self, to: int, source: int, size: int, kind: object) -> tuple[object, ...]:
        there, host = (to, source) if kind is hipMemcpyKind.hipMemcpyHostToDevice else (source, to)
        array = self._mapped[there]
        assert size <= array.nbytes
        if kind is hipMemcpyKind.hipMemcpyHostToDevice:
            ctypes.memmove(array.ctypes.data, host, size)
        else:
            assert kind is hipMemcpyKind.hipMemcpyDeviceToHost
            ctypes.memmove(host, array.ctypes.data, size)
        return self._status("hipMemcpy")

    def hipModuleLaunchKernel(
        self, function: Any, gx: int, gy: int, gz: int, bx: int, by: int, bz: int, shared: int,
        stream: object, parameters: object, extra: object,
    ) -> tuple[object, ...]:  # fmt: skip
        assert stream is None and parameters is None and isinstance(extra, tuple)
        assert function[0] == "function" and len(extra) <= 1
        assert all(isinstance(entry, ctypes.Structure) for entry in extra)
        data = b"".join(bytes(entry) for entry in extra)
        name = function[1]
        self.launches.append((name, (gx, gy, gz), (bx, by, bz), shared, data))
        if "hipModuleLaunchKernel" not in self.fails:
            emulator.launch(
                self._image, self._memory, name, (gx, gy, gz), (bx, by, bz), data, shared
            )
        return self._status("hipModuleLaunchKernel")

    def hipDeviceSynchronize(self) -> tuple[object, ...]:
        return self._status("hipDeviceSynchronize")
