"""From LLVM's objects to what a runtime loads, and what is in such files.

Comes in: relocatable AMDGPU objects. Goes out: HSA code objects, listings, typed metadata. It must
know nothing of PTX, IR or LLVM's API.
"""

from ptxlift.link.linker import link, listing
from ptxlift.link.metadata import CodeObject, KernelArg, KernelInfo, Variable, read_code_object

__all__ = [
    "CodeObject",
    "KernelArg",
    "KernelInfo",
    "Variable",
    "link",
    "listing",
    "read_code_object",
]
