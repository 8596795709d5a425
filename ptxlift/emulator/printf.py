"""Device printf: the buffer a kernel fills, and the text the host makes of it.

Comes in: the buffer after a launch and the formats from the code object's metadata. Goes out: text.
It must not know kernels or instructions. The protocol is ROCm's buffered one: a header of write
offset and capacity, then frames of a control word, a format and arguments of 8 bytes each.
"""

from __future__ import annotations

import math
import re
import struct
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

CAPACITY = 1 << 20
_HEADER = 8


def new_buffer() -> NDArray[np.uint8]:
    """An empty printf buffer."""
    buffer = np.zeros(_HEADER + CAPACITY, np.uint8)
    buffer[4:8] = np.frombuffer(struct.pack("<I", CAPACITY), np.uint8)
    return buffer


def read_buffer(buffer: NDArray[np.uint8], formats: Sequence[str]) -> str:
    """The text of all frames, in the order they were written."""
    data = buffer.tobytes()
    (used,) = struct.unpack_from("<I", data)
    known = dict(_known_formats(formats))
    return "".join(_frames(data[_HEADER : _HEADER + used], known))


def _known_formats(entries: Sequence[str]) -> Iterator[tuple[int, str]]:
    """Metadata entries are `0:0:<hash>,<format>`."""
    for entry in entries:
        head, _, text = entry.partition(",")
        digits = head.rpartition(":")[2]
        if re.fullmatch(r"[0-9a-fA-F]{1,16}", digits):
            yield int(digits, 16), text


def _frames(data: bytes, known: dict[int, str]) -> Iterator[str]:
    at = 0
    while at + 4 <= len(data):
        (control,) = struct.unpack_from("<I", data, at)
        size = control >> 2
        if size < 4 or at + size > len(data):
            return
        frame = data[at + 4 : at + size]
        if control & 2:
            text = known.get(int.from_bytes(frame[:8], "little"), "")
            yield format_c(text, frame[8:])
        else:
            text, rest = _string(frame)
            yield format_c(text, rest)
        at += size


def _string(data: bytes) -> tuple[str, bytes]:
    """A NUL-terminated string padded to 8 bytes, and what follows."""
    end = data.find(b"\0")
    end = len(data) if end < 0 else end
    return data[:end].decode("utf-8", "replace"), data[(end + 8) & ~7 :]


_CONVERSION = re.compile(
    r"%(?P<flags>[-+ #0]*)(?P<width>\d+|\*)?(?:\.(?P<precision>\d+|\*)?(?P<dot>))?"
    r"(?P<length>hh|h|ll|l|j|z|t|L)?(?P<type>[diouxXcspfFeEgGaA%])"
)
_BITS = {"hh": 8, "h": 16, "l": 64, "ll": 64, "j": 64, "z": 64, "t": 64}


def format_c(text: str, data: bytes) -> str:
    """C's printf on arguments of 8 bytes each; strings lie in the data themselves."""

    def convert(match: re.Match[str]) -> str:
        nonlocal data
        if match["type"] == "%":
            return "%"
        numbers = []
        for name in ("width", "precision"):
            value = match[name]
            if value == "*":
                value, data = str(_signed(data[:8], 32)), data[8:]
            numbers.append(value)
        if match["type"] == "s":
            value, data = _string(data)
            return _pad(value[: int(numbers[1])] if numbers[1] else value, match, numbers[0])
        word, data = data[:8].ljust(8, b"\0"), data[8:]
        return _convert_word(match, word, numbers[0], numbers[1])

    return _CONVERSION.sub(convert, text)


def _signed(word: bytes, bits: int) -> int:
    value = int.from_bytes(word, "little") & (1 << bits) - 1
    return value - (1 << bits) if value >> bits - 1 else value


def _convert_word(
    match: re.Match[str], word: bytes, width: str | None, precision: str | None
) -> str:
    kind, flags = match["type"], match["flags"]
    bits = _BITS.get(match["length"] or "", 32)
    unsigned = int.from_bytes(word, "little") & (1 << bits) - 1
    point = "" if match["dot"] is None else f".{precision or 0}"
    if kind in "fFeEgG":
        number: float = struct.unpack("<d", word)[0]
        if not math.isfinite(number):
            flags = flags.replace("0", "")
        return f"%{flags}{width or ''}{point}{kind}" % number
    if kind in "aA":
        value = struct.unpack("<d", word)[0].hex()
        return _pad(value.upper() if kind == "A" else value, match, width)
    if kind == "c":
        return _pad(chr(unsigned & 0xFF), match, width)
    if kind == "p":
        return _pad(f"0x{int.from_bytes(word, 'little'):x}", match, width)
    value = _signed(word, bits) if kind in "di" else unsigned
    if kind not in "di":
        flags = flags.replace("+", "").replace(" ", "")  # signs are for signed numbers
    if point:
        flags = flags.replace("0", "")
    if kind == "o" and "#" in flags:
        return _pad(f"0{unsigned:o}" if unsigned else "0", match, width)
    return f"%{flags}{width or ''}{point}{'d' if kind in 'iu' else kind}" % value


def _pad(text: str, match: re.Match[str], width: str | None) -> str:
    if not width:
        return text
    return text.ljust(int(width)) if "-" in match["flags"] else text.rjust(int(width))
