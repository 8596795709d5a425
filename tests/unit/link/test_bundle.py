"""Offload bundles against clang-offload-bundler."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ptxlift.diag import PtxError
from ptxlift.link.bundle import (
    HOST,
    Entry,
    Method,
    bundle,
    compress,
    decompress,
    read_bundle,
    write_bundle,
)

TOOL = shutil.which("clang-offload-bundler-19")
needs_tool = pytest.mark.skipif(TOOL is None, reason="clang-offload-bundler-19 is not installed")
CODE = {"gfx942:sramecc+:xnack-": b"first" * 1000, "gfx1100": b"second" * 3}
IDS = [HOST.removesuffix("-"), *(f"hipv4-amdgcn-amd-amdhsa--{name}" for name in CODE)]
FUZZ = settings(max_examples=300, deadline=None, derandomize=True)


def by_clang(folder: Path, *options: str) -> bytes:
    """What the bundler writes."""
    (folder / "host").write_bytes(b"")
    names = [str(folder / "host")]
    for number, data in enumerate(CODE.values()):
        (folder / f"code{number}").write_bytes(data)
        names.append(str(folder / f"code{number}"))
    inputs = [f"-input={name}" for name in names]
    output = folder / "bundle"
    command = [TOOL or "", "-type=o", f"-targets={','.join(IDS)}", *inputs, f"-output={output}"]
    subprocess.run([*command, "-bundle-align=4096", *options], check=True)
    return output.read_bytes()


@needs_tool
def test_same_bytes_as_clang(tmp_path: Path) -> None:
    assert bundle(CODE) == by_clang(tmp_path)


@needs_tool
def test_reads_what_clang_compresses(tmp_path: Path) -> None:
    pytest.importorskip("zstandard")
    data = by_clang(tmp_path, "-compress")
    assert data[:4] == b"CCOB"
    assert [entry.data for entry in read_bundle(data)] == [b"", *CODE.values()]
    assert decompress(data) == bundle(CODE)


@needs_tool
@pytest.mark.parametrize("method", list(Method))
def test_clang_reads_what_is_compressed_here(tmp_path: Path, method: Method) -> None:
    if method is Method.ZSTD:
        pytest.importorskip("zstandard")
    path = tmp_path / "packed"
    path.write_bytes(compress(bundle(CODE), method))
    outputs = [tmp_path / f"out{number}" for number in range(3)]
    command = [TOOL or "", "-type=o", "-unbundle", f"-targets={','.join(IDS)}", f"-input={path}"]
    subprocess.run([*command, *(f"-output={output}" for output in outputs)], check=True)
    assert [output.read_bytes() for output in outputs[1:]] == list(CODE.values())


@pytest.mark.parametrize("version", [2, 3])
def test_header_fields(version: int) -> None:
    plain = bundle(CODE)
    packed = compress(plain, version=version)
    width = 4 if version == 2 else 8
    assert packed[:4] == b"CCOB"
    assert int.from_bytes(packed[4:6], "little") == version
    assert int.from_bytes(packed[6:8], "little") == 0
    assert int.from_bytes(packed[8 : 8 + width], "little") == len(packed)
    assert int.from_bytes(packed[8 + width : 8 + 2 * width], "little") == len(plain)
    assert read_bundle(packed) == read_bundle(plain)


def test_target_ids() -> None:
    entries = read_bundle(bundle(CODE))
    assert [entry.target_id for entry in entries] == ["", *CODE]
    assert all(entry.data == CODE[entry.target_id] for entry in entries[1:])
    assert Entry("hip-amdgcn-amd-amdhsa-gfx906", b"").target_id == "gfx906"


def test_alignment() -> None:
    data = write_bundle([Entry(HOST, b""), Entry("x", b"ab"), Entry("y", b"c")], align=64)
    assert data.index(b"ab") % 64 == 0
    assert data.index(b"c", data.index(b"ab")) % 64 == 0
    assert bundle({"gfx942": b"\x7fELF"}).index(b"\x7fELF") % 4096 == 0


@FUZZ
@given(st.floats(0, 1, exclude_max=True), st.integers(0, 255), st.booleans(), st.booleans())
def test_damaged(where: float, value: int, packed: bool, cut: bool) -> None:
    whole = compress(bundle(CODE)) if packed else bundle({"gfx942": b"x"})[:4200]
    at = int(where * min(len(whole), 400))
    data = whole[:at] if cut else whole[:at] + bytes((value,)) + whole[at + 1 :]
    try:
        read_bundle(data)
    except PtxError as error:
        assert error.diagnostics[0].code == "PTX305"


def test_bombs_stop() -> None:
    packed = compress(bytes(10_000_000))
    with pytest.raises(PtxError, match="sizes in its header"):
        decompress(packed, limit=1_000_000)
    lying = packed[:12] + (100).to_bytes(4, "little") + packed[16:]
    with pytest.raises(PtxError, match="expands to more than 100 bytes"):
        decompress(lying)
