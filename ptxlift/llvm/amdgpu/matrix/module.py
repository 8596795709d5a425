"""Replaces the matrix products of a module by what the target can do.

Comes in: a module, a target and options. Goes out: the module without `mma` ops.
"""

from __future__ import annotations

from math import prod

from ptxlift.ir.core import Function, Module
from ptxlift.llvm.amdgpu.matrix.native import NativeReplacer
from ptxlift.llvm.amdgpu.matrix.target import MatrixTarget
from ptxlift.llvm.options import CodegenOptions
from ptxlift.rewrite.matrix.function import map_products
from ptxlift.rewrite.matrix.prepare import prepare_products
from ptxlift.target import TargetSpec

_WAVE = 64


def replace_products(module: Module, spec: TargetSpec, options: CodegenOptions) -> Module:
    """The module with matrix instructions where these are right and pay, else scalar code."""
    target = MatrixTarget(spec, options)

    def rewrite(function: Function) -> Function:
        prepared = prepare_products(function)
        return NativeReplacer(prepared, target, _fills_waves(function)).run()

    return map_products(module, rewrite)


def _fills_waves(function: Function) -> bool:
    """Whether every wave of 64 lanes holds two whole warps."""
    size = function.bounds.reqntid
    return function.is_kernel and size is not None and prod(size) % _WAVE == 0
