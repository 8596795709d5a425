"""Kernel arguments at PTX's own offsets, and the attributes that tell LLVM what a kernel needs.

Comes in: an `ir.Function` and its facts. Goes out: LLVM parameter lists and attribute text. Scalars
are LLVM arguments, so that metadata names them; everything else is a `byref` block in the kernarg
segment. It must know no op.
"""

from __future__ import annotations

import re

from ptxlift.ir.attributes import Special
from ptxlift.ir.core import Function, KernelParam, LaunchBounds
from ptxlift.llvm.amdgpu.context import Context
from ptxlift.llvm.amdgpu.facts import Facts

_SCALAR_SIZES = frozenset({1, 2, 4, 8})
_PLAIN = re.compile(r"[A-Za-z$._][A-Za-z0-9$._]*\Z")


class KernelArguments:
    """The LLVM arguments of one kernel; `pointers`: offsets of those that are base addresses."""

    def __init__(self, function: Function, pointers: set[int]) -> None:
        self.pointers = pointers
        self._params = function.kernel_params
        self._by_offset = {p.offset: p for p in function.kernel_params if _is_scalar(p)}

    def exact(self, offset: int, width: int) -> str | None:
        """The argument with exactly these bits, or None."""
        param = self._by_offset.get(offset)
        if param is None or param.size * 8 != width:
            return None
        return local_name(param.name)

    def text(self) -> str:
        """LLVM's parameter list."""
        return ", ".join(f"{self._type(p)} {local_name(p.name)}" for p in self._params)

    def _type(self, param: KernelParam) -> str:
        if not _is_scalar(param):
            return f"ptr addrspace(4) byref([{param.size} x i8]) align {param.align}"
        if param.offset in self.pointers:
            align = f" align {param.pointer_align}" if param.pointer_align > 1 else ""
            return f"ptr addrspace(1){align}"
        return f"i{param.size * 8}"


def _is_scalar(param: KernelParam) -> bool:
    natural = param.size in _SCALAR_SIZES and param.align == param.size
    return natural and not param.is_array


def local_name(name: str) -> str:
    """A parameter's name as LLVM text. Names that the emitter makes have a dot in them, as no PTX
    name has.
    """
    if _PLAIN.match(name):
        return f"%{name}"
    escaped = "".join(c if c.isalnum() or c in "%$._-" else f"\\{ord(c):02X}" for c in name)
    return f'%"{escaped}"'


# Which special registers need which of the hardware's inputs.
_TIDS = (Special.TID_X, Special.TID_Y, Special.TID_Z)
_CTAIDS = (Special.CTAID_X, Special.CTAID_Y, Special.CTAID_Z)
_LINEAR = frozenset({Special.WARPID})
_BLOCK_SIZES = frozenset(
    {Special.NTID_X, Special.NTID_Y, Special.NTID_Z, Special.WARPID, Special.NWARPID}
)
_FROM_IMPLICIT = _BLOCK_SIZES | {
    Special.NCTAID_X, Special.NCTAID_Y, Special.NCTAID_Z,
    Special.DYNAMIC_SMEM_SIZE, Special.TOTAL_SMEM_SIZE, Special.PRINTF_BUFFER,
}  # fmt: skip
_NEVER = [
    "amdgpu-no-dispatch-ptr", "amdgpu-no-queue-ptr", "amdgpu-no-hostcall-ptr",
    "amdgpu-no-heap-ptr", "amdgpu-no-multigrid-sync-arg", "amdgpu-no-default-queue",
    "amdgpu-no-completion-action", "amdgpu-no-lds-kernel-id", "amdgpu-no-flat-scratch-init",
    "amdgpu-no-cluster-id-x", "amdgpu-no-cluster-id-y", "amdgpu-no-cluster-id-z",
]  # fmt: skip

_CARRIED = 128  # registers around a loop that leave a product's operands enough of 256


def attributes(function: Function, facts: Facts, context: Context) -> str:
    """The attribute list of a definition."""
    words = ["convergent", "nounwind"]
    words += [f'"{name}"' for name in absent_inputs(facts, context, function.bounds)]
    if not facts.keeps_subnormals:
        words.append('"denormal-fp-math-f32"="preserve-sign,preserve-sign"')
    if context.target.generation < 12:
        words.append('"amdgpu-ieee"="false"')  # min and max take NaNs as PTX does, in one step
    if function.is_kernel:
        low, high = _block_sizes(function.bounds, context)
        words.append('"uniform-work-group-size"="true"')
        words.append(f'"amdgpu-flat-work-group-size"="{low},{high}"')
        words += _waves_wanted(function.bounds, high, context)
        if _keeps_results_in_place(function, facts, context):
            words.append('"amdgpu-agpr-alloc"="0"')
    return " ".join(words)


def _keeps_results_in_place(function: Function, facts: Facts, context: Context) -> bool:
    """Whether products may leave their results in ordinary registers, from which other operations
    read them directly: where these and AGPRs are one file, and the loops leave room enough.
    """
    target = context.target
    if not 0 < target.agprs < target.vgprs or facts.callees or facts.calls_unknown:
        return False
    if not any(op.name == "matrix_core" for op in function.ops()):
        return False
    carried = (sum(param.width for param in block.params) for block in function.blocks)
    return max(carried) <= 32 * _CARRIED


def absent_inputs(facts: Facts, context: Context, bounds: LaunchBounds | None = None) -> list[str]:
    """The attributes that say which of the hardware's inputs a function does without."""
    if facts.calls_unknown:
        return []
    names = list(_NEVER)
    specials = facts.specials
    needs_all = bool(specials & _LINEAR) or context.is_split
    for axis, tid, ctaid in zip("xyz", _TIDS, _CTAIDS, strict=True):
        if tid not in specials and not needs_all:
            names.append(f"amdgpu-no-workitem-id-{axis}")
        if ctaid not in specials:
            names.append(f"amdgpu-no-workgroup-id-{axis}")
    if not _reads_hidden_arguments(facts, context, bounds):
        names.append("amdgpu-no-implicitarg-ptr")
    if Special.GRIDID not in specials:
        names.append("amdgpu-no-dispatch-id")
    return names


def _reads_hidden_arguments(facts: Facts, context: Context, bounds: LaunchBounds | None) -> bool:
    """Where the block's size is required it is a constant, in the kernel itself."""
    if bounds is not None and bounds.reqntid is not None and not facts.callees:
        return bool(facts.specials & (_FROM_IMPLICIT - _BLOCK_SIZES))
    return bool(facts.specials & _FROM_IMPLICIT) or context.is_split


def _block_sizes(bounds: LaunchBounds, context: Context) -> tuple[int, int]:
    """Smallest and largest number of work-items a launch may have."""
    lanes = 2 if context.is_split else 1
    if bounds.reqntid is not None:
        size = _volume(bounds.reqntid) * lanes
        return size, size
    largest = context.options.max_block
    if bounds.maxntid is not None:
        largest = min(largest, _volume(bounds.maxntid) * lanes)
    return 1, largest


_SIMDS = 4  # of a compute unit, or of two that work as one since gfx10
_SM_BLOCKS, _SM_THREADS = 32, 2048  # ptxas ignores a `.minnctapersm` that no SM can hold


def _waves_wanted(bounds: LaunchBounds, block: int, context: Context) -> list[str]:
    """`.minnctapersm`: so many blocks a compute unit, as the least number of waves a SIMD. PTX
    wants the block's size said too. `block`: work-items.
    """
    shape, blocks = bounds.reqntid or bounds.maxntid, bounds.minnctapersm
    if blocks is None or shape is None:
        return []
    if blocks > _SM_BLOCKS or blocks * _volume(shape) > _SM_THREADS:
        return []
    waves = blocks * -(-block // context.wave_size)
    wanted = min(-(-waves // _SIMDS), context.target.waves_per_simd)
    return [f'"amdgpu-waves-per-eu"="{wanted}"'] if wanted > 1 else []


def _volume(shape: tuple[int, int, int]) -> int:
    return shape[0] * shape[1] * shape[2]
