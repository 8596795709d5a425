"""Units that no AMD chip has: refused by name, at their place, with what to do instead."""

from __future__ import annotations

import pytest

import ptxlift
from ptxlift.isa import async_copy, tcgen05, wgmma
from ptxlift.lifter.registry import liftings

HEAD = ".version 8.6\n.target {target}\n.address_size 64\n.visible .entry k(.param .u64 q) {{\n"
REGISTERS = """.reg .b32 %r<8>; .reg .f32 %f<8>; .reg .b64 %d<4>; .reg .pred %p;
ld.param.u64 %d0, [q];
"""
REFUSED = {
    "wgmma.fence": ("sm_90a", "wgmma.fence.sync.aligned;", "sm_80"),
    "wgmma.wait_group": ("sm_90a", "wgmma.wait_group.sync.aligned 0;", "sm_80"),
    "wgmma.mma_async": (
        "sm_90a",
        "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0, %f1, %f2, %f3}, %d1, %d2,"
        " 1, 1, 1, 0, 0;",
        "mma.sync",
    ),
    "tcgen05.alloc": (
        "sm_100a",
        "tcgen05.alloc.cta_group::1.sync.aligned.b32 [%d1], 32;",
        "tensor memory",
    ),
    "tcgen05.mma": (
        "sm_100a",
        "tcgen05.mma.cta_group::1.kind::f16 [%r1], %d1, %d2, %r2, %p;",
        "sm_80",
    ),
    "cp.async.bulk.tensor": (
        "sm_90",
        "cp.async.bulk.tensor.1d.shared::cluster.global.tile.mbarrier::complete_tx::bytes"
        " [%r1], [%d1, {%r2}], [%r3];",
        "cp.async",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused_by_name(name: str) -> None:
    target, text, hint = REFUSED[name]
    source = HEAD.format(target=target) + REGISTERS + text + "\nret;\n}"
    with pytest.raises(ptxlift.PtxError) as caught:
        ptxlift.lift(source, target="gfx942")
    (found,) = caught.value.diagnostics
    assert found.code == "PTX201"
    assert name in found.message
    assert hint in (found.hint or "")
    assert found.span is not None
    assert source[found.span.start :].startswith(text.split(" ")[0].removesuffix(";"))


def test_every_such_row_is_refused_with_a_hint() -> None:
    """None falls through to the message for what is not known."""
    rows = {row.name for row in (*wgmma.ROWS, *tcgen05.ROWS)}
    rows |= {row.name for row in async_copy.ROWS if "tensor" in row.name}
    assert rows <= liftings().keys()
