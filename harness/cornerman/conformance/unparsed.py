"""A check of reading: what a model said and nobody can read counts as unparsed, and never as an action or a verdict."""

from __future__ import annotations

from collections.abc import Iterator

from cornerman.conformance.model import NOISE
from cornerman.conformance.probe import Probe
from cornerman.conformance.report import Failed, NotApplicable
from cornerman.records import Attempt, Candidate, Critique, Episode, Verdict


def unparsed(episodes: list[Episode], watched: Probe) -> str:
    """Look at episodes in which the model said nothing but noise."""
    error = next((e.error for e in episodes if e.error is not None), None)
    if error is not None:
        raise Failed(f"an answer that cannot be read ended an episode: {error}")
    noise = 0
    for episode in episodes:
        heard = {
            c.id
            for c in episode.calls
            if (c.role, c.plugin) == (watched.role, watched.label) and any(o.text == NOISE for o in c.completions)
        }
        noise += len(heard)
        for attempt in episode.attempts:
            look(attempt, heard, watched)
    if not noise:
        raise NotApplicable("it asked the model for no words that it would have to read")
    return f"{noise} answers that nobody can read gave no action and no verdict that counts as one"


def look(attempt: Attempt, heard: set[int], watched: Probe) -> None:
    """Fail at an action or a verdict that was read from noise."""
    for candidate, calls in offered(attempt):
        if watched.role == "actor" and candidate.parsed and drawn(candidate.call, calls, heard):
            raise Failed(
                f"it read the action {candidate.text[:60]!r} from {NOISE!r}; set Candidate.parsed to False where no "
                "action can be read"
            )
    for critique, calls in spoken(attempt):
        mine = watched.role == "critic" and critique.critic == watched.label
        if mine and critique.verdict not in (None, Verdict.UNPARSED) and drawn(critique.call, calls, heard):
            raise Failed(
                f"it read the verdict '{critique.verdict}' from {NOISE!r} in {critique.moment}; answer "
                "Verdict.UNPARSED where a verdict is owed and cannot be read"
            )


def drawn(call: int | None, calls: set[int], heard: set[int]) -> bool:
    """Whether an answer was made from noise: by the call it names, else by what was asked at the same time."""
    return bool(calls & heard) if call is None else call in heard


def offered(attempt: Attempt) -> Iterator[tuple[Candidate, set[int]]]:
    """Candidates and revisions, each with the calls of its turn."""
    for turn in attempt.turns:
        for candidate in (*turn.candidates, *turn.revisions):
            yield candidate, set(turn.calls)


def spoken(attempt: Attempt) -> Iterator[tuple[Critique, set[int]]]:
    """Critiques with the calls of their turn; at the attempt's end a critique has to name its call."""
    for turn in attempt.turns:
        for critique in turn.critiques:
            yield critique, set(turn.calls)
    for critique in attempt.critiques:
        yield critique, set()
