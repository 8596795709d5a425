"""The smallest kernels that show one lowering each.

Comes in: nothing. Goes out: IR modules by name. A kernel reads an element of each input array by
its thread number and writes its results; the tests look at what lies between.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from ptxlift.ir.attributes import Space, Special
from ptxlift.ir.builder import Builder
from ptxlift.ir.core import Function, KernelParam, LaunchBounds, Module, Value, Variable

Body = Callable[[Builder, list[Value]], Sequence[Value]]


@dataclass
class Kernel:
    """`inputs`, `outputs`: widths of the elements."""

    body: Body
    inputs: Sequence[int] = (32,)
    outputs: Sequence[int] = (32,)
    variables: Sequence[Variable] = ()
    bounds: LaunchBounds = field(default_factory=LaunchBounds)

    def module(self) -> Module:
        """A module with this kernel as `k`."""
        function = Function("k", is_kernel=True, linkage="visible", bounds=self.bounds)
        b = Builder()
        function.blocks.append(b.block)
        count = len(self.inputs) + len(self.outputs)
        function.kernel_params = [KernelParam(f"p{i}", 8 * i, 8, 8, "u64") for i in range(count)]
        function.param_bytes = 8 * count
        thread = b.zext(b.special(32, Special.TID_X), 64)
        values = []
        for index, width in enumerate(self.inputs):
            place = _element(b, index, width, thread)
            values.append(b.load(place, Space.GLOBAL, width, 1, width // 8)[0])
        for index, value in enumerate(self.body(b, values)):
            wide = b.zext(value, 32) if value.width == 1 else value
            place = _element(b, len(self.inputs) + index, wide.width, thread)
            b.store(place, [wide], Space.GLOBAL, wide.width, wide.width // 8)
        b.ret()
        return Module("golden", {"k": function}, {v.name: v for v in self.variables})


def _element(b: Builder, param: int, width: int, thread: Value) -> Value:
    base = b.from_generic(b.kernel_param(64, 8 * param), 64, Space.GLOBAL)
    return b.add(base, b.mul(thread, b.const(64, width // 8)))
