"""-x + 0 is +0 for +0, also where LLVM 22 finds out that it is 0 - x and the next instruction could
take its operand negated. Worked out by hand.
"""

from __future__ import annotations

import numpy as np
import pytest

import ptxlift

HEAD = """.version 8.6
.target sm_90
.address_size 64
.visible .entry k(.param .u64 in, .param .u64 out)
{
    .local .align 8 .b8 tmp[8];
    .reg .b16 %h<6>; .reg .b32 %r<6>; .reg .f32 %f<6>; .reg .f64 %g<6>;
    .reg .b64 %in, %out, %at; .reg .b32 %t;
    ld.param.u64 %in, [in]; ld.param.u64 %out, [out]; mov.u32 %t, %tid.x;
    mul.wide.u32 %at, %t, 8; add.u64 %in, %in, %at;
    mul.wide.u32 %at, %t, 40; add.u64 %out, %out, %at;
"""
# x is R0, 1 is R1, -1 is R2; the result goes to R3. The zero in R5 is known, or LLVM's to find.
KNOWN = "mov.BITS R5, ZERO; "
FOUND = "mov.b64 %at, 0; st.local.b64 [tmp], %at; ld.local.BITS R5, [tmp]; "
NEGATIONS = (
    FOUND + "sub.rnFTZ.KIND R3, R5, R0;",
    FOUND + "negFTZ.KIND R4, R0; add.rnFTZ.KIND R3, R5, R4;",
    KNOWN + "mul.rnFTZ.KIND R4, R0, R2; add.rnFTZ.KIND R3, R4, R5;",
    KNOWN + "fma.rnFTZ.KIND R3, R0, R2, R5;",
    FOUND + "negFTZ.KIND R4, R0; fma.rnFTZ.KIND R3, R4, R1, R5;",
)
# registers, their type, 1, the sign, 0 as PTX writes it
KINDS = {
    "f32": ("%f", "f32", 0x3F800000, 1 << 31, "0f00000000"),
    "f64": ("%g", "f64", 0x3FF << 52, 1 << 63, "0d0000000000000000"),
    "f16": ("%h", "b16", 0x3C00, 1 << 15, "0"),
    "bf16": ("%h", "b16", 0x3F80, 1 << 15, "0"),
    "f16x2": ("%r", "b32", 0x3C003C00, 0x80008000, "0"),
    "bf16x2": ("%r", "b32", 0x3F803F80, 0x80008000, "0"),
}


def kernel(kind: str, ftz: str) -> str:
    """Stores the product of each sum with 1."""
    register, bits, one, sign, zero = KINDS[kind]
    width = int(bits[1:])
    lines = [f"mov.b{width} R1, 0x{one:x}; mov.b{width} R2, 0x{one | sign:x};"]
    for number, text in enumerate(NEGATIONS):
        lines.append(f"ld.global.BITS R0, [%in]; {text} mul.rnFTZ.KIND R4, R3, R1;")
        lines.append(f"st.global.BITS [%out+{8 * number}], R4;")
    body = "\n".join(lines).replace("FTZ", ftz).replace("KIND", kind).replace("BITS", bits)
    return HEAD + body.replace("ZERO", zero).replace(" R", f" {register}") + "ret; }"


@pytest.mark.parametrize("target", ["gfx942", "gfx950", "gfx1100", "gfx1250"])
@pytest.mark.parametrize(("kind", "ftz"), [("f32", ".ftz"), *((kind, "") for kind in KINDS)])
def test_negated_zero_and_zero(kind: str, ftz: str, target: str) -> None:
    _, _, one, sign, _ = KINDS[kind]
    data = np.array([0, sign, one], np.uint64)
    out = np.zeros((len(data), len(NEGATIONS)), np.uint64)
    ptxlift.run(kernel(kind, ftz), "k", 1, len(data), [data, out], target=target)
    assert out.tolist() == [[value] * len(NEGATIONS) for value in (0, 0, one | sign)]
