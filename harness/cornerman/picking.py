"""Finding episodes of a run by what a person types: a number, or TASK[/METHOD[/TRIAL]]."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from cornerman.errors import UsageError, did_you_mean
from cornerman.records import Attempt, Episode
from cornerman.store import EPISODES, EXPERIMENT, latest


class Numbered(NamedTuple):
    """An episode with its number in the run: the place, from 1, at which it was first recorded. It never changes."""

    number: int
    episode: Episode

    @property
    def name(self) -> str:
        """TASK/METHOD/TRIAL."""
        return full_name(self.episode)


def full_name(episode: Episode) -> str:
    """TASK/METHOD/TRIAL."""
    return f"{episode.task.id}/{episode.method}/{episode.trial}"


def numbered(folder: Path) -> list[Numbered]:
    """Every episode of a run. What is no run folder, or holds none, is one sentence."""
    if not (folder / EXPERIMENT).is_file() and not (folder / EPISODES).is_file():
        raise UsageError(f"{folder} is no run folder: it has no {EXPERIMENT}")
    found = [Numbered(i, episode) for i, episode in enumerate(latest(folder).values(), 1)]
    if not found:
        raise UsageError(f"{folder} holds no episode")
    return found


def matching(found: Sequence[Numbered], text: str, folder: Path) -> list[Numbered]:
    """The episodes that a text names; a number counts as one where no task is called so. None is one sentence."""
    chosen = [n for n in found if n.name == text or n.name.startswith(text + "/")]
    if chosen:
        return chosen
    if text.isdecimal():
        chosen = [n for n in found if str(n.number) == text]
        if not chosen:
            raise UsageError(f"{folder} has {len(found)} episodes to choose from, none of the number {text}")
        return chosen
    near = did_you_mean(text, {n.name for n in found} | {n.episode.task.id for n in found})
    raise UsageError(f"{folder} has no episode '{text}'; {near}")


def one(folder: Path, text: str) -> Numbered:
    """The one episode that a text names; several are answered with their numbers."""
    chosen = matching(numbered(folder), text, folder)
    if len(chosen) > 1:
        some = ", ".join(f"{n.number} ({n.episode.method}, trial {n.episode.trial})" for n in chosen[:6])
        more = ", …" if len(chosen) > 6 else ""
        raise UsageError(f"'{text}' names {len(chosen)} episodes of {folder}; choose one by its number: {some}{more}")
    return chosen[0]


def attempt_of(episode: Episode, index: int | None) -> Attempt:
    """An attempt by its index, by default the one that counts, or the last where none does."""
    if not episode.attempts:
        raise UsageError(f"episode {full_name(episode)} has no attempt: {episode.error or episode.end}")
    if index is None:
        index = len(episode.attempts) - 1 if episode.counted is None else episode.counted
    if not 0 <= index < len(episode.attempts):
        raise UsageError(
            f"episode {full_name(episode)} has {len(episode.attempts)} attempts, counted from 0; there is no {index}"
        )
    return episode.attempts[index]
