"""A typed view of the kernels in an object or code object, and the merging of metadata.

Comes in: bytes of an AMDGPU ELF file, or the metadata of several. Goes out: `CodeObject` with its
`KernelInfo`s, or one merged map. It must not know how a linker places things.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TypeVar

from ptxlift.diag import PtxError
from ptxlift.link.elf import Elf, Sht, Stt, Symbol, Type, read_elf
from ptxlift.link.msgpack import Value
from ptxlift.link.notes import metadata_map, read_notes
from ptxlift.records import dataclass

T = TypeVar("T")
Map = dict[Value, Value]

KERNELS = "amdhsa.kernels"
PRINTF = "amdhsa.printf"
TARGET = "amdhsa.target"
VERSION = "amdhsa.version"


@dataclass(frozen=True, slots=True)
class KernelArg:
    """One argument as the HSA runtime and HIP see it."""

    name: str
    offset: int
    size: int
    value_kind: str  # by_value, global_buffer, dynamic_shared_pointer, hidden_...
    type_name: str = ""
    address_space: str = ""
    actual_access: str = ""
    is_const: bool = False
    is_restrict: bool = False

    @property
    def is_hidden(self) -> bool:
        """Whether the runtime supplies the value."""
        return self.value_kind.startswith("hidden_")

    def to_map(self) -> Map:
        """The argument in metadata form, keys in LLVM's order."""
        fields: dict[str, Value] = {
            ".actual_access": self.actual_access,
            ".address_space": self.address_space,
            ".is_const": self.is_const,
            ".is_restrict": self.is_restrict,
            ".name": self.name,
            ".offset": self.offset,
            ".size": self.size,
            ".type_name": self.type_name,
            ".value_kind": self.value_kind,
        }
        needed = (".offset", ".size")
        return {key: value for key, value in fields.items() if value or key in needed}


@dataclass(frozen=True, slots=True)
class KernelInfo:
    """What a runtime and a user need to know of one kernel."""

    name: str
    symbol: str  # of the kernel descriptor
    args: tuple[KernelArg, ...]
    vgprs: int
    sgprs: int
    agprs: int
    vgpr_spills: int
    sgpr_spills: int
    shared_bytes: int
    private_bytes: int
    kernarg_bytes: int
    kernarg_align: int
    wave_size: int
    max_workgroup_size: int
    reqd_workgroup_size: tuple[int, ...]  # empty where none is required
    dynamic_stack: bool
    code_bytes: int

    @property
    def explicit_args(self) -> tuple[KernelArg, ...]:
        """The arguments that a caller passes."""
        return tuple(arg for arg in self.args if not arg.is_hidden)


@dataclass(frozen=True, slots=True)
class Variable:
    """A named global of the code object."""

    name: str
    address: int
    size: int


@dataclass(frozen=True, slots=True)
class CodeObject:
    """The metadata of a file. `version` is that of the metadata, such as (1, 2)."""

    target: str
    version: tuple[int, ...]
    kernels: tuple[KernelInfo, ...]
    printf: tuple[str, ...]
    variables: tuple[Variable, ...]

    def kernel(self, name: str) -> KernelInfo | None:
        """The kernel of that name."""
        return next((kernel for kernel in self.kernels if kernel.name == name), None)


def read_code_object(data: bytes, name: str = "code object") -> CodeObject:
    """The kernels and variables of an object or code object; PTX305 where it is malformed."""
    elf = read_elf(data, name)
    kind = Sht.SYMTAB if elf.type == Type.REL else Sht.DYNSYM
    symbols = {symbol.name: symbol for symbol in elf.symbols(kind) if symbol.is_defined}
    whole = merge_maps(_maps(elf), name)
    kernels = _list(whole, KERNELS, name, dict)
    descriptors = {_get(entry, ".symbol", str, "", name) for entry in kernels}
    return CodeObject(
        _get(whole, TARGET, str, "", name),
        tuple(_list(whole, VERSION, name, int)),
        tuple(_kernel(entry, symbols, name) for entry in kernels),
        tuple(_list(whole, PRINTF, name, str)),
        tuple(_variables(symbols.values(), descriptors)),
    )


def merge_maps(maps: Sequence[Map], name: str) -> Map:
    """One metadata map for several: kernels and printf formats add up, the rest must agree."""
    merged: Map = {}
    for one in maps:
        for key, value in one.items():
            if key not in merged:
                merged[key] = list(value) if isinstance(value, list) else value
            elif key in (KERNELS, PRINTF):
                merged[key] = _joined(merged[key], value, str(key), name)
            elif merged[key] != value:
                raise PtxError.of("PTX306", f"{name}: the inputs disagree about {key!r}")
    return _sorted(merged)


def with_kernel_args(whole: Map, args: Mapping[str, Sequence[KernelArg]], name: str) -> Map:
    """The map with the explicit arguments of some kernels replaced; hidden ones stay."""
    missing = set(args)
    kernels: list[Value] = []
    for entry in _list(whole, KERNELS, name, dict):
        kernel = _get(entry, ".name", str, "", name)
        if kernel in args:
            missing.discard(kernel)
            old = _list(entry, ".args", name, dict)
            hidden = [a for a in old if _get(a, ".value_kind", str, "", name)[:7] == "hidden_"]
            changed: list[Value] = [arg.to_map() for arg in args[kernel]]
            entry = {**entry, ".args": changed + list(hidden)}
        kernels.append(_sorted(entry))
    if missing:
        message = f"arguments are given for {min(missing)}, which is no kernel of the link"
        raise PtxError.of("PTX306", message)
    return {**whole, KERNELS: kernels}


def with_stack(whole: Map, stack_bytes: int, name: str) -> Map:
    """The map with so much scratch memory for kernels whose need is not known."""
    kernels: list[Value] = []
    for entry in _list(whole, KERNELS, name, dict):
        if _get(entry, ".uses_dynamic_stack", bool, False, name):
            entry = {**entry, ".private_segment_fixed_size": stack_bytes}
        kernels.append(_sorted(entry))
    return {**whole, KERNELS: kernels}


def with_stack_in_descriptors(data: bytes, stack_bytes: int) -> bytes:
    """A code object whose kernel descriptors say the same."""
    elf = read_elf(data, "code object")
    symbols = {symbol.name: symbol for symbol in elf.symbols(Sht.DYNSYM)}
    changed = bytearray(data)
    for kernel in read_code_object(data).kernels:
        if kernel.dynamic_stack:
            symbol = symbols[kernel.symbol]
            section = elf.sections[symbol.shndx]
            at = section.offset + symbol.value - section.addr + _PRIVATE_SEGMENT_AT
            changed[at : at + 4] = stack_bytes.to_bytes(4, "little")
    return bytes(changed)


_PRIVATE_SEGMENT_AT = 4  # in a kernel descriptor: private_segment_fixed_size, 32 bits


def _maps(elf: Elf) -> list[Map]:
    sections = [section for section in elf.sections if section.type == Sht.NOTE]
    notes = [note for section in sections for note in read_notes(section.data, elf.name)]
    return [metadata_map(note, elf.name) for note in notes if note.is_metadata]


def _joined(first: Value, second: Value, key: str, name: str) -> Value:
    if not isinstance(first, list) or not isinstance(second, list):
        raise PtxError.of("PTX305", f"{name}: {key} in the metadata is no list")
    if key == PRINTF:
        return first + [text for text in second if text not in first]
    return first + second


def _kernel(entry: Map, symbols: Mapping[str, Symbol], name: str) -> KernelInfo:
    def number(key: str) -> int:
        return _get(entry, key, int, 0, name)

    kernel = _get(entry, ".name", str, "", name)
    symbol = _get(entry, ".symbol", str, "", name)
    code = symbols.get(symbol.removesuffix(".kd"))
    return KernelInfo(
        name=kernel,
        symbol=symbol,
        args=tuple(_arg(arg, name) for arg in _list(entry, ".args", name, dict)),
        vgprs=number(".vgpr_count"),
        sgprs=number(".sgpr_count"),
        agprs=number(".agpr_count"),
        vgpr_spills=number(".vgpr_spill_count"),
        sgpr_spills=number(".sgpr_spill_count"),
        shared_bytes=number(".group_segment_fixed_size"),
        private_bytes=number(".private_segment_fixed_size"),
        kernarg_bytes=number(".kernarg_segment_size"),
        kernarg_align=number(".kernarg_segment_align"),
        wave_size=number(".wavefront_size"),
        max_workgroup_size=number(".max_flat_workgroup_size"),
        reqd_workgroup_size=tuple(_list(entry, ".reqd_workgroup_size", name, int)),
        dynamic_stack=_get(entry, ".uses_dynamic_stack", bool, False, name),
        code_bytes=code.size if code is not None else 0,
    )


def _arg(entry: Map, name: str) -> KernelArg:
    def text(key: str) -> str:
        return _get(entry, key, str, "", name)

    return KernelArg(
        name=text(".name"),
        offset=_get(entry, ".offset", int, 0, name),
        size=_get(entry, ".size", int, 0, name),
        value_kind=text(".value_kind"),
        type_name=text(".type_name"),
        address_space=text(".address_space"),
        actual_access=text(".actual_access"),
        is_const=_get(entry, ".is_const", bool, False, name),
        is_restrict=_get(entry, ".is_restrict", bool, False, name),
    )


def _variables(symbols: Iterable[Symbol], descriptors: set[str]) -> Iterable[Variable]:
    for symbol in symbols:
        if symbol.type == Stt.OBJECT and symbol.name not in descriptors:
            yield Variable(symbol.name, symbol.value, symbol.size)


def _get(entry: Map, key: str, kind: type[T], default: T, name: str) -> T:
    value = entry.get(key, default)
    if not isinstance(value, kind):
        raise PtxError.of("PTX305", f"{name}: {key} in the metadata has a wrong type")
    return value


def _list(entry: Map, key: str, name: str, kind: type[T]) -> list[T]:
    values = entry.get(key, [])
    found = [v for v in values if isinstance(v, kind)] if isinstance(values, list) else []
    if not isinstance(values, list) or len(found) != len(values):
        raise PtxError.of("PTX305", f"{name}: {key} in the metadata has a wrong type")
    return found


def _sorted(entry: Map) -> Map:
    return dict(sorted(entry.items(), key=_key_text))


def _key_text(item: tuple[Value, Value]) -> str:
    return repr(item[0])
