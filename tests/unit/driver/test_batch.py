"""Many translations: outcomes in order, on any executor, whatever happens."""

from __future__ import annotations

from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context

import pytest
from driver_programs import HEADER, UNTRANSLATED, deadly, simple

import ptxlift
from ptxlift.driver import batch
from ptxlift.driver.batch import translate_all
from ptxlift.driver.options import Options
from ptxlift.driver.outcomes import Outcome, Task
from ptxlift.llvm.isolate import Worker
from ptxlift.llvm.options import Compiled, Job


def tasks() -> list[Task]:
    texts = [HEADER + simple(f"k{number}", number) for number in range(6)]
    texts[2] = "nonsense"
    return [Task((text,), (f"{number}.ptx",), ("gfx942",)) for number, text in enumerate(texts)]


def check(outcomes: list[Outcome]) -> None:
    assert [[kernel.name for kernel in outcome.kernels] for outcome in outcomes] == [
        ["k0"], ["k1"], [], ["k3"], ["k4"], ["k5"]
    ]  # fmt: skip
    assert not outcomes[2].ok
    assert [d.code for d in outcomes[2].diagnostics] == ["PTX004"]


def test_here() -> None:
    check(list(translate_all(tasks())))


def test_several_targets_of_one_program() -> None:
    targets = ("gfx942", "gfx1100", "gfx9999", "gfx1201")
    text = HEADER + simple("k")
    outcomes = list(translate_all([Task((text,), ("x",), targets)]))
    for target, outcome in zip(targets, outcomes, strict=True):
        if target == "gfx9999":
            assert [d.code for d in outcome.diagnostics] == ["PTX301"]
        else:
            assert outcome.parts["code_object"] == ptxlift.lift(text, target).code_object
    assert len({outcome.parts.get("code_object") for outcome in outcomes}) == 4


def test_in_threads() -> None:
    with ThreadPoolExecutor(3) as executor:
        check(list(translate_all(tasks(), executor)))


def test_in_processes_with_the_same_bytes() -> None:
    here = list(translate_all(tasks()))
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as executor:
        there = list(translate_all(tasks(), executor))
    check(there)
    assert [outcome.parts for outcome in there] == [outcome.parts for outcome in here]


def test_more_tasks_than_are_handed_out_at_once() -> None:
    many = [Task((HEADER,), ("x",), ("gfx942",), ("ir",))] * 150
    with ThreadPoolExecutor(1) as executor:
        assert len(list(translate_all(many, executor))) == 150


def test_skipped_kernels_are_named() -> None:
    text = HEADER + simple("good") + UNTRANSLATED
    task = Task((text,), ("x",), ("gfx942",), options=Options(on_unsupported="skip"))
    (outcome,) = translate_all([task])
    assert [kernel.name for kernel in outcome.kernels] == ["good"]
    assert list(outcome.failed) == ["matrix"]


def test_death_of_llvm_is_an_outcome(monkeypatch: pytest.MonkeyPatch) -> None:
    """The worker really dies; the tasks after it get a new one."""

    def compile_(job: Job) -> Compiled:
        return worker.run(deadly(job) if "@k1(" in job.text else job)

    worker = Worker()
    monkeypatch.setattr(batch, "_compile", compile_)
    three = [Task(task.texts, task.names, ("gfx900",)) for task in tasks() if "k" in task.texts[0]]
    outcomes = list(translate_all(three[:3]))
    worker.close()
    assert [outcome.ok for outcome in outcomes] == [True, False, True]
    (found,) = outcomes[1].diagnostics
    assert found.code == "PTX304" and "kernel k1" in found.message


def test_our_own_fault_is_an_outcome(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object, **__: object) -> None:
        raise KeyError("boom")

    monkeypatch.setattr(batch, "lift", broken)
    (outcome,) = translate_all([Task((HEADER,), ("x",), ("gfx942",))])
    assert not outcome.ok
    assert outcome.fault.startswith("KeyError: 'boom' at driver/batch.py:")


class _Broken(Executor):
    """An executor whose processes died."""

    def submit(self, *_: object, **__: object) -> Future[list[Outcome]]:  # type: ignore[override]
        raise BrokenProcessPool("gone")


def test_a_dead_process_is_an_outcome() -> None:
    outcomes = list(translate_all(tasks(), _Broken()))
    assert len(outcomes) == 6
    assert all("a worker process ended" in outcome.fault for outcome in outcomes)
