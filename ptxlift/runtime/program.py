"""Loaded programs: `load`, `run`, and `Program` with its memory.

Comes in: PTX or a translation, a device name, launches. Goes out: changed arrays and `RunResult`s.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from operator import index
from typing import SupportsIndex

from ptxlift.diag import PtxError
from ptxlift.driver.translation import Texts, Translation, lift
from ptxlift.runtime.arguments import Argument, check_array
from ptxlift.runtime.buffers import Array, Buffer
from ptxlift.runtime.device import Device, Dim3, Launch, RunResult
from ptxlift.runtime.images import Image, Sampler

DEVICES = ("emulator", "interpreter", "hip")
_LARGEST_BLOCK = 1024
_ADDRESSES = 1 << 64
_TARGET = "gfx942"  # of texts on the emulator

Shape = int | Sequence[int]


class Program:
    """A program on a device, with state across launches."""

    def __init__(self, device: Device) -> None:
        self._device = device

    def alloc(self, array: Array, address: int | None = None) -> Buffer:
        """Makes an array device memory; `buffer + bytes` is an argument too. `address`: where it
        shall be, for programs that hold addresses in their data.
        """
        check_array(array)
        if address is not None and not 0 < address <= _ADDRESSES - array.nbytes:
            raise PtxError.of("PTX401", f"no array fits at the address {address}")
        return self._device.alloc(array, address)

    def free(self, buffer: Buffer | Image | Sampler) -> None:
        """Forgets an array that `alloc` made device memory, or a texture, surface or sampler."""
        if isinstance(buffer, Buffer):
            self._device.free(buffer)
        else:
            self._device.images.free(buffer)

    def symbol(self, name: str) -> Buffer:
        """A `.global` or `.const` variable; write to `.array` before a launch, read after it."""
        return self._device.symbol(name)

    def handle(self, described: Image | Sampler) -> int:
        """The 64-bit handle of a texture, surface or sampler, for arrays and structs of handles."""
        return self._device.images.address(described)

    def bind(self, name: str, described: Image | Sampler) -> None:
        """Makes a `.texref`, `.surfref` or `.samplerref` variable this texture, surface or
        sampler.
        """
        variable = self._device.symbol(name)
        words = self._device.images.words(described)
        if variable.array.nbytes != words.nbytes:
            raise PtxError.of("PTX401", f"'{name}' is no texture, surface or sampler")
        variable.array.view("uint8")[...] = words.view("uint8")

    def launch(
        self,
        kernel: str,
        grid: Shape,
        block: Shape,
        args: Sequence[Argument],
        shared: int = 0,
        max_steps: int | None = None,
    ) -> RunResult:
        """Runs a kernel to its end. Raises `PtxError` PTX401 for a bad launch, PTX4xx for
        faults.
        """
        grid3, block3 = _dim3("grid", grid), _dim3("block", block)
        threads = block3[0] * block3[1] * block3[2]
        if threads > _LARGEST_BLOCK:
            raise PtxError.of(
                "PTX401", f"a block of {threads} threads", hint=f"at most {_LARGEST_BLOCK}"
            )
        if max_steps is not None:
            max_steps = _number("max_steps", max_steps, 1)
        shared = _number("shared memory", shared, 0)
        if not isinstance(args, Iterable):
            raise PtxError.of("PTX401", f"the arguments are a list, not {args!r:.40}")
        return self._device.launch(Launch(kernel, grid3, block3, tuple(args), shared, max_steps))


def _number(what: str, given: object, least: int) -> int:
    value = index(given) if isinstance(given, SupportsIndex) else least - 1
    if value < least:
        raise PtxError.of("PTX401", f"{what} {given!r:.40}", hint=f"a number, at least {least}")
    return value


def _dim3(what: str, shape: Shape) -> Dim3:
    try:
        sizes = tuple(map(index, shape if isinstance(shape, Iterable) else (shape,)))
    except TypeError:
        sizes = ()
    if not 1 <= len(sizes) <= 3 or min(sizes) < 1:
        raise PtxError.of("PTX401", f"{what} {shape!r}", hint="one to three positive sizes")
    x, y, z = (*sizes, 1, 1)[:3]
    return x, y, z


def load(
    program: Texts | Translation,
    device: str = "emulator",
    *,
    target: str | None = None,
    checks: str | Iterable[str] = (),
) -> Program:
    """Puts a program on a device: "emulator" runs its AMDGPU code, "interpreter" its PTX, "hip" its
    AMDGPU code on the current GPU.

    `target` counts for PTX texts; a translation knows its own. Unsaid, it is the GPU's, or gfx942
    on the emulator. `checks`, as names or one text with commas: `uninitialised` and `races` on the
    interpreter (PTX408, PTX409 at the end of a launch), `hazards` on the emulator (PTX407).
    """
    if not isinstance(checks, Iterable):
        raise PtxError.of("PTX307", f"checks are names, not {checks!r:.40}")
    words = checks.split(",") if isinstance(checks, str) else checks
    names = tuple(word.strip() if isinstance(word, str) else word for word in words if word)
    match device:
        case "emulator":
            from ptxlift.runtime.on_emulator import EmulatorDevice

            if not isinstance(program, Translation):
                program = lift(program, target or _TARGET)
            return Program(EmulatorDevice(program, names))
        case "hip":
            from ptxlift.runtime.on_hip import HipDevice, device_target, load_hip

            if not isinstance(program, Translation):
                program = lift(program, target or device_target(load_hip()))
            if names:
                raise PtxError.of("PTX307", f"a GPU has no check '{names[0]}'")
            return Program(HipDevice(program))
        case "interpreter":
            from ptxlift.runtime.on_interpreter import InterpreterDevice

            texts = program.texts if isinstance(program, Translation) else program
            return Program(InterpreterDevice(texts, names))
        case _:
            raise PtxError.of("PTX307", f"device {device!r}", hint=f"one of {', '.join(DEVICES)}")


def run(
    program: Texts | Translation,
    kernel: str,
    grid: Shape,
    block: Shape,
    args: Sequence[Argument],
    *,
    shared: int = 0,
    device: str = "emulator",
    target: str | None = None,
    max_steps: int | None = None,
    checks: str | Iterable[str] = (),
) -> RunResult:
    """One launch. Arrays are passed by reference and changed in place; numpy and Python scalars by
    value (numpy scalars must have the parameter's size); bytes stand for structs. `checks`: as
    `load` says.
    """
    loaded = load(program, device, target=target, checks=checks)
    return loaded.launch(kernel, grid, block, args, shared, max_steps)
