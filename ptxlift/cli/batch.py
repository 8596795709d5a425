"""How a command spreads its work: processes, a Dask cluster, the cache, progress.

Comes in: what was said on the command line. Goes out: a `Batch`, from which executors come. It must
know nothing of PTX.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

from ptxlift.diag import PtxError
from ptxlift.driver.cache import Cache
from ptxlift.records import dataclass

if TYPE_CHECKING:
    from concurrent.futures import Executor

Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]  # Any: click passes what it parsed


@dataclass(frozen=True, slots=True)
class Batch:
    """processes: of our own. dask: the address of a scheduler, or "". progress: None shows it where
    somebody looks.
    """

    processes: int = 1
    cache: Cache | None = None
    dask: str = ""
    progress: bool | None = None

    @staticmethod
    def of(
        jobs: int, cache_dir: str | None, cached: bool, dask: str | None, progress: bool | None
    ) -> Batch:
        """From the options of `batch_options`. Raises PTX308 for a folder that cannot be used."""
        cache = Cache.default(cache_dir) if cached else None
        if cache is not None and cache_dir is not None:
            _check_writable(cache)
        return Batch(jobs or os.cpu_count() or 1, cache, dask or "", progress)

    @property
    def workers(self) -> int:
        """How many tasks at once make sense, as far as is known."""
        return sys.maxsize if self.dask else self.processes

    @contextmanager
    def executor(self, tasks: int) -> Iterator[Executor | None]:
        """Where to work on so many tasks; None: here."""
        if self.dask:
            with _dask_client(self.dask) as executor:
                yield executor
            return
        processes = min(self.processes, tasks)
        if processes <= 1:
            yield None
            return
        from concurrent.futures import ProcessPoolExecutor
        from multiprocessing import get_context

        context = get_context("spawn")
        with ProcessPoolExecutor(processes, context, _leave_with_parent) as executor:
            yield executor


def _leave_with_parent() -> None:
    """Lets a worker process end when the command is killed; it would wait for work for ever."""
    from multiprocessing import connection, parent_process
    from threading import Thread

    parent = parent_process()
    assert parent is not None

    def watch() -> None:
        connection.wait([parent.sentinel])
        os._exit(1)

    Thread(target=watch, daemon=True).start()


def batch_options() -> Decorator:
    """`-j`, `--cache-dir`, `--no-cache`, `--dask`, `--progress`."""
    options = [
        click.option(
            "--jobs",
            "-j",
            type=click.IntRange(0),
            default=1,
            show_default=True,
            help="Processes; 0: one a core.",
        ),
        click.option("--cache-dir", help="Folder of the cache; `ptxlift cache` shows the usual."),
        click.option("--cache/--no-cache", "cached", default=True, help="Whether to use it."),
        click.option("--dask", metavar="ADDRESS", help="Work on the Dask cluster at ADDRESS."),
        click.option(
            "--progress/--no-progress", default=None, help="Unsaid: for many files on a terminal."
        ),
    ]

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        for option in reversed(options):
            function = option(function)
        return function

    return decorate


def _check_writable(cache: Cache) -> None:
    try:
        cache.root.mkdir(parents=True, exist_ok=True)
        writable = os.access(cache.root, os.W_OK)
    except OSError as error:
        hint = "choose another folder, or --no-cache"
        message = f"the cache {cache.root} cannot be made: {error.strerror}"
        raise PtxError.of("PTX308", message, hint=hint) from None
    if not writable:
        hint = "choose another folder, or --no-cache"
        raise PtxError.of("PTX308", f"the cache {cache.root} cannot be written", hint=hint)


@contextmanager
def _dask_client(address: str) -> Iterator[Executor]:
    try:
        from distributed import Client
    except ModuleNotFoundError:
        raise click.UsageError("--dask needs distributed: pip install 'ptxlift[dask]'") from None
    try:
        client = Client(address, timeout=_PATIENCE)
    except (OSError, ValueError) as error:
        hint = "give the address that the scheduler prints, such as tcp://host:8786"
        message = f"there is no Dask scheduler at {address}: {error}"
        raise PtxError.of("PTX307", message, hint=hint) from None
    with client, client.get_executor() as executor:
        yield executor


_PATIENCE = 10  # seconds to wait for a scheduler
