"""PTX of a package's Triton kernels, by Triton's own compiler for guessed argument types.

Run by the scratch environment's Python with the unpacked package and the output folder; torch is a
stand-in, for kernels only need its name. A kernel's pointers are the parameters that loads and
stores begin with; other values are integers unless their name is a float's. Constants are tried
until Triton accepts some.
"""

from __future__ import annotations

import ast
import importlib
import inspect
import logging
import os
import re
import resource
import sys
import textwrap
import traceback
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "stand_ins" / "python"))
import triton
from order import first, spread
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource

FLOATS = re.compile(
    r"eps|scale|alpha|beta|gamma|temperature|softcap|^p$|lr|weight_decay|smooth|rate|norm|limit",
    re.I,
)
INDICES = re.compile(r"idx|index|indices|offsets|seqlens|label|target|ids|chunk|lens|mask", re.I)
SIZES = re.compile(r"BLOCK|^B[A-Z]$|TILE|CHUNK", re.I)
ACCESSES = ("load", "store", "make_block_ptr", "make_tensor_descriptor")
LIMIT = 100  # kernels of one package
TIME_LIMIT = 4  # seconds of processor time for one kernel


@dataclass(frozen=True, slots=True)
class Guess:
    """What to try: the type of floats in memory, the size of blocks, other numbers and flags."""

    element: str
    size: int
    number: int
    flag: bool


GUESSES = (
    Guess("fp32", 64, 64, False),
    Guess("fp16", 32, 64, True),
    Guess("bf16", 64, 32, False),
    Guess("fp32", 16, 16, True),
    Guess("fp32", 128, 2, False),
)


def kernels(name: str) -> Iterator[tuple[str, Any]]:  # Any: Triton is untyped
    """The kernels that a module defines."""
    module = importlib.import_module(name)
    for key, value in sorted(vars(module).items()):
        while type(value).__module__.startswith("triton") and hasattr(value, "fn"):
            if isinstance(value, triton.JITFunction):
                break
            value = value.fn
        own = isinstance(value, triton.JITFunction) and value.fn.__module__ == name
        if own and (key.startswith("_") or "kernel" in key or key.endswith(("fwd", "bwd"))):
            yield key, value


def first_name(node: ast.AST) -> str:
    """The name a sum begins with."""
    while True:
        match node:
            case ast.BinOp():
                node = node.left
            case ast.Name():
                return node.id
            case ast.Call(func=ast.Attribute(value=inner)):
                node = inner
            case _:
                return ""


def pointers(function: Any) -> set[str]:  # Any: Triton is untyped
    """The names that loads and stores begin with, through assignments."""
    tree = ast.parse(textwrap.dedent(inspect.getsource(function.fn)))
    origin: dict[str, str] = {}
    roots: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            origin.setdefault(node.targets[0].id, first_name(node.value))
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.args):
            continue
        if node.func.attr in ACCESSES or node.func.attr.startswith("atomic_"):
            roots.add(first_name(node.args[0]))
    found = set()
    for name in roots:
        for _ in range(8):
            found.add(name)
            name = origin.get(name, "")
    return found


def constant(name: str, default: Any, guess: Guess) -> Any:  # Any: constants have every type
    """A value for a constexpr parameter."""
    if default is not inspect.Parameter.empty and default is not None:
        return default
    if SIZES.search(name):
        return guess.size
    if re.match(
        r"(HAS|USE|IS|STORE|OUTPUT|SAVE|DO|CAUSAL|REVERSE|RETURN|compute|use|has|is)", name
    ):
        return guess.flag
    return guess.number


def signature(function: Any, guess: Guess) -> tuple[dict[str, str], dict[str, Any]]:
    """Types of all parameters, and the constants."""
    places = pointers(function)
    types: dict[str, str] = {}
    constants: dict[str, Any] = {}
    for parameter in function.params:
        name = parameter.name
        if parameter.is_constexpr:
            types[name] = "constexpr"
            constants[name] = constant(name, parameter.default, guess)
        elif name in places or re.search(r"_?ptr$", name, re.I):
            types[name] = "*i32" if INDICES.search(name) else f"*{guess.element}"
        else:
            types[name] = "fp32" if FLOATS.search(name) else "i32"
    return types, constants


def compile_kernel(function: Any) -> str:  # Any: Triton is untyped
    """PTX of the first guess that Triton accepts."""
    problem = ""
    for guess in GUESSES:
        try:
            types, constants = signature(function, guess)
            source = ASTSource(fn=function, signature=types, constexprs=constants)
            made = triton.compile(
                source, target=GPUTarget("cuda", 80, 32), options={"num_warps": 4}
            )
            return str(made.asm["ptx"])
        except BaseException as error:
            problem = "".join(traceback.format_exception_only(error)).strip()[-160:]
    raise ValueError(problem)


def apart(function: Any) -> str:  # Any: Triton is untyped
    """The same in a process of its own, which may take so long: guessed constants unroll some
    kernels without end.
    """
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        resource.setrlimit(resource.RLIMIT_CPU, (TIME_LIMIT, TIME_LIMIT))
        os.close(reader)
        try:
            message = "+" + compile_kernel(function)
        except ValueError as error:
            message = "-" + str(error)
        with os.fdopen(writer, "w") as stream:
            stream.write(message)
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as stream:
        message = stream.read()
    os.waitpid(child, 0)
    if not message.startswith("+"):
        raise ValueError(message[1:] or f"longer than {TIME_LIMIT} s")
    return message[1:]


def compiled(root: Path) -> Iterator[tuple[str, str]]:
    """Names and PTX of kernels; what does not compile is reported."""
    paths = [path.relative_to(root) for path in root.rglob("*.py")]
    for path in spread(paths):
        if "triton.jit" not in (root / path).read_text(errors="replace"):
            continue
        name = ".".join(path.with_suffix("").parts).removesuffix(".__init__")
        try:
            found = list(kernels(name))
        except BaseException as error:
            print(f"{name}: {type(error).__name__}: {str(error)[:200]}", flush=True)
            continue
        for key, function in found:
            try:
                made = apart(function)
            except ValueError as error:
                print(f"{name}.{key}: {' '.join(str(error).split())}", flush=True)
                continue
            yield f"{path.stem}-{key}", made


def main(root: Path, folder: Path, limit: int) -> None:
    logging.disable(logging.CRITICAL)
    sys.path.insert(0, str(root))
    for name, text in first(compiled(root), limit or LIMIT):
        (folder / f"{name}.ptx").write_text(text)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3]))
