"""Diagnostics of a program, each once, with the targets that have it; as text and as JSON.

Comes in: outcomes by target. Goes out: findings. It must know nothing of files and terminals.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ptxlift.diag import Diagnostic
from ptxlift.driver.outcomes import Outcome
from ptxlift.records import dataclass


@dataclass(frozen=True, slots=True)
class Finding:
    """A diagnostic. `everywhere`: all targets that were looked at have it."""

    diagnostic: Diagnostic
    targets: tuple[str, ...]
    everywhere: bool

    def render(self, program: str) -> str:
        """As a person reads it."""
        text = self.diagnostic.render()
        targets = ", ".join(self.targets)
        if self.diagnostic.span is None:
            return f"{program} for {targets}: {text}"
        return text if self.everywhere else f"{text}\n  for {targets}"


def findings_of(outcomes: Mapping[str, Outcome]) -> list[Finding]:
    """The findings in the order in which they were found."""
    by_text: dict[str, tuple[Diagnostic, list[str]]] = {}
    for target, outcome in outcomes.items():
        for diagnostic in outcome.diagnostics:
            known = by_text.setdefault(diagnostic.render(), (diagnostic, []))
            if target not in known[1]:
                known[1].append(target)
    return [
        Finding(diagnostic, tuple(targets), len(targets) == len(outcomes))
        for diagnostic, targets in by_text.values()
    ]


def verdicts_of(outcomes: Mapping[str, Outcome]) -> dict[str, list[str]]:
    """For each kernel the targets it cannot be translated for; none: it can be for all."""
    names = dict.fromkeys(
        name
        for outcome in outcomes.values()
        for name in (*(kernel.name for kernel in outcome.kernels), *outcome.failed)
    )
    return {
        name: [
            target
            for target, outcome in outcomes.items()
            if name not in {kernel.name for kernel in outcome.kernels}
        ]
        for name in names
    }


def targets_that_fail(outcomes: Mapping[str, Outcome]) -> Sequence[str]:
    """The targets with something that cannot be translated."""
    return [target for target, outcome in outcomes.items() if outcome.failed or not outcome.ok]
