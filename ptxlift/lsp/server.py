"""The protocol: requests of an editor in, answers out.

Comes in: messages, through pygls. Goes out: what `documents` and `answers` know, in the protocol's
terms. Offsets of ours are characters; the protocol counts UTF-16 units, which pygls converts.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from typing import Any

from lsprotocol import types as lsp
from pygls.lsp.server import LanguageServer
from pygls.workspace import TextDocument

from ptxlift import __version__
from ptxlift.diag import Diagnostic, Severity, Span
from ptxlift.driver.batch import describe_fault
from ptxlift.lsp.answers import completions, hover
from ptxlift.lsp.documents import Document
from ptxlift.lsp.outline import Kind, Scope, Symbol, word_at
from ptxlift.target import lookup

_DELAY = 0.25  # seconds without typing after which a text is checked
_START = lsp.Range(lsp.Position(0, 0), lsp.Position(0, 0))
_SEVERITIES = {
    Severity.ERROR: lsp.DiagnosticSeverity.Error,
    Severity.WARNING: lsp.DiagnosticSeverity.Warning,
    Severity.REMARK: lsp.DiagnosticSeverity.Information,
}
_SYMBOLS = {
    Kind.KERNEL: lsp.SymbolKind.Function,
    Kind.FUNCTION: lsp.SymbolKind.Function,
    Kind.VARIABLE: lsp.SymbolKind.Variable,
    Kind.PARAMETER: lsp.SymbolKind.Field,
    Kind.REGISTER: lsp.SymbolKind.Variable,
    Kind.LABEL: lsp.SymbolKind.Key,
}
_CHOICES = {
    "opcode": lsp.CompletionItemKind.Keyword,
    "modifier": lsp.CompletionItemKind.EnumMember,
    "register": lsp.CompletionItemKind.Variable,
    "variable": lsp.CompletionItemKind.Variable,
    "parameter": lsp.CompletionItemKind.Field,
    "function": lsp.CompletionItemKind.Function,
    "label": lsp.CompletionItemKind.Reference,
}


class PtxServer:
    """One editor's server. `target`: what hovers and checks are for."""

    def __init__(self, target: str) -> None:
        lookup(target)  # raises for a target that does not exist
        self.target = target
        self.server = LanguageServer("ptxlift", __version__)
        self._documents: dict[str, Document] = {}
        self._lock = threading.Lock()
        self._timers: dict[str, threading.Timer] = {}
        for name, answer in self._answers().items():
            self.server.feature(name)(_function_of(answer))
        options = lsp.CompletionOptions(trigger_characters=[".", "%"])
        self.server.feature(lsp.TEXT_DOCUMENT_COMPLETION, options)(_function_of(self.complete))

    def _answers(self) -> Mapping[str, Callable[[Any], object]]:
        return {
            lsp.INITIALIZED: self.started,
            lsp.TEXT_DOCUMENT_DID_OPEN: self.opened,
            lsp.TEXT_DOCUMENT_DID_CHANGE: self.changed,
            lsp.TEXT_DOCUMENT_DID_CLOSE: self.closed,
            lsp.TEXT_DOCUMENT_HOVER: self.hovered,
            lsp.TEXT_DOCUMENT_DEFINITION: self.defined,
            lsp.TEXT_DOCUMENT_DOCUMENT_SYMBOL: self.outlined,
        }

    # ---- documents ----

    def started(self, params: lsp.InitializedParams) -> None:
        """The editor is ready; nothing is loaded before it opens a text."""

    def opened(self, params: lsp.DidOpenTextDocumentParams) -> None:
        """Checks a text at once."""
        self._check(params.text_document.uri)

    def changed(self, params: lsp.DidChangeTextDocumentParams) -> None:
        """Checks a text when typing pauses."""
        uri = params.text_document.uri
        self._stop_timer(uri)
        timer = threading.Timer(_DELAY, self._check, [uri])
        timer.daemon = True
        self._timers[uri] = timer
        timer.start()

    def closed(self, params: lsp.DidCloseTextDocumentParams) -> None:
        """Forgets a text and takes its diagnostics back."""
        uri = params.text_document.uri
        self._stop_timer(uri)
        self._documents.pop(uri, None)
        self._publish(uri, 0, [])

    def _stop_timer(self, uri: str) -> None:
        timer = self._timers.pop(uri, None)
        if timer is not None:
            timer.cancel()

    def _document(self, text: TextDocument) -> Document:
        with self._lock:  # checks run in threads of their own
            known = self._documents.get(text.uri)
            if known is None or known.text != text.source:
                known = Document(text.filename or text.uri, text.source, self.target)
                self._documents[text.uri] = known
            return known

    def _check(self, uri: str) -> None:
        text = self.server.workspace.get_text_document(uri)
        version = text.version or 0
        document = self._document(text)
        try:
            found = document.diagnostics()
        except Exception as error:  # a fault of ours; the server lives on
            found = [Diagnostic("internal", describe_fault(error))]
        if self._documents.get(uri) is document:  # else a newer text is checked
            self._publish(uri, version, [_diagnostic(one, text) for one in found])

    def _publish(self, uri: str, version: int, found: list[lsp.Diagnostic]) -> None:
        self.server.text_document_publish_diagnostics(
            lsp.PublishDiagnosticsParams(uri=uri, version=version, diagnostics=found)
        )

    # ---- requests ----

    def hovered(self, params: lsp.HoverParams) -> lsp.Hover | None:
        """What stands under the pointer, and what it becomes on the target."""
        text = self.server.workspace.get_text_document(params.text_document.uri)
        document = self._document(text)
        offset = text.offset_at_position(params.position)
        native = document.native().get(params.position.line + 1, ())
        said = hover(document.text, offset, document.outline, native, self.target)
        if not said:
            return None
        return lsp.Hover(lsp.MarkupContent(kind=lsp.MarkupKind.Markdown, value=said))

    def complete(self, params: lsp.CompletionParams) -> lsp.CompletionList:
        """Opcodes, modifiers or names, by where the cursor is."""
        text = self.server.workspace.get_text_document(params.text_document.uri)
        document = self._document(text)
        found = completions(
            document.text, text.offset_at_position(params.position), document.outline
        )
        items = [
            lsp.CompletionItem(label=one.label, kind=_CHOICES[one.kind], detail=one.detail)
            for one in found
        ]
        return lsp.CompletionList(is_incomplete=False, items=items)

    def defined(self, params: lsp.DefinitionParams) -> lsp.Location | None:
        """Where a register, variable, label or function is declared."""
        text = self.server.workspace.get_text_document(params.text_document.uri)
        document = self._document(text)
        offset = text.offset_at_position(params.position)
        symbol = document.outline.find(word_at(document.text, offset), offset)
        if symbol is None:
            return None
        return lsp.Location(uri=text.uri, range=_range_of(symbol, text))

    def outlined(self, params: lsp.DocumentSymbolParams) -> list[lsp.DocumentSymbol]:
        """Functions with what they declare, and the module's variables."""
        text = self.server.workspace.get_text_document(params.text_document.uri)
        outline = self._document(text).outline
        return [
            *(_symbol(one, text) for one in outline.symbols),
            *(_function(scope, text) for scope in outline.scopes),
        ]


def _function_of(answer: Callable[[Any], object]) -> Callable[[Any], object]:
    """A plain function, for pygls writes attributes to what it registers."""

    def call(params: Any) -> object:  # Any: each request has parameters of its own
        return answer(params)

    return call


def _range(start: int, end: int, text: TextDocument) -> lsp.Range:
    if not text.source:
        return _START
    first, last = text.client_position_at_offset(start), text.client_position_at_offset(end)
    return lsp.Range(first, last)


def _range_of(symbol: Symbol, text: TextDocument) -> lsp.Range:
    return _range(symbol.start, symbol.start + len(symbol.name), text)


def _symbol(symbol: Symbol, text: TextDocument) -> lsp.DocumentSymbol:
    name = f"{symbol.name}<{symbol.count}>" if symbol.count else symbol.name
    place = _range_of(symbol, text)
    return lsp.DocumentSymbol(name, _SYMBOLS[symbol.kind], place, place, symbol.detail)


def _function(scope: Scope, text: TextDocument) -> lsp.DocumentSymbol:
    whole = _range(scope.start, scope.end, text)
    place = _range_of(scope.symbol, text)
    children = [_symbol(one, text) for one in scope.symbols]
    name, kind = scope.symbol.name, _SYMBOLS[scope.symbol.kind]
    return lsp.DocumentSymbol(name, kind, whole, place, scope.symbol.detail, children=children)


def _diagnostic(found: Diagnostic, text: TextDocument) -> lsp.Diagnostic:
    message = f"{found.message}\nhint: {found.hint}" if found.hint else found.message
    return lsp.Diagnostic(
        range=_place(found.span, text),
        message=message,
        severity=_SEVERITIES[found.severity],
        code=found.code,
        source="ptxlift",
    )


def _place(span: Span | None, text: TextDocument) -> lsp.Range:
    """A span without place is shown at the first line."""
    if span is None:
        return _START
    return _range(span.start, max(span.end, span.start + 1), text)
