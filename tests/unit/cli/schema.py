"""The part of JSON Schema that our schemas use: what does not fit, as words."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

_TYPES = {
    "object": dict, "array": list, "string": str, "integer": int, "boolean": bool,
    "number": (int, float), "null": type(None),
}  # fmt: skip
_KNOWN = {
    "$schema", "$id", "$defs", "$ref", "title", "description", "type", "properties", "required",
    "additionalProperties", "items", "enum", "const", "pattern", "minimum",
}  # fmt: skip


def problems(value: Any, schema: dict[str, Any], root: dict[str, Any]) -> list[str]:
    """All places where a value breaks a schema; a keyword unknown here fails."""
    return list(_problems(value, schema, root, "$"))


def _problems(value: Any, schema: Any, root: dict[str, Any], at: str) -> Iterator[str]:
    assert schema.keys() <= _KNOWN, schema.keys() - _KNOWN
    if "$ref" in schema:
        schema = root["$defs"][schema["$ref"].removeprefix("#/$defs/")]
    types = schema.get("type", [])
    names = [types] if isinstance(types, str) else types
    if names and not any(_is(value, name) for name in names):
        yield f"{at}: {value!r:.40} is no {types}"
        return
    if "enum" in schema and value not in schema["enum"]:
        yield f"{at}: {value!r} is none of {schema['enum']}"
    if "const" in schema and value != schema["const"]:
        yield f"{at}: {value!r} is not {schema['const']!r}"
    if "pattern" in schema and not re.search(schema["pattern"], value):
        yield f"{at}: {value!r} does not match {schema['pattern']}"
    if "minimum" in schema and not isinstance(value, str) and value < schema["minimum"]:
        yield f"{at}: {value} is less than {schema['minimum']}"
    if isinstance(value, dict):
        yield from _of_object(value, schema, root, at)
    if isinstance(value, list) and "items" in schema:
        for number, item in enumerate(value):
            yield from _problems(item, schema["items"], root, f"{at}[{number}]")


def _is(value: Any, name: str) -> bool:
    if isinstance(value, bool):
        return name == "boolean"
    return isinstance(value, _TYPES[name])  # type: ignore[arg-type]


def _of_object(
    value: dict[str, Any], schema: dict[str, Any], root: dict[str, Any], at: str
) -> Iterator[str]:
    named = schema.get("properties", {})
    for name in schema.get("required", []):
        if name not in value:
            yield f"{at}: {name} is missing"
    for name, item in value.items():
        inside = named.get(name, schema.get("additionalProperties", True))
        if inside is False:
            yield f"{at}: {name} is unknown"
        elif isinstance(inside, dict):
            yield from _problems(item, inside, root, f"{at}.{name}")
