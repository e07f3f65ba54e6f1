"""Asking critics on the items of a set: one candidate at a time, as the engine asks, whatever their triggers say."""

from __future__ import annotations

import asyncio
import contextlib
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Literal

import msgspec

from cornerman.asking.moments import Said, ask
from cornerman.capabilities import check_instance
from cornerman.controls import supply
from cornerman.engine.calls import usage_by_role
from cornerman.engine.context import Bench, Limits, Scope
from cornerman.engine.instance import Instance, build
from cornerman.engine.merging import mean_score
from cornerman.engine.redaction import redact_candidates
from cornerman.engine.settings import parse_plugin
from cornerman.errors import EpisodeError, UsageError
from cornerman.models import Models
from cornerman.plugins import Plugins
from cornerman.records import Candidate, Record, Usage, Verdict
from cornerman.runner import AT_ONCE
from cornerman.staticset.items import Item, StaticSet
from cornerman.staticset.restoring import restore
from cornerman.suites import Rules
from cornerman.workers.pool import Pool
from cornerman.workers.session import Sessions

Outcome = Literal["allowed", "sent back", "unparsed", "failed"]
"""allowed: the candidate would be executed, since the critic passed it or said nothing that counts. sent back: it asked
for another, blocked or stopped. unparsed: a verdict was owed and could not be read. failed: the critic raised."""


class Answer(Record, frozen=True, kw_only=True):
    """What one critic made of one item. `silent`: it gave no verdict, and so allowed. `seconds` are the critic's."""

    item: int
    outcome: Outcome
    silent: bool = False
    score: float | None = None
    suggestion: str | None = None
    usage: Usage = Usage()
    seconds: float = 0.0
    error: str | None = None


def critics_of(plugins: Plugins, texts: Sequence[str], models: Mapping[str, str]) -> list[Instance]:
    """The critics to ask, built and checked. Raises `UsageError` for one that never judges a candidate."""
    found: list[Instance] = []
    for text in texts:
        settings = parse_plugin(text, "--critic")
        critic = build(plugins.registry, "critic", settings, models.get(settings.name) or models.get("critic"))
        if not critic.has("review_action"):
            raise UsageError(
                f"critic '{critic.label}' judges no candidate: it speaks in {', '.join(critic.hooks)}, and a static "
                "set asks review_action"
            )
        if critic.label in {c.label for c in found}:
            raise UsageError(f"two critics are called '{critic.label}'; name one, as in --critic other={text}")
        supply(critic)
        found.append(critic)
    return found


async def ask_all(
    plugins: Plugins,
    static: StaticSet,
    critics: Sequence[Instance],
    workers: int,
    step: Callable[[], None],
    at_once: int | None = None,
) -> dict[str, list[Answer]]:
    """Every critic's answers by its label, in the order of the items. `step` is told of every answer.

    at_once: candidates asked side by side, by default eight, but no more than there are environments for.

    Raises `UsageError` when a state cannot be restored: the set was made with another environment.
    """
    pool, models = Pool(plugins, workers), Models(plugins.registry)
    try:
        rules = msgspec.convert(static.header.rules, Rules)
        for critic in critics:
            check_instance(critic, models)
        bench = Bench(
            sessions=pool, model=models, seed=static.header.seed, limits=Limits(turn_seconds=0, episode_seconds=0)
        )
        envs = {item.task.env for item in static.items}
        light = all(plugins.registry.get("environment", env).load().light for env in envs)
        gate = asyncio.Semaphore(at_once or (AT_ONCE if light or not workers else min(AT_ONCE, workers)))

        async def one(critic: Instance, item: Item) -> Answer:
            async with gate:
                answer = await ask_one(bench, pool, rules, critic, item)
            step()
            return answer

        async with asyncio.TaskGroup() as group:
            asked = {c.label: [group.create_task(one(c, item)) for item in static.items] for c in critics}
        return {label: [task.result() for task in tasks] for label, tasks in asked.items()}
    except ExceptionGroup as several:
        raise first_of(several) from several
    except msgspec.ValidationError as error:
        raise UsageError(f"the set's rules are none of this version: {error}") from error
    finally:
        await pool.close()
        await models.aclose()


def first_of(group: ExceptionGroup[Exception]) -> Exception:
    """The first exception of a group."""
    found = group.exceptions[0]
    return first_of(found) if isinstance(found, ExceptionGroup) else found


async def ask_one(bench: Bench, sessions: Sessions, rules: Rules, critic: Instance, item: Item) -> Answer:
    """Restore the state of an item and ask one critic there."""
    try:
        session = await sessions.open(item.task)
        try:
            scope = Scope(bench=bench, task=item.task, rules=rules, trial=item.trial)
            branch = await restore(scope, session, item)
            offered = (Candidate(text=item.candidate),)
            arguments = {"view": critic.view(branch), "candidates": redact_candidates(offered, critic.shows)}
            said = await ask(branch, critic, "review_action", arguments, offered, always=True)
        finally:
            with contextlib.suppress(EpisodeError):
                await session.close()
    except EpisodeError as error:
        raise UsageError(f"the state of item {item.id} cannot be restored: {error}") from error
    assert said is not None  # `always`
    return read(item, said)


def read(item: Item, said: Said) -> Answer:
    """What a critic's critiques come to on the one candidate, as in a review by this critic alone."""
    critiques = [c for c in said.critiques if c.error is None]
    verdicts = [c.verdict for c in critiques if c.verdict is not None]
    outcome: Outcome = "allowed"
    if said.error is not None or len(critiques) < len(said.critiques):
        outcome = "failed"
    elif verdicts and all(v is Verdict.UNPARSED for v in verdicts):
        outcome = "unparsed"
    elif said.verdict is not Verdict.PASS:
        outcome = "sent back"
    score = mean_score(critiques)
    judged = outcome in ("allowed", "sent back")
    return Answer(
        item=item.id,
        outcome=outcome,
        silent=outcome == "allowed" and not verdicts,
        score=score if judged and score is not None and math.isfinite(score) else None,
        suggestion=next((c.suggestion for c in critiques if c.suggestion), None),
        usage=usage_by_role(said.calls).get("critic", Usage()),
        seconds=said.seconds,
        error=said.error,
    )
