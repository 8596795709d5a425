"""PTX of the kernels that a package holds as text in its Python files.

Run by the scratch environment's Python with the unpacked package and the output folder. Texts that
do not compile alone, such as templates, are counted and left out.
"""

from __future__ import annotations

import ast
import hashlib
import re
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path

from nvrtc import CompileError, compile_text, cuda_headers
from order import first, spread

KERNEL = re.compile(r"__global__\s+void\s+(?:__launch_bounds__\([^)]*\)\s*)?(\w+)\s*\(")


def texts(path: Path) -> Iterator[str]:
    """The string literals of a Python file that define kernels."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            tree = ast.parse(path.read_text(errors="replace"))
        except SyntaxError:
            return
    for node in ast.walk(tree):
        text = node.value if isinstance(node, ast.Constant) else None
        if isinstance(text, str) and KERNEL.search(text):
            yield text


def as_source(text: str) -> str:
    """C names for kernels that are not templates, so that each gets code."""
    if 'extern "C"' in text or "template" in text:
        return text
    head = [line for line in text.splitlines() if line.lstrip().startswith("#")]
    body = [line for line in text.splitlines() if not line.lstrip().startswith("#")]
    return "\n".join([*head, 'extern "C" {', *body, "}"])


def compiled(root: Path) -> Iterator[tuple[str, str]]:
    """Names and PTX of texts, each once."""
    helpers = {path.parent for path in root.rglob("*helpers.hpp")}
    options = (f"-I{cuda_headers()}", *(f"-I{path}" for path in sorted(helpers)))
    seen: set[str] = set()
    for path in spread(path.relative_to(root) for path in root.rglob("*.py")):
        for text in texts(root / path):
            key = hashlib.sha256(text.encode()).hexdigest()[:8]
            if key in seen:
                continue
            seen.add(key)
            name = f"{path.stem}-{key}"
            try:
                made = compile_text(as_source(text), f"{name}.cu", options)
            except CompileError as error:
                print(f"{name}: {error}")
                continue
            if ".entry" in made:
                yield name, made


def main(root: Path, folder: Path, limit: int) -> None:
    for name, text in first(compiled(root), limit):
        (folder / f"{name}.ptx").write_text(text)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3]))
