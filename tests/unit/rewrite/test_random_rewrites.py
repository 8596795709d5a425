"""Random PTX through the rewriter: well-formed IR on every kind of target, no rule runs away."""

from __future__ import annotations

import random

import pytest

from ptxlift import ptx
from ptxlift.ir.verify import verify_module
from ptxlift.lifter.module import lift_program
from ptxlift.rewrite.driver import Log
from ptxlift.rewrite.passes import rewrite_module
from ptxlift.target import lookup
from tests.fuzz.program import random_program

HEAD = ".version 8.0\n.target sm_80\n.address_size 64\n"
REGISTERS = 6
_LINES = (
    "add.cc.u32 %r{0}, %r{1}, %r{2}; addc.u32 %r{3}, %r{4}, %r{5};",
    "sub.cc.u32 %r{0}, %r{1}, %r{2}; subc.cc.u32 %r{3}, %r{4}, %r{5}; subc.u32 %r{1}, %r{1}, 0;",
    "mad.lo.cc.u32 %r{0}, %r{1}, %r{2}, %r{3}; madc.hi.u32 %r{4}, %r{1}, %r{2}, %r{5};",
    "mul.lo.u32 %r{0}, %r{1}, %r{2}; mul.hi.u32 %r{3}, %r{1}, %r{2};",
    "mul.hi.s32 %r{0}, %r{1}, %r{2}; mul.lo.s32 %r{1}, %r{1}, %r{2};",
    "mov.b64 %d{0}, {{%r{0}, %r{1}}}; mov.b64 {{%r{2}, %r{3}}}, %d{1};",
    "lop3.b32 %r{0}, %r{1}, %r{2}, %r{3}, {k}; xor.b32 %r{4}, %r{0}, %r{5};",
    "and.b64 %d{0}, %d{1}, %d{2}; or.b64 %d{3}, %d{0}, %d{4}; not.b64 %d{5}, %d{3};",
    "shf.l.clamp.b32 %r{0}, %r{1}, %r{2}, %r{3}; bfi.b64 %d{0}, %d{1}, %d{2}, {k}, 7;",
)


def _dense(seed: int) -> str:
    """A loop body of what rules and passes look for, on few registers."""
    rng = random.Random(seed)
    lines = [
        rng.choice(_LINES).format(
            *(rng.randrange(REGISTERS) for _ in range(6)), k=rng.randrange(64)
        )
        for _ in range(rng.randint(3, 12))
    ]
    loads = [f"ld.global.u32 %r{i}, [%a+{4 * i}];" for i in range(REGISTERS)]
    loads += [f"ld.global.u64 %d{i}, [%a+{64 + 8 * i}];" for i in range(REGISTERS)]
    stores = [line.replace("ld.", "st.").split() for line in loads]
    written = [
        f"{op} {address.rstrip(';')}, {register.rstrip(',')};" for op, register, address in stores
    ]
    declared = f".reg .b32 %r<{REGISTERS}>; .reg .b64 %d<{REGISTERS}>; .reg .b64 %a; .reg .pred %p;"
    ends = f"setp.ne.u32 %p, %r{rng.randrange(REGISTERS)}, 0; @%p bra again;"
    body = [
        declared,
        "ld.param.u64 %a, [memory];",
        *loads,
        "again:",
        *lines,
        ends,
        *written,
        "ret;",
    ]
    return HEAD + ".visible .entry k(.param .u64 memory)\n{\n" + "\n".join(body) + "\n}\n"


def _check(text: str) -> int:
    module = lift_program([ptx.parse_module(text, "x")]).module
    fires = 0
    for target in ("gfx900", "gfx942", "gfx950", "gfx1100"):
        log = Log()
        verify_module(rewrite_module(module, lookup(target).target.features, log))
        assert log.stopped == []
        fires += len(log.fires)
    return fires


def test_dense_programs() -> None:
    fires = [_check(_dense(seed)) for seed in range(150)]
    assert sum(count > 0 for count in fires) > 100


@pytest.mark.slow
def test_programs_of_the_fuzzer() -> None:
    for seed in range(40):
        _check(random_program(random.Random(seed), 40).text)
