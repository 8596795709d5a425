"""The page in a browser: lines light up together, keys do what the mouse does, colours read."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from browser import CHROMIUM, Browser, browser
from click.testing import CliRunner

from ptxlift.cli.view import command

EXAMPLES = Path(__file__).parents[3] / "examples"
ARGUMENTS = ("i32=1000", "f32=2.5", "f32[1024]=ramp", "f32[1024]=ones")
LOAD, STORE = 43, 46  # lines of saxpy.ptx: ld.global.f32 and st.global.f32
needs_browser = pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium")


@pytest.fixture(scope="module")
def page_path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("page") / "saxpy.html"
    source = str(EXAMPLES / "ptx" / "saxpy.ptx")
    launch = ("--run", "-g", "4", "-b", "256", "-o", str(path))
    result = CliRunner().invoke(command, [source, *ARGUMENTS, *launch])
    assert result.exit_code == 0, result.output
    return path


@pytest.fixture(scope="module")
def page(page_path: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    with browser(tmp_path_factory.mktemp("profile")) as found:
        found.open(page_path)
        yield found


def texts(page: Browser, selector: str) -> list[str]:
    found = page.ask(f"[...document.querySelectorAll('{selector} .text')].map(e => e.textContent)")
    return [str(text) for text in found]


def test_nothing_is_fetched_from_elsewhere(page_path: Path) -> None:
    text = page_path.read_text(encoding="utf-8")
    assert not re.search(r"""(src|href)=["'](?!#)|@import|url\(|https?://|\bfetch\(""", text)


@needs_browser
def test_pointing_at_a_line_lights_what_became_of_it(page: Browser) -> None:
    page.point(f"#ptx-{LOAD - 1}")
    (ptx,) = texts(page, "#ptx .lit")
    assert "ld.global.f32" in ptx
    assert any("load<" in text for text in texts(page, "#ir .lit"))
    assert any("global_load_dword" in text for text in texts(page, "#assembly .lit"))
    page.point("#find")
    assert texts(page, ".lit") == []


@needs_browser
def test_a_click_keeps_the_lines_and_another_lets_go(page: Browser) -> None:
    page.point("#assembly .line:has(.text):nth-last-child(3)", click=True)
    pinned = texts(page, "#ptx .pinned")
    assert len(pinned) == 1
    assert (
        page.ask("document.querySelector('#ptx .pinned').getAttribute('aria-selected')") == "true"
    )
    assert f"PTX line {STORE}" in page.ask("document.getElementById('said').textContent")
    page.point("#assembly .line:has(.text):nth-last-child(3)", click=True)
    assert texts(page, ".pinned") == []


@needs_browser
def test_the_keyboard_does_what_the_mouse_does(page: Browser) -> None:
    page.ask(f"document.getElementById('ptx').focus(), goTo('ptx', {LOAD - 2})")
    page.press("ArrowDown")
    page.press("Enter")
    assert "ld.global.f32" in texts(page, "#ptx .pinned")[0]
    page.press("ArrowRight")
    assert page.ask("document.activeElement.id") == "ir"
    page.press("ArrowRight")
    assert page.ask("document.activeElement.id") == "assembly"
    active = page.ask("document.activeElement.getAttribute('aria-activedescendant')")
    assert "global_load" in texts(page, f"#{active}")[0]
    page.press("Escape")
    assert texts(page, ".pinned") == []
    page.press("/")
    assert page.ask("document.activeElement.id") == "find"


@needs_browser
def test_the_profile_counts_waves(page: Browser) -> None:
    """1,000 of 1,024 threads are busy: 16 waves of 64, all of which have some."""
    runs = page.ask("data.assembly.filter(r => r[0].includes('global_load')).map(r => r[4])")
    assert runs == [16, 16]
    assert "vmem" in page.ask("document.getElementById('costs').textContent")
    assert page.ask("document.querySelector('#kernels tbody th').textContent") == "saxpy"


@needs_browser
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_text_can_be_read(page: Browser, scheme: str) -> None:
    """Contrast of text to its ground is at least 4.5 as WCAG 2 counts it, lit lines too."""
    page.prefer(scheme)
    page.point(f"#ptx-{LOAD - 1}", click=True)
    pairs = page.ask(
        """[...document.querySelectorAll(`.lit span, .pinned span, .line span, h1 span, summary,
        .count, td, th, footer span, button, input`)].filter(e => e.textContent.trim()).map(e => {
          let ground = e; const colour = f => getComputedStyle(f).backgroundColor;
          const clear = /, 0\\)$|transparent/;
          while (ground && clear.test(colour(ground))) ground = ground.parentElement;
          return [getComputedStyle(e).color, colour(ground || document.body), e.className] })"""
    )
    low = {(c, g, n) for c, g, n in pairs if contrast(c, g) < 4.5}
    assert len(pairs) > 100 and not low
    page.press("Escape")
    dark = luminance(page.ask("getComputedStyle(document.body).backgroundColor")) < 0.2
    assert dark == (scheme == "dark")


def luminance(colour: str) -> float:
    parts = [int(part) / 255 for part in re.findall(r"\d+", colour)[:3]]
    red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(first: str, second: str) -> float:
    low, high = sorted((luminance(first), luminance(second)))
    return (high + 0.05) / (low + 0.05)
