"""THE TABLE of AMD's matrix instructions that products are mapped to, all of 16 by 16 results.

Comes in: nothing. Goes out: `MatrixCore`, with each instruction's LLVM intrinsic, what its
registers hold and which chips have it. It must know no PTX.

Along K the order of elements is free as long as a and b agree. So a lane's inputs are counted in
words (registers) of a row: word number `slot` of the row's words is held by lane group
`slot_group`, at `slot_register`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum

from ptxlift.ir.matrix import Element
from ptxlift.target import Feature

SIDE = 16  # rows and columns of every result


class Results(Enum):
    """How the rows of a result lie: `row(lane group, register)`."""

    GFX9 = "four rows a group of 16 lanes"
    GFX11 = "even rows in the lower half wave, odd ones in the upper"
    GFX12 = "eight rows a half wave"


@dataclass(frozen=True, slots=True)
class Core:
    """One instruction.

    `intrinsic`: as LLVM declares it. `words`: input registers of a lane. `groups`: lane groups that
    hold different words of a row (the others repeat them). `accumulators`: registers of a result.
    `lanes`: of the wave. `passes`: of four cycles. `parts`: bf16 numbers that make up an element of
    an input; where that is more than one, a core stands for several instructions.
    """

    intrinsic: str
    feature: Feature
    a: Element
    result: Element
    words: int
    groups: int
    accumulators: int
    results: Results
    lanes: int
    passes: int
    parts: int = 1

    @property
    def words_of_row(self) -> int:
        """Words along K that one instruction takes."""
        return self.words * self.groups

    def row(self, lane: int, register: int) -> int:
        """The result's row in a register of a lane."""
        group = lane // SIDE
        match self.results:
            case Results.GFX9:
                return 4 * group + register
            case Results.GFX11:
                return 2 * register + group
            case Results.GFX12:
                return 8 * group + register


def _wmma(
    name: str, feature: Feature, a: Element, result: Element, vector: str, words: int, groups: int
) -> Core:
    sums = "<8 x i32>" if result is Element.S32 else "<8 x float>"
    kind = Results.GFX11 if feature is Feature.WMMA_GFX11 else Results.GFX12
    signs = "i1, " if result is Element.S32 else ""
    clamp = ", i1" if result is Element.S32 else ""
    text = f"{sums} @llvm.amdgcn.wmma.{name}({signs}{vector}, {signs}{vector}, {sums}{clamp})"
    return Core(text, feature, a, result, words, groups, 8, kind, 32, 4)


def _parted(core: Core) -> Core:
    """tf32 on an instruction of bf16: an element is the sum of two. The upper parts and the lower
    ones of a lie side by side along K; b's upper parts meet both, then its lower parts do.
    """
    return replace(core, a=Element.TF32, passes=2 * core.passes, parts=2)


def _mfma(name: str, feature: Feature, a: Element, vector: str, words: int, passes: int) -> Core:
    sums = "<4 x i32>" if a is Element.S8 else "<4 x float>"
    result = Element.S32 if a is Element.S8 else Element.F32
    text = f"{sums} @llvm.amdgcn.mfma.{name}({vector}, {vector}, {sums}, i32, i32, i32)"
    return Core(text, feature, a, result, words, 4, 4, Results.GFX9, 64, passes)


_F16, _BF16, _S8, _TF32 = Element.F16, Element.BF16, Element.S8, Element.TF32
_F32, _S32 = Element.F32, Element.S32
_GFX11, _GFX12 = Feature.WMMA_GFX11, Feature.WMMA_GFX12


class MatrixCore(Enum):
    """The instructions, better ones first."""

    # MFMA of f16 and bf16 flush subnormals before gfx940, the first to have SMFMAC.
    WMMA_F16_GFX11 = _wmma("f32.16x16x16.f16.v8f32.v16f16", _GFX11, _F16, _F32, "<16 x half>", 8, 1)
    WMMA_BF16_GFX11 = _wmma(
        "f32.16x16x16.bf16.v8f32.v16i16", _GFX11, _BF16, _F32, "<16 x i16>", 8, 1
    )
    WMMA_S8_GFX11 = _wmma("i32.16x16x16.iu8.v8i32.v4i32", _GFX11, _S8, _S32, "<4 x i32>", 4, 1)
    WMMA_F16_GFX12 = _wmma("f32.16x16x16.f16.v8f32.v8f16", _GFX12, _F16, _F32, "<8 x half>", 4, 2)
    WMMA_BF16_GFX12 = _wmma("f32.16x16x16.bf16.v8f32.v8i16", _GFX12, _BF16, _F32, "<8 x i16>", 4, 2)
    WMMA_S8_GFX12 = _wmma("i32.16x16x16.iu8.v8i32.v2i32", _GFX12, _S8, _S32, "<2 x i32>", 2, 2)
    WMMA_TF32_GFX11 = _parted(WMMA_BF16_GFX11)
    WMMA_TF32_GFX12 = _parted(WMMA_BF16_GFX12)
    # fmt: off
    MFMA_F16        = _mfma("f32.16x16x16f16",     Feature.SMFMAC,       _F16,  "<4 x half>",  2, 4)
    MFMA_BF16       = _mfma("f32.16x16x16bf16.1k", Feature.SMFMAC,       _BF16, "<4 x i16>",   2, 4)
    MFMA_S8_K32     = _mfma("i32.16x16x32.i8",     Feature.MFMA_I8_K32,  _S8,   "i64",         2, 4)
    MFMA_S8         = _mfma("i32.16x16x16i8",      Feature.MFMA_I8,      _S8,   "i32",         1, 4)
    MFMA_XF32       = _mfma("f32.16x16x8.xf32",    Feature.MFMA_XF32,    _TF32, "<2 x float>", 2, 4)
    MFMA_F32        = _mfma("f32.16x16x4f32",      Feature.MFMA,         _TF32, "float",       1, 4)
    # fmt: on

    @property
    def core(self) -> Core:
        """The row."""
        core: Core = self.value
        return core
