"""Wrappers: control conditions made from any critic, by changing its words and not that it was called.

placebo and shuffled critiques are the controls of TAIScore (arXiv 2608.30397); deceptive critics follow the idea of
WAFER-QA (arXiv 2506.03332).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import msgspec

from cornerman.engine.branch import Branch
from cornerman.engine.settings import WrapSettings
from cornerman.errors import UsageError
from cornerman.records import Critique, Episode, Verdict

FILLER = (
    "This is a message. It was written at this point of the game and holds as many words as another one would. "
    "It has no advice, names no object and no place, and says nothing about what was done or what remains. "
)
GENERIC = (
    "Think about the goal again. Look at what is around you, avoid repeating what did not work, "
    "and take the step that brings you closest to the goal."
)


class Utterance(NamedTuple):
    """A recorded critique, as `shuffled` draws it."""

    task: str
    moment: str
    critique: Critique


def utterances(episodes: Sequence[Episode]) -> list[Utterance]:
    """Every critique with words in some recorded episodes."""
    found = []
    for episode in episodes:
        for attempt in episode.attempts:
            spoken = [*(c for t in attempt.turns for c in t.critiques), *attempt.critiques]
            found += [Utterance(episode.task.id, c.moment, c) for c in spoken if c.text.strip() and not c.error]
    return found


def neutral(critique: Critique, text: str) -> Critique:
    """The critique with other words and nothing else to follow: no score, no suggestion, no replacement."""
    verdict = Verdict.REVISE if critique.verdict is Verdict.REPLACE else critique.verdict
    return msgspec.structs.replace(
        critique,
        text=text,
        verdict=verdict,
        score=None,
        grades={},
        suggestion=None,
        pivot=None,
        confidence=None,
        data={},
    )


def placebo(critique: Critique) -> Critique:
    """As many words as the critique had, that say nothing."""
    filler = FILLER.split()
    count = len(critique.text.split())
    return neutral(critique, " ".join(filler[i % len(filler)] for i in range(count)))


def _placebo(branch: Branch, key: str, critique: Critique, settings: WrapSettings) -> Critique:
    return placebo(critique)


def _generic(branch: Branch, key: str, critique: Critique, settings: WrapSettings) -> Critique:
    """The same general advice every time."""
    return neutral(critique, GENERIC)


def _deceptive(branch: Branch, key: str, critique: Critique, settings: WrapSettings) -> Critique:
    """Recommends, in the critic's place, some admissible action other than the one it named."""
    others = [a for a in branch.step.admissible or () if a != critique.suggestion and a not in critique.text]
    if not others:
        return neutral(critique, GENERIC)
    action = branch.rng(f"{key}#deceptive").choice(others)
    return msgspec.structs.replace(neutral(critique, f"Do this next: `{action}`"), suggestion=action)


def _delayed(branch: Branch, key: str, critique: Critique, settings: WrapSettings) -> Critique:
    """What the critic said some utterances ago at this moment; nothing at first."""
    queue = branch.state(f"{key}#delayed").setdefault(critique.moment, [])
    queue.append(msgspec.json.decode(msgspec.json.encode(critique)))
    if len(queue) <= settings.turns:
        return msgspec.structs.replace(neutral(critique, ""), verdict=None)
    old = msgspec.convert(queue.pop(0), Critique)
    return msgspec.structs.replace(
        old, id=critique.id, candidate=critique.candidate, call=critique.call, seconds=critique.seconds
    )


SIMPLE: Mapping[str, Callable[[Branch, str, Critique, WrapSettings], Critique]] = {
    "placebo": _placebo,
    "generic": _generic,
    "deceptive": _deceptive,
    "delayed": _delayed,
}


class Shuffler:
    """`shuffled`: a critique that was given on another task of a recorded run, at the same moment."""

    def __init__(self, run: str, pool: Sequence[Utterance]) -> None:
        if not pool:
            raise UsageError(f"wrap 'shuffled': the run {run} holds no critique to draw from")
        self._pool = pool

    def __call__(self, branch: Branch, key: str, critique: Critique) -> Critique:
        """Draw one; where no other task has any of the moment, of any moment; where no other has any, of this one."""
        others = [u for u in self._pool if u.task != branch.scope.task.id]
        pool = [u for u in others if u.moment == critique.moment] or others or self._pool
        drawn = branch.rng(f"{key}#shuffled").choice(pool).critique
        verdict = critique.verdict
        if verdict is Verdict.REPLACE and not drawn.suggestion:
            verdict = Verdict.REVISE
        return msgspec.structs.replace(neutral(critique, drawn.text), suggestion=drawn.suggestion, verdict=verdict)


async def _oracle(branch: Branch, critique: Critique) -> Critique:
    gold = await branch.session.gold()
    if not gold:
        return neutral(critique, "")
    return msgspec.structs.replace(critique, text=f"Do this next: `{gold[0]}`", suggestion=gold[0])


async def rewrite(
    branch: Branch, key: str, critique: Critique, settings: WrapSettings, shuffler: Shuffler | None
) -> Critique:
    """The critique after the instance's wrapper, with its original words kept in the record."""
    if critique.error is not None:
        return critique
    spoke = critique.text.strip() or critique.suggestion
    if not spoke and settings.use != "delayed":  # a control speaks where the critic spoke
        changed = neutral(critique, "")
    elif settings.use == "oracle":
        changed = await _oracle(branch, critique)
    elif settings.use == "shuffled":
        if shuffler is None:
            raise UsageError(
                "wrap 'shuffled' needs the recorded run to draw from: wrap = {use = \"shuffled\", run = DIR}"
            )
        changed = shuffler(branch, key, critique)
    else:
        changed = SIMPLE[settings.use](branch, key, critique, settings)
    return msgspec.structs.replace(changed, wrapped=settings.use, original=critique.text)
