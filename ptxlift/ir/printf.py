"""How a printf format is named in a frame and in the code object's metadata."""

from __future__ import annotations

import hashlib


def format_hash(text: str) -> int:
    """The low 64 bits of the format's MD5 digest, as ROCm's buffered printf has it."""
    digest = hashlib.md5(text.encode("latin-1"), usedforsecurity=False).digest()
    return int.from_bytes(digest[:8], "little")


def metadata_entry(text: str) -> str:
    """The format's line in `amdhsa.printf`."""
    return f"0:0:{format_hash(text):x},{text}"
