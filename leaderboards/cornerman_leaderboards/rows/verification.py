"""Whether a run or a row holds what it says: its files, its figures, and every episode played and run again."""

from __future__ import annotations

import random
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from pathlib import Path

import msgspec

from cornerman.errors import UsageError
from cornerman.experiment import load_suite
from cornerman.models import Models
from cornerman.pacing import side_by_side
from cornerman.plugins import Plugins
from cornerman.recorded import read_manifest
from cornerman.records import Episode
from cornerman.replay import Replayed, replay_episode
from cornerman.rerunning.playing import Rerun, Stage, can_run, rerun_episode
from cornerman.rerunning.staging import buildable, stage_of
from cornerman.store import latest, read_experiment
from cornerman.workers.session import Sessions
from cornerman_leaderboards.rows.consistency import Episodes, configuration, declared, other_actors, record
from cornerman_leaderboards.rows.differences import figures
from cornerman_leaderboards.rows.files import files, refuse_strange
from cornerman_leaderboards.rows.finding import Finding, place
from cornerman_leaderboards.rows.likelihood import Likelihood, Scorer, scorer

NEVER = (
    "that no runs were played and thrown away beside those that are declared, nor tasks trained on beside those that "
    "are; how long anything took"
)
"""What nobody can prove from a row."""
SPOKEN = "that models said what the record says: --likelihood MODEL rescores it"


class Report(msgspec.Struct, kw_only=True):
    """What a verification came to. differ: everything that is not as it should be. unproven: what it cannot tell."""

    episodes: int = 0
    attempts: int = 0
    actions: int = 0
    reruns: int = 0
    calls: int = 0
    likelihood: Likelihood | None = None
    differ: list[Finding] = []
    unproven: list[str] = []


async def verify(
    plugins: Plugins,
    folder: Path,
    sessions: Sessions,
    at_once: int,
    limit: int | None = None,
    likelihood: str | None = None,
    step: Callable[[], None] = lambda: None,
) -> Report:
    """Check a run or a row. `limit` draws so many episodes, others each time, for what is played again.

    step: called after each episode that was played again. Raises `UsageError` for what is none, or
    cannot be read at all.
    """
    refuse_strange(folder)
    check_suite(plugins, folder)
    experiment, episodes = read_experiment(folder), latest(folder)
    suite = experiment.tasks(plugins.registry)
    methods, missing = buildable(plugins, experiment, suite)
    report = Report(episodes=len(episodes))
    report.differ += files(folder)
    report.differ += configuration(plugins, folder, experiment, suite, methods)
    report.differ += record(folder, suite, methods, episodes)
    report.differ += declared(folder, suite)
    report.differ += figures(folder)
    stage, others = stage_of(plugins, folder, experiment, suite, methods, episodes, sessions)
    models = Models(plugins.registry)
    try:
        scoring = None if likelihood is None else scorer(likelihood, models(likelihood))
        drawn = draw(episodes, limit)
        async for replayed, again in side_by_side((one(stage, e) for e in drawn), at_once):
            enter(report, replayed, again)
            if again is not None and scoring is not None:
                report.differ += [Finding(where, problem) async for where, problem in scored(scoring, again)]
            step()
    finally:
        await models.aclose()
    if scoring is not None:
        report.likelihood = scoring.found
        report.differ += [Finding(scoring.uri, problem) for problem in scoring.overall()]
    report.unproven = unproven(report, len(drawn), missing | others)
    if renewed := other_actors(folder, plugins, methods):
        report.unproven.append(
            f"the actor digest of {', '.join(renewed)}: the actor has other options here than it had in the run"
        )
    return report


def draw(episodes: Episodes, limit: int | None) -> list[Episode]:
    """All episodes, or some drawn by chance, in the order of the record."""
    every = list(episodes.values())
    if limit is None or limit >= len(every):
        return every
    return [every[i] for i in sorted(random.SystemRandom().sample(range(len(every)), limit))]


async def one(stage: Stage, episode: Episode) -> tuple[list[Replayed], Rerun | None]:
    """An episode's actions played again; then the whole of it run again, where it can be."""
    replayed = await replay_episode(stage.sessions, episode)
    possible = episode.method in stage.methods and can_run(episode)
    return replayed, await rerun_episode(stage, episode) if possible else None


def enter(report: Report, replayed: Sequence[Replayed], again: Rerun | None) -> None:
    """Enter what playing an episode again has come to."""
    for result in replayed:
        report.attempts += result.attempt >= 0
        report.actions += result.turns
        if result.problem:
            where = "/".join(map(str, (result.task, result.method, result.trial)))
            at = f"attempt {result.attempt} turn {result.turn}: " if result.attempt >= 0 else ""
            report.differ.append(Finding(where, at + result.problem))
    if again is not None:
        report.reruns += 1
        report.calls += len(again.asked)
        report.differ += [Finding(place(again.episode), problem) for problem in again.problems]


async def scored(scoring: Scorer, again: Rerun) -> AsyncIterator[tuple[str, str]]:
    """What rescoring an episode's calls finds."""
    async for call, problem in scoring.score(again):
        yield place(again.episode), f"call {call.id} ({call.plugin}): {problem}"


def unproven(report: Report, drawn: int, missing: Mapping[str, str]) -> list[str]:
    """What this verification has not shown, in phrases."""
    out = [NEVER]
    if report.likelihood is None:
        out += [SPOKEN] if report.calls or not report.reruns else []
    elif report.likelihood.aside:
        out.append(f"what {report.likelihood.aside} calls of other checkpoints, or without token ids, say")
    if drawn < report.episodes:
        out.append(f"anything of {report.episodes - drawn} episodes that were not drawn but their sums")
    if report.reruns < drawn:
        out.append(
            f"in {drawn - report.reruns} episodes that could not be run again: that the method whose name they bear "
            "played them, and what its critics said"
        )
    return out + [f"how {name} played: {reason}" for name, reason in sorted(missing.items())]


def check_suite(plugins: Plugins, folder: Path) -> None:
    """Raise where the suite is not known here, before anything is played."""
    name = read_manifest(folder).suite.name
    try:
        load_suite(plugins.registry, name.partition("[:")[0])
    except UsageError as error:
        raise UsageError(f"{folder} cannot be verified here: {error}") from error
