"""PTX text comes in; a `Module` goes out, or `PtxError` with up to 20 diagnostics.

This module puts the parts together and must not know how any of them works.
"""

from __future__ import annotations

from ptxlift.syntax.header import read_header
from ptxlift.syntax.items import Items
from ptxlift.syntax.nodes import Module
from ptxlift.syntax.recovery import Recovery
from ptxlift.syntax.report import Enough, Report
from ptxlift.syntax.text import decode, strip_comments


def parse(text: str | bytes, name: str = "<ptx>", *, memo: bool = True) -> Module:
    """The syntax tree of a PTX module.

    With `memo=False` the grammar itself parses the whole text; the result is the same.
    """
    source = decode(text, name)
    clean = strip_comments(source)
    report = Report(source)
    recovery = Recovery(clean, report)
    items = Items(clean, recovery)
    try:
        header = read_header(clean, report)
        items.scan(header.end)
    except Enough:
        pass
    report.raise_found()
    return Module(
        source,
        header.version,
        header.targets,
        header.address_size,
        tuple(items.items),
        header.starts,
    )
