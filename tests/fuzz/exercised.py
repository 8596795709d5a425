"""Which of the rows that are lowered the programs had, and why some never can.

Comes in: names of rows. Goes out: a report. The measure is the whole instruction table.
"""

from __future__ import annotations

from functools import cache

from docs.trials import Verdict, trials
from ptxlift import isa

_BOUNDED = "its results within a bound are compared with the bound: tests/numerics"
_MATRIX = "needs the fragments of whole warps: tests/unit/matrix compares with numpy"
_IMAGES = "needs textures and surfaces made by the host: tests/unit of the image unit"
_OLD = "only below sm_70 and .version 6.4: tests/unit/warps, tests/unit/interp/test_warp.py"
_ENDS = "ends the thread or the launch: tests/unit/interp, tests/unit/warps"
_ASYNC = "bulk copies of whole blocks: tests/unit/interp/test_mbarrier.py, tests/unit/llvm"
_HINT = "only a hint to a machine that is not there; the value it would change is none"
_REASONS = {
    _BOUNDED: "ex2_f32 ex2_half lg2_f32 sin_f32 cos_f32 tanh_f32 tanh_half rcp_approx_f64 "
    "rsqrt_f32 rsqrt_f64",
    _MATRIX: "mma mma_sp wmma_load wmma_store wmma_mma ldmatrix stmatrix movmatrix",
    _IMAGES: "tex tex_base tex_level tex_grad tld4 txq txq_level istypep suld_b sust_b sust_p "
    "sured_b sured_p suq",
    _OLD: "shfl vote vote_ballot",
    _ENDS: "exit trap brkpt",
    _ASYNC: "cp_async_bulk cp_reduce_async_bulk cp_async_bulk_prefetch st_async red_async st_bulk "
    "cp_async_bulk_commit_group cp_async_bulk_wait_group mbarrier_expect_tx mbarrier_complete_tx",
    _HINT: "discard setmaxnreg griddepcontrol prefetch_tensormap fence_proxy_tensormap "
    "createpolicy_cvt",
}
CANNOT = {name: reason for reason, names in _REASONS.items() for name in names.split()}


@cache
def lowered() -> frozenset[str]:
    """Names of the rows that become machine code for some wave size, in part at least."""
    yes = (Verdict.YES, Verdict.PART)
    return frozenset(
        row.name for row, verdicts in trials().items() if any(v in yes for v in verdicts)
    )


def describe(rows: set[str]) -> str:
    """How many lowered rows were exercised, and what became of the others."""
    every = lowered()
    open_ = sorted(every - rows - CANNOT.keys())
    lines = [f"{len(every & rows)} of {len(every)} lowered rows exercised"]
    for reason in dict.fromkeys(CANNOT.values()):
        names = sorted(n for n in every - rows if CANNOT.get(n) == reason)
        if names:
            lines.append(f"not by this generator, {reason}: {', '.join(names)}")
    lines.append("not yet in this run: " + (", ".join(open_) or "none"))
    return "\n".join(lines)


def names_of_table() -> set[str]:
    """Every row's name."""
    return {row.name for row in isa.rows()}
