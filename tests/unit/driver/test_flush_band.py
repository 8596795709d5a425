"""`.ftz` flushes what is tiny when rounded as if exponents had no end, in kernels that do not flush
as a whole.

Expected bits: ptxas 13.0 folds `mul.ftz` and `cvt.rn.ftz` of these operands to them (sm_90, read
with nvdisasm); for directed conversions its code flushes on just these sides of the limit. An fma
with -0 is the product.
"""

from __future__ import annotations

import numpy as np
import pytest

import ptxlift

KERNEL = """.version 8.6
.target sm_90
.address_size 64
.visible .entry k(.param .u64 a, .param .u64 b, .param .u64 c, .param .u64 d) {
.reg .b64 %a<6>; .reg .f32 %f<9>; .reg .f64 %x; .reg .b32 %t;
ld.param.u64 %a1, [a]; ld.param.u64 %a2, [b]; ld.param.u64 %a3, [c]; ld.param.u64 %a4, [d];
mov.u32 %t, %tid.x; mul.wide.u32 %a5, %t, 8;
add.u64 %a1, %a1, %a5; add.u64 %a2, %a2, %a5; add.u64 %a3, %a3, %a5;
mul.wide.u32 %a5, %t, 24; add.u64 %a4, %a4, %a5;
ld.global.f32 %f1, [%a1]; ld.global.f32 %f2, [%a2]; ld.global.f64 %x, [%a3];
mul.ftz.f32 %f3, %f1, %f2; st.global.f32 [%a4], %f3;
fma.rn.ftz.f32 %f4, %f1, %f2, 0f80000000; st.global.f32 [%a4+4], %f4;
mul.f32 %f5, %f1, %f2; st.global.f32 [%a4+8], %f5;
cvt.rn.ftz.f32.f64 %f6, %x; st.global.f32 [%a4+12], %f6;
cvt.rp.ftz.f32.f64 %f7, %x; st.global.f32 [%a4+16], %f7;
cvt.rn.f32.f64 %f8, %x; st.global.f32 [%a4+20], %f8;
ret; }
"""
LEAST, ZERO = 0x00800000, 0
# a, b -> mul.ftz, mul
PRODUCTS = (
    (0x3F7FFFFF, LEAST, ZERO, LEAST),
    (0x3F7FFFFE, LEAST, ZERO, 0x007FFFFF),
    (0x3F800000, LEAST, LEAST, LEAST),
    (0xBF7FFFFF, LEAST, 0x80000000, 0x80800000),
    (0x3F000000, LEAST, ZERO, 0x00400000),
)
# x / 2^-126 -> cvt.rn.ftz, cvt.rp.ftz, cvt.rn
CONVERSIONS = (
    (1 - 1.5 * 2.0**-25, ZERO, LEAST, LEAST),
    (1 - 2.0**-25, LEAST, LEAST, LEAST),
    (1 - 2.0**-24, ZERO, ZERO, LEAST),
    (1 - 1.5 * 2.0**-24, ZERO, ZERO, 0x007FFFFF),
    (-(1 - 2.0**-25), 0x80800000, 0x80000000, 0x80800000),
)


@pytest.mark.parametrize("device", ["interpreter", "gfx942", "gfx1100", "gfx1201"])
def test_flush_follows_the_rounding_to_full_precision(device: str) -> None:
    count = len(PRODUCTS)
    a, b = (np.array([row[i] for row in PRODUCTS], np.uint64) for i in (0, 1))
    x = np.array([row[0] for row in CONVERSIONS]) * 2.0**-126
    got = np.zeros((count, 6), np.uint32)
    place = {"device": device} if device == "interpreter" else {"target": device}
    ptxlift.run(KERNEL, "k", (1, 1, 1), (count, 1, 1), [a, b, x, got], **place)
    expected = [
        [*(product[2], product[2], product[3]), *conversion[1:]]
        for product, conversion in zip(PRODUCTS, CONVERSIONS, strict=True)
    ]
    assert got.tolist() == expected
