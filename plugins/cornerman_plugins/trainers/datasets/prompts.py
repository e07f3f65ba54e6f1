"""Recorded turns rendered again as an actor's prompts: with the critics' words, or as if they had not been said."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple, cast

from cornerman.asking.walk import Walk
from cornerman.engine.context import Bench, Scope
from cornerman.engine.fork import round_of
from cornerman.engine.instance import Instance, build
from cornerman.engine.restoring import states_at
from cornerman.engine.view import View
from cornerman.errors import UsageError, did_you_mean
from cornerman.records import Critique, Episode, Message, Turn
from cornerman.registry import Registry
from cornerman.store import read_experiment
from cornerman.suites import Rules
from cornerman_plugins.trainers.datasets.answers import KeepAttempt, decided, given, said, solved
from cornerman_plugins.trainers.datasets.rows import Example, source


class Rendered(NamedTuple):
    """A turn, and the prompt of its decision."""

    turn: Turn
    prompt: tuple[Message, ...]


def actor_of(registry: Registry, run: Path, method: str) -> Instance:
    """The actor of a method of a run, as its experiment has it."""
    methods = {m.name: m for m in read_experiment(run).method}
    if method not in methods:
        raise UsageError(f"{run} has no method '{method}'; {did_you_mean(method, methods)}")
    return build(registry, "actor", methods[method].actor)


async def render(
    episode: Episode, attempt: int, actor: Instance, rules: Rules, *, without: Sequence[Critique] | None = None
) -> list[Rendered]:
    """The prompts of an attempt's own turns, from the record alone: no environment is played and no model asked.

    without: critiques whose words are left out, by `view.without`; None leaves nothing out. Words of a memory stay.
    `rules` are those that the run was played by (`cornerman.recorded.read_manifest` has them in full).

    Raises `UsageError` for an actor without `render(view)`.
    """
    rendering = getattr(actor.plugin, "render", None)
    if rendering is None:
        raise UsageError(f"actor '{actor.label}' has no render(view), so its prompts cannot be made again")
    recorded = episode.attempts[attempt]
    nothing = cast("Any", None)  # neither sessions nor models are reached for while a prompt is rendered
    scope = Scope(
        bench=Bench(sessions=nothing, model=nothing, seed=episode.seed),
        task=episode.task,
        rules=rules,
        trial=episode.trial,
        attempts=[a for a in episode.attempts if round_of(a) < round_of(recorded)],
    )
    walk = Walk(scope, episode.attempts, attempt, None)
    await walk.begin()
    own = {turn.index for turn in recorded.turns}
    found = []
    for turn in walk.turns:
        branch = walk.decision(turn.index)
        branch.restore_states(states_at(episode.attempts, attempt, walk.turns[: turn.index]))
        if turn.index in own:
            view = cast("View", actor.view(branch))
            found.append(Rendered(turn, tuple(rendering(view if without is None else view.without(without)))))
        await walk.outcome(turn.index)
    return found


async def unguided(
    episodes: Iterable[Episode], actor: Instance, rules: Rules, keep: KeepAttempt = solved
) -> list[Example]:
    """What the actor decided, in prompts without any critique: context distillation.

    ERL (arXiv 2602.13949) distils second attempts so, with the reflection removed; R3L (arXiv 2601.03715) stores its
    retries without the guidance; ECHO's refined attempts become training data for the unaided policy. Which attempts is
    said by `keep`.
    """
    return [
        example
        for episode in episodes
        for attempt in episode.attempts
        if keep(episode, attempt)
        for example in await examples(episode, attempt.index, actor, rules, without=every_critique(episode))
    ]


async def examples(
    episode: Episode,
    attempt: int,
    actor: Instance,
    rules: Rules,
    *,
    without: Sequence[Critique] | None = None,
    first: int = 0,
) -> list[Example]:
    """What the actor decided from turn `first` on, in prompts that are rendered again; see `render`."""
    calls = {call.id: call for call in episode.calls}
    made = []
    for turn, prompt in await render(episode, attempt, actor, rules, without=without):
        answer = decided(turn)
        if answer is None or turn.index < first:
            continue
        completion = None if answer.call is None else given(calls.get(answer.call), said(answer))
        made.append(
            Example(
                role="actor",
                prompt=prompt,
                completion=said(answer),
                source=source(episode, attempt, turn.index),
                completion_ids=None if completion is None else completion.ids,
            )
        )
    return made


def every_critique(episode: Episode) -> list[Critique]:
    """All critiques of an episode."""
    return [c for a in episode.attempts for c in [*(c for t in a.turns for c in t.critiques), *a.critiques]]
