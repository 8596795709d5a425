"""Requests as JSON objects, for compilers that do not embed Python.

Comes in: one object: `{"do": "raise", "template": ..., ...}` or `{"do": "module", ...}`. Goes out:
one object with the result, or with diagnostics. Whatever comes in, something goes out. docs/
inline-asm.md describes the fields.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from ptxlift.diag import Diagnostic, PtxError
from ptxlift.inline_asm.fragment import Fragment
from ptxlift.inline_asm.model import Operand
from ptxlift.inline_asm.module import lift_inline_asm
from ptxlift.inline_asm.raising import raise_inline_asm

Json = dict[str, Any]  # Any: whatever JSON holds

_RAISE = {  # field: the types it may have; those of `raise_inline_asm` have its names
    "template": (str,), "constraints": (str, list), "operands": (list,), "target": (str,),
    "dialect": (str,), "volatile": (bool,), "sm": (str, int, type(None)),
    "location": (str, type(None)), "name": (str, type(None)), "wave_size": (int, type(None)),
    "llvm_version": (int,),
}  # fmt: skip
_MODULE = {
    "module": (str,), "target": (str,), "sm": (str, int, type(None)),
    "wave_size": (int, type(None)), "llvm_version": (int,), "name": (str,),
}  # fmt: skip
_NEEDED = {
    "raise": ("template", "constraints", "operands", "target"),
    "module": ("module", "target"),
}
_FRAME = ("do", "id")


def answer_line(line: str) -> str:
    """The answer to one line, as one line."""
    try:
        request = json.loads(line)
    except (ValueError, RecursionError) as error:
        return json.dumps(_refused(None, _bad(f"the line is not JSON: {error}")))
    return json.dumps(answer(request))


def fault_line(fault: str) -> str:
    """The answer where ptxlift itself is at fault."""
    return json.dumps({"id": None, "ok": False, "fault": fault, "diagnostics": []})


def answer(request: object) -> Json:
    """The answer to one request; `id` comes back as it came."""
    if not isinstance(request, dict):
        return _refused(None, _bad("a request is a JSON object"))
    try:
        return {"id": request.get("id"), "ok": True, **_do(request)}
    except PtxError as error:
        return _refused(request.get("id"), error)


def _do(request: Mapping[str, Any]) -> Json:
    what = request.get("do", "raise")
    action = _ACTIONS.get(what) if isinstance(what, str) else None
    if action is None:
        raise _bad(f"do is {what!r}", "one of " + ", ".join(_ACTIONS))
    fields, run = action
    given = {key: value for key, value in request.items() if key not in _FRAME}
    for name in _NEEDED[what]:
        if name not in given:
            raise _bad(f"the field {name!r} is missing")
    for name, value in given.items():
        if name not in fields:
            raise _bad(f"there is no field {name!r}", "known: " + ", ".join(fields))
        if not isinstance(value, fields[name]) or (
            isinstance(value, bool) and bool not in fields[name]
        ):
            raise _bad(f"the field {name!r} is {value!r:.60}")
    return run(given)


def _raise(given: Json) -> Json:
    constraints = given["constraints"]
    if isinstance(constraints, list) and not all(isinstance(item, str) for item in constraints):
        raise _bad("the field 'constraints' is a string or a list of strings")
    operands = [_operand(item) for item in given["operands"]]
    return _described(raise_inline_asm(**{**given, "operands": operands}))


def _operand(item: object) -> Operand:
    if isinstance(item, str):
        return Operand(item)
    if isinstance(item, dict) and item.keys() <= {"type", "value", "name"}:
        type, name = item.get("type"), item.get("name")
        if isinstance(type, str) and isinstance(name, str | None):
            return Operand(type, item.get("value"), name)
    raise _bad(f"the operand {item!r:.60} is no type and no object with type, value and name")


def _module(given: Json) -> Json:
    return {"module": lift_inline_asm(**given)}


_ACTIONS: dict[str, tuple[Mapping[str, tuple[type, ...]], Callable[[Json], Json]]] = {
    "raise": (_RAISE, _raise),
    "module": (_MODULE, _module),
}


def _described(fragment: Fragment) -> Json:
    effects = fragment.effects
    return {
        "name": fragment.name,
        "declaration": fragment.declaration,
        "llvm_ir": fragment.llvm_ir,
        "parameters": list(fragment.parameters),
        "results": list(fragment.results),
        "memory": effects.memory.value,
        "convergent": effects.convergent,
        "side_effects": effects.side_effects,
        "needs": list(fragment.needs),
        "diagnostics": [_diagnostic(found) for found in fragment.diagnostics],
    }


def _refused(id: object, error: PtxError) -> Json:
    found = [_diagnostic(diagnostic) for diagnostic in error.diagnostics]
    return {"id": id, "ok": False, "diagnostics": found}


def _diagnostic(found: Diagnostic) -> Json:
    place: Json = {}
    if found.span is not None:
        place = {
            "source": found.span.source.name,
            "line": found.span.line,
            "column": found.span.column,
            "length": found.span.end - found.span.start,
        }
    return {
        "severity": found.severity.value,
        "code": found.code,
        "message": found.message,
        "hint": found.hint,
        **place,
        "text": found.render(),
    }


def _bad(message: str, hint: str = "") -> PtxError:
    return PtxError.of("PTX307", message, hint=hint)
