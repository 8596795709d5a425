"""A cache of outcomes on disk, shared by all runs of one user.

Comes in: tasks and outcomes. Goes out: outcomes of earlier runs. An entry's name is a digest of
everything the outcome depends on: the texts, their names where they can show, the target, the
options, the parts, and ptxlift's and LLVM's own code. An entry is written aside and renamed, and
holds its own digest: a process killed at any moment leaves no entry that would be believed, and two
at once do no harm. A cache that cannot be read or written is no error; the work is then done again.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import tempfile
import time
from collections.abc import Iterator, Mapping
from dataclasses import fields
from functools import cache
from pathlib import Path

from ptxlift.diag import PtxError
from ptxlift.driver.entries import Sources, is_nameless, packed, unpacked
from ptxlift.driver.outcomes import Outcome, Task
from ptxlift.records import dataclass, field

DIRECTORY_VARIABLE = "PTXLIFT_CACHE_DIR"
SIZE_VARIABLE = "PTXLIFT_CACHE_SIZE"
_DEFAULT_SIZE = 1 << 30
_UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}
_MAGIC = b"ptxlift cache 1\n"
_SUFFIX = ".entry"
_ASIDE = ".part"  # of an entry that is being written
_STALE = 3600.0  # seconds after which the writer of such a file is taken to be dead
_TRIM_EVERY = 1 << 25  # bytes written between looks at the size of the whole
_TRIM_TO = 0.9
_TAG = (
    b"Signature: 8a477f597d28d172789f06886806bc55\n"
    b"# This folder holds what ptxlift made before; it may be deleted at any time.\n"
)
_UNCACHED = ("PTX304", "PTX308")  # may come from the machine, not from the input


@dataclass(slots=True)
class Cache:
    """A folder of entries. `limit`: bytes of all of them; the least recently used go first."""

    root: Path
    limit: int = _DEFAULT_SIZE
    _untrimmed: int = field(default=_TRIM_EVERY, repr=False)

    @staticmethod
    def default(root: str | Path | None = None, limit: int | None = None) -> Cache | None:
        """The cache that the environment asks for; None if its size is 0."""
        size = _size_from_environment() if limit is None else limit
        return Cache(Path(root) if root else default_root(), size) if size else None

    def get(self, task: Task, target: str) -> Outcome | None:
        """What a task gave for a target in some run before."""
        path = self._path(task, target)
        try:
            data = path.read_bytes()
            outcome = unpacked(_checked(data), Sources(task))
        except (OSError, ValueError):
            return None
        with contextlib.suppress(OSError):
            os.utime(path)
        return outcome

    def put(self, task: Task, target: str, outcome: Outcome) -> None:
        """Keeps an outcome if it depends on nothing but the task."""
        if outcome.fault or any(d.code in _UNCACHED for d in outcome.diagnostics):
            return
        if not Sources(task).hold(outcome):
            return
        body = packed(outcome)
        with contextlib.suppress(OSError):
            self._write(self._path(task, target), _MAGIC + hashlib.sha256(body).digest() + body)

    def _write(self, path: Path, data: bytes) -> None:
        if not path.parent.is_dir():
            path.parent.mkdir(parents=True, exist_ok=True)
            (self.root / "CACHEDIR.TAG").write_bytes(_TAG)
        handle, aside = tempfile.mkstemp(_ASIDE, dir=path.parent)
        try:
            with open(handle, "wb") as file:
                file.write(data)
            os.replace(aside, path)
        except BaseException:
            with contextlib.suppress(OSError):
                os.unlink(aside)
            raise
        self._untrimmed += len(data)
        if self._untrimmed >= _TRIM_EVERY:
            self.trim()

    def _path(self, task: Task, target: str) -> Path:
        name = key(task, target)
        return self.root / name[:2] / (name[2:] + _SUFFIX)

    # ---- the folder as a whole ----

    def files(self) -> Iterator[Path]:
        """All entries."""
        yield from self.root.glob(f"??/*{_SUFFIX}")

    def total(self) -> tuple[int, int]:
        """How many entries there are, and their bytes."""
        sizes = [stat.st_size for path in self.files() if (stat := _stat(path)) is not None]
        return len(sizes), sum(sizes)

    def trim(self) -> int:
        """Removes what has not been used for longest until the limit is kept, and what dead
        writers left. How many entries went.
        """
        self._untrimmed = 0
        for path in self.root.glob(f"??/*{_ASIDE}"):
            stat = _stat(path)
            if stat is not None and time.time() - stat.st_mtime > _STALE:
                _remove(path)
        known = [(stat.st_mtime, stat.st_size, path) for path in self.files()
                 if (stat := _stat(path)) is not None]  # fmt: skip
        total = sum(size for _, size, _ in known)
        if total <= self.limit:
            return 0
        removed = 0
        for _, size, path in sorted(known):
            if total <= _TRIM_TO * self.limit:
                break
            removed += _remove(path)
            total -= size
        return removed

    def clear(self) -> int:
        """Removes all entries. How many there were."""
        return sum(_remove(path) for path in list(self.files()))

    def verify(self) -> list[Path]:
        """The entries that are damaged; they would not be used."""
        bad = []
        for path in self.files():
            try:
                _checked(path.read_bytes())
            except ValueError:
                bad.append(path)
            except OSError:
                continue  # gone meanwhile
        return bad


def default_root() -> Path:
    """PTXLIFT_CACHE_DIR; else `ptxlift` in XDG_CACHE_HOME, LOCALAPPDATA or ~/.cache."""
    named = os.environ.get(DIRECTORY_VARIABLE)
    if named:
        return Path(named)
    for variable in ("XDG_CACHE_HOME", "LOCALAPPDATA"):
        base = os.environ.get(variable)
        if base and Path(base).is_absolute():
            return Path(base) / "ptxlift"
    return Path.home() / ".cache" / "ptxlift"


def size_of(text: str) -> int:
    """Bytes of "500M", "2G", "0"; PTX307 for anything else."""
    number, unit = text.strip().upper().removesuffix("B"), ""
    if number and number[-1] in _UNITS:
        number, unit = number[:-1], number[-1]
    if not (number.isascii() and number.isdigit()):
        hint = "write bytes, or a number with K, M, G or T"
        raise PtxError.of("PTX307", f"{text!r} is no size of a cache", hint=hint)
    return int(number) * _UNITS[unit]


def _size_from_environment() -> int:
    text = os.environ.get(SIZE_VARIABLE)
    return size_of(text) if text else _DEFAULT_SIZE


def key(task: Task, target: str) -> str:
    """The digest of all that an outcome depends on."""
    digest = hashlib.sha256(fingerprint())
    options = [(f.name, _fact(getattr(task.options, f.name))) for f in fields(task.options)]
    names = [[image.name for image in group] for group in task.older]
    own = () if is_nameless(task) else task.names
    facts = (target, task.parts, task.kernels, own, names, options, len(task.texts))
    digest.update(repr(facts).encode())
    for text in (*task.texts, *(image.text for group in task.older for image in group)):
        data = text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text
        digest.update(f"{type(text).__name__} {len(data)}\n".encode())
        digest.update(data)
    return digest.hexdigest()


def _fact(value: object) -> object:
    """An option's value; long bytes as their digest, names in an order of their own."""
    if isinstance(value, tuple):
        return [_fact(one) for one in value]
    if isinstance(value, bytes):
        return hashlib.sha256(value).hexdigest()
    return sorted(value.items()) if isinstance(value, Mapping) else value


@cache
def fingerprint() -> bytes:
    """A digest of ptxlift's own files and LLVM's version: other code, other entries."""
    from importlib.metadata import version

    digest = hashlib.sha256(f"llvmlite {version('llvmlite')} lark {version('lark')}\n".encode())
    package = Path(__file__).resolve().parents[1]
    for path in sorted(package.rglob("*")):
        if path.suffix in (".py", ".lark", ".ptx"):
            data = path.read_bytes()
            digest.update(f"{path.relative_to(package).as_posix()} {len(data)}\n".encode())
            digest.update(data)
    return digest.digest()


def _checked(data: bytes) -> bytes:
    """The body of an entry; `ValueError` where it is damaged."""
    start = len(_MAGIC) + hashlib.sha256().digest_size
    body = data[start:]
    if data[: len(_MAGIC)] != _MAGIC or hashlib.sha256(body).digest() != data[len(_MAGIC) : start]:
        raise ValueError("damaged cache entry")
    return body


def _stat(path: Path) -> os.stat_result | None:
    try:
        return path.stat()
    except OSError:
        return None


def _remove(path: Path) -> bool:
    try:
        path.unlink()
    except OSError:
        return False
    return True
