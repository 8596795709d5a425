"""The web site has every page, and every link within it leads somewhere."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

pytest.importorskip("markdown_it")

from docs.site import HERE, write_site


def test_every_page_is_there_and_every_link_resolves(tmp_path: Path) -> None:
    pages = {path.name: path.read_text(encoding="utf-8") for path in write_site(tmp_path)}
    assert {f"{path.stem}.html" for path in HERE.glob("*.md")} <= set(pages)
    assert "index.html" in pages
    broken = []
    for name, text in pages.items():
        for target, anchor in re.findall(r'href="([\w.-]*\.html)?(?:#([\w-]+))?"', text):
            other = pages.get(target or name)
            if other is None or (anchor and f'id="{anchor}"' not in other):
                broken.append((name, target, anchor))
        assert "<script" not in text and '.md"' not in text
    assert not broken
