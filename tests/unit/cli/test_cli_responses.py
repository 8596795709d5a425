"""`@FILE` on the command line."""

from __future__ import annotations

from pathlib import Path

import pytest
from command import SAXPY, ptxlift, refused


def test_words_come_from_a_file(tmp_path: Path) -> None:
    inner, outer = tmp_path / "inner", tmp_path / "outer"
    inner.write_text(f"-t gfx942,gfx1100  # two\n-o '{tmp_path / 'a b'}'\n")
    outer.write_text(f"'{SAXPY}'\n@{inner}\n")
    assert ptxlift("lift", f"@{outer}", "-q").status == 0
    names = [path.name for path in sorted((tmp_path / "a b").iterdir())]
    assert names == ["saxpy.gfx1100.hsaco", "saxpy.gfx942.hsaco"]


def test_a_sub_command_too(tmp_path: Path) -> None:
    (tmp_path / "words").write_text("explain PTX101")
    assert ptxlift(f"@{tmp_path / 'words'}").text.startswith("PTX101: ")


def test_no_such_file_is_a_plain_word() -> None:
    assert refused(ptxlift("lift", "@missing")).codes() == ["PTX008"]


@pytest.mark.parametrize(("text", "says"), [("'open", "quotation"), ("@{itself}", "deeper than 8")])
def test_files_that_cannot_be_read(tmp_path: Path, text: str, says: str) -> None:
    path = tmp_path / "words"
    path.write_text(text.format(itself=path))
    ended = ptxlift("lift", f"@{path}")
    assert ended.status == 2 and says in ended.errors
