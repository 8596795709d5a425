"""PTX text comes in; frozen syntax nodes with places go out; `printer` turns them into text again.

`parse` is the entry. Names, types and instructions are for later stages.
"""

from ptxlift.syntax.parser import parse

__all__ = ["parse"]
