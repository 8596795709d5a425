"""Mutants that compute the same as the original, each with the reason; they are not counted."""

from __future__ import annotations

from tests.mutants.operators import Mutant

# (module, function, part of the description): why no test can notice
_EQUIVALENT: dict[tuple[str, str, str], str] = {}


def reason_for(module: str, mutant: Mutant) -> str:
    """Why the mutant cannot be noticed, or an empty text."""
    for (name, function, part), reason in _EQUIVALENT.items():
        if name == module and function == mutant.function and part in str(mutant):
            return reason
    return ""
