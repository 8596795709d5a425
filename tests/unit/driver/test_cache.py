"""The cache gives back what was made, or nothing: for other inputs, damage, and other processes."""

from __future__ import annotations

import os
import random
import time
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from dataclasses import fields, replace
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import pytest
from driver_programs import HEADER, UNTRANSLATED, simple

import ptxlift
from ptxlift.diag import Diagnostic
from ptxlift.driver import batch, cache
from ptxlift.driver.batch import translate, translate_all
from ptxlift.driver.cache import Cache, key, size_of
from ptxlift.driver.options import Options
from ptxlift.driver.outcomes import Outcome, Task

TARGET = "gfx942"


def task(text: str = HEADER + simple("k"), **more: Any) -> Task:
    return replace(Task((text,), ("a.ptx",), (TARGET,), ("llvm_ir",)), **more)


def once(folder: Path, given: Task) -> Outcome:
    (outcome,) = translate_all([given], cache=Cache(folder))
    return outcome


def entries(folder: Path) -> list[Path]:
    return sorted(folder.glob("*/*.entry"))


def same(first: Outcome, second: Outcome) -> bool:
    """Equal in everything, with diagnostics as a person sees them."""

    def shown(outcome: Outcome) -> object:
        failed = {n: [d.render() for d in found] for n, found in outcome.failed.items()}
        rendered = [d.render() for d in outcome.diagnostics]
        return outcome.parts, outcome.kernels, failed, rendered, outcome.fault

    return shown(first) == shown(second)


@pytest.mark.parametrize(
    "given",
    [
        task(parts=("code_object", "asm", "llvm_ir")),
        task(HEADER + simple("good") + UNTRANSLATED, options=Options(on_unsupported="skip")),
        task(HEADER + simple("good") + UNTRANSLATED),
        task("nonsense"),
        task("\ufeff" + HEADER.replace("\n", "\r\n") + "add.u33;\0"),
        task(HEADER + simple("k") + "é"),
    ],
    ids=["code", "skipped", "refused", "no header", "odd text", "not ASCII"],
)
def test_what_comes_back_is_what_was_made(tmp_path: Path, given: Task) -> None:
    first, second = once(tmp_path, given), once(tmp_path, given)
    assert not first.cached and second.cached
    assert same(first, second)


def test_texts_as_bytes(tmp_path: Path) -> None:
    given = replace(task(), texts=(b"\xef\xbb\xbf" + HEADER.encode() + b"addd;",))
    first, second = once(tmp_path, given), once(tmp_path, given)
    assert second.cached and same(first, second) and not first.ok


def test_binary_input_is_looked_at_again(tmp_path: Path) -> None:
    given = replace(task(), texts=(bytes(range(256)),))
    assert same(once(tmp_path, given), once(tmp_path, given))


def test_only_what_is_missing_is_done(tmp_path: Path) -> None:
    once(tmp_path, task())
    two = replace(task(), targets=("gfx1100", TARGET))
    outcomes = list(translate_all([two], cache=Cache(tmp_path)))
    assert [outcome.cached for outcome in outcomes] == [False, True]
    for outcome, target in zip(outcomes, two.targets, strict=True):
        assert outcome.parts["llvm_ir"] == ptxlift.lift(two.texts[0], target).llvm_ir


_OTHER_VALUES: dict[str, Any] = {
    "opt_level": 1, "wave_size": 64, "warp_mapping": "split", "code_object_version": 6,
    "on_unsupported": "skip", "isolate": True, "matrix": "native", "max_block": 256,
    "stack_bytes": 4096, "heap_bytes": 4096, "link": (b"BC",), "externs": {"f": "g"},
}  # fmt: skip


def test_everything_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    base = task()
    others = [
        replace(base, texts=(base.texts[0] + "\n",)),
        replace(base, texts=(base.texts[0].encode(),)),  # type: ignore[union-attr]
        replace(base, texts=(base.texts[0], ""), names=("a.ptx", "b.ptx")),
        replace(base, parts=("asm",)),
        replace(base, parts=("asm",), names=("b.ptx",)),
        replace(base, kernels=("k",)),
    ]
    for option in fields(Options):
        value = _OTHER_VALUES.get(option.name)
        if value is None and isinstance(option.default, bool):
            value = not option.default
        assert value is not None, option.name
        others.append(replace(base, options=replace(Options(), **{option.name: value})))
    keys = {key(other, TARGET) for other in others} | {key(base, TARGET), key(base, "gfx1100")}
    assert len(keys) == len(others) + 2
    monkeypatch.setattr(cache, "fingerprint", lambda: b"another version")
    assert key(base, TARGET) not in keys


def test_names_count_where_they_show(tmp_path: Path) -> None:
    base = replace(task(), parts=("code_object",))
    other = replace(base, names=("elsewhere/b.ptx",))
    assert key(base, TARGET) == key(other, TARGET)
    shown = replace(base, options=replace(Options(), debug_lines=True))
    assert key(shown, TARGET) != key(replace(shown, names=other.names), TARGET)
    (one,), (two,) = (translate(each, None) for each in (base, other))
    assert one.parts == two.parts


def test_a_place_is_told_by_todays_name(tmp_path: Path) -> None:
    text = ".version 8.0\n.target sm_80\n.address_size 64\n.entry k() { nothing.u32 %r1; ret; }\n"
    folder = cache.Cache(tmp_path)
    first = replace(task(), texts=(text,), names=("a.ptx",), parts=("code_object",))
    translate(first, folder)
    found = folder.get(replace(first, names=("b.ptx",)), TARGET)
    assert found is not None
    spans = [each.span for each in found.diagnostics]
    assert spans
    assert all(span is not None and span.source.name == "b.ptx" for span in spans)


def test_the_fingerprint_is_of_the_code(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = cache.fingerprint.__wrapped__()
    (tmp_path / "driver").mkdir()
    (tmp_path / "driver" / "cache.py").write_text("")
    monkeypatch.setattr(cache, "__file__", str(tmp_path / "driver" / "cache.py"))
    empty = cache.fingerprint.__wrapped__()
    (tmp_path / "new.py").write_text("x = 1\n")
    assert len({before, empty, cache.fingerprint.__wrapped__()}) == 3


def test_damaged_entries_are_not_believed(tmp_path: Path) -> None:
    given = task(HEADER + simple("good") + UNTRANSLATED, options=Options(on_unsupported="skip"))
    first = once(tmp_path, given)
    (path,) = entries(tmp_path)
    whole = path.read_bytes()
    source = random.Random(3)
    damaged = [whole[:size] for size in (0, 1, 15, 16, 47, 48, 49, len(whole) // 2, len(whole) - 1)]
    damaged += [whole + b"x", b"\0" * len(whole)]
    for _ in range(40):
        at = source.randrange(len(whole))
        damaged.append(whole[:at] + bytes([whole[at] ^ 1 << source.randrange(8)]) + whole[at + 1 :])
    for data in damaged:
        path.write_bytes(data)
        assert Cache(tmp_path).get(given, TARGET) is None
        assert Cache(tmp_path).verify() == [path]
    again = once(tmp_path, given)
    assert not again.cached and same(first, again)
    assert path.read_bytes() == whole and not Cache(tmp_path).verify()


@pytest.mark.parametrize(
    "outcome",
    [
        Outcome(fault="KeyError"),
        Outcome(diagnostics=(Diagnostic("PTX304", "LLVM died; perhaps memory ran out"),)),
    ],
)
def test_accidents_are_not_kept(tmp_path: Path, outcome: Outcome) -> None:
    Cache(tmp_path).put(task(), TARGET, outcome)
    assert not entries(tmp_path)


def test_a_folder_that_cannot_be_used_is_no_error(tmp_path: Path) -> None:
    root = tmp_path / "file"
    root.write_text("in the way")
    assert once(root, task()).ok and root.read_text() == "in the way"


def test_the_least_recently_used_go_first(tmp_path: Path) -> None:
    given = [task(HEADER + simple(f"k{number}")) for number in range(8)]
    store = Cache(tmp_path)
    list(translate_all(given, cache=store))
    for age, one in enumerate(given):
        os.utime(store._path(one, TARGET), (1e9 - age, 1e9 - age))
    assert store.get(given[7], TARGET) is not None  # used just now, though the oldest
    count, size = store.total()
    assert count == 8
    store.limit = size * 5 // 8
    assert store.trim() == 4
    left = [n for n, one in enumerate(given) if store._path(one, TARGET).exists()]
    assert left == [0, 1, 2, 7]
    assert store.total()[1] <= store.limit and store.trim() == 0


def test_what_a_dead_writer_left_goes(tmp_path: Path) -> None:
    once(tmp_path, task())
    folder = entries(tmp_path)[0].parent
    dead, alive = folder / "old.part", folder / "new.part"
    dead.write_bytes(b"half")
    alive.write_bytes(b"half")
    os.utime(dead, (time.time() - 7200,) * 2)
    Cache(tmp_path).trim()
    assert not dead.exists() and alive.exists()
    assert Cache(tmp_path).clear() == 1 and not entries(tmp_path)


def _many(folder: str) -> list[bool]:
    """A process that reads, writes and trims at once with another."""
    given = [task(HEADER + simple(f"k{number}")) for number in range(8)]
    store = Cache(Path(folder), limit=4000)
    ok = []
    for _ in range(3):
        for one, outcome in zip(given, translate_all(given, cache=store), strict=True):
            ok.append(outcome.parts["llvm_ir"] == ptxlift.lift(one.texts[0], TARGET).llvm_ir)
        store.trim()
    return ok


def test_two_processes_at_once(tmp_path: Path) -> None:
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as executor:
        for results in executor.map(_many, [str(tmp_path)] * 2):
            assert len(results) == 24 and all(results)
    assert not Cache(tmp_path).verify() and not list(tmp_path.glob("*/*.part"))


def test_threads_have_llvm_workers_of_their_own(tmp_path: Path) -> None:
    """One pipe used by two threads at once would mix their code up."""
    given = [task(HEADER + simple(f"k{n}", n), parts=("code_object",)) for n in range(8)]
    alone = [outcome.parts for outcome in translate_all(given)]
    with ThreadPoolExecutor(4) as executor:
        assert [outcome.parts for outcome in translate_all(given, executor)] == alone
        workers = set(executor.map(lambda _: id(batch.warm_worker()), range(32)))
    assert id(batch.warm_worker()) not in workers


@pytest.mark.parametrize(
    ("text", "size"), [("0", 0), ("1000", 1000), ("2k", 2048), ("3 M", None), ("1GB", 1 << 30)]
)
def test_sizes(text: str, size: int | None) -> None:
    if size is None:
        with pytest.raises(ptxlift.PtxError, match="no size of a cache"):
            size_of(text)
    else:
        assert size_of(text) == size


def test_where_the_cache_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("PTXLIFT_CACHE_DIR", "PTXLIFT_CACHE_SIZE", "LOCALAPPDATA", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    assert cache.default_root() == tmp_path / ".cache" / "ptxlift"
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "x"))
    assert cache.default_root() == tmp_path / "x" / "ptxlift"
    monkeypatch.setenv("PTXLIFT_CACHE_DIR", str(tmp_path / "y"))
    assert cache.default_root() == tmp_path / "y"
    monkeypatch.setenv("PTXLIFT_CACHE_SIZE", "5M")
    found = Cache.default()
    assert found is not None and (found.root, found.limit) == (tmp_path / "y", 5 << 20)
    monkeypatch.setenv("PTXLIFT_CACHE_SIZE", "0")
    assert Cache.default() is None
