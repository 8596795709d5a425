"""A compiler built on llvmlite, as Numba is: inline PTX in its modules, raised before LLVM runs.

`asm` is what an intrinsic's code generation would call. Run it to see the module:
`python examples/inline_asm/numba_llvmlite.py`. No GPU is needed.
"""

from __future__ import annotations

from collections.abc import Sequence

from llvmlite import ir

import ptxlift

I32, F32 = ir.IntType(32), ir.FloatType()
GLOBAL = ir.PointerType(I32, addrspace=1)


def asm(
    builder: ir.IRBuilder,
    result: ir.Type,
    template: str,
    constraints: str,
    arguments: Sequence[ir.Value],
    volatile: bool = False,
) -> ir.Value:
    """A call of inline PTX, as `llvmlite` writes it."""
    type = ir.FunctionType(result, [argument.type for argument in arguments])
    return builder.call(ir.InlineAsm(type, template, constraints, volatile), list(arguments))


def kernel_module() -> ir.Module:
    """A kernel that stores a hash of the thread's number."""
    module = ir.Module("hash")
    module.triple = "amdgcn-amd-amdhsa"
    thread = ir.Function(module, ir.FunctionType(I32, []), "llvm.amdgcn.workitem.id.x")
    kernel = ir.Function(module, ir.FunctionType(ir.VoidType(), [GLOBAL]), "hash")
    kernel.calling_convention = "amdgpu_kernel"
    builder = ir.IRBuilder(kernel.append_basic_block("entry"))
    number = builder.call(thread, [])
    mixed = asm(
        builder,
        I32,
        "{ .reg .u32 t; mul.lo.u32 t, $1, 0x9E3779B1; shf.l.wrap.b32 $0, t, t, $2; }",
        "=r,r,n",
        [number, I32(13)],
    )
    place = builder.gep(kernel.args[0], [number], source_etype=I32)
    builder.store(mixed, place)
    builder.ret_void()
    version = ir.MetaDataString(module, "amdhsa_code_object_version")
    module.add_named_metadata("llvm.module.flags", [I32(1), version, I32(500)])
    return module


def raised(target: str) -> str:
    """The module's text, ready for LLVM's AMDGPU backend."""
    return ptxlift.lift_inline_asm(str(kernel_module()), target)


if __name__ == "__main__":
    print(raised("gfx942"))
