"""Wrong launches and allocations end with PTX401, not with an exception of numpy or struct."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import ptxlift

MODULE = """.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 out, .param .f32 x)
{
    .reg .b64 %rd<3>; .reg .b32 %r<2>; .reg .f32 %f<2>;
    ld.param.u64 %rd1, [out];
    ld.param.f32 %f1, [x];
    mov.u32 %r1, %tid.x;
    mul.wide.u32 %rd2, %r1, 4;
    add.u64 %rd1, %rd1, %rd2;
    st.global.f32 [%rd1], %f1;
    ret;
}
"""


def floats() -> np.ndarray[Any, Any]:
    return np.zeros(32, np.float32)


def code_of(action: Callable[[], object]) -> str:
    with pytest.raises(ptxlift.PtxError) as caught:
        action()
    return caught.value.diagnostics[0].code


@pytest.fixture(params=["emulator", "interpreter"])
def program(request: pytest.FixtureRequest) -> ptxlift.Program:
    return ptxlift.load(MODULE, request.param)


@pytest.mark.parametrize("grid", ["ab", 1.5, None, (1, "a"), (), np.zeros(())])
def test_a_grid_that_is_no_numbers(program: ptxlift.Program, grid: Any) -> None:
    assert code_of(lambda: program.launch("k", grid, 32, [floats(), 1.0])) == "PTX401"


@pytest.mark.parametrize("grid", [np.int64(2), (np.uint8(2), 1), np.array([1, 2]), [2]])
def test_a_grid_of_numpy_numbers(program: ptxlift.Program, grid: Any) -> None:
    out = floats()
    program.launch("k", grid, 32, [out, 2.0])
    assert (out == 2.0).all()


MISFITS: tuple[dict[str, Any], ...] = (
    {"max_steps": "x"},
    {"max_steps": 0},
    {"shared": "x"},
    {"shared": -1},
    {"args": None},
)


@pytest.mark.parametrize("words", MISFITS, ids=str)
def test_limits_and_arguments_of_other_kinds(
    program: ptxlift.Program, words: dict[str, Any]
) -> None:
    given = {"args": [floats(), 1.0]} | words
    assert code_of(lambda: program.launch("k", 1, 32, **given)) == "PTX401"


def test_checks_are_names_with_or_without_spaces() -> None:
    bad: Any = 5
    assert code_of(lambda: ptxlift.load(MODULE, "interpreter", checks=bad)) == "PTX307"
    out = floats()
    program = ptxlift.load(MODULE, "interpreter", checks="races, uninitialised")
    program.launch("k", 1, 32, [out, 2.0])
    assert (out == 2.0).all()


def test_a_grid_larger_than_the_dispatch_packet_holds() -> None:
    program = ptxlift.load(MODULE, "emulator")
    assert code_of(lambda: program.launch("k", 2**31, 32, [floats(), 1.0])) == "PTX401"


@pytest.mark.parametrize("value", [1e39, -1e300, 10**400], ids=["1e39", "-1e300", "10**400"])
def test_a_float_out_of_range(program: ptxlift.Program, value: float) -> None:
    assert code_of(lambda: program.launch("k", 1, 32, [floats(), value])) == "PTX401"


def test_infinity_is_in_range(program: ptxlift.Program) -> None:
    out = floats()
    program.launch("k", 1, 32, [out, float("inf")])
    assert np.isposinf(out).all()


def test_an_array_of_objects(program: ptxlift.Program) -> None:
    objects = np.array([None] * 32)
    assert code_of(lambda: program.launch("k", 1, 32, [objects, 1.0])) == "PTX401"
    assert code_of(lambda: program.alloc(objects)) == "PTX401"


@pytest.mark.parametrize("address", [-4, 0, 2**64 - 4, 2**70])
def test_an_address_where_no_array_fits(program: ptxlift.Program, address: int) -> None:
    assert code_of(lambda: program.alloc(floats(), address)) == "PTX401"


def test_what_is_no_array_cannot_be_allocated(program: ptxlift.Program) -> None:
    assert code_of(lambda: program.alloc("text")) == "PTX401"  # type: ignore[arg-type]


def test_freeing_twice(program: ptxlift.Program) -> None:
    buffer = program.alloc(floats())
    program.free(buffer)
    assert code_of(lambda: program.free(buffer)) == "PTX401"


def test_a_freed_buffer_is_no_memory(program: ptxlift.Program) -> None:
    buffer = program.alloc(floats())
    program.free(buffer)
    assert code_of(lambda: program.launch("k", 1, 32, [buffer, 1.0])) == "PTX402"


def test_an_offset_before_address_zero(program: ptxlift.Program) -> None:
    buffer = program.alloc(floats())
    far = buffer + (-buffer.address - 256)
    assert code_of(lambda: program.launch("k", 1, 32, [far, 1.0])) == "PTX402"


@pytest.mark.parametrize("steps", [0, -1])
def test_no_steps_at_all(program: ptxlift.Program, steps: int) -> None:
    action = lambda: program.launch("k", 1, 32, [floats(), 1.0], max_steps=steps)  # noqa: E731
    assert code_of(action) == "PTX401"
