"""The public road: PTX texts in, a `Translation` out, whose parts are made when asked for.

Comes in: texts, a target, options. Goes out: kernels, IR, LLVM IR, assembly, objects. Each stage
is elsewhere; this module only joins them and must know no instruction and no chip.
"""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeVar

from ptxlift import ptx
from ptxlift.diag import Diagnostic, PtxError, Severity, Source
from ptxlift.driver.build import Built, Compiler, Linked, build, compile_unit, compiler_for, joined
from ptxlift.driver.heap import heap_module, needs_heap
from ptxlift.driver.images import Image, Images, split_over_images, taken_from_older
from ptxlift.driver.kernels import Kernel, KernelFacts, Resources, facts_of
from ptxlift.driver.options import Options
from ptxlift.driver.units import (
    Split,
    Unit,
    raise_failed,
    rewrite_remarks,
    split_units,
    wants_pieces,
)
from ptxlift.driver.warps import Request
from ptxlift.ir import core as ir
from ptxlift.ir.text import print_module
from ptxlift.lifter.module import Lifted
from ptxlift.lifter.program import Outside
from ptxlift.llvm.nvptx.backend import tidy
from ptxlift.llvm.toolchains import toolchain_for
from ptxlift.records import dataclass, replace
from ptxlift.rewrite.driver import Log
from ptxlift.target import AnySpec, Feature, NvidiaSpec, TargetSpec, lookup_any

T = TypeVar("T")
Texts = str | bytes | Sequence[str | bytes]
_OF_FRONT_END = ("failed", "source", "kernels", "notes", "ir")  # parts that no target changes
Failures = Mapping[str, Sequence[Diagnostic]]


@dataclass(frozen=True, slots=True)
class Inputs:
    """All that a translation depends on. `wanted`: kernel names, None for all. `older`: other
    images of each text, the best first.
    """

    texts: tuple[str | bytes, ...]
    names: tuple[str, ...]
    target: str
    spec: AnySpec
    wanted: tuple[str, ...] | None
    options: Options
    older: tuple[tuple[Image, ...], ...] = ()

    @property
    def native(self) -> str:
        """The NVIDIA target, whose own instructions stay; "" for an AMD one."""
        return self.spec.target_id if isinstance(self.spec, NvidiaSpec) else ""

    @property
    def has_barriers(self) -> bool:
        """Whether an AMD target has barriers for some of a block's waves."""
        spec = self.spec
        return isinstance(spec, TargetSpec) and spec.target.has(Feature.BARRIER_OBJECTS)


def lift(
    ptx_text: Texts,
    target: str = "gfx942",
    kernels: Iterable[str] | None = None,
    options: Options | None = None,
    *,
    name: str | Sequence[str] = "<ptx>",
    compiler: Compiler | None = None,
    older: Sequence[Sequence[Image]] = (),
    at_once: int = 1,
) -> Translation:
    """Translates PTX for an AMDGPU target, or optimises it for an NVIDIA one.

    ptx_text: one module, or several that form one program. target: a chip or target id such as
    `"gfx942:xnack-"`, or `"sm_90"`. kernels: names of those wanted; None: all. name: stands in
    diagnostics, one for all texts or one each. compiler: runs LLVM instead of this process or one
    of its own, such as a worker that is kept; a pickled translation forgets it. older: for each
    text, other images of it for older architectures, from which kernels are taken that cannot be
    translated. at_once: how many LLVMs work on a large program; each needs a process of its own
    (`options.isolate`). Raises `PtxError` for bad input, and for what cannot be translated unless
    `options.on_unsupported` is `"skip"`. Code generation waits until a part of the result needs it,
    and may raise then.
    """
    texts = _texts(ptx_text)
    _check_types(target, options)
    if isinstance(kernels, str):
        kernels = (kernels,)
    wanted = None if kernels is None else tuple(kernels)
    names = _names(name, len(texts))
    images = tuple(tuple(group) for group in older)
    spec = lookup_any(target)
    inputs = Inputs(texts, names, target, spec, wanted, options or Options(), images)
    return Translation(inputs, compiler=compiler, at_once=at_once)


def parse(text: str | bytes, name: str = "<ptx>") -> ptx.Module:
    """Reads and checks one PTX module. Raises `PtxError` with all that was found."""
    if not isinstance(text, str | bytes):
        raise _not_ptx(text)
    return ptx.parse_module(text, name)


def _texts(given: Texts) -> tuple[str | bytes, ...]:
    """The texts of a program; `TypeError` for what is none."""
    if isinstance(given, str | bytes):
        return (given,)
    if not isinstance(given, Iterable):
        raise _not_ptx(given)
    found: list[str | bytes] = []
    for text in given:
        if not isinstance(text, str | bytes):
            raise _not_ptx(text)
        found.append(text)
    if not found:
        hint = "give one PTX text, or several that form a program"
        raise PtxError.of("PTX003", "there is no PTX text", hint=hint)
    return tuple(found)


def _not_ptx(value: object) -> TypeError:
    return TypeError(f"PTX is str or bytes, not {type(value).__name__}")


def _check_types(target: object, options: object) -> None:
    if not isinstance(target, str):
        raise TypeError(f"a target is a str such as 'gfx942', not {type(target).__name__}")
    if not isinstance(options, Options | None):
        raise TypeError(f"options are ptxlift.Options, not {type(options).__name__}")


def _names(name: str | Sequence[str], count: int) -> tuple[str, ...]:
    if not isinstance(name, str):
        return tuple(name)
    return (name,) if count == 1 else tuple(f"{name}[{number}]" for number in range(count))


class Translation:
    """What `lift` gives. Parts are computed once, under a lock; a pickled translation keeps
    them.
    """

    def __init__(
        self,
        inputs: Inputs,
        parts: Mapping[str, Any] | None = None,  # Any: each part has its own type
        compiler: Compiler | None = None,
        at_once: int = 1,
    ) -> None:
        if inputs.native:
            inputs.options.check_for(inputs.native)
        self._inputs = inputs
        self._compiler = compiler or compiler_for(inputs.options)
        self._at_once = at_once
        self._lock = threading.RLock()
        self._parts: dict[str, Any] = dict(parts or {})
        self._timings: dict[str, float] = {}
        self._lifted: Lifted | None = None  # not pickled: it is made from the texts again
        self._images: Images | None = None
        if not self._parts:
            self._run_front_end()

    def __reduce__(self) -> tuple[object, ...]:
        return Translation, (self._inputs, dict(self._parts))

    def for_target(self, target: str) -> Translation:
        """The same program for another target; between AMD targets the texts are not read again."""
        inputs = replace(self._inputs, target=target, spec=lookup_any(target))
        if inputs.native != self._inputs.native:  # what is lifted depends on it
            return Translation(inputs, compiler=self._compiler, at_once=self._at_once)
        with self._lock:
            if "retaken" in self._parts:  # what this target took says nothing about another
                return Translation(inputs, compiler=self._compiler, at_once=self._at_once)
            parts = {name: self._parts[name] for name in _OF_FRONT_END if name in self._parts}
            made = Translation(inputs, parts, self._compiler, self._at_once)
            made._lifted, made._images = self._lifted, self._images
        return made

    @property
    def target(self) -> str:
        """The target as it was asked for."""
        return self._inputs.target

    @property
    def source(self) -> Source:
        """The text that spans and debug lines mean; raises PTX307 for a program of several."""
        source: Source | None = self._parts["source"]
        if source is None:
            hint = "translate the texts one by one"
            raise PtxError.of("PTX307", "a program of several texts has no lines", hint=hint)
        return source

    @property
    def options(self) -> Options:
        """The options it was made with."""
        return self._inputs.options

    @property
    def texts(self) -> tuple[str | bytes, ...]:
        """The PTX it was made from."""
        return self._inputs.texts

    # ---- stages ----

    def _run_front_end(self) -> ir.Module:
        start = time.perf_counter()
        inputs = self._inputs
        texts = [Image(name, text) for name, text in zip(inputs.names, inputs.texts, strict=True)]
        outside = Outside(inputs.options.externs, bool(inputs.options.link))
        native, has_barriers = inputs.native, inputs.has_barriers
        images = self._images = Images(texts, inputs.older, native, outside, has_barriers)
        if inputs.options.heap_bytes and needs_heap(images.modules):
            images.modules.append(heap_module(inputs.options.heap_bytes))
        parsed = time.perf_counter()
        lifted = images.lift(inputs.wanted)
        self._timings |= {"parse": parsed - start, "lift": time.perf_counter() - parsed}
        return self._take(lifted)

    def _take(self, lifted: Lifted) -> ir.Module:
        """Makes this the program's IR."""
        assert self._images is not None
        failed = {name: tuple(found) for name, found in lifted.failed.items()}
        raise_failed(self.options, failed)
        modules = self._images.modules
        only = len(modules) == 1 and not lifted.passed
        self._parts["failed"] = failed
        self._parts["source"] = modules[0].source if only else None
        self._parts["kernels"] = facts_of(lifted.module)
        self._parts["notes"] = (*self._images.notes, *taken_from_older(lifted))
        self._lifted = lifted
        return lifted.module

    def _make_split(self) -> Split:
        whole: Split | None = self._parts.get("whole")
        if whole is not None and not wants_pieces(self._request, whole):
            return whole
        if not self._inputs.older:
            return split_units(self._request)
        base = self.module
        assert self._images is not None and self._lifted is not None
        request = replace(self._request, options=replace(self.options, on_unsupported="skip"))
        lifted, split = split_over_images(
            self._images,
            self._lifted,
            self._inputs.wanted,
            lambda lifted: split_units(replace(request, module=lifted.module)),
        )
        if lifted.module is not base:
            self._take(lifted)
            self._parts["retaken"] = True
        raise_failed(self.options, split.failed)
        return split

    def _once(self, name: str, compute: Callable[[], T]) -> T:
        with self._lock:
            if name not in self._parts:
                start = time.perf_counter()
                made = compute()
                self._parts[name] = made
                self._timings[name] = time.perf_counter() - start
            part: T = self._parts[name]
            return part

    @property
    def _request(self) -> Request:
        source = self._parts["source"]
        return Request(self.module, self._inputs.spec, self.options, source)

    @property
    def _split(self) -> Split:
        return self._once("split", self._make_split)

    @property
    def _built(self) -> Built:
        return self._once("built", self._build)

    def _build(self) -> Built:
        return build(self._request, self._split.units, self._compiler, self._at_once)

    @property
    def _whole(self) -> Split:
        """The units with all kernels together that can be."""
        with self._lock:
            known = self._inputs.older or "split" in self._parts
            if known and not self._split.in_pieces:
                return self._split
            return self._once("whole", lambda: split_units(self._request, in_pieces=False))

    @property
    def _either(self) -> Split:
        """The units of one kind or the other, whichever are there: for what both know."""
        with self._lock:
            known: Split | None = self._parts.get("split") or self._parts.get("whole")
            return known or self._split

    @property
    def _linked(self) -> Linked:
        spec = self._amd_spec("code object")
        stack = self.options.stack_bytes
        return self._once("linked", lambda: joined(self._built.objects, spec, stack))

    def _amd_spec(self, what: str) -> TargetSpec:
        spec = self._inputs.spec
        if isinstance(spec, NvidiaSpec):
            raise PtxError.of(
                "PTX307",
                f"there is no {what} for {spec.target_id}: its output is PTX",
                hint="ask for `ptx`, or for an AMD target",
            )
        return spec

    # ---- what a caller asks for ----

    @property
    def module(self) -> ir.Module:
        """The SSA IR as objects."""
        with self._lock:
            return self._lifted.module if self._lifted is not None else self._run_front_end()

    @property
    def rewritten(self) -> ir.Module:
        """The IR after the rewriter as objects, made anew each time."""
        return toolchain_for(self._inputs.spec).rewrite(self.module, Log())

    @property
    def ir(self) -> str:
        """The SSA IR as text."""
        return self._once("ir", lambda: print_module(self.module))

    @property
    def llvm_ir(self) -> str:
        """LLVM IR, before LLVM's own passes."""
        return "\n".join(unit.text for unit in self._whole.units)

    @property
    def verdict(self) -> str:
        """A line for each kernel that can be translated and its mapping; needs no LLVM."""
        return "".join(f"{k.name} {k.warp_mapping}\n" for k in self.kernels.values())

    @property
    def asm(self) -> str:
        """AMDGPU assembly; for an NVIDIA target the PTX."""
        if self._inputs.native:
            return self.ptx

        def compile_all() -> str:
            spec, compiler = self._inputs.spec, self._compiler
            units = self._whole.units
            return "\n".join(
                compile_unit(unit, spec, compiler, want_asm=True).asm for unit in units
            )

        return self._once("asm", compile_all)

    @property
    def ptx(self) -> str:
        """Optimised PTX for an NVIDIA target; raises PTX307 for an AMD one."""
        if not self._inputs.native:
            raise PtxError.of(
                "PTX307",
                f"the output for {self.target} is no PTX",
                hint="ask for code_object, or for an NVIDIA target",
            )
        return self._once("ptx", lambda: "".join(tidy(c.asm) for c in self._built.compiled))

    @property
    def is_ptx(self) -> bool:
        """Whether the target is one of NVIDIA's, and the output PTX."""
        return bool(self._inputs.native)

    @property
    def output(self) -> bytes | str:
        """What a runtime loads: the code object, or PTX for an NVIDIA target."""
        return self.ptx if self._inputs.native else self.code_object

    @property
    def object(self) -> bytes:
        """The relocatable object of a program that is one unit; raises PTX307 for several, and for
        an NVIDIA target.
        """
        self._amd_spec("object")
        unit = self._only_unit()
        if not self._split.in_pieces:
            return self._built.objects[0]
        spec, compiler = self._inputs.spec, self._compiler
        return self._once("object", lambda: compile_unit(unit, spec, compiler).object)

    @property
    def bitcode(self) -> bytes:
        """LLVM bitcode after LLVM's passes, of a program that is one unit; raises PTX307 for
        several.
        """
        unit = self._only_unit()
        spec, compiler = self._inputs.spec, self._compiler
        return self._once(
            "bitcode", lambda: compile_unit(unit, spec, compiler, want_bitcode=True).bitcode
        )

    def _only_unit(self) -> Unit:
        units = self._whole.units
        if len(units) == 1:
            return units[0]
        kernels = ", ".join(k for unit in units if unit.mapping == "split" for k in unit.kernels)
        raise PtxError.of(
            "PTX307",
            f"the program was compiled as {len(units)} units, for {kernels} runs one warp a wave",
            hint="use code_object, which is linked from them all, or choose kernels of one kind",
        )

    @property
    def code_object(self) -> bytes:
        """The HSA code object, as `hipModuleLoadData` takes it; raises PTX307 for an NVIDIA
        target.
        """
        return self._linked.code_object

    @property
    def listing(self) -> str:
        """Text and encoding of every instruction in the code object: the emulator's input."""
        return self._linked.listing

    @property
    def kernels(self) -> Mapping[str, Kernel]:
        """Every translated kernel by name."""
        failed = self.failed
        mapping = {name: unit.mapping for unit in self._either.units for name in unit.kernels}
        facts: tuple[KernelFacts, ...] = self._parts["kernels"]
        return {
            fact.name: Kernel(fact, mapping[fact.name], self._resources)
            for fact in facts
            if fact.name not in failed
        }

    def _resources(self, name: str) -> Resources:
        return self._linked.resources[name]

    @property
    def failed(self) -> Failures:
        """Kernels left out under `on_unsupported="skip"`, with the reasons.

        Those that LLVM itself fails on are added when code is generated.
        """
        with self._lock:
            built: Built | None = self._parts.get("built")
            late = built.failed if built is not None else {}
            return {**self._parts["failed"], **self._either.failed, **late}

    @property
    def diagnostics(self) -> Sequence[Diagnostic]:
        """Warnings and remarks, and the errors of skipped kernels, the worst first."""
        skipped = [d for found in self.failed.values() for d in found]
        order = list(Severity)
        remarks = self.remarks if self.options.remarks else ()
        notes = [*self._either.notes, *self._parts["notes"], *remarks]
        return sorted([*skipped, *notes], key=lambda d: order.index(d.severity))

    @property
    def remarks(self) -> Sequence[Diagnostic]:
        """What the rewriter did, one remark (PTX208) a rewrite, in the order of the text. A
        program of several texts has no places."""
        return rewrite_remarks(self._request, self._either.units)

    @property
    def rewritten_ir(self) -> str:
        """The IR after the rewriter, as the backend gets it."""
        return self._once("rewritten", lambda: print_module(self.rewritten))

    @property
    def stats(self) -> Mapping[str, float]:
        """Seconds by stage, of the stages that have run in this process, and `"rule <name>"`: how
        often each rewrite rule fired, once LLVM IR has been made.
        """
        with self._lock:
            split: Split | None = self._parts.get("split") or self._parts.get("whole")
            fired: Counter[str] = Counter()
            for unit in split.units if split is not None else ():
                fired.update(fire.name for fire in unit.fires)
            return {**self._timings, **{f"rule {name}": fired[name] for name in sorted(fired)}}
