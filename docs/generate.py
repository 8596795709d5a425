"""Writes the generated pages of docs/: `python -m docs.generate`; `--check` says which are stale.

Comes in: the tables of the package. Goes out: Markdown files beside this one. It must hold no fact
of its own.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path

from docs import coverage_page, diagnostics_page, isa_page, permutes_page, rules_page, targets_page

HERE = Path(__file__).parent
PAGES: dict[str, Callable[[], str]] = {
    "isa.md": isa_page.render,
    "coverage.md": coverage_page.render,
    "diagnostics.md": diagnostics_page.render,
    "rules.md": rules_page.render,
    "permutes.md": permutes_page.render,
    "targets.md": targets_page.render,
}


def stale() -> list[str]:
    """The pages that differ from what would be written."""
    return [name for name, render in PAGES.items() if _text(name) != render()]


def _text(name: str) -> str:
    path = HERE / name
    return path.read_text(encoding="utf-8") if path.exists() else ""


def main() -> int:
    """Writes the pages, or fails if one is stale."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing, fail if stale")
    if parser.parse_args().check:
        old = stale()
        for name in old:
            print(f"docs/{name} is stale: run `make docs`", file=sys.stderr)
        return int(bool(old))
    for name, render in PAGES.items():
        (HERE / name).write_text(render(), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
