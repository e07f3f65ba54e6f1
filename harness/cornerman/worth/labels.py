"""Whether a critic was right, by gold: labels of full information, from the environment alone."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Sequence
from typing import Literal

from cornerman.engine.restoring import lineage, replay
from cornerman.errors import EnvError, EpisodeError
from cornerman.records import Candidate, Episode, Record, Verdict
from cornerman.stats import Interval, wilson_interval
from cornerman.workers.session import Sessions
from cornerman.worth.arms import said_at
from cornerman.worth.drawing import Drawn
from cornerman.worth.estimating import Sample, hajek, interval
from cornerman.worth.places import Place

Label = Literal["right", "neutral", "wrong"]
"""right: the way to win that gold knows is shorter after the action. neutral: as long. wrong: longer, or lost."""


class Labelled(Record, frozen=True, kw_only=True):
    """One moment by gold: of the action that the critic named, and of the actor's own with what the critic said of it.

    gold: the action that the critic named is the very one that gold would take. approved: the critic let the actor's
    choice pass; None where it owed no verdict.
    """

    place: Place
    probability: float
    suggestion: Label | None = None
    gold: bool | None = None
    choice: Label | None = None
    approved: bool | None = None


class Accuracy(Record, frozen=True, kw_only=True):
    """How often a critic was right, at the moments drawn.

    `suggestions`: the share of the actions it named that lead on, with its interval, of `named`; `gold` and `gold_ci`
    the same of those that are the very ones that gold would take. `mcc`: Matthews' correlation of its verdicts with the
    labels of the actor's choice, neutral ones left out, of `judged`. `over`: the share of right choices that it sent
    back; `under`: of wrong ones that it let pass.
    """

    suggestions: float | None
    ci: Interval | None
    gold: float | None
    gold_ci: Interval | None
    named: int
    mcc: float | None
    judged: int
    over: float | None
    under: float | None


async def label(sessions: Sessions, episode: Episode, drawn: Drawn) -> Labelled | None:
    """Ask gold at one moment; None where it has no answer there."""
    place = drawn.place
    attempt = episode.attempts[place.attempt]
    turns = lineage(episode.attempts, place.attempt)
    said = said_at(episode, place)
    suggestion = next((c.suggestion for c in said if c.suggestion), None)
    choice: Candidate | None = turns[place.turn].candidates[0] if place.moment == "review_action" else None
    if suggestion is None and choice is None:
        return None
    session = await sessions.open(episode.task, fork=True)
    try:
        labels: list[Label | None] = []
        best = None
        for action in (suggestion, None if choice is None else choice.text):
            if action is None:
                labels.append(None)
                continue
            await replay(session, attempt, turns[: place.turn])
            before = await session.gold()
            if not before:
                return None
            best = before[0]
            step = await session.step(action)
            over = step.terminated and not step.success
            after = [] if step.success else None if over else await session.gold()
            labels.append(compare(before, after))
    except EpisodeError:
        return None
    finally:
        with contextlib.suppress(EnvError):
            await session.close()
    verdicts = [c.verdict for c in said if c.candidate in (None, 0) and c.verdict is not None]
    judged = [v for v in verdicts if v is not Verdict.UNPARSED]
    return Labelled(
        place=place,
        probability=drawn.probability,
        suggestion=labels[0],
        gold=None if suggestion is None else suggestion == best,
        choice=labels[1],
        approved=all(v is Verdict.PASS for v in judged) if judged else None,
    )


def compare(before: Sequence[str], after: Sequence[str] | None) -> Label:
    """The label of an action from gold's ways before and after it."""
    if after is None or len(after) > len(before):
        return "wrong"
    return "right" if len(after) < len(before) else "neutral"


def accuracy(labelled: Sequence[Labelled], seed: int) -> Accuracy | None:
    """The measures, weighted as the moments were drawn; None where gold labelled nothing."""
    named = [x for x in labelled if x.suggestion is not None]
    judged = [x for x in labelled if x.approved is not None and x.choice in ("right", "wrong")]
    if not named and not judged:
        return None
    samples = [Sample(x.place.task, x.probability) for x in named]
    right = [float(x.suggestion == "right") for x in named]
    exact = [float(bool(x.gold)) for x in named]
    cell = {
        (approved, choice): sum(1 / x.probability for x in judged if (x.approved, x.choice) == (approved, choice))
        for approved in (True, False)
        for choice in ("right", "wrong")
    }
    return Accuracy(
        suggestions=hajek(samples, right) if named else None,
        ci=rate_interval(samples, right, seed) if named else None,
        gold=hajek(samples, exact) if named else None,
        gold_ci=rate_interval(samples, exact, seed) if named else None,
        named=len(named),
        mcc=mcc(cell[True, "right"], cell[True, "wrong"], cell[False, "right"], cell[False, "wrong"]),
        judged=len(judged),
        over=share(cell[False, "right"], cell[True, "right"]),
        under=share(cell[True, "wrong"], cell[False, "wrong"]),
    )


def rate_interval(samples: Sequence[Sample], values: Sequence[float], seed: int) -> Interval:
    """The interval of a rate; Wilson's, with tasks as observations, where resampling can learn nothing."""
    ci = interval(samples, values, seed)
    tasks = len({s.task for s in samples})
    return wilson_interval(hajek(samples, values) * tasks, tasks) if ci[1] - ci[0] < 1e-12 else ci


def share(part: float, rest: float) -> float | None:
    """A part of a whole, or None of nothing."""
    return part / (part + rest) if part + rest else None


def mcc(tp: float, fp: float, fn: float, tn: float) -> float | None:
    """(TP·TN − FP·FN) / √((TP+FP)(TP+FN)(TN+FP)(TN+FN)), in [−1, 1]; None where a row or column is empty.

    Source: Matthews 1975, "Comparison of the predicted and observed secondary structure of T4 phage lysozyme",
    Biochimica et Biophysica Acta 405:442-451. Positive is what the critic approved of, true what gold calls right.
    """
    product = (tp + fp) * (tp + fn) * (tn + fp) * (tn + fn)
    return (tp * tn - fp * fn) / math.sqrt(product) if product else None
