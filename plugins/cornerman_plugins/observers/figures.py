"""The figures that trackers are told while a run goes on: running means by method, and the last summary."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import msgspec

from cornerman.records import Episode
from cornerman.store import SUMMARY
from cornerman.summary import Row, Summary
from cornerman.tally import interventions


class Running:
    """Running figures of a run's methods, after each of its episodes."""

    def __init__(self) -> None:
        self._sums: dict[str, dict[str, float]] = defaultdict(lambda: defaultdict(float))

    def add(self, episode: Episode) -> tuple[int, dict[str, float]]:
        """Enter an episode; answers how many of its method there are now, and the method's means by name.

        `success_rate` and `score` are in [0,1]; turns, interventions, seconds and tokens by role are per episode.
        """
        sums = self._sums[episode.method]
        sums["episodes"] += 1
        for name, value in of_episode(episode):
            sums[name] += value
        count = int(sums["episodes"])
        return count, {f"{episode.method}/{k}": v / count for k, v in sums.items() if k != "episodes"}


def of_episode(episode: Episode) -> Iterator[tuple[str, float]]:
    """An episode's figures."""
    yield "success_rate", float(episode.success)
    yield "score", episode.score
    yield "turns_per_episode", float(sum(len(a.turns) for a in episode.attempts))
    yield "interventions_per_episode", float(interventions(episode))
    yield "seconds_per_episode", episode.seconds
    for role, usage in episode.usage.items():
        yield f"tokens_per_episode/{role}", float(usage.prompt + usage.cached + usage.output)


def final(folder: Path) -> dict[str, float]:
    """The figures of a run's summary that are told when it is over, by method."""
    summary = msgspec.json.decode((folder / SUMMARY).read_bytes(), type=Summary)
    return {f"{row.method}/final/{name}": value for row in summary.methods for name, value in of_row(row)}


def of_row(row: Row) -> Iterator[tuple[str, float]]:
    """A row's rate with its interval, and the difference to the baseline where there is one."""
    yield "success_rate", row.success_rate
    yield "success_rate_low", row.ci[0]
    yield "success_rate_high", row.ci[1]
    if row.delta is not None:
        yield "difference", row.delta.difference
        yield "difference_low", row.delta.ci[0]
        yield "difference_high", row.delta.ci[1]
        yield "p_corrected", row.delta.p_holm
