"""Findings as SARIF 2.1.0, the format code-scanning services read.

Comes in: programs with their findings. Goes out: one log with one run. Section numbers are those of
the OASIS standard.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

from ptxlift import __version__
from ptxlift.cli.findings import Finding
from ptxlift.codes import CODES
from ptxlift.diag import Severity

_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_LEVELS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.REMARK: "note"}
Json = dict[str, Any]  # Any: what json writes


def sarif(findings: Sequence[tuple[str, Finding]], faults: Sequence[str]) -> str:
    """The log. `findings`: with the name of their program; `faults`: of ptxlift itself."""
    used = sorted({finding.diagnostic.code for _, finding in findings})
    notices = [{"level": "error", "message": {"text": fault}} for fault in faults]
    run = {
        "tool": {"driver": _driver(used)},
        "invocations": [{"executionSuccessful": not faults, "toolExecutionNotifications": notices}],
        "columnKind": "unicodeCodePoints",
        "results": [_result(name, finding, used) for name, finding in findings],
    }
    return json.dumps({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}, indent=1) + "\n"


def _driver(codes: Sequence[str]) -> Json:
    """3.19: the tool, with a rule for each code that occurs."""
    rules = [
        {
            "id": code,
            "name": "".join(word.capitalize() for word in CODES[code].title.split()),
            "shortDescription": {"text": CODES[code].title},
            "fullDescription": {"text": CODES[code].text},
        }
        for code in codes
    ]
    return {"name": "ptxlift", "semanticVersion": __version__, "rules": rules}


def _result(name: str, finding: Finding, codes: Sequence[str]) -> Json:
    """3.27: one finding."""
    diagnostic = finding.diagnostic
    text = diagnostic.message + (f" (hint: {diagnostic.hint})" if diagnostic.hint else "")
    return {
        "ruleId": diagnostic.code,
        "ruleIndex": codes.index(diagnostic.code),
        "level": _LEVELS[diagnostic.severity],
        "message": {"text": text},
        "locations": [{"physicalLocation": _location(name, finding)}],
        "properties": {"targets": list(finding.targets)},
    }


def _location(name: str, finding: Finding) -> Json:
    """3.29: where it is; a finding about a whole program has no region."""
    span = finding.diagnostic.span
    if span is None:
        return {"artifactLocation": {"uri": _uri(name)}}
    end_line, end_column = span.source.position(max(span.end, span.start))
    region = {
        "startLine": span.line,
        "startColumn": span.column,
        "endLine": end_line,
        "endColumn": end_column,
        "charOffset": span.start,
        "charLength": span.end - span.start,
    }
    return {"artifactLocation": {"uri": _uri(span.source.name)}, "region": region}


def _uri(name: str) -> str:
    """3.4.3: a relative reference, or a file URI where the path is absolute."""
    path = Path(name)
    return path.as_uri() if path.is_absolute() else quote(path.as_posix())
