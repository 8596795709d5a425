"""The JSON manifest of a run: programs, their sources, outputs, kernels and diagnostics.

Comes in: what was done and written. Goes out: JSON as docs/manifest.md describes it. Paths are
those of the command line. It holds no times, so that the same run gives the same bytes.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from ptxlift import __version__
from ptxlift.cli.emit import Output
from ptxlift.cli.work import Done
from ptxlift.diag import Diagnostic
from ptxlift.driver.kernels import KernelReport
from ptxlift.driver.options import Options
from ptxlift.driver.outcomes import Outcome
from ptxlift.records import dataclass, field

SCHEMA = "ptxlift-manifest-1"
Json = dict[str, Any]  # Any: what json writes


@dataclass(slots=True)
class ProgramEntry:
    """One program's part of the manifest, to which outputs are added as they are written."""

    facts: Json

    def add(self, output: Output, path: Path) -> None:
        """Notes a file."""
        place = self.facts["targets"][output.target] if output.target else self.facts
        place["outputs"].append(
            {
                "kind": output.kind,
                "path": str(path),
                "bytes": len(output.data),
                "sha256": hashlib.sha256(output.data).hexdigest(),
            }
        )


@dataclass(slots=True)
class Manifest:
    """The manifest of a run while it goes on."""

    options: Options
    _programs: list[ProgramEntry] = field(default_factory=list)

    def add(self, done: Done) -> ProgramEntry:
        """Notes a program."""
        entry = ProgramEntry(
            {
                "name": done.program.name,
                "sources": [asdict(source) for source in done.program.sources],
                "outputs": [],
                "targets": {t: outcome_facts(o) for t, o in done.outcomes.items()},
            }
        )
        self._programs.append(entry)
        return entry

    def text(self) -> str:
        """The manifest."""
        facts = {
            "schema": SCHEMA,
            "ptxlift": __version__,
            "options": _option_facts(self.options),
            "programs": [program.facts for program in self._programs],
        }
        return json.dumps(facts, indent=1) + "\n"


def outcome_facts(outcome: Outcome) -> Json:
    """What is known of a program on one target."""
    return {
        "ok": outcome.ok,
        "outputs": [],
        "kernels": [_kernel_facts(kernel) for kernel in outcome.kernels],
        "failed": {
            name: [diagnostic_facts(d) for d in found] for name, found in outcome.failed.items()
        },
        "diagnostics": [diagnostic_facts(d) for d in outcome.diagnostics],
        "fault": outcome.fault,
    }


def _kernel_facts(kernel: KernelReport) -> Json:
    return {
        "name": kernel.name,
        "parameters": [asdict(param) for param in kernel.params],
        "reqntid": kernel.reqntid,
        "warp_mapping": kernel.warp_mapping,
        "resources": None if kernel.resources is None else asdict(kernel.resources),
    }


def diagnostic_facts(diagnostic: Diagnostic) -> Json:
    """A diagnostic; lines and columns from 1."""
    facts: Json = {
        "code": diagnostic.code,
        "severity": diagnostic.severity.value,
        "message": diagnostic.message,
        "hint": diagnostic.hint,
    }
    if diagnostic.span is not None:
        span = diagnostic.span
        end_line, end_column = span.source.position(max(span.end, span.start))
        facts["place"] = {
            "source": span.source.name,
            "line": span.line,
            "column": span.column,
            "end_line": end_line,
            "end_column": end_column,
        }
    return facts


def _option_facts(options: Options) -> Mapping[str, Any]:
    facts = {name: value for name, value in asdict(options).items() if name != "isolate"}
    facts["link"] = [hashlib.sha256(data).hexdigest() for data in options.link]
    return facts
