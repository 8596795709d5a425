"""Documentation is true: examples run, generated pages are fresh, links lead somewhere."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

import ptxlift
from docs import generate
from ptxlift.cli.app import app

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")])
AVERAGE = """
import numpy as np
import ptxlift

text = \"\"\".version 9.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 out, .param .u32 x, .param .u32 y)
{
.reg .b32 %r<4>;
.reg .b64 %rd<2>;
ld.param.u64 %rd1, [out];
ld.param.u32 %r1, [x];
ld.param.u32 %r2, [y];
avg.u32 %r3, %r1, %r2;
st.global.u32 [%rd1], %r3;
ret;
}
\"\"\"
for device in ("emulator", "interpreter"):
    out = np.zeros(1, np.uint32)
    ptxlift.run(text, "k", 1, 1, [out, 0xFFFFFFFF, 0xFFFFFFFC], device=device)
    assert out[0] == 0xFFFFFFFD, (device, out)
"""


def blocks(path: Path, language: str) -> list[str]:
    """The code blocks of a page, without the indentation of lists around them."""
    pattern = rf"^( *)```{language}\n(.*?)^\1```$"
    found = re.findall(pattern, path.read_text("utf-8"), re.M | re.S)
    return [re.sub(rf"^{indent}", "", text, flags=re.M) for indent, text in found]


@pytest.fixture
def project_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder where the examples of the README find what they need."""
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_readme_python_runs(project_folder: Path) -> None:
    names: dict[str, object] = {}
    examples = blocks(ROOT / "README.md", "python")
    assert len(examples) >= 2
    for example in examples:
        exec(example, names)
    assert (project_folder / "saxpy.hsaco").read_bytes().startswith(b"\x7fELF")


def test_the_page_on_textures_runs() -> None:
    (example,) = blocks(ROOT / "docs/textures.md", "python")
    exec(example, {})


def test_readme_commands_print_what_it_says(project_folder: Path) -> None:
    (session,) = blocks(ROOT / "README.md", "console")
    steps = re.split(r"^\$ ptxlift ", session, flags=re.M)[1:]
    assert len(steps) >= 2
    for step in steps:
        line, _, expected = step.partition("\n")
        result = CliRunner().invoke(app, [word.strip("'") for word in line.split()])
        assert result.exit_code == 0, result.stderr
        assert without_sizes(result.stdout) == without_sizes(expected)


def without_sizes(text: str) -> str:
    return re.sub(r"\d+ bytes", "N bytes", text)


def test_adding_an_instruction_as_contributing_tells(tmp_path: Path) -> None:
    row, meaning = blocks(ROOT / "CONTRIBUTING.md", "python")[:2]
    package = tmp_path / "ptxlift"
    shutil.copytree(Path(ptxlift.__file__).parent, package)
    table = package / "isa" / "integer.py"
    head, separator, tail = table.read_text("utf-8").rpartition("\n)\n")
    table.write_text(f"{head}\n    {row.strip()}{separator}{tail}", "utf-8")
    chapter = package / "semantics" / "integer.py"
    chapter.write_text(f"{chapter.read_text('utf-8')}\n\n{meaning}", "utf-8")
    command = [sys.executable, "-c", AVERAGE]
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
    subprocess.run(command, check=True, env=environment, cwd=tmp_path)


def _pages_by_work() -> list[list[str]]:
    """The generated pages; those that try every instance stand together, the trials run once."""
    tried = ["isa.md", "coverage.md"]
    return [tried, *([name] for name in generate.PAGES if name not in tried)]


@pytest.mark.parametrize("names", _pages_by_work(), ids="+".join)
def test_generated_pages_are_fresh(names: list[str]) -> None:
    for name in names:
        page = ROOT / "docs" / name
        assert page.read_text("utf-8") == generate.PAGES[name](), f"{name}: run `make docs`"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    for link in re.findall(r"\]\(([^)#:]+)\)", page.read_text("utf-8")):
        assert (page.parent / link).exists(), link


@pytest.mark.parametrize("name", ["CONTRIBUTING.md", "docs/architecture.md", "README.md"])
def test_files_that_pages_name_exist(name: str) -> None:
    text = (ROOT / name).read_text("utf-8")
    for path in re.findall(r"`((?:ptxlift|tests|docs|examples|benchmarks)/[\w./-]+)`", text):
        assert (ROOT / path).exists(), path


def test_changelog_tells_of_this_version() -> None:
    assert f"\n## {ptxlift.__version__}" in (ROOT / "CHANGELOG.md").read_text("utf-8")
    assert f'version = "{ptxlift.__version__}"' in (ROOT / "pyproject.toml").read_text("utf-8")
