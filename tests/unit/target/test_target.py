"""The chip table against LLVM: its assembler's verdicts and the headers of its objects."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest

from ptxlift.diag import PtxError
from ptxlift.target import Feature, Scratch, Setting, WorkgroupId, all_targets, lookup

llvm = pytest.importorskip("llvmlite.binding")

NAMES = [target.name for target in all_targets()]
COV6 = '!llvm.module.flags = !{!0}\n!0 = !{i32 1, !"amdhsa_code_object_version", i32 600}\n'
KERNEL = (
    """
target triple = "amdgcn-amd-amdhsa"
define amdgpu_kernel void @k(ptr addrspace(1) %p, i32 %n) {
  %a = alloca [100 x i32], addrspace(5)
  %g = getelementptr [100 x i32], ptr addrspace(5) %a, i32 0, i32 %n
  store volatile i32 1, ptr addrspace(5) %g
  %t = call i32 @llvm.amdgcn.workitem.id.y()
  %w = call i32 @llvm.amdgcn.workgroup.id.y()
  %s = add i32 %t, %w
  store i32 %s, ptr addrspace(1) %p
  ret void
}
declare i32 @llvm.amdgcn.workitem.id.y()
declare i32 @llvm.amdgcn.workgroup.id.y()
"""
    + COV6
)


def measured() -> list[dict[str, str]]:
    lines = Path(__file__).with_name("measured.tsv").read_text().splitlines()[1:]
    header = lines[0].split("\t")
    return [dict(zip(header, line.split("\t"), strict=True)) for line in lines[1:]]


def machine(target_id: str, wave: int) -> object:
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    spec = lookup(target_id)
    triple = llvm.Target.from_triple("amdgcn-amd-amdhsa")
    return triple.create_target_machine(cpu=spec.cpu, features=spec.llvm_features(wave), opt=2)


@pytest.mark.parametrize("row", measured(), ids=lambda row: row["target"])
def test_row_agrees_with_assembler(row: dict[str, str]) -> None:
    target = lookup(row["target"]).target
    columns = [name for name in row if name in Feature.__members__]
    assert len(columns) > 150
    wrong = [name for name in columns if target.has(Feature[name]) != (row[name] == "y")]
    assert wrong == []
    assert ",".join(map(str, target.wave_sizes)) == row["waves"]
    assert target.lds_bytes == int(row["lds"])
    assert target.sgprs == int(row["sgprs"])


@pytest.mark.parametrize("name", NAMES)
def test_objects_carry_the_flags(name: str) -> None:
    spec = lookup(name)
    for wave in spec.target.wave_sizes:
        tm = machine(name, wave)
        data = tm.emit_object(llvm.parse_assembly(KERNEL))
        assert struct.unpack_from("<I", data, 48)[0] == spec.e_flags
        text = tm.emit_assembly(llvm.parse_assembly(KERNEL))
        assert f'.amdgcn_target "{spec.full_target_id}"' in text
        assert f".wavefront_size: {wave}" in text
        packed = "v_bfe_u32" in text
        assert packed == spec.target.packed_work_item_ids
        assert ("ttmp7" in text) == (spec.target.workgroup_id is WorkgroupId.TTMP)
        assert ("scratch_store" in text) == (spec.target.scratch is Scratch.ARCHITECTED)


@pytest.mark.parametrize("name", NAMES)
def test_default_wave(name: str) -> None:
    triple = llvm.Target.from_triple("amdgcn-amd-amdhsa")
    machine(name, lookup(name).target.default_wave)
    text = triple.create_target_machine(cpu=name, opt=2).emit_assembly(llvm.parse_assembly(KERNEL))
    assert f".wavefront_size: {lookup(name).target.default_wave}" in text


@pytest.mark.parametrize(
    "target_id",
    [
        "gfx942:sramecc+:xnack-", "gfx942:sramecc-:xnack+", "gfx90a:xnack+", "gfx906:sramecc+",
        "gfx900:xnack-", "gfx1010:xnack+", "gfx950:sramecc-",
    ],
)  # fmt: skip
def test_settings_reach_the_object(target_id: str) -> None:
    spec = lookup(target_id)
    tm = machine(target_id, 64)
    data = tm.emit_object(llvm.parse_assembly(KERNEL))
    assert struct.unpack_from("<I", data, 48)[0] == spec.e_flags
    text = tm.emit_assembly(llvm.parse_assembly(KERNEL))
    assert f'.amdgcn_target "{spec.full_target_id}"' in text


def test_settings_in_any_order_and_with_triple() -> None:
    spec = lookup("amdgcn-amd-amdhsa--gfx942:xnack-:sramecc+")
    assert (spec.sramecc, spec.xnack) == (Setting.ON, Setting.OFF)
    assert spec.target_id == "gfx942:sramecc+:xnack-"
    assert lookup(spec.target_id) == spec


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("gfx94", "gfx942"),
        ("gfx1100:xnack+", "takes no feature 'xnack+'"),
        ("gfx900:sramecc+", "takes no feature"),
        ("gfx942:xnack", "takes no feature"),
        ("gfx942:xnack+:xnack-", "twice"),
        ("gfx942:", "takes no feature"),
        ("", "no AMDGPU target"),
        ("sm_80", "no AMDGPU target"),
        ("x" * 100_000, "no AMDGPU target"),
    ],
)
def test_bad_names(name: str, says: str) -> None:
    with pytest.raises(PtxError) as caught:
        lookup(name)
    assert caught.value.diagnostics[0].code == "PTX301"
    assert says in str(caught.value)
    assert len(str(caught.value)) < 300


def test_wave_size_must_exist() -> None:
    with pytest.raises(PtxError) as caught:
        lookup("gfx942").llvm_features(32)
    assert caught.value.diagnostics[0].code == "PTX302"


def test_generic_has_no_more_than_its_family() -> None:
    families = {
        "gfx9-generic": ("gfx900", "gfx902", "gfx904", "gfx906", "gfx909", "gfx90c"),
        "gfx9-4-generic": ("gfx942", "gfx950"),
        "gfx10-1-generic": ("gfx1010", "gfx1011", "gfx1012", "gfx1013"),
        "gfx10-3-generic": tuple(f"gfx103{i}" for i in range(7)),
        "gfx11-generic": ("gfx1100", "gfx1101", "gfx1102", "gfx1103", "gfx1150", "gfx1151"),
        "gfx12-generic": ("gfx1200", "gfx1201"),
    }
    for generic, chips in families.items():
        common = frozenset.intersection(*(lookup(chip).target.features for chip in chips))
        assert lookup(generic).target.features <= common, generic
