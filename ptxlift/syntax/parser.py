"""PTX text comes in; a `Module` goes out, or `PtxError` with up to 20 diagnostics.

This module puts the parts together and must not know how any of them works.
"""

from __future__ import annotations

import functools

from ptxlift.diag import InternalError
from ptxlift.syntax.header import read_header
from ptxlift.syntax.items import Items
from ptxlift.syntax.nodes import Item, Module
from ptxlift.syntax.recovery import Recovery, StatementError
from ptxlift.syntax.report import Enough, Report
from ptxlift.syntax.text import decode, strip_comments, strip_old_debug
from ptxlift.syntax.usual import learn


def parse(text: str | bytes, name: str = "<ptx>", *, memo: bool = True) -> Module:
    """The syntax tree of a PTX module.

    With `memo=False` the grammar itself parses the whole text; the result is the same.
    """
    if memo:
        _learn_usual()
    source = decode(text, name)
    clean = strip_comments(source)
    report = Report(source)
    items: tuple[Item, ...] | None = None
    try:
        header = read_header(clean, report)
        if header.version < (2, 0):
            clean = strip_old_debug(clean)
        items = None if memo else _by_grammar(clean)
        if items is None:
            scanner = Items(clean, Recovery(clean, report))
            scanner.scan(header.end)
            items = tuple(scanner.items)
            _expect_agreement(memo, report)
    except Enough:
        pass
    report.raise_found()
    assert items is not None, "parsing stops early only after an error"
    version, targets, size = header.version, header.targets, header.address_size
    return Module(source, version, targets, size, items, header.starts)


@functools.cache
def _learn_usual() -> None:
    learn(_read_usual)


def _read_usual(text: str) -> None:
    clean = strip_comments(source := decode(text, "<usual>"))
    report = Report(source)
    Items(clean, Recovery(clean, report)).scan(read_header(clean, report).end)
    report.raise_found()


def _by_grammar(clean: str) -> tuple[Item, ...] | None:
    """The items as the grammar sees them; None if it refuses, then the scanner finds out why."""
    from ptxlift.syntax.whole import parse_whole

    try:
        return parse_whole(clean)
    except StatementError:
        return None


def _expect_agreement(memo: bool, report: Report) -> None:
    if not memo and not report.found:
        raise InternalError("the scanner takes a text that the grammar refuses")
