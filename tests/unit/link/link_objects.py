"""Small objects for the linker's tests, compiled from LLVM IR when the tests run."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from functools import cache
from pathlib import Path

import llvmlite.binding as llvm

LLD = shutil.which("ld.lld-19")
_COV = '\n!llvm.module.flags = !{{!0}}\n!0 = !{{i32 1, !"amdhsa_code_object_version", i32 {}}}\n'

CALLER = """
@g = addrspace(1) global [4 x i32] [i32 1, i32 2, i32 3, i32 4], align 16
@h = internal addrspace(1) global i32 7
@p = addrspace(1) global ptr addrspace(1) @g
@c = addrspace(4) constant [2 x i32] [i32 5, i32 6]
@z = addrspace(1) global [64 x i32] zeroinitializer
@fptr = addrspace(1) global ptr @helper
@ext = EXT addrspace(1) global i32 INIT
define i32 @helper(i32 %x) noinline {
  %y = mul i32 %x, 3
  %v = load i32, ptr addrspace(1) @ext
  %w = add i32 %y, %v
  ret i32 %w
}
define protected amdgpu_kernel void @k(ptr addrspace(1) %p, i32 %n) {
  %a = call i32 @helper(i32 %n)
  %b = load i32, ptr addrspace(1) @h
  %d = load i32, ptr addrspace(4) @c
  %e = add i32 %b, %d
  store i32 %e, ptr addrspace(1) @z
  %s = add i32 %a, %b
  store i32 %s, ptr addrspace(1) %p
  store i32 %s, ptr addrspace(1) @g
  store i32 %s, ptr addrspace(1) @h
  ret void
}
"""
WHOLE = CALLER.replace("EXT", "").replace("INIT", "9")
NEEDY = CALLER.replace("EXT", "external").replace("INIT", "")
PROVIDER = """
@ext = addrspace(1) global i32 42
@g = external addrspace(1) global [4 x i32]
define protected amdgpu_kernel void @k2(ptr addrspace(1) %p, i32 %n) {
  store i32 %n, ptr addrspace(1) @g
  store i32 %n, ptr addrspace(1) %p
  ret void
}
"""
KINDS = """
@g = addrspace(1) global [4 x i32] [i32 1, i32 2, i32 3, i32 4], align 16
@rp = protected addrspace(4) constant ptr addrspace(1) @g
@rp2 = protected addrspace(4) constant ptr addrspace(1) getelementptr
  (i8, ptr addrspace(1) @hid, i64 4)
@hid = hidden addrspace(1) global i64 9
@w = weak addrspace(1) global i32 3
@cm = common addrspace(1) global [7 x i32] zeroinitializer, align 32
@pg = protected addrspace(1) global i32 0
@big = addrspace(1) global i8 1, align 4096
define protected amdgpu_kernel void @k(ptr addrspace(1) %p, i32 %n) {
  store i32 %n, ptr addrspace(1) @pg
  %d = load i64, ptr addrspace(1) @hid
  store i64 %d, ptr addrspace(1) %p
  %e = load i32, ptr addrspace(1) @w
  store i32 %e, ptr addrspace(1) @cm
  ret void
}
"""
ONLY_DATA = "@pg = protected addrspace(1) global i32 5\n"
ONLY_CODE = "define protected amdgpu_kernel void @k() {\n  ret void\n}\n"


@cache
def compiled(
    ir: str, cpu: str = "gfx942", features: str = "+dumpcode", version: int = 500
) -> bytes:
    """The relocatable object of a module."""
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    triple = llvm.Target.from_triple("amdgcn-amd-amdhsa")
    machine = triple.create_target_machine(cpu=cpu, features=features, opt=2)
    flags = "" if "!llvm.module.flags" in ir else _COV.format(version)
    text = f'target triple = "amdgcn-amd-amdhsa"\n{ir}{flags}'
    data: bytes = machine.emit_object(llvm.parse_assembly(text))
    return data


def linked_by_lld(*objects: bytes) -> bytes:
    """What ld.lld makes of the objects."""
    with tempfile.TemporaryDirectory() as folder:
        paths = [str(Path(folder, f"{n}.o")) for n in range(len(objects))]
        for path, data in zip(paths, objects, strict=True):
            Path(path).write_bytes(data)
        output = Path(folder, "out.so")
        subprocess.run([LLD or "", "-shared", *paths, "-o", str(output)], check=True)
        return output.read_bytes()


DEBUG = """
define protected amdgpu_kernel void @kNUM(ptr addrspace(1) %p, i32 %n) !dbg !10 {
  store i32 %n, ptr addrspace(1) %p, !dbg !12
  ret void, !dbg !13
}
!llvm.dbg.cu = !{!5}
!llvm.ident = !{}
!5 = distinct !DICompileUnit(language: DW_LANG_C99, file: !6, producer: "p",
  emissionKind: FullDebug)
!6 = !DIFile(filename: "nameNUM.cu", directory: "d")
!7 = !DISubroutineType(types: !8)
!8 = !{null}
!10 = distinct !DISubprogram(name: "kNUM", scope: !6, file: !6, line: 3, type: !7, unit: !5,
  spFlags: DISPFlagDefinition)
!12 = !DILocation(line: 4, column: 2, scope: !10)
!13 = !DILocation(line: NUM, column: 1, scope: !10)
!llvm.module.flags = !{!0, !1}
!0 = !{i32 1, !"amdhsa_code_object_version", i32 500}
!1 = !{i32 2, !"Debug Info Version", i32 3}
"""
