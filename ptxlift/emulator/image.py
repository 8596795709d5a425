"""A linked code object, loaded: memory segments, kernels, and the instruction at each address.

Comes in: the code object, the assembly listing of what was linked, the target. Goes out: an
`Image`. Words come from the linked `.text`, mnemonics and registers from the listing. It must not
know what instructions do.
"""

from __future__ import annotations

import re
import struct
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ptxlift.diag import PtxError
from ptxlift.emulator.elf import STT_FUNC, STT_OBJECT, Elf, Relocation, read_elf
from ptxlift.emulator.lines import LineTable, read_lines
from ptxlift.emulator.listing import parse_listing
from ptxlift.emulator.memory import Memory
from ptxlift.emulator.msgpack import Value, decode
from ptxlift.emulator.operands import Inst
from ptxlift.emulator.placement import place
from ptxlift.records import dataclass, field
from ptxlift.target import Target, lookup

Bytes: TypeAlias = NDArray[np.uint8]

IMAGE_BASE = 0x0000_7000_0000_0000


@dataclass(frozen=True, slots=True)
class Argument:
    """One entry of a kernel's `.args`."""

    name: str
    offset: int
    size: int
    value_kind: str


@dataclass(frozen=True, slots=True)
class Descriptor:
    """The kernel descriptor's fields, raw; see the AMDGPU usage guide."""

    entry: int  # absolute address of the first instruction
    group_segment: int
    private_segment: int
    kernarg_size: int
    rsrc1: int
    rsrc2: int
    rsrc3: int
    properties: int
    preload: int


@dataclass(frozen=True, slots=True)
class KernelInfo:
    """What a launch needs to know of a kernel."""

    name: str
    args: tuple[Argument, ...]
    group_segment: int
    private_segment: int
    kernarg_size: int
    wave_size: int
    reqd_workgroup_size: tuple[int, int, int] | None
    max_workgroup_size: int
    uses_dynamic_stack: bool
    descriptor: Descriptor

    @property
    def explicit_args(self) -> tuple[Argument, ...]:
        """The arguments a caller passes."""
        return tuple(a for a in self.args if not a.value_kind.startswith("hidden_"))


@dataclass(slots=True)
class Image:
    """A loaded code object. `insts` is keyed by absolute address."""

    target: Target
    base: int
    insts: dict[int, Inst]
    kernels: dict[str, KernelInfo]
    symbols: dict[str, tuple[int, int]]  # absolute address and size
    printf_formats: tuple[str, ...]
    registers: tuple[int, int]  # vector and accumulation registers used anywhere
    segments: tuple[tuple[int, Bytes], ...] = field(repr=False)  # absolute address, contents
    lines: LineTable = field(default_factory=LineTable, repr=False)
    blocks: dict[int, Any] = field(default_factory=dict, repr=False)  # compiled code by wave size

    def map_into(self, memory: Memory) -> None:
        """Put the segments into device memory, once."""
        if self.segments and memory.is_mapped(self.segments[0][0]):
            return
        for address, data in self.segments:
            memory.map_at(address, data, "code object segment")

    def place(self, inst: Inst) -> str:
        """`file:line` of an instruction; nothing where the code object has no line table."""
        return self.lines.place(inst.address - self.base)

    def variable(self, name: str) -> tuple[int, Bytes]:
        """Address and bytes of a symbol; writing the bytes changes what kernels see."""
        address, size = self.symbols.get(name, (0, 0))
        for start, data in self.segments:
            if start <= address and address + size <= start + len(data):
                return address, data[address - start : address - start + size]
        raise PtxError.of("PTX401", f"the code object has no variable {name!r}")


def _segments(elf: Elf, base: int) -> tuple[tuple[int, Bytes], ...]:
    """Segments as arrays, with dynamic relocations applied."""
    found = []
    for segment in elf.segments:
        data = np.frombuffer(bytearray(segment.data), np.uint8)
        for relocation in elf.relocations:
            at = relocation.offset - segment.address
            if 0 <= at < len(data):
                _relocate(data, at, relocation, base)
        data.flags.writeable = bool(segment.flags & 2)
        if len(data):
            found.append((base + segment.address, data))
    return tuple(found)


def _relocate(data: Bytes, at: int, relocation: Relocation, base: int) -> None:
    width, shift = _RELOCATIONS.get(relocation.kind, (0, 0))
    symbol = relocation.symbol
    if not width or (symbol is not None and symbol.section == 0):
        what = f"symbol {symbol.name}" if symbol else f"relocation type {relocation.kind}"
        raise PtxError.of("PTX306", f"the code object has an unresolved {what}")
    value = (base + (symbol.value if symbol else 0) + relocation.addend) >> shift
    patch = (value & (1 << 8 * width) - 1).to_bytes(width, "little")
    data[at : at + width] = np.frombuffer(patch, np.uint8)


_KERNARG_LIMIT = 1 << 20
_RELOCATIONS: dict[int, tuple[int, int]] = {
    1: (4, 0),  # R_AMDGPU_ABS32_LO
    2: (4, 32),  # R_AMDGPU_ABS32_HI
    3: (8, 0),  # R_AMDGPU_ABS64
    6: (4, 0),  # R_AMDGPU_ABS32
    13: (8, 0),  # R_AMDGPU_RELATIVE64
}


def load_code_object(
    code_object: bytes, listing: str | bytes, target: str, base: int = IMAGE_BASE
) -> Image:
    """Load a linked code object. `listing` is the inputs' `.AMDGPU.disasm` in `.text` order."""
    elf = read_elf(code_object)
    chip = lookup(target).target
    metadata = decode(elf.note)
    if not isinstance(metadata, dict):
        raise PtxError.of("PTX305", "the metadata note is not a map")
    insts = place(elf, parse_listing(listing), base)
    kinds = (STT_FUNC, STT_OBJECT)
    named = {s.name: (base + s.value, s.size) for s in elf.symbols if s.kind in kinds and s.section}
    kernels = [_kernel(elf, entry, named, base) for entry in _maps(metadata.get("amdhsa.kernels"))]
    formats = metadata.get("amdhsa.printf")
    return Image(
        chip,
        base,
        insts,
        {kernel.name: kernel for kernel in kernels},
        named,
        tuple(str(item) for item in formats) if isinstance(formats, list) else (),
        _registers_used(insts),
        _segments(elf, base),
        read_lines(code_object),
    )


def _registers_used(insts: dict[int, Inst]) -> tuple[int, int]:
    """Sizes of the register files; indexed moves reach above the registers that are named."""
    highest = {"v": 0, "a": 0}
    indexed = 0
    for inst in insts.values():
        if inst.mnemonic.startswith(("v_movrel", "s_set_gpr_idx")):
            indexed = _LARGEST_INDEXED
        for file, single, last in _REGISTER.findall(inst.text):
            highest[file] = max(highest[file], int(last or single))
    return highest["v"] + 1 + indexed, highest["a"] + 1


_LARGEST_INDEXED = 32  # registers in LLVM's widest indexed tuple


_REGISTER = re.compile(r"\b([va])(?:(\d+)|\[\d+:(\d+)\])")


def _maps(value: Value) -> list[dict[str, Value]]:
    return [entry for entry in value if isinstance(entry, dict)] if isinstance(value, list) else []


def _int(entry: dict[str, Value], key: str, default: int = 0) -> int:
    value = entry.get(key, default)
    return int(value) if isinstance(value, int) else default


def _kernel(
    elf: Elf, entry: dict[str, Value], named: dict[str, tuple[int, int]], base: int
) -> KernelInfo:
    name, symbol = str(entry.get(".name", "")), str(entry.get(".symbol", ""))
    if symbol not in named:
        raise PtxError.of("PTX305", f"kernel {name} has no descriptor symbol {symbol}")
    descriptor = _descriptor(elf, named[symbol][0] - base, base)
    args = tuple(
        Argument(
            str(arg.get(".name", "")),
            _int(arg, ".offset"),
            _int(arg, ".size"),
            str(arg.get(".value_kind", "")),
        )
        for arg in _maps(entry.get(".args"))
    )
    if any(not 0 <= a.offset < _KERNARG_LIMIT or not 0 <= a.size < _KERNARG_LIMIT for a in args):
        raise PtxError.of("PTX305", f"kernel {name} has an argument of absurd size")
    required = entry.get(".reqd_workgroup_size")
    x, y, z = (int(str(n)) for n in required) if isinstance(required, list) else (0, 0, 0)
    return KernelInfo(
        name,
        args,
        _int(entry, ".group_segment_fixed_size"),
        _int(entry, ".private_segment_fixed_size"),
        _int(entry, ".kernarg_segment_size"),
        _int(entry, ".wavefront_size", 64),
        (x, y, z) if x else None,
        _int(entry, ".max_flat_workgroup_size", 1024),
        bool(entry.get(".uses_dynamic_stack")),
        descriptor,
    )


def _descriptor(elf: Elf, address: int, base: int) -> Descriptor:
    data = elf.bytes_at(address, 64)
    group, private, kernarg = struct.unpack_from("<III", data, 0)
    (entry,) = struct.unpack_from("<q", data, 16)
    rsrc3, rsrc1, rsrc2 = struct.unpack_from("<III", data, 44)
    properties, preload = struct.unpack_from("<HH", data, 56)
    entry_address = base + address + entry
    return Descriptor(
        entry_address, group, private, kernarg, rsrc1, rsrc2, rsrc3, properties, preload
    )
