"""What a person may choose about code generation, the work order for LLVM, and what comes out.

Comes in: nothing; these are plain records, shared by every backend and by the worker process. They
must know no instruction and no chip.
"""

from __future__ import annotations

from enum import Enum

from ptxlift.records import dataclass


class WarpMapping(Enum):
    """How PTX warps of 32 lanes lie in waves of 64; waves of 32 are one warp each."""

    PACKED = "packed"  # two warps a wave
    SPLIT = "split"  # one warp a wave, lanes 32..63 leave at entry


class MatrixUse(Enum):
    """Whether matrix products go to the chip's matrix instructions."""

    AUTO = "auto"  # where that costs less
    NATIVE = "native"  # wherever that is right
    GENERIC = "generic"  # never


class Pipeline(Enum):
    """Which LLVM passes a unit needs."""

    SHORT = "short"  # straight-line code: an eighth of O2's time for the same result
    LOOPS = "loops"  # large, with loops only: a quarter of O2's time, loops are still unrolled
    MOST = "most"  # large, with local arrays or calls: LLVM's default<O1>, 0.2% from O2's result
    FULL = "full"  # small, with any of these: LLVM's default<On>


@dataclass(frozen=True, slots=True)
class CodegenOptions:
    """Choices that change the code. `wave_size` None: the target's own default."""

    opt_level: int = 2  # 0..3, of LLVM's passes and code generation
    wave_size: int | None = None
    warp_mapping: WarpMapping = WarpMapping.PACKED
    code_object_version: int = 5  # 4, 5 or 6; generic targets always get 6
    max_block: int = 1024  # work-items of the largest block a kernel without bounds may get
    matrix: MatrixUse = MatrixUse.AUTO
    unsafe_fp_atomics: bool = False  # the device's atomics also at .sys scope
    debug_lines: bool = False  # instructions name the line they come from, of the PTX
    source_lines: bool = False  # or of the source that `.loc` names, where it does


@dataclass(frozen=True, slots=True)
class Emitted:
    """LLVM IR text and what its emitter knows about it."""

    text: str
    pipeline: Pipeline
    pairs: bool = False  # looking for pairs of f32 operations pays: the target has packed ones
    features: str = ""  # what LLVM's target must be told beside its own


@dataclass(frozen=True, slots=True)
class Job:
    """One unit for LLVM, picklable. `name`: the kernel or file, for messages. `is_text`: the
    output is assembly text, and there are no objects. `libraries`: bitcode that defines the
    functions whose names begin with "outside.".
    """

    name: str
    text: str
    triple: str
    cpu: str
    features: str
    opt_level: int
    pipeline: Pipeline
    pairs: bool = False
    want_asm: bool = False
    want_bitcode: bool = False
    is_text: bool = False
    libraries: tuple[bytes, ...] = ()


@dataclass(frozen=True, slots=True)
class Compiled:
    """LLVM's output: a relocatable object and, where asked for or all there is, assembly text; and
    bitcode.
    """

    object: bytes
    asm: str = ""
    bitcode: bytes = b""
