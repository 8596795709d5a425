"""Functions registered by name in the modules ("chapters") of a package, found when asked for.

A stage has many small functions, one an instruction or op, spread over modules. A module's
decorator enters them here; asking for the table imports the modules. It must know no stage.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Generic, TypeVar

F = TypeVar("F")


class Chapters(Generic[F]):
    """The functions of `package`'s `modules` by name; one function a name. Those of `shared`,
    which other tables have too, are among them.
    """

    # Any: shared functions ask less of their first argument than this table's own.
    def __init__(
        self, package: str, modules: Sequence[str], shared: Chapters[Any] | None = None
    ) -> None:
        self._package = package
        self._shared = shared
        self._modules = tuple(modules)
        self._functions: dict[str, F] = {}
        self._complete = False

    def register(self, *names: str) -> Callable[[F], F]:
        """A decorator that enters a function under names."""

        def enter(function: F) -> F:
            for name in names:
                assert name not in self._functions, f"{self._package} has {name} twice"
                self._functions[name] = function
            return function

        return enter

    def register_all(self, functions: Mapping[str, F]) -> None:
        """Enters functions that stand in another table."""
        for name, function in functions.items():
            self.register(name)(function)

    def table(self) -> dict[str, F]:
        """Every function by name; imports the modules at the first call."""
        if not self._complete:
            for module in self._modules:
                importlib.import_module(f"{self._package}.{module}")
            shared = self._shared.table() if self._shared is not None else {}
            self.register_all(shared)
            self._complete = True
        return self._functions
