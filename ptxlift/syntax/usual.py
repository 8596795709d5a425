"""The memo's first knowledge: the looks of statements that most programs have.

Comes in: a way to read a text, and the memos. Goes out: memos that know the text `usual.ptx`, read
by the grammar once in an installation and kept on disk. A small program then needs no tables of the
grammar. It must not know what a statement means.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable
from importlib import resources

from ptxlift.syntax.grammar import grammar_text, kept
from ptxlift.syntax.statements import LOOKS, OPERANDS

_TEXT = "usual.ptx"


def learn(read: Callable[[str], object]) -> None:
    """Fills the memos; `read` parses a text by way of them."""
    text = resources.files(__package__).joinpath(_TEXT).read_text("utf-8")

    def build() -> bytes:
        read(text)
        return pickle.dumps((LOOKS.table, OPERANDS.table))

    looks, operands = kept("usual", (grammar_text(), text), build, pickle.loads)
    LOOKS.table.update(looks)
    OPERANDS.table.update(operands)
