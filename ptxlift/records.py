"""`dataclass`, `field` and `replace`, whose methods are written when they are first called.

The library's own decorator compiles six functions a class at import: 0.35 ms each for the 240
records of a translation, most of which never use most of them. These mean the same for what this
package asks of them (`frozen`, `slots`, `eq`, `repr`), and `dataclasses.fields`, `asdict` and so on
take these records too. Type checkers see the library's.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dataclasses import dataclass, field, replace
else:
    from ptxlift.lazy_records import dataclass, field, replace

__all__ = ["dataclass", "field", "replace"]
