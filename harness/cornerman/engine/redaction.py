"""Recorded turns and attempts as a plug-in may see them: what its information set leaves out is absent."""

from __future__ import annotations

from typing import Any

import msgspec

from cornerman.engine.merging import heeded
from cornerman.records import Attempt, Candidate, Critique, Episode, Record, Task, Turn


class Shows(Record, frozen=True, kw_only=True):
    """Which parts of recorded turns a plug-in sees.

    `critic` is the label whose own critiques are seen even when they were not delivered; with `unheard` those of all
    critics are that are not in shadow, as a protocol needs to choose among attempts.
    """

    admissible: bool
    score: bool
    logprobs: bool
    critic: str | None = None
    unheard: bool = False


def redact_candidates(candidates: tuple[Candidate, ...], shows: Shows) -> tuple[Candidate, ...]:
    """The candidates, without log-probabilities and entropies where these are not seen."""
    if shows.logprobs or all(c.logprob is None and c.entropy is None for c in candidates):
        return candidates
    return tuple(msgspec.structs.replace(c, logprob=None, entropy=None) for c in candidates)


def _critiques(critiques: tuple[Critique, ...], shows: Shows) -> tuple[Critique, ...]:
    """Critiques without the traces of a control: what it is, and what the critic had said before it."""
    seen = [c for c in critiques if (shows.unheard and heeded(c)) or c.delivered or c.critic == shows.critic]
    return tuple(c if c.wrapped is None else msgspec.structs.replace(c, wrapped=None, original=None) for c in seen)


def redact(turn: Turn, shows: Shows) -> Turn:
    """The turn without what the information set does not include; never with plug-in states or the user's own side.

    What the agent hears of its user stands in the observation; a user's tool calls and their results are its own.
    """
    changes: dict[str, Any] = {"user": ()} if turn.user else {}
    if not shows.admissible and turn.admissible_actions is not None:
        changes |= {"admissible_actions": None, "admissible": None}
    if not shows.score:
        changes |= {"reward": None, "score": None}
    if turn.state:
        changes["state"] = {}
    for name in ("candidates", "revisions"):
        kept = redact_candidates(getattr(turn, name), shows)
        if kept is not getattr(turn, name):
            changes[name] = kept
    if turn.critiques:
        changes["critiques"] = _critiques(turn.critiques, shows)
    return msgspec.structs.replace(turn, **changes) if changes else turn


def redact_attempt(attempt: Attempt, shows: Shows) -> Attempt:
    """The attempt without what the information set does not include; outcome fields are None without `score`."""
    outcome: dict[str, Any] = {} if shows.score else {"success": None, "score": None, "end": None}
    return msgspec.structs.replace(
        attempt,
        path="",
        opening_user=(),
        opening_replies=(),
        log=tuple(msgspec.structs.replace(e, replies=()) for e in attempt.log),
        turns=tuple(redact(t, shows) for t in attempt.turns),
        critiques=_critiques(attempt.critiques, shows),
        opening_state={},
        state={},
        error=None,
        **outcome,
    )


def redact_episode(episode: Episode, shows: Shows) -> Episode:
    """The episode as a memory may see it: of its task the family alone, and no seeds and calls.

    Without `score` its success, score, end and counted attempt are those of an episode of which nothing is known.
    """
    outcome = ("counted", "success", "score", "end", "error") if shows.score else ()
    return Episode(
        task=Task(env="", id="", family=episode.task.family),
        method=episode.method,
        trial=0,
        seed=0,
        attempts=tuple(redact_attempt(a, shows) for a in episode.attempts),
        counted_rule=episode.counted_rule,
        usage=episode.usage,
        **{name: getattr(episode, name) for name in outcome},
    )
