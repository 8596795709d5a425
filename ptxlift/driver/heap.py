"""The device heap: `malloc` and `free` for programs that declare and do not define them.

Comes in: a size. Goes out: a PTX module, translated with the program's own. Blocks are powers of
two, at least 32 bytes; the first 16 bytes of a block are its header: which power it is, and in a
free block the next one. Freed blocks wait in one list for each power; fresh ones come off the end
of what was used. Lists and end change by one compare-and-swap each, so no thread waits for another.
A list's head counts its changes in the upper half, lest a block that was taken and came back look
like no change. What does not fit gives the null pointer, as CUDA's heap does.
"""

from __future__ import annotations

from collections.abc import Sequence

from ptxlift import ptx

_FUNCTIONS = frozenset({"malloc", "free"})
_TEXT = """
.version 7.0
.target sm_70
.address_size 64

.global .align 32 .b8 __ptxlift_heap[{size}];
.global .align 8 .u64 __ptxlift_heap_used;
.global .align 8 .u64 __ptxlift_heap_free[{powers}];

.visible .func (.param .b64 result) malloc(.param .b64 bytes)
{{
  .reg .b64 %bytes, %heap, %used, %lists, %list, %head, %changed, %seen;
  .reg .b64 %place, %block, %end, %room;
  .reg .b32 %power, %zeros, %next;
  .reg .pred %no;
  ld.param.u64 %bytes, [bytes];
  mov.u64 %block, 0;
  setp.gt.u64 %no, %bytes, {size};
  @%no bra DONE;
  add.u64 %bytes, %bytes, 15;
  clz.b64 %zeros, %bytes;
  sub.u32 %power, 64, %zeros;
  max.u32 %power, %power, 5;
  mov.u64 %heap, __ptxlift_heap;
  mov.u64 %used, __ptxlift_heap_used;
  mov.u64 %lists, __ptxlift_heap_free;
TAKE:
  mad.wide.u32 %list, %power, 8, %lists;
  ld.relaxed.gpu.global.u64 %head, [%list];
TAKE_AGAIN:
  and.b64 %place, %head, 0xffffffff;
  setp.eq.u64 %no, %place, 0;
  @%no bra FRESH;
  shl.b64 %block, %place, 4;
  add.u64 %block, %block, %heap;
  ld.relaxed.gpu.global.u32 %next, [%block+-8];
  sub.u64 %changed, %head, %place;
  add.u64 %changed, %changed, 0x100000000;
  cvt.u64.u32 %end, %next;
  or.b64 %changed, %changed, %end;
  atom.acq_rel.gpu.global.cas.b64 %seen, [%list], %head, %changed;
  setp.eq.u64 %no, %seen, %head;
  @%no bra DONE;
  mov.u64 %head, %seen;
  bra TAKE_AGAIN;
FRESH:
  ld.relaxed.gpu.global.u64 %head, [%used];
FRESH_AGAIN:
  mov.u64 %room, 1;
  shl.b64 %room, %room, %power;
  add.u64 %end, %head, %room;
  setp.gt.u64 %no, %end, {size};
  @%no bra LARGER;
  atom.relaxed.gpu.global.cas.b64 %seen, [%used], %head, %end;
  setp.eq.u64 %no, %seen, %head;
  @%no bra MADE;
  mov.u64 %head, %seen;
  bra FRESH_AGAIN;
MADE:
  add.u64 %block, %heap, %head;
  st.global.u32 [%block], %power;
  add.u64 %block, %block, 16;
  bra DONE;
LARGER:
  mov.u64 %block, 0;
  add.u32 %power, %power, 1;
  setp.lt.u32 %no, %power, {powers};
  @%no bra TAKE;
  st.param.b64 [result], %block;
  ret;
DONE:
  setp.eq.u64 %no, %block, 0;
  @!%no cvta.global.u64 %block, %block;
  st.param.b64 [result], %block;
  ret;
}}

.visible .func free(.param .b64 address)
{{
  .reg .b64 %block, %heap, %list, %head, %changed, %seen, %place;
  .reg .b32 %power, %next;
  .reg .pred %no;
  ld.param.u64 %block, [address];
  setp.eq.u64 %no, %block, 0;
  @%no ret;
  cvta.to.global.u64 %block, %block;
  mov.u64 %heap, __ptxlift_heap;
  sub.u64 %place, %block, %heap;
  shr.u64 %place, %place, 4;
  ld.global.u32 %power, [%block+-16];
  mov.u64 %list, __ptxlift_heap_free;
  mad.wide.u32 %list, %power, 8, %list;
  ld.relaxed.gpu.global.u64 %head, [%list];
AGAIN:
  cvt.u32.u64 %next, %head;
  st.relaxed.gpu.global.u32 [%block+-8], %next;
  and.b64 %changed, %head, 0xffffffff00000000;
  add.u64 %changed, %changed, 0x100000000;
  or.b64 %changed, %changed, %place;
  atom.acq_rel.gpu.global.cas.b64 %seen, [%list], %head, %changed;
  setp.eq.u64 %no, %seen, %head;
  @%no ret;
  mov.u64 %head, %seen;
  bra AGAIN;
}}
"""


def heap_module(size: int) -> ptx.Module:
    """`malloc` and `free` over `size` bytes of device memory."""
    text = _TEXT.format(size=size, powers=size.bit_length() + 1)
    return ptx.parse_module(text, "<device heap>")


def needs_heap(modules: Sequence[ptx.Module]) -> bool:
    """Whether a program declares `malloc` or `free` and defines neither."""
    named = [f for module in modules for f in module.functions.values() if f.name in _FUNCTIONS]
    return bool(named) and all(function.body is None for function in named)
