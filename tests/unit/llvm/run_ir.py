"""Runs IR on the emulator, and builds kernels that apply one pure op to arrays.

Comes in: `ir` functions and numpy arrays. Goes out: what the compiled code leaves in memory.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ptxlift import emulator
from ptxlift.interp.lanes import Lanes, dtype_of
from ptxlift.ir.attributes import Space, Special
from ptxlift.ir.builder import Builder
from ptxlift.ir.core import Block, Function, KernelParam, Module, Value
from ptxlift.ir.verify import verify_module
from ptxlift.link import link, listing
from ptxlift.llvm.amdgpu import AmdgpuBackend
from ptxlift.llvm.options import CodegenOptions, Compiled
from ptxlift.target import TargetSpec, lookup

Body = Callable[[Builder, list[Value]], Sequence[Value]]
THREADS = 64


@dataclass(frozen=True)
class Built:
    """A compiled module for one target."""

    spec: TargetSpec
    compiled: Compiled
    text: str

    @cached_property
    def image(self) -> emulator.Image:
        """The linked code object, loaded."""
        objects = [self.compiled.object]
        code = link(objects, target_id=self.spec.target_id)
        return emulator.load_code_object(code, listing(objects), self.spec.target_id)


def build(module: Module, target: str, options: CodegenOptions | None = None) -> Built:
    """Emits and compiles a module."""
    verify_module(module)
    spec, options, backend = lookup(target), options or CodegenOptions(), AmdgpuBackend()
    emitted = backend.emit_module(module, spec, options)
    compiled = backend.compile(backend.job(module.name, emitted, spec, options))
    return Built(spec, compiled, emitted.text)


def launch(
    built: Built,
    kernel: str,
    grid: tuple[int, int, int],
    block: tuple[int, int, int],
    arguments: Sequence[NDArray[np.generic] | int],
    shared: int = 0,
    approx: emulator.Approx = emulator.Approx.EXACT,
) -> None:
    """One launch; arrays are passed by address and changed in place."""
    memory = emulator.Memory()
    image = built.image
    packed = b""
    for argument in arguments:
        number = argument if isinstance(argument, int) else memory.alloc(argument)
        packed += struct.pack("<Q", number)
    options = emulator.Options(approx=approx)
    emulator.launch(image, memory, kernel, grid, block, packed, shared, options=options)


def launch_with_block(
    built: Built, kernel: str, block: bytearray, offset: int, result: NDArray[np.generic]
) -> None:
    """One thread with these parameter bytes, the result's address put in at an offset."""
    memory = emulator.Memory()
    block[offset : offset + 8] = struct.pack("<Q", memory.alloc(result))
    emulator.launch(built.image, memory, kernel, (1, 1, 1), (1, 1, 1), bytes(block))


def kernel_of_op(name: str, body: Body, inputs: Sequence[int], outputs: Sequence[int]) -> Function:
    """A kernel that loads one element of each input array, by its number in the grid, applies
    `body` and stores the results. Booleans take a byte.
    """
    function = Function(name, is_kernel=True, linkage="visible")
    b = Builder()
    function.blocks.append(b.block)
    for index in range(len(inputs) + len(outputs)):
        param = KernelParam(f"{name}_param_{index}", 8 * index, 8, 8, "u64")
        function.kernel_params.append(param)
    function.param_bytes = 8 * len(function.kernel_params)
    block = b.mul(b.special(32, Special.CTAID_X), b.special(32, Special.NTID_X))
    thread = b.zext(b.add(block, b.special(32, Special.TID_X)), 64)
    values = [_load(b, index, width, thread) for index, width in enumerate(inputs)]
    results = body(b, values)  # may go on in blocks of its own
    function.blocks += _following(b, function.blocks[0])
    for index, (width, value) in enumerate(zip(outputs, results, strict=True)):
        address, size = _place(b, len(inputs) + index, width, thread)
        stored = b.zext(value, 8) if width == 1 else value
        b.store(address, [stored], Space.GLOBAL, size * 8, size)
    b.ret()
    return function


def _following(b: Builder, first: Block) -> list[Block]:
    """The blocks after the first, in the order they are reached."""
    found, work = [], [first]
    while work:
        block = work.pop()
        if block is b.block:
            continue
        for successor in block.terminator.successors:
            if successor not in found:
                found.append(successor)
                work.append(successor)
    return found


def _place(b: Builder, index: int, width: int, thread: Value) -> tuple[Value, int]:
    size = max(width // 8, 1)
    base = b.from_generic(b.kernel_param(64, 8 * index), 64, Space.GLOBAL)
    return b.add(base, b.mul(thread, b.const(64, size))), size


def _load(b: Builder, index: int, width: int, thread: Value) -> Value:
    address, size = _place(b, index, width, thread)
    value = b.load(address, Space.GLOBAL, size * 8, 1, size)[0]
    return b.trunc(value, 1) if width == 1 else value


def run_ops(
    bodies: dict[str, tuple[Body, Sequence[int], Sequence[int]]],
    inputs: dict[str, list[Lanes]],
    target: str,
    options: CodegenOptions | None = None,
    approx: emulator.Approx = emulator.Approx.EXACT,
) -> dict[str, list[Lanes]]:
    """Compiles all bodies as kernels of one module and runs each on its inputs."""
    functions = {n: kernel_of_op(n, *parts) for n, parts in bodies.items()}
    built = build(Module("ops", functions), target, options)
    results = {}
    for name, (_, _, outputs) in bodies.items():
        count = len(inputs[name][0])
        arrays = [a.astype(np.uint8) if a.dtype == bool else a.copy() for a in inputs[name]]
        stored = [np.zeros(count, np.uint8 if w == 1 else dtype_of(w)) for w in outputs]
        blocks = count // THREADS
        launch(built, name, (blocks, 1, 1), (THREADS, 1, 1), [*arrays, *stored], approx=approx)
        results[name] = [
            out.astype(np.bool_) if w == 1 else out for w, out in zip(outputs, stored, strict=True)
        ]
    return results
