"""Arms that share a tape: what a method's actor asks as the baseline's did is answered from the baseline's record."""

from __future__ import annotations

import asyncio
import itertools
from pathlib import Path
from typing import Any

import pytest
from tests.support import countdown
from tests.support.play import InlineSessions, catalogue
from tests.support.scripted_model import ScriptedModel

import cornerman
from cornerman import Critique
from cornerman.columns import numbers
from cornerman.engine.context import Bench
from cornerman.engine.method import build_method, method_settings
from cornerman.errors import UsageError
from cornerman.experiment import parse
from cornerman.observers import Observers
from cornerman.records import Episode, Message
from cornerman.rollout import Rollout, plan
from cornerman.store import Writer, latest
from cornerman.suites import Rules, Suite

TRIALS = 2
SUITE = Suite(name="s", tasks=(countdown.task(9), countdown.task(8)), rules=Rules(max_turns=6))
EXPERIMENT = parse('suite = "s"\n[[method]]\nactor = "gold"', "n", "here")


class Asks:
    """Says what its model says, having shown it all that was delivered."""

    sees = ("history",)

    @cornerman.hookimpl
    async def act(self, view: Any) -> str:
        told = " ".join([view.observation, *(c.text for c in view.context)])
        reply = await view.model.generate([Message(role="user", content=told)], purpose="act", temperature=1.0)
        return str(reply.text)


class Late:
    """Speaks after the third turn, once."""

    @cornerman.hookimpl
    def review_turn(self, view: Any) -> Critique | None:
        return Critique(text="take one") if view.turn == 3 else None


class Meddler:
    """Changes what the actor sees before it ever speaks."""

    @cornerman.hookimpl
    def transform_observation(self, observation: str) -> str:
        return observation + " (so they say)"


def fickle() -> ScriptedModel:
    """Never answers the same question alike, whatever its seed."""
    count = itertools.count()
    return ScriptedModel(lambda messages: f"answer {next(count)}")


def run(folder: Path, lends: bool, *critics: Any, actor: str = "asks", episodes: int = 4) -> dict[Any, Episode]:
    """Play the actor alone and with critics, the arm that shares standing before the one that lends."""
    registry = catalogue(actor_asks=Asks, actor_again=Asks, critic_late=Late, critic_meddler=Meddler)
    cornered = {"name": "cornered", "actor": {"use": actor, "model": "m"}, "critic": list(critics)}
    alone = {"name": "alone", "actor": {"use": "asks", "model": "m"}}
    made = [build_method(registry, method_settings(t, "method")) for t in (cornered, alone)]
    model = fickle()

    async def roll() -> None:
        writer = Writer(folder, EXPERIMENT)
        bench = Bench(sessions=InlineSessions(registry), model=lambda uri: model)
        todo = plan("n", folder, SUITE, made, TRIALS)
        lender = made[1] if lends else None
        rollout = Rollout(todo, bench, writer, episodes=episodes, observers=Observers([], print), lender=lender)
        assert await rollout.run()
        writer.close()

    asyncio.run(roll())
    return latest(folder)


def actions(episode: Episode) -> list[str | None]:
    return [t.executed for t in episode.attempts[0].turns]


def pairs(found: dict[Any, Episode]) -> list[tuple[Episode, Episode]]:
    return [
        (found[t.id, "alone", trial], found[t.id, "cornered", trial]) for t in SUITE.tasks for trial in range(TRIALS)
    ]


@pytest.mark.parametrize("episodes", [1, 4])
def test_arms_agree_until_the_first_delivery_and_pay_for_it(tmp_path: Path, episodes: int) -> None:
    for alone, cornered in pairs(run(tmp_path, True, "late", episodes=episodes)):
        assert actions(alone)[:3] == actions(cornered)[:3]
        assert not set(actions(alone)[3:]) & set(actions(cornered)[3:])
        assert [c.usage.taped for c in cornered.calls] == [1, 1, 1, 0, 0, 0]
        assert not any(c.usage.taped for c in alone.calls)
        taped, made = cornered.calls[0], alone.calls[0]
        assert (taped.usage.output, taped.messages, taped.completions) == (
            made.usage.output,
            made.messages,
            made.completions,
        )
        assert taped.usage.seconds == 0.0
        assert cornered.usage["actor"].taped == 3


def test_trials_share_nothing(tmp_path: Path) -> None:
    found = run(tmp_path, True, "late")
    for task in SUITE.tasks:
        assert not set(actions(found[task.id, "alone", 0])) & set(actions(found[task.id, "alone", 1]))


def test_without_the_setting_nothing_is_shared(tmp_path: Path) -> None:
    for alone, cornered in pairs(run(tmp_path, False, "late")):
        assert not set(actions(alone)) & set(actions(cornered))


def test_a_critic_that_changes_something_before_it_speaks_shares_nothing(tmp_path: Path) -> None:
    for alone, cornered in pairs(run(tmp_path, True, "meddler")):
        assert not set(actions(alone)) & set(actions(cornered))
        assert not cornered.usage["actor"].taped


def test_another_actor_reads_no_tape(tmp_path: Path) -> None:
    for alone, cornered in pairs(run(tmp_path, True, "late", actor="again")):
        assert not set(actions(alone)) & set(actions(cornered))


def test_a_resumed_run_reads_the_tapes_that_are_there(tmp_path: Path) -> None:
    whole = run(tmp_path, True, "late")
    lines = (tmp_path / "episodes.jsonl").read_bytes().splitlines(keepends=True)
    kept = [line for line in lines if b'"method":"alone"' in line]
    assert len(kept) == 4
    (tmp_path / "episodes.jsonl").write_bytes(b"".join(kept))
    again = run(tmp_path, True, "late")
    for (alone, cornered), (before, _) in zip(pairs(again), pairs(whole), strict=True):
        assert alone == before
        assert actions(alone)[:3] == actions(cornered)[:3]


def test_calls_that_were_not_made_took_no_time(tmp_path: Path) -> None:
    _, cornered = pairs(run(tmp_path, True, "late"))[0]
    timed = numbers(cornered)["timings"]
    assert len(cornered.calls) > 3
    assert [t["seconds"] for t in timed] == [c.usage.seconds for c in cornered.calls[3:]]


def test_the_experiment_asks_for_it_by_name() -> None:
    assert EXPERIMENT.tape == "own"
    assert parse('suite = "s"\ntape = "shared"\n[[method]]\nactor = "gold"', "n", "here").tape == "shared"
    with pytest.raises(UsageError, match="tape"):
        parse('suite = "s"\ntape = "shred"\n[[method]]\nactor = "gold"', "n", "here")
