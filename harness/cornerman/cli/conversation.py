"""An episode as a conversation to read: what the actor saw and did, and what critics said of it, in order."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from cornerman.errors import POLICY
from cornerman.narration import Event, events, spoken, words_at
from cornerman.picking import full_name
from cornerman.records import Attempt, Candidate, ContextItem, Critique, Episode, Request, Turn, UserReply


class Part(NamedTuple):
    """A paragraph, and its style on a terminal."""

    text: str
    style: str = ""


def conversation(episode: Episode, number: int) -> Iterator[Part]:
    """The paragraphs of an episode."""
    yield Part(f"episode {number}: {full_name(episode)}", "bold")
    yield Part(
        outcome(episode), "bold green" if episode.success else "bold red" if POLICY[episode.end].error else "bold"
    )
    for attempt in episode.attempts:
        yield from of_attempt(attempt)
    for role, usage in sorted(episode.usage.items()):
        tokens = f"{usage.prompt} fresh, {usage.cached} cached and {usage.output} output tokens"
        yield Part(f"{role}: {usage.calls} calls, {tokens}", "dim")


def outcome(episode: Episode) -> str:
    """How an episode ended."""
    text = f"{'solved' if episode.success else 'not solved'}, score {episode.score:.2f}: {POLICY[episode.end].shown}"
    if len(episode.attempts) > 1 and episode.counted is not None:
        text += f"; attempt {episode.counted} counts ({episode.counted_rule})"
    return text + (f"; {episode.error}" if episode.error else "")


def of_attempt(attempt: Attempt) -> Iterator[Part]:
    """The paragraphs of an attempt."""
    start = attempt.start
    whence = {"turn": f", from turn {start.turn} of attempt {start.attempt}", "prefix": ", after a given prefix"}
    yield Part(f"\n── attempt {attempt.index}{whence.get(start.kind, '')} ──", "bold")
    yield Part(f"Goal: {attempt.goal}", "bold cyan")
    if start.kind != "turn":
        yield from users(attempt.opening_user)
        yield Part(attempt.opening if attempt.opening_delivered is None else attempt.opening_delivered)
    said = spoken(attempt)
    for turn in attempt.turns:
        yield from words(words_at(attempt, turn.index))
        yield from of_turn(turn, said)
    for critique in attempt.critiques:
        yield from of_critique(critique)
    end = "over" if attempt.end is None else POLICY[attempt.end].shown
    score = "" if attempt.score is None else f", score {attempt.score:.2f}"
    yield Part(f"the attempt ended: {end}{score}" + (f"; {attempt.error}" if attempt.error else ""), "bold")


def words(items: Sequence[ContextItem]) -> Iterator[Part]:
    """Words that stood in the actor's context and are no critique of this attempt: memory, protocol, engine."""
    for item in items:
        yield Part(f"{item.source or 'words'} tells the actor ({item.placement}): {item.text}", "yellow")


def of_turn(turn: Turn, said: Mapping[int, Critique]) -> Iterator[Part]:
    """The paragraphs of a turn, in the order in which things happened."""
    given = " (given, not played)" if turn.origin == "synthetic" else ""
    yield Part(f"\n[turn {turn.index}{given}]", "dim")
    offers = itertools.count()
    for event in events(turn):
        yield from of_event(event, turn, said, next(offers) if event.kind == "candidate" else 0)


def of_event(event: Event, turn: Turn, said: Mapping[int, Critique], offer: int) -> Iterator[Part]:
    """The paragraphs of one event. offer: the number of a candidate."""
    match event.about:
        case Candidate():
            several = f"actor, candidate {offer}" if len(turn.candidates) > 1 else "actor"
            yield from of_candidate(event.about, "actor revises" if event.kind == "revision" else several)
        case Request(target=target, question=question):
            yield Part(f"actor asks{f' {target}' if target else ''}: {question}", "bold")
        case Critique():
            yield from of_critique(event.about, len(turn.candidates) + len(turn.revisions))
        case UserReply():
            yield from users([event.about])
        case Turn():
            yield from of_outcome(event.kind, turn, said)


def of_outcome(kind: str, turn: Turn, said: Mapping[int, Critique]) -> Iterator[Part]:
    """What was executed, or that nothing was, and what came of it."""
    if kind == "action":
        yield Part(executed(turn, said), "bold")
    elif kind == "nothing":
        yield Part("nothing is executed" + caused(turn, said), "bold")
    else:
        yield Part(turn.shown)
        if turn.score is not None:
            yield Part(f"[reward {turn.reward or 0:+.2f}, score {turn.score:.2f}]", "dim")


def of_candidate(candidate: Candidate, who: str) -> Iterator[Part]:
    """What the actor thought and offered."""
    if candidate.thought:
        yield Part(f"{who} thinks: {candidate.thought}", "italic")
    unread = "" if candidate.parsed else f" (no action could be read from: {candidate.raw or ''})"
    odds = "" if candidate.logprob is None else f" (log-probability {candidate.logprob:.2f})"
    if candidate.text:
        yield Part(f"{who}: {candidate.text}{odds}{unread}", "bold")


def executed(turn: Turn, spoken: Mapping[int, Critique]) -> str:
    """What was done, by whose word, and whether it was admissible."""
    odd = " (not admissible)" if turn.admissible is False else ""
    return f"> {turn.executed}{odd}{caused(turn, spoken)}"


def caused(turn: Turn, spoken: Mapping[int, Critique]) -> str:
    """By which critique the turn is another than the actor's first choice."""
    if turn.changed_by is None:
        return ""
    critique = spoken.get(turn.changed_by)
    return f" (changed by {critique.critic if critique else 'a critique'})"


def users(replies: Sequence[UserReply]) -> Iterator[Part]:
    """What a user was told and answered."""
    for reply in replies:
        yield Part(f"the user hears: {reply.message}", "dim")
        yield Part(f"the user says: {reply.text}", "bold magenta")


def of_critique(critique: Critique, candidates: int = 1) -> Iterator[Part]:
    """A critique: when it came, its verdict, whether the actor was told, and its words."""
    on = f", candidate {critique.candidate}" if critique.candidate is not None and candidates > 1 else ""
    facts = [f"{critique.critic} in {critique.moment}{on}", *judged(critique), told(critique)]
    text = "; ".join(facts) + (f": {critique.text}" if critique.text.strip() else "")
    yield Part(text, "yellow" if critique.delivered else "dim yellow")
    if critique.wrapped is not None and critique.original:
        yield Part(f"  ({critique.wrapped} in place of: {critique.original})", "dim")


def judged(critique: Critique) -> list[str]:
    """Verdict, score, suggestion, pivot and error of a critique, where it has them."""
    return [
        *([str(critique.verdict)] if critique.verdict else []),
        *([f"score {critique.score:.2f}"] if critique.score is not None else []),
        *([f"suggests {critique.suggestion}"] if critique.suggestion else []),
        *([f"pivot {critique.pivot}"] if critique.pivot is not None else []),
        *([f"failed: {critique.error}"] if critique.error else []),
    ]


def told(critique: Critique) -> str:
    """Whether the words entered the actor's context."""
    return "delivered" if critique.delivered else f"not delivered ({critique.suppressed or 'not said why'})"
