"""The public road: PTX texts in, a `Translation` out, whose parts are made when asked for.

Comes in: texts, a target, options. Goes out: kernels, IR, LLVM IR, assembly, objects. Each stage
is elsewhere; this module only joins them and must know no instruction and no chip.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeVar

from ptxlift import ptx
from ptxlift.diag import Diagnostic, PtxError, Severity
from ptxlift.driver.kernels import Kernel, Resources
from ptxlift.driver.options import Options
from ptxlift.driver.units import Linked, Unit, compile_unit, link_units, split_units
from ptxlift.ir import core as ir
from ptxlift.ir.text import print_module
from ptxlift.lifter.module import Lifted, lift_program
from ptxlift.target import TargetSpec, lookup

T = TypeVar("T")
Texts = str | bytes | Sequence[str | bytes]


def lift(
    ptx_text: Texts,
    target: str = "gfx942",
    kernels: Iterable[str] | None = None,
    options: Options | None = None,
    *,
    name: str = "<ptx>",
) -> Translation:
    """Translates PTX for an AMDGPU target.

    ptx_text: one module, or several that form one program. target: a chip or target id such as
    `"gfx942:xnack-"`. kernels: names of those wanted; None: all. name: stands in diagnostics.
    Raises `PtxError` for bad input, and for what cannot be translated unless
    `options.on_unsupported` is `"skip"`. Code generation waits until a part of the result needs it,
    and may raise then.
    """
    options = options or Options()
    spec = lookup(target)
    texts = (ptx_text,) if isinstance(ptx_text, str | bytes) else tuple(ptx_text)
    wanted = None if kernels is None else tuple(kernels)
    return Translation(texts, spec, target, wanted, options, name)


def parse(text: str | bytes, name: str = "<ptx>") -> ptx.Module:
    """Reads and checks one PTX module. Raises `PtxError` with all that was found."""
    return ptx.parse_module(text, name)


class Translation:
    """What `lift` gives. Parts are computed once, under a lock; a pickled translation keeps
    them.
    """

    def __init__(
        self,
        texts: tuple[str | bytes, ...],
        spec: TargetSpec,
        target: str,
        wanted: tuple[str, ...] | None,
        options: Options,
        name: str = "<ptx>",
        parts: dict[str, Any] | None = None,  # Any: each part has its own type
    ) -> None:
        self.target = target
        self.options = options
        self.texts = texts
        self._spec = spec
        self._wanted = wanted
        self._name = name
        self._lock = threading.RLock()
        self._parts: dict[str, Any] = parts or {}
        self._timings: dict[str, float] = {}
        self._lifted: Lifted | None = None
        if not self._parts:
            self._lift()

    def __reduce__(self) -> tuple[object, ...]:
        state = (self.texts, self._spec, self.target, self._wanted, self.options, self._name)
        return Translation, (*state, dict(self._parts))

    # ---- front end ----

    def _lift(self) -> Lifted:
        with self._lock:
            if self._lifted is None:
                self._lifted = self._run_front_end()
                self._parts["failed"] = self._lifted.failed
            return self._lifted

    def _run_front_end(self) -> Lifted:
        many = len(self.texts) > 1
        names = [f"{self._name}[{i}]" if many else self._name for i in range(len(self.texts))]
        start = time.perf_counter()
        modules = [
            ptx.parse_module(text, name) for text, name in zip(self.texts, names, strict=True)
        ]
        parsed = time.perf_counter()
        lifted = lift_program(modules, self._wanted)
        self._timings |= {"parse": parsed - start, "lift": time.perf_counter() - parsed}
        if lifted.failed and self.options.on_unsupported == "error":
            raise PtxError([d for found in lifted.failed.values() for d in found][:20])
        return lifted

    def _once(self, name: str, compute: Callable[[], T]) -> T:
        with self._lock:
            if name not in self._parts:
                start = time.perf_counter()
                self._parts[name] = compute()
                self._timings[name] = time.perf_counter() - start
            part: T = self._parts[name]
            return part

    # ---- parts ----

    @property
    def module(self) -> ir.Module:
        """The SSA IR as objects."""
        return self._lift().module

    @property
    def ir(self) -> str:
        """The SSA IR as text."""
        return self._once("ir", lambda: print_module(self.module))

    @property
    def _units(self) -> tuple[Unit, ...]:
        return self._once("units", lambda: split_units(self.module, self._spec, self.options))

    @property
    def llvm_ir(self) -> str:
        """LLVM IR, before LLVM's own passes."""
        return self._once("llvm_ir", lambda: "\n".join(unit.text for unit in self._units))

    @property
    def object(self) -> bytes:
        """The relocatable object of a program that is one unit; raises PTX307 for several."""
        objects = self._objects
        if len(objects) != 1:
            raise PtxError.of(
                "PTX307",
                f"the program was compiled as {len(objects)} objects",
                hint="use code_object, which is linked from them all",
            )
        return objects[0]

    @property
    def _objects(self) -> tuple[bytes, ...]:
        def compile_all() -> tuple[bytes, ...]:
            return tuple(
                compile_unit(unit, self._spec, self.options).object for unit in self._units
            )

        return self._once("objects", compile_all)

    @property
    def asm(self) -> str:
        """AMDGPU assembly."""

        def compile_all() -> str:
            compiled = (
                compile_unit(unit, self._spec, self.options, want_asm=True) for unit in self._units
            )
            return "\n".join(one.asm for one in compiled)

        return self._once("asm", compile_all)

    @property
    def bitcode(self) -> bytes:
        """LLVM bitcode after LLVM's passes, of a program that is one unit."""

        def compile_all() -> bytes:
            units = self._units
            if len(units) != 1:
                raise PtxError.of("PTX307", f"the program was compiled as {len(units)} units")
            return compile_unit(units[0], self._spec, self.options, want_bitcode=True).bitcode

        return self._once("bitcode", compile_all)

    @property
    def code_object(self) -> bytes:
        """The HSA code object, as `hipModuleLoadData` takes it."""
        return self._linked.code_object

    @property
    def listing(self) -> str:
        """Text and encoding of every instruction in the code object: the emulator's input."""
        return self._linked.listing

    @property
    def _linked(self) -> Linked:
        return self._once("link", lambda: link_units(self._objects, self._spec))

    # ---- facts ----

    @property
    def kernels(self) -> Mapping[str, Kernel]:
        """Every translated kernel by name."""

        def make() -> dict[str, Kernel]:
            mapping = {name: unit.mapping for unit in self._units for name in unit.kernels}
            return {
                name: Kernel(function, mapping.get(name, "packed"), self._resources)
                for name, function in self.module.functions.items()
                if function.is_kernel
            }

        with self._lock:
            kernels: dict[str, Kernel] | None = self.__dict__.get("_kernels")
            if kernels is None:
                kernels = self.__dict__["_kernels"] = make()
            return kernels

    def _resources(self, name: str) -> Resources:
        return self._linked.resources[name]

    @property
    def failed(self) -> Mapping[str, Sequence[Diagnostic]]:
        """Kernels left out under `on_unsupported="skip"`, with the reasons."""
        return self._lift().failed

    @property
    def diagnostics(self) -> Sequence[Diagnostic]:
        """Warnings and remarks, and the errors of skipped kernels."""
        skipped = [d for found in self.failed.values() for d in found]
        warnings = [d for unit in self._units for d in unit.diagnostics]
        order = list(Severity)
        return sorted(skipped + warnings, key=lambda d: order.index(d.severity))

    @property
    def stats(self) -> Mapping[str, float]:
        """Seconds by stage, of the stages that have run in this process."""
        return dict(self._timings)
