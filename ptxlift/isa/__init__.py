"""The instruction table: one row an instruction form, by chapter of the manual, and how modifiers choose a row.

Everything else about instructions is derived from these rows. A leaf package: it imports nothing but `diag`.
"""

from ptxlift.isa.row import Effect, Form, OperandKind, OperandSpec, Role, Row, Rule
from ptxlift.isa.table import by_opcode, opcodes, rows
from ptxlift.isa.types import NO_TYPE, Kind, Type, type_of

__all__ = [
    "NO_TYPE",
    "Effect",
    "Form",
    "Kind",
    "OperandKind",
    "OperandSpec",
    "Role",
    "Row",
    "Rule",
    "Type",
    "by_opcode",
    "opcodes",
    "rows",
    "type_of",
]
