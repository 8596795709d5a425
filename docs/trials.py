"""Which forms are translated, found by trying instructions that ptxas was recorded to accept.

Comes in: tests/data/ptxas/instances.tsv.gz. Goes out: a verdict for each row of the table and wave
size. LLVM does not run: a form counts as translated when LLVM IR is written for it.
"""

from __future__ import annotations

import csv
import gzip
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from enum import Enum
from functools import cache
from pathlib import Path
from typing import TypeAlias

from ptxlift import isa, ptx
from ptxlift.diag import PtxError
from ptxlift.driver.options import Options
from ptxlift.driver.units import Request, emit_unit
from ptxlift.lifter.module import lift_program
from ptxlift.target import lookup

_TESTS = Path(__file__).resolve().parents[1] / "tests"
_INSTANCES = _TESTS / "data" / "ptxas" / "instances.tsv.gz"
_LEAST_TARGET = "min target (or list of arch-specific targets)"
# Forms of which no instance was recorded under their own operands.
_UNRECORDED = (
    "min.u16x2 %r1, %r2, %r3;",
    "or.pred %p1, %p2, %p3;",
    "not.pred %p1, %p2;",
    "mov.b16 %h1, {%c1, %c2};",
    "mov.b32 %r1, {%h1, %h2};",
    "mov.b128 %q1, {%rd1, %rd2};",
    "mov.b64 {%h1, %h2, %h3, %h4}, %rd1;",
    "cvt.rn.bf16.u32 %h1, %r1;",
    "cvt.rni.s32.bf16 %r1, %h1;",
    "membar.proxy.alias;",
    "activemask.b32 %r1;",
    "exit;",
    "trap;",
)
_WAVE32, _WAVE64 = "gfx1100", "gfx942"

Setting: TypeAlias = tuple[str, str, bool]  # version, target, with a separate sampler


class Verdict(Enum):
    """What became of the instances of a form that were tried."""

    YES = "yes"
    PART = "in part"
    NO = "no"
    UNKNOWN = "untried"


@cache
def trials() -> dict[isa.Row, tuple[Verdict, Verdict]]:
    """Verdicts on wave32 and wave64 of every row that has recorded instances."""
    found: dict[isa.Row, list[tuple[bool, bool]]] = defaultdict(list)
    for setting, text in _chosen():
        module = ptx.parse_module(_module(text, setting))
        insts = (i for i in module.functions["k"].body or () if isinstance(i, ptx.Inst))
        found[next(insts).form.row].append(_translates(module))
    return {row: _verdicts(results) for row, results in found.items()}


def _chosen() -> Iterator[tuple[Setting, str]]:
    """The first, the middle and the last of the instances that were recorded for one form, and
    some more."""
    lines = gzip.decompress(_INSTANCES.read_bytes()).decode().splitlines()
    groups: dict[tuple[str, str], list[tuple[Setting, str]]] = defaultdict(list)
    for line in csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE):
        text = line["instruction"]
        setting = (line["min PTX version"], line[_LEAST_TARGET].split()[0], "smpl" in text)
        groups[line["row"], line["opcode"].split(".")[0]].append((setting, text))
    for group in groups.values():
        for index in sorted({0, len(group) // 2, len(group) - 1}):
            yield group[index]
    for text in _UNRECORDED:
        yield ("9.0", "sm_90", False), text


@cache
def _frame() -> str:
    """The declarations in which the instances were recorded."""
    source = (_TESTS / "unit" / "ptx" / "measured.py").read_text("utf-8")
    frame = re.search(r'_BODY = """(.*?)"""', source, re.DOTALL)
    assert frame is not None, "measured.py holds the frame of the recorded instances"
    return frame[1]


def _module(body: str, setting: Setting) -> str:
    version, target, sampler = setting
    return _frame().format(
        version=version,
        target=f"{target}, texmode_independent" if sampler else target,
        sampler=".global .samplerref smpl;" if sampler else "",
        body=body,
    )


def _translates(module: ptx.Module) -> tuple[bool, bool]:
    lifted = lift_program([module])
    if lifted.failed:
        return False, False
    requests = [Request(lifted.module, lookup(name), Options()) for name in (_WAVE32, _WAVE64)]
    first, second = (_emits(request) for request in requests)
    return first, second


def _emits(request: Request) -> bool:
    try:
        emit_unit(request, ["k"], "packed", owns_variables=True)
    except PtxError:
        return False
    return True


def _verdicts(results: Sequence[tuple[bool, bool]]) -> tuple[Verdict, Verdict]:
    wave32, wave64 = zip(*results, strict=True)
    return _verdict(wave32), _verdict(wave64)


def _verdict(results: Sequence[bool]) -> Verdict:
    if all(results):
        return Verdict.YES
    return Verdict.PART if any(results) else Verdict.NO
