"""How fast the parser is: lines a second on generated PTX, and a cold process on a short file.

The text is made here from a seed: kernels in the manner of nvcc, with parameters, register
declarations, arithmetic, hex floats, address offsets, vectors, predicates, labels, calls in their
parameter scopes, `.loc` lines, comments and initialised tables. Prints a table and writes JSON.
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

_HEADER = """\
//
// generated
//
.version 8.5
.target sm_90
.address_size 64
"""


class Generator:
    """Writes kernels line by line."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.lines: list[str] = []
        self.labels = 0
        self.makers: list[Callable[[], list[str]]] = [
            maker for maker, weight in self._weights() for _ in range(weight)
        ]

    def module(self, lines: int) -> str:
        """A module of at least this many lines."""
        self.lines = _HEADER.splitlines()
        kernel = 0
        while len(self.lines) < lines:
            self._kernel(f"_Z6kernel{kernel}PfS_i")
            kernel += 1
        return "\n".join(self.lines) + "\n"

    def _weights(self) -> list[tuple[Callable[[], list[str]], int]]:
        return [
            (self._integer, 24),
            (self._float, 24),
            (self._load, 12),
            (self._store, 8),
            (self._vector, 4),
            (self._branch, 5),
            (self._loc, 8),
            (self._special, 3),
            (self._shared, 5),
            (self._inline, 2),
            (self._call, 1),
        ]

    def _kernel(self, name: str) -> None:
        table = ", ".join(str(self.random.randrange(256)) for _ in range(32))
        self.lines += [f".global .align 4 .b8 {name}_table[32] = {{{table}}};", ""]
        parameters = [f"\t.param .u64 {name}_param_{index}" for index in range(6)]
        self.lines += [f".visible .entry {name}(", ",\n".join(parameters), ")"]
        self.lines += [".maxntid 256, 1, 1", "{"]
        for kind, prefix in (("pred", "p"), ("b32", "r"), ("b64", "rd"), ("f32", "f")):
            self.lines.append(f"\t.reg .{kind} \t%{prefix}<{self.random.randrange(20, 400)}>;")
        for index in range(6):
            self.lines.append(f"\tld.param.u64 \t%rd{index}, [{name}_param_{index}];")
        for _ in range(self.random.randrange(100, 900)):
            self.lines += self.random.choice(self.makers)()
        self.lines += ["\tret;", "", "}", ""]

    def _register(self, prefix: str) -> str:
        return f"%{prefix}{self.random.randrange(1, 400)}"

    def _integer(self) -> list[str]:
        a, b, c, d = (self._register("r") for _ in range(4))
        number = self.random.choice((1, 2, 31, 255, 4096, -1, self.random.randrange(1 << 20)))
        forms = (
            f"add.s32 \t{a}, {b}, {c};",
            f"add.s32 \t{a}, {b}, {number};",
            f"mad.lo.s32 \t{a}, {b}, {c}, {d};",
            f"shl.b32 \t{a}, {b}, {number & 31};",
            f"and.b32  \t{a}, {b}, {c};",
            f"xor.b32  \t{a}, {b}, {number};",
            f"mul.wide.s32 \t{self._register('rd')}, {a}, 4;",
            f"mov.u32 \t{a}, {number};",
            f"setp.lt.s32 \t{self._register('p')}, {a}, {b};",
            f"selp.b32 \t{a}, {b}, {c}, {self._register('p')};",
            f"add.s64 \t{self._register('rd')}, {self._register('rd')}, {self._register('rd')};",
        )
        return ["\t" + self.random.choice(forms)]

    def _float(self) -> list[str]:
        a, b, c, d = (self._register("f") for _ in range(4))
        bits = f"0f{self.random.getrandbits(32):08X}"
        forms = (
            f"fma.rn.f32 \t{a}, {b}, {c}, {d};",
            f"fma.rn.f32 \t{a}, {b}, {bits}, {d};",
            f"mul.f32 \t{a}, {b}, {c};",
            f"add.f32 \t{a}, {b}, {bits};",
            f"mov.f32 \t{a}, {bits};",
            f"sub.f32 \t{a}, {b}, {c};",
            f"cvt.rn.f32.s32 \t{a}, {self._register('r')};",
            f"setp.gtu.f32 \t{self._register('p')}, {a}, {bits};",
            f"rcp.approx.ftz.f32 \t{a}, {b};",
        )
        return ["\t" + self.random.choice(forms)]

    def _address(self) -> str:
        offset = self.random.choice((0, 4, 8, 16, 1024, -4, self.random.randrange(4096)))
        base = self._register("rd")
        return f"[{base}+{offset}]" if offset else f"[{base}]"

    def _load(self) -> list[str]:
        return [f"\tld.global.f32 \t{self._register('f')}, {self._address()};"]

    def _store(self) -> list[str]:
        return [f"\tst.global.f32 \t{self._address()}, {self._register('f')};"]

    def _vector(self) -> list[str]:
        elements = ", ".join(self._register("f") for _ in range(4))
        if self.random.random() < 0.5:
            return [f"\tld.global.nc.v4.f32 \t{{{elements}}}, {self._address()};"]
        return [f"\tst.global.v4.f32 \t{self._address()}, {{{elements}}};"]

    def _branch(self) -> list[str]:
        self.labels += 1
        label = f"$L__BB{self.labels}_{self.random.randrange(99)}"
        negated = self.random.choice(("", "!"))
        return [f"\t@{negated}{self._register('p')} bra \t{label};", "", f"{label}:"]

    def _loc(self) -> list[str]:
        line = self.random.randrange(1, 2000)
        return [f"\t.loc\t1 {line} {self.random.randrange(1, 80)}"]

    def _special(self) -> list[str]:
        special = self.random.choice(("%tid.x", "%ctaid.x", "%ntid.y", "%laneid"))
        return [f"\tmov.u32 \t{self._register('r')}, {special};"]

    def _shared(self) -> list[str]:
        return [
            f"\tst.shared.f32 \t[{self._register('r')}+{4 * self.random.randrange(64)}], "
            f"{self._register('f')};",
            "\tbar.sync \t0;",
        ]

    def _inline(self) -> list[str]:
        a, b = self._register("r"), self._register("r")
        return [
            "\t// begin inline asm",
            f"\tshfl.sync.bfly.b32 {a}, {b}, {self.random.randrange(32)}, 31, -1;",
            "\t// end inline asm",
        ]

    def _call(self) -> list[str]:
        number = self.random.randrange(100)
        return [
            f"\t{{ // callseq {number}, 0",
            "\t.param .b32 param0;",
            f"\tst.param.f32 \t[param0+0], {self._register('f')};",
            "\t.param .b32 retval0;",
            "\tcall.uni (retval0),",
            "\tcosf_slow,",
            "\t(",
            "\tparam0",
            "\t);",
            f"\tld.param.f32 \t{self._register('f')}, [retval0+0];",
            f"\t}} // callseq {number}",
        ]


def measure_warm(text: str, memo: bool, repeats: int) -> float:
    """Lines a second of processor time, the best of some runs."""
    from ptxlift.syntax import parse

    best = float("inf")
    for _ in range(repeats):
        begin = time.process_time()
        parse(text, memo=memo)
        best = min(best, time.process_time() - begin)
    return text.count("\n") / best


def measure_cold(text: str) -> float:
    """Seconds of a new process, from its start to its end, that parses a text."""
    code = "import sys; from ptxlift.syntax import parse; parse(open(sys.argv[1]).read())"
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "cold.ptx"
        path.write_text(text)
        times: list[float] = []
        for _ in range(4):
            begin = time.perf_counter()
            subprocess.run([sys.executable, "-c", code, str(path)], check=True)
            times.append(time.perf_counter() - begin)
    return min(times[1:])  # the first may build the grammar's tables


def main() -> None:
    """Measure, print, write."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--lines", type=int, default=100_000)
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--json", type=Path, default=Path("build/bench-parse.json"))
    chosen = options.parse_args()
    text = Generator(chosen.seed).module(chosen.lines)
    small = Generator(chosen.seed + 1).module(100)
    sample = Generator(chosen.seed + 2).module(5_000)
    first = measure_warm(text, True, 1)
    results = {
        "lines": text.count("\n"),
        "bytes": len(text),
        "lines_per_second_first": round(first),
        "lines_per_second": round(measure_warm(text, True, 3)),
        "lines_per_second_grammar_only": round(measure_warm(sample, False, 1)),
        "cold_process_lines": small.count("\n"),
        "cold_process_ms": round(measure_cold(small) * 1000),
    }
    for key, value in results.items():
        print(f"{key:32}{value:>12,}")
    chosen.json.parent.mkdir(parents=True, exist_ok=True)
    chosen.json.write_text(json.dumps(results, indent=1) + "\n")


if __name__ == "__main__":
    main()
