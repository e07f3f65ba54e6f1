"""Preference pairs of critiques: the same moment twice, feedback that helped and feedback that did not."""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from cornerman.records import Attempt, Call, Critique, Episode
from cornerman_plugins.trainers.datasets.rows import Pair, source


class Asked(NamedTuple):
    """An attempt up to its first request for feedback: the words before it, and what was answered by which call."""

    episode: Episode
    attempt: Attempt
    turn: int
    before: frozenset[str]
    feedback: str
    call: Call


def jaccard(a: frozenset[str], b: frozenset[str]) -> float:
    """|a ∩ b| / |a ∪ b|; 1 for two empty sets."""
    return len(a & b) / len(a | b) if a or b else 1.0


def matched_prefix_pairs(
    episodes: Iterable[Episode],
    *,
    similarity: float = 0.7,
    longest: float = 2.0,
    keep: Callable[[Pair], bool] | None = None,
) -> Iterator[Pair]:
    """Feedback of attempts that asked and succeeded ≻ feedback of those that asked and failed, on one task.

    RDPO of CAFE, arXiv 2608.24794: the prefixes up to the first request have a Jaccard similarity of their token sets
    of at least 0.7, the two feedbacks are of comparable length, and both are conditioned on the successful attempt's
    history. `keep` stands for the paper's filter by an LLM judge. Ours: tokens are words, in lower case; comparable is
    at most `longest` times as many words.
    """
    by_task: defaultdict[tuple[str, str, str], list[Asked]] = defaultdict(list)
    for episode in episodes:
        if (asked := _asked(episode)) is not None:
            by_task[episode.task.env, episode.task.id, episode.method].append(asked)
    for found in by_task.values():
        good, bad = ([a for a in found if bool(a.attempt.success) is won] for won in (True, False))
        for a, b in itertools.product(good, bad):
            lengths = sorted(len(x.feedback.split()) for x in (a, b))
            if a.feedback == b.feedback or lengths[1] > longest * lengths[0]:
                continue
            if jaccard(a.before, b.before) < similarity:
                continue
            pair = Pair(
                role=a.call.role,
                prompt=a.call.messages,
                chosen=a.feedback,
                rejected=b.feedback,
                source=source(a.episode, a.attempt.index, a.turn),
                other=source(b.episode, b.attempt.index, b.turn),
            )
            if keep is None or keep(pair):
                yield pair


def _asked(episode: Episode) -> Asked | None:
    """The counted attempt, if it asked and a model's words were delivered."""
    if episode.counted is None:
        return None
    attempt = episode.attempts[episode.counted]
    turn = next((t for t in attempt.turns if t.request is not None), None)
    if turn is None:
        return None
    answer = next((c for c in turn.critiques if c.delivered and c.call is not None), None)
    call = next((c for c in episode.calls if answer is not None and c.id == answer.call), None)
    if answer is None or call is None or call.kind != "generate":
        return None
    earlier = [t for t in attempt.turns if t.index < turn.index]
    text = " ".join([attempt.opening, *(f"{t.executed or ''} {t.shown}" for t in earlier)])
    return Asked(episode, attempt, turn.index, frozenset(text.lower().split()), _words(answer, call), call)


def _words(answer: Critique, call: Call) -> str:
    """The feedback as the model wrote it."""
    return call.completions[0].text if call.completions else answer.text
