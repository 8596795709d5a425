"""Which function lowers an op for every target: `@lowers("op name")` and `SHARED`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

from ptxlift.chapters import Chapters
from ptxlift.ir.core import Op
from ptxlift.llvm.emitter import FunctionEmitter

AnyEmitter: TypeAlias = FunctionEmitter[Any]  # of any target: its context is not looked at
Lowering = Callable[[AnyEmitter, Op], None]

SHARED = Chapters[Lowering]("ptxlift.llvm.plain", ("integer", "control"))
lowers = SHARED.register
