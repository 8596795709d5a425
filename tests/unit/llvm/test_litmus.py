"""Litmus tests: what is emitted between two accesses, against LLVM's table of the memory model.

The table follows "Memory Model GFX90A", "GFX942", "GFX10-GFX11", "GFX12" and "GFX125x" of LLVM's
AMDGPUUsage: the bits of an atomic access of a scope, what makes earlier accesses visible before a
release, and what discards stale lines after an acquire. gfx9, outside of threadgroup split mode,
needs nothing within a work-group: its waves share a cache that is accessed in order. So do those of
gfx125x, whose SCOPE_CU means that cache and is what no bits say; but it has two queues, which keep
no order between them, so that accesses must have completed.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import pytest

import ptxlift


@dataclass(frozen=True)
class Scope:
    """One row: modifiers of loads and stores; cache operations of a release and of an acquire."""

    load: str = ""
    store: str = ""
    release: tuple[str, ...] = ()
    acquire: tuple[str, ...] = ()
    waits: bool = True  # whether accesses must have completed before what follows


@dataclass(frozen=True)
class Model:
    """A generation: what waits for loads and for stores, and its three scopes."""

    loaded: str
    stored: str
    cta: Scope
    gpu: Scope
    sys: Scope


GL1 = ("buffer_gl1_inv", "buffer_gl0_inv")
_WAIT9 = "s_waitcnt vmcnt(0)"
GFX90A = Model(
    _WAIT9,
    _WAIT9,
    Scope(waits=False),
    Scope("glc", acquire=("buffer_wbinvl1_vol",)),
    Scope("glc", "", ("buffer_wbl2",), ("buffer_invl2", "buffer_wbinvl1_vol")),
)
GFX942 = Model(
    _WAIT9,
    _WAIT9,
    Scope("sc0", "sc0", waits=False),
    Scope("sc1", "sc1", ("buffer_wbl2 sc1",), ("buffer_inv sc1",)),
    Scope("sc0 sc1", "sc0 sc1", ("buffer_wbl2 sc0 sc1",), ("buffer_inv sc0 sc1",)),
)


def _gfx10(far: str) -> Model:
    wide = Scope(far, acquire=GL1)
    near = Scope("glc", acquire=("buffer_gl0_inv",))
    return Model(_WAIT9, "s_waitcnt_vscnt null, 0x0", near, wide, wide)


def _gfx12(name: str, writes_back: bool) -> Scope:
    bits = f"scope:SCOPE_{name}"
    return Scope(bits, bits, (f"global_wb {bits}",) * writes_back, (f"global_inv {bits}",))


_WAITS12 = ("s_wait_loadcnt 0x0", "s_wait_storecnt 0x0")
MODELS = {
    "gfx90a": GFX90A,
    "gfx942": GFX942,
    "gfx950": GFX942,
    "gfx1030": _gfx10("glc dlc"),
    "gfx1100": _gfx10("glc"),
    "gfx1201": Model(*_WAITS12, _gfx12("SE", False), _gfx12("DEV", False), _gfx12("SYS", True)),
    "gfx1250": Model(*_WAITS12, Scope(), _gfx12("DEV", True), _gfx12("SYS", True)),
}
HEAD = """.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 x, .param .u64 y, .param .u64 out)
{
.reg .b32 %r<4>; .reg .b64 %rd<4>;
ld.param.u64 %rd1, [x]; ld.param.u64 %rd2, [y]; ld.param.u64 %rd3, [out];
"""
WRITER = "st.global.u32 [%rd1], 1; st.release.SCOPE.global.u32 [%rd2], 1; ret;\n}\n"
STORED = "st.global.v2.u32 [%rd3], {%r1, %r2}; ret;\n}\n"
READER = f"ld.acquire.SCOPE.global.u32 %r1, [%rd2]; ld.global.u32 %r2, [%rd1]; {STORED}"
BUFFER = f"""st.relaxed.SCOPE.global.u32 [%rd1], 1; fence.sc.SCOPE;
    mov.u32 %r1, 0; ld.relaxed.SCOPE.global.u32 %r2, [%rd2]; {STORED}"""
TWO_READS = f"""ld.acquire.SCOPE.global.u32 %r1, [%rd1]; fence.sc.SCOPE;
    ld.acquire.SCOPE.global.u32 %r2, [%rd2]; {STORED}"""
SAME_PLACE = f"""ld.relaxed.SCOPE.global.u32 %r1, [%rd1]; ld.relaxed.SCOPE.global.u32 %r2, [%rd1];
    {STORED}"""
CASES = [(target, scope) for target in MODELS for scope in ("cta", "gpu", "sys")]
_OPERANDS = re.compile(r"\b(v\d+|[vs]\[\d+:\d+\]|off),?")
_ORDERING = re.compile(r"(global|buffer|flat)_|s_wait")


def emitted(body: str, target: str, scope: str) -> list[str]:
    """Memory instructions, cache operations and waits in order, without registers."""
    text = ptxlift.lift(HEAD + body.replace("SCOPE", scope), target=target).asm
    code = text[text.index("\nk:") : text.index("s_endpgm")]
    lines = (line.partition(";")[0].strip() for line in code.splitlines())
    bare = (" ".join(_OPERANDS.sub("", line).split()) for line in lines)
    return [line for line in bare if _ORDERING.match(line)]


def between(code: list[str], first: str, second: str) -> list[str]:
    """What stands between the first access of one kind and the next of another."""
    start = next(i for i, line in enumerate(code) if re.fullmatch(first, line))
    end = next(i for i, line in enumerate(code) if i > start and re.fullmatch(second, line))
    return code[start + 1 : end]


def load(bits: str) -> str:
    return rf"global_load_(dword|b32){' ' * bool(bits)}{bits}"


def store(bits: str) -> str:
    return rf"global_store_(dword|b32){' ' * bool(bits)}{bits}"


def operations(code: list[str]) -> tuple[str, ...]:
    """The cache operations."""
    return tuple(line for line in code if not line.startswith("s_wait"))


def waits_before(code: list[str], wait: str, operation: tuple[str, ...]) -> bool:
    """Whether a wait stands before a cache operation, or anywhere where there is none."""
    end = code.index(operation[0]) if operation else len(code)
    return wait in code[:end]


@pytest.mark.parametrize(("target", "scope"), CASES)
def test_message_passing(target: str, scope: str) -> None:
    model = MODELS[target]
    row: Scope = getattr(model, scope)
    middle = between(emitted(WRITER, target, scope), store(""), store(row.store))
    assert operations(middle) == row.release
    assert (model.stored in middle) == row.waits
    middle = between(emitted(READER, target, scope), load(row.load), load(""))
    assert operations(middle) == row.acquire
    if row.waits:
        assert waits_before(middle, model.loaded, row.acquire)


@pytest.mark.parametrize(("target", "scope"), CASES)
def test_store_buffering(target: str, scope: str) -> None:
    """The store is visible to all before the load reads, and the load reads nothing stale."""
    model = MODELS[target]
    row: Scope = getattr(model, scope)
    middle = between(emitted(BUFFER, target, scope), store(row.store), load(row.load))
    assert operations(middle) == (*row.release, *row.acquire)
    if row.waits:
        assert waits_before(middle, model.stored, row.acquire)


@pytest.mark.parametrize(("target", "scope"), CASES)
def test_independent_reads(target: str, scope: str) -> None:
    """Of independent writes: each reader's second load comes after its first has its value."""
    model = MODELS[target]
    row: Scope = getattr(model, scope)
    middle = between(emitted(TWO_READS, target, scope), load(row.load), load(row.load))
    assert operations(middle) == (*row.acquire, *row.release, *row.acquire)
    if row.waits:
        assert waits_before(middle, model.loaded, row.acquire)


@pytest.mark.parametrize(("target", "scope"), CASES)
def test_coherence(target: str, scope: str) -> None:
    """Two reads of one place stay two, in order, both from where the scope agrees."""
    row: Scope = getattr(MODELS[target], scope)
    code = emitted(SAME_PLACE, target, scope)
    assert sum(re.fullmatch(load(row.load), line) is not None for line in code) == 2
    assert between(code, load(row.load), load(row.load)) == []
