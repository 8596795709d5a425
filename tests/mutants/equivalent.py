"""Mutants that no test can notice by results, each with the reason; they are not counted.

Equivalent ones compute the same in the same way. Those that change cost only compute the same, by
more or fewer instructions: they are told apart, for a slower program is a fault of another kind.
"""

from __future__ import annotations

from tests.mutants.operators import Mutant

# (module, function, part of the description): why no test can notice
_Reasons = dict[tuple[str, str, str], str]
_EQUIVALENT: _Reasons = {
    ("semantics.narrow", "_encode", "icmp(a, algebra.const(32, [0])"):
        "of the patterns below 1 that are not negative, 0 gives 0 either way",
    ("semantics.stochastic", "_encode", "icmp(a, algebra.const(32, [0])"):
        "of the patterns below 1 that are not negative, 0 gives 0 either way",
    ("semantics.convert", "cvt_float_integral", "_types(form)[[0]]"):
        "both types of the form are the same",
    ("semantics.video", "_part_width", '{"": [32],'):
        "the width of the whole word is only compared with the widths of parts",
    ("semantics.video", "_average", "icmp(total, algebra.const(32, [0])"):
        "a sum of 0 gives the same half, with and without the one that is added",
    ("semantics.video", "vmad", "selectors[1:[3]]"):
        "the third selector is not read",
    ("semantics.definitions", "ones", "([1] << width)"):
        "constants are cut to their width, and all bits above it",
    ("llvm.amdgpu.bitfields", "_bfind", "if [n > 32] else"):
        "words of 32 bits are lowered above",
    ("llvm.amdgpu.directed_double", "_root", "_power(-[500])"):
        "near 2^-500 the remainder of a root is exact at either scale",
    ("llvm.amdgpu.special", "_multiprocessors", "([12] if"):
        "PTX asks for any number above all that occur",
    ("llvm.plain.integer", "_not", "a.width == [1]"):
        "-1 of one bit is true",
    ("llvm.plain.integer", "_high_product.<locals>.lower", "swap operands"):
        "a product is the same either way",
    ("llvm.plain.integer", "shift_amount", "width >= 32"):
        "a width of 32 is answered above",
    ("llvm.plain.integer", "shift_amount", "'zext' if width > [32]"):
        "there are no widths between 32 and 64",
    ("llvm.plain.integer", "_set_count", "width >= 32"):
        "a width of 32 is answered above",
    ("llvm.plain.integer", "_set_count", "if width > [32]"):
        "there are no widths between 32 and 64",
}  # fmt: skip
# The same: why results stay equal
_COST_ONLY: _Reasons = {
    ("llvm.amdgpu.bytes", "_wanted", "_Byte([0] if"):
        "both words are the same operand",
    ("llvm.amdgpu.convert", "_float_to_int", "-> op.attr('ftz') in"):
        "a subnormal number is rounded to 0 by rn and rz without a flush too",
    ("llvm.amdgpu.extremes", "is_number", "[constant & type.magnitude_mask]"):
        "a negative constant counts as NaN, and NaNs that cannot be are made canonical",
    ("llvm.amdgpu.floating", "_fround", "-> op.attr('ftz') in"):
        "a subnormal number is rounded to a zero of its sign by rn and rz without a flush too",
    ("llvm.amdgpu.folds", "may_be_negation", "operands[:[2]]"):
        "more sums are kept apart; kept or not, a sum rounds alike",
    ("llvm.amdgpu.nibbles", "_is_constant", "-> isinstance(definition, Op) in"):
        "no part is left that varies, or one of unknown nibbles: all four count as varying",
    ("llvm.amdgpu.nibbles", "_add", "-> max(sums) < _MOST"):
        "larger bounds than need be",
    ("llvm.amdgpu.packed", "_type_of_pair", "if not e.context.has(Feature.PK_FMA_F32)"):
        "LLVM splits a packed instruction that a chip lacks, and singles round as pairs do",
    ("llvm.plain.integer", "_high_product.<locals>.lower", "[2] * a.width"):
        "the bits of a product that are read are there in a wider one too",
}  # fmt: skip


def known() -> list[tuple[str, str, str]]:
    """What the tables list."""
    return [*_EQUIVALENT, *_COST_ONLY]


def is_equivalent(module: str, mutant: Mutant) -> bool:
    """Whether the mutant computes the same in the same way."""
    return bool(_reason(_EQUIVALENT, module, mutant))


def changes_cost_only(module: str, mutant: Mutant) -> bool:
    """Whether the mutant computes the same by other instructions."""
    return bool(_reason(_COST_ONLY, module, mutant))


def _reason(reasons: _Reasons, module: str, mutant: Mutant) -> str:
    for (name, function, part), reason in reasons.items():
        if name == module and function == mutant.function and part in str(mutant):
            return reason
    return ""
