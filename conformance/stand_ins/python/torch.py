"""Stands in for torch where only its name is needed; it computes nothing.

Set-up scripts of extensions import torch to find a compiler's options, modules with Triton kernels
to launch them. Every submodule and every attribute is there and answers nothing; only what scripts
compare with is spelled out.
"""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import shutil
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any, ClassVar

__version__ = "2.9.0"
__path__: list[str] = []


class Nothing:
    """Answers every question with nothing."""

    def __getattr__(self, name: str) -> Any:  # Any: scripts ask for whatever torch has
        if name.startswith("__"):
            raise AttributeError(name)
        return self

    def __call__(self, *_: Any, **__: Any) -> Any:
        return self

    def __mro_entries__(self, bases: tuple[Any, ...]) -> tuple[type, ...]:
        return (object,)

    def __or__(self, other: Any) -> Any:
        return self

    __ror__ = __getitem__ = __or__

    def __lt__(self, other: Any) -> bool:
        return False

    __le__ = __gt__ = __ge__ = __lt__

    def __iter__(self) -> Iterator[Any]:
        return iter(())

    def __bool__(self) -> bool:
        return False

    def __fspath__(self) -> str:
        return "nothing"

    def __str__(self) -> str:
        return "0.0"


class Stand(ModuleType):
    """A submodule of torch."""

    __path__: ClassVar[list[str]] = []

    def __getattr__(self, name: str) -> Any:  # Any: as above
        if name.startswith("__"):
            raise AttributeError(name)
        return FACTS.get(name, Nothing())


class Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds every submodule."""

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        wanted = name.startswith("torch.")
        return importlib.machinery.ModuleSpec(name, self, is_package=True) if wanted else None

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> ModuleType:
        return Stand(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        """There is nothing to run."""


def extension(name: str, sources: list[str], **_: Any) -> Any:
    """An extension without its options."""
    from setuptools import Extension

    return Extension(name, sources)


def __getattr__(name: str) -> Any:  # Any: as above
    if name.startswith("__"):
        raise AttributeError(name)
    if name == "version":
        return sys.modules.setdefault("torch.version", Stand("torch.version"))
    return FACTS.get(name, Nothing())


def command() -> type:
    """A build command that is the plain one."""
    from setuptools.command.build_ext import build_ext

    return type("BuildExtension", (build_ext,), {"with_options": classmethod(lambda c, **_: c)})


FACTS: dict[str, Any] = {  # Any: each has its own type
    "__version__": __version__,
    "cuda_version": "13.0",
    "CUDA_HOME": str(Path(shutil.which("nvcc") or "/").resolve().parents[1]),
    "HIP_HOME": None,
    "ROCM_HOME": None,
    "hip": None,
    "IS_HIP_EXTENSION": False,
    "CUDAExtension": extension,
    "CppExtension": extension,
    "BuildExtension": command(),
}
FACTS["cuda"] = "13.0"  # torch.version.cuda; torch.cuda is a module
sys.meta_path.append(Finder())
sys.modules["torch.cuda"] = cuda = Stand("torch.cuda")
