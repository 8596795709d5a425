"""Lowerings of block and warp barriers, and of sleeping.

Comes in: `barrier` with its number and reduction, and `named_barrier`. Goes out: the hardware's one
barrier a work-group with the fences that PTX implies; a reduction goes through words of shared
memory between two of them. Named barriers are barriers that LLVM numbers; a wave joins one to wait
at it. What waves do at them does not heed EXEC, but LLVM keeps the jumps over such code where no
lane takes it.
"""

from __future__ import annotations

from ptxlift.ir.attributes import BarrierMode
from ptxlift.ir.core import Op
from ptxlift.llvm.amdgpu.emitter import Emitter
from ptxlift.llvm.amdgpu.lanes import ballot, lane_id
from ptxlift.llvm.amdgpu.registry import lowers
from ptxlift.target import Feature

_SCRATCH = "@ptxlift.barrier"
_SCRATCH_TYPE = "ptr addrspace(3)"
_RELEASE = 'fence syncscope("workgroup") release'
_ACQUIRE = 'fence syncscope("workgroup") acquire'
_WORKGROUP = 'syncscope("workgroup") monotonic'


def _wait(e: Emitter) -> None:
    """All threads of the block arrive; what each wrote before is seen by all after."""
    e.do(_RELEASE)
    e.do(e.call("void @llvm.amdgcn.s.barrier()"))
    e.do(_ACQUIRE)


@lowers("barrier")
def _barrier(e: Emitter, op: Op) -> None:
    predicate = op.operands[2]
    mode, counted = op.attrs
    # All threads come to each barrier in the same order, so one serves all numbers.
    if counted or mode is BarrierMode.ARRIVE:
        raise e.error(
            op,
            "PTX201",
            "a barrier that counts threads is not translated here",
            "let all threads of the block take part, or use it in a kernel",
        )
    if mode is BarrierMode.SYNC:
        _wait(e)
        e.set_constant(op.results[0], 0)
        return
    text = e.bits(predicate)
    if mode is BarrierMode.AND:
        text = e.let(f"xor i1 {text}, true")
    count = _count_where(e, text)
    if mode is BarrierMode.POPC:
        e.set_bits(op.results[0], f"add i32 {count}, 0")
        return
    comparison = "eq" if mode is BarrierMode.AND else "ne"
    flag = e.let(f"icmp {comparison} i32 {count}, 0")
    e.set_bits(op.results[0], f"zext i1 {flag} to i32")


_OBJECT = 'target("amdgcn.named.barrier", 0)'


def _object(e: Emitter, number: int) -> str:
    """The object that stands for a barrier of PTX, the same in all functions."""
    name = f"@ptxlift.barrier.{number}"
    e.context.helpers[name] = f"{name} = internal addrspace(3) global {_OBJECT} poison"
    return name


def begin_barriers(e: Emitter) -> None:
    """A kernel's prologue: the named barriers it may come to are empty before any wave arrives."""
    for number, waves in sorted(e.facts.named_barriers.items()):
        init = "void @llvm.amdgcn.s.barrier.init(ptr addrspace(3), i32)"
        e.do(e.call(init, _object(e, number), str(waves)))
    if e.facts.named_barriers:
        e.do(e.call("void @llvm.amdgcn.s.barrier()"))


@lowers("named_barrier")
def _named_barrier(e: Emitter, op: Op) -> None:
    mode, number, waves = op.attrs
    place = _object(e, int(str(number)))
    e.do(_RELEASE)
    if mode is BarrierMode.SYNC:  # joining again forgets what was completed before
        e.do(e.call("void @llvm.amdgcn.s.barrier.join(ptr addrspace(3))", place))
    signal = "void @llvm.amdgcn.s.barrier.signal.var(ptr addrspace(3), i32)"
    e.do(e.call(signal, place, str(waves)))
    if mode is BarrierMode.SYNC:
        e.do(e.call("void @llvm.amdgcn.s.barrier.wait(i16)", "1"))
        e.do(_ACQUIRE)


def _count_where(e: Emitter, predicate: str) -> str:
    """The number of threads of the block whose predicate holds."""
    e.context.helpers[_SCRATCH] = f"{_SCRATCH} = internal addrspace(3) global i32 poison, align 4"
    leader = _is_first_active(e)
    _when(e, leader, f"store atomic i32 0, {_SCRATCH_TYPE} {_SCRATCH} {_WORKGROUP}, align 4")
    _wait(e)
    lanes = ballot(e, predicate)
    ones = e.let(e.call("i32 @llvm.ctpop.i32(i32)", lanes))
    add = f"atomicrmw add {_SCRATCH_TYPE} {_SCRATCH}, i32 {ones} {_WORKGROUP}"
    _when(e, leader, f"{e.fresh('%t')} = {add}")
    _wait(e)
    count = e.let(f"load atomic i32, {_SCRATCH_TYPE} {_SCRATCH} {_WORKGROUP}, align 4")
    _wait(e)
    return count


def _is_first_active(e: Emitter) -> str:
    """Whether the lane is the lowest active one of its warp."""
    first = e.let(e.call("i32 @llvm.cttz.i32(i32, i1)", ballot(e, "true"), "true"))
    return e.let(f"icmp eq i32 {lane_id(e)}, {first}")


def _when(e: Emitter, condition: str, instruction: str) -> None:
    then, after = e.fresh("then"), e.fresh("after")
    e.do(f"br i1 {condition}, label %{then}, label %{after}")
    e.start_block(then)
    e.do(instruction)
    e.do(f"br label %{after}")
    e.start_block(after)


@lowers("warp_barrier")
def _warp_barrier(e: Emitter, op: Op) -> None:
    e.do('fence syncscope("wavefront") release')
    e.do(e.call("void @llvm.amdgcn.wave.barrier()"))
    e.do('fence syncscope("wavefront") acquire')


_SLEEP_UNIT = 64  # clocks
_LONGEST_SLEEP = 127


@lowers("sleep")
def _sleep(e: Emitter, op: Op) -> None:
    """A hint: nanosleep lasts between 0 and twice the time. A clock takes about half a
    nanosecond.
    """
    duration = e.constant(op.operands[0])
    if duration is None and e.context.has(Feature.SLEEP_VAR):
        units = e.let(f"lshr i32 {e.bits(op.operands[0])}, 5")
        e.do(e.call("void @llvm.amdgcn.s.sleep.var(i32)", units))
        return
    length = 8 if duration is None else min(duration * 2 // _SLEEP_UNIT, _LONGEST_SLEEP)
    e.do(e.call("void @llvm.amdgcn.s.sleep(i32)", str(max(length, 1))))
