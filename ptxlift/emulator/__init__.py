"""An emulator of AMDGPU code objects; shares no code with the translator it checks."""

from ptxlift.emulator.costs import listed_costs
from ptxlift.emulator.image import Argument, Image, KernelInfo, load_code_object
from ptxlift.emulator.launch import Options, launch
from ptxlift.emulator.memory import Memory
from ptxlift.emulator.profile import InstClass, RunStats
from ptxlift.emulator.valu.kinds import Approx

__all__ = [
    "Approx",
    "Argument",
    "Image",
    "InstClass",
    "KernelInfo",
    "Memory",
    "Options",
    "RunStats",
    "launch",
    "listed_costs",
    "load_code_object",
]
