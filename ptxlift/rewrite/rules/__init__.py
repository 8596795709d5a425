"""The rules, as data. Comes in: nothing. Goes out: `all_rules()`."""

from __future__ import annotations

from functools import cache

from ptxlift.rewrite.rule import Rule


@cache
def all_rules() -> tuple[Rule, ...]:
    """Every rule, those that only make others fit first."""
    from ptxlift.rewrite.rules import arithmetic, bytes, floats, forms, shifts

    chapters = (forms, shifts, bytes, arithmetic, floats)
    return tuple(rule for chapter in chapters for rule in chapter.RULES)
