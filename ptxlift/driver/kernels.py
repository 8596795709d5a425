"""One translated kernel: its parameters, known at once, and its resources, known after code
generation.
"""

from __future__ import annotations

from collections.abc import Callable

from ptxlift.diag import PtxError
from ptxlift.ir import core as ir
from ptxlift.records import dataclass

_SPLIT_LIMIT = 512  # a split block doubles, and a work-group has at most 1024 work-items


@dataclass(frozen=True, slots=True)
class Param:
    """A kernel parameter. `type`: of one element, PTX's name; `size`, `align`, `offset`: bytes."""

    name: str
    type: str
    size: int
    align: int
    offset: int


@dataclass(frozen=True, slots=True)
class Resources:
    """What a kernel takes of the machine. Bytes, and registers a lane (or a wave for SGPRs)."""

    shared_bytes: int
    private_bytes: int
    vgprs: int
    sgprs: int
    agprs: int
    spills: int
    code_bytes: int
    wave_size: int
    dynamic_stack: bool


@dataclass(frozen=True, slots=True)
class KernelFacts:
    """What PTX says of a kernel. `reqntid`: the block it must be launched with, if any."""

    name: str
    params: tuple[Param, ...]
    reqntid: tuple[int, int, int] | None


@dataclass(frozen=True, slots=True)
class KernelReport:
    """A kernel as a record that can be kept. `resources`: None if no code was generated."""

    name: str
    params: tuple[Param, ...]
    reqntid: tuple[int, int, int] | None
    warp_mapping: str
    resources: Resources | None = None


def facts_of(module: ir.Module) -> tuple[KernelFacts, ...]:
    """The facts of all kernels of a module."""
    return tuple(
        KernelFacts(
            function.name,
            tuple(Param(p.name, p.type, p.size, p.align, p.offset) for p in function.kernel_params),
            function.bounds.reqntid,
        )
        for function in module.functions.values()
        if function.is_kernel
    )


class Kernel:
    """A kernel of a translation.

    `warp_mapping`: "packed", two warps in a wave of 64 (or one in a wave of 32); "split", one warp
    a wave of 64. `reqntid`: the block it must be launched with, if any.
    """

    def __init__(
        self, facts: KernelFacts, warp_mapping: str, resources: Callable[[str], Resources]
    ) -> None:
        self.name = facts.name
        self.params = facts.params
        self.reqntid = facts.reqntid
        self.warp_mapping = warp_mapping
        self._resources = resources

    def __repr__(self) -> str:
        params = ", ".join(f"{p.type} {p.name}" for p in self.params)
        return f"<kernel {self.name}({params})>"

    def launch_block(self, block: tuple[int, int, int]) -> tuple[int, int, int]:
        """The block to launch with for a PTX block of this shape.

        The same, but for "split": there it is twice as wide in x, since the upper half of every
        wave idles; the kernel finds its own thread index. Raises PTX401 for over 512 threads then.
        """
        if self.warp_mapping != "split":
            return block
        threads = block[0] * block[1] * block[2]
        if threads > _SPLIT_LIMIT:
            raise PtxError.of(
                "PTX401",
                f"kernel {self.name} runs one warp a wave of 64, so a block has at most "
                f"{_SPLIT_LIMIT} threads, not {threads}",
                hint="use a smaller block, or a target with waves of 32",
            )
        return (2 * block[0], block[1], block[2])

    def report(self, with_resources: bool) -> KernelReport:
        """All that is known; with resources it generates code if that has not been done."""
        resources = self._resources(self.name) if with_resources else None
        return KernelReport(self.name, self.params, self.reqntid, self.warp_mapping, resources)

    @property
    def shared_bytes(self) -> int:
        """Bytes of static shared memory."""
        return self._resources(self.name).shared_bytes

    @property
    def private_bytes(self) -> int:
        """Bytes of scratch memory a lane."""
        return self._resources(self.name).private_bytes

    @property
    def vgprs(self) -> int:
        """Vector registers."""
        return self._resources(self.name).vgprs

    @property
    def sgprs(self) -> int:
        """Scalar registers."""
        return self._resources(self.name).sgprs

    @property
    def agprs(self) -> int:
        """Accumulation registers."""
        return self._resources(self.name).agprs

    @property
    def spills(self) -> int:
        """Registers spilled to memory."""
        return self._resources(self.name).spills

    @property
    def code_bytes(self) -> int:
        """Bytes of machine code."""
        return self._resources(self.name).code_bytes

    @property
    def wave_size(self) -> int:
        """Lanes of a wave."""
        return self._resources(self.name).wave_size

    @property
    def dynamic_stack(self) -> bool:
        """Whether the scratch size is not known before the launch."""
        return self._resources(self.name).dynamic_stack
