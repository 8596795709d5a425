"""Integer and float operations against LLVM's x86 code for the IR they are selected from."""

from __future__ import annotations

import ctypes
import random
from collections.abc import Iterator

import llvmlite.binding as llvm
import pytest
from valu_calls import run

from ptxlift.emulator.valu import Ctx, Kind, lookup

ROWS = (  # operation, argument type, declarations, body over %a, %b, %c giving %r
    ("v_alignbit_b32", "i32", "declare i32 @llvm.fshr.i32(i32, i32, i32)",
        "%r = call i32 @llvm.fshr.i32(i32 %a, i32 %b, i32 %c)"),
    ("v_mul_hi_u32", "i32", "",
        "%x = zext i32 %a to i64\n %y = zext i32 %b to i64\n %m = mul i64 %x, %y\n"
        " %h = lshr i64 %m, 32\n %r = trunc i64 %h to i32"),
    ("v_mul_hi_i32", "i32", "",
        "%x = sext i32 %a to i64\n %y = sext i32 %b to i64\n %m = mul i64 %x, %y\n"
        " %h = lshr i64 %m, 32\n %r = trunc i64 %h to i32"),
    ("v_bfi_b32", "i32", "",
        "%n = xor i32 %a, -1\n %x = and i32 %a, %b\n %y = and i32 %n, %c\n %r = or i32 %x, %y"),
    ("v_bfrev_b32", "i32", "declare i32 @llvm.bitreverse.i32(i32)",
        "%r = call i32 @llvm.bitreverse.i32(i32 %a)"),
    ("v_ffbh_u32", "i32", "declare i32 @llvm.ctlz.i32(i32, i1)",
        "%l = call i32 @llvm.ctlz.i32(i32 %a, i1 0)\n %z = icmp eq i32 %a, 0\n"
        " %r = select i1 %z, i32 -1, i32 %l"),
    ("v_ffbl_b32", "i32", "declare i32 @llvm.cttz.i32(i32, i1)",
        "%l = call i32 @llvm.cttz.i32(i32 %a, i1 0)\n %z = icmp eq i32 %a, 0\n"
        " %r = select i1 %z, i32 -1, i32 %l"),
    ("v_bcnt_u32_b32", "i32", "declare i32 @llvm.ctpop.i32(i32)",
        "%p = call i32 @llvm.ctpop.i32(i32 %a)\n %r = add i32 %p, %b"),
    ("v_bfe_i32", "i32", "",
        "%o = and i32 %b, 31\n %w = and i32 %c, 31\n %x = ashr i32 %a, %o\n %u = sub i32 32, %w\n"
        " %s = and i32 %u, 31\n %l = shl i32 %x, %s\n %e = ashr i32 %l, %s\n"
        " %z = icmp eq i32 %w, 0\n %r = select i1 %z, i32 0, i32 %e"),
    ("v_med3_i32", "i32", "declare i32 @llvm.smin.i32(i32, i32)\n"
        "declare i32 @llvm.smax.i32(i32, i32)",
        "%x = call i32 @llvm.smin.i32(i32 %a, i32 %b)\n"
        " %y = call i32 @llvm.smax.i32(i32 %a, i32 %b)\n"
        " %m = call i32 @llvm.smin.i32(i32 %y, i32 %c)\n"
        " %r = call i32 @llvm.smax.i32(i32 %x, i32 %m)"),
    ("v_cvt_i32_f32", "i32", "declare i32 @llvm.fptosi.sat.i32.f32(float)",
        "%f = bitcast i32 %a to float\n %r = call i32 @llvm.fptosi.sat.i32.f32(float %f)"),
    ("v_cvt_u32_f32", "i32", "declare i32 @llvm.fptoui.sat.i32.f32(float)",
        "%f = bitcast i32 %a to float\n %r = call i32 @llvm.fptoui.sat.i32.f32(float %f)"),
    ("v_cvt_f32_u32", "i32", "",
        "%f = uitofp i32 %a to float\n %r = bitcast float %f to i32"),
    ("v_lshlrev_b64", "i64", "",
        "%s = and i64 %a, 63\n %r = shl i64 %b, %s"),
    ("v_ashrrev_i64", "i64", "",
        "%s = and i64 %a, 63\n %r = ashr i64 %b, %s"),
    ("v_mul_u64", "i64", "", "%r = mul i64 %a, %b"),
)  # fmt: skip


@pytest.fixture(scope="module")
def engine() -> Iterator[llvm.ExecutionEngine]:
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    text = []
    declared: dict[str, None] = {}
    for name, kind, declarations, body in ROWS:
        declared |= dict.fromkeys(declarations.splitlines())
        head = f"define {kind} @{name}({kind} %a, {kind} %b, {kind} %c)"
        text.append(f"{head} {{\n {body}\n ret {kind} %r\n}}")
    module = llvm.parse_assembly("\n".join([*declared, *text]))
    machine = llvm.Target.from_default_triple().create_target_machine()
    with llvm.create_mcjit_compiler(module, machine) as jit:
        jit.finalize_object()
        yield jit


def operands(width: int) -> list[tuple[int, int, int]]:
    rng = random.Random(width)
    edges = (0, 1, 31, 32, 63, (1 << width) - 1, 1 << (width - 1), 0x7F800000, 0x4F000000)
    out = [tuple(rng.choice(edges) for _ in range(3)) for _ in range(300)]
    out += [tuple(rng.getrandbits(width) for _ in range(3)) for _ in range(700)]
    return out


@pytest.mark.parametrize(("name", "kind"), [row[:2] for row in ROWS])
def test_same_as_the_host(engine: llvm.ExecutionEngine, name: str, kind: str) -> None:
    width = int(kind[1:])
    word = {32: ctypes.c_uint32, 64: ctypes.c_uint64}[width]
    host = ctypes.CFUNCTYPE(word, word, word, word)(engine.get_function_address(name))
    cases = operands(width)
    want = [host(*case) for case in cases]
    columns = [list(column) for column in zip(*cases, strict=True)]
    op = lookup(name)
    assert op is not None
    if op.srcs == (Kind.B32, Kind.B64):  # the amount of a 64-bit shift
        columns[0] = [amount & 63 for amount in columns[0]]
    assert run(name, Ctx(), *columns[: len(op.srcs)]) == want
