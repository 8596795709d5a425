"""What is known of an open document: its diagnostics, and what its lines become.

Comes in: a text and a target. Goes out: diagnostics, assembly by line of PTX. LLVM runs in a
process of its own, so that its death ends no server. It must not know the protocol.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ptxlift.diag import Diagnostic, PtxError
from ptxlift.driver.batch import warm_worker
from ptxlift.driver.options import Options
from ptxlift.driver.translation import lift
from ptxlift.lsp.outline import Outline, outline_of
from ptxlift.records import dataclass, field
from ptxlift.view.lines import assembly_lines

_LARGEST = 20_000  # lines of PTX up to which a hover waits for LLVM


@dataclass(slots=True)
class Document:
    """One version of an open text. `native`: assembly by line of PTX, made at the first hover."""

    name: str
    text: str
    target: str
    outline: Outline = field(init=False)
    _native: dict[int, list[str]] | None = None

    def __post_init__(self) -> None:
        self.outline = outline_of(self.text)

    def diagnostics(self) -> Sequence[Diagnostic]:
        """Everything that is wrong with the text, or with translating it, without LLVM."""
        options = Options(on_unsupported="skip")
        try:
            made = lift(self.text, self.target, options=options, name=self.name)
            found: list[Diagnostic] = list(made.diagnostics)
        except PtxError as error:
            found = list(error.diagnostics)
        return found

    def native(self) -> Mapping[int, Sequence[str]]:
        """The instructions that each line becomes; nothing where the text cannot be translated."""
        if self._native is None:
            self._native = self._compile()
        return self._native

    def _compile(self) -> dict[int, list[str]]:
        if self.text.count("\n") > _LARGEST:
            return {}
        options = Options(debug_lines=True, on_unsupported="skip")
        compiler = warm_worker().run
        try:
            made = lift(self.text, self.target, options=options, name=self.name, compiler=compiler)
            lines = assembly_lines(made.asm)
        except PtxError:
            return {}
        found: dict[int, list[str]] = {}
        for line in lines:
            if line.line and line.number >= 0:
                found.setdefault(line.line, []).append(line.text)
        return found
