"""The instructions whose folding by ptxas is tried: opcode patterns, operand widths, input kinds.

Data only. `{}` in a pattern is one of the words; several words multiply. `@` in a signature or in
the kinds is the width or kind that the word stands for.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass

_WIDTHS = {"f16": 16, "bf16": 16, "f32": 32, "f64": 64, "f16x2": 32, "bf16x2": 32}


def bits_of(word: str) -> int:
    """The width of a type."""
    return _WIDTHS.get(word) or int(word[1:])


def kind_of(word: str) -> str:
    """The input kind of a type."""
    return word if word in ("f16", "bf16", "f32", "f64") else f"i{bits_of(word)}"


@dataclass(frozen=True, slots=True)
class Family:
    """One file. `type_word`: which of the words is the type that `@` stands for."""

    name: str
    pattern: str
    words: tuple[str, ...]  # space separated choices, one entry a place; "-" is nothing
    signature: str
    kinds: str
    type_word: int = -1
    second: int | None = None  # the word that `$` stands for
    limit: int = 48
    target: str = "sm_90"
    tolerance: str = ""
    omit: tuple[int, ...] = ()  # inputs that ptxas folds otherwise than its own instruction works

    def instructions(self) -> Iterator[tuple[str, str, list[str]]]:
        """Opcode, signature and input kinds of each."""
        for chosen in itertools.product(*(words.split() for words in self.words)):
            filled = ["" if word == "-" else f".{word}" for word in chosen]
            opcode = self.pattern.format(*filled).lstrip(".")
            signature, kinds = self.signature, self.kinds
            if chosen and "@" in signature + kinds:
                word = chosen[self.type_word]
                signature = signature.replace("@", str(bits_of(word)))
                kinds = kinds.replace("@", kind_of(word))
            if self.second is not None:
                word = chosen[self.second]
                signature = signature.replace("$", str(bits_of(word)))
                kinds = kinds.replace("$", kind_of(word))
            yield opcode, signature, kinds.split()


_INT = "u16 s16 u32 s32 u64 s64"
_RND = "rn rz rm rp"
# Just above one half, and 2^52 + 1: ptxas 13.0 folds .rni of f64 as if it added one half first.
_HALFWAY = (0x3FE0000000000001, 0xBFE0000000000001, 0x4330000000000001, 0xC330000000000001)

# fmt: off
FAMILIES: tuple[Family, ...] = (
    Family("add",      "add{}",          (_INT,),                                "@ <- @ @",       "@ @"),
    Family("sub",      "sub{}",          (_INT,),                                "@ <- @ @",       "@ @"),
    Family("add_sat",  "add.sat.s32",    (),                                     "32 <- 32 32",    "i32 i32"),
    Family("sub_sat",  "sub.sat.s32",    (),                                     "32 <- 32 32",    "i32 i32"),
    Family("mul",      "mul{}{}",        ("lo hi", _INT),                        "@ <- @ @",       "@ @"),
    Family("mul_wide16", "mul.wide{}",   ("u16 s16",),                           "32 <- 16 16",    "i16 i16"),
    Family("mul_wide", "mul.wide{}",     ("u32 s32",),                           "64 <- 32 32",    "i32 i32"),
    Family("mad",      "mad{}{}",        ("lo hi", _INT),                        "@ <- @ @ @",     "@ @ @"),
    Family("mad_wide", "mad.wide{}",     ("u32 s32",),                           "64 <- 32 32 64", "i32 i32 i64"),
    Family("mad_sat",  "mad.hi.sat.s32", (),                                     "32 <- 32 32 32", "i32 i32 i32"),
    Family("mul24",    "mul24{}{}",      ("lo hi", "u32 s32"),                   "32 <- 32 32",    "i32 i32"),
    Family("mad24",    "mad24{}{}",      ("lo hi", "u32 s32"),                   "32 <- 32 32 32", "i32 i32 i32"),
    Family("mad24_sat", "mad24.hi.sat.s32", (),                                  "32 <- 32 32 32", "i32 i32 i32"),
    Family("sad",      "sad{}",          (_INT,),                                "@ <- @ @ @",     "@ @ @"),
    Family("div",      "div{}",          (_INT,),                                "@ <- @ @",       "@ nonzero:@"),
    Family("rem",      "rem{}",          (_INT,),                                "@ <- @ @",       "@ nonzero:@"),
    Family("abs",      "abs{}",          ("s16 s32 s64",),                       "@ <- @",         "@"),
    Family("neg",      "neg{}",          ("s16 s32 s64",),                       "@ <- @",         "@"),
    Family("min",      "min{}",          (_INT,),                                "@ <- @ @",       "@ @"),
    Family("max",      "max{}",          (_INT,),                                "@ <- @ @",       "@ @"),
    Family("minmax_relu", "{}.relu.s32", ("min max",),                           "32 <- 32 32",    "i32 i32", type_word=0),
    Family("popc",     "popc{}",         ("b32 b64",),                           "32 <- @",        "@"),
    Family("clz",      "clz{}",          ("b32 b64",),                           "32 <- @",        "@"),
    Family("bfind",    "bfind{}{}",      ("- shiftamt", "u32 u64 s32 s64"),      "32 <- @",        "@"),
    Family("fns",      "fns.b32",        (),                                     "32 <- 32 32 32", "i32 lane amount"),
    Family("brev",     "brev{}",         ("b32 b64",),                           "@ <- @",         "@"),
    Family("bfe",      "bfe{}",          ("u32 u64 s32 s64",),                   "@ <- @ 32 32",   "@ amount amount", limit=160),
    Family("bfi",      "bfi{}",          ("b32 b64",),                           "@ <- @ @ 32 32", "@ @ amount amount", limit=160),
    Family("szext",    "szext{}{}",      ("clamp wrap", "u32 s32"),              "32 <- 32 32",    "i32 amount"),
    Family("bmsk",     "bmsk{}.b32",     ("clamp wrap",),                        "32 <- 32 32",    "amount amount", type_word=0),
    Family("dp4a",     "dp4a{}{}",       ("u32 s32", "u32 s32"),                 "32 <- 32 32 32", "i32 i32 i32"),
    Family("dp2a",     "dp2a{}{}{}",     ("lo hi", "u32 s32", "u32 s32"),        "32 <- 32 32 32", "i32 i32 i32"),
    Family("bits",     "{}{}",           ("and or xor", "b16 b32 b64"),          "@ <- @ @",       "@ @"),
    Family("not",      "{}{}",           ("not cnot", "b16 b32 b64"),            "@ <- @",         "@"),
    Family("shf",      "shf{}{}.b32",    ("l r", "clamp wrap"),                  "32 <- 32 32 32", "i32 i32 amount", type_word=0, limit=80),
    Family("shl",      "shl{}",          ("b16 b32 b64",),                       "@ <- @ 32",      "@ amount", limit=80),
    Family("shr",      "shr{}",          ("b16 b32 b64 u16 u32 u64 s16 s32 s64",), "@ <- @ 32",    "@ amount", limit=80),
    Family("prmt",     "prmt.b32{}",     ("- f4e b4e rc8 ecl ecr rc16",),        "32 <- 32 32 32", "i32 i32 i32", type_word=0),
    Family("selp",     "selp{}",         ("b16 b32 b64",),                       "@ <- @ @ p",     "@ @ p"),
    Family("slct_int", "slct{}.s32",     ("b16 b32 b64",),                       "@ <- @ @ 32",    "@ @ i32"),
    Family("slct_f32", "slct{}{}.f32",   ("- ftz", "b16 b32 b64"),               "@ <- @ @ 32",    "@ @ f32", limit=80),
    Family("set_int",  "set{}{}{}",      ("eq ne lt le gt ge", "u32 f32", "u16 s16 u32 s32 u64 s64"), "32 <- @ @", "@ @", limit=24),
    Family("set_unsigned", "set{}.u32{}", ("lo ls hi hs", "u32 u64"),            "32 <- @ @",      "@ @", limit=24),
    Family("setp_int", "setp{}{}",       ("eq ne lt le gt ge", "u16 s16 u32 s32 u64 s64"), "p <- @ @", "@ @", limit=24),
    Family("setp_bool", "setp{}{}.s32",  ("lt ge", "and or xor"),                "p p <- 32 32 p", "i32 i32 p", type_word=0),
    Family("set_float", "set{}{}{}{}",   ("eq ne lt le gt ge equ neu ltu leu gtu geu num nan", "- ftz", "u32 f32", "f32"), "32 <- @ @", "@ @"),
    Family("set_double", "set{}.u32.f64", ("eq ne lt le gt ge equ neu ltu leu gtu geu num nan",), "32 <- 64 64", "f64 f64", type_word=0),
    Family("setp_float", "setp{}{}.f32", ("eq ne lt le gt ge equ neu ltu leu gtu geu num nan", "- ftz"), "p <- 32 32", "f32 f32", type_word=0),
    Family("setp_double", "setp{}.f64",  ("eq ne lt le gt ge equ neu ltu leu gtu geu num nan",), "p <- 64 64", "f64 f64", type_word=0),
    Family("testp",    "testp{}{}",      ("finite infinite number notanumber normal subnormal", "f32 f64"), "p <- @", "@", limit=80),
    Family("copysign", "copysign{}",     ("f32 f64",),                           "@ <- @ @",       "@ @"),
    Family("fadd",     "{}{}{}{}.f32",   ("add sub mul", _RND, "- ftz", "- sat"), "32 <- 32 32",   "f32 f32", type_word=1, limit=96),
    Family("dadd",     "{}{}.f64",       ("add sub mul div", _RND),              "64 <- 64 64",    "f64 f64", type_word=1, limit=64),
    Family("ffma",     "fma{}{}{}.f32",  (_RND, "- ftz", "- sat"),               "32 <- 32 32 32", "f32 f32 f32", type_word=0, limit=96),
    Family("dfma",     "fma{}.f64",      (_RND,),                                "64 <- 64 64 64", "f64 f64 f64", type_word=0, limit=64),
    Family("fdiv",     "div{}{}.f32",    (_RND, "- ftz"),                        "32 <- 32 32",    "f32 f32", type_word=0, limit=96),
    Family("fdiv_approx", "div{}{}.f32", ("approx full", "- ftz"),               "32 <- 32 32",    "f32 f32", type_word=0, limit=96, tolerance="ulp 2 f32"),
    Family("fabs",     "{}{}.f32",       ("abs neg", "- ftz"),                   "32 <- 32",       "f32", type_word=0, limit=80, tolerance="nan f32"),
    Family("dabs",     "{}.f64",         ("abs neg",),                           "64 <- 64",       "f64", type_word=0, limit=80, tolerance="nan f64"),
    Family("fmin",     "{}{}{}.f32",     ("min max", "- ftz", "- NaN xorsign.abs NaN.xorsign.abs"), "32 <- 32 32", "f32 f32", type_word=0, limit=96),
    Family("fmin3",    "{}{}{}{}.f32",   ("min max", "- ftz", "- NaN", "- abs"), "32 <- 32 32 32", "f32 f32 f32", type_word=0, limit=96, target="sm_100"),
    Family("dmin",     "{}.f64",         ("min max",),                           "64 <- 64 64",    "f64 f64", type_word=0, limit=96),
    Family("frcp",     "{}{}{}.f32",     ("rcp sqrt", _RND, "- ftz"),            "32 <- 32",       "f32", type_word=1, limit=96),
    Family("frcp_approx", "{}.approx{}.f32", ("rcp sqrt", "- ftz"),              "32 <- 32",       "f32", type_word=1, limit=96, tolerance="ulp 1 f32"),
    Family("drcp",     "{}{}.f64",       ("rcp sqrt", _RND),                     "64 <- 64",       "f64", type_word=1, limit=96),
    Family("approx",   "{}.approx{}.f32", ("rsqrt lg2 ex2", "- ftz"),            "32 <- 32",       "f32", type_word=1, limit=96, tolerance="ulp 4 f32"),
    Family("sincos",   "{}.approx{}.f32", ("sin cos", "- ftz"),                  "32 <- 32",       "f32", type_word=1, limit=96, tolerance="absolute 20 f32"),
    Family("approx_f64", "{}.approx.ftz.f64", ("rcp rsqrt",),                    "64 <- 64",       "f64", type_word=0, limit=64, tolerance="ulp 68719476736 f64"),
    Family("tanh",     "tanh.approx.f32", (),                                    "32 <- 32",       "f32", limit=96, tolerance="ulp 4 f32"),
    Family("half",     "{}.rn{}{}",      ("add sub mul", "- sat ftz", "f16"),    "16 <- 16 16",    "f16 f16", limit=64),
    Family("bhalf",    "{}.rn.bf16",     ("add sub mul",),                       "16 <- 16 16",    "bf16 bf16", type_word=0, limit=64),
    Family("hfma",     "fma.rn{}.f16",   ("- sat ftz relu",),                    "16 <- 16 16 16", "f16 f16 f16", type_word=0, limit=64),
    Family("hmin",     "{}{}.f16",       ("min max", "- NaN xorsign.abs NaN.xorsign.abs"), "16 <- 16 16", "f16 f16", type_word=0, limit=64),
    Family("habs",     "{}.f16",         ("abs neg",),                           "16 <- 16",       "f16", type_word=0, limit=64, tolerance="nan f16"),
    Family("cvt_int",  "cvt{}{}",        ("u16 s16 u32 s32 u64 s64", "u16 s16 u32 s32 u64 s64"), "$ <- @", "@", second=0, limit=24),
    Family("cvt_from_float", "cvt{}{}{}", ("rni rzi rmi rpi", "u32 s32 u64 s64", "f32 f64"), "$ <- @", "@", second=1, limit=80, omit=_HALFWAY),
    Family("cvt_from_float_ftz", "cvt.rpi.ftz{}{}", ("u32 s32 u64 s64", "f32"),   "$ <- @",         "@", second=0, limit=80),
    Family("cvt_from_half", "cvt{}{}{}", ("rni rzi rmi rpi", "u32 s32 u64 s64", "f16"), "$ <- @", "@", second=1, limit=80),
    Family("cvt_to_float", "cvt{}{}{}",  (_RND, "f32 f64", "u32 s32 u64 s64"),   "$ <- @",         "@", second=1, limit=60),
    Family("cvt_to_half", "cvt{}{}{}",   (_RND, "f16", "u32 s32 u64 s64"),       "$ <- @",         "@", second=1, limit=60),
    Family("cvt_round", "cvt{}{}{}.f32.f32", ("rni rzi rmi rpi", "- ftz", "- sat"), "32 <- 32",    "f32", type_word=0, limit=80),
    Family("cvt_round_f64", "cvt{}.f64.f64", ("rni rzi rmi rpi",),               "64 <- 64",       "f64", type_word=0, limit=80),
    Family("cvt_narrow", "cvt{}{}{}.f32.f64", (_RND, "- ftz", "- sat"),          "32 <- 64",       "f64", type_word=0, limit=96, tolerance="nan f32"),
    Family("cvt_widen", "cvt{}.f64.f32", ("- ftz",),                             "64 <- 32",       "f32", type_word=0, limit=96, tolerance="nan f64"),
    Family("cvt_f16",  "cvt{}{}.f16.f32", (_RND, "- ftz"),                       "16 <- 32",       "f32", type_word=0, limit=96, tolerance="nan f16"),
    Family("cvt_f16_f64", "cvt{}.f16.f64", (_RND,),                              "16 <- 64",       "f64", type_word=0, limit=96, tolerance="nan f16"),
    Family("cvt_from_f16", "cvt{}.f32.f16", ("- ftz",),                          "32 <- 16",       "f16", type_word=0, limit=96, tolerance="nan f32"),
    Family("cvt_f64_f16", "cvt.f64.f16", (),                                     "64 <- 16",       "f16", limit=96, tolerance="nan f64"),
    Family("cvt_bf16", "cvt{}{}.bf16.f32", ("rn rz", "- relu"),                  "16 <- 32",       "f32", type_word=0, limit=96),
    Family("cvt_from_bf16", "cvt.f32.bf16", (),                                  "32 <- 16",       "bf16", limit=96, tolerance="nan f32"),
    Family("cvt_tf32", "cvt{}.tf32.f32", ("rna rn rz",),                         "32 <- 32",       "f32", type_word=0, limit=96),
    Family("cvt_pack", "cvt.pack.sat{}.s32", ("u16 s16",),                       "32 <- 32 32",    "i32 i32", type_word=0),
    Family("cvt_half_x2", "cvt.rn{}.f16x2.f32", ("- relu satfinite",),           "32 <- 32 32",    "f32 f32", type_word=0, limit=96),
    Family("vadd",     "{}{}{}{}{}",     ("vadd vsub vabsdiff vmin vmax", "u32 s32", "u32 s32", "u32 s32", "- sat"), "32 <- 32 32", "i32 i32", type_word=1, limit=32),
    Family("vadd_second", "{}{}{}.s32{}{}", ("vadd vsub vabsdiff vmin vmax", "u32 s32", "s32", "- sat", "add min max"), "32 <- 32 32 32", "i32 i32 i32", type_word=1, limit=32),
    Family("vshift",   "{}{}{}.u32{}{}", ("vshl vshr", "u32 s32", "u32 s32", "- sat", "clamp wrap"), "32 <- 32 32", "i32 amount", type_word=1, limit=48),
    Family("vset",     "vset{}{}{}",     ("u32 s32", "u32 s32", "eq ne lt le gt ge"), "32 <- 32 32",  "i32 i32", type_word=0, limit=32),
    Family("vset_second", "vset{}{}.lt{}", ("u32 s32", "u32 s32", "add min max"), "32 <- 32 32 32", "i32 i32 i32", type_word=0, limit=32),
    Family("vmad",     "vmad{}{}{}{}{}", ("u32 s32", "u32 s32", "u32 s32", "- sat", "- shr7 shr15"), "32 <- 32 32 32", "i32 i32 i32", type_word=0, limit=32),
    Family("vmad_po",  "vmad{}{}{}.po{}{}", ("u32 s32", "u32 s32", "u32 s32", "- sat", "- shr7"), "32 <- 32 32 32", "i32 i32 i32", type_word=0, limit=32),
    Family("vlanes2",  "{}{}{}{}{}",     ("vadd2 vsub2 vavrg2 vabsdiff2 vmin2 vmax2", "u32 s32", "u32 s32", "s32", "- sat add"), "32 <- 32 32 32", "i32 i32 i32", type_word=1, limit=24),
    Family("vlanes4",  "{}{}{}{}{}",     ("vadd4 vsub4 vavrg4 vabsdiff4 vmin4 vmax4", "u32 s32", "u32 s32", "u32", "- sat add"), "32 <- 32 32 32", "i32 i32 i32", type_word=1, limit=24),
    Family("vset_lanes", "{}{}{}{}{}",   ("vset2 vset4", "u32 s32", "u32 s32", "eq lt ge", "- add"), "32 <- 32 32 32", "i32 i32 i32", type_word=1, limit=24),
)
# fmt: on
