"""THE TABLE of AMD's matrix instructions that products are mapped to, all of 16 by 16 results.

Comes in: nothing. Goes out: `MatrixCore`, with each instruction's LLVM intrinsic, what its
registers hold and which chips have it. It must know no PTX.

Along K the order of elements is free as long as a and b agree. So a lane's inputs are counted in
words (registers) of a row: word number `slot` of the row's words is held by lane group
`slot_group`, at `slot_register`. With a sparse a, K is counted in units: what one stored register
stands for, with two registers of b and the bits that say which elements are stored.
"""

from __future__ import annotations

from enum import Enum

from ptxlift.ir.matrix import Element
from ptxlift.records import dataclass, replace
from ptxlift.target import Feature

SIDE = 16  # rows and columns of every result


class Results(Enum):
    """How the rows of a result lie: `row(lane group, register)`."""

    GFX9 = "four rows a group of 16 lanes"
    GFX9_F64 = "four groups of 16 lanes by turns"
    GFX11 = "even rows in the lower half wave, odd ones in the upper"
    GFX12 = "eight rows a half wave"


class Units(Enum):
    """How the units of a sparse a lie; `Core.units` spells it out."""

    GFX942 = "a lane has neighbours, in a, in b and in the index"
    GFX950 = "a lane has neighbours of a; of b, those of each half of K"
    GFX125_HALVES = "half waves have units by turns; each one the index of half of K"
    GFX125_BYTES = "half waves have units by turns; the index, too, in two words"


@dataclass(frozen=True, slots=True)
class Unit:
    """Lane groups and registers that have one unit; of b, the first of two registers; of the index
    also the lowest bit.
    """

    a: tuple[int, int]
    b: tuple[int, int]
    index: tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class Core:
    """One instruction.

    `intrinsic`: as LLVM declares it. `words`: input registers of a lane. `groups`: lane groups that
    hold different words of a row (the others repeat them). `accumulators`: registers of a result.
    `lanes`: of the wave. `passes`: of four cycles. `parts`: bf16 numbers that make up an element of
    an input; where that is more than one, a core stands for several instructions. `sparse`: half
    of a's elements are stored; `words` are those of a, b has twice as many. Registers are of 32
    bits, those of f64 of 64.
    """

    intrinsic: str
    feature: Feature
    a: Element
    b: Element
    result: Element
    words: int
    groups: int
    accumulators: int
    results: Results
    lanes: int
    passes: int = 4
    parts: int = 1
    sparse: Units | None = None

    @property
    def words_of_row(self) -> int:
        """Words along K that one instruction takes."""
        return self.words * self.groups

    @property
    def width(self) -> int:
        """Bits of a register."""
        return 64 if self.result is Element.F64 else 32

    @property
    def unit_bits(self) -> int:
        """Of the index."""
        return 4 if self.a in (Element.F16, Element.BF16) else 8

    @property
    def index_words(self) -> int:
        """Registers of the index; it takes as much of a lane as there are units."""
        return 0 if self.sparse is None else -(-self.unit_bits * self.words // 32)

    def units(self) -> list[Unit]:
        """Where the units lie, in the order of K."""
        return [self._unit(number) for number in range(self.words_of_row)]

    def _unit(self, number: int) -> Unit:
        group, word = divmod(number, self.words)
        bits = self.unit_bits
        half, turn = divmod(number, 2)
        match self.sparse:
            case Units.GFX942:
                return Unit((group, word), (group, 2 * word), (group, 0, bits * word))
            case Units.GFX950:
                upper, lower = divmod(number, 8)
                b = lower // 2, 4 * upper + 2 * (lower % 2)
                return Unit((group, word), b, (group, 0, bits * word))
            case Units.GFX125_HALVES:
                return Unit((turn, half), (turn, 2 * half), (group, 0, bits * word))
            case Units.GFX125_BYTES:
                index = number // 8, turn, bits * (half % 4)
                return Unit((turn, half), (turn, 2 * half), index)
            case None:
                raise AssertionError("only a sparse a has units")

    def row(self, lane: int, register: int) -> int:
        """The result's row in a register of a lane."""
        group = lane // SIDE
        match self.results:
            case Results.GFX9:
                return 4 * group + register
            case Results.GFX9_F64:
                return 4 * register + group
            case Results.GFX11:
                return 2 * register + group
            case Results.GFX12:
                return 8 * group + register


# What a generation's WMMA takes after the inputs' registers: the words of a lane and lane groups.
_WMMA_RESULTS = {
    Feature.WMMA_GFX11: (Results.GFX11, 1),
    Feature.WMMA_GFX12: (Results.GFX12, 2),
    Feature.WMMA_K32: (Results.GFX12, 2),
    Feature.WMMA_F32: (Results.GFX12, 2),
    Feature.WMMA_FP8: (Results.GFX12, 2),
}


def _wmma(name: str, feature: Feature, a: Element, b: Element, vector: str, words: int) -> Core:
    """An instruction of gfx11 or gfx12; the newer ones have a modifier of c and hints."""
    is_integer = a in (Element.S8, Element.U8)
    result = Element.S32 if is_integer else Element.F32
    sums = "<8 x i32>" if is_integer else "<8 x float>"
    newer = "16x16x16" not in name
    sign = "i1, " if is_integer or (newer and "fp8" not in name and "bf8" not in name) else ""
    before = "i16, " if newer and not is_integer else ""
    after = ", i1, i1" if newer else ", i1" if is_integer else ""
    text = f"{sums} @llvm.amdgcn.wmma.{name}({sign}{vector}, {sign}{vector}, {before}{sums}{after})"
    results, groups = _WMMA_RESULTS[feature]
    return Core(text, feature, a, b, result, words, groups, 8, results, 32)


def _parted(core: Core) -> Core:
    """tf32 on an instruction of bf16: an element is the sum of two. The upper parts and the lower
    ones of a lie side by side along K; b's upper parts meet both, then its lower parts do.
    """
    tf32 = Element.TF32
    return replace(core, a=tf32, b=tf32, passes=2 * core.passes, parts=2)


def _mfma(name: str, feature: Feature, a: Element, b: Element, vector: str, words: int) -> Core:
    result = {Element.S8: Element.S32, Element.F64: Element.F64}.get(a, Element.F32)
    sums = {Element.S32: "<4 x i32>", Element.F64: "<4 x double>"}.get(result, "<4 x float>")
    rows = Results.GFX9_F64 if result is Element.F64 else Results.GFX9
    text = f"{sums} @llvm.amdgcn.mfma.{name}({vector}, {vector}, {sums}, i32, i32, i32)"
    return Core(text, feature, a, b, result, words, 4, 4, rows, 64)


def _smfmac(name: str, a: Element, b: Element, words: int) -> Core:
    """A sparse instruction of gfx9: a shape, with the types' names."""
    integers = a is Element.S8
    result = Element.S32 if integers else Element.F32
    sums = "<4 x i32>" if integers else "<4 x float>"
    kind = {Element.F16: "half", Element.BF16: "bfloat" if words > 2 else "i16"}.get(a, "i32")
    size = words if kind == "i32" else 2 * words
    inputs = f"<{size} x {kind}>, <{2 * size} x {kind}>"
    text = f"{sums} @llvm.amdgcn.smfmac.{name}({inputs}, {sums}, i32, i32, i32)"
    if words > 2:
        feature, units = Feature.SMFMAC_K64, Units.GFX950
    else:
        fp8 = a in (Element.E4M3, Element.E5M2)
        feature, units = Feature.MFMA_F8F6F4 if fp8 else Feature.SMFMAC, Units.GFX942
    return Core(text, feature, a, b, result, words, 4, 4, Results.GFX9, 64, sparse=units)


def _swmmac(name: str, a: Element, b: Element, words: int) -> Core:
    """A sparse instruction of gfx12 or gfx1250."""
    integers, halves = a in (Element.S8, Element.U8), a in (Element.F16, Element.BF16)
    result = Element.S32 if integers else Element.F32
    sums, sums_name = ("<8 x i32>", "v8i32") if integers else ("<8 x float>", "v8f32")
    newer = words == 8
    kind = {Element.F16: "half", Element.BF16: "bfloat" if newer else "i16"}.get(a, "i32")
    size = 2 * words if halves else words
    short = {"half": "f16", "bfloat": "bf16"}.get(kind, kind)
    index = "i64" if newer and not halves else "i32"
    sign = "i1, " if integers or (newer and halves) else ""
    after = ", i1, i1" if newer else ", i1" if integers else ""
    overloads = f"{sums_name}.v{size}{short}.v{2 * size}{short}.{index}"
    inputs = f"{sign}<{size} x {kind}>, {sign}<{2 * size} x {kind}>"
    text = f"{sums} @llvm.amdgcn.swmmac.{name}.{overloads}({inputs}, {sums}, {index}{after})"
    feature, units = Feature.SWMMAC, Units.GFX942
    if newer:
        feature = Feature.WMMA_K32
        units = Units.GFX125_HALVES if halves else Units.GFX125_BYTES
    return Core(text, feature, a, b, result, words, 2, 8, Results.GFX12, 32, sparse=units)


_F16, _BF16, _TF32, _F64 = Element.F16, Element.BF16, Element.TF32, Element.F64
_S8, _U8, _E4M3, _E5M2 = Element.S8, Element.U8, Element.E4M3, Element.E5M2
_GFX11, _GFX12, _GFX125 = Feature.WMMA_GFX11, Feature.WMMA_GFX12, Feature.WMMA_K32
_FP8, _FP8_GFX9 = Feature.WMMA_FP8, Feature.MFMA_F8F6F4  # the latter's formats are OCP's


class MatrixCore(Enum):
    """The instructions, better ones first."""

    # MFMA of f16 and bf16 flush subnormals before gfx940, the first to have SMFMAC.
    # fmt: off
    GFX11_F16       = _wmma("f32.16x16x16.f16.v8f32.v16f16",    _GFX11,  _F16,  _F16,  "<16 x half>", 8)
    GFX11_BF16      = _wmma("f32.16x16x16.bf16.v8f32.v16i16",   _GFX11,  _BF16, _BF16, "<16 x i16>",  8)
    GFX11_TF32      = _parted(GFX11_BF16)
    GFX11_S8_S8     = _wmma("i32.16x16x16.iu8.v8i32.v4i32",     _GFX11,  _S8,   _S8,   "<4 x i32>",   4)
    GFX11_S8_U8     = replace(GFX11_S8_S8, b=_U8)
    GFX11_U8_S8     = replace(GFX11_S8_S8, a=_U8)
    GFX11_U8_U8     = replace(GFX11_S8_S8, a=_U8, b=_U8)
    GFX125_F16      = _wmma("f32.16x16x32.f16.v8f32.v16f16",    _GFX125, _F16,  _F16,  "<16 x half>", 8)
    GFX125_BF16     = _wmma("f32.16x16x32.bf16.v8f32.v16bf16",  _GFX125, _BF16, _BF16, "<16 x bfloat>", 8)
    GFX125_TF32     = _wmma("f32.16x16x4.f32.v8f32.v2f32", Feature.WMMA_F32, _TF32, _TF32, "<2 x float>", 2)
    GFX125_S8_S8    = _wmma("i32.16x16x64.iu8.v8i32.v8i32",     _GFX125, _S8,   _S8,   "<8 x i32>",   8)
    GFX125_S8_U8    = replace(GFX125_S8_S8, b=_U8)
    GFX125_U8_S8    = replace(GFX125_S8_S8, a=_U8)
    GFX125_U8_U8    = replace(GFX125_S8_S8, a=_U8, b=_U8)
    GFX125_FP8_FP8  = _wmma("f32.16x16x64.fp8.fp8.v8f32.v8i32", _GFX125, _E4M3, _E4M3, "<8 x i32>",   8)
    GFX125_FP8_BF8  = _wmma("f32.16x16x64.fp8.bf8.v8f32.v8i32", _GFX125, _E4M3, _E5M2, "<8 x i32>",   8)
    GFX125_BF8_FP8  = _wmma("f32.16x16x64.bf8.fp8.v8f32.v8i32", _GFX125, _E5M2, _E4M3, "<8 x i32>",   8)
    GFX125_BF8_BF8  = _wmma("f32.16x16x64.bf8.bf8.v8f32.v8i32", _GFX125, _E5M2, _E5M2, "<8 x i32>",   8)
    GFX12_F16       = _wmma("f32.16x16x16.f16.v8f32.v8f16",     _GFX12,  _F16,  _F16,  "<8 x half>",  4)
    GFX12_BF16      = _wmma("f32.16x16x16.bf16.v8f32.v8i16",    _GFX12,  _BF16, _BF16, "<8 x i16>",   4)
    GFX12_TF32      = _parted(GFX12_BF16)
    GFX12_S8_S8     = _wmma("i32.16x16x16.iu8.v8i32.v2i32",     _GFX12,  _S8,   _S8,   "<2 x i32>",   2)
    GFX12_S8_U8     = replace(GFX12_S8_S8, b=_U8)
    GFX12_U8_S8     = replace(GFX12_S8_S8, a=_U8)
    GFX12_U8_U8     = replace(GFX12_S8_S8, a=_U8, b=_U8)
    GFX12_FP8_FP8   = _wmma("f32.16x16x16.fp8.fp8.v8f32.v2i32", _FP8,    _E4M3, _E4M3, "<2 x i32>",   2)
    GFX12_FP8_BF8   = _wmma("f32.16x16x16.fp8.bf8.v8f32.v2i32", _FP8,    _E4M3, _E5M2, "<2 x i32>",   2)
    GFX12_BF8_FP8   = _wmma("f32.16x16x16.bf8.fp8.v8f32.v2i32", _FP8,    _E5M2, _E4M3, "<2 x i32>",   2)
    GFX12_BF8_BF8   = _wmma("f32.16x16x16.bf8.bf8.v8f32.v2i32", _FP8,    _E5M2, _E5M2, "<2 x i32>",   2)
    MFMA_F16        = _mfma("f32.16x16x16f16",     Feature.SMFMAC,       _F16,  _F16,  "<4 x half>",  2)
    MFMA_BF16       = _mfma("f32.16x16x16bf16.1k", Feature.SMFMAC,       _BF16, _BF16, "<4 x i16>",   2)
    MFMA_F16_K32    = _mfma("f32.16x16x32.f16",    Feature.MFMA_F16_K32, _F16,  _F16,  "<8 x half>", 4)
    MFMA_BF16_K32   = _mfma("f32.16x16x32.bf16",   Feature.MFMA_F16_K32, _BF16, _BF16, "<8 x bfloat>", 4)
    MFMA_S8_K64     = _mfma("i32.16x16x64.i8",     Feature.MFMA_I8_K64,  _S8,   _S8,   "<4 x i32>",  4)
    MFMA_S8_K32     = _mfma("i32.16x16x32.i8",     Feature.MFMA_I8_K32,  _S8,   _S8,   "i64",         2)
    MFMA_S8         = _mfma("i32.16x16x16i8",      Feature.MFMA_I8,      _S8,   _S8,   "i32",         1)
    MFMA_XF32       = _mfma("f32.16x16x8.xf32",    Feature.MFMA_XF32,    _TF32, _TF32, "<2 x float>", 2)
    MFMA_F32        = _mfma("f32.16x16x4f32",      Feature.MFMA,         _TF32, _TF32, "float",       1)
    MFMA_F64        = _mfma("f64.16x16x4f64",      Feature.MFMA_F64,     _F64,  _F64,  "double",      1)
    MFMA_FP8_FP8    = _mfma("f32.16x16x32.fp8.fp8", _FP8_GFX9,           _E4M3, _E4M3, "i64",         2)
    MFMA_FP8_BF8    = _mfma("f32.16x16x32.fp8.bf8", _FP8_GFX9,           _E4M3, _E5M2, "i64",         2)
    MFMA_BF8_FP8    = _mfma("f32.16x16x32.bf8.fp8", _FP8_GFX9,           _E5M2, _E4M3, "i64",         2)
    MFMA_BF8_BF8    = _mfma("f32.16x16x32.bf8.bf8", _FP8_GFX9,           _E5M2, _E5M2, "i64",         2)

    # Half of a is stored. gfx942's formats of eight bits are not OCP's.
    SMFMAC_F16      = _smfmac("f32.16x16x32.f16",      _F16,  _F16,  2)
    SMFMAC_BF16     = _smfmac("f32.16x16x32.bf16",     _BF16, _BF16, 2)
    SMFMAC_S8       = _smfmac("i32.16x16x64.i8",       _S8,   _S8,   2)
    SMFMAC_FP8_FP8  = _smfmac("f32.16x16x64.fp8.fp8",  _E4M3, _E4M3, 2)
    SMFMAC_FP8_BF8  = _smfmac("f32.16x16x64.fp8.bf8",  _E4M3, _E5M2, 2)
    SMFMAC_BF8_FP8  = _smfmac("f32.16x16x64.bf8.fp8",  _E5M2, _E4M3, 2)
    SMFMAC_BF8_BF8  = _smfmac("f32.16x16x64.bf8.bf8",  _E5M2, _E5M2, 2)
    GFX950_SP_F16   = _smfmac("f32.16x16x64.f16",      _F16,  _F16,  4)
    GFX950_SP_BF16  = _smfmac("f32.16x16x64.bf16",     _BF16, _BF16, 4)
    GFX950_SP_S8    = _smfmac("i32.16x16x128.i8",      _S8,   _S8,   4)
    GFX950_SP_88    = _smfmac("f32.16x16x128.fp8.fp8", _E4M3, _E4M3, 4)
    GFX950_SP_8B    = _smfmac("f32.16x16x128.fp8.bf8", _E4M3, _E5M2, 4)
    GFX950_SP_B8    = _smfmac("f32.16x16x128.bf8.fp8", _E5M2, _E4M3, 4)
    GFX950_SP_BB    = _smfmac("f32.16x16x128.bf8.bf8", _E5M2, _E5M2, 4)
    GFX125_SP_F16   = _swmmac("f32.16x16x64.f16",      _F16,  _F16,  8)
    GFX125_SP_BF16  = _swmmac("f32.16x16x64.bf16",     _BF16, _BF16, 8)
    GFX125_SP_S8_S8 = _swmmac("i32.16x16x128.iu8",     _S8,   _S8,   8)
    GFX125_SP_S8_U8 = replace(GFX125_SP_S8_S8, b=_U8)
    GFX125_SP_U8_S8 = replace(GFX125_SP_S8_S8, a=_U8)
    GFX125_SP_U8_U8 = replace(GFX125_SP_S8_S8, a=_U8, b=_U8)
    GFX125_SP_88    = _swmmac("f32.16x16x128.fp8.fp8", _E4M3, _E4M3, 8)
    GFX125_SP_8B    = _swmmac("f32.16x16x128.fp8.bf8", _E4M3, _E5M2, 8)
    GFX125_SP_B8    = _swmmac("f32.16x16x128.bf8.fp8", _E5M2, _E4M3, 8)
    GFX125_SP_BB    = _swmmac("f32.16x16x128.bf8.bf8", _E5M2, _E5M2, 8)
    SWMMAC_F16      = _swmmac("f32.16x16x32.f16",      _F16,  _F16,  4)
    SWMMAC_BF16     = _swmmac("f32.16x16x32.bf16",     _BF16, _BF16, 4)
    SWMMAC_S8_S8    = _swmmac("i32.16x16x32.iu8",      _S8,   _S8,   2)
    SWMMAC_S8_U8    = replace(SWMMAC_S8_S8, b=_U8)
    SWMMAC_U8_S8    = replace(SWMMAC_S8_S8, a=_U8)
    SWMMAC_U8_U8    = replace(SWMMAC_S8_S8, a=_U8, b=_U8)
    SWMMAC_FP8_FP8  = _swmmac("f32.16x16x32.fp8.fp8",  _E4M3, _E4M3, 2)
    SWMMAC_FP8_BF8  = _swmmac("f32.16x16x32.fp8.bf8",  _E4M3, _E5M2, 2)
    SWMMAC_BF8_FP8  = _swmmac("f32.16x16x32.bf8.fp8",  _E5M2, _E4M3, 2)
    SWMMAC_BF8_BF8  = _swmmac("f32.16x16x32.bf8.bf8",  _E5M2, _E5M2, 2)
    # fmt: on

    @property
    def core(self) -> Core:
        """The row."""
        core: Core = self.value
        return core
