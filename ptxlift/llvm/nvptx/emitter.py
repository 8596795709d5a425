"""The emitter of functions for NVIDIA targets, and instructions written as inline PTX.

Comes in: an `ir.Function`. Goes out: lines of LLVM text. LLVM passes inline PTX through unread, so
every instruction can be written, exact; what LLVM has an exact instruction or intrinsic for is
better written so, since LLVM can then reason about it. It must know no op.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from ptxlift.diag import Source
from ptxlift.ir.attributes import Space
from ptxlift.ir.core import Function, Module, Op, Value
from ptxlift.llvm.context import ModuleContext
from ptxlift.llvm.emitter import FunctionEmitter, Lowerings, joined
from ptxlift.llvm.nvptx import registry
from ptxlift.llvm.nvptx.kernels import KernelArguments
from ptxlift.llvm.options import CodegenOptions
from ptxlift.llvm.pointers import PointerSpaces
from ptxlift.target.nvidia import NvidiaFeature, NvidiaSpec

# Numbers of LLVM's NVPTX address spaces.
NUMBERS: dict[Space, int] = {
    Space.GENERIC: 0,
    Space.GLOBAL: 1,
    Space.SHARED: 3,
    Space.CONST: 4,
    Space.LOCAL: 5,
    Space.PARAM: 101,
}
POINTERS = {s: f"ptr addrspace({n})" if n else "ptr" for s, n in NUMBERS.items()}
FLAT = frozenset({Space.GLOBAL})  # whose own addresses are the generic ones
_REGISTER = {1: "b", 16: "h", 32: "r", 64: "l", 128: "q"}
_PURE, _WARP = "nounwind memory(none)", "convergent nounwind"


class Context(ModuleContext):
    """One module being emitted."""

    first_note = 1  # !0 is the empty node

    def __init__(
        self,
        module: Module,
        spec: NvidiaSpec,
        options: CodegenOptions,
        source: Source | None = None,
    ) -> None:
        super().__init__(module, options, source)
        self.target = spec.target

    def has(self, feature: NvidiaFeature) -> bool:
        return self.target.has(feature)


class Emitter(FunctionEmitter[Context]):
    """The state of one function's translation."""

    def __init__(self, context: Context, function: Function) -> None:
        spaces = PointerSpaces(function, context.module, FLAT)
        super().__init__(context, function, _lowerings(), spaces, POINTERS)
        self.arguments = KernelArguments(function, spaces.pointer_params())
        self.chains: dict[Op, list[Op]] | None = None  # of additions with carry, once found
        self._read: set[Value] | None = None

    def is_read(self, value: Value) -> bool:
        """Whether any op takes the value."""
        if self._read is None:
            ops = list(self.function.ops())
            self._read = {value for op in ops for value in op.operands}
            self._read |= {v for op in ops for given in op.arguments for v in given}
        return value in self._read

    def open_slots(self) -> None:
        for index, slot in enumerate(self.function.slots):
            array = f"[{slot.size} x i8], align {slot.align}"
            self.lines.append(f"  %generic.{index} = alloca {array}")
            cast = f"addrspacecast ptr %generic.{index} to {POINTERS[Space.LOCAL]}"
            self.lines.append(f"  %slot.{index} = {cast}")

    # ---- inline PTX ----

    def ptx(
        self,
        text: str,
        widths: Sequence[int],
        operands: Sequence[Value | str],
        effects: bool = False,
        tied: int = 0,
        early: bool = False,
    ) -> str:
        """The call that stands for an instruction; `text` names results and operands `$0`, `$1`.

        Operands that are text are of 32 bits. effects: it touches memory or other lanes, so that
        nothing moves over it and no branch changes around it. tied: so many operands, the last, are
        results before they are written. early: results are written before all operands are read.
        """
        mark = "=&" if early else "="
        results = [f"{mark}{_REGISTER[_held(width)]}" for width in widths]
        typed, constraints = [], []
        for operand in operands:
            width = 32 if isinstance(operand, str) else operand.width
            value = operand if isinstance(operand, str) else self.bits(operand)
            if width == 8:
                width, value = 16, self.let(f"zext i8 {value} to i16")
            typed.append(f"i{width} {value}")
            constraints.append(_REGISTER[width])
        first = len(constraints) - tied
        constraints[first:] = [str(number) for number in range(tied)]
        memory = ["~{memory}"] * effects
        type = joined([f"i{_held(width)}" for width in widths])
        words = "asm sideeffect" if effects else "asm"
        escaped = text.replace("\\", "\\5C").replace('"', "\\22")
        listed = ",".join([*results, *constraints, *memory])
        marks = _WARP if effects else _PURE
        return f'call {type} {words} "{escaped}", "{listed}"({", ".join(typed)}) {marks}'

    def define(self, values: Sequence[Value], call: str) -> None:
        """Gives values the results of a call, in order."""
        types = [f"i{_held(value.width)}" for value in values]
        if not values:
            self.do(call)
        elif len(values) == 1:
            self._narrow(values[0], call)
        else:
            whole = self.let(call)
            for index, value in enumerate(values):
                self._narrow(value, f"extractvalue {joined(types)} {whole}, {index}")

    def _narrow(self, value: Value, expression: str) -> None:
        if value.width == 8:
            expression = f"trunc i16 {self.let(expression)} to i8"
        self.set_bits(value, expression)

    def instruction(self, mnemonic: str, result: Value, operands: Sequence[Value]) -> None:
        """A pure instruction with one result; constants stand in its text."""
        parts, values = ["$0"], []
        for operand in operands:
            text = _literal(self.constant(operand), mnemonic.rpartition(".")[2])
            if text:
                parts.append(text)
            else:
                values.append(operand)
                parts.append(f"${len(values)}")
        self.define([result], self.ptx(f"{mnemonic} {', '.join(parts)};", [result.width], values))


@cache
def _lowerings() -> Lowerings:
    from ptxlift.llvm.nvptx.absent import Complete

    return Complete(registry.table())


def _literal(bits: int | None, type: str) -> str:
    """A constant as an instruction of the type takes it; "" if it takes none."""
    match type:
        case _ if bits is None:
            return ""
        case "f32":
            return f"0f{bits:08X}"
        case "f64":
            return f"0d{bits:016X}"
        case "f16" | "bf16":
            return ""
        case _:
            return str(bits) if bits < 1 << 15 else f"0x{bits:x}"


def _held(width: int) -> int:
    """The register that holds a value: bytes lie in halves."""
    return 16 if width == 8 else width
