"""Every relocation type, from assembly: against ld.lld, or by hand where ld.lld has none."""

from __future__ import annotations

import shutil
import struct
import subprocess
from pathlib import Path

import pytest
from link_objects import LLD, linked_by_lld

from ptxlift.diag import PtxError
from ptxlift.link import link
from ptxlift.link.elf import Sht, read_elf

MC = shutil.which("llvm-mc-19")
pytestmark = pytest.mark.skipif(MC is None, reason="llvm-mc-19 is not installed")
CODE = """
  .text
  .globl f
  .protected f
  .p2align 8
  .type f,@function
f:
  s_branch far
  s_add_u32 s0, s0, val@rel32@lo+4
  s_addc_u32 s1, s1, val@rel32@hi+12
  s_add_u32 s0, s0, val@gotpcrel32@lo+4
  s_addc_u32 s1, s1, val@gotpcrel32@hi+12
  s_endpgm
  .long val - .
  .quad val - .
  .long val@GOTPCREL
.size f, .-f
  .section .text.cold,"ax",@progbits
  .globl far
  .hidden far
far:
  s_nop 0
  s_branch f
  .data
  .globl val
  .protected val
val:
  .quad f
  .quad val + 24
"""


def assembled(folder: Path, text: str) -> bytes:
    source, output = folder / "source.s", folder / "source.o"
    source.write_text(text)
    command = [MC or "", "-triple=amdgcn-amd-amdhsa", "-mcpu=gfx942", "-filetype=obj"]
    subprocess.run([*command, str(source), "-o", str(output)], check=True)
    data = output.read_bytes()
    return data[:8] + b"\x03" + data[9:]  # code object v5


@pytest.mark.skipif(LLD is None, reason="ld.lld-19 is not installed")
def test_relative_and_got_forms_are_lld_s(tmp_path: Path) -> None:
    source = assembled(tmp_path, CODE)
    types = {r.type for s in read_elf(source).sections if s.type == Sht.RELA
             for r in read_elf(source).relocations(s)}  # fmt: skip
    assert types == {3, 4, 5, 7, 8, 9, 10, 11, 14}
    mine, reference = read_elf(link([source], target_id="gfx942")), read_elf(linked_by_lld(source))
    for name in (".text", ".data", ".got", ".rela.dyn", ".dynsym", ".dynamic"):
        assert mine.section(name).data == reference.section(name).data
        assert mine.section(name).addr == reference.section(name).addr


def test_halves_of_a_known_value(tmp_path: Path) -> None:
    text = ".text\ns_mov_b32 s2, num@abs32@lo\ns_mov_b32 s3, num@abs32@hi\n.globl num\n"
    image = read_elf(
        link([assembled(tmp_path, text + ".set num, 0x1234567890\n")], target_id="gfx942")
    )
    assert struct.unpack("<4I", image.section(".text").data)[1::2] == (0x34567890, 0x12)
    assert image.section(".rela.dyn") is None


def test_halves_of_an_address_are_left_to_the_loader(tmp_path: Path) -> None:
    text = ".text\ns_mov_b32 s2, val@abs32@lo\ns_mov_b32 s3, val@abs32@hi+4\n.data\nval: .quad 7\n"
    image = read_elf(link([assembled(tmp_path, ".globl val\n" + text)], target_id="gfx942"))
    start = image.section(".text").addr
    rows = image.relocations(image.section(".rela.dyn"))
    assert [(r.offset - start, r.type, r.addend) for r in rows] == [(4, 1, 0), (12, 2, 4)]
    names = [symbol.name for symbol in image.symbols(Sht.DYNSYM)]
    assert {names[r.symbol] for r in rows} == {"val"}
    with pytest.raises(PtxError, match="32-bit half of the address"):
        link([assembled(tmp_path, ".globl val\n.hidden val\n" + text)], target_id="gfx942")


def test_branch_out_of_range(tmp_path: Path) -> None:
    text = '.text\n.globl f\nf: s_branch far\n.section .text.far,"ax"\n.fill {}, 4, 0\n'
    text += ".globl far\n.hidden far\nfar: s_endpgm\n"
    near = read_elf(link([assembled(tmp_path, text.format(30000))], target_id="gfx942"))
    assert near.section(".text").data[:2] == struct.pack("<H", 30000)
    with pytest.raises(PtxError, match="out of range"):
        link([assembled(tmp_path, text.format(40000))], target_id="gfx942")


def test_unknown_type(tmp_path: Path) -> None:
    data = bytearray(assembled(tmp_path, ".text\n.long val - .\n"))
    elf = read_elf(bytes(data))
    table = elf.section(".rela.text")
    data[table.offset + 8] = 77
    with pytest.raises(PtxError) as caught:
        link(
            [bytes(data), assembled(tmp_path, ".data\n.globl val\nval: .long 1\n")],
            target_id="gfx942",
        )
    assert caught.value.diagnostics[0].code == "PTX305"
    assert "relocation type 77" in str(caught.value)
