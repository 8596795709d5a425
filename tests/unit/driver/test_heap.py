"""malloc and free of kernels over a heap of the code object's own."""

from __future__ import annotations

import numpy as np
import pytest

import ptxlift
from ptxlift.driver.heap import heap_module

# Every thread takes a block of 8 * (tid + 1) bytes, fills it, waits, sums it, frees every other.
KERNEL = """
.version 8.0
.target sm_80
.address_size 64
.extern .func (.param .b64 found) malloc(.param .b64 size);
.extern .func free(.param .b64 address);
.visible .entry fill(.param .u64 sums, .param .u64 places, .param .u32 keep)
{
  .reg .b64 %rd<12>;
  .reg .b32 %r<8>;
  .reg .pred %p<4>;
  .param .b64 given;
  .param .b64 got;
  mov.u32 %r1, %tid.x;
  mov.u32 %r4, %ctaid.x;
  mov.u32 %r5, %ntid.x;
  mad.lo.u32 %r6, %r4, %r5, %r1;
  ld.param.u32 %r7, [keep];
  add.u32 %r2, %r1, 1;
  mul.wide.u32 %rd1, %r2, 8;
  st.param.b64 [given], %rd1;
  call (got), malloc, (given);
  ld.param.b64 %rd2, [got];
  ld.param.u64 %rd8, [places];
  mad.wide.u32 %rd8, %r6, 8, %rd8;
  st.global.u64 [%rd8], %rd2;
  setp.eq.u64 %p1, %rd2, 0;
  @%p1 ret;
  mov.u64 %rd3, %rd2;
  add.u64 %rd4, %rd2, %rd1;
  cvt.u64.u32 %rd5, %r6;
FILL:
  st.u64 [%rd3], %rd5;
  add.u64 %rd3, %rd3, 8;
  setp.lt.u64 %p2, %rd3, %rd4;
  @%p2 bra FILL;
  bar.sync 0;
  mov.u64 %rd6, 0;
  mov.u64 %rd3, %rd2;
SUM:
  ld.u64 %rd7, [%rd3];
  add.u64 %rd6, %rd6, %rd7;
  add.u64 %rd3, %rd3, 8;
  setp.lt.u64 %p2, %rd3, %rd4;
  @%p2 bra SUM;
  ld.param.u64 %rd9, [sums];
  mad.wide.u32 %rd9, %r6, 8, %rd9;
  st.global.u64 [%rd9], %rd6;
  and.b32 %r3, %r1, %r7;
  setp.ne.u32 %p3, %r3, 0;
  @%p3 ret;
  st.param.b64 [given], %rd2;
  call free, (given);
  ret;
}
"""


@pytest.mark.parametrize("target", ["gfx942", "gfx1100"])
def test_blocks_are_apart_and_come_back(target: str) -> None:
    options = ptxlift.Options(heap_bytes=1 << 20)
    program = ptxlift.load(ptxlift.lift(KERNEL, target, options=options))
    threads, blocks = 64, 3
    numbers = np.arange(blocks * threads, dtype=np.uint64)
    sizes = (numbers % threads + 1) * 8
    taken: list[tuple[int, int]] = []
    for _ in range(4):
        sums, places = np.zeros_like(numbers), np.zeros_like(numbers)
        program.launch("fill", blocks, threads, [sums, places, np.uint32(1)])
        np.testing.assert_array_equal(sums, numbers * (sizes // 8))
        assert (places % 16 == 0).all()
        kept = numbers % 2 == 1  # the others were freed, perhaps before another block asked
        taken += zip(places[kept].tolist(), sizes[kept].tolist(), strict=True)
    taken.sort()
    ends = [address + size for address, size in taken]
    assert all(end <= start for end, (start, _) in zip(ends, taken[1:], strict=False))


def test_freed_memory_is_used_again() -> None:
    """Each launch frees all it takes; 64 of them take far more than the heap has."""
    options = ptxlift.Options(heap_bytes=1 << 16)
    program = ptxlift.load(ptxlift.lift(KERNEL, "gfx1100", options=options))
    sums, places = np.zeros(64, np.uint64), np.zeros(64, np.uint64)
    for _ in range(8):
        program.launch("fill", 1, 64, [sums, places, np.uint32(0)])
        assert places.all()


def test_a_full_heap_gives_null() -> None:
    options = ptxlift.Options(heap_bytes=1024)
    program = ptxlift.load(ptxlift.lift(KERNEL, "gfx1100", options=options))
    places = np.zeros(32, np.uint64)
    program.launch("fill", 1, 32, [np.zeros(32, np.uint64), places, np.uint32(1)])
    assert 0 < np.count_nonzero(places) < 32


def test_a_loop_over_malloc_takes_no_lock() -> None:
    """The heap's atomics are repeated until they succeed; that is no lock."""
    loop = KERNEL.replace("call (got), malloc, (given);", "AGAIN:\n  call (got), malloc, (given);")
    loop = loop.replace("@%p1 ret;", "@%p1 bra AGAIN;")
    options = ptxlift.Options(heap_bytes=1 << 20)
    program = ptxlift.load(ptxlift.lift(loop, "gfx1100", options=options))
    places = np.zeros(32, np.uint64)
    program.launch("fill", 1, 32, [np.zeros(32, np.uint64), places, np.uint32(1)])
    assert places.all()


def test_without_a_heap_it_is_refused() -> None:
    with pytest.raises(ptxlift.PtxError, match="heap_bytes"):
        ptxlift.lift(KERNEL)


def test_a_program_may_bring_its_own() -> None:
    own = """
    .version 8.0
    .target sm_80
    .address_size 64
    .visible .func (.param .b64 found) malloc(.param .b64 size)
    { st.param.b64 [found], 0; ret; }
    .visible .func free(.param .b64 address) { ret; }
    """
    made = ptxlift.lift([KERNEL, own], options=ptxlift.Options(heap_bytes=1024))
    assert "__ptxlift_heap" not in made.ir


def test_heap_sizes_are_checked() -> None:
    with pytest.raises(ptxlift.PtxError, match="heap_bytes"):
        ptxlift.Options(heap_bytes=-1)
    assert set(heap_module(1 << 32).functions) == {"malloc", "free"}
