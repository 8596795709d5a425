"""Barrier objects: phases end when arrivals and bytes have come, whoever brings them."""

from __future__ import annotations

import numpy as np
from launching import launch, own_element, zeros

SHARED = ".shared .align 8 .b64 bar;\n.shared .align 16 .b8 data[256];"


def test_all_arrive_then_the_phase_is_over() -> None:
    out = zeros(64)
    body = (
        "setp.eq.u32 %p1, %r0, 0; @%p1 mbarrier.init.shared.b64 [bar], 64; bar.sync 0;\n"
        "shl.b32 %r1, %r0, 2; mov.u32 %r2, data; add.u32 %r3, %r2, %r1; st.shared.u32 [%r3], %r0;\n"
        "mbarrier.arrive.shared.b64 %d5, [bar];\n"
        "WAIT: mbarrier.test_wait.shared.b64 %p2, [bar], %d5; @!%p2 bra WAIT;\n"
        "xor.b32 %r4, %r1, 252; add.u32 %r4, %r4, %r2; ld.shared.u32 %r5, [%r4];\n"
        + own_element()
        + "st.global.u32 [%d31], %r5;"
    )
    launch(body, out, block=64, before=SHARED)
    np.testing.assert_array_equal(out, np.arange(64) ^ 63)


def test_parity_and_pending_count() -> None:
    """Two arrivals a phase: the first leaves one pending, the second flips the phase."""
    out = zeros(6)
    body = (
        "mbarrier.init.shared.b64 [bar], 2;\n"
        "mbarrier.test_wait.parity.shared.b64 %p1, [bar], 0;\n"
        "mbarrier.test_wait.parity.shared.b64 %p2, [bar], 1;\n"
        "mbarrier.arrive.shared.b64 %d5, [bar]; mbarrier.pending_count.b64 %r1, %d5;\n"
        "mbarrier.arrive.shared.b64 %d6, [bar]; mbarrier.pending_count.b64 %r2, %d6;\n"
        "mbarrier.test_wait.parity.shared.b64 %p3, [bar], 0;\n"
        "mbarrier.test_wait.parity.shared.b64 %p4, [bar], 1;\n"
        "selp.u32 %r3, 1, 0, %p1; selp.u32 %r4, 1, 0, %p2; selp.u32 %r5, 1, 0, %p3;\n"
        "selp.u32 %r6, 1, 0, %p4;\n"
        "st.global.v2.u32 [%d0], {%r1, %r2}; st.global.v2.u32 [%d0+8], {%r3, %r4};\n"
        "st.global.v2.u32 [%d0+16], {%r5, %r6};"
    )
    launch(body, out, block=1, before=SHARED)
    assert out.tolist() == [2, 1, 0, 1, 1, 0]


def test_bytes_of_a_bulk_copy_end_the_phase() -> None:
    source, out = np.arange(64, dtype=np.uint32), zeros(64)
    body = (
        "setp.ne.u32 %p1, %r0, 0; @%p1 bra WAIT;\n"
        "mbarrier.init.shared.b64 [bar], 1;\n"
        "mbarrier.arrive.expect_tx.shared.b64 %d5, [bar], 256;\n"
        "mov.u32 %r1, data; mov.u32 %r2, bar;\n"
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes"
        " [%r1], [%d0], 256, [%r2];\n"
        "WAIT: bar.sync 0;\n"
        "AGAIN: mbarrier.try_wait.parity.shared.b64 %p2, [bar], 0; @!%p2 bra AGAIN;\n"
        "shl.b32 %r3, %r0, 2; mov.u32 %r4, data; add.u32 %r4, %r4, %r3; ld.shared.u32 %r5, [%r4];\n"
        + own_element(1)
        + "st.global.u32 [%d31], %r5;"
    )
    launch(body, source, out, block=64, before=SHARED)
    np.testing.assert_array_equal(out, source)


def test_asynchronous_copies_fill_with_zeros() -> None:
    """Bytes behind the source size are zero."""
    source, out = np.arange(1, 5, dtype=np.uint32), zeros(4)
    body = (
        "mov.u32 %r1, data; cp.async.ca.shared.global [%r1], [%d0], 16, 6;\n"
        "cp.async.commit_group; cp.async.wait_group 0;\n"
        "ld.shared.v4.u32 {%r2, %r3, %r4, %r5}, [data];\n"
        "st.global.v4.u32 [%d1], {%r2, %r3, %r4, %r5};"
    )
    launch(body, source, out, block=1, before=SHARED)
    assert out.tolist() == [1, 2, 0, 0]


def test_cluster_of_one_block() -> None:
    out = zeros(64)
    body = (
        "shl.b32 %r1, %r0, 2; mov.u32 %r2, data; add.u32 %r3, %r2, %r1; st.shared.u32 [%r3], %r0;\n"
        "barrier.cluster.arrive; barrier.cluster.wait;\n"
        "xor.b32 %r4, %r1, 252; add.u32 %r4, %r4, %r2;\n"
        "mapa.shared::cluster.u32 %r6, %r4, 0; ld.shared::cluster.u32 %r5, [%r6];\n"
        + own_element()
        + "st.global.u32 [%d31], %r5;"
    )
    launch(body, out, block=64, before=SHARED)
    np.testing.assert_array_equal(out, np.arange(64) ^ 63)
