"""Writes the generated pages of docs/; `--check` only says which are stale."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path

from docs import isa_page

HERE = Path(__file__).parent
PAGES: dict[str, Callable[[], str]] = {"isa.md": isa_page.render}


def stale() -> list[str]:
    """The pages that differ from what would be written."""
    return [name for name, render in PAGES.items() if _text(name) != render()]


def _text(name: str) -> str:
    path = HERE / name
    return path.read_text(encoding="utf-8") if path.exists() else ""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing, fail if stale")
    if parser.parse_args().check:
        for name in stale():
            print(f"docs/{name} is stale: run `make docs`", file=sys.stderr)
        return int(bool(stale()))
    for name, render in PAGES.items():
        (HERE / name).write_text(render(), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
