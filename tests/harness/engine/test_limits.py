"""Time limits and cancellation: what had been played is kept, and sessions are given back."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from tests.support import countdown
from tests.support.play import InlineSessions
from tests.support.scripted_model import ScriptedModel
from tests.support.scripts import Ring, actor, critic, executed, only, plugin, protocol, says, texts

from cornerman import AttemptSpec
from cornerman.engine.context import Limits
from cornerman.engine.episode import run_episode
from cornerman.errors import End
from cornerman.records import Episode
from cornerman.suites import Rules

SOON = 0.2
"""Seconds: of a limit that something is to run into, which then waits for ever."""
FIVE = Rules(max_turns=5)


async def forever(*given: Any) -> Any:
    await asyncio.Event().wait()


def hangs_at(k: int) -> type:
    """An actor that waits for ever at turn k."""
    return actor(lambda view: forever() if view.turn == k else "down 1")


def played(ring: Ring, **limits: float) -> Episode:
    return ring.play(bench=ring.bench(limits=Limits(**limits)))


def test_a_turn_over_its_limit_ends_the_attempt_with_what_was_played() -> None:
    episode = played(Ring(hangs_at(2), rules=FIVE, it=critic(review_turn=says("hm"))), turn_seconds=SOON)
    [attempt] = episode.attempts
    assert (episode.end, attempt.end, executed(attempt)) == (End.TIMEOUT, End.TIMEOUT, ["down 1", "down 1"])
    assert episode.error == f"turn 2 took over {SOON} s"
    assert (attempt.success, attempt.score, len(attempt.context)) == (False, 0.0, 2)


@pytest.mark.parametrize("hook", ["review_action", "review_turn"])
def test_a_critic_over_the_turns_limit(hook: str) -> None:
    episode = played(
        Ring(actor("wait"), it=critic(**{hook: forever}), quick=critic(review_turn=says("hm"))), turn_seconds=SOON
    )
    assert episode.end is End.TIMEOUT
    assert len(episode.attempts[0].turns) == (hook == "review_turn")


def test_an_episode_over_its_limit_keeps_every_attempt() -> None:
    def act(view: Any) -> Any:
        return forever() if (view.attempt, view.turn) == (2, 1) else "down 1"

    rounds = protocol([AttemptSpec()], [AttemptSpec(), AttemptSpec()])
    episode = played(Ring(actor(act), rules=FIVE, protocol=rounds), episode_seconds=1.0)
    assert (episode.end, episode.error) == (End.TIMEOUT, "the episode took over 1 s")
    assert [(a.index, a.end, len(a.turns)) for a in episode.attempts] == [
        (0, End.SUCCESS, 5),
        (1, End.SUCCESS, 5),
        (2, End.TIMEOUT, 1),
    ]
    assert (episode.success, episode.score) == (False, 0.0)


@pytest.mark.parametrize("hook", ["on_task_start", "plan_attempts", "review_attempt", "transform_observation"])
def test_an_episodes_limit_holds_outside_of_turns(hook: str) -> None:
    parts: dict[str, Any] = {"it": critic(**{hook: forever})}
    if hook == "plan_attempts":
        parts = {"protocol": plugin((), plan_attempts=forever)}
    episode = played(Ring(actor("down 2", "down 2", "down 1"), **parts), episode_seconds=0.3)
    assert episode.end is End.TIMEOUT
    assert [len(a.turns) for a in episode.attempts] == ([3] if hook == "review_attempt" else [])


def test_a_scripted_protocol_without_end_runs_into_the_limit() -> None:
    """Nothing in it ever waits, yet the limit ends it."""
    endless = plugin((), plan_attempts=lambda view: [AttemptSpec()])
    assert (
        played(Ring(actor("wait"), rules=Rules(max_turns=1), protocol=endless), episode_seconds=0.3).end is End.TIMEOUT
    )


def test_no_limit_is_zero() -> None:
    episode = played(Ring(actor("down 1")), turn_seconds=0, call_seconds=0, episode_seconds=0)
    assert episode.success


class SlowModel(ScriptedModel):
    """Never answers."""

    async def generate(self, *given: Any, **more: Any) -> Any:
        await forever()


async def asks(view: Any, *given: Any) -> Any:
    reply = await view.model.generate([], purpose="act")
    return reply.text


def test_a_call_over_its_limit_is_a_timeout_and_is_counted() -> None:
    ring = Ring(actor(asks))
    ring.table["actor"] = {"use": "scripted", "model": "slow"}
    episode = ring.play(bench=ring.bench(model=lambda uri: SlowModel(), limits=Limits(call_seconds=SOON)))
    assert (episode.end, episode.error) == (End.TIMEOUT, f"the model 'scripted' took over {SOON} s for one call")
    assert [(c.error, c.usage.calls) for c in episode.calls] == [(episode.error, 1)]


def test_a_critics_call_over_its_limit_may_leave_it_without_a_vote() -> None:
    ring = Ring(actor("wait"), rules=Rules(max_turns=2), it=(critic(review_turn=asks), {"model": "slow"}))
    bench = ring.bench(model=lambda uri: SlowModel(), limits=Limits(call_seconds=SOON))
    episode = ring.play(bench=bench, on_critic_error="continue")
    errors = [c.error for t in only(episode).turns for c in t.critiques]
    assert errors == [f"EpisodeTimeout: the model 'scripted' took over {SOON} s for one call"] * 2


def test_a_call_that_a_turns_limit_cuts_off_is_counted() -> None:
    ring = Ring(actor(asks))
    ring.table["actor"] = {"use": "scripted", "model": "slow"}
    episode = ring.play(bench=ring.bench(model=lambda uri: SlowModel(), limits=Limits(turn_seconds=SOON)))
    assert episode.end is End.TIMEOUT
    assert [(c.error, c.usage.calls, c.role) for c in episode.calls] == [("cancelled", 1, "actor")]
    assert episode.usage["actor"].calls == 1


def test_a_plug_ins_own_timeout_is_its_own_error() -> None:
    async def impatient(view: Any, turn: Any) -> Any:
        async with asyncio.timeout(SOON):
            await forever()

    episode = Ring(actor("wait"), it=critic(review_turn=impatient)).play()
    assert episode.end is End.CRITIC_ERROR
    assert str(episode.error).startswith("critic 'it' raised in review_turn")
    assert str(episode.error).endswith(": TimeoutError: ")


def test_a_cancelled_episode_is_cancelled_and_gives_its_session_back() -> None:
    opened: list[Any] = []

    class Watched(InlineSessions):
        async def open(self, task: Any, *, fork: bool = False) -> Any:
            opened.append(await super().open(task, fork=fork))
            return opened[-1]

    async def main() -> None:
        reached = asyncio.Event()

        async def act(view: Any) -> Any:
            reached.set()
            await forever()

        ring = Ring(actor(act), it=critic(review_turn=says("hm")))
        bench = ring.bench(sessions=Watched(ring.registry))
        running = asyncio.create_task(run_episode(bench, countdown.task(), ring.method(), FIVE))
        await reached.wait()
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running
        assert running.cancelled()

    asyncio.run(main())
    [session] = opened
    assert not session._open


def test_cancellation_reaches_critics_that_run_together() -> None:
    ended: list[str] = []

    def waits(name: str) -> Any:
        async def hook(view: Any, turn: Any) -> Any:
            try:
                await forever()
            finally:
                ended.append(name)

        return hook

    critics = {n: critic(review_turn=waits(n)) for n in "ab"}
    episode = played(Ring(actor("wait"), **critics), turn_seconds=SOON)
    assert (episode.end, sorted(ended)) == (End.TIMEOUT, ["a", "b"])


def test_blocking_work_leaves_the_loop_free() -> None:
    import threading

    first, second = threading.Event(), threading.Event()

    async def blocks(view: Any, turn: Any) -> Any:
        first.set()
        return await view.run_blocking(lambda: says("done")() if second.wait(10) else None)

    def unblocks(view: Any) -> str:
        if first.is_set():
            second.set()
        return "wait"

    async def main() -> tuple[Episode, Episode]:
        one = Ring(actor("wait"), rules=Rules(max_turns=1), it=critic(review_turn=blocks))
        two = Ring(actor(unblocks), rules=Rules(max_turns=50))
        return await asyncio.gather(
            *(run_episode(r.bench(), countdown.task(), r.method(), r.rules) for r in (one, two))
        )

    one, _ = asyncio.run(main())
    assert texts(only(one).turns[0].critiques) == ["done"]
