"""Writes the pages of docs/ as a web site: `python -m docs.site FOLDER`.

Comes in: the README, the change log and the Markdown pages beside this file, of which the tables of
the package make some. Goes out: HTML that needs no script and nothing from elsewhere. It must hold
no fact of its own.
"""

from __future__ import annotations

import argparse
import html
import re
from pathlib import Path

from markdown_it import MarkdownIt

HERE = Path(__file__).parent
ROOT = HERE.parent
# The order in the menu; pages that are not named follow by name.
_FIRST = (
    "index", "quick-start", "batch", "editors", "inline-asm", "textures", "targets", "isa",
    "diagnostics",
)  # fmt: skip
_LINK = re.compile(r'(href=")(?!\w+:|#)(?:\./)?(?:docs/)?([\w./-]+)\.md(#[\w-]+)?"')
_HEADING = re.compile(r"<h([123])>(.*?)</h\1>", re.DOTALL)
_TAG = re.compile(r"<[^>]+>")


def sources() -> dict[str, Path]:
    """Every page by name, in the order of the menu."""
    found = {path.stem: path for path in sorted(HERE.glob("*.md"))}
    found["index"] = ROOT / "README.md"
    found["changes"] = ROOT / "CHANGELOG.md"
    found["contributing"] = ROOT / "CONTRIBUTING.md"
    return {name: found[name] for name in dict.fromkeys((*_FIRST, *found))}


def write_site(folder: Path) -> list[Path]:
    """Writes all pages; gives their paths."""
    folder.mkdir(parents=True, exist_ok=True)
    pages = {name: path.read_text(encoding="utf-8") for name, path in sources().items()}
    titles = {name: _title(text) for name, text in pages.items()}
    written = []
    for name, text in pages.items():
        path = folder / f"{name}.html"
        path.write_text(_page(name, text, titles), encoding="utf-8")
        written.append(path)
    return written


def _title(text: str) -> str:
    heading = next(line for line in text.splitlines() if line.startswith("# "))
    return heading.removeprefix("# ").strip()


def _page(name: str, text: str, titles: dict[str, str]) -> str:
    body = MarkdownIt("commonmark", {"html": True}).enable("table").render(text)
    body = _LINK.sub(_link, body)
    body = _HEADING.sub(_anchor, body)
    body = body.replace("<table>", '<div class="wide"><table>').replace(
        "</table>", "</table></div>"
    )
    entries = "".join(_entry(other, titles[other], other == name) for other in titles)
    title = html.escape(titles[name])
    style = (HERE / "site.css").read_text(encoding="utf-8")
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{title}</title><style>{style}</style></head>\n"
        f'<body><nav aria-label="Pages"><ul>{entries}</ul></nav>\n'
        f"<main>{body}</main></body></html>\n"
    )


def _entry(name: str, title: str, is_current: bool) -> str:
    mark = ' aria-current="page"' if is_current else ""
    return f'<li><a href="{name}.html"{mark}>{html.escape(title)}</a></li>'


def _link(match: re.Match[str]) -> str:
    names = {"README": "index", "CHANGELOG": "changes", "CONTRIBUTING": "contributing"}
    name = match[2].rsplit("/", 1)[-1]
    return f'{match[1]}{names.get(name, name)}.html{match[3] or ""}"'


def _anchor(match: re.Match[str]) -> str:
    words = html.unescape(_TAG.sub("", match[2])).lower()
    anchor = re.sub(r"[^\w -]", "", words).replace(" ", "-")
    return f'<h{match[1]} id="{anchor}">{match[2]}</h{match[1]}>'


def main() -> None:
    """Writes the site."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, nargs="?", default=ROOT / "build" / "site")
    folder = parser.parse_args().folder
    print(f"{folder}: {len(write_site(folder))} pages")


if __name__ == "__main__":
    main()
