"""Counts the opcode forms of the checked-in PTX, against a list of what people's files use.

In goes an optional priority list (tab-separated: name, files, ...); out goes a table of the forms
that our examples hold, or of the most used forms that they lack. Knows nothing of ptxlift.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections import Counter
from pathlib import Path

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
STATEMENT = re.compile(r"^\s*(?:\{\s*)?(?:[\w$]+:\s*)?(?:@!?%?\w+\s+)?([a-z][\w.:]*)(?=[\s;])")


def count_forms(paths: list[Path]) -> Counter[str]:
    """In how many files each form stands."""
    files: Counter[str] = Counter()
    for path in paths:
        lines = path.read_text().splitlines()
        matches = (STATEMENT.match(line) for line in lines)
        files.update({match.group(1) for match in matches if match})
    return files


def read_priorities(path: Path) -> dict[str, int]:
    """Form to the number of files that use it; lines without a number are skipped."""
    rows = (line.split("\t") for line in path.read_text().splitlines()[1:])
    return {row[0]: int(row[1]) for row in rows if len(row) > 1 and row[1].isdigit()}


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("priorities", nargs="?", type=Path, help="list of forms by use")
    parser.add_argument("--top", type=int, default=40, help="how many rows to print")
    options = parser.parse_args(arguments)
    ours = count_forms(sorted(EXAMPLES.glob("*/*.ptx")))
    if options.priorities is None:
        for form, files in ours.most_common(options.top):
            print(f"{files:6}  {form}")
        return 0
    wanted = read_priorities(options.priorities)
    lacking = [form for form in wanted if form not in ours]
    used = sum(wanted.values())
    covered = sum(files for form, files in wanted.items() if form in ours)
    print(f"{len(ours)} forms here; {covered / used:.1%} of all uses by file are of these forms")
    for form in lacking[: options.top]:
        print(f"{wanted[form]:6}  {form}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
