"""Lowerings of special registers: positions in the launch, lanes, clocks.

Comes in: `special` and `clock`. Goes out: AMDGPU intrinsics and loads of the hidden arguments that
the runtime places after the kernel's own. A warp is 32 lanes whatever the wave is.
"""

from __future__ import annotations

from ptxlift.ir.attributes import Special
from ptxlift.ir.core import Op
from ptxlift.llvm.amdgpu.emitter import Emitter
from ptxlift.llvm.amdgpu.lanes import lane_id
from ptxlift.llvm.amdgpu.registry import lowers
from ptxlift.target import Feature

_TIDS = {Special.TID_X: "x", Special.TID_Y: "y", Special.TID_Z: "z"}
_CTAIDS = {Special.CTAID_X: "x", Special.CTAID_Y: "y", Special.CTAID_Z: "z"}
_NTIDS = {Special.NTID_X: 0, Special.NTID_Y: 1, Special.NTID_Z: 2}
# Offsets of hidden arguments, code object versions 5 and 6.
_BLOCK_COUNT = {Special.NCTAID_X: 0, Special.NCTAID_Y: 4, Special.NCTAID_Z: 8}
_GROUP_SIZE = 12
_DYNAMIC_LDS_SIZE = 120
# Lane masks: the shifted constant, and whether 1 is subtracted after the shift by the lane.
_LANE_MASKS = {
    Special.LANEMASK_EQ: (1, False),
    Special.LANEMASK_LT: (1, True),
    Special.LANEMASK_LE: (2, True),
    Special.LANEMASK_GE: (-1, False),
    Special.LANEMASK_GT: (-2, False),
}
# Fields of hardware registers as s_getreg takes them: register | first bit << 6 | (bits - 1) << 11.
_HW_ID, _XCC_ID, _HW_ID1 = 4, 20, 23


@lowers("special")
def _special(e: Emitter, op: Op) -> None:
    register = op.attrs[1]
    assert isinstance(register, Special)
    result = op.results[0]
    text = special_value(e, register)
    width = 64 if register is Special.GRIDID else 32
    if result.width == width:
        e.alias(result, text)
    else:
        change = "zext" if result.width > width else "trunc"
        e.set_bits(result, f"{change} i{width} {text} to i{result.width}")


def special_value(e: Emitter, register: Special) -> str:
    """The register's value; i64 for the grid's number, else i32."""
    if register in _TIDS:
        return _tid(e, _TIDS[register])
    if register in _CTAIDS:
        return e.let(e.call(f"i32 @llvm.amdgcn.workgroup.id.{_CTAIDS[register]}()"))
    if register in _NTIDS:
        return _ntid(e, _NTIDS[register])
    if register in _BLOCK_COUNT:
        return _hidden(e, _BLOCK_COUNT[register], 32)
    if register in _LANE_MASKS:
        constant, minus_one = _LANE_MASKS[register]
        shifted = e.let(f"shl i32 {constant}, {lane_id(e)}")
        return e.let(f"add i32 {shifted}, -1") if minus_one else shifted
    return _OTHERS[register](e)


def _hidden(e: Emitter, offset: int, width: int) -> str:
    base = e.let(e.call("ptr addrspace(4) @llvm.amdgcn.implicitarg.ptr()"))
    place = e.let(f"getelementptr i8, ptr addrspace(4) {base}, i64 {offset}")
    load = f"load i{width}, ptr addrspace(4) {place}, align {width // 8}, !invariant.load !0"
    return e.let(load)


def _tid(e: Emitter, axis: str) -> str:
    item = e.let(e.call(f"i32 @llvm.amdgcn.workitem.id.{axis}()"))
    if not e.context.is_split or axis != "x":
        return item
    # 64 work-items in x hold 32 threads: the lower half of each wave.
    wave = e.let(f"lshr i32 {item}, 6")
    first = e.let(f"shl i32 {wave}, 5")
    lane = e.let(f"and i32 {item}, 31")
    return e.let(f"or i32 {first}, {lane}")


def _ntid(e: Emitter, axis: int) -> str:
    required = e.function.bounds.reqntid
    if required is not None:
        return str(required[axis])
    narrow = _hidden(e, _GROUP_SIZE + 2 * axis, 16)
    size = e.let(f"zext i16 {narrow} to i32")
    if e.context.is_split and axis == 0:
        return e.let(f"lshr i32 {size}, 1")
    return size


def _linear_tid(e: Emitter) -> str:
    """The thread's number in the block, x fastest."""
    x, y, z = (_tid(e, axis) for axis in "xyz")
    row = e.let(f"mul i32 {z}, {_ntid(e, 1)}")
    row = e.let(f"add i32 {row}, {y}")
    row = e.let(f"mul i32 {row}, {_ntid(e, 0)}")
    return e.let(f"add i32 {row}, {x}")


def _warp_id(e: Emitter) -> str:
    return e.let(f"lshr i32 {_linear_tid(e)}, 5")


def _warp_count(e: Emitter) -> str:
    threads = _ntid(e, 0)
    for axis in (1, 2):
        threads = e.let(f"mul i32 {threads}, {_ntid(e, axis)}")
    rounded = e.let(f"add i32 {threads}, 31")
    return e.let(f"lshr i32 {rounded}, 5")


def _getreg(e: Emitter, register: int, first: int, bits: int) -> str:
    field = register | first << 6 | (bits - 1) << 11
    return e.let(e.call("i32 @llvm.amdgcn.s.getreg(i32)", str(field)))


def _multiprocessor(e: Emitter) -> str:
    """Compute unit, array and engine numbers side by side, as the hardware keeps them."""
    if e.context.target.generation > 9:
        return _getreg(e, _HW_ID1, 10, 11)
    number = _getreg(e, _HW_ID, 8, 8)
    if not e.context.has(Feature.XCC_ID):
        return number
    die = e.let(f"shl i32 {_getreg(e, _XCC_ID, 0, 4)}, 8")
    return e.let(f"or i32 {die}, {number}")


def _multiprocessors(e: Emitter) -> str:
    """Above every number that can occur; PTX asks for no more."""
    if e.context.target.generation > 9:
        return str(1 << 11)
    return str(1 << (12 if e.context.has(Feature.XCC_ID) else 8))


def _grid_number(e: Emitter) -> str:
    return e.let(e.call("i64 @llvm.amdgcn.dispatch.id()"))


def _dynamic_shared_size(e: Emitter) -> str:
    variables = e.context.module.variables
    reachable = (variables[name] for name in e.facts.variables if name in variables)
    if not any(variable.is_dynamic_shared for variable in reachable):
        return "0"
    return _hidden(e, _DYNAMIC_LDS_SIZE, 32)


def _shared_size(e: Emitter) -> str:
    static = e.let(e.call("i32 @llvm.amdgcn.groupstaticsize()"))
    return e.let(f"add i32 {static}, {_dynamic_shared_size(e)}")


_OTHERS = {
    Special.LANEID: lane_id,
    Special.WARPID: _warp_id,
    Special.NWARPID: _warp_count,
    Special.SMID: _multiprocessor,
    Special.NSMID: _multiprocessors,
    Special.GRIDID: _grid_number,
    Special.DYNAMIC_SMEM_SIZE: _dynamic_shared_size,
    Special.TOTAL_SMEM_SIZE: _shared_size,
}


@lowers("clock")
def _clock(e: Emitter, op: Op) -> None:
    register, result = op.attrs[1], op.results[0]
    if register is Special.GLOBALTIMER:
        ticks = e.let(e.call("i64 @llvm.readsteadycounter()"))
        time = e.let(f"mul i64 {ticks}, 10")  # the reference clock has 100 MHz
    else:
        time = e.let(e.call(f"i64 @llvm.{_cycle_counter(e)}()"))
    if result.width == 64:
        e.alias(result, time)
    else:
        e.set_bits(result, f"trunc i64 {time} to i{result.width}")


def _cycle_counter(e: Emitter) -> str:
    """gfx11 counts only 20 bits of cycles; its steady counter does not wrap."""
    whole = (Feature.S_MEMTIME, Feature.SHADER_CYCLES_HI, Feature.SHADER_CYCLES_U64)
    enough = any(e.context.has(feature) for feature in whole)
    return "readcyclecounter" if enough else "readsteadycounter"
