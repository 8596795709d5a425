"""Run a kernel: all its work-groups, in batches of waves.

Comes in: an `Image`, a `Memory`, a launch's shape and argument bytes. Goes out: `RunStats`, and
the arrays in memory as the kernel left them. It must not know instructions.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping
from itertools import islice, product

import numpy as np

from ptxlift.diag import PtxError
from ptxlift.emulator.abi import (
    POISON,
    Entry,
    Shape,
    Shapes,
    dispatch_packet,
    entry_address,
    fill_kernarg,
    named_barriers,
)
from ptxlift.emulator.batch import Batch
from ptxlift.emulator.blocks import Code
from ptxlift.emulator.buffers import Buffer
from ptxlift.emulator.hazards import HazardChecker
from ptxlift.emulator.image import Image, KernelInfo
from ptxlift.emulator.memory import Memory
from ptxlift.emulator.printf import new_buffer, read_buffer
from ptxlift.emulator.profile import Counters, InstClass, RunStats
from ptxlift.emulator.state import State, make_ctx
from ptxlift.emulator.valu.kinds import Approx
from ptxlift.records import dataclass, field, replace

DEFAULT_MAX_STEPS = 1_000_000_000
_TURN = 100_000  # wave instructions a batch runs before another gets a turn
_LIVE_BATCHES = 64
_SCRATCH_LIMIT = 256 << 20  # bytes of scratch and LDS that one batch may need
_MOST_THREADS = (1 << 32) - 1  # of one side of the grid: the dispatch packet holds 32 bits
_PRINTF = "hidden_printf_buffer"
_BANKS = {"gfx950": 64}
_STACK_LIMIT = 1024  # bytes a lane, as hipLimitStackSize and CUDA's have it where none is set


@dataclass(frozen=True, slots=True)
class Options:
    """How to emulate. `hidden` gives values of hidden arguments by value kind, such as
    `hidden_printf_buffer`; `detailed` also counts cache lines and bank conflicts. `stack_bytes` is
    the runtime's stack limit, for kernels whose need the code object does not know."""

    approx: Approx = Approx.EXACT
    seed: int = 0
    detailed: bool = True
    check_hazards: bool = False
    waves_per_batch: int = 64
    stack_bytes: int = _STACK_LIMIT
    hidden: Mapping[str, int] = field(default_factory=dict)


_USUAL = Options()


def launch(
    image: Image,
    memory: Memory,
    kernel: str,
    grid: Shape,
    block: Shape,
    kernarg: bytes,
    dynamic_lds: int = 0,
    *,
    max_steps: int | None = None,
    options: Options = _USUAL,
) -> RunStats:
    """Run a kernel to its end. `grid` counts blocks; `kernarg` holds the explicit arguments."""
    info = image.kernels.get(kernel)
    if info is None:
        raise PtxError.of("PTX401", f"the code object has no kernel {kernel!r}")
    shapes = Shapes(grid, block, dynamic_lds)
    _check(image, info, shapes, kernarg)
    image.map_into(memory)
    printed = new_buffer()
    owned = [memory.alloc(printed, "printf buffer")]
    try:
        hidden = {_PRINTF: owned[0]} | dict(options.hidden)
        segment = fill_kernarg(info, kernarg, shapes, hidden)
        kernarg_address = memory.alloc(segment, f"arguments of {kernel}")
        packet = dispatch_packet(info, shapes, kernarg_address)
        owned += [kernarg_address, memory.alloc(packet, "dispatch packet")]
        words = segment.view(np.uint32)
        entry = Entry(info, image.target, shapes, kernarg_address, words, owned[2])
        with np.errstate(all="ignore"):
            stats = _Launch(image, memory, entry, options).run(max_steps or DEFAULT_MAX_STEPS)
        return replace(stats, stdout=read_buffer(printed, image.printf_formats))
    except PtxError as fault:
        raise _with_text(fault, read_buffer(printed, image.printf_formats)) from None
    finally:
        for address in owned:
            memory.free(address)


def _with_text(fault: PtxError, text: str) -> PtxError:
    """A fault with what the kernel had printed until then."""
    if not text:
        return fault
    first, *rest = fault.diagnostics
    message = f"{first.message}; printed until then:\n{text.rstrip()}"
    return PtxError([replace(first, message=message), *rest])


def _check(image: Image, info: KernelInfo, shapes: Shapes, kernarg: bytes) -> None:
    """Refuse a launch that the hardware or the kernel's metadata would refuse."""
    threads = shapes.block[0] * shapes.block[1] * shapes.block[2]
    problem = ""
    if min(*shapes.grid, *shapes.block) < 1 or shapes.dynamic_lds < 0:
        problem = "grid, block and shared memory must be positive"
    elif threads > min(info.max_workgroup_size, 1024):
        problem = f"the block has {threads} threads, more than {info.max_workgroup_size}"
    elif max(b * n for b, n in zip(shapes.grid, shapes.block, strict=True)) > _MOST_THREADS:
        problem = f"one side of the grid has more than {_MOST_THREADS} threads"
    elif info.reqd_workgroup_size not in (None, shapes.block):
        problem = f"the kernel requires blocks of {info.reqd_workgroup_size}"
    elif info.group_segment + shapes.dynamic_lds > image.target.lds_bytes:
        total = info.group_segment + shapes.dynamic_lds
        problem = f"{total} bytes of shared memory, more than {image.target.lds_bytes}"
    else:
        need = max((a.offset + a.size for a in info.explicit_args), default=0)
        if len(kernarg) < need:
            problem = f"{len(kernarg)} argument bytes where {need} are needed"
    if problem:
        raise PtxError.of("PTX401", f"kernel {info.name} cannot be launched: {problem}")


class _Launch:
    def __init__(self, image: Image, memory: Memory, entry: Entry, options: Options) -> None:
        self.image, self.memory, self.entry, self.options = image, memory, entry, options
        kernel, shapes = entry.kernel, entry.shapes
        self.lanes = kernel.wave_size
        self.code = image.blocks.setdefault(self.lanes, Code(image, self.lanes))
        threads = shapes.block[0] * shapes.block[1] * shapes.block[2]
        self.waves_each = -(-threads // self.lanes)
        self.lds_size = kernel.group_segment + shapes.dynamic_lds
        self.scratch_size = self._scratch_bytes(kernel)
        self.counters = Counters(options.detailed, _BANKS.get(image.target.name, 32))
        self.executions: dict[int, int] = {}
        self.rng = np.random.default_rng(options.seed)
        self.groups_each = self._groups_in_a_batch()
        self.spare: list[State] = []

    def _scratch_bytes(self, kernel: KernelInfo) -> int:
        size = max(kernel.private_segment, kernel.descriptor.private_segment)
        if kernel.uses_dynamic_stack:
            size = max(size, self.options.stack_bytes)
        return (size + 15) // 16 * 16

    def _groups_in_a_batch(self) -> int:
        each = self.lds_size + self.waves_each * self.lanes * self.scratch_size
        fits = _SCRATCH_LIMIT // each if each else 1 << 20
        total = self.entry.shapes.grid[0] * self.entry.shapes.grid[1] * self.entry.shapes.grid[2]
        return max(1, min(self.options.waves_per_batch // self.waves_each, fits, total))

    def run(self, max_steps: int) -> RunStats:
        """All work-groups; batches take turns, so that groups may wait for each other."""
        groups = self._groups()
        live: deque[Batch] = deque()
        steps = 0
        while True:
            if len(live) < _LIVE_BATCHES:
                chunk = list(islice(groups, self.groups_each))
                if chunk:
                    live.appendleft(self._start(chunk))
            if not live:
                return self._stats()
            batch = live.popleft()
            used, ended = batch.run(min(_TURN, max_steps - steps + 1))
            steps += used
            if ended:
                self._finish(batch)
            else:
                live.append(batch)
            if steps > max_steps and (live or not ended):
                raise PtxError.of(
                    "PTX405",
                    f"kernel {self.entry.kernel.name} ran more than {max_steps} instructions",
                )

    def _groups(self) -> Iterator[Shape]:
        x, y, z = self.entry.shapes.grid
        return ((i, j, k) for k, j, i in product(range(z), range(y), range(x)))

    def _start(self, groups: list[Shape]) -> Batch:
        waves = len(groups) * self.waves_each
        fitting = [st for st in self.spare if st.waves == waves]
        st = fitting[0] if fitting else self._new_state(waves)
        if fitting:
            self.spare.remove(st)
        for buffer in (st.lds, st.scratch):
            buffer.views[4][:] = POISON
        self.entry.set_registers(st, groups)
        first = entry_address(self.entry.kernel, self.image.target)
        major = self.image.target.generation
        checking = self.options.check_hazards
        checker = HazardChecker(waves, major, self.image.target.name) if checking else None
        batch = Batch(st, self.code, len(groups), first, checker)
        batch.barriers.named.available = named_barriers(self.entry.kernel, self.image.target)
        return batch

    def _new_state(self, waves: int) -> State:
        vgprs, agprs = self.image.registers
        st = State(waves, self.lanes, max(vgprs, 3), agprs)
        groups = waves // self.waves_each
        st.lds_size, st.scratch_size = self.lds_size, self.scratch_size
        st.has_dynamic_stack = self.entry.kernel.uses_dynamic_stack
        stride = (self.lds_size + 15) // 16 * 16
        st.lds = Buffer(np.zeros(groups * stride, np.uint8))
        st.lds_base = np.repeat(np.arange(groups) * stride, self.waves_each)[:, None]
        st.scratch = Buffer(np.zeros(waves * self.lanes * self.scratch_size, np.uint8))
        st.counters, st.memory, st.kernel = self.counters, self.memory, self.entry.kernel.name
        target, approx = self.image.target, self.options.approx
        st.make_context = lambda mode: make_ctx(
            mode, target.generation, target.name, approx, self.rng
        )
        return st

    def _finish(self, batch: Batch) -> None:
        for address, count in batch.executions.items():
            self.executions[address] = self.executions.get(address, 0) + count
        self.spare.append(batch.st)

    def _stats(self) -> RunStats:
        counts = dict.fromkeys(InstClass, 0)
        executed = dict.fromkeys(sorted(self.image.insts), 0)
        nops = passes = 0
        for address, times in self.executions.items():
            block = self.code.block(address)
            weights = block.weights
            for inst in block.all_insts():
                executed[inst.address] += times
            for kind, count in weights.counts.items():
                counts[kind] += count * times
            nops += weights.nops * times
            passes += weights.passes * times
        shapes = self.entry.shapes
        groups = shapes.grid[0] * shapes.grid[1] * shapes.grid[2]
        return RunStats(
            counts,
            self.counters.lanes_active,
            self.counters.lines,
            self.counters.conflicts,
            nops,
            passes,
            groups * self.waves_each,
            self.image.target.name,
            executed=tuple(
                count for address, count in executed.items() if self.image.insts[address].is_listed
            ),
        )
