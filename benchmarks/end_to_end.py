"""The whole of `ptxlift lift` against `ptxas -O3`, file by file, in CPU seconds.

Programs: CUDA under `benchmarks/programs` through nvcc, and the examples of 500 lines and more.
*cold* is a fresh process without cache, all of its children counted; *warm* is the same work in a
process that has translated before. Beside them the emulated dynamic cost of one launch at the
default level by that at -O3, and by clang's native code, for what can be launched here. With
`--scaling` also one kernel, and many, from 1,000 to 200,000 lines. Prints tables, writes
build/bench-end-to-end.json. Needs ptxas, and nvcc for most.
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import re
import resource
import shutil
import statistics
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from benchmarks.dynamic_cost import Cost, dynamic_cost
from benchmarks.frontend import program
from benchmarks.stages import STAGES, translate
from ptxlift.cli import COLLECTIONS

ROOT = Path(__file__).resolve().parents[1]
BUILD = ROOT / "build" / "end-to-end"
LEAST = 500  # lines
TARGET = "gfx942"
SCALES = (1_000, 5_000, 20_000, 50_000, 100_000, 200_000)
_LINES_PER_STEP = 3.2  # of the generated program


@dataclass(frozen=True, slots=True)
class Usage:
    """CPU and wall seconds of a command and its children, and the peak of the largest in MiB."""

    cpu: float
    wall: float
    peak: float


@dataclass(frozen=True, slots=True)
class Pair:
    """One file. `stages`: warm CPU seconds by stage."""

    name: str
    lines: int
    ptxas: float
    cold: float
    warm: float
    peak: float
    stages: Mapping[str, float]
    cost: Cost | None

    @property
    def ratio(self) -> float:
        return self.cold / self.ptxas


def main() -> None:
    """Measures and prints."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="*", type=Path, help="PTX files instead of the programs")
    parser.add_argument("--target", default=TARGET)
    parser.add_argument("--repeat", type=int, default=3, help="the least of so many counts")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--scaling", action="store_true", help="generated programs of all sizes")
    options = parser.parse_args()
    if shutil.which("ptxas") is None:
        raise SystemExit("needs ptxas")
    BUILD.mkdir(parents=True, exist_ok=True)
    gc.set_threshold(*COLLECTIONS)  # warm, as the command has it
    files = options.files or programs()
    pairs = [pair(path, options.target, options.repeat) for path in files]
    found = {"pairs": [asdict(one) for one in pairs], "scaling": []}
    show(pairs)
    found["together"] = together(files, options.target, options.jobs)
    if options.scaling:
        found["scaling"] = scaling(options.target)
    out = ROOT / "build" / "bench-end-to-end.json"
    out.write_text(json.dumps(found, indent=1))


def programs() -> list[Path]:
    """The PTX files to measure, made where nvcc is installed."""
    made = list(map(compiled, sorted((ROOT / "benchmarks/programs").glob("*.cu"))))
    examples = sorted((ROOT / "examples").glob("*/*.ptx"))
    long = [path for path in examples if path.read_text().count("\n") >= LEAST]
    return [*(path for path in made if path is not None), *long]


def compiled(source: Path) -> Path | None:
    """A program as PTX; made once."""
    output = BUILD / f"{source.stem}.ptx"
    if not output.exists() and shutil.which("nvcc"):
        command = ["nvcc", "-std=c++17", "-ptx", "-arch=sm_80", source, "-o", output]
        subprocess.run(command, check=True)
    return output if output.exists() else None


def pair(path: Path, target: str, repeat: int) -> Pair:
    """Both compilers on one file."""
    text = path.read_text()
    ptxas = [run(ptxas_command(path, text)).cpu for _ in range(repeat)]
    cold = [run(lift_command([path], target)) for _ in range(repeat)]
    translate(text, target)
    warm = [translate(text, target) for _ in range(repeat)]
    best = min(warm, key=lambda stages: sum(stages.values()))
    return Pair(
        path.stem,
        text.count("\n"),
        min(ptxas),
        min(one.cpu for one in cold),
        sum(best.values()),
        max(one.peak for one in cold),
        best,
        dynamic_cost(path, target),
    )


def ptxas_command(path: Path, text: str) -> list[str]:
    """ptxas for the architecture the file names."""
    found = re.search(r"^\.target\s+(sm_\w+)", text, re.MULTILINE)
    arch = found[1] if found else "sm_80"
    return ["ptxas", "-O3", f"-arch={arch}", str(path), "-o", str(BUILD / "out.cubin")]


def lift_command(paths: Sequence[Path], target: str, jobs: int = 1) -> list[str]:
    """The command as a person types it."""
    words = ["lift", "--quiet", "--no-cache", "--target", target, "-j", str(jobs)]
    return [sys.executable, "-m", "ptxlift", *words, "-o", str(BUILD / "out"), *map(str, paths)]


def run(command: Sequence[str]) -> Usage:
    """Runs a command; its children are counted when they end, which is before it does."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    process = subprocess.Popen(
        command, cwd=ROOT, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    )
    assert process.stderr is not None
    said = process.stderr.read().decode(errors="replace")
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{' '.join(command)} fails: {said[-500:]}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Usage(cpu, time.perf_counter() - start, usage.ru_maxrss / 1024)


def show(pairs: Sequence[Pair]) -> None:
    """One line a file, the median, and where the time goes."""
    print(
        f"{'file':<20}{'lines':>8}{'ptxas':>8}{'cold':>8}{'ratio':>7}{'warm':>8}{'ratio':>7}"
        f"{'by -O3':>8}{'by clang':>9}",
        end="",
    )
    print(f"{'MiB':>6}  " + " ".join(f"{name:>8}" for name in STAGES) + "   (warm, % of it)")
    for one in pairs:
        print(
            f"{one.name:<20}{one.lines:>8,}{one.ptxas:>8.3f}{one.cold:>8.3f}{one.ratio:>7.1f}"
            f"{one.warm:>8.3f}{one.warm / one.ptxas:>7.1f}"
            f"{_costs(one.cost)}{one.peak:>6.0f}  "
            + " ".join(f"{100 * one.stages[name] / one.warm:>8.0f}" for name in STAGES)
        )
    if pairs:
        cold = statistics.median(one.ratio for one in pairs)
        warm = statistics.median(one.warm / one.ptxas for one in pairs)
        print(f"median ratio to ptxas -O3: cold {cold:.1f}, warm {warm:.1f} (goal 1.0)")


def _costs(cost: Cost | None) -> str:
    """The dynamic cost's ratios to -O3's and clang's."""
    if cost is None:
        return f"{'-':>8}{'-':>9}"
    native = "-" if cost.to_native is None else f"{cost.to_native:.3f}"
    return f"{cost.to_o3:>8.3f}{native:>9}"


def together(files: Sequence[Path], target: str, jobs: int) -> dict[str, float]:
    """All files in one command, with one process and with several."""
    found: dict[str, float] = {}
    ptxas = [run(ptxas_command(path, path.read_text())) for path in files]
    found["ptxas cpu"] = sum(one.cpu for one in ptxas)
    found["ptxas wall"] = sum(one.wall for one in ptxas)
    for count in dict.fromkeys((1, jobs)):
        used = run(lift_command(files, target, count))
        found |= {f"-j{count} cpu": used.cpu, f"-j{count} wall": used.wall}
    print("all files: " + ", ".join(f"{name} {value:.2f} s" for name, value in found.items()))
    return found


def scaling(target: str) -> list[dict[str, float]]:
    """Generated programs: microseconds a line by size, as one kernel and as many."""
    found = []
    print(f"{'shape':<12}{'lines':>9}{'cpu':>9}{'us/line':>9}{'MiB':>7}{'ptxas':>9}{'ratio':>7}")
    for shape in ("many", "one"):
        for lines in SCALES:
            steps = int(lines / _LINES_PER_STEP)
            text = program(1, steps) if shape == "one" else program(max(1, steps // 300), 300)
            path = BUILD / f"{shape}{lines}.ptx"
            path.write_text(text.replace("; ", ";\n"))
            count = path.read_text().count("\n")
            used = run(lift_command([path], target))
            ptxas = run(ptxas_command(path, text)).cpu
            print(
                f"{shape:<12}{count:>9,}{used.cpu:>9.2f}{1e6 * used.cpu / count:>9.1f}"
                f"{used.peak:>7.0f}{ptxas:>9.2f}{used.cpu / ptxas:>7.1f}",
                flush=True,
            )
            found.append({"lines": count, "cpu": used.cpu, "ptxas": ptxas, "peak": used.peak})
    return found


if __name__ == "__main__":
    main()
