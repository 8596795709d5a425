"""PTX extraction against what nvcc puts into its outputs."""

from __future__ import annotations

import shutil
import struct
import subprocess
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ptxlift.diag import PtxError
from ptxlift.link.compression import unlz4, unzlib
from ptxlift.link.extract import extract

NVCC = shutil.which("nvcc")
needs_nvcc = pytest.mark.skipif(NVCC is None, reason="nvcc is not installed")
FUZZ = settings(max_examples=300, deadline=None, derandomize=True)
CUDA = """
__device__ int table[4] = {1, 2, 3, 4};
__global__ void saxpy(float *x, float a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] = a * x[i] + table[i & 3];
}
int main() { saxpy<<<1, 1>>>(0, 1, 1); return 0; }
"""
PTX = ".version 7.0\n.target sm_80\n.address_size 64\n.visible .entry k() { ret; }\n"


def nvcc(folder: Path, output: str, *options: str) -> Path:
    source = folder / "source.cu"
    source.write_text(CUDA)
    path = folder / output
    subprocess.run([NVCC or "", *options, str(source), "-o", str(path)], check=True)
    return path


def statements(text: str) -> list[str]:
    """The text without comments and extra blanks, which fatbinary removes."""
    lines = [" ".join(line.split("//")[0].split()) for line in text.splitlines()]
    return [line for line in lines if line]


ONLY_PTX = "-arch=compute_80"
BOTH = ("-gencode", "arch=compute_80,code=sm_80", "-gencode", "arch=compute_90,code=compute_90")


@needs_nvcc
@pytest.mark.parametrize(
    ("options", "compression"),
    [
        (("--compress-mode=none",), "none"),
        (("--compress-mode=speed",), "lz4"),
        (("--compress-mode=size",), "zstd"),
        (("--compress-mode=balance",), "zstd"),
        (("-Xfatbin", "-compress-all"), "zstd"),
        ((), "zstd"),
    ],
)
def test_fat_binary(tmp_path: Path, options: tuple[str, ...], compression: str) -> None:
    if compression == "zstd":
        pytest.importorskip("zstandard")
    plain = nvcc(tmp_path, "source.ptx", ONLY_PTX, "-ptx").read_text()
    fat = nvcc(tmp_path, "source.fatbin", ONLY_PTX, "-fatbin", *options)
    (image,) = extract(fat)
    assert statements(image.text) == statements(plain)
    assert (image.target, image.version) == ("sm_80", (9, 0))
    assert image.compression == compression
    assert extract(fat.read_bytes()) == [image]


@needs_nvcc
@pytest.mark.parametrize(
    ("output", "options"),
    [
        ("program", ()),
        ("object.o", ("-c",)),
        ("relocatable.o", ("-c", "-rdc=true")),
        ("linked", ("-rdc=true",)),
        ("library.so", ("-shared", "-Xcompiler", "-fPIC")),
        ("library.a", ("-lib",)),
    ],
)
def test_host_files(tmp_path: Path, output: str, options: tuple[str, ...]) -> None:
    lz4 = "--compress-mode=speed"
    relocatable = "-rdc=true" in options
    extra = ("-rdc=true",) if relocatable else ()
    plain = nvcc(tmp_path, "source.ptx", "-arch=compute_90", "-ptx", *extra).read_text()
    images = extract(nvcc(tmp_path, output, *BOTH, lz4, *options))
    found = [statements(image.text) for image in images if ".entry" in image.text]
    assert found == [statements(plain)]
    assert {image.target for image in images} == {"sm_90"}


@needs_nvcc
@pytest.mark.parametrize("option", ["-cubin", "-fatbin"])
def test_machine_code_only_says_so(tmp_path: Path, option: str) -> None:
    path = nvcc(tmp_path, "code", option, "-gencode", "arch=compute_80,code=sm_80")
    with pytest.raises(PtxError, match="machine code") as caught:
        extract(path)
    assert caught.value.diagnostics[0].code == "PTX003"


def container(*entries: bytes) -> bytes:
    body = b"".join(entries)
    return struct.pack("<IHHQ", 0xBA55ED50, 1, 16, len(body)) + body


def entry(payload: bytes, flags: int = 0x11, size: int = 0, kind: int = 1) -> bytes:
    padded = payload + bytes(-len(payload) % 8)
    packed = len(payload) if flags & 0xA000 else 0
    head = struct.pack(
        "<HHIQIIHHIIIQQQ", kind, 0x101, 64, len(padded), packed, 64, 0, 7, 80, 0, 0, flags, 0, size
    )
    return head + padded


def test_text_in_several_dresses() -> None:
    for data in (PTX.encode(), b"\xef\xbb\xbf" + PTX.encode(), PTX.encode() + b"\0\0"):
        assert [image.text for image in extract(data)] == [PTX]
    assert extract(b"// a comment\n" + PTX.encode())[0].target == "sm_80"


def test_strings_and_containers_in_one_file() -> None:
    other = PTX.replace("entry k", "entry other")
    data = b"MZ\0\0" + PTX.encode() + b"\0junk\0" + container(entry(other.encode())) + b"\0\0end"
    assert [image.text for image in extract(data)] == [PTX, other]
    twice = container(entry(PTX.encode())) * 2
    assert [image.text for image in extract(twice)] == [PTX]


def test_machine_code_beside_ptx() -> None:
    data = container(entry(b"\x7fELF" * 10, kind=2), entry(PTX.encode()))
    assert [image.text for image in extract(data)] == [PTX]
    with pytest.raises(PtxError, match="machine code for sm_80 and no PTX"):
        extract(container(entry(b"\x7fELF" * 10, kind=2)))


def test_nothing_found(tmp_path: Path) -> None:
    for data in (b"", b"hello", bytes(1000), b"\x50\xed\x55\xba" * 50):
        with pytest.raises(PtxError) as caught:
            extract(data)
        assert caught.value.diagnostics[0].code == "PTX003"
    with pytest.raises(PtxError, match="cannot be read"):
        extract(tmp_path / "missing")


def test_bombs_stop() -> None:
    zeros = b"\x1f\x00\x01\x00" + b"\xff" * 400_000 + b"\x00"
    with pytest.raises(PtxError, match="expands to more than"):
        extract(container(entry(zeros, 0x2011, 1000)))
    with pytest.raises(PtxError, match="claims"):
        extract(container(entry(zeros, 0x2011, 1 << 40)))


@FUZZ
@given(st.binary(max_size=300), st.integers(0, 200), st.integers(0, 255))
def test_damaged(tail: bytes, at: int, value: int) -> None:
    data = bytearray(container(entry(PTX.encode()), entry(tail, 0x2011, 500)))
    data[at % len(data)] = value
    try:
        extract(bytes(data))
    except PtxError as error:
        assert error.diagnostics[0].code in {"PTX003", "PTX305"}


@pytest.mark.parametrize(
    ("packed", "plain"),
    [
        ("00", ""),
        ("30616263", "abc"),  # three literals
        ("1f610100" + "04" + "00", "a" * 24),  # one literal, 15+4+4 bytes from one back
        ("32616263030010" + "7a", "abcabcabcz"),  # six bytes from three back, then a literal
        ("f000" + "61" * 15, "a" * 15),  # fifteen literals take an extra length byte
    ],
)
def test_lz4_blocks_by_hand(packed: str, plain: str) -> None:
    assert unlz4(bytes.fromhex(packed), 100) == plain.encode()


@FUZZ
@given(st.binary(max_size=100))
def test_lz4_never_crashes(data: bytes) -> None:
    try:
        assert len(unlz4(data, 1000)) <= 1000
    except PtxError as error:
        assert error.diagnostics[0].code == "PTX305"


def test_zlib_is_checked() -> None:
    with pytest.raises(PtxError):
        unzlib(b"not zlib", 10)


def test_many_comments_before_the_target_take_no_time() -> None:
    hostile = b".version 7.0\n" + b"// " * 200_000 + b"\n.taget sm_80"
    with pytest.raises(PtxError, match="no PTX"):
        extract(hostile)
