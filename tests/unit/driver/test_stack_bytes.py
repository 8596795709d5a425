"""Scratch memory of kernels that recur: what the code object says, and that it runs."""

from __future__ import annotations

import struct

import numpy as np
import pytest

import ptxlift
from ptxlift.link import read_code_object
from ptxlift.link.elf import Sht, read_elf

# The number of calls of a naive Fibonacci function: LLVM cannot make a loop of it.
RECURSIVE = """.version 8.0
.target sm_80
.address_size 64
.func (.param .b32 o) f(.param .b32 n)
{ .reg .b32 %r<5>; .reg .pred %p;
  ld.param.b32 %r1, [n]; mov.u32 %r2, 1; setp.lt.u32 %p, %r1, 2; @%p bra DONE;
  sub.u32 %r3, %r1, 1;
  { .param .b32 a; .param .b32 b; st.param.b32 [a], %r3; call (b), f, (a); ld.param.b32 %r4, [b]; }
  add.u32 %r2, %r2, %r4; sub.u32 %r3, %r1, 2;
  { .param .b32 a; .param .b32 b; st.param.b32 [a], %r3; call (b), f, (a); ld.param.b32 %r4, [b]; }
  add.u32 %r2, %r2, %r4;
DONE: st.param.b32 [o], %r2; ret; }
.visible .entry calls(.param .u64 out, .param .u32 n)
{ .reg .b32 %r<3>; .reg .b64 %rd<2>; ld.param.u32 %r1, [n];
  { .param .b32 a; .param .b32 b; st.param.b32 [a], %r1; call (b), f, (a); ld.param.b32 %r2, [b]; }
  ld.param.u64 %rd1, [out]; st.global.u32 [%rd1], %r2; ret; }
.visible .entry plain() { ret; }
"""


def _descriptor(code_object: bytes, kernel: str) -> int:
    elf = read_elf(code_object, "test")
    (symbol,) = (s for s in elf.symbols(Sht.DYNSYM) if s.name == f"{kernel}.kd")
    section = elf.sections[symbol.shndx]
    at = section.offset + symbol.value - section.addr
    return int(struct.unpack_from("<I", code_object, at + 4)[0])


@pytest.mark.parametrize("target", ["gfx942", "gfx1100"])
def test_kernels_that_recur_get_what_was_asked_for(target: str) -> None:
    options = ptxlift.Options(stack_bytes=8192)
    program = ptxlift.lift(RECURSIVE, target, options=options)
    assert program.kernels["calls"].dynamic_stack
    assert program.kernels["calls"].private_bytes == 8192
    assert program.kernels["plain"].private_bytes == 0
    for name, size in (("calls", 8192), ("plain", 0)):
        assert _descriptor(program.code_object, name) == size
    out = np.zeros(1, np.uint32)
    ptxlift.run(program, "calls", 1, 1, [out, np.uint32(7)])
    assert out[0] == 41  # 2 * fib(8) - 1


def test_unsaid_it_is_what_llvm_guesses() -> None:
    program = ptxlift.lift(RECURSIVE)
    guessed = program.kernels["calls"].private_bytes
    assert guessed not in (0, 8192) and _descriptor(program.code_object, "calls") == guessed
    described = read_code_object(program.code_object).kernel("calls")
    assert described is not None and described.dynamic_stack


@pytest.mark.parametrize("target", ["gfx942", "gfx1100"])
def test_a_full_stack_is_told(target: str) -> None:
    """A call takes at least the 8 bytes of its return address, so 200 take more than 1024."""
    out = np.zeros(1, np.uint32)
    with pytest.raises(ptxlift.PtxError, match="private memory") as caught:
        ptxlift.run(ptxlift.lift(RECURSIVE, target), "calls", 1, 1, [out, np.uint32(200)])
    first = caught.value.diagnostics[0]
    assert first.code == "PTX402" and "stack_bytes" in str(first.hint)


@pytest.mark.parametrize("value", [-1, 1 << 20, "much"])
def test_sizes_that_are_none(value: object) -> None:
    with pytest.raises(ptxlift.PtxError, match="stack_bytes"):
        ptxlift.Options(stack_bytes=value)  # type: ignore[arg-type]
