"""The tables that a loader reads: string and symbol tables, hash tables, .dynamic.

Comes in: symbols and addresses. Goes out: bytes. It must not know inputs or relocation types.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterable, Sequence

from ptxlift.link.chunks import Definition
from ptxlift.link.elf import DYN, RELA, SYM, Dt, Stb
from ptxlift.records import dataclass, field

_MASK32 = 0xFFFFFFFF
_BLOOM_SHIFT = 26


@dataclass(slots=True)
class Strings:
    """A string table under construction."""

    data: bytearray = field(default_factory=lambda: bytearray(1))
    _known: dict[str, int] = field(default_factory=lambda: {"": 0})

    def add(self, text: str) -> int:
        """The offset of a string; equal strings share one."""
        if text not in self._known:
            self._known[text] = len(self.data)
            self.data += text.encode() + b"\0"
        return self._known[text]


def gnu_hash(name: str) -> int:
    """The hash of .gnu.hash."""
    value = 5381
    for byte in name.encode():
        value = (value * 33 + byte) & _MASK32
    return value


def sysv_hash(name: str) -> int:
    """The hash of .hash."""
    value = 0
    for byte in name.encode():
        value = (value << 4) + byte
        high = value & 0xF0000000
        value = (value ^ (high >> 24)) & ~high & _MASK32
    return value


def bucket_count(count: int) -> int:
    """Buckets of .gnu.hash for a number of symbols."""
    return max(count // 4, 1)


def in_hash_order(symbols: Sequence[Definition]) -> list[Definition]:
    """The order of .dynsym that .gnu.hash requires."""
    buckets = bucket_count(len(symbols))
    return sorted(symbols, key=lambda symbol: gnu_hash(symbol.name) % buckets)


def gnu_hash_table(names: Sequence[str]) -> bytes:
    """.gnu.hash of symbols 1.. in hash order."""
    hashes = [gnu_hash(name) for name in names]
    buckets = bucket_count(len(hashes))
    words = 1 << (len(hashes) * 12 // 64).bit_length()
    bloom = [0] * words
    first = [0] * buckets
    for index, value in enumerate(hashes):
        bloom[value // 64 % words] |= 1 << value % 64 | 1 << (value >> _BLOOM_SHIFT) % 64
        first[value % buckets] = first[value % buckets] or index + 1
    last = {value % buckets: index for index, value in enumerate(hashes)}
    chain = [value & ~1 | (last[value % buckets] == index) for index, value in enumerate(hashes)]
    head = struct.pack("<4I", buckets, 1, words, _BLOOM_SHIFT)
    return head + struct.pack(f"<{words}Q{buckets + len(chain)}I", *bloom, *first, *chain)


def gnu_hash_size(count: int) -> int:
    """The size of .gnu.hash for a number of symbols."""
    return len(gnu_hash_table([""] * count))


def sysv_hash_table(names: Sequence[str]) -> bytes:
    """.hash of symbols 1..."""
    count = len(names) + 1
    buckets, chains = [0] * count, [0] * count
    for index, name in enumerate(names, 1):
        bucket = sysv_hash(name) % count
        chains[index] = buckets[bucket]
        buckets[bucket] = index
    return struct.pack(f"<{2 + 2 * count}I", count, count, *buckets, *chains)


def symbol_entries(
    symbols: Iterable[Definition],
    name_offset: Callable[[str], int],
    place: Callable[[Definition], tuple[int, int]],
) -> bytes:
    """A symbol table; `place` gives a symbol's section index and value."""
    out = bytearray(SYM.size)
    for symbol in symbols:
        index, value = place(symbol)
        bind = symbol.bind if symbol.is_exported else Stb.LOCAL
        info = bind << 4 | symbol.type
        title = name_offset(symbol.name)
        out += SYM.pack(title, info, symbol.visibility, index, value, symbol.size)
    return bytes(out)


def dynamic_tags(relocations: int, relative: int, strings: int) -> list[tuple[Dt, str | int]]:
    """The entries of .dynamic; a string stands for the address of that section."""
    tags: list[tuple[Dt, str | int]] = []
    if relocations:
        tags += [
            (Dt.RELA, ".rela.dyn"),
            (Dt.RELASZ, relocations * RELA.size),
            (Dt.RELAENT, RELA.size),
        ]
    if relative:
        tags.append((Dt.RELACOUNT, relative))
    return [
        *tags,
        (Dt.SYMTAB, ".dynsym"),
        (Dt.SYMENT, SYM.size),
        (Dt.STRTAB, ".dynstr"),
        (Dt.STRSZ, strings),
        (Dt.GNU_HASH, ".gnu.hash"),
        (Dt.HASH, ".hash"),
        (Dt.NULL, 0),
    ]


def dynamic_entries(tags: Iterable[tuple[Dt, str | int]], address: Callable[[str], int]) -> bytes:
    """.dynamic with its addresses."""
    return b"".join(
        DYN.pack(tag, address(value) if isinstance(value, str) else value) for tag, value in tags
    )
