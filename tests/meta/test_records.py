"""Records mean what the library's dataclasses mean; only their methods come later."""

from __future__ import annotations

import copy
import dataclasses
import pickle
from collections.abc import Callable
from typing import Any  # any decorator of the two, any record

import pytest

from ptxlift import lazy_records

Make = Callable[..., Any]


def _classes(dataclass: Make, field: Make) -> tuple[type, type, type]:
    @dataclass(frozen=True, slots=True)
    class Point:
        x: int
        y: int = 2
        tags: list[str] = field(default_factory=list, hash=False)
        note: str = field(default="n", repr=False)

    @dataclass(frozen=True, slots=True)
    class Named(Point):
        name: str = "p"
        y: int = 5

        def __repr__(self) -> str:
            return f"<{self.name}>"

    @dataclass(slots=True, eq=False)
    class Box:
        size: int
        twice: int = field(init=False)
        seen: int = field(default=0, init=False)

        def __post_init__(self) -> None:
            self.seen = self.size + 1
            self.twice = 2 * self.size

    return Point, Named, Box


OURS = _classes(lazy_records.dataclass, lazy_records.field)
THEIRS = _classes(dataclasses.dataclass, dataclasses.field)


def _attempt(action: Callable[[], object]) -> object:
    try:
        return action()
    except (TypeError, AttributeError) as error:
        return type(error)


_ACTIONS: list[Callable[[type, type, type, Any], object]] = [
    lambda p, n, b, lib: repr(p(1)).split(".")[-1],
    lambda p, n, b, lib: repr(n(1, name="q")),
    lambda p, n, b, lib: (p(1) == p(1), p(1) == p(2), p(1) == n(1), p(1) != p(1, 3)),
    lambda p, n, b, lib: (hash(p(1)) == hash(p(1, tags=["t"])), hash(p(1)) == hash((1, 2, "n"))),
    lambda p, n, b, lib: p(),
    lambda p, n, b, lib: p(1, z=3),
    lambda p, n, b, lib: setattr(p(1), "x", 3),
    lambda p, n, b, lib: delattr(p(1), "x"),
    lambda p, n, b, lib: (p(1).tags is p(1).tags, p(1).tags),
    lambda p, n, b, lib: (n(1).y, n(1, 9).y, n.__match_args__, n.__slots__, p.__slots__),
    lambda p, n, b, lib: (b(3).seen, b(3).twice, b(3) == b(3), hash(b(3)) is None),
    lambda p, n, b, lib: b(3, 4),
    lambda p, n, b, lib: (lib.replace(n(1), name="z").name, lib.replace(p(1), x=7) == p(7)),
    lambda p, n, b, lib: lib.replace(p(1), unknown=7),
    lambda p, n, b, lib: (copy.copy(p(1)) == p(1), copy.deepcopy(n(1)) == n(1)),
    lambda p, n, b, lib: hash(_mutable(lib)(1)),
    lambda p, n, b, lib: (dataclasses.asdict(n(1)), dataclasses.is_dataclass(p)),
    lambda p, n, b, lib: [(f.name, f.init, f.repr) for f in dataclasses.fields(n)],
    lambda p, n, b, lib: dataclasses.replace(n(1), x=4).x,
]


def _mutable(library: Any) -> type:
    @library.dataclass(slots=True)
    class Mutable:
        x: int

    return Mutable


@pytest.mark.parametrize("number", range(len(_ACTIONS)))
def test_records_do_what_dataclasses_do(number: int) -> None:
    action = _ACTIONS[number]
    ours = _attempt(lambda: action(*OURS, lazy_records))
    theirs = _attempt(lambda: action(*THEIRS, dataclasses))
    if isinstance(theirs, type):
        assert isinstance(ours, type)
        assert issubclass(ours, theirs)
    else:
        assert ours == theirs


def test_the_librarys_dataclasses_extend_records() -> None:
    @dataclasses.dataclass(frozen=True)
    class Extended(OURS[0]):  # type: ignore[misc]  # made by a function
        z: int = 8

    assert Extended(1).z == 8
    assert Extended(1, 3) == Extended(1, 3)


def test_records_pickle() -> None:
    from ptxlift.diag import Diagnostic

    found = Diagnostic("PTX001", "message", None, "hint")
    assert pickle.loads(pickle.dumps(found)) == found
