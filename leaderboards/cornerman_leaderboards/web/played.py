"""What forks showed of an episode: what happened with the words, without them, and with as many that say nothing."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from cornerman.records import Episode
from cornerman.worth.arms import Arm
from cornerman.worth.drawing import key
from cornerman.worth.forks import Forked
from cornerman.worth.places import Place

SHOWN: dict[Arm, str] = {
    "words": "with these words",
    "placebo": "with as many that say nothing",
    "silence": "without them",
    "placebo-on": "nothing said from here on",
    "silence-on": "silent from here on",
}
SILENT: dict[Arm, str] = {"words": "had it spoken", "placebo": "with words that say nothing", "silence": "silent"}
"""The same where the critic stayed silent and was made to speak."""


@dataclass(frozen=True)
class ArmPlayed:
    """The forks of one arm at one moment, by sample."""

    label: str
    successes: Sequence[bool]

    @property
    def won(self) -> int:
        """How many of them succeeded."""
        return sum(self.successes)


@dataclass(frozen=True)
class Played:
    """All forks of one moment."""

    place: Place
    arms: Sequence[ArmPlayed]


def played(episode: Episode, forks: Iterable[Forked]) -> list[Played]:
    """The moments of an episode that were forked. `forks` may be those of a whole run."""
    places: dict[tuple[object, ...], Place] = {}
    won: dict[tuple[object, ...], dict[Arm, dict[int, bool]]] = {}
    for fork in forks:
        place = fork.place
        if (place.task, place.trial, fork.method) == (episode.task.id, episode.trial, episode.method):
            at = key(place)
            places[at] = place
            won.setdefault(at, {}).setdefault(fork.arm, {})[fork.sample] = fork.success
    return [Played(place, arms(place, won[at])) for at, place in places.items()]


def arms(place: Place, won: dict[Arm, dict[int, bool]]) -> list[ArmPlayed]:
    """The arms of one moment, in their order."""
    labels = SHOWN if place.spoke else SILENT
    return [ArmPlayed(label, [won[arm][i] for i in sorted(won[arm])]) for arm, label in labels.items() if arm in won]
