"""Memory, atomics, variables, calls and branches: whole kernels in the emulator against numpy."""

from __future__ import annotations

import numpy as np
import pytest
from run_ir import build, launch, launch_with_block, run_ops

from ptxlift.ir.attributes import (
    AtomicOp,
    BarrierMode,
    Format,
    IntPredicate,
    Number,
    Order,
    Rounding,
    Scope,
    Space,
    Special,
)
from ptxlift.ir.builder import Builder
from ptxlift.ir.core import (
    Block,
    Function,
    KernelParam,
    Module,
    Relocation,
    Slot,
    Value,
    Variable,
)

TARGETS = ("gfx942", "gfx1100")
on_targets = pytest.mark.parametrize("target", TARGETS)
COUNT = 64


def new_kernel(name: str, params: int) -> tuple[Function, Builder]:
    """A kernel of 64-bit parameters."""
    function, b = Function(name, is_kernel=True, linkage="visible"), Builder()
    function.blocks.append(b.block)
    for index in range(params):
        param = KernelParam(f"{name}_param_{index}", 8 * index, 8, 8, "u64")
        function.kernel_params.append(param)
    function.param_bytes = 8 * params
    return function, b


def element(b: Builder, base: Value, index: Value, size: int) -> Value:
    """The generic address of an array's element."""
    return b.add(base, b.mul(b.zext(index, 64), b.const(64, size)))


def new_block(function: Function, b: Builder, name: str) -> Block:
    block = Block(name)
    function.blocks.append(block)
    return block


@on_targets
def test_shared_memory_reverses_a_block(target: str) -> None:
    function, b = new_kernel("reverse", 1)
    tid, base = b.special(32, Special.TID_X), b.kernel_param(64, 0)
    place = element(b, base, tid, 4)
    tile = b.symbol_address(32, "tile")
    mine = b.add(tile, b.mul(tid, b.const(32, 4)))
    b.store(mine, b.load(place, Space.GENERIC, 32, 1, 4), Space.SHARED, 32, 4)
    zero = b.const(32, 0)
    b.barrier(zero, zero, b.const(1, 0), BarrierMode.SYNC, False)
    other = b.sub(b.const(32, COUNT - 1), tid)
    theirs = b.add(tile, b.shl(other, b.const(32, 2)))
    generic = b.to_generic(theirs, Space.SHARED)
    b.store(place, b.load(generic, Space.GENERIC, 32, 1, 4), Space.GENERIC, 32, 4)
    b.ret()
    tile_variable = Variable("tile", Space.SHARED, 4 * COUNT, 4)
    module = Module("reverse", {"reverse": function}, {"tile": tile_variable})
    values = np.arange(COUNT, dtype=np.uint32) * 3
    launch(build(module, target), "reverse", (1, 1, 1), (COUNT, 1, 1), [values])
    assert np.array_equal(values, np.arange(COUNT)[::-1] * 3)


@on_targets
def test_dynamic_shared_memory_follows_static(target: str) -> None:
    function, b = new_kernel("dynamic", 1)
    tid = b.special(32, Special.TID_X)
    for symbol in ("fixed", "rest"):
        start = b.symbol_address(32, symbol)
        address = b.add(start, b.mul(tid, b.const(32, 4)))
        b.store(address, [b.add(tid, b.const(32, len(symbol)))], Space.SHARED, 32, 4)
    fixed = b.add(b.symbol_address(32, "fixed"), b.mul(tid, b.const(32, 4)))
    value = b.load(fixed, Space.SHARED, 32, 1, 4)[0]
    size = b.special(32, Special.DYNAMIC_SMEM_SIZE)
    place = element(b, b.kernel_param(64, 0), tid, 4)
    b.store(place, [b.add(value, b.shl(size, b.const(32, 8)))], Space.GLOBAL, 32, 4)
    b.ret()
    variables = {
        "fixed": Variable("fixed", Space.SHARED, 4 * COUNT, 4),
        "rest": Variable("rest", Space.SHARED, 0, 16, "extern"),
    }
    result = np.zeros(COUNT, np.uint32)
    built = build(Module("dynamic", {"dynamic": function}, variables), target)
    launch(built, "dynamic", (1, 1, 1), (COUNT, 1, 1), [result], shared=4 * COUNT)
    assert np.array_equal(result, np.arange(COUNT) + 5 + (4 * COUNT << 8))


@on_targets
def test_local_slots_and_variables(target: str) -> None:
    """A table in constant memory, through a pointer in global memory, into a local array."""
    function, b = new_kernel("table", 1)
    function.slots.append(Slot("array", 16, 4))
    tid = b.special(32, Special.TID_X)
    pointer = b.load(b.symbol_address(64, "pointer"), Space.GLOBAL, 64, 1, 8)[0]
    frame = b.frame_address(0)
    for index in range(4):
        entry = b.add(pointer, b.const(64, 4 * index))
        loaded = b.load(entry, Space.CONST, 32, 1, 4)
        b.store(b.add(frame, b.const(32, 4 * index)), loaded, Space.LOCAL, 32, 4)
    chosen = b.and_(tid, b.const(32, 3))
    slot = b.add(frame, b.mul(chosen, b.const(32, 4)))
    generic = b.to_generic(slot, Space.LOCAL)
    value = b.load(generic, Space.GENERIC, 32, 1, 4)
    b.store(element(b, b.kernel_param(64, 0), tid, 4), value, Space.GLOBAL, 32, 4)
    b.ret()
    data = np.array([7, 11, 13, 17], np.uint32)
    variables = {
        "data": Variable("data", Space.CONST, 20, 4, "visible", b"\xff" * 4 + data.tobytes()),
        "pointer": Variable(
            "pointer", Space.GLOBAL, 8, 8, "visible", bytes(8), (Relocation(0, 8, "data", 4),)
        ),
    }
    result = np.zeros(COUNT, np.uint32)
    built = build(Module("table", {"table": function}, variables), target)
    launch(built, "table", (1, 1, 1), (COUNT, 1, 1), [result])
    assert np.array_equal(result, data[np.arange(COUNT) % 4])


_ATOMICS = [
    (AtomicOp.ADD, Number.UNSIGNED, lambda old, v: old + v),
    (AtomicOp.AND, Number.BITS, lambda old, v: old & v),
    (AtomicOp.OR, Number.BITS, lambda old, v: old | v),
    (AtomicOp.XOR, Number.BITS, lambda old, v: old ^ v),
    (AtomicOp.EXCH, Number.BITS, lambda old, v: v),
    (AtomicOp.MIN, Number.UNSIGNED, min),
    (AtomicOp.MAX, Number.UNSIGNED, max),
    (AtomicOp.INC, Number.UNSIGNED, lambda old, v: 0 if old >= v else old + 1),
    (AtomicOp.DEC, Number.UNSIGNED, lambda old, v: v if old == 0 or old > v else old - 1),
]


@on_targets
@pytest.mark.parametrize("width", [32, 64])
def test_atomics_change_memory_and_return_the_old_value(width: int, target: str) -> None:
    """Each thread has its own word, so that the order does not matter."""
    rng = np.random.default_rng(11)
    dtype = np.uint32 if width == 32 else np.uint64
    start = rng.integers(0, 5, COUNT).astype(dtype)
    values = rng.integers(0, 5, COUNT).astype(dtype)
    functions = {}
    for op, number, _ in _ATOMICS:
        function, b = new_kernel(op.value, 3)
        tid = b.special(32, Special.TID_X)
        places = [element(b, b.kernel_param(64, 8 * i), tid, width // 8) for i in range(3)]
        value = b.load(places[1], Space.GLOBAL, width, 1, width // 8)[0]
        order = (Order.ACQ_REL, Scope.GPU)
        old = b.atomic(places[0], [value], Space.GLOBAL, width, op, number, *order, True)
        b.store(places[2], [old], Space.GLOBAL, width, width // 8)
        b.ret()
        functions[op.value] = function
    built = build(Module("atomics", functions), target)
    for op, _, model in _ATOMICS:
        memory, olds = start.copy(), np.zeros_like(start)
        launch(built, op.value, (1, 1, 1), (COUNT, 1, 1), [memory, values, olds])
        pairs = zip(start.tolist(), values.tolist(), strict=True)
        expected = np.array([model(old, value) for old, value in pairs], dtype)
        assert np.array_equal(memory, expected), op
        assert np.array_equal(olds, start), op


@on_targets
def test_float_atomics_of_one_address_round_each_addition(target: str) -> None:
    """Sums of a wave made before the atomic would give 2^24 + 64; one by one each is lost."""
    function, b = new_kernel("sum", 1)
    one = b.const(32, 0x3F800000)
    order = (Order.RELAXED, Scope.GPU)
    b.atomic(
        b.kernel_param(64, 0), [one], Space.GLOBAL, 32, AtomicOp.ADD, Number.F32, *order, False
    )
    b.ret()
    total = np.array([2.0**24], np.float32)
    launch(build(Module("sum", {"sum": function}), target), "sum", (1, 1, 1), (64, 1, 1), [total])
    assert total[0] == 2.0**24


@on_targets
@pytest.mark.parametrize("width", [16, 32, 64])
def test_compare_and_swap(width: int, target: str) -> None:
    function, b = new_kernel("swap", 2)
    tid = b.special(32, Special.TID_X)
    size = width // 8
    place = element(b, b.kernel_param(64, 0), tid, size)
    operands = [b.const(width, 3), b.const(width, 9)]
    order = (Order.RELAXED, Scope.SYS)
    old = b.atomic(place, operands, Space.GENERIC, width, AtomicOp.CAS, Number.BITS, *order, True)
    b.store(element(b, b.kernel_param(64, 8), tid, size), [old], Space.GLOBAL, width, size)
    b.ret()
    memory = (np.arange(COUNT) % 5).astype(f"u{size}")
    start, olds = memory.copy(), np.zeros_like(memory)
    built = build(Module("swap", {"swap": function}), target)
    launch(built, "swap", (1, 1, 1), (COUNT, 1, 1), [memory, olds])
    assert np.array_equal(memory, np.where(start == 3, 9, start))
    assert np.array_equal(olds, start)


def _loop_kernel() -> Function:
    """Sums 1..n with n = tid, starting over at the first block; a pointer runs along."""
    function, b = new_kernel("loop", 2)
    head = b.block
    tid = b.special(32, Special.TID_X)
    entry_count, body, done = b.const(32, 0), Block("body"), Block("done")
    function.blocks += [body, done]
    count, total, at = body.add_param(32), body.add_param(32), body.add_param(64)
    b.branch("br", (), ((body, (entry_count, entry_count, b.kernel_param(64, 8))),))
    b.block = body
    addend = b.load(at, Space.GLOBAL, 32, 1, 4)[0]
    more = b.icmp(count, tid, IntPredicate.ULT)
    following = b.add(count, b.const(32, 1))
    summed = b.add(total, addend)
    step = b.add(at, b.const(64, 4))
    b.branch("cond_br", (more,), ((body, (following, summed, step)), (done, ())))
    b.block = done
    b.store(element(b, b.kernel_param(64, 0), tid, 4), [total], Space.GLOBAL, 32, 4)
    b.ret()
    assert head is function.blocks[0]
    return function


@on_targets
def test_loop_with_a_running_pointer(target: str) -> None:
    result, addends = np.zeros(COUNT, np.uint32), np.arange(COUNT, dtype=np.uint32) ** 2
    built = build(Module("loop", {"loop": _loop_kernel()}), target)
    assert "phi ptr addrspace(1)" in built.text
    launch(built, "loop", (1, 1, 1), (COUNT, 1, 1), [result, addends])
    assert np.array_equal(result, [addends[:n].sum() for n in range(COUNT)])


@on_targets
def test_switch_and_a_branch_to_one_block_twice(target: str) -> None:
    def body(b: Builder, v: list[Value]) -> list[Value]:
        cases = [Block(f"case{index}") for index in range(3)]
        join, after = Block("join"), Block("after")
        merged, last = join.add_param(32), after.add_param(32)
        b.switch(v[0], cases)
        for index, block in enumerate(cases):
            b.block = block
            b.branch("br", (), ((join, (b.const(32, 10 * index + 1),)),))
        b.block = join
        is_odd = b.trunc(v[0], 1)
        twice = b.add(merged, merged)
        b.branch("cond_br", (is_odd,), ((after, (merged,)), (after, (twice,))))
        b.block = after
        return [last]

    values = np.arange(COUNT, dtype=np.uint32) % 5
    got = run_ops({"op": (body, (32,), (32,))}, {"op": [values]}, target)["op"][0]
    chosen = np.minimum(values, 2) * 10 + 1
    assert np.array_equal(got, np.where(values % 2 == 1, chosen, 2 * chosen))


def _quitter() -> Function:
    """A device function: the thread ends in it for odd arguments, else it returns two numbers."""
    function = Function("quitter", False, "", param_widths=(32,), result_widths=(32, 32))
    b = Builder()
    argument = b.block.add_param(32)
    function.blocks.append(b.block)
    leave, stay = new_block(function, b, "leave"), new_block(function, b, "stay")
    b.cond_br(b.trunc(argument, 1), leave, stay)
    b.block = leave
    b.exit()
    b.block = stay
    b.ret([b.add(argument, b.const(32, 1)), b.mul(argument, argument)])
    return function


def _outer() -> Function:
    function = Function("outer", False, "", param_widths=(32,), result_widths=(32,))
    b = Builder()
    argument = b.block.add_param(32)
    function.blocks.append(b.block)
    more, square = b.call("quitter", [argument], (32, 32))
    b.ret([b.add(more, square)])
    return function


@on_targets
@pytest.mark.parametrize("level", [0, 2])
def test_exit_in_a_called_function_ends_the_thread(level: int, target: str) -> None:
    from ptxlift.llvm.options import CodegenOptions

    function, b = new_kernel("main", 1)
    tid = b.special(32, Special.TID_X)
    value = b.call("outer", [tid], (32,))
    b.store(element(b, b.kernel_param(64, 0), tid, 4), value, Space.GLOBAL, 32, 4)
    b.ret()
    functions = {f.name: f for f in (_quitter(), _outer(), function)}
    built = build(Module("main", functions), target, CodegenOptions(opt_level=level))
    result = np.zeros(COUNT, np.uint32)
    launch(built, "main", (1, 1, 1), (COUNT, 1, 1), [result])
    tids = np.arange(COUNT)
    assert np.array_equal(result, np.where(tids % 2, 0, tids + 1 + tids * tids))


@on_targets
def test_indirect_call(target: str) -> None:
    callee = Function("triple", False, "", param_widths=(32,), result_widths=(32,))
    inner = Builder()
    argument = inner.block.add_param(32)
    callee.blocks.append(inner.block)
    inner.ret([inner.mul(argument, inner.const(32, 3))])
    function, b = new_kernel("caller", 1)
    tid = b.special(32, Special.TID_X)
    value = b.call_indirect(b.function_address("triple"), [tid], (32,))
    b.store(element(b, b.kernel_param(64, 0), tid, 4), value, Space.GLOBAL, 32, 4)
    b.ret()
    built = build(Module("caller", {"triple": callee, "caller": function}), target)
    result = np.zeros(COUNT, np.uint32)
    launch(built, "caller", (1, 1, 1), (COUNT, 1, 1), [result])
    assert np.array_equal(result, np.arange(COUNT) * 3)


@on_targets
def test_flush_in_a_kernel_that_keeps_subnormals(target: str) -> None:
    """One op of each kind: the mode is IEEE's and the .ftz op flushes by itself."""

    def body(b: Builder, v: list[Value]) -> list[Value]:
        kept = b.fadd(v[0], v[1], Format.F32, Rounding.RN, False)
        flushed = b.fadd(v[0], v[1], Format.F32, Rounding.RN, True)
        return [kept, flushed]

    tiny = np.full(COUNT, 0x00000003, np.uint32)
    sign = np.full(COUNT, 0x80000000, np.uint32)
    got = run_ops({"op": (body, (32, 32), (32, 32))}, {"op": [tiny, sign]}, target)["op"]
    assert got[0].tolist() == [3] * COUNT
    assert got[1].tolist() == [0] * COUNT


_MIXED = [
    KernelParam("small", 0, 1, 1, "u8"),
    KernelParam("half", 2, 2, 2, "f16"),
    KernelParam("word", 4, 4, 4, "u32"),
    KernelParam("block", 8, 20, 4, "b8", is_array=True),
    KernelParam("wide_aligned", 32, 4, 16, "u32"),
    KernelParam("entry", 40, 8, 8, "u64"),
]


@on_targets
def test_parameters_lie_at_ptx_offsets(target: str) -> None:
    """Metadata names every parameter at its offset; any part of any of them can be read."""
    function, b = new_kernel("params", 0)
    function.kernel_params, function.param_bytes = list(_MIXED), 48
    place = b.kernel_param(64, 40)
    reads = [(8, 0), (16, 2), (32, 4), (32, 8), (8, 13), (32, 24), (32, 32), (16, 6), (64, 16)]
    for index, (width, offset) in enumerate(reads):
        value = b.zext(b.kernel_param(width, offset), 64)
        b.store(b.add(place, b.const(64, 8 * index)), [value], Space.GLOBAL, 64, 8)
    b.ret()
    built = build(Module("params", {"params": function}), target)
    kernel = built.image.kernels["params"]
    found = {
        a.name: (a.offset, a.size) for a in kernel.args if not a.value_kind.startswith("hidden")
    }
    assert found == {p.name: (p.offset, p.size) for p in _MIXED}
    block, results = bytearray(range(48)), np.zeros(len(reads), np.uint64)
    expected = [int.from_bytes(block[o : o + w // 8], "little") for w, o in reads]
    launch_with_block(built, "params", block, 40, results)
    assert results.tolist() == expected
