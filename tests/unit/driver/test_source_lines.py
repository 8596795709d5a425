"""Lines of the source that `.loc` names, in the code object and in faults of the emulator."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

import ptxlift
from ptxlift.emulator.lines import read_lines

# Line 20 of a.cu calls what b.h has inlined at its line 5; line 30 traps if the value is 7.
KERNEL = """.version 8.0
.target sm_80
.address_size 64
.visible .entry check(.param .u64 out) {
  .reg .b64 %rd<3>;
  .reg .b32 %r<4>;
  .reg .pred %p;
  .loc 1 10 3
  ld.param.u64 %rd1, [out];
  ld.global.u32 %r1, [%rd1];
  .loc 1 20 3
  .loc 2 5 9, function_name $L__names+5, inlined_at 1 20 3
  mul.lo.u32 %r2, %r1, %r1;
  xor.b32 %r2, %r2, 77;
  .loc 1 25 1
  st.global.u32 [%rd1], %r2;
  setp.ne.u32 %p, %r1, 7;
  @%p bra DONE;
  .loc 1 30 1
  trap;
DONE:
  .loc 1 40 1
  ret;
}
.file 1 "/src/a.cu"
.file 2 "/src/b.h"
.section .debug_str
{
$L__names:
.b8 120,120,120,120,0
.b8 115,113,117,97,114,101,0
}
"""
SOURCE = ptxlift.Options(debug_lines="source")
DWARFDUMP = shutil.which("llvm-dwarfdump") or shutil.which("llvm-dwarfdump-19")


@pytest.fixture(scope="module", params=["gfx942", "gfx1100"])
def lifted(request: pytest.FixtureRequest) -> ptxlift.Translation:
    return ptxlift.lift(KERNEL, request.param, options=SOURCE, name="k.ptx")


def test_rows_name_the_source(lifted: ptxlift.Translation) -> None:
    rows = {(row.file, row.line) for row in read_lines(lifted.code_object).rows if row.line}
    assert {("/src/a.cu", 10), ("/src/b.h", 5), ("/src/a.cu", 25), ("/src/a.cu", 30)} <= rows
    assert {file for file, _ in rows} == {"/src/a.cu", "/src/b.h"}
    assert {line for file, line in rows if file == "/src/b.h"} == {5}


@pytest.mark.skipif(DWARFDUMP is None, reason="needs llvm-dwarfdump")
def test_llvm_reads_the_same(lifted: ptxlift.Translation, tmp_path: Path) -> None:
    assert DWARFDUMP is not None
    path = tmp_path / "k.co"
    path.write_bytes(lifted.code_object)
    verified = subprocess.run([DWARFDUMP, "--verify", path], capture_output=True, text=True)
    assert verified.returncode == 0, verified.stdout
    table = subprocess.run([DWARFDUMP, "--debug-line", path], capture_output=True, text=True).stdout
    theirs = re.findall(r"^0x(\w+) +(\d+) +\d+ .*?(end_sequence)?$", table, re.MULTILINE)
    expected = {(int(at, 16), 0 if end else int(line)) for at, line, end in theirs}
    ours = {(row.address, row.line) for row in read_lines(lifted.code_object).rows}
    assert ours == expected
    tree = subprocess.run([DWARFDUMP, "--debug-info", path], capture_output=True, text=True).stdout
    assert 'DW_AT_name\t("square")' in tree
    assert "DW_AT_call_line\t(20)" in tree


def test_a_trap_names_kernel_and_line(lifted: ptxlift.Translation) -> None:
    program = ptxlift.load(lifted)
    out = np.array([3], np.uint32)
    program.launch("check", 1, 1, [out])
    assert out[0] == 9 ^ 77
    with pytest.raises(ptxlift.PtxError, match=r"kernel check .*from /src/a\.cu:30") as caught:
        program.launch("check", 1, 1, [np.array([7], np.uint32)])
    assert caught.value.diagnostics[0].code == "PTX403"


def test_a_bad_access_names_its_line(lifted: ptxlift.Translation) -> None:
    with pytest.raises(ptxlift.PtxError, match=r"PTX402.*from /src/a\.cu:10"):
        ptxlift.load(lifted).launch("check", 1, 1, [np.uint64(4096)])


def test_ptx_lines_without_that_option() -> None:
    plain = ptxlift.Options(debug_lines=True)
    lifted = ptxlift.lift(KERNEL, options=plain, name="k.ptx")
    trap = next(n for n, text in enumerate(KERNEL.splitlines(), 1) if "trap" in text)
    with pytest.raises(ptxlift.PtxError, match=rf"from k\.ptx:{trap}"):
        ptxlift.load(lifted).launch("check", 1, 1, [np.array([7], np.uint32)])
    assert lifted.listing == ptxlift.lift(KERNEL).listing


def test_each_text_of_a_program_has_its_lines() -> None:
    other = re.sub(r"\t?\.loc.*|\.file.*", "", KERNEL.split(".section")[0]).replace("check", "two")
    lifted = ptxlift.lift([KERNEL, other], options=SOURCE, name=["one.ptx", "two.ptx"])
    files = {row.file for row in read_lines(lifted.code_object).rows if row.line}
    assert files == {"/src/a.cu", "/src/b.h", "two.ptx"}
