"""The worker process: one `Job` on standard input, its result on standard output.

Comes in: a pickled `Job`. Goes out: a pickled `Compiled` or `PtxError`. When LLVM ends the process
there is no result; what it wrote to standard error is for the parent. Run as a module, or forked.
"""

from __future__ import annotations

import os
import pickle
import sys
from collections.abc import Callable
from typing import IO

from ptxlift.diag import PtxError
from ptxlift.llvm.options import Compiled, Job


def main() -> None:
    """Serves jobs from standard input."""
    # Whatever else prints in this process must not get between the results.
    output = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    serve(sys.stdin.buffer, output)


def serve(jobs: IO[bytes], output: IO[bytes]) -> None:
    """Serves jobs until there are no more."""
    from ptxlift.llvm.compile import run  # LLVM loads while the parent still prepares a job

    while True:
        try:
            job: Job = pickle.load(jobs)
        except EOFError:
            return
        pickle.dump(_result(job, run), output)
        output.flush()


def _result(job: Job, run: Callable[[Job], Compiled]) -> Compiled | PtxError:
    try:
        return run(job)
    except PtxError as error:
        return error


if __name__ == "__main__":
    main()
