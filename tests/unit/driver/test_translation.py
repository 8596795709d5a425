"""What `lift` gives: parts, kernels, failures; pickling and threads."""

from __future__ import annotations

import pickle
from concurrent.futures import ThreadPoolExecutor

import pytest
from driver_programs import HEADER, SPLIT_KERNEL, TWO, UNTRANSLATED, dies_with, simple

import ptxlift
from ptxlift import Options, PtxError, Translation
from ptxlift.link import read_code_object

SKIP = Options(on_unsupported="skip")


def codes(error: PtxError) -> list[str]:
    return [diagnostic.code for diagnostic in error.diagnostics]


# ---- kernels ----


def test_facts_of_a_kernel() -> None:
    text = HEADER + (
        ".visible .entry k(.param .u8 a, .param .f64 b, .param .align 4 .b8 c[12])\n"
        ".reqntid 64, 2\n{ ret; }\n"
    )
    kernel = ptxlift.lift(text, "gfx942").kernels["k"]
    assert [(p.name, p.type, p.size, p.align, p.offset) for p in kernel.params] == [
        ("a", "u8", 1, 1, 0),
        ("b", "f64", 8, 8, 8),
        ("c", "b8", 12, 4, 16),
    ]
    assert kernel.reqntid == (64, 2, 1)
    assert kernel.wave_size == 64 and kernel.code_bytes > 0 and kernel.spills == 0


def test_only_the_kernels_that_are_asked_for() -> None:
    for wanted in (["second"], "second"):
        made = ptxlift.lift(TWO, "gfx1100", kernels=wanted)
        assert list(made.kernels) == ["second"]
        assert [k.name for k in read_code_object(made.code_object).kernels] == ["second"]
    with pytest.raises(PtxError) as caught:
        ptxlift.lift(TWO, "gfx1100", kernels=["third"])
    assert codes(caught.value) == ["PTX104"]


def test_several_texts_are_one_program() -> None:
    texts = [
        HEADER + ".extern .func f();\n.visible .entry k() { call f; ret; }\n",
        HEADER + ".visible .func f() { ret; }\n",
    ]
    assert list(ptxlift.lift(texts, "gfx942").kernels) == ["k"]
    with pytest.raises(PtxError) as caught:
        ptxlift.lift([texts[0], "nonsense"], "gfx942", name=["a.ptx", "b.ptx"])
    assert str(caught.value).startswith("b.ptx:1:1: ")


def test_split_kernels_have_a_unit_of_their_own() -> None:
    made = ptxlift.lift(HEADER + simple("packed") + SPLIT_KERNEL, "gfx942")
    mapping = {name: kernel.warp_mapping for name, kernel in made.kernels.items()}
    assert mapping == {"packed": "packed", "apart": "split"}
    assert made.kernels["packed"].launch_block((32, 2, 1)) == (32, 2, 1)
    assert made.kernels["apart"].launch_block((32, 2, 1)) == (64, 2, 1)
    assert len(read_code_object(made.code_object).kernels) == 2
    with pytest.raises(PtxError) as caught:
        _ = made.object
    assert codes(caught.value) == ["PTX307"]
    on_wave32 = ptxlift.lift(HEADER + SPLIT_KERNEL, "gfx1100")
    assert on_wave32.kernels["apart"].warp_mapping == "packed"


def test_packing_by_force_needs_a_proof() -> None:
    options = Options(warp_mapping="packed")
    with pytest.raises(PtxError, match="cannot be packed") as caught:
        _ = ptxlift.lift(HEADER + SPLIT_KERNEL, "gfx942", options=options).kernels
    assert codes(caught.value) == ["PTX204"]
    assert "warp_mapping='auto'" in caught.value.diagnostics[0].hint
    assert ptxlift.lift(HEADER + simple("k"), "gfx942", options=options).kernels


def test_split_block_too_large() -> None:
    text = HEADER + SPLIT_KERNEL.replace(")\n{", ")\n.reqntid 1024\n{", 1)
    with pytest.raises(PtxError) as caught:
        _ = ptxlift.lift(text, "gfx942").kernels
    assert codes(caught.value) == ["PTX204"]


# ---- failures ----


def test_skipping_kernels_without_a_translation() -> None:
    text = HEADER + simple("good") + UNTRANSLATED
    with pytest.raises(PtxError) as caught:
        ptxlift.lift(text, "gfx942")
    assert codes(caught.value) == ["PTX201"]
    made = ptxlift.lift(text, "gfx942", options=SKIP)
    assert list(made.kernels) == ["good"] and list(made.failed) == ["matrix"]
    assert [d.code for d in made.diagnostics] == ["PTX201"]
    assert [k.name for k in read_code_object(made.code_object).kernels] == ["good"]


def test_death_of_llvm_names_the_kernel() -> None:
    made = ptxlift.lift(TWO, "gfx900", compiler=dies_with("second"))
    with pytest.raises(PtxError) as caught:
        _ = made.code_object
    assert codes(caught.value) == ["PTX304"]
    assert "kernel second" in str(caught.value) and "first" not in str(caught.value)


def test_kernels_on_which_llvm_dies_can_be_skipped() -> None:
    made = ptxlift.lift(TWO, "gfx900", options=SKIP, compiler=dies_with("second"))
    assert [k.name for k in read_code_object(made.code_object).kernels] == ["first"]
    assert list(made.failed) == ["second"] and list(made.kernels) == ["first"]


def test_isolated_code_is_the_same() -> None:
    inside = ptxlift.lift(TWO, "gfx942").code_object
    assert ptxlift.lift(TWO, "gfx942", options=Options(isolate=True)).code_object == inside


def test_targets_are_checked_first() -> None:
    with pytest.raises(PtxError) as caught:
        ptxlift.lift("nonsense", "gfx9999")
    assert codes(caught.value) == ["PTX301"]


# ---- pickling and threads ----


def test_pickled_translation_keeps_its_parts() -> None:
    made = ptxlift.lift(TWO, "gfx942")
    parts = (made.code_object, made.llvm_ir, made.ir, made.listing, made.kernels["first"].vgprs)
    again: Translation = pickle.loads(pickle.dumps(made))
    assert (
        again.code_object,
        again.llvm_ir,
        again.ir,
        again.listing,
        again.kernels["first"].vgprs,
    ) == parts
    assert "parse" not in again.stats  # nothing was read again


def test_pickled_translation_can_make_what_it_lacks() -> None:
    made = ptxlift.lift(HEADER + simple("good") + UNTRANSLATED, "gfx942", options=SKIP)
    again: Translation = pickle.loads(pickle.dumps(made))
    assert again.code_object == made.code_object
    assert list(again.failed) == ["matrix"]


def test_pickled_errors_keep_their_text() -> None:
    with pytest.raises(PtxError) as caught:
        ptxlift.lift("nonsense", name="x.ptx")
    assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)


def test_threads_get_the_same_object() -> None:
    made = ptxlift.lift(TWO, "gfx942")
    with ThreadPoolExecutor(8) as threads:
        found = list(threads.map(lambda _: made.code_object, range(32)))
    assert len({id(code) for code in found}) == 1


# ---- options ----


@pytest.mark.parametrize(
    "wrong",
    [
        {"opt_level": 4},
        {"opt_level": "2"},
        {"wave_size": 16},
        {"warp_mapping": "half"},
        {"code_object_version": 3},
        {"on_unsupported": "ignore"},
        {"max_block": 0},
        {"max_block": 2048},
        {"max_block": "64"},
        {"isolate": "yes"},
    ],
    ids=str,
)
def test_wrong_options(wrong: dict[str, object]) -> None:
    with pytest.raises(PtxError) as caught:
        Options(**wrong)  # type: ignore[arg-type]  # that is what is tested
    assert codes(caught.value) == ["PTX307"]


@pytest.mark.parametrize("version", [4, 5, 6])
def test_code_object_versions(version: int) -> None:
    options = Options(code_object_version=version)
    code = ptxlift.lift(TWO, "gfx942", options=options).code_object
    assert code[8] == version - 2  # EI_ABIVERSION: 2 is version 4, 3 is 5, 4 is 6
