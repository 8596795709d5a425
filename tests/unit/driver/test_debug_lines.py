"""Debug lines: instructions name the PTX they come from, and stay the instructions they were."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

import ptxlift

KERNEL = """.version 8.0
.target sm_80
.address_size 64
.visible .entry twice(.param .u64 out) {
  .reg .b64 %rd<3>;
  .reg .f32 %f<3>;
  ld.param.u64 %rd1, [out];
  cvta.to.global.u64 %rd2, %rd1;
  ld.global.f32 %f1, [%rd2];
  sqrt.rn.f32 %f2, %f1;
  st.global.f32 [%rd2], %f2;
  ret;
}
"""
LINES = ptxlift.Options(debug_lines=True)
DWARFDUMP = shutil.which("llvm-dwarfdump") or shutil.which("llvm-dwarfdump-19")


def lines_of(assembly: str) -> dict[int, list[str]]:
    """The instructions of each PTX line."""
    found: dict[int, list[str]] = {}
    line = 0
    for text in assembly.splitlines():
        if match := re.match(r"\t\.loc\t0 (\d+)", text):
            line = int(match[1])
        elif re.match(r"\t[a-z]", text):
            found.setdefault(line, []).append(text.split()[0])
    return found


@pytest.mark.parametrize("target", ["gfx942", "gfx1100"])
def test_each_instruction_names_its_line(target: str) -> None:
    found = lines_of(ptxlift.lift(KERNEL, target, options=LINES, name="k.ptx").asm)
    assert [name for name in found[9] if "load" in name]  # ld.global
    assert [name for name in found[10] if name.startswith(("v_rsq", "v_sqrt"))]
    assert [name for name in found[11] if "store" in name]


@pytest.mark.parametrize("name", ["hand/calls", "ptx/local_sort", "hand/jump_table"])
@pytest.mark.parametrize("target", ["gfx942", "gfx1100"])
def test_the_instructions_stay_the_same(name: str, target: str) -> None:
    path = Path(__file__).parents[3] / "examples" / f"{name}.ptx"
    plain = ptxlift.lift(path.read_text(), target)
    located = ptxlift.lift(path.read_text(), target, options=LINES)
    assert located.listing == plain.listing
    assert b".debug_line" in located.code_object
    assert b".debug_line" not in plain.code_object


@pytest.mark.skipif(DWARFDUMP is None, reason="needs llvm-dwarfdump")
def test_the_code_object_has_a_line_table(tmp_path: Path) -> None:
    path = tmp_path / "k.co"
    path.write_bytes(ptxlift.lift(KERNEL, "gfx942", options=LINES, name="my k.ptx").code_object)
    assert DWARFDUMP is not None
    verified = subprocess.run([DWARFDUMP, "--verify", path], capture_output=True, text=True)
    assert verified.returncode == 0, verified.stdout
    table = subprocess.run([DWARFDUMP, "--debug-line", path], capture_output=True, text=True).stdout
    assert '"my k.ptx"' in table
    rows = {int(row[1]) for row in re.finditer(r"^0x\w+ +(\d+) ", table, re.MULTILINE)}
    assert {9, 10, 11} <= rows <= {0, *range(7, 13)}
