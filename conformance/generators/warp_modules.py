"""PTX of Warp's own kernels: its tests and examples, compiled by Warp's own compiler.

Run by the scratch environment's Python with the unpacked package and the output folder.
"""

from __future__ import annotations

import importlib
import pkgutil
import shutil
import sys
import traceback
from pathlib import Path

import warp
from order import spread

ARCH = 80
PACKAGES = (
    "warp.tests",
    "warp.examples.core",
    "warp.fem",
    "warp.optim",
    "warp.render",
    "warp.sparse",
)
# Compiled for minutes each, with kernels by the thousand of the same few shapes.
LEAVE = ("fem", "tile", "render", "interop", "run_coverage", "unittest_", "walkthrough")


def module_names() -> list[str]:
    """Test modules and the library's own."""
    names = []
    for package in PACKAGES:
        found = importlib.import_module(package)
        names.append(package)
        paths = getattr(found, "__path__", None)
        if paths:
            names += [f"{package}.{entry.name}" for entry in pkgutil.iter_modules(paths)]
    return [n for n in names if not any(word in n.split(".")[-1] for word in LEAVE)]


def write_ptx(name: str, folder: Path) -> None:
    """The PTX of one module's kernels, if it has any."""
    warp.get_module(name)
    importlib.import_module(name)
    module = warp.get_module(name)
    if not module.kernels:
        return
    made = folder / "work" / name
    made.mkdir(parents=True, exist_ok=True)
    warp.compile_aot_module(module, arch=ARCH, module_dir=str(made), use_ptx=True)
    for path in made.rglob("*.ptx"):
        shutil.copy(path, folder / f"{name.removeprefix('warp.')}.ptx")


def main(folder: Path, limit: int) -> None:
    warp.config.quiet = True
    warp.init()
    for name in spread(module_names()):
        if limit and len(list(folder.glob("*.ptx"))) >= limit:
            break
        try:
            write_ptx(name, folder)
        except BaseException as error:
            print(
                f"{name}: {''.join(traceback.format_exception_only(error)).strip()[-300:]}",
                flush=True,
            )
    shutil.rmtree(folder / "work", ignore_errors=True)


if __name__ == "__main__":
    main(Path(sys.argv[2]), int(sys.argv[3]))
