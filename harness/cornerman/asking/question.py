"""A question to a critic about a run: which critic, which moment, and what is at hand to answer it with."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping
from pathlib import Path

import msgspec

from cornerman.asking.beside import beside
from cornerman.asking.moments import Said
from cornerman.asking.visit import place, visit
from cornerman.asking.walk import Walk, critiques_of
from cornerman.capabilities import check_instance
from cornerman.controls import supply
from cornerman.engine.context import Bench, Limits, Scope
from cornerman.engine.fork import round_of
from cornerman.engine.instance import PRIVILEGED, build
from cornerman.engine.settings import PluginSettings, parse_plugin
from cornerman.errors import NotReproducible, UsageError
from cornerman.models import Models
from cornerman.picking import attempt_of, full_name, one
from cornerman.plugins import Plugins
from cornerman.recorded import read_manifest
from cornerman.records import Episode
from cornerman.store import EXPERIMENT, MANIFEST, read_experiment
from cornerman.suites import Rules
from cornerman.workers.pool import Pool


class Question(msgspec.Struct, frozen=True, kw_only=True):
    """Which critic is asked about which moment of which episode.

    critic: as after --critic, or the label of one in the run. turn: the index of a turn, or "end". attempt: by default
    the one that counts. replay: play the environment up to the moment where it is at hand. rehearse: ask the critic at
    every moment before, so that its state is what it would be; by default where it calls no model.
    """

    run: Path
    critic: str
    episode: str
    turn: str
    attempt: int | None = None
    models: Mapping[str, str] = {}
    replay: bool = True
    rehearse: bool | None = None


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    """What the critic said at every moment of the turn that it has a hook for, and what that rests on.

    source: "replay" where the environment was played up to the moment and every observation checked, "record" where
    all is read. state: whose state the critic had: "recorded", "rehearsed" or "empty". remarks: what differs from a
    run, in sentences.
    """

    run: str
    number: int
    episode: str
    attempt: int
    turn: int | None
    critic: str
    sees: list[str]
    privileged: bool
    source: str
    state: str
    said: list[Said]
    remarks: list[str] = []


async def answer(plugins: Plugins, question: Question) -> Answer:
    """Ask. Raises `UsageError` for a moment or critic that there is not, and for one that cannot be asked here."""
    chosen = one(question.run, question.episode)
    episode = chosen.episode
    attempt = attempt_of(episode, question.attempt)
    settings, models_of = settings_of(question, episode)
    critic = build(plugins.registry, "critic", settings, models_of.get(settings.name) or models_of.get("critic"))
    supply(critic)
    remarks: list[str] = []
    models = Models(plugins.registry)
    pool = Pool(plugins, 1, reset_seconds=math.inf, step_seconds=math.inf)
    try:
        check_instance(critic, models)
        bench = Bench(sessions=pool, model=models, seed=episode.seed, limits=Limits(turn_seconds=0, episode_seconds=0))
        scope = Scope(
            bench=bench,
            task=episode.task,
            rules=rules_of(question.run, remarks),
            trial=episode.trial,
            attempts=[a for a in episode.attempts if round_of(a) < round_of(attempt)],
            call_ids=itertools.count(1 + max((c.id for c in episode.calls), default=-1)),
            critique_ids=itertools.count(1 + max(critiques_of(episode.attempts), default=-1)),
        )
        async with beside(plugins, pool, episode.task, critic, question.replay, remarks) as session:
            walk = Walk(scope, episode.attempts, attempt.index, session)
            state, said = await visit(walk, critic, place(question.turn, walk), question.rehearse, remarks)
    except NotReproducible as error:
        raise UsageError(f"{error}; --no-replay asks from the record alone") from error
    finally:
        await pool.close()
        await models.aclose()
    return Answer(
        run=str(question.run),
        number=chosen.number,
        episode=full_name(episode),
        attempt=attempt.index,
        turn=place(question.turn, walk),
        critic=critic.label,
        sees=sorted(critic.sees),
        privileged=bool(PRIVILEGED & (critic.sees | critic.uses)),
        source="record" if session is None else "replay",
        state=state,
        said=said,
        remarks=remarks,
    )


def settings_of(question: Question, episode: Episode) -> tuple[PluginSettings, Mapping[str, str]]:
    """The critic's settings, those of the run where it has one of that label, and model URIs by role or label."""
    models: dict[str, str] = {}
    found: list[PluginSettings] = []
    if (question.run / EXPERIMENT).is_file():
        experiment = read_experiment(question.run)
        models = dict(experiment.models)
        method = next((m for m in experiment.method if m.name == episode.method), None)
        found = [c for m in ([method] if method else []) for c in m.critic if c.name == question.critic]
    return found[0] if found else parse_plugin(question.critic, "CRITIC"), models | dict(question.models)


def rules_of(run: Path, remarks: list[str]) -> Rules:
    """The rules that the run was played by."""
    if not (run / MANIFEST).is_file():
        remarks.append("The run has no manifest: the suite's rules are taken at their defaults.")
        return Rules()
    try:
        return msgspec.convert(read_manifest(run).suite.rules_in_full, Rules)
    except msgspec.ValidationError as error:
        raise UsageError(f"{run / MANIFEST}: the suite's rules cannot be read: {error}") from error
