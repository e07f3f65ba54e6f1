"""The moments of a recorded episode at which a critic spoke, or could have."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from cornerman.engine.method import Method
from cornerman.errors import UsageError
from cornerman.records import Attempt, Critique, Episode, Moment, Record, Turn

FORKED: tuple[Moment, ...] = ("review_action", "review_turn", "answer_request", "review_attempt")
"""Moments that can be forked: their words are critiques, which a fork can leave out or replace."""
SILENT: tuple[Moment, ...] = ("review_action", "review_turn")
"""Moments at which a critic that stayed silent can be asked after all."""


class Place(Record, frozen=True, kw_only=True):
    """One moment of a recorded episode. The fork begins when `turn` turns of the attempt have been played.

    `critiques` are the ids of what the critic said there. It `spoke` when any of that entered the actor's context or
    changed the executed action; `how` is then its verdict ("advice" without one), else "passed" or "said nothing".
    """

    task: str
    trial: int
    attempt: int
    turn: int
    critic: str
    moment: Moment
    spoke: bool
    how: str
    critiques: tuple[int, ...] = ()


def able(method: Method, critic: str, moment: Moment | None) -> tuple[Moment, ...]:
    """The moments at which a critic's worth can be measured. Raises for a critic that has none, or not this one."""
    instance = next(c for c in method.critics if c.label == critic)
    hooks = [m for m in FORKED if instance.has(m) and (m != "review_action" or method.rules.review_rounds)]
    if moment is not None and moment not in hooks:
        why = f"it speaks in {', '.join(hooks)}" if hooks else "nor in any other moment that can be forked"
        raise UsageError(f"critic '{critic}' of method '{method.name}' does not speak in {moment}; {why}")
    if not hooks:
        raise UsageError(
            f"critic '{critic}' of method '{method.name}' speaks at no moment that can be forked "
            f"({', '.join(FORKED)}); compare the method with one that lacks it, and with its placebo"
        )
    return (moment,) if moment is not None else tuple(hooks)


def places(episode: Episode, critic: str, moments: Sequence[Moment]) -> Iterator[Place]:
    """All moments of an episode at which the critic spoke or could have, and a decision came after."""
    for attempt in episode.attempts:
        for moment in moments:
            for turn, said, spoke in FIND[moment](episode, attempt, critic):
                yield Place(
                    task=episode.task.id,
                    trial=episode.trial,
                    attempt=attempt.index,
                    turn=turn,
                    critic=critic,
                    moment=moment,
                    spoke=spoke,
                    how=_how(said, spoke),
                    critiques=tuple(c.id for c in said),
                )


Found = Iterator[tuple[int, list[Critique], bool]]
"""After how many turns, what the critic said there, and whether that was an intervention."""


def first_turn(attempt: Attempt) -> int:
    """The index of the first turn that the attempt itself decided."""
    return next((t.index for t in attempt.turns if t.origin == "played"), -1)


def _how(said: Sequence[Critique], spoke: bool) -> str:
    if not spoke:
        return "passed" if said else "said nothing"
    verdicts = [str(c.verdict) for c in said if c.verdict is not None]
    return next((v for v in verdicts if v != "pass"), verdicts[0] if verdicts else "advice")


def _by(turn: Turn, critic: str, moment: Moment) -> list[Critique]:
    return [c for c in turn.critiques if c.critic == critic and c.moment == moment]


def _actions(episode: Episode, attempt: Attempt, critic: str) -> Found:
    """The first review of every action; a review of a revision comes out of it and is no moment of its own."""
    for turn in attempt.turns:
        if turn.kind == "act" and turn.origin == "played" and turn.candidates:
            own = len(turn.candidates)
            said = [c for c in _by(turn, critic, "review_action") if c.candidate is None or c.candidate < own]
            yield turn.index, said, any(c.delivered or c.id == turn.changed_by for c in said)


def _turns(episode: Episode, attempt: Attempt, critic: str) -> Found:
    for turn in attempt.turns[:-1]:
        if turn.executed is not None and turn.origin == "played":
            said = _by(turn, critic, "review_turn")
            yield turn.index + 1, said, any(c.delivered for c in said)


def _answers(episode: Episode, attempt: Attempt, critic: str) -> Found:
    for turn in attempt.turns[:-1]:
        said = _by(turn, critic, "answer_request")
        if any(c.delivered for c in said):
            yield turn.index + 1, said, True


def _starts(episode: Episode, attempt: Attempt, critic: str) -> Found:
    """The words of earlier attempts' ends with which an attempt began."""
    first = first_turn(attempt)
    diagnoses = {c.id: c for a in episode.attempts for c in a.critiques if c.critic == critic}
    said = [diagnoses[i.critique] for i in attempt.context if i.critique in diagnoses and i.at == first]
    if said:
        yield first, said, True


FIND = {"review_action": _actions, "review_turn": _turns, "answer_request": _answers, "review_attempt": _starts}
