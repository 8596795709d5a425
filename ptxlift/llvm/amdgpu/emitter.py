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
from ptxlift.llvm.amdgpu.sdwa import may_copy_a_sign
from ptxlift.llvm.amdgpu.spaces import FLAT, TYPES
from ptxlift.llvm.emitter import FunctionEmitter
from ptxlift.llvm.floats import FloatType
from ptxlift.llvm.pointers import PointerSpaces
from ptxlift.target import Feature

_NO_LANE = "nolane"  # a block's label


class Emitter(FunctionEmitter[Context]):
    """The state of one function's translation."""

    def __init__(self, context: Context, function: Function, facts: Facts) -> None:
        spaces = PointerSpaces(function, context.module, FLAT)
        super().__init__(context, function, registry.table(), spaces, TYPES)
        self.facts = facts
        self.arguments = KernelArguments(function, self.spaces.pointer_params())
        self.leaves_after_call = False
        self.without_payload = values_without_payload(function)
        self._traps_are_long = not context.has(Feature.S_TRAP)
        self._traps = 0
        self._has_sdwa = context.has(Feature.SDWA)

    def _make_real(self, value: Value, type: FloatType) -> str:
        known = self._constants.get(value)
        if known is None and type.bits < 64 and self._has_sdwa and may_copy_a_sign(value):
            self._reals[type.name][value] = self._opaque_real(value, type)
            return self._reals[type.name][value]
        return super()._make_real(value, type)

    def _opaque_real(self, value: Value, type: FloatType) -> str:
        """The floating-point form by way of a copy that no pass looks through."""
        bits, narrow = self.bits(value), type.bits < 32
        if narrow:
            bits = self.insert_after(value, f"zext i{type.bits} {bits} to i32")
        call = self.call("i32 @llvm.amdgcn.softwqm.i32(i32)", bits)
        bits = self.insert_after(value, call)
        if narrow:
            bits = self.insert_after(value, f"trunc i32 {bits} to i{type.bits}")
        return self.insert_after(value, f"bitcast i{type.bits} {bits} to {type.name}")

    def trap(self) -> None:
        """Where traps are long, LLVM cannot place two of them that all lanes reach together: it
        is made to believe that some lanes might go elsewhere.
        """
        if self._traps_are_long:
            lane = self.let(self.call("i32 @llvm.amdgcn.mbcnt.lo(i32, i32)", "-1", "0"))
            lane = self.let(self.call("i32 @llvm.amdgcn.softwqm.i32(i32)", lane))  # now unknown
            here = self.fresh("trap")
            known = self.let(f"icmp ult i32 {lane}, 64")
            self.do(f"br i1 {known}, label %{here}, label %{_NO_LANE}")
            self.start_block(here)
        self._traps += 1
        self._tell_apart(self._traps)
        super().trap()

    def _tell_apart(self, number: int) -> None:
        """Equal blocks would become one, which has no line; `sched.barrier` is no instruction, and
        nothing else stands in the block for its mask to order.
        """
        if self.context.options.debug_lines:
            self.do(self.call("void @llvm.amdgcn.sched.barrier(i32)", str(number % 1024)))

    def finish_trap(self) -> None:
        """Adds the block that no lane comes to."""
        if self._traps and self._traps_are_long:
            self.start_block(_NO_LANE)
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
