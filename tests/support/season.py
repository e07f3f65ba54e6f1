"""Tasks one after another with a memory, its operations applied as a run applies them."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any, NamedTuple

import msgspec

from cornerman.engine.context import Bench, MemoryItem
from cornerman.engine.episode import run_episode
from cornerman.memory import apply
from cornerman.records import Episode
from tests.support.play import InlineSessions, catalogue, method
from tests.support.scripted_model import ScriptedModel


class Season(NamedTuple):
    """Its episodes, and the entries before each and after the last."""

    episodes: list[Episode]
    states: list[tuple[MemoryItem, ...]]

    @property
    def texts(self) -> list[str]:
        """The words that are left at the end."""
        return [item.text for item in self.states[-1]]


def season(
    memory: dict[str, Any],
    actors: Sequence[str],
    model: ScriptedModel | None = None,
    start: tuple[MemoryItem, ...] = (),
    suite: str = "alfworldgen-smoke",
    turns: int = 60,
    task: int | None = None,
) -> Season:
    """One task for each actor (`gold` wins, `random` of few turns does not): the suite's in order, or always one."""
    registry = catalogue()
    found = registry.get("suite", suite).load()()
    states, episodes = [start], []
    for number, actor in enumerate(actors):
        made = method(registry, actor=actor, memory={"model": "m", **memory})
        bench = Bench(sessions=InlineSessions(registry), model=lambda uri: model)  # type: ignore[arg-type, return-value]
        rules = msgspec.structs.replace(found.rules, max_turns=turns if actor == "gold" else 3)
        played = found.tasks[(number if task is None else task) % len(found.tasks)]
        episode = asyncio.run(run_episode(bench, played, made, rules, 0, states[-1]))
        assert episode.error is None, episode.error
        assert episode.success == (actor == "gold")
        episodes.append(episode)
        states.append(apply(states[-1], episode.memory))
    return Season(episodes, states)


def told(episode: Episode) -> list[str]:
    """The words of experience that stood in the actor's context."""
    return [c.text for a in episode.attempts for c in a.context if c.role == "experience"]
