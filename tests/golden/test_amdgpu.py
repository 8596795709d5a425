"""What the AMDGPU lowerings write: LLVM IR and the instructions LLVM makes of it.

`has` are patterns that occur in this order, `lacks` patterns that do not occur. Positive cases and
near misses stand next to each other.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

import pytest
from kernels import Body, Kernel

from ptxlift.ir.attributes import (
    Approximation,
    AtomicOp,
    BarrierMode,
    Format,
    Hint,
    IntPredicate,
    Number,
    Order,
    Rounding,
    Scope,
    ShuffleMode,
    Space,
    Special,
)
from ptxlift.ir.builder import Builder
from ptxlift.ir.core import LaunchBounds, Value, Variable
from ptxlift.link import listing
from ptxlift.llvm.amdgpu import AmdgpuBackend
from ptxlift.llvm.options import CodegenOptions
from ptxlift.target import lookup

F32, F16, RN, RZ = Format.F32, Format.F16, Rounding.RN, Rounding.RZ
Patterns = tuple[str, ...]


@dataclass(frozen=True)
class Golden:
    """`ir` and `asm` map a target to (has, lacks)."""

    name: str
    kernel: Kernel
    ir: tuple[Patterns, Patterns] = ((), ())
    asm: dict[str, tuple[Patterns, Patterns]] = field(default_factory=dict)


def one(body: Body) -> Kernel:
    return Kernel(body)


def two(body: Body) -> Kernel:
    return Kernel(body, inputs=(32, 32))


# ---- addresses ----


def _as_is(b: Builder, v: list[Value]) -> list[Value]:
    return [v[0]]


def _two_bases(b: Builder, v: list[Value]) -> list[Value]:
    """Either may be the pointer: no `getelementptr` from one of them."""
    address = b.add(b.kernel_param(64, 0), b.kernel_param(64, 8))
    return b.load(address, Space.GLOBAL, 32, 1, 4)


def _generic_shared(b: Builder, v: list[Value]) -> list[Value]:
    """A generic access through a pointer that is known to be shared."""
    address = b.add(b.to_generic(b.symbol_address(32, "tile"), Space.SHARED), b.const(64, 8))
    return b.load(address, Space.GENERIC, 32, 1, 4)


def _loaded_pointer(b: Builder, v: list[Value]) -> list[Value]:
    return b.load(b.zext(v[0], 64), Space.GENERIC, 32, 1, 4)


def _uniform_load(b: Builder, v: list[Value]) -> list[Value]:
    return b.load(b.kernel_param(64, 0), Space.GLOBAL, 32, 1, 4, hint=Hint.INVARIANT)


TILE = Variable("tile", Space.SHARED, 64, 4)

_ADDRESSES = [
    Golden(
        "kernel_parameters_are_pointers",
        one(_as_is),
        (("ptr addrspace\\(1\\) %p0", "getelementptr i8, ptr addrspace\\(1\\) %p0"), ("inttoptr",)),
        {"gfx942": (("global_load_dword v\\d+, v\\d+, s\\[",), ("flat_load",))},
    ),
    Golden(
        "two_bases_are_no_pointer",
        one(_two_bases),
        (("inttoptr i64 %[.\\w]+ to ptr addrspace\\(1\\)",), ()),
    ),
    Golden(
        "generic_access_of_shared_memory",
        Kernel(_generic_shared, variables=[TILE]),
        (("getelementptr i8, ptr addrspace\\(3\\) @tile, i64 8",), ("load i32, ptr %",)),
        {"gfx942": (("ds_read_b32",), ("flat_load",))},
    ),
    Golden(
        "generic_access_of_anything",
        one(_loaded_pointer),
        (("inttoptr i64 %[.\\w]+ to ptr\n", "load i32, ptr %"), ()),
        {"gfx942": (("flat_load_dword",), ())},
    ),
    Golden(
        "uniform_invariant_load",
        one(_uniform_load),
        (("!invariant.load",), ()),
        {"gfx1100": (("s_load_b32",), ())},
    ),
]


# ---- integers ----


def _shift(b: Builder, v: list[Value]) -> list[Value]:
    return [b.shl(v[0], v[1])]


def _masked_shift(b: Builder, v: list[Value]) -> list[Value]:
    return [b.shl(v[0], b.and_(v[1], b.const(32, 31)))]


def _divide(b: Builder, v: list[Value]) -> list[Value]:
    return [b.udiv(v[0], v[1])]


def _divide_by_seven(b: Builder, v: list[Value]) -> list[Value]:
    return [b.sdiv(v[0], b.const(32, 7))]


def _majority(b: Builder, v: list[Value]) -> list[Value]:
    return [b.bitwise3(v[0], v[1], b.const(32, 0x1234567), 0xE8)]


def _permute(b: Builder, v: list[Value]) -> list[Value]:
    return [b.prmt(v[0], v[1], b.const(32, 0x5410))]


def _signed_permute(b: Builder, v: list[Value]) -> list[Value]:
    """Bytes 1 and 3 replicate their signs: v_perm_b32 does that itself, for odd bytes."""
    return [b.prmt(v[0], v[1], b.const(32, 0x9B10))]


def _dot(b: Builder, v: list[Value]) -> list[Value]:
    return [b.dp4a(v[0], v[1], b.const(32, 5), True, True)]


_INTEGERS = [
    Golden("shift_is_guarded", two(_shift), (("icmp ult i32", "select i1"), ())),
    Golden("masked_shift_is_not", two(_masked_shift), (("shl i32",), ("select i1",))),
    Golden("division_by_zero", two(_divide), (("llvm.umax.i32", "udiv i32"), ())),
    Golden("constant_divisor", one(_divide_by_seven), (("sdiv i32",), ("llvm.umax",))),
    Golden(
        "bitwise3",
        two(_majority),
        ((), ()),
        {"gfx950": (("v_bitop3_b32",), ()), "gfx942": (("v_bfi_b32",), ("v_bitop3",))},
    ),
    Golden("prmt", two(_permute), ((), ()), {"gfx942": (("v_perm_b32",), ("v_and",))}),
    Golden("prmt_signs", two(_signed_permute), ((), ()), {"gfx1100": (("v_perm_b32",), ())}),
    Golden(
        "dp4a",
        two(_dot),
        ((), ()),
        {
            "gfx942": (("v_dot4_?c?_i32_i8",), ("v_mul",)),
            "gfx1100": (("v_dot4_i32_iu8",), ()),
            "gfx900": ((), ("v_dot4",)),
        },
    ),
]


# ---- floats ----


def _contractible(b: Builder, v: list[Value]) -> list[Value]:
    product = b.fmul(v[0], v[1], F32, RN, False)
    return [b.fadd(product, v[0], F32, RN, False)]


def _fused(b: Builder, v: list[Value]) -> list[Value]:
    return [b.ffma(v[0], v[1], v[0], F32, RN, False)]


def _flushing(b: Builder, v: list[Value]) -> list[Value]:
    return [b.fadd(v[0], v[1], F32, RN, True)]


def _mixed_flushing(b: Builder, v: list[Value]) -> list[Value]:
    return [b.fadd(b.fadd(v[0], v[1], F32, RN, True), v[1], F32, RN, False)]


def _minimum(b: Builder, v: list[Value]) -> list[Value]:
    """A float consumer does not care which NaN it gets."""
    return [b.fadd(b.fmin(v[0], v[1], F32, False, False), v[0], F32, RN, False)]


def _stored_minimum(b: Builder, v: list[Value]) -> list[Value]:
    return [b.fmin(v[0], v[1], F32, False, False)]


def _relu(b: Builder, v: list[Value]) -> list[Value]:
    return [b.fmax(v[0], b.const(32, 0), F32, False, False)]


def _saturated(b: Builder, v: list[Value]) -> list[Value]:
    return [b.fsaturate(b.fadd(v[0], v[1], F32, RN, False), F32)]


def _truncated(b: Builder, v: list[Value]) -> list[Value]:
    return [b.float_to_int(v[0], F32, 32, True, RZ, False)]


def _infinite(b: Builder, v: list[Value]) -> list[Value]:
    return [b.float_to_int(b.const(32, 0x7F800000), F32, 32, True, RZ, False)]


def _approximate(function: Approximation, ftz: bool) -> Body:
    return lambda b, v: [b.fapprox(v[0], function, F32, ftz)]


def _half_pair(b: Builder, v: list[Value]) -> list[Value]:
    halves = []
    for offset in (0, 16):
        left, right = (b.extract(value, 16, offset) for value in v)
        halves.append(b.fadd(left, right, F16, RN, False))
    return [b.pack(halves)]


def _crossed_pair(b: Builder, v: list[Value]) -> list[Value]:
    """Different operations on the halves."""
    low = b.fadd(b.extract(v[0], 16, 0), b.extract(v[1], 16, 0), F16, RN, False)
    high = b.fmul(b.extract(v[0], 16, 16), b.extract(v[1], 16, 16), F16, RN, False)
    return [b.pack([low, high])]


_FLOATS = [
    Golden(
        "no_contraction",
        two(_contractible),
        ((), (" contract", " reassoc", " fast ")),
        {"gfx942": (("v_mul_f32", "v_add_f32"), ("v_fma", "v_mad"))},
    ),
    Golden("fma", two(_fused), ((), ()), {"gfx1100": (("v_fma(c|_)",), ("v_mul_f32",))}),
    Golden(
        "flush_by_mode",
        two(_flushing),
        (('"denormal-fp-math-f32"="preserve-sign,preserve-sign"',), ("is.fpclass",)),
        {"gfx942": (("v_add_f32",), ("v_cmp_class",))},
    ),
    Golden(
        "flush_by_hand",
        two(_mixed_flushing),
        (("is.fpclass",), ("denormal-fp-math",)),
        {"gfx942": (("v_cmp_class_f32",), ())},
    ),
    Golden(
        "minimum_for_a_float",
        two(_minimum),
        (("llvm.minimumnum.f32",), ("fcmp uno",)),
        {"gfx942": (("v_min_f32",), ("v_max_f32", "v_cmp")), "gfx1100": (("v_min_f32",), ())},
    ),
    Golden("minimum_for_memory", two(_stored_minimum), (("fcmp uno", "i32 2147483647"), ())),
    Golden("maximum_with_a_number", one(_relu), (("llvm.maximumnum.f32",), ("fcmp uno",))),
    Golden(
        "saturation", two(_saturated), ((), ()), {"gfx942": (("v_add_f32.*clamp",), ("v_max",))}
    ),
    Golden(
        "float_to_int",
        one(_truncated),
        (("fptosi float", "freeze i32"), ()),
        {"gfx942": (("v_cvt_i32_f32",), ("v_cmp",))},
    ),
    Golden("constant_float_to_int", one(_infinite), (("store i32 2147483647",), ("fptosi",))),
    Golden(
        "flushing_reciprocal",
        one(_approximate(Approximation.RCP, True)),
        ((), ()),
        {"gfx942": (("v_rcp_f32",), ("v_frexp", "v_ldexp"))},
    ),
    Golden(
        "keeping_reciprocal",
        one(_approximate(Approximation.RCP, False)),
        ((), ()),
        {"gfx942": (("v_frexp_mant_f32", "v_rcp_f32", "v_ldexp_f32"), ())},
    ),
    Golden(
        "exponential",
        one(_approximate(Approximation.EX2, True)),
        ((), ()),
        {"gfx1201": (("v_exp_f32",), ("v_ldexp",))},
    ),
    Golden(
        "packed_halves",
        two(_half_pair),
        (("fadd <2 x half>",), ()),
        {"gfx942": (("v_pk_add_f16",), ("v_add_f16",)), "gfx1100": (("v_pk_add_f16",), ())},
    ),
    Golden("unlike_halves", two(_crossed_pair), ((), ("fadd <2 x half>",))),
]


# ---- memory, lanes, launch ----


def _ordered(order: Order, scope: Scope) -> Body:
    def body(b: Builder, v: list[Value]) -> list[Value]:
        return b.load(b.kernel_param(64, 0), Space.GLOBAL, 32, 1, 4, order, scope)

    return body


def _add_atomically(number: Number, value_bits: int, scope: Scope = Scope.GPU) -> Body:
    def body(b: Builder, v: list[Value]) -> list[Value]:
        order = (Order.RELAXED, scope, False)
        place = b.add(b.kernel_param(64, 0), b.zext(v[0], 64))
        value = b.const(32, value_bits)
        b.atomic(place, [value], Space.GLOBAL, 32, AtomicOp.ADD, number, *order)
        return [v[0]]

    return body


def _barrier(b: Builder, v: list[Value]) -> list[Value]:
    zero = b.const(32, 0)
    b.barrier(zero, zero, b.const(1, 0), BarrierMode.SYNC, False)
    return [v[0]]


def _ballot(b: Builder, v: list[Value]) -> list[Value]:
    return [b.ballot(b.icmp(v[0], b.const(32, 3), IntPredicate.EQ), b.const(32, -1))]


def _variable_shuffle(b: Builder, v: list[Value]) -> list[Value]:
    mask = b.const(32, -1)
    return list(b.shuffle(v[0], v[1], b.const(32, 31), mask, ShuffleMode.IDX))[:1]


def _block_size(b: Builder, v: list[Value]) -> list[Value]:
    return [b.special(32, Special.NTID_X)]


_REST = [
    Golden(
        "acquire_gpu",
        one(_ordered(Order.ACQUIRE, Scope.GPU)),
        (('load atomic i32, .* syncscope\\("agent"\\) acquire, align 4',), ()),
        {"gfx942": (("sc1", "buffer_inv sc1"), ())},
    ),
    Golden(
        "volatile_is_seen_by_all",
        one(_ordered(Order.VOLATILE, Scope.CTA)),
        (("load atomic i32, ptr addrspace\\(1\\) %p0 monotonic",), ("load volatile",)),
    ),
    Golden(
        "float_atomic",
        one(_add_atomically(Number.F32, 0x3F800000)),
        (("atomicrmw fadd", "!amdgpu.no.fine.grained.memory", "!amdgpu.ignore.denormal.mode"), ()),
        {
            "gfx90a": (("global_atomic_add_f32",), ("cmpswap",)),
            "gfx1030": (("global_atomic_cmpswap",), ("global_atomic_add_f32",)),
        },
    ),
    Golden(
        "half_pair_atomic_keeps_subnormals",
        one(_add_atomically(Number.F16X2, 0x3C003C00)),
        (("atomicrmw fadd",), ("ignore.denormal",)),
        {"gfx942": (("global_atomic_pk_add_f16",), ("cmpswap",))},
    ),
    Golden(
        "system_atomic_may_meet_host_memory",
        one(_add_atomically(Number.F32, 0x3F800000, Scope.SYS)),
        (("atomicrmw fadd",), ("amdgpu.no.fine.grained",)),
        {"gfx90a": (("global_atomic_cmpswap",), ())},
    ),
    Golden(
        "integer_atomic",
        one(_add_atomically(Number.UNSIGNED, 1)),
        (("atomicrmw add", "!amdgpu.no.remote.memory"), ("mbcnt",)),
        {"gfx1030": (("global_atomic_add",), ("cmpswap",))},
    ),
    Golden(
        "barrier",
        one(_barrier),
        (('syncscope\\("workgroup"\\) release', "s.barrier", "acquire"), ()),
        {"gfx942": (("s_barrier",), ()), "gfx1201": (("s_barrier_signal", "s_barrier_wait"), ())},
    ),
    Golden(
        "ballot",
        one(_ballot),
        ((), ()),
        {
            "gfx1100": (("v_cmp_eq_u32",), ("v_cndmask",)),
            "gfx942": (("v_cmp_eq_u32", "v_cndmask_b32"), ()),
        },
    ),
    Golden(
        "variable_shuffle",
        two(_variable_shuffle),
        ((), ()),
        {"gfx942": (("v_and_or_b32", "ds_bpermute_b32"), ("v_cmp",))},
    ),
    Golden(
        "block_size_from_hidden_argument",
        one(_block_size),
        (("implicitarg.ptr", "i64 12"), ()),
        {"gfx942": (("hidden_group_size_x",), ())},
    ),
    Golden(
        "required_block_size",
        Kernel(_block_size, bounds=LaunchBounds(reqntid=(96, 1, 1))),
        (('"amdgpu-flat-work-group-size"="96,96"', "!reqd_work_group_size", "store i32 96"), ()),
        {"gfx942": ((), ("hidden_group_size_x",))},
    ),
]

GOLDENS = [*_ADDRESSES, *_INTEGERS, *_FLOATS, *_REST]


def _check(text: str, has: Patterns, lacks: Patterns) -> None:
    at = 0
    for pattern in has:
        found = re.compile(pattern).search(text, at)
        assert found is not None, f"no {pattern!r} after character {at} of\n{text}"
        at = found.end()
    for pattern in lacks:
        assert re.search(pattern, text) is None, f"{pattern!r} occurs in\n{text}"


@pytest.mark.parametrize("golden", GOLDENS, ids=[golden.name for golden in GOLDENS])
def test_golden(golden: Golden) -> None:
    backend, options = AmdgpuBackend(), CodegenOptions()
    for target in golden.asm or ("gfx942",):
        spec = lookup(target)
        emitted = backend.emit_module(golden.kernel.module(), spec, options)
        if golden.ir != ((), ()):
            _check(emitted.text, *golden.ir)
        if target in golden.asm:
            compiled = backend.compile(backend.job(golden.name, emitted, spec, options))
            metadata = compiled.object.decode("latin-1")
            _check(listing([compiled.object]) + metadata, *golden.asm[target])
