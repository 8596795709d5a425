"""Mutants that compute the same as the original, each with the reason; they are not counted."""

from __future__ import annotations

from tests.mutants.operators import Mutant

# (module, function, part of the description): why no test can notice
_EQUIVALENT: dict[tuple[str, str, str], str] = {
    ("semantics.narrow", "_encode", "icmp(a, algebra.const(32, [0])"):
        "of the patterns below 1 that are not negative, 0 gives 0 either way",
    ("semantics.stochastic", "_encode", "icmp(a, algebra.const(32, [0])"):
        "of the patterns below 1 that are not negative, 0 gives 0 either way",
    ("semantics.convert", "cvt_float_integral", "_types(form)[[0]]"):
        "both types of the form are the same",
    ("semantics.video", "_part_width", '{"": [32],'):
        "the width of the whole word is only compared with the widths of parts",
    ("semantics.video", "_average", "icmp(total, algebra.const(32, [0])"):
        "a sum of 0 gives the same half, with and without the one that is added",
    ("semantics.video", "vmad", "selectors[1:[3]]"):
        "the third selector is not read",
    ("semantics.definitions", "ones", "([1] << width)"):
        "constants are cut to their width, and all bits above it",
}  # fmt: skip


def known() -> list[tuple[str, str, str]]:
    """What the table lists."""
    return list(_EQUIVALENT)


def reason_for(module: str, mutant: Mutant) -> str:
    """Why the mutant cannot be noticed, or an empty text."""
    for (name, function, part), reason in _EQUIVALENT.items():
        if name == module and function == mutant.function and part in str(mutant):
            return reason
    return ""
