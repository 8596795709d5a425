"""Arguments of a wrong type are a clear `TypeError`, not an accident further in."""

from __future__ import annotations

from typing import Any

import pytest

import ptxlift

_TEXT = ".version 8.0\n.target sm_80\n"


@pytest.mark.parametrize("value", [None, 3, object(), [None], ["", 3]])
@pytest.mark.parametrize("function", [ptxlift.lift, ptxlift.parse, ptxlift.load])
def test_what_is_no_ptx(function: Any, value: object) -> None:
    with pytest.raises(TypeError, match="PTX is str or bytes, not"):
        function(value)


def test_no_text_at_all() -> None:
    with pytest.raises(ptxlift.PtxError) as caught:
        ptxlift.lift([])
    assert caught.value.diagnostics[0].code == "PTX003"


@pytest.mark.parametrize(
    ("given", "says"),
    [({"target": None}, "a target is a str"), ({"options": {}}, "ptxlift.Options, not dict")],
)
def test_other_arguments(given: dict[str, Any], says: str) -> None:
    with pytest.raises(TypeError, match=says):
        ptxlift.lift(_TEXT, **given)


def test_extract_takes_a_path_or_bytes() -> None:
    wrong: Any = None
    with pytest.raises(TypeError, match="extract takes a path or bytes"):
        ptxlift.extract(wrong)
