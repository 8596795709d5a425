"""Straight-line pieces of a code object, compiled to closures.

Comes in: an `Image` and an address. Goes out: a `Block`: actions up to the next branch, barrier or
other place where waves may part, and a function that says where they go. Compiled once per image
and wave size. It must not know how waves are scheduled.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from ptxlift.diag import PtxError
from ptxlift.emulator.control import LEAVING, Leave, branch_target, compile_leave
from ptxlift.emulator.ds import compile_ds
from ptxlift.emulator.image import Image
from ptxlift.emulator.images.formatted import compile_formatted
from ptxlift.emulator.images.unit import compile_image
from ptxlift.emulator.indexed import IndexMode
from ptxlift.emulator.matrix import compile_matrix
from ptxlift.emulator.matrix_sparse import compile_sparse
from ptxlift.emulator.operands import EXEC, Inst, Reg, parse_inst
from ptxlift.emulator.profile import InstClass, Weights, classify
from ptxlift.emulator.salu import Op, compile_salu
from ptxlift.emulator.smem import compile_smem
from ptxlift.emulator.state import State
from ptxlift.emulator.vector import compile_pair, compile_valu, find_op
from ptxlift.emulator.vmem import MemoryOp, compile_vmem
from ptxlift.records import dataclass

Next: TypeAlias = int | NDArray[np.int64]


@dataclass(slots=True)
class Block:
    """`actions` in order, one for each of `insts`, then `leave`; `weights` is what one wave's
    passage counts."""

    start: int
    insts: tuple[Inst | None, ...]  # None for the emulator's own bookkeeping
    last: Inst
    actions: tuple[Op, ...]
    leave: Leave
    weights: Weights

    def all_insts(self) -> Iterator[Inst]:
        """The instructions a passage executes."""
        yield from (inst for inst in self.insts if inst is not None and inst is not self.last)
        yield self.last


class Code:
    """The blocks of one image at one wave size."""

    def __init__(self, image: Image, lanes: int) -> None:
        self.image = image
        self.lanes = lanes
        self.blocks: dict[int, Block] = {}
        self._leaders = {
            branch_target(inst)
            for inst in image.insts.values()
            if inst.mnemonic.startswith(("s_branch", "s_cbranch"))
        }

    def block(self, address: int) -> Block:
        """The block that starts at an address."""
        found = self.blocks.get(address)
        if found is None:
            found = self.blocks[address] = self._build(address)
        return found

    def _build(self, address: int) -> Block:
        actions: list[tuple[Inst | None, Op]] = []
        weights = Weights()
        uncounted = 0
        index_mode = IndexMode()
        at = address
        while True:
            inst = self.image.insts.get(at)
            if inst is None:
                raise PtxError.of("PTX406", f"there is no instruction at {at:#x}")
            kind = class_of(inst)
            weights.add(inst, kind)
            if inst.mnemonic in LEAVING:
                break
            uncounted += kind in _VECTOR_CLASSES
            if _writes_exec(inst) and uncounted:
                actions.append((None, _count_lanes(uncounted)))
                uncounted = 0
            actions.append((inst, self._compile(inst, index_mode)))
            at = inst.end
            if at in self._leaders:
                break
        if uncounted:
            actions.append((None, _count_lanes(uncounted)))
        leave = compile_leave(inst)
        ops = tuple(action for _, action in actions)
        return Block(address, tuple(inst for inst, _ in actions), inst, ops, leave, weights)

    def _compile(self, inst: Inst, index_mode: IndexMode) -> Op:
        try:
            action = index_mode.compile(inst) or self._find_action(inst)
        except PtxError as error:
            raise PtxError.of(
                "PTX406",
                f"{error.diagnostics[0].message} (in {inst.text!r} at {inst.address:#x})",
            ) from error
        if action is None:
            raise PtxError.of(
                "PTX406",
                f"the emulator does not know {inst.mnemonic!r} (in {inst.text!r},"
                f" target {self.image.target.name})",
            )
        return action

    def _find_action(self, inst: Inst) -> Op | None:
        major = self.image.target.generation
        if " :: " in inst.text:
            return compile_pair(*split_pair(inst), major, self.lanes)
        prefix = inst.mnemonic.partition("_")[0]
        if prefix == "v":
            matrix = compile_matrix(inst, self.image.target.name, self.lanes)
            sparse = matrix or compile_sparse(inst, self.image.target.name, self.lanes)
            return sparse or compile_valu(inst, major, self.lanes)
        if prefix == "s":
            return compile_salu(inst) or _with_memory(compile_smem(inst))
        if prefix == "ds":
            return _with_memory(compile_ds(inst, self.image.target))
        if prefix == "image":
            return _with_memory(compile_image(inst, major))
        return _with_memory(compile_vmem(inst) or compile_formatted(inst, major))


def split_pair(inst: Inst) -> tuple[Inst, Inst]:
    """The two halves of a VOPD instruction."""
    first, _, second = inst.text.partition(" :: ")
    return (
        parse_inst(inst.address, first.strip(), inst.words),
        parse_inst(inst.address, second.strip(), inst.words),
    )


def _with_memory(op: MemoryOp | None) -> Op | None:
    if op is None:
        return None
    return lambda st: op(st, st.memory)


_VECTOR_CLASSES = frozenset({InstClass.VALU, InstClass.F64, InstClass.TRANS, InstClass.MATRIX})


def _count_lanes(count: int) -> Op:
    def run(st: State) -> None:
        st.counters.lanes_active += count * st.lane_count

    return run


def _writes_exec(inst: Inst) -> bool:
    if "saveexec" in inst.mnemonic or "wrexec" in inst.mnemonic or "v_cmpx" in inst.mnemonic:
        return True
    if not inst.operands or not isinstance(inst.operands[0].value, Reg):
        return False
    reg = inst.operands[0].value
    return reg.file.value == "s" and EXEC <= reg.index <= EXEC + 1


_DOUBLE = re.compile(r"v_\w*_f64(_\w+)?")


def class_of(inst: Inst) -> InstClass:
    """What an instruction costs by."""
    op = find_op(inst.mnemonic) if inst.mnemonic.startswith("v_") else None
    double = bool(_DOUBLE.fullmatch(inst.mnemonic)) or (op is not None and op.flags.f64)
    return classify(inst, op is not None and op.flags.trans, double)
