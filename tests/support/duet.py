"""A shipped task played by an actor with a scripted model and a critic with another one."""

from __future__ import annotations

from typing import Any

import msgspec

from cornerman.records import Episode, Turn
from tests.support.play import catalogue, play
from tests.support.scripted_model import ScriptedModel

REACT = {"use": "llm-react", "model": "actor"}


def duet(
    critic: dict[str, Any],
    actor: ScriptedModel,
    judge: ScriptedModel | None = None,
    *,
    suite: str = "frozenlake-smoke",
    turns: int = 1,
    trial: int = 0,
    by: dict[str, Any] | None = None,
    plugins: dict[str, Any] | None = None,
    **protocol: Any,
) -> Episode:
    """The first task of a suite, `turns` turns of it. by: the actor's settings, a ReAct actor where none are given."""
    registry = catalogue(**(plugins or {}))
    found = registry.get("suite", suite).load()()
    models = {"actor": actor, "critic": judge}
    return play(
        registry,
        found.tasks[0],
        rules=msgspec.structs.replace(found.rules, max_turns=turns),
        trial=trial,
        model=models.__getitem__,
        actor=by or REACT,
        critic=[{"model": "critic", **critic}],
        protocol={"use": "single", **protocol},
    )


def turns_of(episode: Episode) -> tuple[Turn, ...]:
    """The turns of an episode of one attempt that ended without an error."""
    assert episode.error is None, episode.error
    [attempt] = episode.attempts
    return attempt.turns


def purposes(episode: Episode) -> list[tuple[str, str]]:
    """Role and purpose of every call, in order."""
    return [(c.role, c.purpose) for c in episode.calls]
