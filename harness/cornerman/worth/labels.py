"""Whether a critic was right, by gold: at random moments, by what gold sees and by what was seen."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal

from cornerman.engine.restoring import lineage
from cornerman.records import Episode, Record, Verdict
from cornerman.stats import Interval, wilson_interval
from cornerman.worth.arms import said_at
from cornerman.worth.drawing import Drawn
from cornerman.worth.estimating import Sample, hajek, interval
from cornerman.worth.places import Place
from cornerman.worth.seen import Label
from cornerman.worth.trials import Trials, Tried

By = Literal["full", "seen"]
"""full: an action is right when gold's way is shorter after it. seen: when it is so in some state that fits what was
seen; see `cornerman.worth.seen`."""


class Labelled(Record, frozen=True, kw_only=True):
    """One moment by gold: of the action that the critic named, and of the actor's own with what the critic made of it.

    gold: the action that the critic named is the very one that gold would take. approved: the critic let the actor's
    choice pass; None where nothing says so.
    """

    place: Place
    probability: float
    suggestion: Tried | None = None
    gold: bool | None = None
    choice: Tried | None = None
    approved: bool | None = None


class Accuracy(Record, frozen=True, kw_only=True):
    """How often a critic was right, at the moments drawn.

    `suggestions`: the share of the actions it named that lead on, with its interval, of `named`; `gold` and `gold_ci`
    the same of those that are the very ones that gold would take. `mcc`: Matthews' correlation of its verdicts with the
    labels of the actor's choice, neutral ones left out, of `judged`. `over`: the share of right choices that it sent
    back, or after a turn spoke before (over-intervention); `under`: of wrong ones that it let pass, or was silent
    before.
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


def named_by(episode: Episode, place: Place) -> str | None:
    """The action that the critic named at a moment."""
    return next((c.suggestion for c in said_at(episode, place) if c.suggestion), None)


def choice_at(episode: Episode, place: Place, silent: str | None) -> str | None:
    """The actor's own choice: its first candidate before an action; after a turn what it does in `silent`, a fork."""
    if place.moment == "review_action":
        return lineage(episode.attempts, place.attempt)[place.turn].candidates[0].text
    return silent if place.moment == "review_turn" else None


def approval(episode: Episode, place: Place) -> bool | None:
    """Whether the critic let the actor's choice pass: by its verdict, after a turn by keeping silent."""
    if place.moment == "review_turn":
        return not place.spoke
    verdicts = [c.verdict for c in said_at(episode, place) if c.candidate in (None, 0) and c.verdict is not None]
    judged = [v for v in verdicts if v is not Verdict.UNPARSED]
    return all(v is Verdict.PASS for v in judged) if judged else None


def labelled(episode: Episode, drawn: Drawn, trials: Trials, silent: str | None) -> Labelled | None:
    """One moment; None where gold has no answer there. silent: the next action in the fork that was silenced."""
    if trials.best is None:
        return None
    named, choice = named_by(episode, drawn.place), choice_at(episode, drawn.place, silent)
    return Labelled(
        place=drawn.place,
        probability=drawn.probability,
        suggestion=None if named is None else trials.actions.get(named),
        gold=None if named is None else named == trials.best,
        choice=None if choice is None else trials.actions.get(choice),
        approved=approval(episode, drawn.place),
    )


def label_of(tried: Tried | None, by: By) -> Label | None:
    """One of both labels of an action."""
    return None if tried is None else tried.full if by == "full" else tried.seen


def accuracy(moments: Sequence[Labelled], by: By, seed: int) -> Accuracy | None:
    """The measures, weighted as the moments were drawn; None where there is no label of this kind."""
    named = [x for x in moments if label_of(x.suggestion, by) is not None]
    judged = [x for x in moments if x.approved is not None and label_of(x.choice, by) in ("right", "wrong")]
    if not named and not judged:
        return None
    samples = [Sample(x.place.task, x.probability) for x in named]
    right = [float(label_of(x.suggestion, by) == "right") for x in named]
    exact = [float(bool(x.gold)) for x in named]
    told = [((x.approved, label_of(x.choice, by)), 1 / x.probability) for x in judged]
    cell = {
        (approved, choice): sum(weight for found, weight in told if found == (approved, choice))
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
