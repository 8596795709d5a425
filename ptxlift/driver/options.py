"""The choices of one translation. Comes in: what a caller asks for; goes out: checked values."""

from __future__ import annotations

from collections.abc import Mapping

from ptxlift.diag import PtxError
from ptxlift.records import dataclass, field

_CHOICES: dict[str, tuple[object, ...]] = {
    "opt_level": (0, 1, 2, 3),
    "wave_size": (None, 32, 64),
    "warp_mapping": ("auto", "packed", "split"),
    "code_object_version": (4, 5, 6),
    "on_unsupported": ("error", "skip"),
    "isolate": (False, True),
    "unsafe_fp_atomics": (False, True),
    "debug_lines": (False, True, "source"),
    "remarks": (False, True),
    "matrix": ("auto", "native", "generic"),
}
_AMD_ONLY = (
    "wave_size", "warp_mapping", "code_object_version", "unsafe_fp_atomics", "matrix", "max_block",
    "stack_bytes",
)  # fmt: skip
_LARGEST_BLOCK = 1024
_LARGEST_STACK = 131056  # bytes; LLVM's own limit for AMDGPU
LARGEST_HEAP = 1 << 32  # bytes


@dataclass(frozen=True, slots=True)
class Options:
    """How to translate. Raises `PtxError` PTX307 for a value that is none of those allowed.

    opt_level: 0 to 3, as LLVM's.
    wave_size: lanes of a wave, 32 or 64; None: the target's own.
    warp_mapping: how warps lie in waves of 64: "packed" two a wave, "split" one a wave with the
        upper half idle (the block doubles, see `Kernel.launch_block`), "auto" packs where that is
        proven right; kernels of which it is not are refused as "packed" (PTX204).
    code_object_version: of the HSA code object; generic targets always get 6.
    on_unsupported: "error" raises; "skip" leaves out the kernels that cannot be translated and
        lists them in `failed`.
    isolate: generate code in a process of its own, so that LLVM cannot take this one down.
    unsafe_fp_atomics: use hardware float atomics also where memory may be fine-grained.
    matrix: "native" puts matrix products on the chip's matrix instructions wherever that is right,
        "generic" writes them as scalar code, "auto" takes what costs less.
    debug_lines: the code says which line each instruction comes from, as `.loc` in assembly and as
        DWARF line tables in objects; the instructions stay the same. True: the line of PTX;
        "source": the line of the source that `.loc` names, inlined calls too (nvcc -lineinfo), of
        PTX where a text has none.
    remarks: `diagnostics` also says what each rewrite rule made of which line (PTX208).
    heap_bytes: size of the heap that `malloc` and `free` in kernels share; 0: programs that call
        them and do not define them are refused. It is part of the code object's zeroed memory.
    max_block: threads of the largest block a kernel without `.maxntid` may be launched with.
    stack_bytes: scratch memory a lane of kernels whose need nobody knows (`Kernel.dynamic_stack`:
        recursion, calls of any function); None leaves it to LLVM's guess and the runtime.
    link: LLVM bitcode, the bytes of files, that defines functions which the PTX only declares.
        Their parameters and results must be single values of PTX's sizes. What ptxlift proves of
        warps does not include such a function: it must be one of a lane by itself.
    externs: names of functions that PTX declares, with their names in `link`; others keep theirs.
    """

    opt_level: int = 2
    wave_size: int | None = None
    warp_mapping: str = "auto"
    code_object_version: int = 5
    on_unsupported: str = "error"
    isolate: bool = False
    unsafe_fp_atomics: bool = False
    matrix: str = "auto"
    debug_lines: bool | str = False
    remarks: bool = False
    heap_bytes: int = 0
    max_block: int = 1024
    stack_bytes: int | None = None
    link: tuple[bytes, ...] = ()
    externs: Mapping[str, str] = field(default_factory=dict, hash=False)

    def check_for(self, nvidia: str) -> None:
        """Raises PTX307 for an option that says something about AMD code only."""
        plain = Options()
        for name in _AMD_ONLY:
            value = getattr(self, name)
            if value != getattr(plain, name):
                raise PtxError.of(
                    "PTX307",
                    f"{name} is {value!r}, and does not apply to {nvidia}",
                    hint="leave it out for NVIDIA targets, whose output is PTX",
                )

    def __post_init__(self) -> None:
        for name, choices in _CHOICES.items():
            value = getattr(self, name)
            if value not in choices:
                allowed = ", ".join(repr(choice) for choice in choices)
                raise PtxError.of("PTX307", f"{name} is {value!r}", hint=f"one of {allowed}")
        if not isinstance(self.heap_bytes, int) or not 0 <= self.heap_bytes <= LARGEST_HEAP:
            hint = f"0 to {LARGEST_HEAP}"
            raise PtxError.of("PTX307", f"heap_bytes is {self.heap_bytes!r}", hint=hint)
        if not isinstance(self.max_block, int) or not 1 <= self.max_block <= _LARGEST_BLOCK:
            hint = f"1 to {_LARGEST_BLOCK}"
            raise PtxError.of("PTX307", f"max_block is {self.max_block!r}", hint=hint)
        object.__setattr__(self, "link", _all_bytes(self.link))
        stack = self.stack_bytes
        if stack is not None and not (isinstance(stack, int) and 0 <= stack <= _LARGEST_STACK):
            hint = f"up to {_LARGEST_STACK}"
            raise PtxError.of("PTX307", f"stack_bytes is {stack!r}", hint=hint)


def _all_bytes(link: object) -> tuple[bytes, ...]:
    """A sequence of bitcode as a tuple, so that options stay what they are."""
    if isinstance(link, list | tuple) and all(isinstance(one, bytes) for one in link):
        return tuple(link)
    raise PtxError.of("PTX307", "link is no list of bytes", hint="give the bytes of bitcode files")
