"""Several images of one program, made for several NVIDIA architectures.

Comes in: for each text of a program the images that stand beside it in its container, the best
first. Goes out: modules to lift, the others for kernels that cannot be. Nothing is read that is not
needed: an image is parsed when a kernel fails, or has a kernel that no better image has.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

from ptxlift import ptx
from ptxlift.diag import Diagnostic, PtxError, Severity
from ptxlift.driver.units import Split
from ptxlift.lifter.module import Lifted, lift_program
from ptxlift.lifter.program import Older, Outside
from ptxlift.records import dataclass, replace

_ENTRY = re.compile(r"\.entry\s++([\w$%]++)", re.ASCII)


@dataclass(frozen=True, slots=True)
class Image:
    """A PTX text and its name in messages."""

    name: str
    text: str | bytes


class Images:
    """A program with older images. `older`: as many as texts, or none; `native`: the NVIDIA target
    it is lifted for, "" for an AMD one; `has_barriers`: the target has barriers for some of a
    block's waves.
    """

    def __init__(
        self,
        texts: Sequence[Image],
        older: Sequence[Sequence[Image]],
        native: str = "",
        outside: Outside | None = None,
        has_barriers: bool = False,
    ) -> None:
        self._native = native
        self._outside = outside
        self._has_barriers = has_barriers
        self.notes: list[Diagnostic] = []
        self.modules: list[ptx.Module] = []
        self._left: list[tuple[Image, ptx.Module]] = []
        rest: Sequence[Sequence[Image]] = older or [()] * len(texts)
        for text, others in zip(texts, rest, strict=True):
            self._choose((text, *others))
        self._older: list[Older] | None = None

    def _choose(self, group: Sequence[Image]) -> None:
        """The best image that can be read. Raises what the best says if none can."""
        first: PtxError | None = None
        for at, image in enumerate(group):
            try:
                module = ptx.parse_module(image.text, image.name)
            except PtxError as error:
                first = first or error
                continue
            if first is not None:
                self.notes += [_as_warning(d) for d in first.diagnostics]
            self.modules.append(module)
            self._left += [(other, module) for other in group[at + 1 :]]
            return
        assert first is not None
        raise first

    def lift(self, wanted: Sequence[str] | None, passed: Mapping[str, int] | None = None) -> Lifted:
        """The program; kernels that fail come from older images. `passed`: see `lift_program`."""
        known = {f.name for m in self.modules for f in m.functions.values() if f.kind == "entry"}
        if self._left and (passed or self._have_more(known)):
            return self._lifted(wanted, self._parsed(), passed)
        lifted = self._lifted(wanted)
        if lifted.failed and self._left:
            lifted = self._lifted(wanted, self._parsed())
        return lifted

    def _lifted(
        self,
        wanted: Sequence[str] | None,
        older: Sequence[Older] = (),
        passed: Mapping[str, int] | None = None,
    ) -> Lifted:
        native, outside, has_barriers = self._native, self._outside, self._has_barriers
        return lift_program(self.modules, wanted, older, passed, native, outside, has_barriers)

    @property
    def most(self) -> int:
        """How many images a kernel can have besides the best."""
        return len(self._left)

    def _have_more(self, known: set[str]) -> bool:
        found = (name for image, _ in self._left for name in _entries(image.text))
        return any(name not in known for name in found)

    def _parsed(self) -> list[Older]:
        if self._older is None:
            self._older = []
            for image, module in self._left:
                try:
                    self._older.append(Older(ptx.parse_module(image.text, image.name), module))
                except PtxError:
                    continue  # it would only have been the next best
        return self._older


def _entries(text: str | bytes) -> list[str]:
    return _ENTRY.findall(text if isinstance(text, str) else text.decode("utf-8", "replace"))


def _as_warning(diagnostic: Diagnostic) -> Diagnostic:
    return replace(diagnostic, severity=Severity.WARNING)


def taken_from_older(lifted: Lifted) -> list[Diagnostic]:
    """A remark for each kernel that is not that of the best image, and why."""
    found = []
    for name in lifted.passed:
        reasons = lifted.reasons.get(name)
        why = reasons[0] if reasons else None
        message = f"kernel {name} is taken from an older image of the program"
        if why is not None:
            message += f": {why.message}"
        span = why.span if why is not None else None
        found.append(Diagnostic("PTX209", message, span, "", Severity.REMARK))
    return found


def split_over_images(
    images: Images, lifted: Lifted, wanted: Sequence[str] | None, split: Callable[[Lifted], Split]
) -> tuple[Lifted, Split]:
    """The units; kernels that the target cannot do come from older images too. `split` must not
    raise for a kernel. Of kernels that no image can do, the errors are those of the best.
    """
    made = split(lifted)
    first = made.failed
    for _ in range(images.most):
        if not made.failed:
            break
        passed = {**lifted.passed, **{n: lifted.passed.get(n, 0) + 1 for n in made.failed}}
        again = images.lift(wanted, passed)
        if again.passed == lifted.passed:
            break
        lifted, made = again, split(again)
        lifted.reasons = {**lifted.reasons, **{n: list(d) for n, d in first.items()}}
    failed = {name: first.get(name, found) for name, found in made.failed.items()}
    return lifted, replace(made, failed=failed)
