"""Lowerings of special registers: positions in the launch, lanes, clocks.

Comes in: `special` and `clock`. Goes out: AMDGPU intrinsics and loads of the hidden arguments that
the runtime places after the kernel's own. A warp is 32 lanes whatever the wave is.
"""

from __future__ import annotations

from ptxlift.ir.attributes import Special
from ptxlift.ir.core import Op
from ptxlift.llvm.amdgpu.emitter import Emitter
from ptxlift.llvm.amdgpu.lanes import lane_id, wave_lane
from ptxlift.llvm.amdgpu.launch import block_size, hidden_argument, work_item
from ptxlift.llvm.amdgpu.registry import lowers
from ptxlift.llvm.amdgpu.split import split_tid
from ptxlift.target import Feature

_TIDS = {Special.TID_X: 0, Special.TID_Y: 1, Special.TID_Z: 2}
_CTAIDS = {Special.CTAID_X: "x", Special.CTAID_Y: "y", Special.CTAID_Z: "z"}
_NTIDS = {Special.NTID_X: 0, Special.NTID_Y: 1, Special.NTID_Z: 2}
# Offsets of hidden arguments.
_BLOCK_COUNT = {Special.NCTAID_X: 0, Special.NCTAID_Y: 4, Special.NCTAID_Z: 8}
_DYNAMIC_LDS_SIZE = 120
_PRINTF_BUFFER = 72
_WIDE = (Special.GRIDID, Special.PRINTF_BUFFER)
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
    width = 64 if register in _WIDE else 32
    if result.width == width:
        e.alias(result, text)
    else:
        change = "zext" if result.width > width else "trunc"
        e.set_bits(result, f"{change} i{width} {text} to i{result.width}")


def special_value(e: Emitter, register: Special) -> str:
    """The register's value; i64 for the grid's number and the printf buffer, else i32."""
    if register in _TIDS:
        return _tid(e, _TIDS[register])
    if register in _CTAIDS:
        return e.let(e.call(f"i32 @llvm.amdgcn.workgroup.id.{_CTAIDS[register]}()"))
    if register in _NTIDS:
        return block_size(e, _NTIDS[register])
    if register in _BLOCK_COUNT:
        return hidden_argument(e, _BLOCK_COUNT[register], 32)
    if register in _LANE_MASKS:
        constant, minus_one = _LANE_MASKS[register]
        shifted = e.let(f"shl i32 {constant}, {lane_id(e)}")
        return e.let(f"add i32 {shifted}, -1") if minus_one else shifted
    return _OTHERS[register](e)


def _tid(e: Emitter, axis: int) -> str:
    return split_tid(e)[axis] if e.context.is_split else work_item(e, "xyz"[axis])


def _linear_tid(e: Emitter) -> str:
    """The thread's number in the block, x fastest."""
    x, y, z = (_tid(e, axis) for axis in range(3))
    row = e.let(f"mul i32 {z}, {block_size(e, 1)}")
    row = e.let(f"add i32 {row}, {y}")
    row = e.let(f"mul i32 {row}, {block_size(e, 0)}")
    return e.let(f"add i32 {row}, {x}")


def _warp_id(e: Emitter) -> str:
    return e.let(f"lshr i32 {_linear_tid(e)}, 5")


def _warp_count(e: Emitter) -> str:
    threads = block_size(e, 0)
    for axis in (1, 2):
        threads = e.let(f"mul i32 {threads}, {block_size(e, axis)}")
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
    return hidden_argument(e, _DYNAMIC_LDS_SIZE, 32)


def _shared_size(e: Emitter) -> str:
    static = e.let(e.call("i32 @llvm.amdgcn.groupstaticsize()"))
    return e.let(f"add i32 {static}, {_dynamic_shared_size(e)}")


def _printf_buffer(e: Emitter) -> str:
    return hidden_argument(e, _PRINTF_BUFFER, 64)


_OTHERS = {
    Special.PRINTF_BUFFER: _printf_buffer,
    Special.LANEID: lane_id,
    Special.WAVE_LANE: wave_lane,
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
