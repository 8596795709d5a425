"""Replaces the matrix products of a module by what the target can do.

Comes in: a module, a target and options. Goes out: the module without `mma` ops.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import prod

from ptxlift.ir.attributes import IntPredicate, Special
from ptxlift.ir.builder import Builder
from ptxlift.ir.core import Block, Function, Module, Op
from ptxlift.ir.loops import loops_around
from ptxlift.ir.matrix import Product, product_of
from ptxlift.llvm.amdgpu.matrix.native import NativeReplacer
from ptxlift.llvm.amdgpu.matrix.plan import find_core, matrix_cost
from ptxlift.llvm.amdgpu.matrix.target import MatrixTarget
from ptxlift.llvm.options import CodegenOptions, MatrixUse
from ptxlift.records import replace
from ptxlift.rewrite.matrix.function import map_products
from ptxlift.rewrite.matrix.join import join_products
from ptxlift.rewrite.matrix.prepare import prepare_products
from ptxlift.rewrite.matrix.spread import spread_products
from ptxlift.rewrite.matrix.widen import widen_products, wider
from ptxlift.target import TargetSpec

_WAVE = 64
_SIZES = (Special.NTID_X, Special.NTID_Y, Special.NTID_Z)


def replace_products(module: Module, spec: TargetSpec, options: CodegenOptions) -> Module:
    """The module with matrix instructions where these are right and pay, else scalar code."""
    target = MatrixTarget(spec, options)
    alignments = {variable.name: variable.align for variable in module.variables.values()}
    return map_products(module, lambda function: _rewritten(function, target, alignments))


def _rewritten(function: Function, target: MatrixTarget, alignments: Mapping[str, int]) -> Function:
    fills = _fills_waves(function)
    made = NativeReplacer(_prepared(function, target), target, fills is True, alignments)
    if fills is not None or target.wave_size < _WAVE or target.is_split:
        return made.run()
    whole = NativeReplacer(_prepared(function, target), target, True, alignments)
    return _either(whole.run(), made.run()) if whole.changes_anything else made.run()


def _prepared(function: Function, target: MatrixTarget) -> Function:
    """Products that no instruction takes as they are become dense, or of wider elements; others are
    joined along K where an instruction takes more of it.
    """
    loops = loops_around(function)
    repeated = {op for block, around in loops.items() if around for op in block.ops}

    def stays(op: Op) -> bool:
        return find_core(product_of(op), target) is not None

    def pays(op: Op) -> bool:
        wide = wider(product_of(op))
        if stays(op) or wide is None or find_core(wide, target) is None:
            return False
        return target.use is MatrixUse.NATIVE or op in repeated

    def cost(product: Product, parts: int) -> float:
        return matrix_cost(product, target, parts)

    if target.use is MatrixUse.GENERIC:
        return prepare_products(spread_products(function, stays))
    prepared = prepare_products(spread_products(widen_products(function, pays), stays))
    join_products(prepared, cost)
    return prepared


def _fills_waves(function: Function) -> bool | None:
    """Whether every wave of 64 lanes holds two whole warps; None where the launch decides."""
    if not function.is_kernel:
        return False
    size, most = function.bounds.reqntid, function.bounds.maxntid
    if size is not None:
        return prod(size) % _WAVE == 0
    return False if most is not None and prod(most) < _WAVE else None


def _either(whole: Function, any_: Function) -> Function:
    """Two versions of a kernel: the first one where the block fills its waves."""
    entry = Block("versions")
    builder = Builder(entry)
    threads = builder.special(32, _SIZES[0])
    for size in _SIZES[1:]:
        threads = builder.mul(threads, builder.special(32, size))
    rest = builder.and_(threads, builder.const(32, _WAVE - 1))
    fits = builder.icmp(rest, builder.const(32, 0), IntPredicate.EQ)
    builder.cond_br(fits, whole.blocks[0], any_.blocks[0])
    for block in any_.blocks:
        block.name += "_any"
    return replace(whole, blocks=[entry, *whole.blocks, *any_.blocks])
