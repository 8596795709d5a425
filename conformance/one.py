"""Translates the files that standard input names, a target and a path a line, and prints a line of
JSON for each: a process of its own, so that its death or endless loop is a result like any other.
"""

from __future__ import annotations

import json
import sys
import time
import traceback
from pathlib import Path
from typing import Any

import ptxlift
from ptxlift.llvm.isolate import Worker

Found = dict[str, Any]  # Any: what JSON holds
STATEMENT = 160  # characters that are quoted


def outcome(kernel: str, diagnostics: Any) -> Found:  # Any: a sequence of Diagnostic
    """The first error of a kernel that was not translated."""
    first = diagnostics[0]
    statement = ""
    if first.span is not None:
        span = first.span
        statement = " ".join(span.source.text[span.start : span.end].split())[:STATEMENT]
    return {
        "kernel": kernel,
        "code": first.code,
        "message": first.message[:300],
        "statement": statement,
    }


def translate(path: Path, target: str, worker: Worker) -> list[Found]:
    """Every kernel of a file."""
    options = ptxlift.Options(on_unsupported="skip")
    text = path.read_bytes()
    try:
        made = ptxlift.lift(text, target, options=options, name=path.name, compiler=worker.run)
        assert made.code_object
    except ptxlift.PtxError as error:
        return [outcome("*", error.diagnostics)]
    except Exception:
        last = traceback.format_exc().strip().splitlines()
        where = [line.strip() for line in last if line.lstrip().startswith("File")][-1]
        return [{"kernel": "*", "code": "crash", "message": f"{last[-1]} ({where})"[:400]}]
    good = [{"kernel": name} for name in made.kernels]
    return good + [outcome(name, found) for name, found in made.failed.items()]


def main() -> int:
    worker = Worker()
    for line in sys.stdin:
        target, name = line.rstrip("\n").split(" ", 1)
        start = time.perf_counter()
        outcomes = translate(Path(name), target, worker)
        seconds = time.perf_counter() - start
        print(json.dumps({"seconds": round(seconds, 1), "outcomes": outcomes}), flush=True)
    worker.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
