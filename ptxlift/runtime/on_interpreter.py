"""The reference interpreter as a device: the PTX itself runs."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from ptxlift import interp, ptx
from ptxlift.diag import PtxError
from ptxlift.driver.kernels import Param
from ptxlift.driver.translation import Texts
from ptxlift.runtime.arguments import Addressed, parameter_block
from ptxlift.runtime.buffers import Array, Buffer
from ptxlift.runtime.device import Launch, RunResult
from ptxlift.runtime.image_memory import ImageMemory


class InterpreterDevice:
    """One checked program and its memory."""

    def __init__(self, texts: Texts, checks: Iterable[str] = ()) -> None:
        if not isinstance(texts, str | bytes):
            if len(texts) != 1:
                raise PtxError.of(
                    "PTX307",
                    "the interpreter runs one module",
                    hint="use the emulator for programs of several",
                )
            texts = texts[0]
        self._module = ptx.parse_module(texts, "<ptx>")
        self._machine = interp.Machine(self._module, checks)
        self._addresses: dict[int, Buffer] = {}  # by id of the array, which the buffer keeps alive
        self.images = ImageMemory(self.alloc, self.free, None)

    def params(self, kernel: str) -> tuple[Param, ...]:
        function = self._module.functions.get(kernel)
        if function is None or function.kind != "entry":
            raise PtxError.of("PTX401", f"no kernel named '{kernel}'")
        variables = [p for p in function.params if isinstance(p, ptx.Variable)]
        return tuple(Param(v.name, v.type.name, v.size, v.align, v.offset) for v in variables)

    def alloc(self, array: Array, address: int | None = None) -> Buffer:
        known = self._addresses.get(id(array))
        if known is None:
            known = Buffer(array, self._machine.alloc(array, address))
            self._addresses[id(array)] = known
        return known

    def _address_of(self, argument: Addressed) -> int:
        if isinstance(argument, np.ndarray):
            return self.alloc(argument).address
        return self.images.address(argument)

    def free(self, buffer: Buffer) -> None:
        if self._addresses.pop(id(buffer.array), None) is None:
            raise PtxError.of("PTX401", "this buffer was freed before, or not made by `alloc`")
        self._machine.free(buffer.address)

    def symbol(self, name: str) -> Buffer:
        address, array = self._machine.variable(name)
        return Buffer(array, address)

    def launch(self, launch: Launch) -> RunResult:
        arguments = parameter_block(
            launch.kernel,
            self.params(launch.kernel),
            launch.arguments,
            self._address_of,
        )
        self.images.copy_there()
        stdout = self._machine.launch(
            launch.kernel,
            launch.grid,
            launch.block,
            arguments,
            shared=launch.shared,
            max_steps=launch.max_steps,
        )
        self.images.copy_back()
        return RunResult(stdout)
