"""An outcome as the bytes of a cache entry, and back.

Comes in: an `Outcome` and the sources its diagnostics point into. Goes out: bytes that hold no
code: JSON for the facts, then the parts as they are. It must know nothing of files.
"""

from __future__ import annotations

import json
import struct
import zlib
from collections.abc import Sequence
from typing import Any

from ptxlift.diag import Diagnostic, PtxError, Severity, Source, Span
from ptxlift.driver.kernels import KernelReport, Param, Resources
from ptxlift.driver.outcomes import Outcome, Task
from ptxlift.syntax.text import decode

_SIZE = struct.Struct("<I")
_LEVEL = 1  # of zlib: entries are read more often than written

Json = Any  # what json makes of text


_NAMELESS = frozenset({"code_object", "output", "object", "verdict"})


def is_nameless(task: Task) -> bool:
    """Whether what its text is called can show in no part of an outcome: the same text elsewhere
    has the same entry.
    """
    alone = len(task.texts) == 1 and not any(task.older)
    return alone and not task.options.debug_lines and _NAMELESS.issuperset(task.parts)


class Sources:
    """The sources of a task by name, decoded when a diagnostic points into one."""

    def __init__(self, task: Task) -> None:
        self._only = task.names[0] if is_nameless(task) else None
        self._texts = dict(zip(task.names, task.texts, strict=True))
        self._texts.update((image.name, image.text) for group in task.older for image in group)
        self._found: dict[str, Source] = {}

    def __getitem__(self, name: str) -> Source:
        """Raises `ValueError` for a name or a text that gives no source. A nameless task has one
        source, whatever it was called when an entry was written.
        """
        name = self._only or name
        if name not in self._found:
            try:
                self._found[name] = decode(self._texts[name], name)
            except (KeyError, PtxError):
                raise ValueError(f"no source {name!r}") from None
        return self._found[name]

    def hold(self, outcome: Outcome) -> bool:
        """Whether all places of an outcome's diagnostics can be found again, and no message of a
        nameless task says a name.
        """
        failed = [d for found in outcome.failed.values() for d in found]
        every = (*outcome.diagnostics, *failed)
        if self._only and any(self._only in f"{d.message} {d.hint}" for d in every):
            return False
        spans = {d.span for d in every if d.span is not None}
        try:
            return all(self[span.source.name].text == span.source.text for span in spans)
        except ValueError:
            return False


def packed(outcome: Outcome) -> bytes:
    """The entry. Faults are not kept: they say nothing about the input."""
    blobs: list[bytes] = []
    parts = []
    for name, data in outcome.parts.items():
        blobs.append(data.encode() if isinstance(data, str) else data)
        parts.append([name, isinstance(data, str), len(blobs[-1])])
    facts = {
        "parts": parts,
        "kernels": [_kernel_facts(kernel) for kernel in outcome.kernels],
        "failed": {
            name: [_diagnostic_facts(d) for d in found] for name, found in outcome.failed.items()
        },
        "diagnostics": [_diagnostic_facts(d) for d in outcome.diagnostics],
    }
    head = json.dumps(facts, separators=(",", ":")).encode()
    return zlib.compress(b"".join((_SIZE.pack(len(head)), head, *blobs)), _LEVEL)


def unpacked(entry: bytes, sources: Sources) -> Outcome:
    """The outcome in an entry. Raises `ValueError` where it is damaged."""
    try:
        return _unpacked(zlib.decompress(entry), sources)
    except (zlib.error, struct.error, KeyError, TypeError, IndexError) as error:
        raise ValueError(f"damaged cache entry: {error}") from None


def _unpacked(data: bytes, sources: Sources) -> Outcome:
    (size,) = _SIZE.unpack_from(data)
    at = _SIZE.size + size
    facts = json.loads(data[_SIZE.size : at])
    parts: dict[str, str | bytes] = {}
    for name, is_text, length in facts["parts"]:
        blob = data[at : at + length]
        parts[name] = blob.decode() if is_text else blob
        at += length
    if at != len(data):
        raise ValueError("damaged cache entry: its parts do not fill it")
    return Outcome(
        parts,
        tuple(_kernel(kernel) for kernel in facts["kernels"]),
        {name: _diagnostics(found, sources) for name, found in facts["failed"].items()},
        _diagnostics(facts["diagnostics"], sources),
        cached=True,
    )


def _kernel_facts(kernel: KernelReport) -> Json:
    resources = kernel.resources
    return [
        kernel.name,
        [[p.name, p.type, p.size, p.align, p.offset] for p in kernel.params],
        kernel.reqntid,
        kernel.warp_mapping,
        None if resources is None else [getattr(resources, name) for name in Resources.__slots__],
    ]


def _kernel(facts: Json) -> KernelReport:
    name, params, reqntid, mapping, resources = facts
    return KernelReport(
        name,
        tuple(Param(*param) for param in params),
        None if reqntid is None else tuple(reqntid),
        mapping,
        None if resources is None else Resources(*resources),
    )


def _diagnostic_facts(diagnostic: Diagnostic) -> Json:
    span = diagnostic.span
    place = None if span is None else [span.source.name, span.start, span.end]
    return [
        diagnostic.code, diagnostic.message, place, diagnostic.hint, diagnostic.severity.value,
    ]  # fmt: skip


def _diagnostics(facts: Sequence[Json], sources: Sources) -> tuple[Diagnostic, ...]:
    found = []
    for code, message, place, hint, severity in facts:
        span = None if place is None else Span(sources[place[0]], place[1], place[2])
        found.append(Diagnostic(code, message, span, hint, Severity(severity)))
    return tuple(found)
