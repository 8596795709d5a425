"""`python -m tests.fuzz --seconds 60`: fuzz, print the seed, shrink what differs, report the
rate.

Two generators take turns: PTX by the instruction table, and LLVM IR that LLVM makes PTX of. Each
program runs in a process of its own; one that ends it is a find like one that differs.
"""

from __future__ import annotations

import argparse
import collections
import random
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

from tests.fuzz.apart import Outcome, apart
from tests.fuzz.compare import compare, inputs
from tests.fuzz.exercised import describe
from tests.fuzz.llvm_compare import compare_llvm, shrink_llvm, to_ptx
from tests.fuzz.llvm_program import random_llvm_program
from tests.fuzz.program import random_program
from tests.fuzz.shrink import shrink

TARGETS = (("gfx942", 3), ("gfx1100", 3), ("gfx942", 0), ("gfx1100", 0))
LLVM_TARGETS = (("gfx942", 2), ("gfx1100", 2), ("gfx1100", 0), ("sm_90", 2))
LLVM_EVERY = 3  # each third program is LLVM IR


@dataclass(slots=True)
class Fuzzer:
    """A run. `rows`: how often each was in a program; `finds`: where they are written."""

    seed: int
    length: int
    folder: Path
    rows: collections.Counter[str] = field(default_factory=collections.Counter)
    programs: int = 0
    divergent: int = 0
    finds: int = 0

    def step(self) -> None:
        """One program."""
        number, self.programs = self.programs, self.programs + 1
        rng = random.Random(f"{self.seed}/{number}")
        if number % LLVM_EVERY == LLVM_EVERY - 1:
            self._try_llvm(rng, number)
        else:
            self._try_ptx(rng, number)

    def _try_ptx(self, rng: random.Random, number: int) -> None:
        program, data = random_program(rng, self.length), inputs(rng)
        self.rows.update(program.rows)
        self.divergent += program.divergent
        outcome = apart(lambda: compare(program, data, TARGETS))
        if outcome.is_find:
            small = program if outcome.kind == "refused" else shrink(program, data, TARGETS)
            self._report(number, outcome, {".ptx": small.text})

    def _try_llvm(self, rng: random.Random, number: int) -> None:
        program, data = random_llvm_program(rng, self.length), inputs(rng)
        outcome = apart(lambda: compare_llvm(program, data, LLVM_TARGETS))
        if outcome.is_find:
            small = shrink_llvm(program, data, LLVM_TARGETS)
            texts = {".ll": small.body, ".O2.ptx": to_ptx(small, 2), ".O0.ptx": to_ptx(small, 0)}
            self._report(number, outcome, texts)

    def warm_up(self) -> None:
        """Imports everything, so that no child has to: programs that are known to do well."""
        for seed in range(2):
            rng = random.Random(f"fixed/{seed}")
            compare(random_program(rng, 20), inputs(rng), TARGETS)
            compare_llvm(random_llvm_program(rng, 20), inputs(rng), LLVM_TARGETS)

    def _report(self, number: int, outcome: Outcome, texts: dict[str, str]) -> None:
        self.finds += 1
        self.folder.mkdir(parents=True, exist_ok=True)
        for extension, text in texts.items():
            (self.folder / f"find-{self.seed}-{number}{extension}").write_text(text)
        first = next(iter(texts.values()))
        print(f"program {number}: {outcome}\n{first}\n({self.folder})", flush=True)


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
    fuzzer = Fuzzer(seed, options.length, options.finds)
    fuzzer.warm_up()
    end = time.monotonic() + options.seconds
    while time.monotonic() < end and fuzzer.finds < options.most:
        fuzzer.step()
    programs = fuzzer.programs
    of_llvm = programs // LLVM_EVERY
    rate = f"{programs / options.seconds * 60:.0f}/min"
    print(f"{programs} programs, {of_llvm} of them LLVM IR, {rate}, {fuzzer.finds} finds")
    share = 100 * fuzzer.divergent / max(programs - of_llvm, 1)
    print(f"{share:.0f}% of the others with warp operations under divergence")
    print(describe(set(fuzzer.rows)))
    return 1 if fuzzer.finds else 0


if __name__ == "__main__":
    sys.exit(main())
