"""Runs catalogue entries three ways: raised and emulated, interpreted, and by their expectation.

Comes in: the entries of a chapter. Goes out: outputs of every thread. One LLVM module and one PTX
module hold all kernels of a chapter. The reference kernel pastes the statement with a substitution
of its own, so that a fault in the product's does not hide.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
from catalogue import CHAPTERS
from catalogue.model import KINDS, MEMORY, THREADS, Array, Entry, data_for, is_value, kind_of

import ptxlift
from ptxlift import Fragment, Operand, emulator
from ptxlift.link import link, listing
from ptxlift.llvm.compile import run as compile_job
from ptxlift.llvm.fragment import module_text
from ptxlift.llvm.options import Job, Pipeline
from ptxlift.target import lookup, lookup_nvidia, nvidia
from ptxlift.target.model import TRIPLE

_BUFFER_WORDS = 4  # 32-bit words of the buffer a thread
_PTX_TYPES = {"h": "b16", "r": "b32", "l": "b64", "f": "f32", "d": "f64"}
_FLAGS = '\n!llvm.module.flags = !{!99}\n!99 = !{i32 1, !"amdhsa_code_object_version", i32 500}\n'
_SHARED = "@tile = internal addrspace(3) global [4096 x i8] poison, align 16\n"
_HEADER = ".version 9.0\n.target sm_90a\n.address_size 64\n"


@dataclass(frozen=True)
class Outcome:
    """What a run left: one array for each output, and the buffer."""

    outputs: tuple[Array, ...]
    buffer: Array


def inputs_of(entry: Entry) -> list[int]:
    """Numbers of the operands that are read from arrays, in the order of the kernel's arguments."""
    return [
        n
        for n, operand in enumerate(entry.operands)
        if isinstance(operand, str)
        and is_value(operand)
        and operand[0] != "="
        and operand.lstrip("+") not in MEMORY
    ]


def outputs_of(entry: Entry) -> list[int]:
    """Numbers of the operands that are written."""
    return [
        n
        for n, operand in enumerate(entry.operands)
        if str(operand)[0] in "=+" and is_value(operand)
    ]


def raise_entry(entry: Entry, target: str, llvm_version: int = 22) -> Fragment:
    """The product under test."""
    constraints, operands = [], []
    for operand in entry.operands:
        kind = kind_of(operand)
        if kind is None:
            constraints.append("n" if isinstance(operand, int) else "C")
            operands.append(Operand("i32" if isinstance(operand, int) else "ptr", operand))
            continue
        prefix = operand[0] if str(operand)[0] in "=+" else ""
        constraints.append(prefix + kind.letter)
        operands.append(Operand(kind.type))
    return ptxlift.raise_inline_asm(
        entry.template,
        [*constraints, *entry.clobbers],
        operands,
        target=target,
        volatile=entry.volatile,
        name=f"asm.{entry.name}",
        llvm_version=llvm_version,
    )


# ---- the raised statement in a kernel ----


def _llvm_address(kind: str, number: int) -> list[str]:
    if kind == "shared":
        return [
            f"  %o{number}.p = getelementptr i8, ptr addrspace(3) @tile, i32 %place",
            f"  %o{number} = ptrtoint ptr addrspace(3) %o{number}.p to i32",
        ]
    space = " addrspace(1)" if kind == "global" else ""
    lines = [f"  %o{number}.g = getelementptr i8, ptr addrspace(1) %buffer, i32 %place"]
    if kind == "global":
        return [lines[0].replace(".g =", " =")]
    return [*lines, f"  %o{number} = addrspacecast ptr addrspace(1) %o{number}.g to ptr{space}"]


def llvm_kernel(entry: Entry, call: Sequence[str]) -> str:
    """A kernel that loads the inputs, does `call` and stores %r0, %r1, ..."""
    ins, outs = inputs_of(entry), outputs_of(entry)
    parameters = [f"ptr addrspace(1) %{k}{n}" for k, ns in (("in", ins), ("out", outs)) for n in ns]
    parameters.append("ptr addrspace(1) %buffer")
    lines = [
        f"define protected amdgpu_kernel void @{entry.name}({', '.join(parameters)}) {{",
        "  %tid = call i32 @llvm.amdgcn.workitem.id.x()",
        "  %place = shl i32 %tid, 4",
    ]
    for n in ins:
        type = KINDS[str(entry.operands[n]).lstrip("+")].type
        lines.append(f"  %in{n}.p = getelementptr {type}, ptr addrspace(1) %in{n}, i32 %tid")
        lines.append(f"  %o{n} = load {type}, ptr addrspace(1) %in{n}.p")
    for n, operand in enumerate(entry.operands):
        if operand in MEMORY:
            lines += _llvm_address(str(operand), n)
    lines += call
    for index, n in enumerate(outs):
        type = KINDS[str(entry.operands[n]).lstrip("=+")].type
        lines.append(f"  %out{n}.p = getelementptr {type}, ptr addrspace(1) %out{n}, i32 %tid")
        lines.append(f"  store {type} %r{index}, ptr addrspace(1) %out{n}.p")
    return "\n".join([*lines, "  ret void", "}"])


def _fragment_call(entry: Entry, fragment: Fragment) -> list[str]:
    forms = zip(fragment.signature.parameters, fragment.parameters, strict=True)
    arguments = ", ".join(f"{form.type} %o{n}" for form, n in forms)
    call = f"call {fragment.signature.result_type} @{fragment.name}({arguments})"
    count = len(fragment.results)
    if count == 0:
        return [f"  {call}"]
    if count == 1:
        return [f"  %r0 = {call}"]
    type = fragment.signature.result_type
    return [f"  %whole = {call}"] + [
        f"  %r{n} = extractvalue {type} %whole, {n}" for n in range(count)
    ]


def chapter_module(chapter: str, target: str, llvm_version: int = 22) -> str:
    """LLVM IR of all kernels of a chapter, each calling its raised statement."""
    fragments = {e.name: raise_entry(e, target, llvm_version) for e in CHAPTERS[chapter]}
    text = module_text([f.pieces for f in fragments.values()], TRIPLE)
    kernels = [llvm_kernel(e, _fragment_call(e, fragments[e.name])) for e in CHAPTERS[chapter]]
    if "@llvm.amdgcn.workitem.id.x()" not in text:
        text += "declare i32 @llvm.amdgcn.workitem.id.x()\n"
    return text + _SHARED + "\n".join(kernels) + _FLAGS


@cache
def load_chapter(chapter: str, target: str, llvm_version: int = 22) -> emulator.Image:
    """The chapter's kernels, compiled and loaded."""
    return load_text(chapter_module(chapter, target, llvm_version), chapter, target)


def load_text(text: str, name: str, target: str) -> emulator.Image:
    """A module of kernels, compiled and loaded."""
    spec = lookup(target)
    features = spec.llvm_features(spec.target.default_wave)
    job = Job(name, text, TRIPLE, spec.cpu, features, 2, Pipeline.FULL)
    objects = [compile_job(job).object]
    code = link(objects, target_id=spec.target_id)
    return emulator.load_code_object(code, listing(objects), spec.target_id)


def nvidia_module(chapter: str, target: str, llvm_version: int = 22) -> str:
    """The same for an NVIDIA target."""
    fragments = {e.name: raise_entry(e, target, llvm_version) for e in CHAPTERS[chapter]}
    text = module_text([f.pieces for f in fragments.values()], nvidia.TRIPLE)
    tid = "i32 @llvm.nvvm.read.ptx.sreg.tid.x()"
    kernels = [llvm_kernel(e, _fragment_call(e, fragments[e.name])) for e in CHAPTERS[chapter]]
    body = "\n".join(kernels).replace("i32 @llvm.amdgcn.workitem.id.x()", tid)
    body = body.replace("define protected amdgpu_kernel", "define ptx_kernel")
    layout = f'target datalayout = "{nvidia.DATA_LAYOUT}"\n'
    declaration = "" if tid in text else f"declare {tid}\n"
    return layout + text + declaration + _SHARED + body + "\n"


@cache
def nvidia_ptx(chapter: str, target: str) -> str:
    """The chapter's kernels as PTX that LLVM wrote."""
    text = nvidia_module(chapter, target)
    features = lookup_nvidia(target).llvm_features((8, 8))
    job = Job(chapter, text, nvidia.TRIPLE, target, features, 2, Pipeline.FULL, is_text=True)
    return compile_job(job).asm


@cache
def _nvidia_program(chapter: str, target: str) -> ptxlift.Program:
    return ptxlift.load(nvidia_ptx(chapter, target), device="interpreter")


def interpret_raised(chapter: str, entry: Entry, target: str) -> Outcome:
    """One block of the kernel with the raised statement, as PTX."""
    arrays, buffer = _arrays(entry)
    program = _nvidia_program(chapter, target)
    program.launch(entry.name, 1, THREADS, arrays, max_steps=10**6)
    return Outcome(tuple(arrays[len(inputs_of(entry)) : -1]), buffer)


def emulate(image: emulator.Image, entry: Entry) -> Outcome:
    """One block of the kernel."""
    memory = emulator.Memory()
    arrays, buffer = _arrays(entry)
    addresses = [memory.alloc(array) for array in arrays]
    block = b"".join(struct.pack("<Q", address) for address in addresses)
    emulator.launch(image, memory, entry.name, (1, 1, 1), (THREADS, 1, 1), block, max_steps=10**6)
    return Outcome(tuple(arrays[len(inputs_of(entry)) : -1]), buffer)


def _arrays(entry: Entry) -> tuple[list[Array], Array]:
    """Inputs, zeroed outputs and the buffer."""
    arrays = [data_for(entry, n).copy() for n in inputs_of(entry)]
    for n in outputs_of(entry):
        kind = kind_of(entry.operands[n])
        assert kind is not None
        arrays.append(np.zeros(THREADS, kind.dtype))
    buffer = initial_buffer()
    return [*arrays, buffer], buffer


def initial_buffer() -> Array:
    """What the buffer holds before: four words a thread."""
    random = np.random.default_rng(7)
    return random.integers(0, 2**32, THREADS * _BUFFER_WORDS, np.uint32)


# ---- the statement in a PTX kernel ----


def ptx_kernel(entry: Entry) -> str:
    """The reference: the statement pasted as NVIDIA's compilers paste it."""
    ins, outs = inputs_of(entry), outputs_of(entry)
    names = [f"in{n}" for n in ins] + [f"out{n}" for n in outs] + ["buffer"]
    lines = [".reg .b64 %ptr, %place64;", ".reg .b32 %thread, %place;"]
    lines += ["mov.u32 %thread, %tid.x;", "shl.b32 %place, %thread, 4;"]
    lines += ["cvt.u64.u32 %place64, %place;"]
    for n, operand in enumerate(entry.operands):
        kind = kind_of(operand)
        if kind is not None:
            lines.append(f".reg .{_PTX_TYPES[kind.letter]} %opnd{n};")
    for n in ins:
        lines += _element(n, entry, "in")
        lines.append(f"ld.global.{_bits(entry, n)} %opnd{n}, [%ptr];")
    for n, operand in enumerate(entry.operands):
        if operand in MEMORY:
            lines += _ptx_address(str(operand), n)
    lines.append(pasted(entry))
    for n in outs:
        lines += _element(n, entry, "out")
        lines.append(f"st.global.{_bits(entry, n)} [%ptr], %opnd{n};")
    parameters = ", ".join(f".param .u64 {name}" for name in names)
    shared = ".shared .align 16 .b8 tile[4096];\n"
    return (
        f".visible .entry {entry.name}({parameters})\n{{\n{shared}"
        + "\n".join(lines)
        + "\nret;\n}\n"
    )


def _bits(entry: Entry, n: int) -> str:
    kind = kind_of(entry.operands[n])
    assert kind is not None
    return _PTX_TYPES[kind.letter]


def _element(n: int, entry: Entry, prefix: str) -> list[str]:
    kind = kind_of(entry.operands[n])
    assert kind is not None
    size = np.dtype(kind.dtype).itemsize
    return [
        f"ld.param.u64 %ptr, [{prefix}{n}];",
        f"mad.wide.u32 %ptr, %thread, {size}, %ptr;",
    ]


def _ptx_address(kind: str, n: int) -> list[str]:
    if kind == "shared":
        return [f"mov.u32 %opnd{n}, tile;", f"add.u32 %opnd{n}, %opnd{n}, %place;"]
    return [f"ld.param.u64 %opnd{n}, [buffer];", f"add.u64 %opnd{n}, %opnd{n}, %place64;"]


def pasted(entry: Entry) -> str:
    """The template with plain substitution."""

    def put(found: re.Match[str]) -> str:
        if found[1] == "%":
            return "%"
        if found[1] == "=":
            return "77"
        operand = entry.operands[int(found[1])]
        return f"%opnd{found[1]}" if is_value(operand) else str(operand)

    text = re.sub(r"%(%|=|\d+)", put, entry.reference or entry.template)
    code = re.sub(r"//[^\n]*", "", text).rstrip()
    return text if not code or code[-1] in ";}:" else f"{text};"


@cache
def reference_module(chapter: str) -> str:
    """PTX of all kernels of a chapter."""
    return _HEADER + "".join(ptx_kernel(entry) for entry in CHAPTERS[chapter])


@cache
def _reference(chapter: str) -> ptxlift.Program:
    return ptxlift.load(reference_module(chapter), device="interpreter")


def interpret(chapter: str, entry: Entry) -> Outcome:
    """One block of the reference kernel."""
    arrays, buffer = _arrays(entry)
    _reference(chapter).launch(entry.name, 1, THREADS, arrays, max_steps=10**6)
    return Outcome(tuple(arrays[len(inputs_of(entry)) : -1]), buffer)


def expected(entry: Entry) -> Outcome:
    """What the entry says must come out."""
    assert entry.expect is not None, "entries with a check have no expectation"
    inputs = [data_for(entry, n) for n in inputs_of(entry)]
    buffer = initial_buffer()
    with np.errstate(all="ignore"):
        made = entry.expect(*inputs, *([buffer.reshape(THREADS, 4)] if entry.buffer else []))
    values = list(made) if isinstance(made, tuple) else [made]
    after = np.ascontiguousarray(values.pop()).reshape(-1) if entry.buffer else buffer
    outputs = []
    for value, n in zip(values, outputs_of(entry), strict=True):
        kind = kind_of(entry.operands[n])
        assert kind is not None
        outputs.append(np.broadcast_to(np.asarray(value), THREADS).astype(kind.dtype))
    return Outcome(tuple(outputs), after.astype(np.uint32))
