"""What cannot be translated is refused before LLVM sees it, with code and place."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest
from run_ir import kernel_of_op

from ptxlift.diag import PtxError, Source
from ptxlift.ir.attributes import (
    Approximation,
    AtomicOp,
    BarrierMode,
    Format,
    Number,
    Order,
    Rounding,
    Scope,
    Space,
)
from ptxlift.ir.builder import Builder
from ptxlift.ir.core import Module, Relocation, Value, Variable
from ptxlift.llvm.amdgpu import AmdgpuBackend
from ptxlift.llvm.options import CodegenOptions
from ptxlift.target import lookup

TEXT = "// a line\nthe.instruction a, b;\n"
SOURCE = Source("kernel.ptx", TEXT)


def _wide_atomic(b: Builder, v: list[Value]) -> Sequence[Value]:
    wide, order = b.zext(v[0], 128), (Order.RELAXED, Scope.GPU, True)
    place = b.kernel_param(64, 0)
    operands = (wide, wide)
    b.atomic(place, operands, Space.GLOBAL, 128, AtomicOp.CAS, Number.BITS, *order)
    return [v[0]]


def _misaligned(b: Builder, v: list[Value]) -> Sequence[Value]:
    place = b.kernel_param(64, 0)
    return b.load(place, Space.GLOBAL, 32, 1, 2, Order.ACQUIRE, Scope.GPU)


def _constant_space(b: Builder, v: list[Value]) -> Sequence[Value]:
    return [b.zext(b.is_space(b.zext(v[0], 64), Space.CONST), 32)]


def _counted_barrier(b: Builder, v: list[Value]) -> Sequence[Value]:
    count = b.const(32, 64)
    return [b.barrier(b.const(32, 1), count, b.const(1, 0), BarrierMode.SYNC, True)]


def _undefined_call(b: Builder, v: list[Value]) -> Sequence[Value]:
    return b.call("nowhere", [v[0]], (32,))


def _directed_half(b: Builder, v: list[Value]) -> Sequence[Value]:
    half = b.trunc(v[0], 16)
    return [b.zext(b.fadd(half, half, Format.F16, Rounding.RZ, False), 32)]


def _double_sine(b: Builder, v: list[Value]) -> Sequence[Value]:
    wide = b.zext(v[0], 64)
    return [b.trunc(b.fapprox(wide, Approximation.SIN, Format.F64, True), 32)]


CASES = [
    (_wide_atomic, "PTX302", "128-bit"),
    (_misaligned, "PTX302", "aligned to 2 bytes"),
    (_constant_space, "PTX202", "isspacep.const"),
    (_counted_barrier, "PTX201", "counts threads"),
    (_undefined_call, "PTX111", "nowhere"),
    (_directed_half, "PTX201", ".rz"),
    (_double_sine, "PTX201", "sin.approx"),
]


def _refused(module: Module, target: str = "gfx942", options: CodegenOptions | None = None) -> str:
    """The error's text."""
    with pytest.raises(PtxError) as caught:
        AmdgpuBackend().emit_module(module, lookup(target), options or CodegenOptions(), SOURCE)
    return str(caught.value)


@pytest.mark.parametrize(("body", "code", "words"), CASES, ids=[c[0].__name__ for c in CASES])
def test_an_op_is_refused_at_its_place(
    body: Callable[[Builder, list[Value]], Sequence[Value]], code: str, words: str
) -> None:
    def marked(b: Builder, v: list[Value]) -> Sequence[Value]:
        b.span = TEXT.index("the.instruction")
        return body(b, v)

    text = _refused(Module("m", {"k": kernel_of_op("k", marked, (32,), (32,))}))
    assert f"error[{code}]" in text
    assert words in text
    assert "kernel.ptx:2:1" in text


@pytest.mark.parametrize(
    ("target", "size", "fits"),
    [
        ("gfx942", 65536, True),
        ("gfx942", 65540, False),
        ("gfx950", 163840, True),
        ("gfx950", 163844, False),
    ],
)
def test_shared_memory_is_counted_before_llvm_does(target: str, size: int, fits: bool) -> None:
    def body(b: Builder, v: list[Value]) -> Sequence[Value]:
        return b.load(b.symbol_address(32, "tile"), Space.SHARED, 32, 1, 4)

    functions = {"k": kernel_of_op("k", body, (32,), (32,))}
    module = Module("m", functions, {"tile": Variable("tile", Space.SHARED, size, 4)})
    if fits:
        AmdgpuBackend().emit_module(module, lookup(target), CodegenOptions())
        return
    text = _refused(module, target)
    assert "error[PTX303]" in text
    assert f"kernel k needs {size} bytes" in text


def test_initial_values_hold_whole_addresses_only() -> None:
    half = Relocation(0, 4, "data")
    variables = {
        "data": Variable("data", Space.GLOBAL, 4, 4, "visible"),
        "pointer": Variable("pointer", Space.GLOBAL, 8, 8, "visible", bytes(8), (half,)),
    }
    text = _refused(Module("m", {}, variables))
    assert "error[PTX202]" in text
    assert "pointer" in text


def test_a_wave_size_that_the_chip_lacks() -> None:
    options = CodegenOptions(wave_size=32)
    text = _refused(Module("m", {}), "gfx942", options)
    assert "error[PTX302]" in text
