"""`--dask` on a local cluster: the same bytes as without."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from command import EXAMPLES, SAXPY, ptxlift, refused

distributed = pytest.importorskip("distributed")


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    with distributed.LocalCluster(
        n_workers=1, threads_per_worker=2, processes=False, dashboard_address=None
    ) as made:
        yield made


def test_a_cluster_gives_the_same_bytes(cluster: Any, tmp_path: Path) -> None:
    for number in range(3):
        (tmp_path / f"k{number}.ptx").write_text(SAXPY.read_text().replace("saxpy", f"k{number}"))
    words = ("lift", tmp_path, "-t", "gfx942,gfx1100", "--no-cache", "-o")
    there = ptxlift(*words, tmp_path / "there", "--dask", cluster.scheduler_address)
    here = ptxlift(*words, tmp_path / "here")
    assert there.status == here.status == 0
    files = {path.name: path.read_bytes() for path in (tmp_path / "here").iterdir()}
    assert files == {path.name: path.read_bytes() for path in (tmp_path / "there").iterdir()}
    assert len(files) == 6


def test_bad_input_on_a_cluster(cluster: Any, tmp_path: Path) -> None:
    (tmp_path / "bad.ptx").write_text("nonsense")
    ended = refused(ptxlift("lift", tmp_path / "bad.ptx", "--dask", cluster.scheduler_address))
    assert ended.codes() == ["PTX004"]


def test_no_scheduler_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ptxlift.cli.batch._PATIENCE", 0.2)
    ended = refused(ptxlift("lift", EXAMPLES / "ptx", "--dask", "tcp://127.0.0.1:1"))
    assert ended.codes() == ["PTX307"] and "no Dask scheduler" in ended.errors
