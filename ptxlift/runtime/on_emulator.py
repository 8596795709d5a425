"""The emulator as a device: the code object's AMDGPU code runs in software."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from ptxlift import emulator
from ptxlift.diag import PtxError
from ptxlift.driver.kernels import Param
from ptxlift.driver.translation import Translation
from ptxlift.runtime.arguments import Addressed, parameter_block
from ptxlift.runtime.buffers import Array, Buffer
from ptxlift.runtime.device import CHECKS_OF_EMULATOR, Launch, RunResult, params_of
from ptxlift.runtime.image_memory import ImageMemory
from ptxlift.target import lookup


class EmulatorDevice:
    """One loaded code object and its memory."""

    def __init__(self, translation: Translation, checks: Iterable[str] = ()) -> None:
        unknown = [name for name in checks if name not in CHECKS_OF_EMULATOR]
        if unknown:
            raise PtxError.of(
                "PTX307",
                f"the emulator has no check '{unknown[0]}'",
                hint=f"it has {', '.join(CHECKS_OF_EMULATOR)}; the interpreter has others",
            )
        self._options = emulator.Options(check_hazards=bool(tuple(checks)))
        self._translation = translation
        self._memory = emulator.Memory()
        self._image = emulator.load_code_object(
            translation.code_object, translation.listing, translation.target
        )
        self._image.map_into(self._memory)
        self._addresses: dict[int, Buffer] = {}  # by id of the array, which the buffer keeps alive
        self.images = ImageMemory(self.alloc, self.free, lookup(translation.target))

    def params(self, kernel: str) -> tuple[Param, ...]:
        return params_of(self._translation, kernel)

    def alloc(self, array: Array, address: int | None = None) -> Buffer:
        known = self._addresses.get(id(array))
        if known is not None:
            return known
        if address is None:
            address = self._memory.alloc(array)
        else:
            self._memory.map_at(address, array, "")
        known = Buffer(array, address)
        self._addresses[id(array)] = known
        return known

    def _address_of(self, argument: Addressed) -> int:
        if isinstance(argument, np.ndarray):
            return self.alloc(argument).address
        return self.images.address(argument)

    def free(self, buffer: Buffer) -> None:
        if self._addresses.pop(id(buffer.array), None) is None:
            raise PtxError.of("PTX401", "this buffer was freed before, or not made by `alloc`")
        self._memory.free(buffer.address)

    def symbol(self, name: str) -> Buffer:
        address, array = self._image.variable(name)
        return Buffer(array, address)

    def launch(self, launch: Launch) -> RunResult:
        params = self.params(launch.kernel)
        block = self._translation.kernels[launch.kernel].launch_block(launch.block)
        arguments = parameter_block(launch.kernel, params, launch.arguments, self._address_of)
        self.images.copy_there()
        stats = emulator.launch(
            self._image,
            self._memory,
            launch.kernel,
            launch.grid,
            block,
            arguments,
            launch.shared,
            max_steps=launch.max_steps,
            options=self._options,
        )
        self.images.copy_back()
        return RunResult(stats.stdout, stats.profile(), executed=stats.executed)
