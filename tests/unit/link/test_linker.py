"""The linker against ld.lld, and what ld.lld does not do: clashes, undefined names, merging."""

from __future__ import annotations

import itertools
import struct

import pytest
from link_objects import (
    DEBUG,
    KINDS,
    LLD,
    NEEDY,
    ONLY_CODE,
    ONLY_DATA,
    PROVIDER,
    WHOLE,
    compiled,
    linked_by_lld,
)

from ptxlift.diag import PtxError
from ptxlift.link import KernelArg, link, listing, read_code_object
from ptxlift.link.elf import Pf, Pt, Sht, Stb, Symbol, read_elf
from ptxlift.link.notes import metadata_map, read_notes

needs_lld = pytest.mark.skipif(LLD is None, reason="ld.lld-19 is not installed")
CPUS = ["gfx900", "gfx90a", "gfx942", "gfx1030", "gfx1100", "gfx1201"]


def loaded(data: bytes) -> bytes:
    """Everything that segments cover, without the ELF header."""
    elf = read_elf(data)
    return data[64 : max(segment.offset + segment.filesz for segment in elf.segments)]


def rows(data: bytes, kind: Sht) -> list[tuple[object, ...]]:
    """A symbol table with section names instead of numbers."""
    elf = read_elf(data)
    return [_row(symbol, [s.name for s in elf.sections]) for symbol in elf.symbols(kind)]


def _row(symbol: Symbol, names: list[str]) -> tuple[object, ...]:
    where = names[symbol.shndx] if symbol.shndx < len(names) else symbol.shndx
    return (
        symbol.name, symbol.value, symbol.size, symbol.bind, symbol.type, symbol.visibility, where,
    )  # fmt: skip


@needs_lld
@pytest.mark.parametrize("cpu", CPUS)
@pytest.mark.parametrize("ir", [WHOLE, KINDS, ONLY_DATA, ONLY_CODE])
def test_one_object_is_laid_out_as_lld_does(ir: str, cpu: str) -> None:
    source = compiled(ir, cpu)
    mine, reference = link([source], target_id=cpu), linked_by_lld(source)
    assert loaded(mine) == loaded(reference)
    assert mine[:40] == reference[:40]
    assert mine[48:58] == reference[48:58]  # e_flags, sizes of header and segment table
    assert rows(mine, Sht.SYMTAB) == rows(reference, Sht.SYMTAB)
    assert rows(mine, Sht.DYNSYM) == rows(reference, Sht.DYNSYM)
    headers = {(s.name, s.type, s.flags, s.addr, s.size, s.align) for s in read_elf(mine).sections}
    others = {
        (s.name, s.type, s.flags, s.addr, s.size, s.align) for s in read_elf(reference).sections
    }
    dropped = {".comment", ".AMDGPU.disasm", ".AMDGPU.gpr_maximums", ".shstrtab"}
    assert {h for h in headers if h[0] not in dropped} == {h for h in others if h[0] not in dropped}


@needs_lld
@pytest.mark.parametrize(
    ("target_id", "features"),
    [("gfx942:sramecc+:xnack-", "+sramecc,-xnack"), ("gfx90a:xnack+", "+xnack")],
)
@pytest.mark.parametrize(("version", "abi"), [(400, 2), (500, 3), (600, 4)])
def test_header_says_target_and_version(
    target_id: str, features: str, version: int, abi: int
) -> None:
    cpu = target_id.split(":")[0]
    source = compiled(WHOLE, cpu, features, version)
    mine = link([source], target_id=target_id)
    assert mine[:40] == linked_by_lld(source)[:40]
    assert mine[48:52] == linked_by_lld(source)[48:52]
    assert mine[8] == abi
    assert read_code_object(mine).target == f"amdgcn-amd-amdhsa--{target_id}"


@needs_lld
def test_two_objects_have_the_sections_and_symbols_of_lld() -> None:
    sources = compiled(NEEDY), compiled(PROVIDER)
    mine, reference = read_elf(link(sources, target_id="gfx942")), read_elf(linked_by_lld(*sources))
    for name in (".rodata", ".text", ".data", ".bss", ".got", ".rela.dyn", ".dynsym", ".hash"):
        assert mine.section(name).size == reference.section(name).size
    assert mine.section(".data").data == reference.section(".data").data
    for kind in (Sht.SYMTAB, Sht.DYNSYM):
        assert [s.name for s in mine.symbols(kind)] == [s.name for s in reference.symbols(kind)]


def place(data: bytes, address: int, size: int) -> bytes:
    """The loaded bytes at an address."""
    for segment in read_elf(data).segments:
        if segment.type == Pt.LOAD and segment.vaddr <= address < segment.vaddr + segment.filesz:
            at = segment.offset + address - segment.vaddr
            return data[at : at + size]
    raise AssertionError(f"{address:#x} is not loaded")


def value_of(data: bytes, name: str) -> Symbol:
    return next(symbol for symbol in read_elf(data).symbols() if symbol.name == name)


def test_references_between_objects_meet() -> None:
    image = link([compiled(NEEDY), compiled(PROVIDER)], target_id="gfx942")
    assert place(image, value_of(image, "ext").value, 4) == struct.pack("<I", 42)
    elf = read_elf(image)
    dynamic = elf.section(".rela.dyn")
    names = [symbol.name for symbol in elf.symbols(Sht.DYNSYM)]
    written = {(names[r.symbol], r.offset) for r in elf.relocations(dynamic)}
    got = elf.section(".got")
    slots = {name for name, at in written if got.addr <= at < got.addr + got.size}
    # LLVM reads the constant c, or folds it: its options are those of the whole process.
    assert slots - {"c"} == {"ext", "helper", "z", "g"}
    assert ("g", value_of(image, "p").value) in written
    assert ("helper", value_of(image, "fptr").value) in written


def test_descriptor_points_at_code() -> None:
    image = link([compiled(NEEDY), compiled(PROVIDER)], target_id="gfx942")
    for name in ("k", "k2"):
        descriptor = value_of(image, name + ".kd")
        assert descriptor.size == 64
        entry = struct.unpack("<q", place(image, descriptor.value + 16, 8))[0]
        assert descriptor.value + entry == value_of(image, name).value
        assert value_of(image, name).value % 256 == 0


def test_got_loads_reach_their_slots() -> None:
    """s_getpc_b64; s_add_u32 lo; s_addc_u32 hi: the literals lead from the pc to the slot."""
    image = link([compiled(NEEDY), compiled(PROVIDER)], target_id="gfx942")
    start = value_of(image, "helper").value
    code = struct.unpack("<6I", place(image, start, 24))
    assert code[1] == 0xBE801C00  # s_getpc_b64 s[0:1]
    assert (code[2], code[4]) == (0x8000FF00, 0x8201FF01)
    target = start + 8 + (code[3] | code[5] << 32)
    elf = read_elf(image)
    slot = next(r for r in elf.relocations(elf.section(".rela.dyn")) if r.offset == target)
    assert elf.symbols(Sht.DYNSYM)[slot.symbol].name == "ext"


def test_segments_do_not_overlap_and_cover_sections() -> None:
    image = link([compiled(NEEDY), compiled(PROVIDER)], target_id="gfx942")
    elf = read_elf(image)
    loads = [segment for segment in elf.segments if segment.type == Pt.LOAD]
    assert [segment.flags for segment in loads] == [Pf.R, Pf.R | Pf.X, Pf.R | Pf.W, Pf.R | Pf.W]
    for one, two in itertools.pairwise(loads):
        assert one.vaddr + one.memsz <= two.vaddr
        assert (one.vaddr + one.memsz - 1) // 0x1000 < two.vaddr // 0x1000
    for segment in loads:
        assert segment.offset % 0x1000 == segment.vaddr % 0x1000
    for section in elf.sections:
        if section.is_alloc and section.size:
            assert any(s.vaddr <= section.addr < s.vaddr + s.memsz for s in loads)


def test_hash_tables_find_every_symbol() -> None:
    image = link([compiled(NEEDY), compiled(PROVIDER)], target_id="gfx942")
    elf = read_elf(image)
    names = [symbol.name for symbol in elf.symbols(Sht.DYNSYM)]
    table = struct.iter_unpack("<I", elf.section(".hash").data)
    words = [word[0] for word in table]
    buckets, chains = words[2 : 2 + words[0]], words[2 + words[0] :]
    reached = set()
    for bucket in buckets:
        while bucket:
            reached.add(names[bucket])
            bucket = chains[bucket]
    assert reached == set(names[1:])


def test_metadata_is_one_note() -> None:
    image = link([compiled(NEEDY), compiled(PROVIDER)], target_id="gfx942")
    elf = read_elf(image)
    (note,) = read_notes(elf.section(".note").data, "image")
    merged = metadata_map(note, "image")
    parts = [
        read_notes(read_elf(compiled(ir)).section(".note").data, "") for ir in (NEEDY, PROVIDER)
    ]
    kernels = [metadata_map(part[0], "")["amdhsa.kernels"] for part in parts]
    assert merged["amdhsa.kernels"] == kernels[0] + kernels[1]
    assert merged["amdhsa.target"] == "amdgcn-amd-amdhsa--gfx942"
    assert merged["amdhsa.version"] == [1, 2]
    assert list(merged) == ["amdhsa.kernels", "amdhsa.target", "amdhsa.version"]


PRINTF = '!llvm.printf.fmts = !{{!1}}\n!1 = !{{!"0:0:{0:016x},{1}"}}\n'


def test_printf_formats_add_up() -> None:
    first = compiled(ONLY_CODE + PRINTF.format(1, "one"))
    second = compiled(ONLY_CODE.replace("@k", "@k2") + PRINTF.format(2, "two"))
    third = compiled(ONLY_CODE.replace("@k", "@k3") + PRINTF.format(1, "one"))
    merged = read_code_object(link([first, second, third], target_id="gfx942"))
    assert merged.printf == ("0:0:0000000000000001,one", "0:0:0000000000000002,two")


def test_kernel_arguments_replace_the_explicit_ones() -> None:
    source = compiled(WHOLE)
    before = read_code_object(source).kernel("k")
    args = [
        KernelArg("out", 0, 8, "global_buffer", "int*", "global", is_const=True),
        KernelArg("count", 8, 4, "by_value", "int"),
    ]
    after = read_code_object(link([source], target_id="gfx942", kernel_args={"k": args})).kernel(
        "k"
    )
    assert after.explicit_args == tuple(args)
    hidden = [arg for arg in before.args if arg.is_hidden]
    assert len(hidden) > 10
    assert [arg for arg in after.args if arg.is_hidden] == hidden
    with pytest.raises(PtxError, match="no kernel of the link"):
        link([source], target_id="gfx942", kernel_args={"nope": args})


def test_kernels_are_read_as_llvm_states_them() -> None:
    kernel = read_code_object(link([compiled(WHOLE, "gfx1100")], target_id="gfx1100")).kernel("k")
    assert (kernel.symbol, kernel.wave_size, kernel.kernarg_align) == ("k.kd", 32, 8)
    assert [(a.name, a.offset, a.size) for a in kernel.explicit_args] == [("p", 0, 8), ("n", 8, 4)]
    symbol = next(s for s in read_elf(compiled(WHOLE, "gfx1100")).symbols() if s.name == "k")
    assert kernel.code_bytes == symbol.size
    names = {v.name: v.size for v in read_code_object(compiled(WHOLE)).variables}
    assert {"g": 16, "z": 256, "ext": 4}.items() <= names.items()
    assert "k.kd" not in names


def test_listing_is_kept_only_on_request() -> None:
    sources = compiled(NEEDY), compiled(PROVIDER)
    text = listing(sources)
    assert text.count("s_endpgm") == 2
    assert text.startswith("BB0_0:")
    plain = read_elf(link(sources, target_id="gfx942"))
    assert plain.section(".AMDGPU.disasm") is None
    kept = read_elf(link(sources, target_id="gfx942", keep_listing=True))
    assert kept.section(".AMDGPU.disasm").data.decode() == text


def test_same_bytes_every_time() -> None:
    sources = compiled(NEEDY), compiled(PROVIDER)
    assert link(sources, target_id="gfx942") == link(list(sources), target_id="gfx942")


@needs_lld
def test_debug_lines_are_those_of_lld() -> None:
    one, two = (compiled(DEBUG.replace("NUM", number)) for number in ("5", "7"))
    mine, reference = read_elf(link([one], target_id="gfx942")), read_elf(linked_by_lld(one))
    for name in (".debug_line", ".debug_abbrev"):
        assert mine.section(name).data == reference.section(name).data
    both = read_elf(link([one, two], target_id="gfx942"))
    assert (
        both.section(".debug_line").size
        == read_elf(linked_by_lld(one, two)).section(".debug_line").size
    )
    assert value_of(both.data, "k7").value.to_bytes(8, "little") in both.section(".debug_line").data


STRONG = "@x = addrspace(1) global i32 1\n"
WEAK = "@x = weak addrspace(1) global i32 2\n@y = addrspace(1) global ptr addrspace(1) @x\n"
COMMON = "@x = common addrspace(1) global [{} x i32] zeroinitializer, align {}\n"


def test_strong_definition_wins() -> None:
    for order in ([STRONG, WEAK], [WEAK, STRONG]):
        image = link([compiled(ir) for ir in order], target_id="gfx942")
        assert place(image, value_of(image, "x").value, 4) == struct.pack("<I", 1)
    image = link(
        [compiled(WEAK), compiled(WEAK.replace("i32 2", "i32 3").replace("@y", "@v"))],
        target_id="gfx942",
    )
    assert place(image, value_of(image, "x").value, 4) == struct.pack("<I", 2)
    assert value_of(image, "x").bind == Stb.WEAK


def test_common_blocks_take_the_largest() -> None:
    image = link(
        [compiled(COMMON.format(3, 4)), compiled(COMMON.format(9, 64))], target_id="gfx942"
    )
    symbol = value_of(image, "x")
    assert symbol.size == 36
    assert symbol.value % 64 == 0
    image = link([compiled(COMMON.format(3, 4)), compiled(STRONG)], target_id="gfx942")
    assert place(image, value_of(image, "x").value, 4) == struct.pack("<I", 1)


def test_hidden_names_stay_inside() -> None:
    hidden = "@x = hidden addrspace(1) global i32 8\n@q = addrspace(1) global ptr addrspace(1) @x\n"
    image = link([compiled(hidden)], target_id="gfx942")
    assert value_of(image, "x").bind == Stb.LOCAL
    elf = read_elf(image)
    assert "x" not in {symbol.name for symbol in elf.symbols(Sht.DYNSYM)}
    (relocation,) = elf.relocations(elf.section(".rela.dyn"))
    assert (relocation.type, relocation.symbol) == (13, 0)  # R_AMDGPU_RELATIVE64
    assert relocation.offset == value_of(image, "q").value
    assert relocation.addend == value_of(image, "x").value


def test_weak_undefined_is_null() -> None:
    ir = ONLY_CODE.replace("ret", "store i32 1, ptr addrspace(1) @wu\n  ret")
    image = link([compiled("@wu = extern_weak addrspace(1) global i32\n" + ir)], target_id="gfx942")
    elf = read_elf(image)
    assert elf.section(".rela.dyn") is None
    assert elf.section(".got").data == bytes(8)
    assert "wu" not in {symbol.name for symbol in elf.symbols(Sht.DYNSYM)}


def fails(objects: list[bytes], target_id: str = "gfx942") -> str:
    with pytest.raises(PtxError) as caught:
        link(objects, target_id=target_id, names=["a.o", "b.o"][: len(objects)])
    assert {d.code for d in caught.value.diagnostics} == {"PTX306"}
    return str(caught.value)


def test_clashes_name_both_objects() -> None:
    text = fails([compiled(STRONG), compiled(STRONG + ONLY_CODE)])
    assert "x is defined in a.o and again in b.o" in text


def test_undefined_names_say_who_uses_them() -> None:
    text = fails([compiled(NEEDY)])
    assert "ext is used in a.o and defined nowhere" in text


def test_targets_must_agree() -> None:
    assert "different targets" in fails([compiled(WHOLE), compiled(ONLY_CODE, "gfx90a")])
    assert "is not for gfx90a" in fails([compiled(WHOLE)], "gfx90a")
    on, off = (
        compiled(ONLY_CODE.replace("@k", f"@k{sign == '+'}"), "gfx942", f"{sign}xnack")
        for sign in "+-"
    )
    assert "different xnack settings" in fails([on, off])
    versions = fails([compiled(WHOLE), compiled(ONLY_CODE.replace("@k", "@o"), version=600)])
    assert "different code object versions" in versions
    assert "nothing to link" in fails([])


def test_any_joins_on() -> None:
    on = compiled(ONLY_CODE.replace("@k", "@on"), "gfx942", "+xnack")
    image = link([compiled(WHOLE), on], target_id="gfx942:xnack+")
    assert struct.unpack_from("<I", image, 48)[0] == 0x74C
    assert read_code_object(image).target.endswith("gfx942:xnack+")
