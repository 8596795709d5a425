"""The format of vector files: an instruction, its operand widths, inputs and results.

A section begins with `== opcode : results <- sources` where each operand is a width in bits, `p`
for a predicate or `#n` for a constant of n bits that is part of the instruction; its lines hold
inputs and results in hexadecimal. Comment lines say where the results come from. A third part of
the head says how near a result must be: `ulp N F` is N units in the last place of the format F, and
any NaN for a NaN; `nan F` the same bits, and any NaN for a NaN; `absolute N F` 2^-N, and any NaN
for a NaN. Without it bits must be equal.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Signature:
    """`results <- sources`."""

    results: tuple[str, ...]
    sources: tuple[str, ...]

    @staticmethod
    def parse(text: str) -> Signature:
        left, right = text.split("<-")
        return Signature(tuple(left.split()), tuple(right.split()))

    def __str__(self) -> str:
        return f"{' '.join(self.results)} <- {' '.join(self.sources)}"


@dataclass(frozen=True, slots=True)
class Vector:
    """One evaluation."""

    inputs: tuple[int, ...]
    results: tuple[int, ...]


@dataclass(slots=True)
class Section:
    """All vectors of one instruction."""

    opcode: str
    signature: Signature
    vectors: list[Vector] = field(default_factory=list)
    tolerance: str = ""


def width(operand: str) -> int:
    """The width of an operand in bits."""
    return 1 if operand == "p" else int(operand.lstrip("#"))


def _digits(value: int, operand: str) -> str:
    return f"{value:0{max(1, width(operand) // 4)}x}"


def write(path: Path, provenance: str, sections: Sequence[Section]) -> None:
    """Writes a vector file."""
    lines = [f"# {line}" for line in provenance.splitlines()]
    for section in sections:
        tolerance = f" : {section.tolerance}" if section.tolerance else ""
        lines.append(f"== {section.opcode} : {section.signature}{tolerance}")
        for vector in section.vectors:
            signature = section.signature
            left = map(_digits, vector.inputs, signature.sources)
            right = map(_digits, vector.results, signature.results)
            lines.append(f"{' '.join(left)} -> {' '.join(right)}")
    path.write_text("\n".join(lines) + "\n")


def read(path: Path) -> Iterator[Section]:
    """The sections of a vector file."""
    section: Section | None = None
    for line in path.read_text().splitlines():
        if line.startswith("== "):
            if section is not None:
                yield section
            opcode, signature, *tolerance = line[3:].split(" : ")
            section = Section(opcode, Signature.parse(signature), [], " ".join(tolerance))
        elif line and not line.startswith("#"):
            assert section is not None, f"{path.name}: a vector before its instruction"
            left, right = line.split("->")
            inputs, results = ([int(w, 16) for w in part.split()] for part in (left, right))
            section.vectors.append(Vector(tuple(inputs), tuple(results)))
    if section is not None:
        yield section


def kernel(section: Section, rows: Sequence[tuple[int, ...]], *, version: str, target: str) -> str:
    """PTX that evaluates the instruction for each row of constants and stores the results.

    Result number r of row number n is stored at offset 16 * (n * results + r).
    """
    body = []
    for number, row in enumerate(rows):
        body += _evaluation(section, row, number)
    count = 8 * len(rows) + 16
    declarations = [
        f"\t.reg .{'pred' if w == 1 else f'b{w}'} %{_letter(w)}<{count}>;"
        for w in (1, 8, 16, 32, 64)
    ]
    head = f".version {version}\n.target {target}\n.address_size 64\n"
    lines = "\n".join([*declarations, "\tld.param.u64 %d0, [out];", *body, "\tret;"])
    return f"{head}.visible .entry k(.param .u64 out)\n{{\n{lines}\n}}\n"


def _letter(bits: int) -> str:
    return {1: "p", 8: "c", 16: "h", 32: "r", 64: "d"}[bits]


def _evaluation(section: Section, row: tuple[int, ...], number: int) -> list[str]:
    lines, operands = [], []
    first = number * 8 + 1
    for place, (operand, value) in enumerate(zip(section.signature.sources, row, strict=True)):
        bits = width(operand)
        name = f"%{_letter(bits)}{first + place}"
        if operand.startswith("#"):
            operands.append(f"0x{value:x}")
            continue
        if operand == "p":
            lines.append(f"\tsetp.ne.b32 {name}, {value}, 0;")
        elif bits == 8:  # mov has no 8-bit form
            lines.append(f"\tmov.b16 %h{first + place}, 0x{value:x};")
            lines.append(f"\tcvt.u8.u16 {name}, %h{first + place};")
        else:
            lines.append(f"\tmov.b{bits} {name}, 0x{value:x};")
        operands.append(name)
    results = []
    for place, operand in enumerate(section.signature.results):
        results.append(f"%{_letter(width(operand))}{first + 5 + place}")
    lines.append(f"\t{section.opcode} {'|'.join(results)}, {', '.join(operands)};")
    for place, (operand, name) in enumerate(zip(section.signature.results, results, strict=True)):
        offset = 16 * (number * len(results) + place)
        if operand == "p":
            word = f"%r{first + 5 + place}"
            lines += [
                f"\tselp.b32 {word}, 1, 0, {name};",
                f"\tst.global.b32 [%d0+{offset}], {word};",
            ]
        else:
            lines.append(f"\tst.global.b{width(operand)} [%d0+{offset}], {name};")
    return lines
