"""cp.async: copies that may finish later, finished at once.

The manual lets a copy complete at any time before its wait, so a load and a store are a right
implementation; then groups are always complete.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptxlift.ir.attributes import IntPredicate, Space
from ptxlift.ir.core import Value
from ptxlift.lifter.loops import repeat
from ptxlift.lifter.registry import lifts
from ptxlift.ptx import module as ptx

if TYPE_CHECKING:
    from ptxlift.lifter.function import FunctionLifter


@lifts("cp_async_commit_group", "cp_async_wait_group", "cp_async_wait_all")
def lift_group(at: FunctionLifter, inst: ptx.Inst) -> None:
    """Data Movement and Conversion Instructions: cp.async groups. Every copy is complete
    already.
    """


@lifts("cp_async")
def lift_cp_async(at: FunctionLifter, inst: ptx.Inst) -> None:
    """Data Movement and Conversion Instructions: cp.async."""
    named = dict(zip((spec.name for spec in inst.form.operands), inst.operands, strict=True))
    destination, source, size = named["dst"], named["src"], named["size"]
    assert isinstance(destination, ptx.Memory)
    assert isinstance(source, ptx.Memory)
    assert isinstance(size, ptx.Immediate)
    to = at.memory_address(destination, Space.SHARED)
    origin = at.memory_address(source, Space.GLOBAL)
    if "ignore" in named:
        ignore = at.scalar(named["ignore"], 1)
        valid = at.builder.select(ignore, at.const(32, 0), at.const(32, size.bits))
    elif "srcsize" in named:
        valid = at.scalar(named["srcsize"], 32)
    else:
        _copy_whole(at, to, origin, size.bits)
        return
    _copy_part(at, to, origin, size.bits, valid)


def _copy_whole(at: FunctionLifter, to: Value, origin: Value, size: int) -> None:
    words = at.builder.load(origin, Space.GLOBAL, 32, size // 4, size)
    at.builder.store(to, words, Space.SHARED, 32, size)


def _copy_part(at: FunctionLifter, to: Value, origin: Value, size: int, valid: Value) -> None:
    """All of it if `valid` is the size; else zeros with the first `valid` bytes copied over."""
    whole, part, after = at.new_block("whole"), at.new_block("part"), at.new_block("copied")
    full = at.const(32, size)
    at.builder.cond_br(at.builder.icmp(valid, full, IntPredicate.EQ), whole, part)
    at.start_block(whole)
    _copy_whole(at, to, origin, size)
    at.builder.br(after)
    at.start_block(part)
    at.builder.store(to, [at.const(32, 0)] * (size // 4), Space.SHARED, 32, size)

    def byte(index: Value) -> None:
        place = at.builder.add(origin, at.builder.zext(index, 64))
        value = at.builder.load(place, Space.GLOBAL, 8)
        at.builder.store(at.builder.add(to, index), value, Space.SHARED, 8)

    repeat(at, at.builder.umin(valid, full), byte)
    at.builder.br(after)
    at.start_block(after)
