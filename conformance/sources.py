"""A package's row becomes sources to compile, and those become PTX.

Comes in: a row. Goes out: PTX files in the scratch folder, and what did not compile. It must know
nothing of ptxlift.
"""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

from conformance.compile import Made, Source, compile_source
from conformance.packages import HEADERS, PLAIN, Package
from conformance.scratch import Scratch, fetch, install, sampled

HERE = Path(__file__).parent


def make_ptx(package: Package, scratch: Scratch, sample: int) -> Iterator[Made]:
    """PTX files of a package, one after the other: at most `sample` where that is not 0."""
    folder = scratch.ptx(package.name)
    if package.generator:
        yield from _generate(package, scratch, folder, sample)
    if package.files or package.probes:
        for source in sampled(_sources(package, scratch), sample, lambda source: source.name):
            yield compile_source(source, folder)
    if package.binaries:
        yield from _extract(package, scratch, folder)


def _sources(package: Package, scratch: Scratch) -> list[Source]:
    root = fetch(scratch, package.name, package.source)
    folders = [found for pattern in package.include for found in sorted(root.glob(pattern))]
    for name in package.headers:
        other = fetch(scratch, name, source=False)
        folders += [other / folder for folder in HEADERS[name]]
    folders.append(HERE / "stand_ins" / "include")
    flags = (*PLAIN, *package.flags, *(f"-I{folder}" for folder in folders))
    paths = [found for pattern in package.files for found in sorted(root.glob(pattern))]
    paths += [HERE / "probes" / f"{name}.cu" for name in package.probes]
    return [Source(path.stem, path, flags) for path in paths if path.stem not in package.leave]


def _generate(package: Package, scratch: Scratch, folder: Path, sample: int) -> Iterator[Made]:
    """Runs our generator for a package in the scratch environment, unless it ran before. It stops
    after `sample` files where that is not 0.
    """
    done = folder / "generated"
    if not done.exists():
        folder.mkdir(parents=True, exist_ok=True)
        if package.needs:
            install(scratch, package.needs)
        root = fetch(scratch, package.name, package.source)
        script = HERE / "generators" / f"{package.generator}.py"
        command = [scratch.python, script, root, folder, str(sample)]
        made = subprocess.run(command, text=True, capture_output=True, check=False)
        problem = made.stderr[-400:] if made.returncode else ""
        done.write_text(problem or made.stdout)
        if problem:
            yield Made(package.generator, folder / package.generator, problem)
    yield from (Made(path.stem, path) for path in sorted(folder.glob("*.ptx")))


def _extract(package: Package, scratch: Scratch, folder: Path) -> Iterator[Made]:
    """PTX that is inside a package's own binaries."""
    import ptxlift

    root = fetch(scratch, package.name, package.source)
    folder.mkdir(parents=True, exist_ok=True)
    for pattern in package.binaries:
        for binary in sorted(root.glob(pattern)):
            for number, image in enumerate(ptxlift.extract(binary)):
                path = folder / f"{binary.stem}-{number}.ptx"
                path.write_text(image.text)
                yield Made(path.stem, path)
