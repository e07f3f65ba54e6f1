"""Examples from the calls of recorded episodes: prompts as they were, answers as they were given."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator

from cornerman.errors import UsageError
from cornerman.records import Attempt, Call, Candidate, Completion, Critique, Episode, Request, Turn
from cornerman_plugins.trainers.datasets.rows import Example, Source, source

KeepAttempt = Callable[[Episode, Attempt], bool]
KeepCritique = Callable[[Episode, Attempt, Critique], bool]


def solved(episode: Episode, attempt: Attempt, critique: Critique | None = None) -> bool:
    """Attempts that solved their task, and what critics said in them."""
    return bool(attempt.success)


def helped(episode: Episode, attempt: Attempt, critique: Critique) -> bool:
    """Critiques after which every attempt that carried their words scored more than the one that they are about."""
    led = [a for a in episode.attempts if a.critique == critique.id]
    return bool(led) and all((a.score or 0.0) > (attempt.score or 0.0) for a in led)


def decided(turn: Turn) -> Candidate | Request | None:
    """What the actor itself decided in a turn; None where a critic's suggestion took its place, or nothing did."""
    if turn.request is not None:
        return turn.request
    if turn.chosen is not None:
        return turn.candidates[turn.chosen]
    if turn.kind == "think":
        return (*turn.candidates, *turn.revisions)[-1]
    return next((c for c in reversed(turn.revisions) if c.text == turn.executed), None)


def said(answer: Candidate | Request) -> str:
    """A decision in the words in which it was given."""
    if answer.raw is not None:
        return answer.raw
    return answer.text if isinstance(answer, Candidate) else answer.question


def actions(episodes: Iterable[Episode], keep: KeepAttempt = solved) -> Iterator[Example]:
    """What the actor decided, turn by turn, in the attempts that are kept: D_correct of CGI, arXiv 2503.16024.

    Turns without a call of a model are left out, as those of scripted actors are: they have no prompt.
    """
    yield from (example for turn, example in _turns(episodes, keep))


def revisions(episodes: Iterable[Episode], keep: KeepAttempt = solved) -> Iterator[Example]:
    """Executed revisions, whose prompts hold the draft and the critiques: D_refine of CGI, arXiv 2503.16024."""
    for turn, example in _turns(episodes, keep):
        if turn.revisions and turn.chosen is None:
            yield example


def critiques(episodes: Iterable[Episode], keep: KeepCritique = solved) -> Iterator[Example]:
    """What critics wrote, in the calls that asked them for words; verdicts read by their probability have none.

    CGI, arXiv 2503.16024, trains its critic on critiques from successful trajectories (`solved`); `helped` keeps those
    between attempts after which the score rose.
    """
    for episode in episodes:
        calls = {call.id: call for call in episode.calls}
        for attempt in episode.attempts:
            told = [(turn.index, c) for turn in attempt.turns for c in turn.critiques]
            place: Counter[int] = Counter()
            for turn, critique in [*told, *((None, c) for c in attempt.critiques)]:
                call = calls.get(-1 if critique.call is None else critique.call)
                if call is None or call.kind != "generate":
                    continue
                index = place[call.id]
                place[call.id] += 1
                if index < len(call.completions) and keep(episode, attempt, critique):
                    completion = call.completions[index]
                    yield _example(call, completion.text, completion, source(episode, attempt.index, turn))


def given(call: Call | None, text: str) -> Completion | None:
    """The completion of a call that is a text, with its tokens."""
    return None if call is None else next((c for c in call.completions if c.text == text), None)


def _turns(episodes: Iterable[Episode], keep: KeepAttempt) -> Iterator[tuple[Turn, Example]]:
    for episode in episodes:
        calls = {call.id: call for call in episode.calls}
        for attempt in episode.attempts:
            if not keep(episode, attempt):
                continue
            for turn in attempt.turns:
                answer = decided(turn)
                if answer is None or answer.call is None:
                    continue
                call, text = calls[answer.call], said(answer)
                yield turn, _example(call, text, given(call, text), source(episode, attempt.index, turn.index))


def _example(call: Call, text: str, completion: Completion | None, where: Source) -> Example:
    if not call.messages:
        raise UsageError(
            f"{where.task} of method '{where.method}' was recorded without its prompts, as submitted runs are; "
            "`datasets.prompts.examples` renders the actor's again"
        )
    return Example(
        role=call.role,
        prompt=call.messages,
        completion=text,
        source=where,
        prompt_ids=call.prompt_ids,
        completion_ids=None if completion is None else completion.ids,
    )
