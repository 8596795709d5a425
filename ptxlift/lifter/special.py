"""Special registers: which IR value each PTX name reads.

A block is its own cluster of one, so the cluster registers are constants or repeat the grid's.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptxlift.ir.attributes import Space, Special
from ptxlift.ir.core import Value, Variable
from ptxlift.ptx import module as ptx

if TYPE_CHECKING:
    from ptxlift.lifter.operands import Operands

# fmt: off
_AXES = {
    "%tid":    (Special.TID_X, Special.TID_Y, Special.TID_Z),
    "%ntid":   (Special.NTID_X, Special.NTID_Y, Special.NTID_Z),
    "%ctaid":  (Special.CTAID_X, Special.CTAID_Y, Special.CTAID_Z),
    "%nctaid": (Special.NCTAID_X, Special.NCTAID_Y, Special.NCTAID_Z),
    "%clusterid":  (Special.CTAID_X, Special.CTAID_Y, Special.CTAID_Z),
    "%nclusterid": (Special.NCTAID_X, Special.NCTAID_Y, Special.NCTAID_Z),
}
_FIXED = {  # value of every component: 32 bits unless the register is a predicate
    "%cluster_ctaid": 0, "%cluster_nctaid": 1, "%cluster_ctarank": 0, "%cluster_nctarank": 1,
    "%is_explicit_cluster": 0, "%reserved_smem_offset_cap": 1024,
}
# Shared memory that PTX reserves beside a kernel's own, for libraries such as cooperative groups.
_RESERVED = Variable("__ptxlift_reserved_shared", Space.SHARED, 1024, 16)
# Where NVIDIA's driver has a word that the blocks of a cooperative launch count in; %envreg1 and
# %envreg2 are the halves of its address. Each meeting of the grid flips the word's highest bit, so
# that it need never be cleared; two launches at one time would disturb each other.
_GRID = Variable("__ptxlift_grid", Space.GLOBAL, 64, 64)
_HALVES_OF_GRID = {"%envreg1": 32, "%envreg2": 0}  # first bit
_IN_RESERVED = {  # bytes behind its begin
    "%reserved_smem_offset_begin": 0, "%reserved_smem_offset_end": 1024,
    "%reserved_smem_offset_0": 0, "%reserved_smem_offset_1": 512,
}
_PLAIN = {  # name: (register, width)
    "%laneid":            (Special.LANEID, 32),
    "%warpid":            (Special.WARPID, 32),
    "%nwarpid":           (Special.NWARPID, 32),
    "%smid":              (Special.SMID, 32),
    "%nsmid":             (Special.NSMID, 32),
    "%gridid":            (Special.GRIDID, 64),
    "%lanemask_eq":       (Special.LANEMASK_EQ, 32),
    "%lanemask_le":       (Special.LANEMASK_LE, 32),
    "%lanemask_lt":       (Special.LANEMASK_LT, 32),
    "%lanemask_ge":       (Special.LANEMASK_GE, 32),
    "%lanemask_gt":       (Special.LANEMASK_GT, 32),
    "%dynamic_smem_size": (Special.DYNAMIC_SMEM_SIZE, 32),
    "%total_smem_size":   (Special.TOTAL_SMEM_SIZE, 32),
    "%aggr_smem_size":    (Special.TOTAL_SMEM_SIZE, 32),
}
_CLOCKS = {  # name: (register, width, first bit, bits)
    "%clock":          (Special.CLOCK, 32, 0, 32),
    "%clock_hi":       (Special.CLOCK64, 64, 32, 32),
    "%clock64":        (Special.CLOCK64, 64, 0, 64),
    "%globaltimer":    (Special.GLOBALTIMER, 64, 0, 64),
    "%globaltimer_lo": (Special.GLOBALTIMER, 64, 0, 32),
    "%globaltimer_hi": (Special.GLOBALTIMER, 64, 32, 32),
}
# fmt: on


def read_special(at: Operands, operand: ptx.SpecialRegister, component: str) -> Value:
    """The value of a special register; `component` "x".."w" of a vector one."""
    name = operand.name
    own = at.read_native_special(name, component or operand.component, operand.type.bits)
    if own is not None:
        return own
    axes = _AXES.get(name)
    if axes is not None:
        axis = "xyzw".index(component or "x")
        return at.builder.special(32, axes[axis]) if axis < 3 else at.const(32, 0)
    plain = _PLAIN.get(name)
    if plain is not None:
        return at.builder.special(plain[1], plain[0])
    clock = _CLOCKS.get(name)
    if clock is not None:
        register, width, first, bits = clock
        return at.builder.extract(at.builder.clock(width, register), bits, first)
    if name in _FIXED:
        return at.const(operand.type.bits, _FIXED[name])
    if name in _IN_RESERVED:
        at.scratch[_RESERVED.name] = _RESERVED
        base = at.builder.symbol_address(32, _RESERVED.name)
        return at.builder.add(base, at.const(32, _IN_RESERVED[name]))
    if name in _HALVES_OF_GRID:
        at.scratch[_GRID.name] = _GRID
        base = at.builder.symbol_address(64, _GRID.name)
        return at.builder.extract(base, 32, _HALVES_OF_GRID[name])
    if name.startswith("%envreg"):
        return at.const(32, 0)
    raise at.refuse(
        f"special register {name} has no counterpart on AMD hardware",
        "remove the read; performance counters are read with the profiler instead",
    )
