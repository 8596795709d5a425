"""Makes vectors of what NVIDIA's headers of narrow floats compute on the host.

Needs g++ and the headers (CUDA_INCLUDE names their folder). Run it as
`python tests/vectors/tools/from_headers.py`; it rewrites tests/vectors/headers.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
sys.path.insert(0, str(HERE))

from inputs import rows  # noqa: E402  # found by the lines above
from vector_file import Section, Signature, Vector, write  # noqa: E402

INCLUDE = Path(os.environ.get("CUDA_INCLUDE", "/usr/local/cuda/include"))
COUNT = 160


@dataclass(frozen=True, slots=True)
class Conversion:
    """An instruction and the function of headers.cpp that says what it gives.

    `pair`: bits between the two elements of the result (or of the source, of `unpack`); 0: scalar.
    """

    opcode: str
    signature: str
    function: str
    kinds: str
    pair: int = 0
    unpack: int = 0


# fmt: off
FILES: dict[str, tuple[Conversion, ...]] = {
    "narrow": (
        Conversion("cvt.rn.satfinite.e4m3x2.f32", "16 <- 32 32", "e4m3", "f32 f32", pair=8),
        Conversion("cvt.rn.satfinite.e5m2x2.f32", "16 <- 32 32", "e5m2", "f32 f32", pair=8),
        Conversion("cvt.rn.satfinite.e2m3x2.f32", "16 <- 32 32", "e2m3", "f32 f32", pair=8),
        Conversion("cvt.rn.satfinite.e3m2x2.f32", "16 <- 32 32", "e3m2", "f32 f32", pair=8),
        Conversion("cvt.rn.satfinite.e2m1x2.f32", "8 <- 32 32", "e2m1", "f32 f32", pair=4),
        Conversion("cvt.rn.f16x2.e4m3x2", "32 <- 16", "from_e4m3", "i16", pair=16, unpack=8),
        Conversion("cvt.rn.f16x2.e5m2x2", "32 <- 16", "from_e5m2", "i16", pair=16, unpack=8),
        Conversion("cvt.rn.f16x2.e2m3x2", "32 <- 16", "from_e2m3", "six", pair=16, unpack=8),
        Conversion("cvt.rn.f16x2.e3m2x2", "32 <- 16", "from_e3m2", "six", pair=16, unpack=8),
        Conversion("cvt.rn.f16x2.e2m1x2", "32 <- 8", "from_e2m1", "i8", pair=16, unpack=4),
    ),
    "scale": (
        Conversion("cvt.rz.ue8m0x2.f32", "16 <- 32 32", "scale_rz", "f32 f32", pair=8),
        Conversion("cvt.rp.ue8m0x2.f32", "16 <- 32 32", "scale_rp", "f32 f32", pair=8),
        Conversion("cvt.rz.satfinite.ue8m0x2.f32", "16 <- 32 32", "scale_rz_finite", "f32 f32", pair=8),
        Conversion("cvt.rp.satfinite.ue8m0x2.f32", "16 <- 32 32", "scale_rp_finite", "f32 f32", pair=8),
        Conversion("cvt.rn.bf16x2.ue8m0x2", "32 <- 16", "from_scale", "i16", pair=16, unpack=8),
    ),
    "half": (
        Conversion("cvt.rn.f16.f32", "16 <- 32", "f16_rn", "f32"),
        Conversion("cvt.rz.f16.f32", "16 <- 32", "f16_rz", "f32"),
        Conversion("cvt.rm.f16.f32", "16 <- 32", "f16_rm", "f32"),
        Conversion("cvt.rp.f16.f32", "16 <- 32", "f16_rp", "f32"),
        Conversion("cvt.rn.bf16.f32", "16 <- 32", "bf16_rn", "f32"),
        Conversion("cvt.rz.bf16.f32", "16 <- 32", "bf16_rz", "f32"),
        Conversion("cvt.rn.f16x2.f32", "32 <- 32 32", "f16_rn", "f32 f32", pair=16),
        Conversion("cvt.rn.bf16x2.f32", "32 <- 32 32", "bf16_rn", "f32 f32", pair=16),
        Conversion("add.rn.f16", "16 <- 16 16", "f16_add", "f16 f16"),
        Conversion("sub.rn.f16", "16 <- 16 16", "f16_sub", "f16 f16"),
        Conversion("mul.rn.f16", "16 <- 16 16", "f16_mul", "f16 f16"),
        Conversion("min.f16", "16 <- 16 16", "f16_min", "f16 f16"),
        Conversion("max.NaN.f16", "16 <- 16 16", "f16_max_nan", "f16 f16"),
        Conversion("add.rn.bf16", "16 <- 16 16", "bf16_add", "bf16 bf16"),
        Conversion("mul.rn.bf16", "16 <- 16 16", "bf16_mul", "bf16 bf16"),
        Conversion("min.bf16", "16 <- 16 16", "bf16_min", "bf16 bf16"),
        Conversion("max.NaN.bf16", "16 <- 16 16", "bf16_max_nan", "bf16 bf16"),
    ),
}
# fmt: on


def _requests(conversion: Conversion, row: Sequence[int]) -> list[tuple[int, ...]]:
    """The calls that make one vector, the upper element first."""
    if conversion.unpack:
        mask = (1 << conversion.unpack) - 1
        return [(row[0] >> conversion.unpack & mask,), (row[0] & mask,)]
    return [(row[0],), (row[1],)] if conversion.pair else [tuple(row)]


def _inputs(conversion: Conversion) -> list[tuple[int, ...]]:
    kinds = conversion.kinds.split()
    if kinds == ["six"]:
        return [(a | b << 8,) for a in range(64) for b in (a ^ 63,)]
    if conversion.unpack == 8:
        return [(a | (255 - a) << 8,) for a in range(256)]
    if conversion.unpack:
        return [(a,) for a in range(256)]
    return rows(kinds, COUNT, conversion.opcode)


def vectors(program: Path, conversion: Conversion) -> list[Vector]:
    """Asks the program for every vector of a conversion."""
    inputs = _inputs(conversion)
    calls = [call for row in inputs for call in _requests(conversion, row)]
    lines = [
        f"{conversion.function} {' '.join(f'{word:x}' for word in (*call, 0, 0, 0)[:3])}"
        for call in calls
    ]
    done = subprocess.run(
        [program], input="\n".join(lines), capture_output=True, text=True, check=True
    )
    answers = [int(line, 16) for line in done.stdout.split()]
    found = []
    step = len(calls) // len(inputs)
    for number, row in enumerate(inputs):
        parts = answers[number * step : (number + 1) * step]
        result = parts[0] if step == 1 else parts[0] << conversion.pair | parts[1]
        found.append(Vector(row, (result,)))
    return found


def _version() -> str:
    text = (INCLUDE / "cuda.h").read_text()
    found = re.search(r"#define CUDA_VERSION (\d+)", text)
    return found[1] if found else "unknown"


def main() -> None:
    with tempfile.TemporaryDirectory() as directory:
        program = Path(directory) / "headers"
        source = HERE / "headers.cpp"
        command = ["g++", "-O1", "-std=c++17", f"-I{INCLUDE}", str(source), "-o", str(program)]
        subprocess.run(command, check=True)
        target = HERE.parent / "headers"
        target.mkdir(exist_ok=True)
        for name, conversions in FILES.items():
            sections = [
                Section(c.opcode, Signature.parse(c.signature), vectors(program, c))
                for c in conversions
            ]
            provenance = (
                f"Computed on the host by NVIDIA's headers of CUDA_VERSION {_version()},\n"
                "by tests/vectors/tools/from_headers.py."
            )
            write(target / f"{name}.txt", provenance, sections)


if __name__ == "__main__":
    main()
