"""What is run: each instruction, its operands and how its results are judged.

A judge gives each lane's error in units of the allowed one: above 1 is wrong. Bounds are those of
the PTX manual's pages of the instructions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from ptxlift.ir.attributes import Format, Rounding
from tests.numerics import operands
from tests.numerics.bounds import BOUNDS, Approximate, judge
from tests.numerics.device import Instruction
from tests.numerics.exact import Bits, wrong_quotients, wrong_roots

Errors = NDArray[np.float64]
Make = Callable[[Format, int, np.random.Generator], list[Bits]]
Judge = Callable[[Sequence[Bits], Bits], Errors]


@dataclass(frozen=True, slots=True)
class Case:
    """`exact`: any difference is wrong. `all_bits`: the operands are every bit pattern, once."""

    instruction: Instruction
    make: Make
    judge: Judge
    exact: bool
    all_bits: bool = False

    @property
    def name(self) -> str:
        return self.instruction.text.replace(".", "_")


def _judge_quotient(
    rounding: Rounding, ftz: bool, fmt: Format, given: Sequence[Bits], got: Bits
) -> Errors:
    wrong = wrong_quotients(given[0], given[1], got, fmt, rounding, ftz)
    return np.where(wrong, np.inf, 0.0)


def _judge_reciprocal(
    rounding: Rounding, ftz: bool, fmt: Format, given: Sequence[Bits], got: Bits
) -> Errors:
    one = np.full_like(given[0], ((1 << (fmt.exponent_bits - 1)) - 1) << fmt.mantissa_bits)
    return _judge_quotient(rounding, ftz, fmt, [one, *given], got)


def _judge_root(
    rounding: Rounding, ftz: bool, fmt: Format, given: Sequence[Bits], got: Bits
) -> Errors:
    return np.where(wrong_roots(given[0], got, fmt, rounding, ftz), np.inf, 0.0)


_EXACT = (
    ("div", 2, operands.quotients, _judge_quotient),
    ("rcp", 1, operands.reciprocals, _judge_reciprocal),
    ("sqrt", 1, operands.roots, _judge_root),
)
_SUFFIXES = ((Format.F32, "f32", False), (Format.F32, "ftz.f32", True), (Format.F64, "f64", False))


def exact_cases() -> Iterator[Case]:
    """div, rcp and sqrt, every rounding, f32 with and without .ftz, f64."""
    for opcode, count, make, rule in _EXACT:
        for fmt, suffix, ftz in _SUFFIXES:
            for rounding in (Rounding.RN, Rounding.RZ, Rounding.RM, Rounding.RP):
                text = f"{opcode}.{rounding.value}.{suffix}"
                check = partial(rule, rounding, ftz, fmt)
                yield Case(Instruction(text, fmt, count), make, check, exact=True)


def _approximate(bound: Approximate) -> Case:
    fmt = bound.fmt
    instruction = Instruction(bound.text, fmt, bound.inputs)
    return Case(instruction, bound.operands, partial(judge, bound), False, fmt.bits == 16)


def approximate_cases() -> Iterator[Case]:
    yield from map(_approximate, BOUNDS)


def every_pattern(fmt: Format) -> list[Bits]:
    return [np.arange(1 << fmt.bits, dtype=np.uint64).astype(f"u{fmt.bits // 8}")]
