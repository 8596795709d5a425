"""The catalogue once more, as calls of assembly in an LLVM module, the way clang writes them."""

from __future__ import annotations

import re
from functools import cache

import pytest
from catalogue import CHAPTERS
from catalogue.model import Entry, kind_of
from inline_harness import emulate, llvm_kernel, load_text
from test_inline_catalogue import ALL, IDS, judge

import ptxlift
from ptxlift import emulator

TARGET = "gfx1100"
HEADER = (
    'target triple = "amdgcn-amd-amdhsa"\n'
    "@tile = internal addrspace(3) global [4096 x i8] poison, align 16\n"
    "declare i32 @llvm.amdgcn.workitem.id.x()\n"
)
FLAGS = '\n!llvm.module.flags = !{!99}\n!99 = !{i32 1, !"amdhsa_code_object_version", i32 500}\n'


def escaped(text: str) -> str:
    """The text between LLVM's quotation marks."""
    return "".join(c if " " <= c <= "~" and c not in '"\\' else f"\\{ord(c):02X}" for c in text)


def llvm_template(entry: Entry) -> str:
    """CUDA's form in LLVM's: text operands are put in, `%0` becomes `$0`."""

    def put(found: re.Match[str]) -> str:
        if found[0] == "$":
            return "$$"
        if found[1] in ("%", "="):
            return "%" if found[1] == "%" else "${:uid}"
        operand = entry.operands[int(found[1])]
        is_text = isinstance(operand, str) and kind_of(operand) is None
        return str(operand) if is_text else f"${found[1]}"

    return re.sub(r"%(%|=|\d+)|\$", put, entry.template)


def asm_call(entry: Entry) -> list[str]:
    """The call, and the extraction of its results; operands that are read and written are tied."""
    outputs, inputs, tied, arguments, late = [], [], [], [], []
    for n, operand in enumerate(entry.operands):
        kind = kind_of(operand)
        if kind is None:
            if isinstance(operand, int):
                inputs.append("n")
                arguments.append(f"i32 {operand}")
            continue
        if str(operand)[0] in "=+":
            outputs.append((kind.type, f"={kind.letter}"))
            if str(operand)[0] == "+":
                tied.append(str(n))
                late.append(f"{kind.type} %o{n}")
        else:
            inputs.append(kind.letter)
            arguments.append(f"{kind.type} %o{n}")
    clobbers = [f"~{{{clobber}}}" for clobber in entry.clobbers]
    constraints = ",".join([*(c for _, c in outputs), *inputs, *tied, *clobbers])
    types = [type for type, _ in outputs]
    result = "void" if not types else types[0] if len(types) == 1 else f"{{ {', '.join(types)} }}"
    word = "asm sideeffect" if entry.volatile else "asm"
    strings = f'"{escaped(llvm_template(entry))}", "{constraints}"'
    call = f"call {result} {word} {strings}({', '.join([*arguments, *late])})"
    match len(types):
        case 0:
            return [f"  {call}"]
        case 1:
            return [f"  %r0 = {call}"]
        case count:
            parts = [f"  %r{n} = extractvalue {result} %whole, {n}" for n in range(count)]
            return [f"  %whole = {call}", *parts]


@cache
def lifted(chapter: str) -> emulator.Image:
    kernels = [llvm_kernel(entry, asm_call(entry)) for entry in CHAPTERS[chapter]]
    text = ptxlift.lift_inline_asm(HEADER + "\n".join(kernels) + FLAGS, TARGET, name=chapter)
    assert not re.search(r"\basm\b(?!\.)", text), "a statement was left"
    return load_text(text, chapter, TARGET)


@pytest.mark.parametrize(("chapter", "entry"), ALL, ids=IDS)
def test_statement_in_a_module(chapter: str, entry: Entry) -> None:
    judge(entry, emulate(lifted(chapter), entry))
