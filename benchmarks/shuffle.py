"""Constant shuffles: the instructions emitted on each target, against ds_bpermute and clang.

Comes in: kernels of one `shfl.sync` with constants each, all that differ, translated in the usual
way; the same with a distance that each thread loads, which takes ds_bpermute; and shuffles as
HIP does them in C++, compiled by clang where it is installed. Goes out: a table, and
build/bench-shuffle.json with every sequence. Counted are vector instructions and trips through the
LDS crossbar beyond those of a kernel that copies.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import ptxlift
from benchmarks.native import COMPILER, missing_tool
from ptxlift.target import all_targets

LANES = 32
WIDTHS = (32, 16, 8, 4, 2)
MODES = ("bfly", "up", "down", "idx")
_HEAD = ".version 8.0\n.target sm_80\n.address_size 64\n"
_KERNEL = """.visible .entry {name}(.param .u64 memory) {{
.reg .b32 %r<6>; .reg .f32 %f<3>; .reg .b64 %d<3>;
ld.param.u64 %d0, [memory]; mov.u32 %r0, %tid.x; mul.wide.u32 %d1, %r0, 4;
add.s64 %d2, %d0, %d1; ld.global.u32 %r1, [%d2];
{body}
st.global.u32 [%d2], %r1; ret; }}
"""
_FLAGS = ("-x", "hip", "--cuda-device-only", "-nogpulib", "-nogpuinc", "-O3", "-S", "-o", "-")
_BUTTERFLY = (16, 8, 4, 2, 1)
_INSTRUCTION = re.compile(r"\s+((?:v|ds)_\w+.*?)\s*(?:;.*)?$")
_NATIVE = """typedef unsigned u;
#define KERNEL extern "C" __attribute__((global)) void
#define DEVICE static inline __attribute__((device)) u
DEVICE id() { return __builtin_amdgcn_mbcnt_hi(-1, __builtin_amdgcn_mbcnt_lo(-1, 0)); }
DEVICE get(u at, u v) { return __builtin_amdgcn_ds_bpermute(at << 2, v); }
DEVICE bfly(u v, int b, int w) {
  int self = id(), at = self ^ b; return get(at >= ((self + w) & ~(w - 1)) ? self : at, v); }
DEVICE up(u v, int b, int w) {
  int self = id(), at = self - b; return get(at < (self & ~(w - 1)) ? self : at, v); }
DEVICE down(u v, int b, int w) {
  int self = id(), at = self + b; return get((self & (w - 1)) + b >= w ? self : at, v); }
DEVICE idx(u v, int b, int w) {
  int self = id(); return get((b & (w - 1)) + (self & ~(w - 1)), v); }
#define SHUFFLE(name, mode, b, w) KERNEL name(u *p) { \\
  u t = __builtin_amdgcn_workitem_id_x(); p[t] = mode(p[t], b, w); }
KERNEL none(u *p) { u t = __builtin_amdgcn_workitem_id_x(); p[t] = p[t] + 1; }
KERNEL butterfly(u *p) {
  u t = __builtin_amdgcn_workitem_id_x(); float f = __builtin_bit_cast(float, p[t]);
  for (int b = 16; b; b >>= 1)
    f += __builtin_bit_cast(float, bfly(__builtin_bit_cast(u, f), b, 32));
  p[t] = __builtin_bit_cast(u, f); }
"""


@dataclass(frozen=True, slots=True)
class Shuffle:
    """One constant shuffle. `width`: lanes of a segment."""

    mode: str
    b: int
    width: int

    @property
    def name(self) -> str:
        """A kernel's name."""
        return f"{self.mode}_{self.b}_{self.width}"

    @property
    def c(self) -> int:
        """The operand that clamps and cuts into segments."""
        return (LANES - self.width) << 8 | (0 if self.mode == "up" else LANES - 1)


@dataclass(frozen=True, slots=True)
class Cost:
    """What a kernel takes beyond a copy. `crossbar`: trips; `sequence`: its instructions."""

    vector: int
    crossbar: int
    sequence: tuple[str, ...] = ()


def every_shuffle() -> list[Shuffle]:
    """All that differ."""
    return [
        Shuffle(mode, b, width)
        for width in WIDTHS
        for mode in MODES
        for b in range(0 if mode == "idx" else 1, LANES if mode == "bfly" else width)
    ]


def _shuffle_line(mode: str, b: object, c: int) -> str:
    return f"shfl.sync.{mode}.b32 %r1, %r1, {b}, {c}, -1;"


def program(shuffles: Iterable[Shuffle]) -> str:
    """PTX of all kernels; `any_...` load the distance."""
    bodies = {"none": "add.u32 %r1, %r1, 1;", "butterfly": ""}
    for b in _BUTTERFLY:
        bodies["butterfly"] += f"mov.b32 %f1, %r1; {_shuffle_line('bfly', b, LANES - 1)}"
        bodies["butterfly"] += "mov.b32 %f2, %r1; add.f32 %f1, %f1, %f2; mov.b32 %r1, %f1;"
    for each in shuffles:
        bodies[each.name] = _shuffle_line(each.mode, each.b, each.c)
        any_line = f"ld.global.u32 %r2, [%d2+4]; {_shuffle_line(each.mode, '%r2', each.c)}"
        bodies[f"any_{each.mode}_{each.width}"] = any_line
    return _HEAD + "".join(_KERNEL.format(name=name, body=body) for name, body in bodies.items())


def native_source(shuffles: Iterable[Shuffle]) -> str:
    """The same in C++."""
    lines = (f"SHUFFLE({s.name}, {s.mode}, {s.b}, {s.width})\n" for s in shuffles)
    return _NATIVE + "".join(lines)


def costs(asm: str) -> dict[str, Cost]:
    """The cost of each kernel of a listing, by name."""
    bodies: dict[str, list[str]] = {}
    name = ""
    for line in asm.splitlines():
        if re.match(r"\w+:", line):
            name = line.split(":")[0]
            bodies[name] = []
        elif line.startswith(".Lfunc_end"):
            name = ""
        elif name:
            found = _INSTRUCTION.match(line)
            parts = found[1].split("::") if found else []
            bodies[name] += [" ".join(part.split()) for part in parts]
    copy = sum(line.startswith("v_") for line in bodies["none"]) - 1  # but for its addition
    return {name: _cost(lines, copy) for name, lines in bodies.items()}


def _cost(lines: Sequence[str], copy: int) -> Cost:
    crossbar = sum(line.startswith("ds_") for line in lines)
    return Cost(len(lines) - crossbar - copy, crossbar, tuple(lines))


def native_costs(target: str, source: str) -> dict[str, Cost] | None:
    """clang's; None if it is not installed or does not know the target."""
    if missing_tool() is not None:
        return None
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "shuffles.cpp")
        path.write_text(source, encoding="utf-8")
        flags = (
            "-x",
            "hip",
            "--cuda-device-only",
            "-nogpulib",
            "-nogpuinc",
            "-O3",
            "-S",
            "-o",
            "-",
        )
        command = [COMPILER, *flags, f"--offload-arch={target}", str(path)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    return costs(done.stdout) if done.returncode == 0 else None


def measure(target: str, shuffles: Sequence[Shuffle]) -> dict[str, dict[str, Cost] | None]:
    """Ours and clang's kernels."""
    lifted = ptxlift.lift(program(shuffles), target)
    return {"ptxlift": costs(lifted.asm), "clang": native_costs(target, native_source(shuffles))}


def _mean(found: Iterable[Cost]) -> str:
    rows = list(found)
    return f"{sum(c.vector for c in rows) / len(rows):5.1f} +{sum(c.crossbar for c in rows):3d}"


def _rows(target: str, found: dict[str, dict[str, Cost] | None]) -> Iterable[str]:
    """Means over the distances of a mode in segments of 32 and of fewer lanes; the butterfly."""
    ours, clang = found["ptxlift"], found["clang"]
    assert ours is not None
    for mode in MODES:
        for widths in (WIDTHS[:1], WIDTHS[1:]):
            some = [s for s in every_shuffle() if s.mode == mode and s.width in widths]
            label = f"{mode} {'32' if 32 in widths else '2..16'}"
            by_address = (ours[f"any_{s.mode}_{s.width}"] for s in some)
            native = "-" if clang is None else _mean(clang[s.name] for s in some)
            yield (
                f"{target:<16}{label:<12}{len(some):>4}  {_mean(ours[s.name] for s in some)}  "
                f"{_mean(by_address)}  {native}"
            )
    native = "-" if clang is None else _mean([clang["butterfly"]])
    yield f"{target:<16}{'float sum':<12}{1:>4}  {_mean([ours['butterfly']])}  {'':>10}  {native}"


def main(arguments: Sequence[str] | None = None) -> int:
    """Measures, prints, writes; 1 if a float sum over 32 lanes takes more than it should."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("targets", nargs="*", help="all by default")
    names = parser.parse_args(arguments).targets
    chosen = [target for target in all_targets() if not names or target.name in names]
    shuffles = every_shuffle()
    print("vector instructions (mean) + trips through the crossbar (sum) of all distances")
    print(f"{'target':<16}{'shuffle':<12}{'':>4}  {'constant':<11} {'ds_bpermute':<11} clang")
    rows, above = {}, 0
    for target in chosen:
        found = measure(target.name, shuffles)
        print("\n".join(_rows(target.name, found)), flush=True)
        rows[target.name] = {
            who: None if kernels is None else {name: _json(cost) for name, cost in kernels.items()}
            for who, kernels in found.items()
        }
        total = (found["ptxlift"] or {})["butterfly"]
        above += total.vector > 8 or total.crossbar > 1
    out = Path("build/bench-shuffle.json")
    out.parent.mkdir(exist_ok=True)
    out.write_text(json.dumps(rows), encoding="utf-8")
    return int(above > 0)


def _json(cost: Cost) -> dict[str, object]:
    return {"vector": cost.vector, "crossbar": cost.crossbar, "sequence": cost.sequence}


if __name__ == "__main__":
    sys.exit(main())
