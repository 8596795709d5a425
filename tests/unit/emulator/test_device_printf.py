"""Device printf's formatting against the C library, and frames as kernels write them."""

from __future__ import annotations

import ctypes
import struct

import numpy as np
import pytest

from ptxlift.emulator.printf import format_c, new_buffer, read_buffer

INTEGERS = (0, 1, -1, 42, -12345, 2**31 - 1, -(2**31), 2**63 - 1)
FLOATS = (0.0, -0.0, 1.5, -2.25, 1e10, 1e-7, 123456.789, float("inf"))


def from_libc(text: str, value: object) -> str:
    libc = ctypes.CDLL(None)
    out = ctypes.create_string_buffer(500)
    libc.snprintf(out, 500, text.encode(), value)
    return out.value.decode()


@pytest.mark.parametrize("length", ("", "l", "ll", "h", "hh"))
@pytest.mark.parametrize("kind", "dioxXu")
def test_integers_as_the_c_library(length: str, kind: str) -> None:
    for flags in ("", "5", "-8", "08", "+", " ", ".3", "12.5"):
        text = f"[%{flags}{length}{kind}]"
        for value in INTEGERS:
            argument = ctypes.c_longlong(value)
            got = format_c(text, struct.pack("<q", value))
            assert got == from_libc(text, argument), text


@pytest.mark.parametrize("kind", "fFeEgG")
def test_floats_as_the_c_library(kind: str) -> None:
    for flags in ("", "10", "-12", ".2", "+.1", "09.3"):
        for value in FLOATS:
            text = f"<%{flags}{kind}>"
            got = format_c(text, struct.pack("<d", value))
            assert got == from_libc(text, ctypes.c_double(value)), text


def test_strings_characters_and_pointers() -> None:
    data = b"warp\0\0\0\0" + struct.pack("<qQ", 65, 0x1234)
    assert format_c("%s|%c|%p|100%%", data) == "warp|A|0x1234|100%"
    assert format_c("%-6s|%.2s", b"abc\0\0\0\0\0" * 2) == "abc   |ab"
    assert format_c("%*d|%.*f", struct.pack("<qqqd", 6, 42, 1, 2.55)) == f"    42|{2.55:.1f}"


def test_frames() -> None:
    """A constant format by its hash, then a format written into the frame itself."""
    first = struct.pack("<IQq", 20 << 2 | 2, 0xABCDEF, 7)
    text = b"hello %d\n\0\0\0\0\0\0\0"
    second = struct.pack("<I", (4 + len(text) + 8) << 2) + text + struct.pack("<q", 9)
    buffer = new_buffer()
    data = first + second
    buffer[:4] = np.frombuffer(struct.pack("<I", len(data)), np.uint8)
    buffer[8 : 8 + len(data)] = np.frombuffer(data, np.uint8)
    assert read_buffer(buffer, ["0:0:abcdef,n=%d, "]) == "n=7, hello 9\n"
