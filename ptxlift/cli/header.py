"""A C and C++ header with launch helpers for the kernels of a program.

Comes in: kernels by target. Goes out: text that needs HIP's runtime header and nothing else. A
helper packs the arguments at the offsets PTX gives them, and launches the block that the target
needs: where one warp has a wave of 64 to itself, twice as wide (see `Kernel.launch_block`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path

from ptxlift import __version__
from ptxlift.cli.image_header import image_header
from ptxlift.cli.inputs import Program
from ptxlift.driver.kernels import KernelReport, Param
from ptxlift.driver.outcomes import Outcome
from ptxlift.isa import type_of

_C_TYPES = {
    "u8": "uint8_t", "u16": "uint16_t", "u32": "uint32_t", "u64": "ptxlift_word",
    "s8": "int8_t", "s16": "int16_t", "s32": "int32_t", "s64": "int64_t",
    "b8": "uint8_t", "b16": "uint16_t", "b32": "uint32_t", "b64": "ptxlift_word",
    "f16": "uint16_t", "bf16": "uint16_t", "f32": "float", "f64": "double",
    "texref": "ptxlift_word", "samplerref": "ptxlift_word", "surfref": "ptxlift_word",
}  # fmt: skip
_NO_IDENTIFIER = re.compile(r"[^A-Za-z0-9_]")
_TAKEN = """
auto bool break case catch char class const continue default delete do double else enum extern false
float for goto if inline int long namespace new operator private protected public register restrict
return short signed sizeof static struct switch template this throw true try typedef typename union
unsigned using virtual void volatile while and or not xor function grid block shared_bytes stream
buffer
"""
_TAKEN_WORDS = frozenset(_TAKEN.split())  # of C, of C++, and of the helpers themselves


def header_of(program: Program, outcomes: Mapping[str, Outcome]) -> str:
    """The header. A kernel that some target lacks is there too; loading it fails there."""
    kernels: dict[str, dict[str, KernelReport]] = {}
    for target, outcome in outcomes.items():
        for kernel in outcome.kernels:
            kernels.setdefault(kernel.name, {})[target] = kernel
    guard = _identifier(f"PTXLIFT_{program.sources[0].sha256[:16]}_H").upper()
    names = _distinct(kernels)
    parts = [
        f"/* Made by ptxlift {__version__} for {', '.join(outcomes)}. */",
        f"#ifndef {guard}\n#define {guard}\n",
        Path(__file__).with_name("launch_helpers.h").read_text("utf-8"),
        image_header(),
        *(_helper(names[name], by_target) for name, by_target in kernels.items()),
        "#endif\n",
    ]
    return "\n".join(parts)


def _identifier(name: str) -> str:
    word = _NO_IDENTIFIER.sub("_", name)
    return f"k{word}" if word[:1].isdigit() else word


def _distinct(names: Iterable[str]) -> dict[str, str]:
    """C names, each once, though `a$b` and `a%b` become the same word."""
    taken: dict[str, str] = {}
    for name in names:
        word, count = _identifier(name), 0
        while word in taken.values():
            count += 1
            word = f"{_identifier(name)}_{count}"
        taken[name] = word
    return taken


def _helper(word: str, by_target: Mapping[str, KernelReport]) -> str:
    kernel = next(iter(by_target.values()))
    names = [_param_name(param, at) for at, param in enumerate(kernel.params)]
    names = [f"{n}_{at}" if names.count(n) > 1 else n for at, n in enumerate(names)]
    params = list(zip(names, kernel.params, strict=True))
    size = max((p.offset + p.size for p in kernel.params), default=0)
    arguments = "".join(f", {_declared(name, param)}" for name, param in params)
    copies = "".join(
        f"    memcpy(buffer + {param.offset}, {'' if _is_struct(param) else '&'}{name}, "
        f"{param.size});\n"
        for name, param in params
    )
    return (
        f"{_comment(kernel)}\n"
        f'#define {word}_NAME "{kernel.name}"\n'
        f"static inline hipError_t {word}_load(hipModule_t module, hipFunction_t *function) {{\n"
        f"    return hipModuleGetFunction(function, module, {word}_NAME);\n}}\n"
        f"static inline hipError_t {word}_launch(hipFunction_t function, dim3 grid, dim3 block, "
        f"unsigned shared_bytes,\n        hipStream_t stream{arguments}) {{\n"
        f"    unsigned char buffer[{max(size, 1)}] = {{0}};\n{copies}"
        f"    return ptxlift_launch(function, grid, block, {_doubled(by_target)}, shared_bytes, "
        f"stream,\n        buffer, {size});\n}}\n"
    )


def _doubled(by_target: Mapping[str, KernelReport]) -> str:
    """Whether the block is doubled: known, or, where targets differ, seen by the waves' size: a
    wave of 32 is one warp anyway.
    """
    mappings = {kernel.warp_mapping == "split" for kernel in by_target.values()}
    if len(mappings) == 2:
        return "ptxlift_wave_size() == 64"
    return str(int(True in mappings))


def _comment(kernel: KernelReport) -> str:
    text = ", ".join(f".{p.type} {p.name}" for p in kernel.params).replace("*/", "* /")
    block = f"; blocks of {kernel.reqntid}" if kernel.reqntid else ""
    return f"/* {kernel.name}({text}){block} */"


def _param_name(param: Param, index: int) -> str:
    """The parameter's own name where it is one, without the kernel's in front (as nvcc has it)."""
    word = _identifier(param.name)
    nvcc = re.fullmatch(r".*_param_(\d+)", word)
    if nvcc:
        return f"param_{nvcc[1]}"
    return f"{word}_{index}" if word in _TAKEN_WORDS else word


def _is_struct(param: Param) -> bool:
    return param.type not in _C_TYPES or param.size != type_of(param.type).bytes


def _declared(name: str, param: Param) -> str:
    return f"const void *{name}" if _is_struct(param) else f"{_C_TYPES[param.type]} {name}"
