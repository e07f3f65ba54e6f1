"""Critics of one moment run at the same time and never see each other's critiques of it."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from tests.support.scripts import Ring, actor, critic, only, play, texts

from cornerman import Critique


class Meeting:
    """Async critics that all wait until the last of `n` has been asked; they can only end if they run concurrently."""

    def __init__(self, n: int) -> None:
        self.n, self.arrived, self.saw = n, 0, []  # type: ignore[var-annotated]
        self.everyone: asyncio.Event | None = None

    def member(self, label: str, delay: int) -> Any:
        """A hook that waits for the others, and then `delay` more rounds of the loop."""

        async def speak(view: Any, *subject: Any) -> Critique:
            self.everyone = self.everyone or asyncio.Event()
            self.arrived += 1
            if self.arrived == self.n:
                self.everyone.set()
            await self.everyone.wait()
            for _ in range(delay):
                await asyncio.sleep(0)
            self.saw.append((label, texts(view.context), [texts(t.critiques) for t in view.history]))
            return Critique(text=f"from {label}")

        return speak


@pytest.mark.parametrize("moment", ["review_action", "review_turn", "review_attempt"])
@pytest.mark.parametrize("delays", [(9, 0, 4), (0, 4, 9), (4, 9, 0)])
def test_they_run_concurrently_and_are_delivered_in_method_order(moment: str, delays: tuple[int, ...]) -> None:
    meeting = Meeting(3)
    hooks = {label: meeting.member(label, delay) for label, delay in zip("abc", delays, strict=True)}
    agent = actor("down 2", "down 2", "down 1")
    critics = {label: (critic(**{moment: hook}), {"budget": 1}) for label, hook in hooks.items()}
    attempt = only(play(agent, critics=critics))
    finished = [label for label, *_ in meeting.saw]
    assert finished == sorted("abc", key=lambda label: delays["abc".index(label)])
    for _, context, history in meeting.saw:
        assert context == []
        assert [h for h in history if h] == []
    critiques = attempt.critiques if moment == "review_attempt" else attempt.turns[0].critiques
    assert texts(critiques) == ["from a", "from b", "from c"]
    assert [c.id for c in critiques] == [0, 1, 2]
    if moment != "review_attempt":
        assert texts(attempt.context) == ["from a", "from b", "from c"]


def test_sync_and_async_critics_mix() -> None:
    seen: list[list[str]] = []

    async def slow(view: Any, turn: Any) -> Critique:
        await asyncio.sleep(0)
        seen.append(texts(view.context))
        return Critique(text="slow")

    def fast(view: Any, turn: Any) -> Critique:
        seen.append(texts(view.context))
        return Critique(text="fast")

    attempt = only(
        play(
            actor("down 2", "down 2", "down 1"), critics={"a": critic(review_turn=slow), "b": critic(review_turn=fast)}
        )
    )
    assert texts(attempt.turns[0].critiques) == ["slow", "fast"]
    assert seen[:4] == [[], [], ["slow", "fast"], ["slow", "fast"]]


def test_each_critic_has_its_own_time() -> None:
    """The time of a critic is not that of the slowest one."""

    async def slow(view: Any, turn: Any) -> Critique:
        await asyncio.sleep(0.2)
        return Critique(text="slow")

    critics = {"slow": (critic(review_turn=slow), {"budget": 1}), "fast": critic(review_turn=Critique(text="fast"))}
    slow_one, fast_one = only(play(actor("down 2", "down 2", "down 1"), critics=critics)).turns[0].critiques
    assert fast_one.seconds < slow_one.seconds / 2


def test_one_failing_does_not_keep_the_others_from_speaking() -> None:
    async def broken(view: Any, turn: Any) -> Critique:
        raise RuntimeError("boom")

    async def fine(view: Any, turn: Any) -> Critique:
        await asyncio.sleep(0)
        return Critique(text="fine")

    critics = {"broken": critic(review_turn=broken), "fine": critic(review_turn=fine)}
    attempt = only(play(actor("down 2", "down 2", "down 1"), critics=critics, on_critic_error="continue"))
    assert [(c.critic, c.error is None) for c in attempt.turns[0].critiques] == [("broken", False), ("fine", True)]


def test_episodes_of_scripted_plug_ins_take_turns() -> None:
    """Nothing in them ever waits; still no episode holds the loop from its start to its end."""
    order: list[str] = []

    def named(name: str) -> Ring:
        def act(view: Any) -> str:
            order.append(name)
            return "down 1"

        return Ring(actor(act))

    async def both() -> None:
        from tests.support import countdown

        from cornerman.engine.episode import run_episode

        one, two = named("one"), named("two")
        await asyncio.gather(*(run_episode(r.bench(), countdown.task(), r.method(), r.rules) for r in (one, two)))

    asyncio.run(both())
    assert order[:4] == ["one", "two", "one", "two"]
