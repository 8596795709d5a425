"""Random programs: straight lines, branches, loops, guards, carry chains, shared memory, warp
operations.

A program loads its registers from `in`, works on them, and stores all of them to `out`. NaN
results have no defined payload, so each float result is made canonical before an integer can see
it.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field

from ptxlift import ptx
from ptxlift.isa.types import Type
from tests.fuzz.forms import POOL, write_random
from tests.fuzz.memory_forms import (
    BLOCK,
    DECLARATIONS,
    MODULE,
    PROLOGUE,
    SEQUENCES,
    SIZE,
    TOGETHER,
    write_memory,
)

HEADER = ".version 9.0\n.target sm_100a\n.address_size 64\n"
WORDS = 3 * POOL  # 64-bit words a thread loads and stores
_SCRATCH = 4

# fmt: off
_CARRY_CHAINS = (  # each uses %r or %d only, and leaves no carry to the next
    ("add.cc.u32 {a}, {b}, {c};", "addc.cc.u32 {d}, {e}, {f};", "addc.u32 {a}, {c}, 0;"),
    ("sub.cc.u32 {a}, {b}, {c};", "subc.cc.u32 {d}, {e}, {f};", "subc.u32 {b}, {c}, 0;"),
    ("mad.lo.cc.u32 {a}, {b}, {c}, {d};", "madc.hi.cc.u32 {e}, {b}, {c}, {f};", "addc.u32 {d}, 0, 0;"),  # noqa: E501
)
_WARP = (  # {m}: member mask, all of whose lanes come here
    "shfl.sync.bfly.b32 {a}|{p}, {b}, {k}, 31, {m};",
    "shfl.sync.bfly.b32 {a}, {b}, {k}, {c}, {m};",
    "shfl.sync.up.b32 {a}|{p}, {b}, {k}, 0, {m};",
    "shfl.sync.down.b32 {a}|{p}, {b}, {k}, 31, {m};",
    "shfl.sync.down.b32 {a}|{p}, {b}, {k}, 0x101f, {m};",
    "shfl.sync.idx.b32 {a}|{p}, {b}, {k}, 31, {m};",
    "shfl.sync.idx.b32 {a}|{p}, {b}, {d}, 0x181f, {m};",
    "vote.sync.ballot.b32 {a}, {p}, {m};",
    "vote.sync.any.pred {p}, {q}, {m};",
    "vote.sync.all.pred {p}, !{q}, {m};",
    "vote.sync.uni.pred {p}, {q}, {m};",
    "match.any.sync.b32 {a}, {b}, {m};",
    "match.all.sync.b32 {a}|{p}, {b}, {m};",
    "redux.sync.add.u32 {a}, {b}, {m};",
    "redux.sync.min.s32 {a}, {b}, {m};",
    "redux.sync.xor.b32 {a}, {b}, {m};",
)
_DIVERGED = (  # a shuffle may read only lanes of the mask
    "bfind.u32 %w, {m}; shfl.sync.idx.b32 {a}|{p}, {b}, %w, 31, {m};",
    *(form for form in _WARP if not form.startswith("shfl")),
)
_SHARED = (
    "st.shared.b32 [{s}], {a};",
    "ld.shared.b32 {a}, [{s}];",
    "st.shared.b16 [{s}], {h};",
    "ld.shared.s8 {a}, [{s}+1];",
    "ld.shared.v2.b16 {{{h}, {g}}}, [{s}];",
    "atom.shared.add.u32 {a}, [{s}], {b};",
    "atom.shared.max.s32 {a}, [{s}], {b};",
    "atom.shared.inc.u32 {a}, [{s}], {b};",
    "atom.shared.cas.b32 {a}, [{s}], {b}, {c};",
    "red.shared.xor.b32 [{s}], {a};",
)
# fmt: on


@dataclass(slots=True)
class Program:
    """PTX text and what it contains. `divergent`: some warp operation stands under divergence."""

    text: str
    rows: list[str] = field(default_factory=list)
    divergent: bool = False
    arguments: tuple[bytes, ...] = ()  # behind the arrays


class _Writer:
    def __init__(self, rng: random.Random, length: int) -> None:
        self.rng = rng
        self.left = length
        self.lines: list[str] = []
        self.divergent = False
        self.labels = 0

    # ---- pieces ----

    def instruction(self) -> None:
        written = write_random(self.rng)
        guard = self._guard() if self.rng.random() < 0.15 else ""
        parts = [f"{guard}{written.text}"]
        for name, type_ in written.results:
            parts += canonical(name, type_)
        self.lines.append(" ".join(parts))

    def memory(self) -> None:
        """An access to the thread's own places, or a fence."""
        written = write_memory(self.rng)
        guard = self._guard() if self.rng.random() < 0.15 else ""
        parts = [f"{guard}{written.text}"]
        for name, type_ in written.results:
            parts += canonical(name, type_)
        self.lines.append(" ".join(parts))

    def sequence(self, mask: str, together: bool) -> None:
        """Several instructions that belong together, or what threads do together."""
        forms = (*SEQUENCES, *TOGETHER) if together else SEQUENCES
        self.lines.append(self.rng.choice(forms).format(m=mask, n=self._label(), **self._names()))

    def carry_chain(self) -> None:
        width, prefix = self.rng.choice((("u32", "%r"), ("u64", "%d")))
        names = self.rng.sample([f"{prefix}{i}" for i in range(POOL)], POOL)
        chosen = dict(zip("abcdef", names, strict=True))
        chain = [line.replace("u32", width) for line in self.rng.choice(_CARRY_CHAINS)]
        self.lines.append(" ".join(line.format(**chosen) for line in chain))

    def warp(self, mask: str, together: bool) -> None:
        forms = _WARP if together else _DIVERGED
        self.lines.append(
            self.rng.choice(forms).format(m=mask, k=self.rng.randrange(32), **self._names())
        )

    def shared(self) -> None:
        """The thread's own words only, so that the order of threads does not matter."""
        text = self.rng.choice(_SHARED)
        place = f"%s0+{4 * self.rng.randrange(_SCRATCH)}"
        text = text.replace("{s}+1", f"%s0+{4 * self.rng.randrange(_SCRATCH) + 1}")
        self.lines.append(text.format(s=place, **self._names()))

    def _names(self) -> dict[str, str]:
        rng = self.rng
        a, b, c, d = (f"%r{i}" for i in rng.sample(range(POOL), 4))
        h, g = (f"%h{i}" for i in rng.sample(range(POOL), 2))
        p, q = (f"%p{i}" for i in rng.sample(range(POOL), 2))
        return {"a": a, "b": b, "c": c, "d": d, "h": h, "g": g, "p": p, "q": q}

    def _guard(self) -> str:
        return f"@{self.rng.choice(('', '!'))}%p{self.rng.randrange(POOL)} "

    def _label(self) -> str:
        self.labels += 1
        return f"L{self.labels}"

    # ---- structure ----

    def block(self, depth: int, mask: str) -> None:
        """Some pieces; `mask` holds the lanes of the warp that come here together."""
        for _ in range(self.rng.randint(2, 8)):
            if self.left <= 0:
                return
            self.left -= 1
            kind = self.rng.random()
            if kind < 0.45:
                self.instruction()
            elif kind < 0.56:
                self.memory()
            elif kind < 0.62:
                self.sequence(mask, together=mask == "%m7")
            elif kind < 0.70:
                self.carry_chain()
            elif kind < 0.78:
                self.warp(mask, together=mask == "%m7")
                self.divergent |= depth > 0
            elif kind < 0.86:
                self.shared()
            elif depth < 3 and kind < 0.95:
                self.branch(depth, mask)
            elif depth < 3:
                self.loop(depth, mask)

    def branch(self, depth: int, mask: str) -> None:
        """if/else on a lane-dependent condition; each side gets the mask of its own lanes."""
        other, end = self._label(), self._label()
        taken, rest = f"%m{2 * depth}", f"%m{2 * depth + 1}"
        a, b = self.rng.randrange(POOL), self.rng.randrange(POOL)
        split = [
            f"setp.gt.s32 %c{depth}, %r{a}, %r{b};",
            f"vote.sync.ballot.b32 {taken}, %c{depth}, {mask};",
            f"not.b32 {rest}, {taken};",
            f"and.b32 {rest}, {rest}, {mask};",
        ]
        self.lines.append(" ".join([*split, f"@!%c{depth} bra {other};"]))
        self.block(depth + 1, taken)
        self.lines.append(f"bra {end}; {other}:")
        self.block(depth + 1, rest)
        self.lines.append(f"{end}: bar.warp.sync {mask};")

    def loop(self, depth: int, mask: str) -> None:
        """A loop of the same small length in every lane."""
        top, count = self._label(), f"%n{depth}"
        self.lines += [f"mov.b32 {count}, {self.rng.randint(1, 3)};", f"{top}:"]
        self.block(depth + 1, mask)
        self.lines.append(
            f"sub.u32 {count}, {count}, 1; setp.ne.u32 %c{depth}, {count}, 0; @%c{depth} bra {top};"
        )


def canonical(name: str, type_: Type) -> list[str]:
    """Makes every NaN of a result the same NaN."""
    match type_.name:
        case "f32":
            return [
                f"testp.notanumber.f32 %t, {name};",
                f"selp.b32 {name}, 0x7fffffff, {name}, %t;",
            ]
        case "f64":
            return [
                f"testp.notanumber.f64 %t, {name};",
                f"selp.b64 {name}, 0x7fffffffffffffff, {name}, %t;",
            ]
        case "f16" | "bf16":
            return [
                f"setp.nan.{type_.name} %t, {name}, {name};",
                f"selp.b16 {name}, 0x7fff, {name}, %t;",
            ]
        case "f16x2" | "bf16x2":
            halves = canonical("%x0", _element(type_)) + canonical("%x1", _element(type_))
            return [f"mov.b32 {{%x0, %x1}}, {name};", *halves, f"mov.b32 {name}, {{%x0, %x1}};"]
        case "f32x2":
            halves = canonical("%y0", _element(type_)) + canonical("%y1", _element(type_))
            return [f"mov.b64 {{%y0, %y1}}, {name};", *halves, f"mov.b64 {name}, {{%y0, %y1}};"]
        case "tf32":
            return [
                f"testp.notanumber.f32 %t, {name};",
                f"selp.b32 {name}, 0x7fffffff, {name}, %t;",
            ]
        case _:
            return []


def _element(type_: Type) -> Type:
    from ptxlift.isa import type_of

    return type_of(type_.element)


def _declarations() -> list[str]:
    return [
        f".reg .b8 %b<{POOL}>;",
        f".reg .b16 %h<{POOL}>; .reg .b32 %r<{POOL}>; .reg .b64 %d<{POOL}>; .reg .pred %p<{POOL}>;",
        ".reg .pred %t; .reg .b16 %x<2>; .reg .b32 %y<2>; .reg .b64 %a<3>; .reg .b32 %s<3>;",
        ".reg .pred %c<4>; .reg .b32 %m<8>; .reg .b32 %n<4>; .reg .b32 %w; .reg .b64 %o;",
        *DECLARATIONS,
        f".shared .align 16 .b8 scratch[{4 * _SCRATCH * 1024}];",
    ]


def _prologue() -> list[str]:
    lines = [
        "ld.param.u64 %a0, [in]; ld.param.u64 %a1, [out];",
        "mov.u32 %s1, %tid.x; mov.u32 %s2, %ctaid.x; mov.u32 %w, %ntid.x;",
        "mad.lo.u32 %s2, %s2, %w, %s1;",
        f"mul.wide.u32 %o, %s2, {8 * WORDS}; add.u64 %a0, %a0, %o; add.u64 %a1, %a1, %o;",
        f"mov.u32 %s0, scratch; mad.lo.u32 %s0, %s1, {4 * _SCRATCH}, %s0;",
    ]
    lines += PROLOGUE
    lines += [f"activemask.b32 %m{i};" for i in range(8)]
    lines += [f"mov.b32 %n{i}, 1;" for i in range(4)]
    lines += [f"setp.eq.u32 %c{i}, %s1, %s1;" for i in range(4)]
    for i in range(_SCRATCH):
        lines.append(f"st.shared.b32 [%s0+{4 * i}], {i};")
    for i in range(POOL):
        lines.append(f"ld.global.b16 %h{i}, [%a0+{8 * i}];")
        lines.append(f"ld.global.b8 %b{i}, [%a0+{8 * i + 2}];")
        lines.append(f"ld.global.b32 %r{i}, [%a0+{8 * (POOL + i)}];")
        lines.append(f"ld.global.b64 %d{i}, [%a0+{8 * (2 * POOL + i)}];")
        lines.append(f"and.b32 %w, %r{i}, 1; setp.ne.u32 %p{i}, %w, 0;")
    return lines


def _epilogue() -> list[str]:
    lines = []
    for i in range(POOL):
        lines.append(f"cvt.u64.u16 %o, %h{i}; st.global.b64 [%a1+{8 * i}], %o;")
        lines.append(f"st.global.b8 [%a1+{8 * i + 7}], %b{i};")
        lines.append(f"selp.b32 %w, 1, 0, %p{i}; mov.b64 %o, {{%r{i}, %w}};")
        lines.append(f"st.global.b64 [%a1+{8 * (POOL + i)}], %o;")
        lines.append(f"st.global.b64 [%a1+{8 * (2 * POOL + i)}], %d{i};")
    return [*lines, "ret;"]


def random_program(rng: random.Random, length: int = 40) -> Program:
    """A program of about `length` random pieces, kernel `fuzz(in, out)`.

    Every line can be dropped alone, but for labels, without a register becoming uninitialised.
    """
    writer = _Writer(rng, length)
    writer.lines.append("bar.warp.sync %m7;")
    while writer.left > 0:
        writer.block(0, "%m7")
    body = "\n".join([*_declarations(), *_prologue(), *writer.lines, *_epilogue()])
    parameters = f".param .u64 in, .param .u64 out, .param .align 64 .b8 block[{SIZE}]"
    kernel = f".visible .entry fuzz({parameters})\n{{\n{body}\n}}\n"
    text = "\n".join([HEADER.rstrip(), *MODULE, kernel])
    return Program(text, _rows_of(text), writer.divergent, (BLOCK,))


def _rows_of(text: str) -> list[str]:
    """The names of the rows in a program, each as often as it stands there."""
    functions = ptx.parse_module(text).functions.values()
    return [s.form.name for f in functions for s in f.body or () if isinstance(s, ptx.Inst)]
