"""Every op compiles for every generation, to instructions that the chip has.

LLVM ends the process for much that it cannot select, so the modules go through a worker.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pytest
from op_cases import Case, float_cases, integer_cases, width_of_kind
from run_ir import Body, kernel_of_op

from ptxlift.ir.attributes import (
    Approximation,
    AtomicOp,
    Format,
    Hint,
    Number,
    Order,
    ReduceOp,
    Scope,
    ShuffleMode,
    Space,
    Special,
    VoteMode,
)
from ptxlift.ir.builder import Builder
from ptxlift.ir.core import Block, Function, Module, Slot, Value, Variable
from ptxlift.ir.ops import op_table
from ptxlift.link import listing
from ptxlift.llvm.amdgpu import AmdgpuBackend, registry
from ptxlift.llvm.isolate import run_isolated
from ptxlift.llvm.options import CodegenOptions
from ptxlift.target import illegal_mnemonics, lookup

TARGETS = ("gfx900", "gfx90a", "gfx942", "gfx950", "gfx1030", "gfx1100", "gfx1201", "gfx1250")
QUICK = ("gfx942", "gfx1201")
OTHERS = tuple(target for target in TARGETS if target not in QUICK)
WAYS = [
    *((target, None) for target in QUICK),
    *(pytest.param(target, None, marks=pytest.mark.slow) for target in OTHERS),
    *(pytest.param(target, 64, marks=pytest.mark.slow) for target in ("gfx1100", "gfx1201")),
]
Spec = tuple[Body, Sequence[int], Sequence[int]]


def test_every_op_has_a_lowering() -> None:
    """Matrix products are written as other ops before."""
    assert registry.table().keys() == op_table().keys() - {"mma", "matrix_load"}


def _one_case_an_op() -> Iterator[Case]:
    """The first cases of each op, so that each is there in every format and width."""
    seen: dict[tuple[str, int], int] = {}
    for case in (*integer_cases(), *float_cases()):
        key = (case.name.split("_")[0], width_of_kind(case.inputs[0]))
        seen[key] = seen.get(key, 0) + 1
        if seen[key] <= 6:
            yield case


def _pure(case: Case) -> Spec:
    def body(b: Builder, values: list[Value]) -> Sequence[Value]:
        result = case.method(b, values)
        return result if isinstance(result, tuple) else (result,)

    widths = [width_of_kind(kind) for kind in case.inputs]
    return body, widths, [width_of_kind(kind) for kind in case.outputs]


def _approximations() -> Iterator[tuple[str, Spec]]:
    for ftz in (False, True):
        for function in Approximation:
            yield f"{function.value}_{ftz}", (_approximate(function, Format.F32, ftz), (32,), (32,))
        for full in (False, True):
            yield f"div_{full}_{ftz}", (_divide(full, ftz), (32, 32), (32,))
        for function in (Approximation.RCP, Approximation.RSQRT):
            body = _approximate(function, Format.F64, ftz)
            yield f"{function.value}_f64_{ftz}", (body, (64,), (64,))
    for function in (Approximation.EX2, Approximation.TANH):
        for fmt in (Format.F16, Format.BF16):
            body = _approximate(function, fmt, False)
            yield f"{function.value}_{fmt.name}", (body, (16,), (16,))


def _approximate(function: Approximation, fmt: Format, ftz: bool) -> Body:
    return lambda b, v: [b.fapprox(v[0], function, fmt, ftz)]


def _divide(full: bool, ftz: bool) -> Body:
    return lambda b, v: [b.fdiv_approx(v[0], v[1], Format.F32, ftz, full)]


def _launch_values(b: Builder, v: list[Value]) -> Sequence[Value]:
    clocks = (Special.CLOCK, Special.CLOCK64, Special.GLOBALTIMER)
    values = [b.zext(b.special(32, s), 64) for s in Special if s not in (*clocks, Special.GRIDID)]
    values.append(b.special(64, Special.GRIDID))
    values += [b.clock(64, register) for register in clocks]
    total = values[0]
    for value in values[1:]:
        total = b.xor(total, value)
    return [total]


def _warps(b: Builder, v: list[Value]) -> Sequence[Value]:
    mask, flag = b.const(32, -1), b.trunc(v[0], 1)
    found = [b.shuffle(v[0], v[0], v[0], mask, mode)[0] for mode in ShuffleMode]
    found += [b.zext(b.vote(flag, mask, mode), 32) for mode in VoteMode]
    found += [b.ballot(flag, mask), b.active_mask(), b.match_any(v[0], mask)]
    found += [b.match_all(v[0], mask)[0], b.elect(mask)[0]]
    found += [b.reduce(v[0], mask, op, Number.UNSIGNED) for op in ReduceOp]
    b.warp_barrier(mask)
    b.sleep(v[0])
    b.sleep(b.const(32, 100))
    total = found[0]
    for value in found[1:]:
        total = b.add(total, value)
    return [total]


def _accesses(b: Builder, v: list[Value]) -> Sequence[Value]:
    shared = b.symbol_address(32, "tile")
    generic = b.to_generic(b.frame_address(0), Space.LOCAL)
    b.fence(Order.SEQ_CST, Scope.SYS)
    b.fence(Order.ACQ_REL, Scope.CTA)
    places = [(b.symbol_address(64, "data"), Space.GLOBAL), (shared, Space.SHARED)]
    places += [(b.to_generic(shared, Space.SHARED), Space.GENERIC), (generic, Space.GENERIC)]
    total = v[0]
    for address, space in places:
        for order in (Order.WEAK, Order.VOLATILE, Order.RELAXED, Order.ACQUIRE):
            total = b.add(total, b.load(address, space, 32, 1, 4, order, Scope.GPU)[0])
        for order in (Order.WEAK, Order.VOLATILE, Order.RELAXED, Order.RELEASE):
            b.store(address, [total], space, 32, 4, order, Scope.SYS)
        many = b.load(address, space, 32, 4, 16, hint=Hint.STREAMING)
        b.store(address, many, space, 32, 16)
    flags = [b.is_space(generic, space) for space in (Space.SHARED, Space.LOCAL, Space.GLOBAL)]
    for flag in flags:
        total = b.add(total, b.zext(flag, 32))
    return [total]


def _atomics(b: Builder, v: list[Value]) -> Sequence[Value]:
    data, shared = b.symbol_address(64, "data"), b.symbol_address(32, "tile")
    places = [(data, Space.GLOBAL), (shared, Space.SHARED), (data, Space.GENERIC)]
    wide = b.zext(v[0], 64)
    total = wide
    for address, space in places:
        for op in AtomicOp:
            for width, value in ((32, v[0]), (64, wide)):
                operands = [value, value] if op is AtomicOp.CAS else [value]
                for scope in (Scope.CTA, Scope.SYS):
                    order = (Order.RELAXED, scope, True)
                    old = b.atomic(address, operands, space, width, op, Number.UNSIGNED, *order)
                    total = b.add(total, b.zext(old, 64))
        total = b.add(total, _float_atomics(b, address, space, v[0], wide))
    return [total]


def _float_atomics(b: Builder, address: Value, space: Space, word: Value, wide: Value) -> Value:
    half = b.trunc(word, 16)
    total = wide
    for number, value in (
        (Number.F16, half), (Number.BF16, half), (Number.F16X2, word), (Number.BF16X2, word),
        (Number.F32, word), (Number.F64, wide),
    ):  # fmt: skip
        order = (Order.RELAXED, Scope.GPU, True)
        old = b.atomic(address, [value], space, value.width, AtomicOp.ADD, number, *order)
        total = b.add(total, b.zext(old, 64))
    return total


def _control(b: Builder, v: list[Value]) -> Sequence[Value]:
    blocks = [Block(f"way{index}") for index in range(3)]
    after = Block("after")
    result = after.add_param(32)
    b.switch(v[0], blocks)
    b.block = blocks[0]
    b.trap()
    b.block = blocks[1]
    b.exit()
    b.block = blocks[2]
    called = b.call("callee", [v[0]], (32,))
    again = b.call_indirect(b.function_address("callee"), called, (32,))
    b.branch("br", (), ((after, again),))
    b.block = after
    params = b.load(b.kernel_param_address(8), Space.PARAM, 32, 1, 8)[0]
    return [b.add(b.add(result, params), b.undef(32))]


def _callee() -> Function:
    function, b = Function("callee", False, "", param_widths=(32,), result_widths=(32,)), Builder()
    argument = b.block.add_param(32)
    function.blocks.append(b.block)
    b.ret([b.add(argument, argument)])
    return function


def _modules() -> Iterator[Module]:
    specs = {case.name: _pure(case) for case in _one_case_an_op()}
    specs |= dict(_approximations())
    yield Module("pure ops", {name: kernel_of_op(name, *spec) for name, spec in specs.items()})
    words = (32,)
    specs = {
        "launch": (_launch_values, words, (64,)),
        "warps": (_warps, words, words),
        "accesses": (_accesses, words, words),
        "atomics": (_atomics, words, (64,)),
        "control": (_control, words, words),
    }
    functions = {name: kernel_of_op(name, *spec) for name, spec in specs.items()}
    functions["accesses"].slots.append(Slot("slot", 16, 16))
    variables = {
        "tile": Variable("tile", Space.SHARED, 256, 16),
        "data": Variable("data", Space.GLOBAL, 256, 16, "visible"),
    }
    yield Module("other ops", {"callee": _callee(), **functions}, variables)


@pytest.mark.sampled(2)
@pytest.mark.parametrize(("name", "wave"), WAYS)
def test_every_op_compiles(name: str, wave: int | None) -> None:
    spec, backend, options = lookup(name), AmdgpuBackend(), CodegenOptions(wave_size=wave)
    for module in _modules():
        emitted = backend.emit_module(module, spec, options)
        compiled = run_isolated(backend.job(module.name, emitted, spec, options))
        assert illegal_mnemonics(spec.target, listing([compiled.object])) == []
