"""Running recorded episodes again: the same for every kind of method, and what differs is told in order."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest
from tests.support.command import CommandLine

from cornerman.plugins import load
from cornerman.records import Episode
from cornerman.rerunning.comparing import differing
from cornerman.rerunning.playing import Rerun, rerun, told
from cornerman.rerunning.staging import buildable, stage_of
from cornerman.store import latest, read_experiment
from cornerman.workers.pool import Pool

EXPERIMENT = """
name = "kinds"
suite = "frozenlake-smoke"
[[method]]
name = "retry"
actor = { use = "noisy-gold", p = 0.5 }
critic = [{ use = "rules" }, { use = "gold-advice", trigger = { every = 2 } }]
protocol = { use = "retry", attempts = 3 }
[[method]]
name = "remembers"
actor = { use = "noisy-gold", p = 0.5 }
memory = { use = "last-reflections", mode = "sequential" }
[[method]]
name = "shuffled"
actor = { use = "noisy-gold", p = 0.5 }
critic = [{ use = "gold-advice", wrap = { use = "placebo" } }]
"""


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run with retries, several critics, a memory and a control."""
    command = CommandLine(tmp_path_factory.mktemp("kinds"))
    (command.folder / "kinds.toml").write_text(EXPERIMENT, encoding="utf-8")
    done = command("run", "kinds.toml", "--no-validate")
    assert done.status == 0, done.err
    return command.folder / "runs" / "kinds"


def again(run: Path, change: Callable[[Episode], Episode] = lambda e: e) -> list[Rerun]:
    """Every episode of a run, changed, run again."""

    async def play() -> list[Rerun]:
        plugins, experiment, episodes = load(), read_experiment(run), latest(run)
        suite = experiment.tasks(plugins.registry)
        methods, missing = buildable(plugins, experiment, suite)
        pool = Pool(plugins, 0)
        try:
            stage, others = stage_of(plugins, run, experiment, suite, methods, episodes, pool)
            assert not missing | others
            return [r async for r in rerun(stage, map(change, episodes.values()), 4)]
        finally:
            await pool.close()

    return asyncio.run(play())


def test_every_kind_of_method_comes_to_the_same(run: Path) -> None:
    found = again(run)
    assert len(found) == 15
    assert [r.problems for r in found] == [[]] * 15


def test_what_differs_is_told_by_attempt_turn_and_field(run: Path) -> None:
    def later(episode: Episode) -> Episode:
        """Another candidate in the last turn of the last attempt."""
        attempt = episode.attempts[-1]
        turn = msgspec.structs.replace(attempt.turns[-1], candidates=())
        attempt = msgspec.structs.replace(attempt, turns=(*attempt.turns[:-1], turn))
        return msgspec.structs.replace(episode, attempts=(*episode.attempts[:-1], attempt))

    for result in again(run, later):
        attempt = result.episode.attempts[-1]
        place = f"attempt {attempt.index} turn {len(attempt.turns) - 1}: candidates"
        assert result.problems == [f"the number of {place} is 0, run again it is 1"]


def test_times_and_ids_in_another_order_are_no_difference(run: Path) -> None:
    [first, *_] = latest(run).values()
    moved: Any = msgspec.to_builtins(first)
    moved["seconds"] = 99.0
    for attempt in moved["attempts"]:
        for turn in attempt["turns"]:
            for critique in turn.get("critiques", ()):
                critique["id"] += 1000
            if "changed_by" in turn:
                turn["changed_by"] += 1000
        for item in attempt.get("context", ()):
            if "critique" in item:
                item["critique"] += 1000
        if "critique" in attempt:
            attempt["critique"] += 1000
    assert differing(first, msgspec.convert(moved, Episode)) == []


@pytest.mark.parametrize(
    ("place", "sentence"),
    [
        ("attempts[0].turns[3].executed", "attempt 0 turn 3: executed"),
        ("attempts[1].critiques[0].text", "attempt 1: critiques[0].text"),
        ("calls[4].usage.output", "call 4: usage.output"),
        ("counted", "counted"),
    ],
)
def test_places_are_told_in_words(place: str, sentence: str) -> None:
    assert told(place) == sentence
