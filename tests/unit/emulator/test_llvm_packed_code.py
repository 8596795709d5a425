"""Packed halves, mixed precision, byte dots and 8-bit floats as LLVM writes them, against numpy.

What is at stake is the encoding of operands: op_sel, op_sel_hi, neg_lo, SDWA and byte_sel, and
which part of the destination survives.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from emulator_builds import needs_lld, run
from numpy.typing import NDArray

pytestmark = needs_lld

KERNEL = """
%(declare)s
define amdgpu_kernel void @k(ptr addrspace(1) %%x, ptr addrspace(1) %%y, ptr addrspace(1) %%o) {
  %%t = call i32 @llvm.amdgcn.workitem.id.x()
  %%px = getelementptr i32, ptr addrspace(1) %%x, i32 %%t
  %%py = getelementptr i32, ptr addrspace(1) %%y, i32 %%t
  %%po = getelementptr i32, ptr addrspace(1) %%o, i32 %%t
  %%a = load i32, ptr addrspace(1) %%px
  %%b = load i32, ptr addrspace(1) %%py
  %%ha = bitcast i32 %%a to <2 x half>
  %%hb = bitcast i32 %%b to <2 x half>
  %%fa = bitcast i32 %%a to float
  %%fb = bitcast i32 %%b to float
  %(body)s
  %%bits = bitcast %(type)s %%r to i32
  store i32 %%bits, ptr addrspace(1) %%po
  ret void
}
"""

THREADS = 256
Words = NDArray[np.uint32]
Reference = Callable[[Words, Words], Words]


def execute(
    declare: str, kind: str, body: str, chip: str, x: Words, y: Words, reference: Reference
) -> None:
    got = np.zeros(THREADS, np.uint32)
    ir = KERNEL % {"declare": declare, "type": kind, "body": body}
    run(ir, "k", chip, (1, 1, 1), (THREADS, 1, 1), x.copy(), y.copy(), got)
    np.testing.assert_array_equal(got, reference(x, y))


def halves(bits: Words) -> NDArray[np.float16]:
    return bits.view(np.float16).reshape(-1, 2)


def words(pairs: NDArray[Any]) -> Words:
    return np.ascontiguousarray(pairs.astype(np.float16)).view(np.uint32).ravel()


def singles(values: NDArray[Any]) -> Words:
    return values.astype(np.float32).view(np.uint32)


def half_inputs(seed: int) -> Words:
    return words(np.random.default_rng(seed).uniform(-4, 4, (THREADS, 2)))


FMA2 = "declare <2 x half> @llvm.fma.v2f16(<2 x half>, <2 x half>, <2 x half>)"
FMA = "declare float @llvm.fma.f32(float, float, float)"
MIXED = """%p = extractelement <2 x half> %ha, i32 1
  %q = extractelement <2 x half> %hb, i32 0
  %fp = fpext half %p to float
  %fq = fpext half %q to float
  %nq = fneg float %fq
  """


def mixed(a: Words, b: Words) -> NDArray[np.float64]:
    """Exact in double: two 11-bit factors and 1.5."""
    x, y = halves(a)[:, 1].astype(np.float64), halves(b)[:, 0].astype(np.float64)
    return 1.5 - x * y


def fma_low(a: Words, b: Words) -> Words:
    x, y = halves(a).astype(np.float64), halves(b).astype(np.float64)
    return words(x * y[:, :1] + x)


HALF_CASES: tuple[tuple[str, str, str, str, Reference], ...] = (
    ("add", "", "<2 x half>", "%r = fadd <2 x half> %ha, %hb",
        lambda a, b: words(halves(a) + halves(b))),
    ("swap", "", "<2 x half>",
        "%s = shufflevector <2 x half> %hb, <2 x half> poison, <2 x i32> <i32 1, i32 0>\n"
        "  %n = fneg <2 x half> %ha\n  %r = fmul <2 x half> %n, %s",
        lambda a, b: words(-halves(a) * halves(b)[:, ::-1])),
    ("low", FMA2, "<2 x half>",
        "%s = shufflevector <2 x half> %hb, <2 x half> poison, <2 x i32> zeroinitializer\n  %r ="
        " call <2 x half> @llvm.fma.v2f16(<2 x half> %ha, <2 x half> %s, <2 x half> %ha)",
        fma_low),
    ("mix", FMA, "float",
        MIXED + "%r = call float @llvm.fma.f32(float %fp, float %nq, float 1.5)",
        lambda a, b: singles(mixed(a, b))),
    ("mixhi", FMA, "<2 x half>",
        MIXED + "%f = call float @llvm.fma.f32(float %fp, float %nq, float 1.5)\n"
        "  %h = fptrunc float %f to half\n"
        "  %r = insertelement <2 x half> %ha, half %h, i32 1",
        lambda a, b: words(np.stack([halves(a)[:, 0], mixed(a, b).astype(np.float32)], axis=1))),
)  # fmt: skip


@pytest.mark.parametrize("chip", ("gfx900", "gfx906", "gfx942", "gfx1030", "gfx1100", "gfx1201"))
@pytest.mark.parametrize(("name", "declare", "kind", "body", "reference"), HALF_CASES)
def test_halves(
    name: str, declare: str, kind: str, body: str, reference: Reference, chip: str
) -> None:
    del name
    execute(declare, kind, body, chip, half_inputs(1), half_inputs(2), reference)


def dot(a: Words, b: Words, signed_b: bool) -> Words:
    x = a.view(np.int8).reshape(-1, 4).astype(np.int64)
    y = b.view(np.int8 if signed_b else np.uint8).reshape(-1, 4).astype(np.int64)
    return ((x * y).sum(axis=1) + 7).astype(np.uint32)


SDOT = "declare i32 @llvm.amdgcn.sdot4(i32, i32, i32, i1)"
SUDOT = "declare i32 @llvm.amdgcn.sudot4(i1, i32, i1, i32, i32, i1)"


@pytest.mark.parametrize("chip", ("gfx906", "gfx908", "gfx942", "gfx1030", "gfx1100", "gfx1201"))
def test_byte_dots(chip: str) -> None:
    rng = np.random.default_rng(3)
    x, y = (rng.integers(0, 1 << 32, THREADS, np.uint32) for _ in range(2))
    if chip not in ("gfx1100", "gfx1201"):
        body = "%r = call i32 @llvm.amdgcn.sdot4(i32 %a, i32 %b, i32 7, i1 0)"
        execute(SDOT, "i32", body, chip, x, y, lambda a, b: dot(a, b, True))
        return
    body = "%r = call i32 @llvm.amdgcn.sudot4(i1 1, i32 %a, i1 0, i32 %b, i32 7, i1 0)"
    execute(SUDOT, "i32", body, chip, x, y, lambda a, b: dot(a, b, False))


def fp8_values(bias: int) -> NDArray[np.float64]:
    """The positive values of a 4-bit exponent, 3-bit mantissa format, by pattern."""
    patterns = np.arange(127)
    exponent, mantissa = patterns >> 3, patterns & 7
    digits = mantissa + 8 * (exponent > 0)
    return digits * 2.0 ** (np.maximum(exponent, 1) - bias - 3)


def encode(bits: Words, bias: int) -> Words:
    """Nearest by distance, ties to the even pattern."""
    table = fp8_values(bias)
    x = bits.view(np.float32).astype(np.float64)
    distance = np.abs(table[None, :] - np.abs(x)[:, None])
    distance += (np.arange(127) & 1) * 1e-12
    code = distance.argmin(axis=1)
    return np.where((x < 0) & (code > 0), code | 0x80, code).astype(np.uint32)


def decode(byte: Words, bias: int) -> Words:
    value = fp8_values(bias)[np.minimum(byte & 0x7F, 126)]
    return singles(np.where(byte & 0x80, -value, value))


CHIPS_FP8 = (("gfx942", 8), ("gfx950", 7), ("gfx1201", 7), ("gfx1250", 7))
PACK = "declare i32 @llvm.amdgcn.cvt.pk.fp8.f32(float, float, i32, i1)"
STOCHASTIC = "declare i32 @llvm.amdgcn.cvt.sr.fp8.f32(float, i32, i32, i32)"
UNPACK = "declare float @llvm.amdgcn.cvt.f32.fp8(i32, i32)"
UNPACK2 = "declare <2 x float> @llvm.amdgcn.cvt.pk.f32.fp8(i32, i1)"


def fp8_inputs(seed: int) -> Words:
    return singles(np.random.default_rng(seed).uniform(-20, 20, THREADS))


@pytest.mark.parametrize(("chip", "bias"), CHIPS_FP8)
@pytest.mark.parametrize("high", [0, 1])
def test_fp8_pairs_keep_the_other_half(chip: str, bias: int, high: int) -> None:
    body = f"%r = call i32 @llvm.amdgcn.cvt.pk.fp8.f32(float %fa, float %fb, i32 %a, i1 {high})"

    def reference(a: Words, b: Words) -> Words:
        pair = encode(a, bias) | encode(b, bias) << 8
        return a & 0xFFFF | pair << 16 if high else a & 0xFFFF0000 | pair

    execute(PACK, "i32", body, chip, fp8_inputs(1), fp8_inputs(2), reference)


@pytest.mark.parametrize(("chip", "bias"), CHIPS_FP8)
@pytest.mark.parametrize("byte", range(4))
def test_fp8_single_bytes(chip: str, bias: int, byte: int) -> None:
    """With no noise, stochastic rounding still rounds to nearest what is left of the mantissa."""
    x = fp8_inputs(1) & np.uint32(0xFFF00000)  # exactly representable
    body = (
        "%n = fneg float %fa\n"
        f"  %r = call i32 @llvm.amdgcn.cvt.sr.fp8.f32(float %n, i32 0, i32 %b, i32 {byte})"
    )

    def reference(a: Words, b: Words) -> Words:
        code = encode(a ^ np.uint32(1 << 31), bias)
        return b & ~np.uint32(0xFF << 8 * byte) | code << 8 * byte

    execute(STOCHASTIC, "i32", body, chip, x, fp8_inputs(2), reference)


@pytest.mark.parametrize(("chip", "bias"), CHIPS_FP8)
@pytest.mark.parametrize("byte", range(4))
def test_fp8_decoding(chip: str, bias: int, byte: int) -> None:
    rng = np.random.default_rng(4)
    x = rng.integers(0, 127, (THREADS, 4), np.uint8).view(np.uint32).ravel()
    body = f"%r = call float @llvm.amdgcn.cvt.f32.fp8(i32 %a, i32 {byte})"
    one = np.uint32(0xFF)
    execute(UNPACK, "float", body, chip, x, x, lambda a, _: decode(a >> 8 * byte & one, bias))
    half, element = divmod(byte, 2)
    body = (
        f"%p = call <2 x float> @llvm.amdgcn.cvt.pk.f32.fp8(i32 %a, i1 {half})\n"
        f"  %r = extractelement <2 x float> %p, i32 {element}"
    )
    execute(UNPACK2, "float", body, chip, x, x, lambda a, _: decode(a >> 8 * byte & one, bias))
