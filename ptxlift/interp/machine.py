"""The reference interpreter: a checked module, its memory, and launches of its kernels.

Comes in: a module, numpy arrays, launches with the bytes of the parameter block. Goes out: changed
arrays and what the kernel printed, or a `PtxError` PTX4xx. It shares no code with the lifter.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from ptxlift.diag import PtxError
from ptxlift.interp.code import Code
from ptxlift.interp.layout import align_up, shared_layout, symbols_of
from ptxlift.interp.memory import Memory, Region
from ptxlift.interp.races import Races
from ptxlift.interp.schedule import Scheduler
from ptxlift.interp.special import RESERVED_ALIGN, RESERVED_BYTES, RESERVED_NAME
from ptxlift.interp.state import Dim3, Shape, State
from ptxlift.interp.values import function_address
from ptxlift.interp.waiting import Waiting
from ptxlift.interp.watch import Check, Watch, checks_of
from ptxlift.ptx import module as ptx

Array = npt.NDArray[Any]  # Any: arrays of every dtype are passed

_MOST_SLOTS = 1 << 14
_MOST_REGISTER_BYTES = 1 << 28
_MOST_THREADS = 1024


class Machine:
    """One program. Its memory and variables live from launch to launch."""

    def __init__(self, module: ptx.Module, checks: Iterable[str] = ()) -> None:
        self._module = module
        self._checks = checks_of(checks)
        self._memory = Memory()
        self._variables: dict[ptx.Variable, Region] = {}
        self._grid_words = self._memory.map(np.zeros(64, np.uint8), "the grid's counter").base
        self._map_variables()
        addresses = {variable: region.base for variable, region in self._variables.items()}
        self._code = Code(module, addresses, Check.UNINITIALISED in self._checks)
        self._initialise()

    # ---- memory ----

    def alloc(self, array: Array, address: int | None = None) -> int:
        """Makes an array device memory, shared with the caller, at a chosen address or a free
        one; gives the address.
        """
        if not array.flags.c_contiguous:
            raise PtxError.of(
                "PTX401", "the array is not contiguous", hint="pass numpy.ascontiguousarray(...)"
            )
        what = f"an array ({array.dtype}, shape {array.shape})"
        data = array.reshape(-1).view(np.uint8)
        if address is None:
            return self._memory.map(data, what, writable=array.flags.writeable).base
        if self._memory.overlaps(address, len(data)):
            raise PtxError.of("PTX401", "two arrays overlap in device memory")
        self._memory.add(Region(address, data, len(data), what, writable=array.flags.writeable))
        return address

    def free(self, address: int) -> None:
        """Forgets the array at an address."""
        region = self._memory.at(address)
        if region is None or region.base != address:
            raise PtxError.of("PTX401", f"no array begins at {address:#x}")
        self._memory.remove(region)

    def variable(self, name: str) -> tuple[int, Array]:
        """Address and bytes of a module variable."""
        found = self._module.variables.get(name)
        if found is None or found not in self._variables:
            raise PtxError.of("PTX401", f"no variable named '{name}' in global or const space")
        region = self._variables[found]
        return region.base, region.data()

    def _all_variables(self) -> Iterator[ptx.Variable]:
        yield from self._module.variables.values()
        for function in self._module.functions.values():
            yield from function.locals

    def _map_variables(self) -> None:
        for variable in self._all_variables():
            if variable.space not in (ptx.Space.GLOBAL, ptx.Space.CONST):
                continue
            constant = variable.space is ptx.Space.CONST
            what = f"{'constant' if constant else 'variable'} '{variable.name}'"
            data = np.zeros(variable.size, np.uint8)
            region = self._memory.map(data, what, writable=not constant)
            self._variables[variable] = region

    def _initialise(self) -> None:
        for variable, region in self._variables.items():
            if variable.initializer is None:
                continue
            initial = variable.initializer
            region.data()[: len(initial.data)] = np.frombuffer(initial.data, np.uint8)
            for relocation in initial.relocations:
                self._relocate(region, relocation)

    def _relocate(self, region: Region, relocation: ptx.Relocation) -> None:
        symbol = relocation.symbol
        if isinstance(symbol, ptx.Function):
            address = function_address(self._code.numbers[symbol])
        elif symbol in self._variables:
            address = self._variables[symbol].base
        else:
            raise PtxError.of(
                "PTX202",
                f"the address of '{symbol.name}' cannot be an initial value here",
                hint="only global and const variables and functions have fixed addresses",
            )
        value = (address + relocation.addend) >> relocation.shift
        mask = (1 << (8 * relocation.size)) - 1
        data = (value & mask).to_bytes(relocation.size, "little")
        start = relocation.offset
        region.data()[start : start + relocation.size] = np.frombuffer(data, np.uint8)

    # ---- launches ----

    def launch(
        self,
        kernel: str,
        grid: Dim3,
        block: Dim3,
        arguments: bytes,
        *,
        shared: int = 0,
        max_steps: int | None = None,
    ) -> str:
        """Runs one kernel to its end; gives what it printed. What checks found is told then."""
        function = self._module.functions.get(kernel)
        if function is None or function.kind != "entry" or function.body is None:
            raise PtxError.of("PTX401", f"no kernel named '{kernel}'")
        _check_shape(function, grid, block)
        layout = shared_layout(self._shared_variables(function))
        reserved, end = self._shared_end(layout.size + shared)
        number = self._code.numbers[function]
        data = np.frombuffer(arguments, np.uint8)
        params = self._memory.map(data, "the kernel's parameters", writable=False)
        output: list[str] = []
        watch = self._watch(kernel, grid, block)
        try:
            with np.errstate(all="ignore"):
                bits = sum(self._code.function(number).operands.widths)
                for shape in _batches(grid, block, bits):
                    state = State(shape, self._memory, layout, end, Waiting())
                    state.dynamic_shared, state.reserved_shared = shared, reserved
                    state.grid_words = self._grid_words
                    state.param_region = params
                    state.output = output
                    state.watch = watch
                    self._run(state, number, kernel, max_steps)
        except PtxError as fault:
            earlier = watch.diagnostics() if watch is not None else []
            raise PtxError([*earlier, *fault.diagnostics]) from None
        finally:
            self._memory.remove(params)
        if watch is not None:
            watch.report()
        return "".join(output)

    def _shared_end(self, own: int) -> tuple[int, int]:
        """Where reserved shared memory would begin, and where all of it ends."""
        reserved = align_up(own, RESERVED_ALIGN)
        asked = RESERVED_NAME in self._module.source.text
        return reserved, reserved + RESERVED_BYTES if asked else own

    def _watch(self, kernel: str, grid: Dim3, block: Dim3) -> Watch | None:
        if not self._checks:
            return None
        whole = Shape(grid, block, 0, grid[0] * grid[1] * grid[2])
        races = Races(whole.count, whole.padded) if Check.RACES in self._checks else None
        return Watch(self._module, kernel, whole, races)

    def _shared_variables(self, kernel: ptx.Function) -> list[ptx.Variable]:
        """Those that the kernel or a function it may call names, in the module's order."""
        seen: dict[ptx.Function, None] = {kernel: None}
        used: set[ptx.Variable] = set()
        pending = [kernel]
        while pending:
            for symbol in symbols_of(pending.pop()):
                if isinstance(symbol, ptx.Variable):
                    used.add(symbol)
                elif symbol not in seen:
                    seen[symbol] = None
                    pending.append(symbol)
        every = dict.fromkeys([*self._all_variables(), *sorted(used, key=_name_of)])
        return [v for v in every if v in used and v.space is ptx.Space.SHARED]

    def _run(self, state: State, number: int, kernel: str, max_steps: int | None) -> None:
        regions = (state.shared_region, state.local_region)
        for region in regions:
            self._memory.add(region)
        try:
            entry = self._code.function(number)
            state.reserve(slice(None), state.top + entry.frame.size)
            state.place[:] = entry.entry
            Scheduler(self._code, state, kernel, max_steps).run()
        finally:
            for region in regions:
                self._memory.remove(region)
                if state.watch is not None and state.watch.races is not None:
                    state.watch.races.forget(region)


def _name_of(variable: ptx.Variable) -> str:
    return variable.name


def _check_shape(function: ptx.Function, grid: Dim3, block: Dim3) -> None:
    if min(*grid, *block) < 1:
        raise PtxError.of("PTX401", f"grid {grid} and block {block} must be positive")
    threads = block[0] * block[1] * block[2]
    if threads > _MOST_THREADS:
        raise PtxError.of("PTX401", f"a block of {threads} threads; the most is {_MOST_THREADS}")
    required = function.attributes.get("reqntid")
    if required is not None and tuple(block) != (*required, 1, 1)[:3]:
        text = f"kernel '{function.name}' must be launched with blocks of {required}, not {block}"
        raise PtxError.of("PTX401", text)


def _batches(grid: Dim3, block: Dim3, register_bits: int) -> Iterator[Shape]:
    """Blocks that run together: as many as memory allows, at least one."""
    total = grid[0] * grid[1] * grid[2]
    padded = align_up(block[0] * block[1] * block[2], 32)
    by_memory = _MOST_REGISTER_BYTES * 8 // max(register_bits, 1)
    count = max(1, min(_MOST_SLOTS, by_memory) // padded)
    for first in range(0, total, count):
        yield Shape(grid, block, first, min(count, total - first))
