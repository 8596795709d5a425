"""The same input gives the same bytes, whatever the hash seed and the number of processes."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from pathlib import Path

import ptxlift

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
FILES = [
    EXAMPLES / "ptx" / name
    for name in ("saxpy.ptx", "histogram.ptx", "noinline_calls.ptx", "stack_machine.ptx")
]
TARGETS = ("gfx942", "gfx1100")
DIGESTS = """
import hashlib, sys
import ptxlift
for path in sys.argv[1:]:
    for target in ("gfx942", "gfx1100"):
        made = ptxlift.lift(open(path).read(), target)
        parts = (made.ir.encode(), made.llvm_ir.encode(), made.asm.encode(), made.code_object)
        print(*(hashlib.sha256(part).hexdigest() for part in parts))
"""


def digests(seed: str) -> list[str]:
    command = [sys.executable, "-c", DIGESTS, *map(str, FILES)]
    environment = {**os.environ, "PYTHONHASHSEED": seed}
    result = subprocess.run(command, capture_output=True, text=True, env=environment, check=True)
    return result.stdout.splitlines()


def test_hash_seeds() -> None:
    first = digests("1")
    assert len(first) == len(FILES) * len(TARGETS)
    assert digests("12345") == first
    assert digests("random") == first


def test_order_of_requests() -> None:
    text = FILES[0].read_text()
    one, other = ptxlift.lift(text, "gfx942"), ptxlift.lift(text, "gfx942")
    parts = (one.code_object, one.asm, one.bitcode, one.llvm_ir)
    assert parts == tuple(reversed((other.llvm_ir, other.bitcode, other.asm, other.code_object)))


def test_number_of_processes(tmp_path: Path) -> None:
    outputs = []
    for processes in ("1", "2"):
        folder = tmp_path / processes
        words = ["lift", *map(str, FILES), "-t", ",".join(TARGETS), "-o", str(folder)]
        command = [sys.executable, "-m", "ptxlift", *words, "-j", processes, "-q"]
        subprocess.run(command, check=True)
        found = sorted(folder.iterdir())
        assert len(found) == len(FILES) * len(TARGETS)
        outputs.append([(p.name, hashlib.sha256(p.read_bytes()).hexdigest()) for p in found])
    assert outputs[0] == outputs[1]
