"""Text and a start rule come in; a Lark parse tree goes out, or the place where the grammar stops.

The grammar file is the authority for what PTX is. Building its tables takes a moment, so they are
kept on disk in the user's cache folder; without that folder everything works the same. This module
must not know what a rule means.
"""

from __future__ import annotations

import functools
import hashlib
import io
import os
from collections.abc import Callable
from importlib import resources
from pathlib import Path
from sys import version
from typing import TYPE_CHECKING, TypeVar

from ptxlift.records import dataclass

if TYPE_CHECKING:
    from lark import Lark, Token, Tree, UnexpectedToken

T = TypeVar("T")

STARTS = (
    "module",
    "instruction",
    "function_head",
    "formal",
    "variable",
    "local_variable",
    "alias",
    "file",
    "pragma",
    "loc",
    "targets",
    "prototype",
    "section",
    "initializer",
)


@dataclass(slots=True, eq=False)  # not frozen: Python writes to exceptions it raises
class Stop(Exception):
    """Where the grammar cannot go on: what stands there and which terminals could."""

    start: int
    end: int
    found: str
    accepts: frozenset[str]


def parse_rule(text: str, start: str) -> Tree[Token]:
    """The parse tree of a text; raises `Stop`."""
    from lark import UnexpectedCharacters, UnexpectedToken

    try:
        return _lark().parse(text, start=start)
    except UnexpectedToken as error:
        raise _stop_at_token(text, error) from None
    except UnexpectedCharacters as error:
        at = error.pos_in_stream or 0
        raise Stop(at, at + 1, text[at], frozenset(error.allowed or ())) from None


def _stop_at_token(text: str, error: UnexpectedToken) -> Stop:
    accepts = frozenset(error.interactive_parser.accepts())  # type: ignore[no-untyped-call]  # lark
    token = error.token
    if token.type == "$END":
        return Stop(len(text), len(text), "", accepts)
    return Stop(token.start_pos, token.start_pos + len(token), str(token), accepts)


def grammar_text() -> str:
    """The grammar file's text."""
    return resources.files(__package__).joinpath("ptx.lark").read_text("utf-8")


@functools.cache
def _lark() -> Lark:
    """The parser: from the cache on disk if it is there, else built from the grammar file."""
    from lark import Lark, __version__

    grammar = grammar_text()

    def build() -> bytes:
        lark = Lark(
            grammar,
            parser="lalr",
            lexer="contextual",
            start=list(STARTS),
            maybe_placeholders=False,
            propagate_positions=True,
        )
        buffer = io.BytesIO()
        lark.save(buffer)
        return buffer.getvalue()

    def load(saved: bytes) -> Lark:
        return Lark.load(io.BytesIO(saved))

    return kept("grammar", (grammar, STARTS, __version__), build, load)


def kept(
    name: str, depends: tuple[object, ...], build: Callable[[], bytes], load: Callable[[bytes], T]
) -> T:
    """What `load` makes of a file in the cache folder; where that is missing or damaged, of what
    `build` gives. depends: all that the file is made from.
    """
    digest = hashlib.sha256(repr((depends, version)).encode()).hexdigest()[:16]
    path = _cache_folder() / f"{name}-{digest}.pickle"
    try:
        return load(path.read_bytes())
    except Exception:  # a missing, unreadable or damaged cache is as good as none
        saved = build()
        _write_cache(saved, path)
        return load(saved)


def _cache_folder() -> Path:
    base = os.environ.get("XDG_CACHE_HOME") or os.environ.get("LOCALAPPDATA")
    return Path(base or os.path.expanduser("~/.cache")) / "ptxlift"


def _write_cache(saved: bytes, path: Path) -> None:
    """Write a file beside its place and rename it: readers see all or nothing."""
    import tempfile

    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=path.parent, delete=False) as file:
            file.write(saved)
        os.replace(file.name, path)
    except OSError:
        return
