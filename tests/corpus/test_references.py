"""The references themselves, against second sources: published vectors and other libraries."""

from __future__ import annotations

import re
from fractions import Fraction

import numpy as np
import pytest
from cases import ALL_CASES
from cases.hand_bits import extract_field, extract_signed_field, insert_field, lookup3, permute
from cases.model import Case, fma32
from cases.triton_kernels import philox4x32


def test_philox_matches_published_vectors() -> None:
    """The known answers that the Random123 distribution lists for philox4x32 with ten rounds."""
    zeros = philox4x32((0, 0, 0, 0), (0, 0))
    ones = philox4x32((0xFFFFFFFF,) * 4, (0xFFFFFFFF,) * 2)
    assert zeros == (0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8)
    assert ones == (0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD)


def test_fma32_rounds_once() -> None:
    rng = np.random.default_rng(5)
    a, b = rng.standard_normal((2, 4000)).astype(np.float32)
    c = (-a * b * np.float32(1.0000001)).astype(np.float32)
    c[::3] = rng.standard_normal(len(c[::3])) * 1e8
    for x, y, z, got in zip(a, b, c, fma32(a, b, c), strict=True):
        exact = Fraction(float(x)) * Fraction(float(y)) + Fraction(float(z))
        near = float(got)
        above = float(np.nextafter(got, np.float32(np.inf)))
        below = float(np.nextafter(got, np.float32(-np.inf)))
        error = abs(Fraction(near) - exact)
        assert error <= abs(Fraction(above) - exact)
        assert error <= abs(Fraction(below) - exact)


def field_by_bits(a: int, width: int, position: int, length: int, is_signed: bool) -> int:
    """bfe as the manual's loop: one bit after the other."""
    top = width - 1
    sign = 0 if length == 0 or not is_signed else a >> min(position + length - 1, top) & 1
    result = 0
    for at in range(width):
        inside = at < length and position + at <= top
        result |= (a >> (position + at) & 1 if inside else sign) << at
    return result


@pytest.mark.parametrize("position", [0, 1, 15, 31, 32, 40, 255])
@pytest.mark.parametrize("length", [0, 1, 8, 31, 32, 33, 255])
def test_bit_fields_match_the_loop(position: int, length: int) -> None:
    for a in (0, 0xFFFFFFFF, 0x80000000, 0xDEADBEEF, 0x12345678):
        unsigned = field_by_bits(a, 32, position, length, False)
        signed_field = field_by_bits(a, 32, position, length, True)
        assert extract_field(a, 32, position, length) == unsigned
        assert extract_signed_field(a, position, length) % 2**32 == signed_field
        inserted = insert_field(a, 0x0F0F0F0F, 32, position, length)
        for at in range(32):
            source = at - position
            want = a >> source if 0 <= source < length else 0x0F0F0F0F >> at
            assert inserted >> at & 1 == want & 1


def test_lookup_and_permute_by_hand() -> None:
    """Worked from the manual: 0xe8 is the majority, 0x96 the parity; bytes 3 and sign of 1."""
    assert lookup3(0b1100, 0b1010, 0b0110, 0xE8) == 0b1110
    assert lookup3(0b1100, 0b1010, 0b0110, 0x96) == 0b0000
    assert permute(0x11228044, 0x55667788, [3, 9, 4, 0]) == 0x4488FF11


TRITON_CASES = [case for case in ALL_CASES if case.source.startswith("triton/")]


@pytest.mark.parametrize("case", TRITON_CASES, ids=lambda case: case.name)
def test_triton_launch_matches_its_header(case: Case) -> None:
    """Block size and shared bytes are what Triton's metadata said when the file was made."""
    header = case.ptx_files()[0].read_text().splitlines()[3]
    found = re.match(r"// launch: block (\d+), shared (\d+) bytes", header)
    assert found is not None
    assert (case.block[0], case.shared) == tuple(map(int, found.groups()))
