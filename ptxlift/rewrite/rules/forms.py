"""Rules that gain nothing by themselves but let others fit: one form of equal things."""

from __future__ import annotations

from ptxlift.rewrite.pattern import op
from ptxlift.rewrite.rule import rule

RULES = (
    rule(
        "halves_joined",
        op(
            "pack",
            op("extract", "x:64", width=32, offset=0),
            op("extract", "x:64", width=32, offset=32),
        ),
        lambda b, x: x,
        widths=(64,),
        enabling=True,
        shown="x",
    ),
)
