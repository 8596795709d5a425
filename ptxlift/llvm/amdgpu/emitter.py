"""The emitter of functions for AMD chips: what its lowerings ask for beside blocks and values.

Comes in: an `ir.Function` and its facts. Goes out: lines of LLVM text. It must know no op.
"""

from __future__ import annotations

from functools import cached_property

from ptxlift.ir.core import Block, Function, Value
from ptxlift.llvm.amdgpu import registry
from ptxlift.llvm.amdgpu.context import Context
from ptxlift.llvm.amdgpu.facts import Facts
from ptxlift.llvm.amdgpu.kernel_abi import KernelArguments
from ptxlift.llvm.amdgpu.matrix.payloads import values_without_payload
from ptxlift.llvm.amdgpu.spaces import FLAT, TYPES
from ptxlift.llvm.emitter import FunctionEmitter
from ptxlift.llvm.pointers import PointerSpaces
from ptxlift.target import Feature

_TRAP = "trapped"  # a block's label


class Emitter(FunctionEmitter[Context]):
    """The state of one function's translation."""

    def __init__(self, context: Context, function: Function, facts: Facts) -> None:
        spaces = PointerSpaces(function, context.module, FLAT)
        super().__init__(context, function, registry.table(), spaces, TYPES)
        self.facts = facts
        self.arguments = KernelArguments(function, self.spaces.pointer_params())
        self.leaves_after_call = False
        self.without_payload = values_without_payload(function)
        self._trap_is_shared = not context.has(Feature.S_TRAP)
        self._traps = False

    def trap(self) -> None:
        """Where traps are long, LLVM cannot place two of them after scalar branches."""
        if not self._trap_is_shared:
            super().trap()
            return
        self.do(f"br label %{_TRAP}")
        self._traps = True

    def finish_trap(self) -> None:
        """Adds the block that all traps are in."""
        if self._traps:
            self.start_block(_TRAP)
            super().trap()

    def open_slots(self) -> None:
        for index, slot in enumerate(self.function.slots):
            array = f"[{slot.size} x i8], align {slot.align}, addrspace(5)"
            self.lines.append(f"  %slot.{index} = alloca {array}")

    @cached_property
    def incoming(self) -> dict[Block, list[list[Value]]]:
        """The arguments of every edge into a block."""
        found: dict[Block, list[list[Value]]] = {block: [] for block in self.function.blocks}
        for block in self.function.blocks:
            terminator = block.terminator
            for target, given in zip(terminator.successors, terminator.arguments, strict=True):
                found[target].append(given)
        return found
