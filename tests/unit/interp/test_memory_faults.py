"""Bad accesses are reported with thread and line; good ones at the ends of arrays are not."""

from __future__ import annotations

import numpy as np
import pytest
from launching import launch, own_element, zeros

from ptxlift.diag import PtxError


def fault(body: str, *arrays: np.ndarray, **options: int) -> str:
    with pytest.raises(PtxError) as caught:
        launch(body, *arrays, **options)
    (diagnostic,) = caught.value.diagnostics
    assert diagnostic.code == "PTX402"
    assert diagnostic.span is not None
    return diagnostic.message


def test_read_past_the_end_names_thread_and_array() -> None:
    array = zeros(20)
    message = fault(own_element() + "ld.global.u32 %r1, [%d31];", array)
    assert "4 bytes" in message
    assert "reach 4 bytes past the end of an array (uint32, shape (20,)) of 80 bytes" in message
    assert "thread (20, 0, 0) of block (0, 0, 0)" in message


def test_write_before_the_beginning() -> None:
    message = fault("st.global.u32 [%d0+-4], %r0;", zeros(8), block=1)
    assert "past the end" in message or "no memory" in message


def test_last_element_is_good_and_half_of_one_beyond_is_not() -> None:
    array = np.arange(4, dtype=np.uint32)
    out = zeros(1)
    launch("ld.global.u32 %r1, [%d0+12]; st.global.u32 [%d1], %r1;", array, out, block=1)
    assert out[0] == 3
    fault("ld.global.v2.u32 {%r1, %r2}, [%d0+16];", array, block=1)


def test_misaligned_vector() -> None:
    message = fault("ld.global.v2.u32 {%r1, %r2}, [%d0+4];", zeros(8), block=1)
    assert "not a multiple of 8" in message


def test_null_pointer() -> None:
    message = fault("mov.u64 %d1, 0; ld.global.u32 %r1, [%d1];", zeros(1), block=1)
    assert "where there is no memory" in message


def test_arrays_do_not_touch() -> None:
    body = "add.u64 %d2, %d0, 16; ld.global.u32 %r1, [%d2];"
    fault(body, zeros(4), zeros(4), block=1)


def test_read_only_array() -> None:
    array = zeros(4)
    array.flags.writeable = False
    assert "read-only" in fault("st.global.u32 [%d0], %r0;", array, block=1)


def test_shared_memory_ends_after_the_declared_bytes() -> None:
    before = ".shared .align 4 .b8 s[128];"
    good = "shl.b32 %r1, %r0, 2; mov.u32 %r2, s; add.u32 %r2, %r2, %r1; st.shared.u32 [%r2], %r0;"
    launch(good, block=32, before=before)
    with pytest.raises(PtxError, match="shared memory of 128 bytes"):
        launch(good, block=64, before=before)


def test_dynamic_shared_memory_has_the_launchs_size() -> None:
    before = ".extern .shared .align 16 .b8 s[];"
    body = "mov.u32 %r2, s; st.shared.u32 [%r2+60], %r0;"
    launch(body, block=1, shared=64, before=before)
    with pytest.raises(PtxError, match="shared memory of 32 bytes"):
        launch(body, block=1, shared=32, before=before)


def test_local_memory_is_private() -> None:
    out = zeros(64)
    body = (
        ".local .align 4 .b8 l[16];\n"
        "st.local.u32 [l+4], %r0; bar.sync 0; ld.local.u32 %r1, [l+4];\n"
        + own_element()
        + "st.global.u32 [%d31], %r1;"
    )
    launch(body, out, block=64)
    np.testing.assert_array_equal(out, np.arange(64))


def test_generic_pointers_reach_every_space() -> None:
    out = zeros(4)
    body = (
        ".local .align 4 .b8 l[8];\n"
        "mov.u32 %r1, 7; st.shared.u32 [s], %r1; mov.u32 %r1, 8; st.local.u32 [l+4], %r1;\n"
        "cvta.shared.u64 %d1, s; ld.u32 %r2, [%d1]; st.u32 [%d0], %r2;\n"
        "cvta.local.u64 %d2, l; ld.u32 %r3, [%d2+4]; st.u32 [%d0+4], %r3;\n"
        "mov.u64 %d3, g; ld.u32 %r4, [%d3]; st.u32 [%d0+8], %r4;\n"
        "isspacep.shared %p1, %d1; isspacep.shared %p2, %d2; isspacep.global %p3, %d3;\n"
        "selp.u32 %r5, 1, 0, %p1; @%p2 add.u32 %r5, %r5, 2; @%p3 add.u32 %r5, %r5, 4;\n"
        "st.u32 [%d0+12], %r5;"
    )
    launch(body, out, block=1, before=".shared .b32 s;\n.global .u32 g = 9;")
    assert out.tolist() == [7, 8, 9, 5]
