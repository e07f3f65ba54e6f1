"""The order in which episodes are played, and what becomes of one that cannot be recorded."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from tests.support import countdown
from tests.support.countdown_plugin import Diary
from tests.support.play import InlineSessions, catalogue, no_model

import cornerman
from cornerman import Critique
from cornerman.engine.context import Bench
from cornerman.engine.method import Method, build_method, method_settings
from cornerman.errors import End
from cornerman.experiment import parse
from cornerman.observers import Observers
from cornerman.records import Attempt, Call, Completion, Episode, Usage
from cornerman.registry import Registry
from cornerman.rollout import Rollout, after, plan, recordable
from cornerman.store import Writer, latest
from cornerman.suites import Rules, Suite

SUITE = Suite(name="s", tasks=tuple(countdown.task(n) for n in range(3, 9)), rules=Rules(max_turns=20))
EXPERIMENT = parse('suite = "s"\n[[method]]\nactor = "gold"', "n", "here")


class Begun:
    """Plays gold and notes the order in which episodes begin, and how many are under way."""

    sees = ("gold",)

    def __init__(self, order: list[str], pause: float = 0.0) -> None:
        self.order, self.pause = order, pause
        self.now = self.most = 0

    @cornerman.hookimpl
    async def act(self, view: Any) -> str:
        if view.turn == 0:
            self.order.append(view.opening.split()[-1].rstrip("."))
            self.now += 1
            self.most = max(self.most, self.now)
        await asyncio.sleep(self.pause)
        gold = await view.gold()
        if len(gold) == 1:
            self.now -= 1
        return str(gold[0])


def methods(registry: Registry, *tables: dict[str, Any]) -> list[Method]:
    """Methods of some tables."""
    return [build_method(registry, method_settings(t, "method")) for t in tables]


def roll(folder: Path, registry: Registry, made: list[Method], episodes: int, trials: int = 1) -> bool:
    """Play all."""

    async def run() -> bool:
        writer = Writer(folder, EXPERIMENT)
        todo = plan("n", folder, SUITE, made, trials)
        bench = Bench(sessions=InlineSessions(registry), model=no_model)
        rollout = Rollout(todo, bench, writer, episodes=episodes, observers=Observers([], print))
        try:
            return await rollout.run()
        finally:
            writer.close()

    return asyncio.run(run())


def test_trials_before_tasks_before_methods(tmp_path: Path) -> None:
    order: list[str] = []
    registry = catalogue(actor_a=lambda: Begun(order), actor_b=lambda: Begun(order))
    made = methods(registry, {"actor": "a"}, {"actor": "b"})
    assert roll(tmp_path, registry, made, 1, trials=2)
    assert order == [str(n) for _ in range(2) for n in range(3, 9) for _ in made]
    assert len(latest(tmp_path)) == 24


def test_a_task_that_waits_for_a_memory_lets_others_go_first(tmp_path: Path) -> None:
    slow, quick = Begun([], 0.005), Begun([], 0.005)
    registry = catalogue(actor_slow=lambda: slow, actor_quick=lambda: quick, memory_diary=Diary)
    made = methods(registry, {"actor": "slow", "memory": "diary"}, {"actor": "quick"})
    assert roll(tmp_path, registry, made, 4)
    assert slow.order == [str(n) for n in range(3, 9)]  # one after another
    assert slow.most == 1
    assert quick.most == 3  # while the others of four go on


def test_a_resumed_plan_holds_what_is_missing_or_ended_in_an_error(tmp_path: Path) -> None:
    registry = catalogue()
    made = methods(registry, {"actor": "gold"})
    assert roll(tmp_path, registry, made, 2)
    writer = Writer(tmp_path, EXPERIMENT)
    ends = {3: End.CANCELLED, 4: End.SUCCESS, 5: End.TRUNCATED, 6: End.TIMEOUT, 7: End.STOPPED, 8: End.CRITIC_ERROR}
    for n, end in ends.items():
        episode = Episode(task=countdown.task(n), method="gold", trial=0, seed=0, end=end)
        writer.append(recordable(episode)[1])
    writer.close()
    todo = plan("n", tmp_path, SUITE, made, 1)
    assert [slot.task.id for slot in todo.open] == ["from-3", "from-6", "from-8"]
    assert todo.requested == 6


def call(ident: int, text: str = "x") -> Call:
    """A call with words."""
    usage = Usage(calls=1, prompt=5, output=2)
    done = (Completion(text=text),)
    return Call(
        id=ident, role="actor", plugin="p", purpose="", kind="generate", model="m", completions=done, usage=usage
    )


def test_a_failed_try_is_paid_for_and_keeps_no_words() -> None:
    task = countdown.task()
    failed = Episode(task=task, method="m", trial=0, seed=0, calls=(call(0), call(1)), tries=2, end=End.ENV_ERROR)
    again = Episode(task=task, method="m", trial=0, seed=0, calls=(call(3),), end=End.SUCCESS, success=True)
    both = after(failed, again)
    assert (both.tries, both.end, both.success) == (3, End.SUCCESS, True)
    assert [c.id for c in both.calls] == [3, 4, 5]
    assert [c.completions for c in both.calls] == [again.calls[0].completions, (), ()]
    assert both.usage["actor"] == Usage(calls=3, prompt=15, output=6)


@pytest.mark.parametrize(
    ("fields", "end"),
    [
        ({"attempts": (Attempt(index=0, path="0", critiques=(Critique(text=3),)),)}, End.CRITIC_ERROR),  # type: ignore[arg-type]
        ({"calls": (call(0, text=None),)}, End.MODEL_ERROR),  # type: ignore[arg-type]
        ({"attempts": (Attempt(index=0, path="0", opening="\ud800"),)}, End.ACTOR_ERROR),
    ],
)
def test_an_episode_that_cannot_be_recorded_is_recorded_as_an_error(fields: dict[str, Any], end: End) -> None:
    made = Episode(task=countdown.task(), method="m", trial=0, seed=0, success=True, score=1.0, tries=2, **fields)
    episode, line = recordable(made)
    assert (episode.end, episode.success, episode.score, episode.tries) == (end, False, 0.0, 2)
    assert "the episode cannot be recorded: " in str(episode.error)
    assert line.endswith(b"\n")
