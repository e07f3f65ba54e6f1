"""An episode as a conversation to read: what the actor saw and did, and what critics said of it, in order."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from cornerman.errors import POLICY
from cornerman.picking import full_name
from cornerman.records import Attempt, Candidate, ContextItem, Critique, Episode, Turn, UserReply


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
    spoken = {c.id: c for c in (*(c for t in attempt.turns for c in t.critiques), *attempt.critiques)}
    for turn in attempt.turns:
        yield from words([i for i in attempt.context if i.at == turn.index], spoken)
        yield from of_turn(turn, spoken)
    for critique in attempt.critiques:
        yield from of_critique(critique)
    end = "over" if attempt.end is None else POLICY[attempt.end].shown
    score = "" if attempt.score is None else f", score {attempt.score:.2f}"
    yield Part(f"the attempt ended: {end}{score}" + (f"; {attempt.error}" if attempt.error else ""), "bold")


def words(items: Sequence[ContextItem], spoken: Mapping[int, Critique]) -> Iterator[Part]:
    """Words that stood in the actor's context and are no critique of this attempt: memory, protocol, engine."""
    for item in items:
        if item.critique is None or item.critique not in spoken:
            yield Part(f"{item.source or 'words'} tells the actor ({item.placement}): {item.text}", "yellow")


def of_turn(turn: Turn, spoken: Mapping[int, Critique]) -> Iterator[Part]:
    """The paragraphs of a turn, in the order in which things happened."""
    given = " (given, not played)" if turn.origin == "synthetic" else ""
    yield Part(f"\n[turn {turn.index}{given}]", "dim")
    offered = (*turn.candidates, *turn.revisions)
    for i, candidate in enumerate(turn.candidates):
        yield from of_candidate(candidate, f"actor, candidate {i}" if len(turn.candidates) > 1 else "actor")
    if turn.request is not None:
        to = f" {turn.request.target}" if turn.request.target else ""
        yield Part(f"actor asks{to}: {turn.request.question}", "bold")
    before = [c for c in turn.critiques if c.moment != "review_turn"]
    first = [c for c in before if c.candidate is None or c.candidate < len(turn.candidates)]
    for critique in first:
        yield from of_critique(critique, len(offered))
    for candidate in turn.revisions:
        yield from of_candidate(candidate, "actor revises")
    for critique in [c for c in before if c not in first]:
        yield from of_critique(critique, len(offered))
    if turn.executed is not None:
        yield Part(executed(turn, spoken), "bold")
        yield from users(turn.user)
        yield Part(turn.shown)
    elif turn.kind == "act":
        yield Part("nothing is executed" + caused(turn, spoken), "bold")
    if turn.score is not None and turn.executed is not None:
        yield Part(f"[reward {turn.reward or 0:+.2f}, score {turn.score:.2f}]", "dim")
    for critique in turn.critiques:
        if critique.moment == "review_turn":
            yield from of_critique(critique)


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
