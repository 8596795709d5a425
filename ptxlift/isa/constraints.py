"""Which combinations of modifiers exist: the predicates that `Row.when` names.

Comes in: the words of a form's modifiers. Goes out: whether ptxas knows the combination. Pure
functions, one fact each, named after what must hold. This module must know no operands and no
versions.
"""

from __future__ import annotations

from ptxlift.isa.row import Values
from ptxlift.isa.types import type_of

_BITWISE = ("and", "or", "xor")
_SIGNED_ORDER = ("eq", "ne", "lt", "le", "gt", "ge")


def _bits(word: str) -> int:
    return type_of(word).bits


def _wide_vector(v: Values) -> bool:
    """The 256-bit vectors: v8 of 32 bits, v4 of 64 bits."""
    return (v["vec"], _bits(v["type"])) in (("v8", 32), ("v4", 64))


def vector_fits(v: Values) -> bool:
    """At most 128 bits, and no vector of b128."""
    if not v["vec"]:
        return True
    length = int(v["vec"][1:])
    return length * _bits(v["type"]) <= 128 and v["type"] != "b128"


def _generic_or_global(v: Values) -> bool:
    return v.get("ss", "") in ("", "global")


def _hint_fits(v: Values) -> bool:
    hints = (v.get("cache_hint"), v.get("prefetch_size"), v.get("l1ev"))
    return _generic_or_global(v) or not any(hints)


def cache_hint_fits(v: Values) -> bool:
    """Cache hints are for global and generic addresses."""
    return _hint_fits(v)


def plain_access(v: Values) -> bool:
    """Weak accesses: hints only for global and generic."""
    return vector_fits(v) and _hint_fits(v)


def volatile_access(v: Values) -> bool:
    return vector_fits(v) and _hint_fits(v)


def global_access(v: Values) -> bool:
    """Accesses that may be 256 bits wide; `.L2::evict_*` goes with those only."""
    wide = _wide_vector(v)
    return (wide or vector_fits(v)) and (wide or not v["l2ev"])


def ordered_access(v: Values) -> bool:
    """Like `global_access`, and 256 bits need `.global` spelled out."""
    wide = _wide_vector(v) and v["ss"] == "global"
    return (wide or vector_fits(v)) and (wide or not v["l2ev"]) and _hint_fits(v)


def async_vector_fits(v: Values) -> bool:
    return v["vec"] != "v4" or _bits(v["type"]) == 32


def sem_with_scope(v: Values) -> bool:
    return bool(v["sem"]) == bool(v["scope"])


# ---- compare, min/max ----


def compare_fits(v: Values) -> bool:
    """Bits compare for equality only; lo, ls, hi, hs are for unsigned types."""
    if v["stype"][0] == "b":
        return v["CmpOp"] in ("eq", "ne")
    return v["stype"][0] == "u" or v["CmpOp"] in _SIGNED_ORDER


def half_result_compare(v: Values) -> bool:
    """Compares with an .f16 or .bf16 result."""
    stype = v["stype"]
    if v.get("ftz") and stype not in ("f16", "f32"):
        return False
    if stype in ("f16", "f32", "f64"):
        return True
    return v["CmpOp"] in (("eq", "ne") if stype[0] == "b" else _SIGNED_ORDER)


def xorsign_with_abs(v: Values) -> bool:
    return bool(v["xorsign"]) == bool(v["abs"])


# ---- multimem, atomics, bulk reductions ----


def multimem_integer(v: Values) -> bool:
    if v["op"] == "add" and v["type"] == "s64":
        return False
    return (v["op"] in _BITWISE) == (v["type"][0] == "b")


def multimem_integer_ordered(v: Values) -> bool:
    return multimem_integer(v) and sem_with_scope(v)


# type -> (vector lengths, "-" for a scalar; accumulators; operations) that multimem knows
_MULTIMEM: dict[str, tuple[str, str, str]] = {
    "f16": ("v2 v4 v8", "acc::f32", "add min max"),
    "bf16": ("v2 v4 v8", "acc::f32", "add min max"),
    "f16x2": ("- v2 v4", "acc::f32", "add min max"),
    "bf16x2": ("- v2 v4", "acc::f32", "add min max"),
    "f32": ("- v2 v4", "", "add"),
    "f64": ("-", "", "add"),
    "e5m2": ("v4 v8", "acc::f16", "add min max"),
    "e4m3": ("v4 v8", "acc::f16", "add min max"),
    "e5m2x2": ("v2 v4 v8", "acc::f16", "add min max"),
    "e4m3x2": ("v2 v4 v8", "acc::f16", "add min max"),
    "e5m2x4": ("- v2 v4", "acc::f16", "add min max"),
    "e4m3x4": ("- v2 v4", "acc::f16", "add min max"),
}


def multimem_float(v: Values) -> bool:
    vectors, accumulator, operations = _MULTIMEM[v["type"]]
    if (v["vec"] or "-") not in vectors.split():
        return False
    operation = v.get("op", "add")
    if v.get("acc") and operation != "add":
        return False
    return operation in operations.split() and v.get("acc", "") in ("", accumulator)


def multimem_float_ordered(v: Values) -> bool:
    return multimem_float(v) and sem_with_scope(v)


# operation -> types, for each family of reductions
_ATOM = {
    "and": "b32 b64", "or": "b32 b64", "xor": "b32 b64", "exch": "b32 b64",
    "add": "u32 u64 s32 f32 f64", "inc": "u32", "dec": "u32",
    "min": "u32 s32 u64 s64", "max": "u32 s32 u64 s64",
}  # fmt: skip
_BULK_SHARED = {
    "and": "b32", "or": "b32", "xor": "b32", "add": "u32 s32 u64", "inc": "u32", "dec": "u32",
    "min": "s32 u32", "max": "s32 u32",
}  # fmt: skip
_BULK_GLOBAL = {
    "and": "b32 b64", "or": "b32 b64", "xor": "b32 b64", "add": "u32 s32 u64 f32 f64",
    "inc": "u32", "dec": "u32",
    "min": "s32 u32 s64 u64 f16 bf16", "max": "s32 u32 s64 u64 f16 bf16",
}  # fmt: skip
_SURFACE_BYTES = {
    "and": "b32", "or": "b32", "add": "u32 s32 u64",
    "min": "u32 s32 u64 s64", "max": "u32 s32 u64 s64",
}  # fmt: skip


def atomic_fits(v: Values) -> bool:
    return v["type"] in _ATOM[v["op"]].split() and _hint_fits(v)


def bulk_shared_fits(v: Values) -> bool:
    return v["type"] in _BULK_SHARED[v["op"]].split()


def bulk_global_fits(v: Values) -> bool:
    return v["type"] in _BULK_GLOBAL[v["op"]].split()


def surface_reduce_fits(v: Values) -> bool:
    return v["type"] in _SURFACE_BYTES[v["op"]].split()


def surface_sample_fits(v: Values) -> bool:
    return v["type"] == "b32" or v["op"] in ("min", "max")


def atomic_vector_fits(v: Values) -> bool:
    return v["vec"] != "v8" or _bits(v["type"]) == 16


def carry_fits(v: Values) -> bool:
    """Sixteen-bit additions read the carry and do not write it."""
    return not (v["cc"] and _bits(v["type"]) == 16)


# ---- conversions ----


def int_to_int(v: Values) -> bool:
    """`.sat` only where the range can shrink."""
    return not v["sat"] or _can_overflow(v["dtype"], v["atype"])


def _can_overflow(dtype: str, atype: str) -> bool:
    if dtype[0] == atype[0]:
        return _bits(dtype) < _bits(atype)
    if dtype[0] == "u":
        return True
    return _bits(dtype) <= _bits(atype)


def int_to_float(v: Values) -> bool:
    if v["ftz"] and v["dtype"] != "f32":
        return False
    return not (v["dtype"] == "bf16" and v["sat"])


def float_to_int(v: Values) -> bool:
    if v["ftz"] and v["atype"] != "f32":
        return False
    return not (v["atype"] == "bf16" and v["sat"])


def float_to_integral(v: Values) -> bool:
    if v["dtype"] != v["atype"]:
        return False
    return not (v["ftz"] and v["atype"] != "f32") and not (v["sat"] and v["atype"] == "bf16")


def float_to_float(v: Values) -> bool:
    """Narrowing needs a rounding modifier, widening has none."""
    dtype, atype = v["dtype"], v["atype"]
    if dtype == atype or (v["sat"] and "bf16" in (dtype, atype)):
        return False
    if v["ftz"] and "f32" not in (dtype, atype):
        return False
    if _bits(dtype) < _bits(atype):
        return bool(v["rnd"])
    either = _bits(dtype) == _bits(atype) or atype == "bf16"
    return either or not v["rnd"]


# ---- addresses ----


def address_field(v: Values) -> bool:
    return (v["field"] == "global_address") == (v["type"] == "b64")


def stride_field(v: Values) -> bool:
    return (v["field"] == "global_stride") == (v["type"] == "b64")


# ---- bulk tensors, textures, surfaces ----

_DEEP = ("3d", "4d", "5d")


def tensor_load(v: Values) -> bool:
    if v["lm"].startswith("im2col"):
        return v["dim"] in _DEEP
    return v["lm"] != "tile::gather4" or v["dim"] == "2d"


def tensor_store(v: Values) -> bool:
    if v["lm"].startswith("im2col"):
        return v["dim"] in _DEEP
    return v["lm"] != "tile::scatter4" or v["dim"] == "2d"


def tex_coordinates(v: Values) -> bool:
    if v["geom"].endswith("ms"):
        return v["ctype"] == "s32"
    return v["ctype"] == "f32" or v["geom"] not in ("cube", "acube")


def surface_access(v: Values) -> bool:
    return bool(v["mode"]) and not (v["vec"] == "v4" and v["type"] == "b64")


def surface_format(v: Values) -> bool:
    return bool(v["mode"])


# ---- fences ----


def restrict_fits(v: Values) -> bool:
    """Acquire restricts to the cluster's shared memory, release to the own one."""
    return (v["sem"] == "acquire") == (v["restrict"] == "sync_restrict::shared::cluster")


def proxy_fits(v: Values) -> bool:
    return not v["ss"] or v["kind"] == "async"


# ---- matrices ----


def no_satfinite(v: Values) -> bool:
    return not v["satfinite"]


def same_ab(v: Values) -> bool:
    return v["atype"] == v["btype"]


def same_dc(v: Values) -> bool:
    return v["dtype"] == v["ctype"]


def no_narrowing(v: Values) -> bool:
    return not (v["ctype"] == "f32" and v["dtype"] == "f16")


def wmma_subbyte(v: Values) -> bool:
    """One-bit tiles have their own shape; a is by rows, b by columns."""
    return (v["shape"] == "m8n8k128") == (v["type"] == "b1") and (v["layout"] == "row") == (
        v["which"] == "a"
    )


_ALTERNATE = {"tf32": ("m16n8k4", "m16n8k8"), "bf16": ("m16n8k8", "m16n8k16")}
_ALTERNATE_SPARSE = {"tf32": ("m16n8k8", "m16n8k16"), "bf16": ("m16n8k16", "m16n8k32")}


def alternate_float(v: Values) -> bool:
    return same_ab(v) and v["shape"] in _ALTERNATE[v["atype"]]


def alternate_float_sparse(v: Values) -> bool:
    return same_ab(v) and v["shape"] in _ALTERNATE_SPARSE[v["atype"]]


def sparse_fp8(v: Values) -> bool:
    return same_dc(v) and not (v["sp"] == "sp" and v["dtype"] == "f16")


def scale_vector(v: Values) -> bool:
    return (v["sv"] == "scale_vec::2X") == (v["stype"] == "ue8m0")


# ---- tcgen05 ----

_TMEM_REGISTERS = {"16x64b": 1, "16x128b": 2, "16x256b": 4, "32x32b": 1}


def tmem_registers(v: Values) -> int:
    """Registers a lane moves: the repetition times the shape's share."""
    return int(v["num"][1:]) * _TMEM_REGISTERS.get(v["shape"], 1)


def tmem_fits(v: Values) -> bool:
    return tmem_registers(v) <= 128


def tmem_copy(v: Values) -> bool:
    if bool(v["fmt"]) != bool(v["sf"]):
        return False
    half = (v["shape"] == "64x128b") == v["mc"].startswith("warpx2")
    return half and (v["shape"] == "32x128b") == (v["mc"] == "warpx4")


def descriptor_a(v: Values) -> bool:
    """`.ashift` needs matrix a in tensor memory."""
    return not v["ash"]


def tensor_a(v: Values) -> bool:
    return not (v["ash"] and v["col"] in ("collector::a::use", "collector::a::fill"))


_BLOCK_SCALES = {
    "kind::mxf8f6f4": ("", "scale_vec::1X", "block32"),
    "kind::mxf4": ("", "scale_vec::2X", "block32"),
    "kind::mxf4nvf4": ("scale_vec::2X", "scale_vec::4X", "block16", "block32"),
}


def block_scale_fits(v: Values) -> bool:
    return v["sv"] in _BLOCK_SCALES[v["kind"]]
