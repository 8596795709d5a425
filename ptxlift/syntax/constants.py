"""Literals and constant expressions over atoms come in; their values go out.

Integers are 64-bit patterns with a signedness, as PTX has them; floats are Python floats; hex
floats are `HexFloat` bit patterns. This module must not know where an expression stands.
"""

from __future__ import annotations

import functools


@functools.lru_cache(maxsize=1 << 16)
def integer(text: str) -> int:
    """The value of an integer literal, wrapped to 64 bits."""
    digits = text.removesuffix("U")
    if text == "WARP_SZ":
        return 32
    if digits[:2] in ("0x", "0X"):
        return int(digits, 16) & _MASK
    if digits[:2] in ("0b", "0B"):
        return int(digits, 2) & _MASK
    if digits[0] == "0":
        return int(digits, 8) & _MASK
    if len(digits) > _DIGITS:
        return _wrapped_decimal(digits)
    return int(digits) & _MASK


_MASK = (1 << 64) - 1
_DIGITS = 4000  # Python refuses to convert more at once


def _wrapped_decimal(digits: str) -> int:
    """A decimal of any length modulo 2**64, in linear time."""
    value = 0
    for at in range(0, len(digits), 18):
        chunk = digits[at : at + 18]
        value = (value * 10 ** len(chunk) + int(chunk)) & _MASK
    return value
