"""A summary of the columns of `episodes.parquet` is that of the lines, on runs of every shape."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pyarrow.parquet as pq
import pytest
from tests.support.recorded import TASKS, call, episode, method, wins, write_run

from cornerman import Critique, Verdict, stats
from cornerman.errors import End
from cornerman.parquet import FILE, compacted, write_parquet
from cornerman.recorded import read_run
from cornerman.records import Episode, Usage
from cornerman.store import EPISODES, iterate
from cornerman.summary import Summary, summarise
from cornerman_leaderboards.rows.boards import PUBLISHED


def asks(task: str, trial: int, answered: bool) -> Episode:
    said = Critique(id=0, critic="c", moment="answer_request", text="Go.", delivered=answered)
    return episode(task, "critic", answered, trial, critiques=[said], score=0.25 + 0.5 * answered)


def used(seconds: float, **fields: Any) -> list[Any]:
    usage = Usage(calls=1, prompt=100, cached=10, output=7, seconds=seconds, queue_seconds=seconds / 3)
    return [call("actor", usage), call("critic", msgspec.structs.replace(usage, **fields), 1)]


ALONE, CRITIC = method("alone"), method("critic")
UNREAD = Critique(id=0, critic="c", verdict=Verdict.UNPARSED, error="odd")
SHAPES: dict[str, tuple[list[Episode], dict[str, Any]]] = {
    "one trial": (wins("alone", "1010") + wins("critic", "1110"), {}),
    "nothing": ([], {"trials": 3}),
    "missing and failed": (
        [*wins("alone", "1.0."), *wins("critic", "1..."), episode("t2", "critic", end=End.TIMEOUT)],
        {},
    ),
    "played again": ([episode("t1", "alone", end=End.ENV_ERROR), *wins("alone", "1111")], {}),
    "strangers": ([episode("t9", "alone", True), episode("t1", "who", True), episode("t1", "alone", True, 7)], {}),
    "copies": ([e for i in (0, 1) for e in wins("alone", "1000", i) + wins("critic", "1100", i)], {"trials": 2}),
    "trials that differ": (
        wins("alone", "1100") + wins("alone", "0101", 1, actions=("a", "b")) + wins("critic", "1110"),
        {"trials": 2, "family": "max-t"},
    ),
    "prices": (
        [episode(t, "alone", i % 2 == 0, calls=used(0.1 * i)) for i, t in enumerate(TASKS)]
        + [episode(t, "critic", True, calls=used(1.0, taped=1)) for t in TASKS],
        {"prices": {"m": {"prompt": 0.3, "output": 1.7}}},
    ),
    "critics": ([episode(t, "critic", critiques=[UNREAD]) for t in TASKS], {}),
    "asking": ([asks(t, i, (i + len(t)) % 2 == 0) for t in TASKS for i in (0, 1, 2)], {"trials": 3}),
}


@pytest.mark.parametrize("shape", SHAPES)
def test_the_columns_give_the_summary_of_the_lines(tmp_path: Path, shape: str) -> None:
    episodes, manifest = SHAPES[shape]
    folder = write_run(tmp_path / "r", [ALONE, CRITIC], episodes, **manifest)
    lines = summarise(folder)
    write_parquet(folder)
    assert compacted(folder) == folder / FILE
    assert summarise(folder) == lines
    assert summarise(folder, compact=False) == lines


@pytest.mark.parametrize("row", sorted(PUBLISHED.glob("*/*")), ids=lambda p: p.name)
def test_real_runs_give_the_same_by_columns_and_as_it_was_published(tmp_path: Path, row: Path) -> None:
    folder = tmp_path / row.name
    folder.mkdir()
    for name in ("manifest.json", "declaration.json"):
        (folder / name).write_bytes((row / name).read_bytes())
    lines = [msgspec.json.encode(e) + b"\n" for e in iterate(row)]
    (folder / EPISODES).write_bytes(b"".join(lines[::-1]))  # in another order
    write_parquet(folder)
    assert compacted(folder) is not None
    found = summarise(folder)
    assert found == summarise(row)
    assert found == msgspec.json.decode((row / "summary.json").read_bytes(), type=Summary)


def test_counts_are_those_of_the_episodes(tmp_path: Path) -> None:
    folder = write_run(tmp_path / "r", [ALONE, CRITIC], SHAPES["trials that differ"][0], trials=2)
    arm = read_run(folder).arms[0]
    assert arm.tasks == list(TASKS)
    assert arm.figures.success.tolist() == [[True, False], [True, True], [False, False], [False, True]]
    assert arm.figures.turns.tolist() == [[1, 2]] * 4
    assert not arm.figures.repeats


def test_copies_are_those_that_the_transcripts_show(tmp_path: Path) -> None:
    for name, (episodes, manifest) in SHAPES.items():
        folder = write_run(tmp_path / name.replace(" ", "-"), [ALONE, CRITIC], episodes, **manifest)
        last = {e.key: e for e in iterate(folder)}
        for arm in read_run(folder).arms:
            trials = [[last.get((t, arm.facts.method, i)) for i in range(arm.trials)] for t in arm.tasks]
            words = [[str([(x.action, x.hash) for x in e.attempts[0].log]) if e else "" for e in row] for row in trials]
            seen = dict(zip(arm.tasks, words, strict=True))
            assert arm.figures.repeats == stats.repeats_itself(arm.outcomes, seen), name


def test_a_file_of_fewer_or_other_episodes_is_not_read(tmp_path: Path) -> None:
    folder = write_run(tmp_path / "r", [ALONE], wins("alone", "11.."))
    write_parquet(folder)
    with (folder / EPISODES).open("ab") as file:
        file.write(msgspec.json.encode(wins("alone", "..1.")[0]) + b"\n")
    assert compacted(folder) is None
    assert summarise(folder).methods[0].successes == 3
    write_parquet(folder)
    older = pq.read_table(folder / FILE).drop(["timings"])
    pq.write_table(older, folder / FILE)  # with the mark of all episodes, by a version with other columns
    assert compacted(folder) is None
    (folder / FILE).write_bytes(b"PAR1 is what this is not")
    assert summarise(folder).methods[0].successes == 3


def test_sums_are_exact_in_any_order(tmp_path: Path) -> None:
    numbers = np.random.default_rng(0).random(64).tolist()
    tasks = [f"t{i}" for i in range(64)]
    made = [
        episode(t, "alone", score=x, seconds=x * 100, calls=[call("actor", Usage(calls=1, seconds=x))])
        for t, x in zip(tasks, numbers, strict=True)
    ]
    one = summarise(write_run(tmp_path / "a", [ALONE], made, tasks=tasks)).methods[0]
    other = summarise(write_run(tmp_path / "b", [ALONE], made[::-1], tasks=tasks)).methods[0]
    assert msgspec.structs.replace(other, run="a") == one
    assert one.score == math.fsum(numbers) / 64
    assert one.tokens["actor"].seconds == math.fsum(numbers)


def test_what_stands_beside_the_rate(tmp_path: Path) -> None:
    def turn(n: int) -> tuple[str, ...]:
        return tuple("look" for _ in range(n))

    episodes = [
        episode("t1", "alone", True, 0, actions=turn(2), calls=used(3600.0)),
        episode("t1", "alone", False, 1, actions=turn(4), calls=used(1.0)),
        episode("t2", "alone", True, 0, actions=turn(1), calls=used(1.0)),
        episode("t2", "alone", True, 1, actions=turn(3), calls=used(1.0)),
    ]
    row = summarise(write_run(tmp_path / "r", [ALONE], episodes, tasks=("t1", "t2"), trials=2)).methods[0]
    [passed] = row.passes
    assert (passed.k, passed.any, passed.all) == (2, 1.0, 0.5)
    assert passed.any_ci == stats.wilson_interval(2, 2)
    assert row.successes_per["million_tokens"].value == pytest.approx(3e6 / (4 * 2 * 117))
    assert row.successes_per["hour"].value == pytest.approx(3 * 3600 / 4)
    assert set(row.successes_per) == {"million_tokens", "hour"}
    curve = row.curves["turns"]
    assert (curve.limit, curve.budgets, curve.rates) == (4.0, [1.0, 2.0, 3.0], [0.25, 0.5, 0.75])
    assert curve.area == pytest.approx((2 / 4 + 3 / 4 + 1 / 4) / 4)
    assert curve.area_ci[0] <= curve.area <= curve.area_ci[1]
    assert json.loads(msgspec.json.encode(row))["passes"][0]["k"] == 2
