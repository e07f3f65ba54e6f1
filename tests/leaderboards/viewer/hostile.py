"""A run in which every text that a stranger can write is hostile."""

from __future__ import annotations

from pathlib import Path

from tests.support.payloads import ALL
from tests.support.recorded import method, write_run

from cornerman.errors import End
from cornerman.records import (
    Attempt,
    Call,
    Candidate,
    Completion,
    ContextItem,
    Critique,
    Episode,
    Message,
    Moment,
    Task,
    Turn,
    UserReply,
    Verdict,
)

LONG = "M" * 1_000_000
NAME = "<script>window.hit=1</script>\u202e\"'><img src=x onerror=window.hit=1>"
MOMENTS: tuple[Moment, ...] = ("transform_observation", "review_action", "answer_request", "review_turn")


def turn(index: int, text: str) -> Turn:
    """A turn that says one text wherever a text can be."""
    said = [
        Critique(
            id=10 * index + i,
            critic=text,
            moment=moment,
            candidate=i % 2,
            verdict=verdict,
            text=text,
            suggestion=text,
            suppressed=text,
            wrapped=text,
            original=text,
            error=text,
        )
        for i, (moment, verdict) in enumerate(zip(MOMENTS, Verdict, strict=False))
    ]
    return Turn(
        index=index,
        candidates=(Candidate(text=text, raw=text, thought=text, parsed=False), Candidate(text="look", logprob=900.0)),
        critiques=tuple(said),
        revisions=(Candidate(text=text, raw=text, thought=text, parsed=False),),
        executed=text,
        changed_by=10 * index,
        admissible=False,
        user=(UserReply(message=text, text=text),),
        observation=text,
        delivered=text,
        calls=(0,),
    )


def hostile_episode(name: str) -> Episode:
    """An episode with every payload."""
    context = ContextItem(text=LONG, source=NAME, at=0)
    attempt = Attempt(
        index=0,
        path="0",
        goal=ALL[0],
        opening=ALL[1],
        context=(context,),
        error=NAME,
        end=End.ACTOR_ERROR,
        turns=tuple(turn(i, text) for i, text in enumerate((*ALL, LONG))),
        critiques=(Critique(id=9999, critic=NAME, moment="review_attempt", text=NAME, delivered=True),),
    )
    again = Attempt(index=1, path="1", parent=0, critique=9999, end=End.FAILURE)
    answers = tuple(Completion(text=text, ids=(1, 2), logprobs=(-0.5, -9.0)) for text in ALL)
    call = Call(
        id=0,
        role="actor",
        plugin=NAME,
        purpose=NAME,
        kind="generate",
        model=NAME,
        checkpoint=NAME,
        error=NAME,
        messages=tuple(Message(role="user", content=text) for text in ALL),
        completions=answers,
    )
    return Episode(
        task=Task(env=NAME, id=NAME, family=NAME),
        method=name,
        trial=0,
        seed=0,
        attempts=(attempt, again),
        counted=1,
        calls=(call,),
        error=NAME,
        end=End.ACTOR_ERROR,
    )


def hostile_run(folder: Path) -> Path:
    """A run of two methods with hostile names, on one task with a hostile name."""
    names = (NAME, "javascript:window.hit=1")
    return write_run(folder, [method(n) for n in names], [hostile_episode(n) for n in names], tasks=[NAME], suite=NAME)
