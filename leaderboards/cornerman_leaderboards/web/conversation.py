"""An episode as a page reads it: attempts, turns, and in each turn blocks in the order in which things happened.

Nothing here makes HTML; `templates/conversation.html` does, for the viewer and for the site alike. The page needs no
script.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Literal

from cornerman.errors import POLICY
from cornerman.narration import Event, events, spoken, words_at
from cornerman.records import Attempt, Candidate, ContextItem, Critique, Episode, Moment, Turn, Usage
from cornerman_leaderboards.web.played import Played
from cornerman_leaderboards.web.texts import Texts

MOMENTS: dict[Moment, str] = {
    "on_task_start": "before the task",
    "transform_observation": "on the observation",
    "review_action": "before the action",
    "answer_request": "on request",
    "review_turn": "after the turn",
    "review_attempt": "at the attempt's end",
}
FEW = 6
"""Candidates that are shown at once; more are a click away."""


def chance(logprob: float) -> float:
    """The probability of a log-probability, which a record may hold any number as."""
    return math.exp(min(0.0, logprob))


GLOBALS = {"moments": MOMENTS, "few": FEW, "ends": POLICY, "chance": chance}
"""What `templates/conversation.html` takes from its environment."""


@dataclass(frozen=True)
class Offer:
    """A candidate with the critiques that are no more than a verdict or score on it; `taken`: it was executed."""

    number: int
    candidate: Candidate
    taken: bool
    chips: Sequence[Critique]


@dataclass(frozen=True)
class Block:
    """One thing to read.

    `offers` of a list of candidates, or the one of an action that is done as it was offered; `cause` the critique by
    which an action is another than the actor's, `instead` of which one; `played` what forks showed of a critique;
    `number` the candidate that something is about, where there are several.
    """

    kind: Literal["words", "offers", "request", "critique", "revision", "action", "nothing", "user", "observation"]
    about: object = None
    offers: Sequence[Offer] = ()
    cause: Critique | None = None
    instead: str | None = None
    played: Sequence[Played] = ()
    number: int | None = None


@dataclass(frozen=True)
class TurnShown:
    """A turn and its blocks. `usage` is what its calls used, by role; `played` forks of silence."""

    turn: Turn
    anchor: str
    blocks: Sequence[Block]
    usage: dict[str, Usage]
    played: Sequence[Played] = ()

    @property
    def interventions(self) -> list[Critique]:
        """The critiques of the turn that entered the actor's context or changed the action."""
        return [c for c in self.turn.critiques if c.delivered or c.id == self.turn.changed_by]


@dataclass(frozen=True)
class AttemptShown:
    """An attempt; `words` came in after its last turn, `closing` are the critiques at its end."""

    attempt: Attempt
    anchor: str
    turns: Sequence[TurnShown]
    closing: Sequence[Block]
    counted: bool


@dataclass(frozen=True)
class Branch:
    """An attempt in the tree of attempts, with those that started from it, and the critique that it started with."""

    shown: AttemptShown
    critique: Critique | None
    children: list[Branch] = field(default_factory=list)


@dataclass(frozen=True)
class Conversation:
    """An episode to read. `number` is its number in its run."""

    episode: Episode
    number: int
    attempts: Sequence[AttemptShown]
    tree: Sequence[Branch]
    said: dict[int, Critique]


@dataclass(frozen=True)
class Page:
    """What a page shows a conversation with: its texts, and where its links lead, if it has a server to ask.

    call: the address of a model call by its id. edit: where the words of a critique can be changed and played.
    """

    texts: Texts = field(default_factory=Texts)
    call: Callable[[int], str] | None = None
    edit: Callable[[Critique], str | None] | None = None


def conversation(episode: Episode, number: int, played: Sequence[Played] = ()) -> Conversation:
    """An episode with what its forks showed."""
    said = {i: c for a in episode.attempts for i, c in spoken(a).items()}
    attempts = [_attempt(episode, a, said, played) for a in episode.attempts]
    return Conversation(episode, number, attempts, _tree(attempts, said), said)


def _attempt(episode: Episode, attempt: Attempt, said: dict[int, Critique], played: Sequence[Played]) -> AttemptShown:
    here = [p for p in played if p.place.attempt == attempt.index]
    return AttemptShown(
        attempt=attempt,
        anchor=f"a{attempt.index}",
        turns=[_turn(episode, attempt, t, said, here) for t in attempt.turns],
        closing=[Block("critique", c, played=_of(played, c)) for c in attempt.critiques],
        counted=episode.counted == attempt.index,
    )


def _of(played: Sequence[Played], critique: Critique) -> list[Played]:
    return [p for p in played if p.place.spoke and critique.id in p.place.critiques[:1]]


def _turn(
    episode: Episode, attempt: Attempt, turn: Turn, said: dict[int, Critique], played: Sequence[Played]
) -> TurnShown:
    words = [_words(item, said) for item in words_at(attempt, turn.index)]
    silent = [p for p in played if not p.place.spoke and _index(p) == turn.index]
    usage: dict[str, Usage] = {}
    calls = set(turn.calls)
    for call in episode.calls:
        if call.id in calls:
            usage[call.role] = usage.get(call.role, Usage()) + call.usage
    return TurnShown(turn, f"a{attempt.index}t{turn.index}", [*words, *_blocks(turn, said, played)], usage, silent)


def _words(item: ContextItem, said: dict[int, Critique]) -> Block:
    return Block("words", item, cause=None if item.critique is None else said.get(item.critique))


def _index(played: Played) -> int:
    """The turn that a forked moment belongs to; a moment after a turn begins with the next one."""
    return played.place.turn if played.place.moment == "review_action" else played.place.turn - 1


def _blocks(turn: Turn, said: dict[int, Critique], played: Sequence[Played]) -> list[Block]:
    """The blocks of a turn. One candidate that is done as it is needs no list: what it is stands with the action."""
    chips = [c for c in turn.critiques if is_chip(c, turn)]
    taken = taken_of(turn)
    offers = [Offer(i, c, i == taken, [q for q in chips if q.candidate == i]) for i, c in enumerate(turn.candidates)]
    alone = len(offers) == 1 and taken == 0 and all(c in chips for c in turn.critiques if c.moment == "review_action")
    blocks = [] if alone or not offers else [Block("offers", turn, offers=offers)]
    for event in events(turn):
        if event.kind != "candidate" and event.about not in chips and not _plain(event, turn):
            blocks.append(_block(event, turn, said, played))
    return [dataclasses.replace(b, offers=offers) if alone and b.kind == "action" else b for b in blocks]


def _plain(event: Event, turn: Turn) -> bool:
    """Whether a revision says no more than the action that follows from it."""
    revision = event.about
    return isinstance(revision, Candidate) and (revision.text, revision.thought, revision.parsed) == (
        turn.executed,
        None,
        True,
    )


def _block(event: Event, turn: Turn, said: dict[int, Critique], played: Sequence[Played]) -> Block:
    if isinstance(event.about, Critique):
        several = len(turn.candidates) + len(turn.revisions) > 1
        number = event.about.candidate if several else None
        return Block("critique", event.about, played=_of(played, event.about), number=number)
    cause = None if turn.changed_by is None else said.get(turn.changed_by)
    if event.kind in ("action", "nothing") and cause is not None:
        own = turn.candidates[0].text if turn.candidates else None
        return Block(event.kind, turn, cause=cause, instead=own if own != turn.executed else None)
    assert event.kind != "candidate"
    return Block(event.kind, event.about)


def taken_of(turn: Turn) -> int | None:
    """The candidate that was executed as it was offered."""
    if turn.executed is None:
        return None
    if turn.chosen is not None and turn.chosen < len(turn.candidates):
        return turn.chosen if turn.candidates[turn.chosen].text == turn.executed else None
    return next((i for i, c in enumerate(turn.candidates) if c.text == turn.executed), None)


def is_chip(critique: Critique, turn: Turn) -> bool:
    """Whether a critique is no more than a verdict or score on a candidate: it stands beside it and needs no card."""
    return (
        critique.moment == "review_action"
        and critique.candidate is not None
        and critique.candidate < len(turn.candidates)
        and not (critique.text.strip() or critique.suggestion or critique.error or critique.delivered)
    )


def _tree(attempts: Sequence[AttemptShown], said: dict[int, Critique]) -> list[Branch]:
    """Attempts below those that they started from or after."""
    branches: dict[int, Branch] = {}
    roots: list[Branch] = []
    for shown in attempts:
        attempt = shown.attempt
        branch = Branch(shown, None if attempt.critique is None else said.get(attempt.critique))
        branches[attempt.index] = branch
        parent = attempt.parent if attempt.parent is not None else attempt.start.attempt
        above = None if parent is None else branches.get(parent)
        (roots if above is None or above is branch else above.children).append(branch)
    return roots
