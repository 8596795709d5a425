"""The scratch folder: packages fetched by pip, unpacked, and the PTX made of them.

Comes in: requirements. Goes out: folders. Set PTXLIFT_CONFORMANCE to choose where; by default it is
in the user's cache folder. It must not know what a package contains.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import tarfile
import venv
import zipfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

Thing = TypeVar("Thing")
# What source archives are made with: pip asks them for the package's name even to download one.
BUILD_TOOLS = (
    *("setuptools", "wheel", "numpy", "packaging", "ninja"),
    *("setuptools-scm", "scikit-build-core", "poetry-core", "hatchling"),
)


@dataclass(frozen=True, slots=True)
class Scratch:
    """Where everything lies: downloads, unpacked packages, an environment, PTX and results."""

    root: Path

    @property
    def python(self) -> Path:
        return self.root / "venv" / "bin" / "python"

    def ptx(self, package: str) -> Path:
        return self.root / "ptx" / package

    def results(self, package: str) -> Path:
        return self.root / "results" / f"{package}.json"

    def unpacked(self, requirement: str) -> Path:
        return self.root / "unpacked" / requirement


def sampled(things: Sequence[Thing], count: int, name: Callable[[Thing], str]) -> list[Thing]:
    """So many of them in their order, always the same ones, spread by a hash of the name; all of
    them where the count is 0.
    """
    order = sorted(things, key=lambda thing: hashlib.sha256(name(thing).encode()).digest())
    chosen = {name(thing) for thing in order[: count or len(order)]}
    return [thing for thing in things if name(thing) in chosen]


def default_scratch() -> Scratch:
    """The folder named by PTXLIFT_CONFORMANCE, else one in the user's cache."""
    chosen = os.environ.get("PTXLIFT_CONFORMANCE")
    cache = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache"))
    return Scratch(Path(chosen) if chosen else cache / "ptxlift-conformance")


def prepare_environment(scratch: Scratch) -> None:
    """An environment for pip and for the compilers that are Python packages."""
    if not scratch.python.exists():
        venv.create(scratch.root / "venv", with_pip=True)
        install(scratch, BUILD_TOOLS)


def install(scratch: Scratch, requirements: tuple[str, ...]) -> None:
    """Installs packages that make PTX themselves."""
    command = [scratch.python, "-m", "pip", "install", "--quiet", *requirements]
    subprocess.run(command, check=True)


def fetch(scratch: Scratch, requirement: str, source: bool) -> Path:
    """The unpacked wheel or source archive of one package, downloaded once."""
    folder = scratch.unpacked(requirement)
    if folder.exists():
        return folder
    downloads = scratch.root / "downloads" / requirement
    if not list(downloads.glob("*")):
        _download(scratch, requirement, source, downloads)
    unfinished = folder.with_suffix(".new")
    shutil.rmtree(unfinished, ignore_errors=True)
    for archive in downloads.iterdir():
        _unpack(archive, unfinished)
    unfinished.rename(folder)
    return folder


def _download(scratch: Scratch, requirement: str, source: bool, folder: Path) -> None:
    form = ["--no-binary" if source else "--only-binary", ":all:"]
    if source:
        # A source archive's own set-up script may ask for torch: ours stands in for it.
        form = ["--no-binary", requirement.split("==")[0], "--no-build-isolation"]
    command = [scratch.python, "-m", "pip", "download", "--quiet", "--no-deps", *form]
    stand_ins = Path(__file__).parent / "stand_ins" / "python"
    environment = os.environ | {"PYTHONPATH": str(stand_ins)} if source else None
    made = subprocess.run(
        [*command, "--dest", folder, requirement],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    if made.returncode:
        print(f"{requirement}: {made.stderr[-600:]}", file=sys.stderr)
        raise FileNotFoundError(requirement)


def _unpack(archive: Path, folder: Path) -> None:
    if archive.suffix == ".whl":
        with zipfile.ZipFile(archive) as wheel:
            wheel.extractall(folder)
    else:
        with tarfile.open(archive) as tar:
            tar.extractall(folder, filter="data")


def version_of(scratch: Scratch, requirement: str) -> str:
    """The version that was fetched or installed, as the archive's or folder's name says it."""
    for archive in (scratch.root / "downloads" / requirement).glob("*"):
        name = archive.name.removesuffix(".tar.gz")
        return name.split("-")[1 if archive.suffix == ".whl" else -1]
    installed = f"python3*/site-packages/{requirement.replace('-', '_')}-*.dist-info"
    for folder in (scratch.root / "venv" / "lib").glob(installed):
        return folder.name.removesuffix(".dist-info").split("-")[1]
    return "?"
