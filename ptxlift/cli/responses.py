"""Response files: `@FILE` on the command line stands for the words in FILE.

Comes in: words. Goes out: words. Quotes and backslashes work as in a shell; `@` words inside are
read too. As with compilers, a word that names no file stays as it is.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from pathlib import Path

import click

_DEEPEST = 8  # files that name files


def with_response_files(words: Sequence[str]) -> list[str]:
    """The words with all response files read. A usage error where one cannot be."""
    return list(_expanded(words, 0))


def _expanded(words: Sequence[str], depth: int) -> Iterator[str]:
    for word in words:
        path = Path(word[1:])
        if len(word) < 2 or word[0] != "@" or not path.is_file():
            yield word
            continue
        if depth == _DEEPEST:
            raise click.UsageError(f"response files nest deeper than {_DEEPEST}: {word}")
        try:
            inside = shlex.split(path.read_text("utf-8"), comments=True)
        except (OSError, ValueError) as error:
            raise click.UsageError(f"the response file {path} cannot be read: {error}") from None
        yield from _expanded(inside, depth + 1)
