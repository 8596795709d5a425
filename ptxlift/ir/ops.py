"""The op table: every IR op, its operands, results, attributes and effects.

Values are bit patterns of a known width (i1, i8, i16, i32, i64, i128). Signedness, format, rounding and flushing are
attributes or part of the op's name. Every pure op is total: no input is undefined. A pure op that is not primitive has one
definition in primitives (`semantics.definitions`), which says what it means; backends may do better.
"""

from __future__ import annotations

from enum import Enum
from functools import cache

from ptxlift.records import dataclass


class Effect(Enum):
    """What an op does beside its results; passes ask for this, never for names."""

    PURE = "pure"
    READ = "read"
    WRITE = "write"
    ATOMIC = "atomic"  # reads, writes and orders
    WARP = "warp"  # exchanges values between lanes: convergent
    BARRIER = "barrier"  # convergent, orders memory
    CALL = "call"
    TERMINATOR = "terminator"


@dataclass(frozen=True, slots=True)
class OpDef:
    """One row.

    `signature`: operand widths -> result widths; N and M are free widths, F the width of attribute
    `fmt`, W that of attribute `width`, `*` any number of values.
    """

    name: str
    signature: str
    attributes: tuple[str, ...]
    effect: Effect
    primitive: bool
    meaning: str


# fmt: off
_PURE = [
    # integers ------------------------------------------------------------------------------------------------------------
    ("const",       "-> W",             "width bits",   True,  "the bits"),
    ("undef",       "-> W",             "width",        True,  "some value, the same at every use"),
    ("add",         "N N -> N",         "",             True,  "a + b mod 2^N"),
    ("sub",         "N N -> N",         "",             True,  "a - b mod 2^N"),
    ("mul",         "N N -> N",         "",             True,  "a * b mod 2^N"),
    ("umulh",       "N N -> N",         "",             True,  "high half of the unsigned product"),
    ("smulh",       "N N -> N",         "",             True,  "high half of the signed product"),
    ("udiv",        "N N -> N",         "",             True,  "unsigned quotient; by 0: a"),
    ("urem",        "N N -> N",         "",             True,  "unsigned remainder; by 0: 0"),
    ("sdiv",        "N N -> N",         "",             True,  "signed quotient toward zero, MIN/-1 wraps to MIN; by 0: a"),
    ("srem",        "N N -> N",         "",             True,  "signed remainder with the sign of a; by 0: 0"),
    ("and_",        "N N -> N",         "",             True,  "bitwise and"),
    ("or_",         "N N -> N",         "",             True,  "bitwise or"),
    ("xor",         "N N -> N",         "",             True,  "bitwise exclusive or"),
    ("not_",        "N -> N",           "",             True,  "bitwise complement"),
    ("shl",         "N 32 -> N",        "",             True,  "a << n; 0 when n >= N (n unsigned)"),
    ("lshr",        "N 32 -> N",        "",             True,  "a >> n with zeros; 0 when n >= N"),
    ("ashr",        "N 32 -> N",        "",             True,  "a >> n with sign bits; sign fill when n >= N"),
    ("fshl",        "N N 32 -> N",      "",             True,  "upper N bits of (a:b) << (n mod N); a is the upper word"),
    ("fshr",        "N N 32 -> N",      "",             True,  "lower N bits of (a:b) >> (n mod N); a is the upper word"),
    ("umin",        "N N -> N",         "",             True,  "unsigned minimum"),
    ("umax",        "N N -> N",         "",             True,  "unsigned maximum"),
    ("smin",        "N N -> N",         "",             True,  "signed minimum"),
    ("smax",        "N N -> N",         "",             True,  "signed maximum"),
    ("popcount",    "N -> 32",          "",             True,  "number of ones"),
    ("clz",         "N -> 32",          "",             True,  "leading zeros; N for 0"),
    ("ctz",         "N -> 32",          "",             True,  "trailing zeros; N for 0"),
    ("bitreverse",  "N -> N",           "",             True,  "bit i to bit N-1-i"),
    ("icmp",        "N N -> 1",         "predicate",    True,  "IntPredicate"),
    ("select",      "1 N N -> N",       "",             True,  "c ? a : b"),
    ("zext",        "N -> W",           "width",        True,  "zero extension, W > N"),
    ("sext",        "N -> W",           "width",        True,  "sign extension, W > N"),
    ("trunc",       "N -> W",           "width",        True,  "low W bits, W < N"),
    ("pack",        "* -> W",           "width",        True,  "concatenation, first operand lowest; W = sum of widths"),
    ("extract",     "N -> W",           "width offset", True,  "bits offset .. offset+W-1"),
    ("add_carry",   "N N 1 -> N 1",     "",             True,  "a + b + c and its carry out"),
    ("sub_borrow",  "N N 1 -> N 1",     "",             True,  "a - b - c and its borrow out"),
    ("bfe_u",       "N 32 32 -> N",     "",             False, "bfe: field at pos of len bits (32-bit fields: pos&255, len&255), zero-extended"),
    ("bfe_s",       "N 32 32 -> N",     "",             False, "bfe: the same, sign-extended as PTX defines past the msb"),
    ("bfi",         "N N 32 32 -> N",   "",             False, "bfi a, b, pos, len: len bits of a into b at pos; counts as bfe"),
    ("bfind",       "N -> 32",          "signed shift", False, "position of the highest non-sign bit, or -1; shift: its distance from the msb"),
    ("bitwise3",    "N N N -> N",       "lut",          False, "lop3: bit i of lut for inputs i = a*4+b*2+c"),
    ("prmt",        "32 32 32 -> 32",   "",             False, "bytes of (b:a) by four selectors; bit 3 replicates the sign"),
    ("dp4a",        "32 32 32 -> 32",   "a_signed b_signed", False, "four 8-bit products added to c, wraps"),
    ("dp2a",        "32 32 32 -> 32",   "a_signed b_signed high", False, "two 16-bit by 8-bit products added to c; bytes 2,3 of b when high"),
    ("sad_u",       "N N N -> N",       "",             False, "c + |a - b| unsigned"),
    ("sad_s",       "N N N -> N",       "",             False, "c + |a - b| signed"),
    ("sad_bytes",   "32 32 32 -> 32",   "",             False, "c + the four |a - b| of unsigned bytes"),
    ("uadd_sat",    "N N -> N",         "",             False, "unsigned saturating sum"),
    ("sadd_sat",    "N N -> N",         "",             False, "signed saturating sum"),
    ("ssub_sat",    "N N -> N",         "",             False, "signed saturating difference"),
    # floats: bits in, bits out; `ftz` flushes subnormal inputs and results to zero of their sign ---------------------------
    ("fadd",        "F F -> F",         "fmt rounding ftz",  True,  "a + b, rounded once"),
    ("fsub",        "F F -> F",         "fmt rounding ftz",  True,  "a - b, rounded once"),
    ("fmul",        "F F -> F",         "fmt rounding ftz",  True,  "a * b, rounded once"),
    ("ffma",        "F F F -> F",       "fmt rounding ftz",  True,  "a * b + c, rounded once"),
    ("fdiv",        "F F -> F",         "fmt rounding ftz",  True,  "a / b, rounded once"),
    ("fsqrt",       "F -> F",           "fmt rounding ftz",  True,  "square root, rounded once"),
    ("fneg",        "F -> F",           "fmt",          True,  "sign bit flipped, NaN too"),
    ("fabs",        "F -> F",           "fmt",          True,  "sign bit cleared, NaN too"),
    ("fflush",      "F -> F",           "fmt",          True,  "subnormal to zero of its sign, else unchanged"),
    ("fsaturate",   "F -> F",           "fmt",          True,  "clamped to [+0, 1]; NaN to +0"),
    ("fmin",        "F F -> F",         "fmt ftz nan",  True,  "minimum, -0 < +0; one NaN: the number, or canonical NaN if `nan`"),
    ("fmax",        "F F -> F",         "fmt ftz nan",  True,  "maximum, -0 < +0; NaN as fmin"),
    ("fcmp",        "F F -> 1",         "fmt predicate ftz", True, "FloatPredicate"),
    ("fround",      "F -> F",           "fmt rounding ftz",  True,  "to an integral value (RN RZ RM RP), -0 kept"),
    ("fconvert",    "N -> M",           "source fmt rounding ftz", True, "format source to fmt, rounded once; NaN to canonical NaN when narrowing; ftz: the f32 side only"),
    ("float_to_int","F -> W",           "fmt width signed rounding ftz", True, "rounded to an integer, clamped; NaN: 0, or the msb alone at 64 bits"),
    ("int_to_float","N -> F",           "signed fmt rounding", True,  "rounded once"),
    ("fapprox",     "F -> F",           "function fmt ftz",  True,  "rcp rsqrt sqrt sin cos lg2 ex2 tanh within PTX's bound"),
    ("fdiv_approx", "F F -> F",         "fmt ftz full", True,  "div.approx / div.full within PTX's bound"),
]
_OTHER = [
    # lane and launch -------------------------------------------------------------------------------------------------------
    ("special",         "-> W",         "width register",                          Effect.PURE,    "a Special register"),
    ("clock",           "-> W",         "width register",                          Effect.ATOMIC,  "a Special register that changes by itself"),
    # addresses are integers: i64 generic/global/const/param, i32 shared/local ---------------------------------------------
    ("kernel_param",    "-> W",         "width offset",                            Effect.PURE,    "bits of the kernel's parameter block"),
    ("kernel_param_address", "-> 64",   "offset",                                  Effect.PURE,    "address of the parameter block + offset (space param)"),
    ("symbol_address",  "-> W",         "width symbol",                            Effect.PURE,    "address of a module symbol in its own space"),
    ("function_address","-> 64",        "symbol",                                  Effect.PURE,    "address of a function"),
    ("frame_address",   "-> 32",        "slot",                                    Effect.PURE,    "address of one of the function's local slots (space local)"),
    ("to_generic",      "N -> 64",      "space",                                   Effect.PURE,    "cvta"),
    ("from_generic",    "64 -> W",      "width space",                             Effect.PURE,    "cvta.to"),
    ("is_space",        "64 -> 1",      "space",                                   Effect.PURE,    "isspacep"),
    # memory ------------------------------------------------------------------------------------------------------------------
    ("load",            "N -> *",       "space width count align order scope hint",    Effect.READ,   "count elements of width bits"),
    ("store",           "N * ->",       "space width count align order scope hint",    Effect.WRITE,  "count elements of width bits"),
    ("atomic",          "N * -> W",     "space width op number order scope returns",   Effect.ATOMIC, "read-modify-write; CAS takes compare and new value; result: the old value"),
    ("fence",           "->",           "order scope",                             Effect.ATOMIC,  "memory fence"),
    # textures and surfaces: `ir.images` says which operands stand in which order ---------------------------------------------
    ("texture",         "64 64 * -> 32 32 32 32", "geometry number lod offset",    Effect.READ,    "tex: texture and sampler object, coordinates -> the channels as they come"),
    ("texture_gather",  "64 64 * -> 32 32 32 32", "geometry component offset",     Effect.READ,    "tld4: one channel of four texels"),
    ("image_query",     "64 * -> 32",       "query",                               Effect.READ,    "txq, suq"),
    ("surface_load",    "64 * -> *",        "geometry width count border",         Effect.READ,    "suld.b: surface object, coordinates -> values"),
    ("surface_store",   "64 * ->",          "geometry width count border formatted", Effect.WRITE, "sust.b, sust.p: surface object, coordinates, values"),
    ("surface_reduce",  "64 * ->",          "geometry width op number border formatted", Effect.ATOMIC, "sured.b, sured.p: surface object, coordinates, value"),
    # warp: `mask` is the PTX member mask; every op stays in the PTX warp of 32 lanes ------------------------------------------
    ("shuffle",         "32 32 32 32 -> 32 1", "mode",                            Effect.WARP,    "shfl.sync: value, b, c, mask -> value, in-range predicate"),
    ("permute",         "32 32 -> 32",  "lanes",                                   Effect.WARP,    "value, lane -> the lane's value; `lanes`: what lane is in each of 32, all of which are there"),
    ("move_lanes",      "32 -> 32",     "lanes all_active",                        Effect.WARP,    "value -> the value of the lane that `lanes` says for each of 32, -1: any; `all_active`: all 32 are there"),
    ("read_lane",       "32 32 -> 32",  "",                                        Effect.WARP,    "value, lane -> the value of that lane of the own warp; all lanes of the wave name the same"),
    ("reduce_warp",     "32 -> 32",     "op number",                               Effect.WARP,    "as reduce over all 32 lanes; anything if some are not there"),
    ("scan_warp",       "32 -> 32",     "op number width",                         Effect.WARP,    "in each lane what it and the lanes below it in segments of `width` reduce to; anything above one that is not there"),
    ("vote",            "1 32 -> 1",    "mode",                                    Effect.WARP,    "vote.sync all/any/uni"),
    ("ballot",          "1 32 -> 32",   "",                                        Effect.WARP,    "vote.sync.ballot"),
    ("active_mask",     "-> 32",        "",                                        Effect.WARP,    "activemask"),
    ("match_any",       "N 32 -> 32",   "",                                        Effect.WARP,    "match.any.sync"),
    ("match_all",       "N 32 -> 32 1", "",                                        Effect.WARP,    "match.all.sync"),
    ("reduce",          "32 32 -> 32",  "op number",                               Effect.WARP,    "redux.sync"),
    ("elect",           "32 -> 32 1",   "",                                        Effect.WARP,    "elect.sync: leader lane, am-I-leader"),
    ("mma",             "* -> *",       "shape a b accumulator result operation arrangement rounding satfinite selectors", Effect.WARP, "ir.matrix: d = a * b + c; registers of a, b, c (and metadata of a sparse a) -> of d, in mma.sync's fragments"),
    ("matrix_load",     "32 -> *",      "transposed",                              Effect.WARP,    "ldmatrix of 8 by 8 halves: lane 8j + r has the shared address of row r of matrix j -> one register a matrix"),
    ("matrix_core",     "* -> *",       "core",                                    Effect.WARP,    "a backend's own matrix instruction: registers of a, b, c -> of d"),
    ("wave_permute",    "32 32 -> 32",  "lanes",                                   Effect.WARP,    "like permute, among the 64 lanes of a wave that holds two warps"),
    ("is_among",        "-> 1",         "mask lanes",                              Effect.PURE,    "whether the bit of the own lane, of 32 or of a wave of 64, is set in mask"),
    ("warp_barrier",    "32 ->",        "",                                        Effect.BARRIER, "bar.warp.sync"),
    # a target's own instructions: `text` names its results and then its operands `$0`, `$1`, ... ------------------------------
    ("native",          "* -> *",       "text tied",                               Effect.BARRIER, "PTX as it is; the last `tied` operands are results before they are written"),
    ("native_value",    "* -> *",       "text",                                    Effect.PURE,    "the same, without any effect"),
    # block ---------------------------------------------------------------------------------------------------------------------
    ("barrier",         "32 32 1 -> 32","mode counted",                            Effect.BARRIER, "id, thread count (if counted), predicate -> popc or predicate as 0/1 (0 for sync)"),
    ("named_barrier",   "->",           "mode number waves",                       Effect.BARRIER, "sync or arrive at one of the barriers of a block that count waves of 32"),
    ("sleep",           "32 ->",        "",                                        Effect.WRITE,   "nanosleep"),
    # calls and control -------------------------------------------------------------------------------------------------------
    ("call",            "* -> *",       "symbol result_widths",                    Effect.CALL,    "direct call"),
    ("call_indirect",   "64 * -> *",    "result_widths",                           Effect.CALL,    "address, arguments"),
    ("br",              "* ->",         "",                                        Effect.TERMINATOR, "to the only successor"),
    ("cond_br",         "1 * ->",       "",                                        Effect.TERMINATOR, "to successor 0 if true, else 1"),
    ("switch",          "32 * ->",      "",                                        Effect.TERMINATOR, "to successor i; out of range: the last"),
    ("ret",             "* ->",         "",                                        Effect.TERMINATOR, "leaves the function"),
    ("exit",            "->",           "",                                        Effect.TERMINATOR, "ends the thread"),
    ("trap",            "->",           "",                                        Effect.TERMINATOR, "aborts the grid"),
    ("unreachable",     "->",           "",                                        Effect.TERMINATOR, "never reached"),
]
# fmt: on


@cache
def op_table() -> dict[str, OpDef]:
    """Every op by name."""
    table = {}
    for name, signature, attributes, primitive, meaning in _PURE:
        pure = OpDef(name, signature, tuple(attributes.split()), Effect.PURE, primitive, meaning)
        table[name] = pure
    for name, signature, attributes, effect, meaning in _OTHER:
        table[name] = OpDef(name, signature, tuple(attributes.split()), effect, True, meaning)
    return table
