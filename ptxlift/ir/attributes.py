"""The closed sets that IR ops carry as attributes. Knows nothing of PTX text or of any target."""

from __future__ import annotations

from enum import Enum


class Format(Enum):
    """A floating-point format; the value is (total bits, exponent bits, stored mantissa bits)."""

    F16 = (16, 5, 10)
    BF16 = (16, 8, 7)
    F32 = (32, 8, 23)
    F64 = (64, 11, 52)

    @property
    def bits(self) -> int:
        return self.value[0]

    @property
    def exponent_bits(self) -> int:
        return self.value[1]

    @property
    def mantissa_bits(self) -> int:
        return self.value[2]


class Rounding(Enum):
    """IEEE rounding directions by PTX's names."""

    RN = "rn"  # to nearest even
    RZ = "rz"  # toward zero
    RM = "rm"  # toward minus infinity
    RP = "rp"  # toward plus infinity
    RNA = "rna"  # to nearest, ties away from zero


class IntPredicate(Enum):
    EQ = "eq"
    NE = "ne"
    ULT = "ult"
    ULE = "ule"
    UGT = "ugt"
    UGE = "uge"
    SLT = "slt"
    SLE = "sle"
    SGT = "sgt"
    SGE = "sge"


class FloatPredicate(Enum):
    """o*: false when an input is NaN; u*: true when one is; `ORD`/`UNO`: neither/either is NaN."""

    OEQ = "oeq"
    ONE = "one"
    OLT = "olt"
    OLE = "ole"
    OGT = "ogt"
    OGE = "oge"
    UEQ = "ueq"
    UNE = "une"
    ULT = "ult"
    ULE = "ule"
    UGT = "ugt"
    UGE = "uge"
    ORD = "ord"
    UNO = "uno"


class Space(Enum):
    """Where an address lives; the value is PTX's word."""

    GENERIC = "generic"
    GLOBAL = "global"
    SHARED = "shared"
    CONST = "const"
    LOCAL = "local"
    PARAM = "param"


class Order(Enum):
    """Memory order of one access."""

    WEAK = "weak"
    VOLATILE = "volatile"
    RELAXED = "relaxed"
    ACQUIRE = "acquire"
    RELEASE = "release"
    ACQ_REL = "acq_rel"
    SEQ_CST = "seq_cst"
    MMIO = "mmio"


class Scope(Enum):
    """Whom an ordered access synchronises with."""

    THREAD = "thread"
    WARP = "warp"
    CTA = "cta"
    CLUSTER = "cluster"
    GPU = "gpu"
    SYS = "sys"


class Hint(Enum):
    """Cache behaviour of an access: never changes the result."""

    NONE = "none"
    STREAMING = "streaming"  # evict first, no reuse
    INVARIANT = "invariant"  # .nc: read-only for the kernel's life


class AtomicOp(Enum):
    ADD = "add"
    AND = "and"
    OR = "or"
    XOR = "xor"
    EXCH = "exch"
    CAS = "cas"
    MIN = "min"
    MAX = "max"
    INC = "inc"
    DEC = "dec"


class Number(Enum):
    """How an atomic, reduction or comparison reads its bits."""

    BITS = "b"
    UNSIGNED = "u"
    SIGNED = "s"
    F16 = "f16"
    BF16 = "bf16"
    F16X2 = "f16x2"
    BF16X2 = "bf16x2"
    F32 = "f32"
    F64 = "f64"


class ShuffleMode(Enum):
    UP = "up"
    DOWN = "down"
    BFLY = "bfly"
    IDX = "idx"


class VoteMode(Enum):
    ALL = "all"
    ANY = "any"
    UNI = "uni"


class ReduceOp(Enum):
    ADD = "add"
    MIN = "min"
    MAX = "max"
    AND = "and"
    OR = "or"
    XOR = "xor"


class BarrierMode(Enum):
    SYNC = "sync"
    ARRIVE = "arrive"
    POPC = "popc"
    AND = "and"
    OR = "or"


class Special(Enum):
    """Values of the launch and the lane, i32 unless said otherwise."""

    TID_X = "tid.x"
    TID_Y = "tid.y"
    TID_Z = "tid.z"
    NTID_X = "ntid.x"
    NTID_Y = "ntid.y"
    NTID_Z = "ntid.z"
    CTAID_X = "ctaid.x"
    CTAID_Y = "ctaid.y"
    CTAID_Z = "ctaid.z"
    NCTAID_X = "nctaid.x"
    NCTAID_Y = "nctaid.y"
    NCTAID_Z = "nctaid.z"
    LANEID = "laneid"
    WAVE_LANE = "wave lane"  # in a wave that may hold two warps; not one of PTX
    WARPID = "warpid"
    NWARPID = "nwarpid"
    SMID = "smid"
    NSMID = "nsmid"
    GRIDID = "gridid"  # i64
    LANEMASK_EQ = "lanemask_eq"
    LANEMASK_LE = "lanemask_le"
    LANEMASK_LT = "lanemask_lt"
    LANEMASK_GE = "lanemask_ge"
    LANEMASK_GT = "lanemask_gt"
    CLOCK = "clock"
    CLOCK64 = "clock64"  # i64
    GLOBALTIMER = "globaltimer"  # i64, nanoseconds
    DYNAMIC_SMEM_SIZE = "dynamic_smem_size"
    TOTAL_SMEM_SIZE = "total_smem_size"
    PRINTF_BUFFER = "printf_buffer"  # i64: address of the host's buffer


class Approximation(Enum):
    """Functions with an error bound instead of a defined result (PTX `.approx`)."""

    RCP = "rcp"
    RSQRT = "rsqrt"
    SQRT = "sqrt"
    SIN = "sin"
    COS = "cos"
    LG2 = "lg2"
    EX2 = "ex2"
    TANH = "tanh"
