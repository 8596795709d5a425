"""`checks=` of `run`: a fault that only a listing has is told."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

import ptxlift
from ptxlift import PtxError
from ptxlift.driver.translation import Translation

SAXPY = Path(__file__).resolve().parents[3] / "examples" / "ptx" / "saxpy.ptx"


class Faulty(Translation):
    """A translation whose listing lacks the first wait for memory: a nop stands there."""

    __slots__ = ()

    @property
    def listing(self) -> str:
        wait = re.compile(r"\ts_wait(cnt [^;]*|_\w+cnt 0x0)(?=\s*;)")
        text, count = wait.subn("\ts_nop 0", super().listing, count=1)
        assert count == 1
        return text


def saxpy(checks: str, kind: type[Translation], target: str) -> None:
    text = SAXPY.read_text()
    translation = ptxlift.lift(text, target)
    translation.__class__ = kind
    x, y = np.ones(64, np.float32), np.ones(64, np.float32)
    arguments = [np.uint32(64), np.float32(2), x, y]
    ptxlift.run(translation, "saxpy", 1, 64, arguments, checks=checks)
    assert (y == 3).all()


@pytest.mark.parametrize("target", ["gfx942", "gfx1100", "gfx1201"])
def test_a_listing_that_lacks_a_wait_is_told(target: str) -> None:
    saxpy("hazards", Translation, target)
    with pytest.raises(PtxError, match="PTX407"):
        saxpy("hazards", Faulty, target)
