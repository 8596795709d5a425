"""Kernel parameters at PTX's own offsets, and the directives of a kernel as attributes.

Comes in: an `ir.Function`. Goes out: LLVM parameter lists and attribute text. Scalars are LLVM
arguments; blocks, and scalars whose address is taken, are `byval`. It must know no op's meaning.
"""

from __future__ import annotations

from ptxlift.ir.core import Function, KernelParam, LaunchBounds

_SCALAR_SIZES = frozenset({1, 2, 4, 8})


class KernelArguments:
    """The LLVM arguments of one kernel; `pointers`: offsets of those that are base addresses."""

    def __init__(self, function: Function, pointers: set[int]) -> None:
        self.pointers = pointers
        self._params = function.kernel_params
        self._in_memory = _in_memory(function)
        self._names = {param.offset: f"%p{n}" for n, param in enumerate(self._params)}

    def exact(self, offset: int, width: int) -> str | None:
        """The argument with exactly these bits, or None."""
        for param in self._params:
            if param.offset == offset and param.size * 8 == width and self._is_value(param):
                return self._names[offset]
        return None

    def block_at(self, offset: int) -> tuple[str, int] | None:
        """The `byval` argument that holds a byte, and where in it."""
        for param in self._params:
            if param.offset <= offset < max(param.offset + param.size, param.offset + 1):
                return self._names[param.offset], offset - param.offset
        return None

    def text(self) -> str:
        """LLVM's parameter list."""
        return ", ".join(f"{self._type(p)} {self._names[p.offset]}" for p in self._params)

    def _is_value(self, param: KernelParam) -> bool:
        return _is_scalar(param) and param.offset not in self._in_memory

    def _type(self, param: KernelParam) -> str:
        if not self._is_value(param):
            return f"ptr byval([{param.size} x i8]) align {param.align}"
        if param.offset in self.pointers:
            align = f" align {param.pointer_align}" if param.pointer_align > 1 else ""
            return f"ptr addrspace(1){align}"
        return f"i{param.size * 8}"


def _is_scalar(param: KernelParam) -> bool:
    natural = param.size in _SCALAR_SIZES and param.align == param.size
    return natural and not param.is_array


def _in_memory(function: Function) -> set[int]:
    """Offsets of the parameters that are read otherwise than as the whole value."""
    reads = {(p.offset, p.size * 8) for p in function.kernel_params if _is_scalar(p)}
    places = []
    for op in function.ops():
        if op.name == "kernel_param":
            place = int(str(op.attr("offset")))
            if (place, op.results[0].width) not in reads:
                places.append(place)
        elif op.name == "kernel_param_address":
            places.append(int(str(op.attr("offset"))))
    params = function.kernel_params
    return {p.offset for p in params for at in places if p.offset <= at < p.offset + p.size}


def attributes(bounds: LaunchBounds) -> str:
    """The directives of a kernel."""
    words = ["convergent", "nounwind"]
    named = {
        "nvvm.reqntid": _three(bounds.reqntid),
        "nvvm.maxntid": _three(bounds.maxntid),
        "nvvm.minctasm": _one(bounds.minnctapersm),
        "nvvm.maxnreg": _one(bounds.maxnreg),
        "nvvm.cluster_dim": _three(bounds.cluster),
        "nvvm.maxclusterrank": _one(bounds.max_cluster),
    }
    words += [f'"{name}"="{text}"' for name, text in named.items() if text]
    words += ['"nvvm.blocksareclusters"'] * bounds.blocks_are_clusters
    return " ".join(words)


def _one(number: int | None) -> str:
    return "" if number is None else str(number)


def _three(sizes: tuple[int, int, int] | None) -> str:
    return "" if sizes is None else ",".join(str(size) for size in sizes)
