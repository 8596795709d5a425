"""Instructions that are known and refused, with what to do instead.

They drive units that no AMD chip has: matrix products of whole warp groups out of shared memory,
tensor memory, copies described by tensor maps. Sources that use them have another path for older
chips, on mma.sync and cp.async.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptxlift.lifter.registry import lifts
from ptxlift.ptx import module as ptx

if TYPE_CHECKING:
    from ptxlift.lifter.function import FunctionLifter

_WARP_GROUP = (
    "compile the source for sm_80: it then uses mma.sync, which is translated",
    (
        "wgmma_fence", "wgmma_commit_group", "wgmma_wait_group", "wgmma_mma_async",
        "wgmma_mma_async_sp",
    ),
)  # fmt: skip
_TENSOR_MEMORY = (
    "AMD chips have no tensor memory; compile the source for sm_80, which uses mma.sync",
    (
        "tcgen05_alloc", "tcgen05_dealloc", "tcgen05_relinquish_alloc_permit", "tcgen05_ld",
        "tcgen05_ld_red", "tcgen05_st", "tcgen05_wait", "tcgen05_cp", "tcgen05_shift",
        "tcgen05_mma", "tcgen05_mma_sp", "tcgen05_mma_ws", "tcgen05_mma_ws_sp", "tcgen05_fence",
        "tcgen05_commit",
    ),
)  # fmt: skip
_TENSOR_MAP = (
    "tensor maps are opaque to PTX; compile the source for sm_80, which copies with cp.async",
    (
        "cp_async_bulk_tensor", "cp_async_bulk_prefetch_tensor", "cp_reduce_async_bulk_tensor",
        "tensormap_replace",
    ),
)  # fmt: skip
_HINTS = {
    name: hint for hint, names in (_WARP_GROUP, _TENSOR_MEMORY, _TENSOR_MAP) for name in names
}


@lifts(*_HINTS)
def refuse(at: FunctionLifter, inst: ptx.Inst) -> None:
    """Says so by name."""
    words = [word for word in inst.form.row.pattern.split(" ", 1)[0].split(".") if "{" not in word]
    name = ".".join(word for word in words if word not in inst.form.row.sets)
    raise at.refuse(f"'{name}' is not translated", _HINTS[inst.form.name], "PTX201")
