"""`python -m tests.fuzz --seconds 60`: fuzz, print the seed, shrink what differs, report the
rate.
"""

from __future__ import annotations

import argparse
import collections
import random
import sys
import time
from pathlib import Path

from tests.fuzz.compare import compare, inputs
from tests.fuzz.forms import usable_rows
from tests.fuzz.program import random_program
from tests.fuzz.shrink import shrink

TARGETS = (("gfx942", 3), ("gfx1100", 3), ("gfx942", 0), ("gfx1100", 0))


def main() -> int:
    """Fuzzes for the given time; exit 1 if anything differed or failed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=None)
    parser.add_argument("--length", type=int, default=40)
    parser.add_argument("--finds", type=Path, default=Path("build/fuzz"))
    parser.add_argument("--most", type=int, default=5, help="stop after so many finds")
    options = parser.parse_args()
    seed = options.seed if options.seed is not None else time.time_ns() % 10**9
    print(f"seed {seed}", flush=True)
    end = time.monotonic() + options.seconds
    rows: collections.Counter[str] = collections.Counter()
    programs = divergent = finds = 0
    while time.monotonic() < end and finds < options.most:
        rng = random.Random(f"{seed}/{programs}")
        program = random_program(rng, options.length)
        data = inputs(rng)
        programs += 1
        rows.update(program.rows)
        divergent += program.divergent
        try:
            difference: object = compare(program, data, TARGETS)
        except Exception as error:  # a refusal or a fault: each is a find
            difference = f"{type(error).__name__}: {error}"
        if difference is not None:
            finds += 1
            small = shrink(program, data, TARGETS)
            options.finds.mkdir(parents=True, exist_ok=True)
            path = options.finds / f"find-{seed}-{programs - 1}.ptx"
            path.write_text(small.text)
            print(f"program {programs - 1}: {difference}\n{small.text}\n({path})", flush=True)
    wanted = {row.name for row in usable_rows()}
    print(f"{programs} programs, {programs / options.seconds * 60:.0f}/min, {finds} finds")
    print(f"{len(wanted & set(rows))} of {len(wanted)} rows exercised")
    print(f"{100 * divergent / max(programs, 1):.0f}% with warp operations under divergence")
    print("rows never exercised: " + (", ".join(sorted(wanted - set(rows))) or "none"))
    return 1 if finds else 0


if __name__ == "__main__":
    sys.exit(main())
