"""Makes vectors of what ptxas computes: it folds constants, or its SASS is evaluated on them.

Needs ptxas and nvdisasm (PTXAS and NVDISASM name them, or PATH does). Run it as
`python tests/vectors/tools/fold.py`; it rewrites tests/vectors/ptxas. Instructions that ptxas does
not fold, and writes code for that is not understood, are listed and get no file.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
sys.path.insert(0, str(HERE))

from families import FAMILIES, Family  # noqa: E402  # found by the lines above
from inputs import rows  # noqa: E402
from sass import disassemble, stored_constants  # noqa: E402
from vector_file import Section, Signature, Vector, kernel, width, write  # noqa: E402

PER_KERNEL = 40


def find_tool(name: str) -> Path:
    """ptxas or nvdisasm: from the environment, PATH, or triton's package."""
    found = os.environ.get(name.upper()) or shutil.which(name)
    if found is None:
        import triton  # triton's package brings nvdisasm

        found = str(Path(triton.__file__).parent / "backends/nvidia/bin" / name)
    return Path(found)


class Folder:
    """Runs the two tools."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._ptxas = find_tool("ptxas")
        self._nvdisasm = find_tool("nvdisasm")

    def version(self) -> str:
        done = subprocess.run(
            [self._ptxas, "--version"], capture_output=True, text=True, check=True
        )
        return done.stdout.strip().splitlines()[-1]

    def fold(self, section: Section, inputs: list[tuple[int, ...]], target: str) -> list[Vector]:
        """The vectors whose results ptxas folded."""
        text = kernel(section, inputs, version="9.0", target=target)
        source, cubin = self._directory / "k.ptx", self._directory / "k.cubin"
        source.write_text(text)
        command = [self._ptxas, "-O3", f"-arch={target}", source, "-o", cubin]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            raise RuntimeError(f"{section.opcode}: {done.stdout}{done.stderr}")
        stored = stored_constants(disassemble(self._nvdisasm, cubin))
        return list(_vectors(section, inputs, stored))


def _vectors(
    section: Section, inputs: list[tuple[int, ...]], stored: dict[int, tuple[int, int | None]]
) -> Iterator[Vector]:
    count = len(section.signature.results)
    for number, row in enumerate(inputs):
        results = []
        for place, operand in enumerate(section.signature.results):
            offset = 16 * (number * count + place)
            words = [
                stored.get(offset + 4 * w, (4, None))[1]
                for w in range(max(1, width(operand) // 32))
            ]
            if None not in words:
                results.append(sum(word << (32 * i) for i, word in enumerate(words) if word))
        if len(results) == count:
            yield Vector(row, tuple(results))


def sections_of(folder: Folder, family: Family) -> list[Section]:
    """Every instruction of a family that ptxas folds."""
    sections = []
    for opcode, signature, kinds in family.instructions():
        section = Section(opcode, Signature.parse(signature), [], family.tolerance)
        inputs = [row for row in rows(kinds, family.limit, opcode) if row[0] not in family.omit]
        for start in range(0, len(inputs), PER_KERNEL):
            batch = inputs[start : start + PER_KERNEL]
            section.vectors += folder.fold(section, batch, family.target)
        print(f"{opcode:36} {len(section.vectors)} of {len(inputs)}")
        if section.vectors:
            sections.append(section)
    return sections


def main() -> None:
    wanted = sys.argv[1:]
    with tempfile.TemporaryDirectory() as directory:
        folder = Folder(Path(directory))
        for family in FAMILIES:
            if wanted and family.name not in wanted:
                continue
            sections = sections_of(folder, family)
            path = HERE.parent / "ptxas" / f"{family.name}.txt"
            path.unlink(missing_ok=True)
            if sections:
                provenance = (
                    f"Constant operands, folded by ptxas -O3 -arch={family.target}"
                    f" ({folder.version()})\nor computed by the SASS that it writes,"
                    " read by tests/vectors/tools/fold.py."
                )
                write(path, provenance, sections)


if __name__ == "__main__":
    main()
