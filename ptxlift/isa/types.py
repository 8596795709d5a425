"""The types of PTX: one `Type` object a name.

Comes in: type names as PTX writes them, without the dot. Goes out: their kind and width. This
module must know no instruction. Types are compared by identity; `type_of` gives the one object of a
name.
"""

from __future__ import annotations

from enum import Enum


class Kind(Enum):
    """What a type's bits mean."""

    B = "untyped bits"
    U = "unsigned integer"
    S = "signed integer"
    F = "IEEE float"
    BF = "bfloat16"
    PRED = "predicate"
    PACKED = "several small values in one register"
    ALT = "other float format, an instruction type only"
    OPAQUE = "texture, sampler or surface reference"


class Type:
    """A PTX type.

    `bits`: width in a register; `lanes`, `element`: of packed types (else 1 and the type's own
    name).
    """

    __slots__ = ("bits", "element", "kind", "lanes", "name")

    def __init__(self, name: str, kind: Kind, bits: int, lanes: int = 1, element: str = "") -> None:
        self.name = name
        self.kind = kind
        self.bits = bits
        self.lanes = lanes
        self.element = element or name

    def __repr__(self) -> str:
        return self.name

    def __reduce__(self) -> tuple[object, ...]:
        return type_of, (self.name,)

    @property
    def is_integer(self) -> bool:
        """`.u*` and `.s*`."""
        return self.kind is Kind.U or self.kind is Kind.S

    @property
    def is_signed(self) -> bool:
        return self.kind is Kind.S

    @property
    def is_float(self) -> bool:
        """`.f16`, `.f32`, `.f64`."""
        return self.kind is Kind.F

    @property
    def bytes(self) -> int:
        """Size in memory."""
        return max(1, self.bits // 8)


# fmt: off
_TABLE: tuple[Type, ...] = (
    Type("b1",   Kind.B, 1),   Type("b4",  Kind.B, 4),  Type("b8",  Kind.B, 8),  Type("b16", Kind.B, 16),
    Type("b32",  Kind.B, 32),  Type("b64", Kind.B, 64), Type("b128", Kind.B, 128), Type("b1024", Kind.B, 1024),
    Type("u2",   Kind.U, 2),   Type("u4",  Kind.U, 4),  Type("u8",  Kind.U, 8),  Type("u16", Kind.U, 16),
    Type("u32",  Kind.U, 32),  Type("u64", Kind.U, 64),
    Type("s2",   Kind.S, 2),   Type("s4",  Kind.S, 4),  Type("s8",  Kind.S, 8),  Type("s16", Kind.S, 16),
    Type("s32",  Kind.S, 32),  Type("s64", Kind.S, 64),
    Type("f16",  Kind.F, 16),  Type("f32", Kind.F, 32), Type("f64", Kind.F, 64),
    Type("bf16", Kind.BF, 16),
    Type("tf32", Kind.ALT, 32),
    Type("e4m3", Kind.ALT, 8), Type("e5m2", Kind.ALT, 8), Type("ue8m0", Kind.ALT, 8), Type("ue4m3", Kind.ALT, 8),
    Type("e2m3", Kind.ALT, 6), Type("e3m2", Kind.ALT, 6), Type("e2m1", Kind.ALT, 4),
    Type("f16x2",  Kind.PACKED, 32, 2, "f16"),  Type("bf16x2", Kind.PACKED, 32, 2, "bf16"),
    Type("u16x2",  Kind.PACKED, 32, 2, "u16"),  Type("s16x2",  Kind.PACKED, 32, 2, "s16"),
    Type("f32x2",  Kind.PACKED, 64, 2, "f32"),
    Type("e4m3x2", Kind.PACKED, 16, 2, "e4m3"), Type("e5m2x2", Kind.PACKED, 16, 2, "e5m2"),
    Type("e4m3x4", Kind.PACKED, 32, 4, "e4m3"), Type("e5m2x4", Kind.PACKED, 32, 4, "e5m2"),
    Type("e2m3x2", Kind.PACKED, 16, 2, "e2m3"), Type("e3m2x2", Kind.PACKED, 16, 2, "e3m2"),
    Type("e2m3x4", Kind.PACKED, 32, 4, "e2m3"), Type("e3m2x4", Kind.PACKED, 32, 4, "e3m2"),
    Type("e2m1x2", Kind.PACKED, 8, 2, "e2m1"),  Type("e2m1x4", Kind.PACKED, 16, 4, "e2m1"),
    Type("ue8m0x2", Kind.PACKED, 16, 2, "ue8m0"),
    Type("b8x16",  Kind.PACKED, 128, 16, "b8"), Type("b6x16_p32", Kind.PACKED, 128, 16, "e2m3"),
    Type("b4x16_p64", Kind.PACKED, 128, 16, "b4"),
    Type("pred", Kind.PRED, 1),
    Type("texref", Kind.OPAQUE, 64), Type("samplerref", Kind.OPAQUE, 64), Type("surfref", Kind.OPAQUE, 64),
)
# fmt: on
TYPES: dict[str, Type] = {t.name: t for t in _TABLE}

# What `.reg` and variables may have; everything else is an instruction type only.
REGISTER_TYPES = frozenset(
    [
        "b8",
        "b16",
        "b32",
        "b64",
        "b128",
        "u8",
        "u16",
        "u32",
        "u64",
        "s8",
        "s16",
        "s32",
        "s64",
        "f16",
        "f16x2",
        "f32",
        "f64",
        "pred",
    ]
)
VARIABLE_TYPES = (REGISTER_TYPES - {"pred"}) | {"texref", "samplerref", "surfref"}


NO_TYPE = Type("", Kind.OPAQUE, 0)  # of forms and operands that have none


def type_of(name: str) -> Type:
    """The type named `name`; `NO_TYPE` of ""."""
    return TYPES[name] if name else NO_TYPE
