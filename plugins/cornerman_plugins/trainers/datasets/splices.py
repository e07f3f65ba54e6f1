"""Agent-R's splices: a bad attempt up to its first bad action, a thought that says so, and the way of a good one.

Agent-R, arXiv 2501.11425. In the paper a bad and a good path of a tree search share a parent; here two recorded
attempts at a task share a beginning, action by action and observation by observation.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

import msgspec

from cornerman.engine.instance import Instance
from cornerman.engine.restoring import lineage
from cornerman.records import Attempt, Candidate, Episode, Start, Turn
from cornerman.suites import Rules
from cornerman_plugins.trainers.datasets.prompts import examples
from cornerman_plugins.trainers.datasets.rows import Example

FirstBad = Callable[[Episode, Attempt], int | None]
THOUGHT = "That was a mistake: it does not lead to the goal. I go back and take another way."
"""The revision thought. Its wording is ours."""


class Splice(NamedTuple):
    """An attempt put together from two, in an episode of its own, and the turn from which it is to be learned."""

    episode: Episode
    learn_from: int


def pivot_before(episode: Episode, attempt: Attempt) -> int | None:
    """The first bad action as a critic at the attempt's end named it: the one before its pivot turn."""
    return next((c.pivot - 1 for c in attempt.critiques if c.pivot is not None and c.pivot > 0), None)


def splices(
    episodes: Iterable[Episode], *, margin: float = 0.0, least: float = 0.5, first_bad: FirstBad = pivot_before
) -> Iterator[Splice]:
    """Splices of all pairs of attempts at a task that the condition allows.

    A pair is taken if score(good) − score(bad) > margin (the paper's β) and score(good) > least (its α); their values
    were not found, 0 and 0.5 are ours. first_bad: the turn of the bad attempt's first bad action, by which it is cut;
    None, or one before the two part: their first different action.
    """
    by_task: dict[tuple[str, str], list[tuple[Episode, Attempt]]] = {}
    for episode in episodes:
        for attempt in episode.attempts:
            if attempt.start.kind != "prefix":
                by_task.setdefault((episode.task.env, episode.task.id), []).append((episode, attempt))
    for found in by_task.values():
        for (bad, worse), (good, better) in itertools.permutations(found, 2):
            high, low = better.score or 0.0, worse.score or 0.0
            if high - low > margin and high > least:
                yield from splice(bad, worse, good, better, first_bad)


def splice(bad: Episode, worse: Attempt, good: Episode, better: Attempt, first_bad: FirstBad) -> Iterator[Splice]:
    """The splice of two attempts, if each has an action of its own where they part."""
    wrong = [t for t in lineage(bad.attempts, worse.index) if t.executed is not None]
    right = [t for t in lineage(good.attempts, better.index) if t.executed is not None]
    if worse.opening_hash != better.opening_hash:
        return
    shared = sum(1 for _ in itertools.takewhile(lambda p: _same(*p), zip(wrong, right, strict=False)))
    if shared in (len(wrong), len(right)):
        return
    named = first_bad(bad, worse)
    cut = next((i for i, t in enumerate(wrong) if named is not None and t.index == named), shared)
    cut = max(cut, shared)
    thought = Turn(
        index=cut + 1,
        kind="think",
        origin="synthetic",
        candidates=(Candidate(text="", thought=THOUGHT, raw=f"Thought: {THOUGHT}"),),
    )
    turns = [*wrong[: cut + 1], thought, *right[shared:]]
    attempt = Attempt(
        index=0,
        path="0",
        start=Start(),
        goal=better.goal,
        opening=better.opening,
        opening_delivered=better.opening_delivered,
        opening_hash=better.opening_hash,
        turns=tuple(msgspec.structs.replace(t, index=i, critiques=(), state={}) for i, t in enumerate(turns)),
        end=better.end,
        success=better.success,
        score=better.score,
    )
    yield Splice(msgspec.structs.replace(good, attempts=(attempt,), counted=0, calls=(), memory=()), cut + 1)


async def spliced_examples(found: Iterable[Splice], actor: Instance, rules: Rules) -> list[Example]:
    """What is learned of splices: the revision thought and the good actions after it, in the actor's own prompts.

    The thought is written as the actor llm-react writes one; an actor that only chooses actions has no use for it.
    """
    return [e for episode, first in found for e in await examples(episode, 0, actor, rules, first=first)]


def _same(a: Turn, b: Turn) -> bool:
    return (a.executed, a.observation) == (b.executed, b.observation)
