"""Large programs are compiled in pieces: the same results, the same bytes however many at once."""

from __future__ import annotations

import numpy as np
import pytest
from driver_programs import HEADER, UNTRANSLATED

import ptxlift
from ptxlift.driver import units
from ptxlift.llvm.isolate import run_isolated

_SHARED = """.visible .global .u32 count = 100;
.global .u32 hidden = 10;
.func (.reg .b32 d) step(.reg .b32 a) { add.u32 d, a, 1; ret; }
"""


def _kernel(number: int) -> str:
    return f""".visible .entry k{number}(.param .u64 out)
{{ .reg .b32 %r<5>; .reg .b64 %rd<2>; ld.param.u64 %rd1, [out];
  ld.global.u32 %r1, [count]; call (%r2), step, (%r1); st.global.u32 [count], %r2;
  ld.global.u32 %r3, [hidden]; add.u32 %r3, %r3, {number}; st.global.u32 [hidden], %r3;
  mad.lo.u32 %r4, %r3, 1000, %r2; st.global.u32 [%rd1], %r4; ret; }}
"""


PROGRAM = HEADER + _SHARED + "".join(map(_kernel, range(5)))


@pytest.fixture(autouse=True)
def small_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(units, "_PIECE", 30)


def test_pieces_share_the_program_s_memory() -> None:
    made = ptxlift.lift(PROGRAM)
    assert [unit.kernels for unit in made._split.units] == [("k0", "k1"), ("k2", "k3"), ("k4",)]
    assert [unit.owns_variables for unit in made._split.units] == [True, False, False]
    program = ptxlift.load(made)
    seen = []
    for number in (4, 0, 2):
        out = np.zeros(1, np.uint32)
        program.launch(f"k{number}", 1, 1, [out])
        seen.append(int(out[0]))
    assert seen == [14101, 14102, 16103]
    assert program.symbol("count").array.view(np.uint32)[0] == 103


def test_the_bytes_do_not_depend_on_how_many_work() -> None:
    wanted = ptxlift.lift(PROGRAM).code_object
    for at_once in (2, 7):
        made = ptxlift.lift(PROGRAM, compiler=run_isolated, at_once=at_once)
        assert made.code_object == wanted


def test_what_must_be_one_is_one(monkeypatch: pytest.MonkeyPatch) -> None:
    pieces = ptxlift.lift(PROGRAM)
    monkeypatch.setattr(units, "_PIECE", 1 << 30)
    whole = ptxlift.lift(PROGRAM)
    assert len(whole._split.units) == 1
    monkeypatch.setattr(units, "_PIECE", 30)
    assert pieces.object == whole.object
    assert (pieces.llvm_ir, pieces.asm) == (whole.llvm_ir, whole.asm)
    assert pieces.bitcode == whole.bitcode
    assert pieces.verdict == "".join(f"k{number} packed\n" for number in range(5))


def test_functions_called_by_address_keep_a_program_together() -> None:
    text = HEADER + (
        ".func (.reg .b32 d) f(.reg .b32 a) { mov.u32 d, a; ret; }\n"
        + "".join(map(_kernel, range(5)))
        + ".visible .entry by(.param .u64 out)\n{ .reg .b32 %r<2>; .reg .b64 %rd<3>;\n"
        "  mov.u64 %rd1, f; p: .callprototype (.reg .b32 _) _ (.reg .b32 _);\n"
        "  call (%r1), %rd1, (5), p; ld.param.u64 %rd2, [out]; st.global.u32 [%rd2], %r1; ret; }\n"
    )
    text = text.replace(HEADER, HEADER + _SHARED)
    assert len(ptxlift.lift(text)._split.units) == 1


def test_failures_in_a_piece(monkeypatch: pytest.MonkeyPatch) -> None:
    options = ptxlift.Options(on_unsupported="skip")
    made = ptxlift.lift(PROGRAM + UNTRANSLATED, options=options)
    assert list(made.failed) == ["matrix"] and len(made.kernels) == 5
    assert made.code_object == ptxlift.lift(PROGRAM).code_object


def test_a_small_program_is_emitted_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(units, "_PIECE", 1 << 30)
    made = ptxlift.lift(PROGRAM)
    assert made.llvm_ir and "split" not in made._parts
    assert made.code_object and made._split is made._whole
