"""Writing the file: header, program headers, sections, section headers.

Comes in: a layout and the bytes of its chunks. Goes out: the file. It must not know symbols,
relocations or metadata.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ptxlift.link.chunks import Chunk
from ptxlift.link.dynamic import Strings
from ptxlift.link.elf import (
    EHDR,
    EM_AMDGPU,
    MAGIC,
    OSABI_AMDGPU_HSA,
    PHDR,
    SHDR,
    Sht,
    Type,
)
from ptxlift.link.layout import Layout, Output, align_up
from ptxlift.records import dataclass

_NAMES = ".shstrtab"
_LINKS = {
    ".dynsym": ".dynstr", ".gnu.hash": ".dynsym", ".hash": ".dynsym", ".rela.dyn": ".dynsym",
    ".dynamic": ".dynstr",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Extra:
    """A section that is not loaded; .shstrtab is filled in here."""

    name: str
    type: int
    data: bytes = b""
    align: int = 1
    entsize: int = 0
    link: str = ""
    info: int = 0


def write_image(
    layout: Layout, contents: Mapping[Chunk, bytes], extras: Sequence[Extra], flags: int, abi: int
) -> bytes:
    """The bytes of the code object."""
    names = Strings()
    titles = [*(output.name for output in layout.outputs), *(extra.name for extra in extras)]
    offsets = [names.add(title) for title in titles]
    numbers = {title: number for number, title in enumerate(titles, 1)}
    data = _loaded(layout, contents)
    headers = [SHDR.pack(*[0] * 10)]
    for output, title in zip(layout.outputs, offsets, strict=False):
        headers.append(_output_header(output, title, numbers))
    for extra, title in zip(extras, offsets[len(layout.outputs) :], strict=True):
        content = bytes(names.data) if extra.name == _NAMES else extra.data
        data.extend(bytes(align_up(len(data), extra.align) - len(data)))
        link = numbers[extra.link] if extra.link else 0
        headers.append(
            SHDR.pack(
                title, extra.type, 0, 0, len(data), len(content), link, extra.info, extra.align,
                extra.entsize,
            )
        )  # fmt: skip
        data.extend(content)
    data.extend(bytes(align_up(len(data), 8) - len(data)))
    section_start = len(data)
    data.extend(b"".join(headers))
    data[: EHDR.size] = _header(layout, flags, abi, section_start, len(headers), numbers[_NAMES])
    return bytes(data)


def _loaded(layout: Layout, contents: Mapping[Chunk, bytes]) -> bytearray:
    data = bytearray(layout.file_end)
    at = EHDR.size
    for one in layout.segments:
        PHDR.pack_into(
            data, at, one.type, one.flags, one.offset, one.vaddr, one.vaddr, one.filesz,
            one.memsz, one.align,
        )  # fmt: skip
        at += PHDR.size
    for output in layout.outputs:
        if output.type == Sht.NOBITS:
            continue
        for chunk, offset in zip(output.chunks, output.offsets, strict=True):
            content = contents.get(chunk, b"")
            start = output.offset + offset
            data[start : start + len(content)] = content
    return data


def _output_header(output: Output, title: int, numbers: Mapping[str, int]) -> bytes:
    link = numbers[_LINKS[output.name]] if output.name in _LINKS else 0
    info = 1 if output.name == ".dynsym" else 0  # the first symbol that is not local
    return SHDR.pack(
        title, output.type, output.flags, output.addr, output.offset, output.size, link, info,
        output.align, output.entsize,
    )  # fmt: skip


def _header(layout: Layout, flags: int, abi: int, start: int, count: int, names: int) -> bytes:
    ident = MAGIC + bytes((2, 1, 1, OSABI_AMDGPU_HSA, abi))
    return EHDR.pack(
        ident.ljust(16, b"\0"), Type.DYN, EM_AMDGPU, 1, 0, EHDR.size, start, flags, EHDR.size,
        PHDR.size, len(layout.segments), SHDR.size, count, names,
    )  # fmt: skip
