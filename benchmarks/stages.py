"""One translation in this process, timed stage by stage.

Comes in: PTX and a target. Goes out: CPU seconds of each stage. Stages are run one after the other
as `Translation` runs them.
"""

from __future__ import annotations

import time

from ptxlift.driver.options import Options
from ptxlift.driver.units import Request, Unit, split_units
from ptxlift.lifter.module import lift_program
from ptxlift.link import link, listing, read_code_object
from ptxlift.llvm.compile import run
from ptxlift.ptx import check
from ptxlift.rewrite.driver import Log
from ptxlift.rewrite.passes import rewrite_module
from ptxlift.syntax import parse
from ptxlift.target import illegal_mnemonics, lookup

STAGES = ("parse", "check", "lift", "rewrite", "emit", "passes", "codegen", "link")


class _Watch:
    """Adds the CPU time since the last lap to a stage."""

    def __init__(self) -> None:
        self.seconds = dict.fromkeys(STAGES, 0.0)
        self._last = time.process_time()

    def lap(self, stage: str) -> None:
        now = time.process_time()
        self.seconds[stage] += now - self._last
        self._last = now


def translate(text: str, target: str) -> dict[str, float]:
    """CPU seconds by stage. "rewrite" is measured apart and taken from "emit", which holds it."""
    spec = lookup(target)
    watch = _Watch()
    tree = parse(text)
    watch.lap("parse")
    module = check(tree)
    watch.lap("check")
    lifted = lift_program([module])
    watch.lap("lift")
    rewrite_module(lifted.module, spec.target.features, Log())
    watch.lap("rewrite")
    units = split_units(Request(lifted.module, spec, Options())).units
    watch.lap("emit")
    watch.seconds["emit"] = max(0.0, watch.seconds["emit"] - watch.seconds["rewrite"])
    objects = [_object(unit, watch) for unit in units]
    illegal_mnemonics(spec.target, listing(objects))
    read_code_object(link(objects, target_id=spec.target_id))
    watch.lap("link")
    return watch.seconds


def _object(unit: Unit, watch: _Watch) -> bytes:
    made = run(unit.job, lambda: watch.lap("passes"))
    watch.lap("codegen")
    return made.object
