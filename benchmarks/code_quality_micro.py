"""Short numeric sequences: the vector instructions that ptxlift emits for one PTX instruction,
against those that clang emits for the same computation in HIP.

Comes in: `SNIPPETS`. Goes out: a table and build/bench-code-quality-micro.json. Goal: no sequence
is longer than clang's but for those in `LONGER`, which says why. A snippet counts what its kernel
has more than one that copies a word.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import ptxlift
from benchmarks.native import COMPILER, missing_tool
from benchmarks.vector_count import vector_instructions

TARGETS = ("gfx942", "gfx1100")
_FLAGS = ("-x", "hip", "--offload-device-only", "-nogpulib", "-nogpuinc", "-O3", "-S")
_FLUSH = "-fgpu-flush-denormals-to-zero"

_PTX_HEAD = ".version 8.6\n.target sm_90\n.address_size 64\n"
_PTX_KERNEL = """.visible .entry {name}(.param .u64 memory) {{
.reg .b16 %h<4>; .reg .b32 %r<4>; .reg .f32 %f<4>; .reg .b64 %l<4>; .reg .f64 %x<4>;
ld.param.u64 %l0, [memory]; mov.u32 %r0, %tid.x; mul.wide.u32 %l1, %r0, 64; add.s64 %l0, %l0, %l1;
ld.global.f32 %f0, [%l0]; ld.global.f32 %f1, [%l0+4];
ld.global.f64 %x0, [%l0+8]; ld.global.f64 %x1, [%l0+16];
ld.global.u16 %h0, [%l0+24]; ld.global.u16 %h1, [%l0+26];
{ptx}
{store}; ret; }}
"""
_HIP_HEAD = """
typedef _Float16 half2 __attribute__((ext_vector_type(2)));
typedef __bf16 bhalf2 __attribute__((ext_vector_type(2)));
typedef unsigned short ushort2 __attribute__((ext_vector_type(2)));
struct Row { float a, b; double x, y; unsigned short h, i, spare[2]; };
struct Cell { Row row; unsigned word; unsigned gap; unsigned long wide; unsigned long end; };
template <class T, class U> __attribute__((device)) T as(U u) { return __builtin_bit_cast(T, u); }
"""
_HIP_KERNEL = """
extern "C" __attribute__((global)) void {name}(Cell* memory) {{
  Cell* cell = memory + __builtin_amdgcn_workitem_id_x();
  float a = cell->row.a, b = cell->row.b; double x = cell->row.x, y = cell->row.y;
  unsigned short h = cell->row.h, i = cell->row.i;
  cell->{store} = {hip};
}}
"""


@dataclass(frozen=True, slots=True)
class Snippet:
    """`ptx` leaves a 32-bit result in %r1, or a 64-bit one in %l2 where `wide`; `hip` is its value.

    `flush`: clang flushes subnormals, as the `.ftz` of the PTX says.
    """

    name: str
    ptx: str
    hip: str
    wide: bool = False
    flush: bool = False


# The hardware's conversion clamps and makes 0 of NaN, as PTX does of f32 in 32 bits. Where PTX says
# more, C has to say it too: 64 bits are clamped, NaN gives the top bit.
_CLAMPED = "a >= 0x1p63f ? 0x7fffffffffffffffl : !(a >= -0x1p63f) ? 1l << 63 : (long)a"
_NEAREST = "(half2){(_Float16)b, (_Float16)a}"
_TOWARD_ZERO = "__builtin_amdgcn_cvt_pkrtz(b, a)"
_ADD = "add.rn.f16x2 %r1, %r1, %r2;"


def _word(ptx: str, hip: str, **more: bool) -> Snippet:
    """The opcode is the name."""
    return Snippet(ptx.split()[0], ptx, hip, **more)


def _single(opcode: str, sources: str, hip: str, **more: bool) -> Snippet:
    return _word(f"{opcode} %f2, {sources}; mov.b32 %r1, %f2;", f"as<unsigned>({hip})", **more)


def _double(opcode: str, sources: str, hip: str) -> Snippet:
    moved = f"{opcode} %x2, {sources}; mov.b64 %l2, %x2;"
    return _word(moved, f"as<unsigned long>({hip})", wide=True)


def _whole(opcode: str, source: str, hip: str) -> Snippet:
    return _word(f"{opcode} %r1, {source};", f"(unsigned)({hip})")


SNIPPETS = (
    Snippet("none", "mov.b32 %r1, %f0;", "as<unsigned>(a)"),
    _single("div.rn.f32", "%f0, %f1", "a / b"),
    _single("div.rn.ftz.f32", "%f0, %f1", "a / b", flush=True),
    _single("rcp.rn.f32", "%f0", "1.0f / a"),
    _single("sqrt.rn.f32", "%f0", "__builtin_sqrtf(a)"),
    _double("div.rn.f64", "%x0, %x1", "x / y"),
    _double("sqrt.rn.f64", "%x0", "__builtin_sqrt(x)"),
    _whole("cvt.rzi.s32.f32", "%f0", "(int)a"),
    _whole("cvt.rzi.u32.f32", "%f0", "(unsigned)a"),
    _whole("cvt.rni.s32.f32", "%f0", "(int)__builtin_rintf(a)"),
    _whole("cvt.rmi.s32.f32", "%f0", "(int)__builtin_floorf(a)"),
    _whole("cvt.rpi.s32.f32", "%f0", "(int)__builtin_ceilf(a)"),
    _whole("cvt.rzi.s32.f64", "%x0", "x != x ? 1 << 31 : (int)x"),
    _word("cvt.rzi.s64.f32 %l2, %f0;", f"(unsigned long)({_CLAMPED})", wide=True),
    _word("cvt.rn.f16x2.f32 %r1, %f0, %f1;", f"as<unsigned>({_NEAREST})"),
    _word("cvt.rz.f16x2.f32 %r1, %f0, %f1;", f"as<unsigned>({_TOWARD_ZERO})"),
    Snippet(
        "cvt.rn.f16x2.f32; add",
        f"mov.b32 %r2, {{%h0, %h1}}; cvt.rn.f16x2.f32 %r1, %f0, %f1; {_ADD}",
        f"as<unsigned>({_NEAREST} + as<half2>((ushort2){{h, i}}))",
    ),
    _word("cvt.rn.bf16x2.f32 %r1, %f0, %f1;", "as<unsigned>((bhalf2){(__bf16)b, (__bf16)a})"),
    Snippet("mov.b32 {h, i}", "mov.b32 %r1, {%h0, %h1};", "as<unsigned>((ushort2){h, i})"),
)
_ONE_NAN = "PTX makes 0x7fff of every NaN: one maximum for both; none where it is computed on"
LONGER = {
    "div.rn.ftz.f32": "clang's loses remainders below 2^-126, and rounds up to it what PTX flushes",
    "div.rn.f64": "clang's is a unit off for 2^k / d, d's fraction all ones; the rare path counts",
    "cvt.rn.f16x2.f32": _ONE_NAN,
    "cvt.rz.f16x2.f32": _ONE_NAN,
}


@dataclass(frozen=True, slots=True)
class Count:
    """Vector instructions of one snippet on one chip."""

    snippet: str
    target: str
    ours: int
    native: int


def _name(snippet: Snippet) -> str:
    return "k" + str(SNIPPETS.index(snippet))


def ours(target: str) -> dict[str, int]:
    """Kernel name to vector instructions as ptxlift emits them."""
    counts = {}
    for snippet in SNIPPETS:
        store = "st.global.u64 [%l0+40], %l2" if snippet.wide else "st.global.u32 [%l0+32], %r1"
        text = _PTX_KERNEL.format(name=_name(snippet), ptx=snippet.ptx, store=store)
        counts |= vector_instructions(ptxlift.lift(_PTX_HEAD + text, target=target).asm)
    return counts


def native(target: str) -> dict[str, int]:
    """The same as clang emits them."""
    counts = {}
    for flush in (False, True):
        kernels = [
            _HIP_KERNEL.format(
                name=_name(snippet), hip=snippet.hip, store="wide" if snippet.wide else "word"
            )
            for snippet in SNIPPETS
            if snippet.flush == flush
        ]
        counts |= vector_instructions(_assembly(_HIP_HEAD + "".join(kernels), target, flush))
    return counts


def _assembly(source: str, target: str, flush: bool) -> str:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "snippets.hip")
        path.write_text(source)
        command = [COMPILER, *_FLAGS, f"--offload-arch={target}", *([_FLUSH] if flush else [])]
        command += [str(path), "-o", "-"]
        done = subprocess.run(command, check=True, capture_output=True, text=True)
    return done.stdout


def measure(targets: Sequence[str] = TARGETS) -> list[Count]:
    """Every snippet on every target; `none` taken off."""
    rows = []
    for target in targets:
        have, need = ours(target), native(target)
        base = _name(SNIPPETS[0])
        for snippet in SNIPPETS[1:]:
            name = _name(snippet)
            row = Count(snippet.name, target, have[name] - have[base], need[name] - need[base])
            rows.append(row)
    return rows


def longer(rows: Sequence[Count]) -> list[Count]:
    """What takes more than clang's without a reason."""
    return [row for row in rows if row.ours > row.native and row.snippet not in LONGER]


def report(rows: Sequence[Count]) -> None:
    print(f"{'instruction':23}{'target':9}{'ptxlift':>8}{'clang':>7}")
    for row in rows:
        note = f"  {LONGER.get(row.snippet, 'longer')}" if row.ours > row.native else ""
        print(f"{row.snippet:23}{row.target:9}{row.ours:8}{row.native:7}{note}")


def main() -> int:
    """Exit 1 if a sequence is longer than clang's without a reason."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", type=Path, default=Path("build/bench-code-quality-micro.json"))
    options = parser.parse_args()
    missing = missing_tool()
    if missing is not None:
        print(f"{missing} is not installed")
        return 0
    rows = measure()
    report(rows)
    options.json.parent.mkdir(parents=True, exist_ok=True)
    options.json.write_text(json.dumps([asdict(row) for row in rows], indent=1))
    return 1 if longer(rows) else 0


if __name__ == "__main__":
    sys.exit(main())
