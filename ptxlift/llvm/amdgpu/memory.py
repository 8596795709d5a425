"""Lowerings of loads, stores and fences.

Comes in: accesses through a state space with PTX's order and scope. Goes out: LLVM accesses. Weak
ones are plain; all others are atomic in LLVM's sense, each element by itself.
"""

from __future__ import annotations

from ptxlift.ir.attributes import Hint, Order, Scope, Space
from ptxlift.ir.core import Op
from ptxlift.llvm.amdgpu.addresses import access
from ptxlift.llvm.amdgpu.emitter import Emitter
from ptxlift.llvm.amdgpu.registry import lowers

_HINTS = {
    Hint.NONE: "",
    Hint.STREAMING: ", !nontemporal !1",
    Hint.INVARIANT: ", !invariant.load !0",
}
SYNC_SCOPES: dict[Scope, str] = {
    Scope.THREAD: 'syncscope("singlethread")',
    Scope.WARP: 'syncscope("wavefront")',
    Scope.CTA: 'syncscope("workgroup")',
    Scope.CLUSTER: 'syncscope("agent")',
    Scope.GPU: 'syncscope("agent")',
    Scope.SYS: "",
}


@lowers("load")
def _load(e: Emitter, op: Op) -> None:
    space, width, count, align, order, scope, hint = op.attrs
    assert isinstance(space, Space) and isinstance(hint, Hint)
    pointer, type = access(e, op.operands[0], space)
    results = op.results
    if count == 1:
        load = f"load i{width}, {type} {pointer}, align {align}{_HINTS[hint]}"
        e.set_bits(results[0], load)
        return
    vector = f"<{count} x i{width}>"
    whole = e.let(f"load {vector}, {type} {pointer}, align {align}{_HINTS[hint]}")
    for index, result in enumerate(results):
        e.set_bits(result, f"extractelement {vector} {whole}, i32 {index}")


@lowers("store")
def _store(e: Emitter, op: Op) -> None:
    space, width, count, align, order, scope, hint = op.attrs
    assert isinstance(space, Space)
    pointer, type = access(e, op.operands[0], space)
    values = op.operands[1:]
    if count == 1:
        e.do(f"store i{width} {e.bits(values[0])}, {type} {pointer}, align {align}")
        return
    vector = f"<{count} x i{width}>"
    whole = "poison"
    for index, value in enumerate(values):
        whole = e.let(f"insertelement {vector} {whole}, i{width} {e.bits(value)}, i32 {index}")
    e.do(f"store {vector} {whole}, {type} {pointer}, align {align}")
