"""C's printf formats, for device printf.

Comes in: a template and a way to fetch arguments. Goes out: text. It must know nothing of memory.
"""

from __future__ import annotations

import re
from collections.abc import Callable

# offset in the argument buffer, struct code -> value
Fetch = Callable[[int, str], "int | float | bytes"]
_SPEC = re.compile(
    rb"%(?P<flags>[-+ #0]*)(?P<width>\*|\d+)?(?:\.(?P<precision>\*|\d+))?"
    rb"(?P<length>hh|h|ll|l|j|z|t|L)?(?P<conversion>[diouxXcsfFeEgGaAp%])"
)
_LONG = (b"l", b"ll", b"j", b"z", b"t")


def format_text(template: bytes, fetch: Fetch, string: Callable[[int], bytes]) -> str:
    """The text that printf writes."""
    offset = 0

    def take(code: str, size: int) -> int | float | bytes:
        nonlocal offset
        offset = (offset + size - 1) // size * size
        value = fetch(offset, code)
        offset += size
        return value

    def replace(match: re.Match[bytes]) -> bytes:
        return _convert(match, take, string)

    return _SPEC.sub(replace, template).decode("utf-8", errors="replace")


def _number(text: bytes | None, take: Callable[[str, int], int | float | bytes]) -> str:
    if text is None:
        return ""
    return str(take("i", 4)) if text == b"*" else text.decode()


def _convert(
    match: re.Match[bytes],
    take: Callable[[str, int], int | float | bytes],
    string: Callable[[int], bytes],
) -> bytes:
    conversion = match["conversion"].decode()
    if conversion == "%":
        return b"%"
    precision = match["precision"]
    head = "%" + match["flags"].decode() + _number(match["width"], take)
    if precision is not None:
        head += "." + _number(precision, take)
    wide = match["length"] in _LONG
    match conversion:
        case "d" | "i":
            return (head + "d").encode() % take("q" if wide else "i", 8 if wide else 4)
        case "u" | "o" | "x" | "X":
            code = conversion.replace("u", "d")
            return (head + code).encode() % take("Q" if wide else "I", 8 if wide else 4)
        case "c":
            return (head + "c").encode() % (int(take("i", 4)) & 0xFF)
        case "s":
            return (head + "s").encode() % string(int(take("Q", 8)))
        case "p":
            return (head + "s").encode() % f"0x{int(take('Q', 8)):x}".encode()
        case "a" | "A":
            return float(take("d", 8)).hex().encode()
        case _:
            return (head + conversion).encode() % take("d", 8)
