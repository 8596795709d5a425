"""What ptxas 13.0 takes must parse; what it calls a parsing error must be one, and there."""

from __future__ import annotations

import gzip
import re
from pathlib import Path

import pytest

from ptxlift.codes import CODES
from ptxlift.diag import PtxError
from ptxlift.syntax import parse
from ptxlift.syntax.nodes import Block, Function, Instruction
from ptxlift.syntax.printer import print_module

DATA = Path(__file__).parents[2] / "data" / "ptxas"
HEADER = ".version 9.0\n.target sm_90\n.address_size 64\n"
KERNEL = ".entry k0() { ret; }"


def rows(name: str) -> list[list[str]]:
    """The rows of a table, padded, without its heading."""
    path = DATA / name
    text = gzip.decompress(path.read_bytes()).decode() if name.endswith("gz") else path.read_text()
    return [[*line.split("\t"), "", ""] for line in text.splitlines()[1:]]


def in_body(snippet: str) -> str:
    return f"{HEADER}.entry k() {{\n{snippet}\nret; }}\n"


def snippets() -> list[tuple[str, str, str]]:
    """Text, its origin and ptxas's message, "" if accepted."""
    found = []
    probes = rows("directives-probe.tsv") + rows("syntax-probe.tsv")
    for group, level, snippet, verdict, message, *_ in probes:
        found.append((group, level, snippet, message if verdict == "rejected" else ""))
    for name, level, snippet, _, verdict, _, message, *_ in rows("negative.tsv"):
        found.append((name, level, snippet, message if verdict == "rejected" else ""))
    texts = []
    for group, level, snippet, message in found:
        plain = snippet.replace(" ⏎ ", "\n").replace("<K>", KERNEL)
        whole = plain if group == "Module header" else HEADER + plain
        texts.append((in_body(plain) if level == "body" else whole, snippet, message))
    return texts


SYNTAX = re.compile(r"Parsing error|Missing \.|non-ASCII")

# ptxas parses these and refuses them later; here the grammar refuses them already.
REFUSED_EARLY = {
    ".func f(.param .b32 _) { ret; } ⏎ <K>",
    ".extern .func f(.param .b32 _, .param .b32 _); ⏎ <K>",
    ".texref t; ⏎ <K>",
    ".reg .e4m3 a;",
    ".reg .f32x2 a;",
    ".reg .u16x2 a;",
    ".section .debug_x { .b16 1 .b32 2 .b64 3 .u32 4 } ⏎ <K>",
    ".section .debug_x { .b8 foo+4 } ⏎ <K>",
    ".func f() { .func g; ret; } ⏎ <K>",
}
# ptxas knows from the opcode that no list can stand here; the checker refuses these.
REFUSED_LATER = {
    "mov.s64 %rd1, (1,2);",
    "ld.global.u32 %r1, (%rd1);",
    "call fret, (cp), (crv);",
    "mov.u64 %rd1, (gvar);",
    "mov.u64 %rd1, (gvar+4);",
}
# Where the grammar stops one word before or after ptxas, in the same statement.
OTHER_PLACE = {
    ".func f() { .func g() { ret; } ret; } ⏎ <K>",
    ".func f() { .u32 .reg a; ret; } ⏎ <K>",
    '.func f() .pragma "nounroll"; { ret; } ⏎ <K>',
    ".loc 1 2 3, inlined_at 1 2 3",
    ".section .debug_x { .b8 1, 2  ⏎ <K>",
    ".section .debug_x { foo } ⏎ <K>",
    ".section .debug_x { .b8 } ⏎ <K>",
    '.section .debug_x { .b8 "abc" } ⏎ <K>',
}


@pytest.mark.parametrize(("text", "snippet", "message"), snippets())
def test_verdict_and_place(text: str, snippet: str, message: str) -> None:
    refused = SYNTAX.search(message) is not None and snippet not in REFUSED_LATER
    if not refused and snippet not in REFUSED_EARLY:
        assert parse(text).source.text == text
        return
    with pytest.raises(PtxError) as caught:
        parse(text)
    first = caught.value.diagnostics[0]
    assert first.code in CODES and first.code.startswith("PTX0")
    assert first.span is not None
    near = re.search(r"near '([^']+)'", message)
    if near is not None and snippet not in OTHER_PLACE:
        shown = text[first.span.start : first.span.end]
        # An unlexable word of ptxas may be longer or shorter than our token, never elsewhere.
        assert near[1] in shown or near[1].startswith(shown)


def test_every_accepted_instruction_parses_and_prints() -> None:
    instructions = [row[2] for row in rows("instances.tsv.gz")]
    assert len(instructions) == 20_791
    module = parse(in_body("\n".join(instructions)))
    printed = print_module(module)
    again = parse(printed)
    before, after = body(module.items[0]), body(again.items[0])
    assert len(before.statements) == len(instructions) + 1
    for first, second, text in zip(before.statements, after.statements, instructions, strict=False):
        assert isinstance(first, Instruction) and isinstance(second, Instruction)
        assert (first.shape, first.atoms) == (second.shape, second.atoms), text
    # The texts differ from the recorded ones in blanks only.
    lines = [line.strip() for line in printed.splitlines() if line.startswith("\t")]
    assert [plain(line) for line in lines[:-1]] == [plain(text) for text in instructions]


def body(item: object) -> Block:
    assert isinstance(item, Function) and item.body is not None
    return item.body


def plain(text: str) -> str:
    return re.sub(r"\s", "", text)
