"""Damaged code objects and listings give diagnostics, never tracebacks or hangs."""

from __future__ import annotations

import random
from functools import cache

import numpy as np
import pytest
from emulator_builds import compile_ir, needs_lld
from test_kernels import SAXPY

from ptxlift import emulator
from ptxlift.diag import PtxError
from ptxlift.emulator.msgpack import decode

pytestmark = needs_lld


@cache
def good() -> tuple[bytes, bytes]:
    return compile_ir(SAXPY, "gfx942")


def attempt(code: bytes, listing: bytes) -> None:
    """Load and, where that works, launch; only PtxError may come out."""
    try:
        image = emulator.load_code_object(code, listing, "gfx942")
        memory = emulator.Memory()
        x = np.zeros(64, np.float32)
        args = b"".join(memory.alloc(a).to_bytes(8, "little") for a in (x, x.copy()))
        emulator.launch(
            image, memory, "saxpy", (1, 1, 1), (64, 1, 1), args + bytes(8), max_steps=2000
        )
    except PtxError:
        pass


def test_truncated_objects() -> None:
    code, listing = good()
    for size in (*range(0, 200, 7), *range(200, len(code), 173)):
        with pytest.raises(PtxError):
            emulator.load_code_object(code[:size], listing, "gfx942")


@pytest.mark.parametrize("seed", range(120))
def test_flipped_bytes(seed: int) -> None:
    code, listing = good()
    rng = random.Random(seed)
    damaged = bytearray(code)
    for _ in range(rng.randrange(1, 6)):
        damaged[rng.randrange(len(damaged))] = rng.randrange(256)
    attempt(bytes(damaged), listing)


@pytest.mark.parametrize("seed", range(100))
def test_damaged_listings(seed: int) -> None:
    code, listing = good()
    rng = random.Random(seed)
    lines = listing.split(b"\n")
    at = rng.randrange(len(lines))
    match seed % 4:
        case 0:
            del lines[at]
        case 1:
            lines.insert(at, lines[at])
        case 2:
            lines[at] = lines[at][: rng.randrange(len(lines[at]) + 1)]
        case _:
            text = bytearray(lines[at] or b"x")
            text[rng.randrange(len(text))] = rng.randrange(32, 127)
            lines[at] = bytes(text)
    attempt(code, b"\n".join(lines))


def test_wrong_listing_is_noticed() -> None:
    code, _ = good()
    with pytest.raises(PtxError, match="PTX305"):
        emulator.load_code_object(code, compile_ir(SAXPY, "gfx1100")[1], "gfx942")


@pytest.mark.parametrize("seed", range(100))
def test_random_metadata(seed: int) -> None:
    rng = random.Random(seed)
    data = bytes(rng.choice((0x81, 0x92, 0xA3, 0xDB, 0xDD, 0xDF, 7, 0xC1, 97)) for _ in range(40))
    try:
        decode(data)
    except PtxError as error:
        assert "PTX305" in str(error)
