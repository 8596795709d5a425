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
import tempfile
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING

from ptxlift.records import dataclass

if TYPE_CHECKING:
    from lark import Lark, Token, Tree, UnexpectedToken

STARTS = (
    "module",
    "instruction",
    "function_head",
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


@functools.cache
def _lark() -> Lark:
    """The parser: from the cache on disk if it is there, else built from the grammar file."""
    from lark import Lark, __version__

    grammar = resources.files(__package__).joinpath("ptx.lark").read_text("utf-8")
    digest = hashlib.sha256(repr((grammar, STARTS, __version__)).encode()).hexdigest()[:16]
    path = _cache_folder() / f"grammar-{digest}.pickle"
    try:
        with path.open("rb") as file:
            return Lark.load(file)
    except Exception:  # a missing, unreadable or damaged cache is as good as none
        lark = Lark(
            grammar,
            parser="lalr",
            lexer="contextual",
            start=list(STARTS),
            maybe_placeholders=False,
            propagate_positions=True,
        )
        _write_cache(lark, path)
        return lark


def _cache_folder() -> Path:
    base = os.environ.get("XDG_CACHE_HOME") or os.environ.get("LOCALAPPDATA")
    return Path(base or os.path.expanduser("~/.cache")) / "ptxlift"


def _write_cache(lark: Lark, path: Path) -> None:
    """Write the tables beside their place and rename them: readers see all or nothing."""
    buffer = io.BytesIO()
    lark.save(buffer)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=path.parent, delete=False) as file:
            file.write(buffer.getvalue())
        os.replace(file.name, path)
    except OSError:
        return
