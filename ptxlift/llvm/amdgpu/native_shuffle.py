"""Constant shuffles as chains of the target's hardwired lane permutations.

Comes in: a shuffle whose lane operand and clamp are constants. Goes out: the value read and the
in-range predicate, or None where the target has no chain; then the caller goes through the LDS
crossbar.
"""

from __future__ import annotations

from ptxlift.ir.attributes import ShuffleMode
from ptxlift.llvm.amdgpu.emitter import Emitter


def native_shuffle(
    e: Emitter, value: str, mode: ShuffleMode, b: int, c: int
) -> tuple[str, str] | None:
    """`b` is the lane operand, 0..31; `c` holds clamp and segment mask as shfl takes them."""
    return None
