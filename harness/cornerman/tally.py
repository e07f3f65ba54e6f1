"""What a summary keeps of an episode: a few numbers, of which the columns of `cornerman.columns` are made."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

from cornerman.errors import End
from cornerman.records import Critique, Episode, Usage, Verdict


@dataclass(frozen=True)
class Tally:
    """One episode in numbers.

    played: digest of the actions and what answered them, which tells trials that repeat each other from independent
    ones. calls: the usage of every model call, by role and model. out_of_budget: its budget ended it. critic_errors:
    critiques that failed. unparsed: verdicts that were owed and could not be read. answered: how often the actor asked
    and was given words.
    """

    success: bool
    score: float
    end: End
    played: str
    turns: int
    interventions: int
    out_of_budget: bool
    critic_errors: int
    unparsed: int
    answered: int
    calls: dict[tuple[str, str], list[Usage]]
    seconds: float


def tally(episode: Episode) -> Tally:
    """An episode in numbers."""
    said = critiques(episode)
    calls: dict[tuple[str, str], list[Usage]] = {}
    for call in episode.calls:
        calls.setdefault((call.role, call.model), []).append(call.usage)
    return Tally(
        success=episode.success,
        score=episode.score,
        end=episode.end,
        played=played(episode),
        turns=sum(len(a.turns) for a in episode.attempts),
        interventions=interventions(episode),
        out_of_budget=episode.out_of_budget,
        critic_errors=sum(c.error is not None for c in said),
        unparsed=sum(c.verdict is Verdict.UNPARSED for c in said),
        answered=sum(c.delivered and c.moment == "answer_request" for c in said),
        calls=calls,
        seconds=episode.seconds,
    )


def critiques(episode: Episode) -> list[Critique]:
    """Every critique of an episode: those of its turns and those at its attempts' ends."""
    return [c for a in episode.attempts for c in (*(c for t in a.turns for c in t.critiques), *a.critiques)]


def interventions(episode: Episode) -> int:
    """How many critiques entered the actor's context or changed the executed action; one that did both counts once.

    Words at an attempt's end reach the actor only when a later attempt carries them.
    """
    turns = [t for a in episode.attempts for t in a.turns]
    delivered = {c.id for t in turns for c in t.critiques if c.delivered}
    changed = {t.changed_by for t in turns if t.changed_by is not None}
    at_ends = {c.id for a in episode.attempts for c in a.critiques if c.delivered}
    carried = {item.critique for a in episode.attempts for item in a.context} | {a.critique for a in episode.attempts}
    return len(delivered | changed | (at_ends & carried))


def played(episode: Episode) -> str:
    """SHA-256 of the action logs of all attempts."""
    text = "|".join(";".join(f"{x.action}={x.hash}" for x in a.log) for a in episode.attempts)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
