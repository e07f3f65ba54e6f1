"""A prompt that is longer than its model's context: an error, fewer turns shown, or the attempt's end."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from tests.support.scripted_model import ScriptedModel
from tests.support.scripts import Ring, actor, critic, executed, only

from cornerman import Critique
from cornerman.errors import ContextOverflow, End
from cornerman.model import Generation, Sampling
from cornerman.records import Episode, Message
from cornerman.suites import Rules

SEVEN = Rules(max_turns=7)


class Narrow(ScriptedModel):
    """Takes a prompt of at most so many lines."""

    def __init__(self, lines: int) -> None:
        super().__init__(lambda messages: "wait")
        self.lines = lines

    async def generate(
        self, messages: Sequence[Message], sampling: Sampling, *, seeds: Sequence[int], session: str | None = None
    ) -> Generation:
        lines = messages[-1].content.count("\n") + 1
        if lines > self.lines:
            raise ContextOverflow(f"{lines} lines are more than the {self.lines} that model 'narrow' can take")
        return await super().generate(messages, sampling, seeds=seeds, session=session)


async def tells(view: Any, *subject: Any) -> Any:
    """Shows its model the goal and a line a turn of the history, numbered."""
    lines = [view.goal, *(f"{t.index}: {t.executed}" for t in view.history)]
    reply = await view.model.generate([Message(role="user", content="\n".join(lines))])
    return Critique(text=reply.text) if subject else reply.text


def ring(who: str, rules: Rules = SEVEN) -> Ring:
    """The model is asked by the actor or by a critic."""
    if who == "actor":
        made = Ring(actor(tells), rules=rules)
        made.table["actor"] = {"use": "scripted", "model": "narrow"}
        return made
    return Ring(actor("wait"), rules=rules, helper=(critic(review_turn=tells), {"model": "narrow"}))


def play(made: Ring, model: Narrow, **protocol: Any) -> Episode:
    return made.play(bench=made.bench(model=lambda uri: model), **protocol)


def test_by_default_it_is_an_error_of_the_model() -> None:
    episode = play(ring("actor"), Narrow(4))
    assert (episode.end, len(episode.attempts[0].turns)) == (End.MODEL_ERROR, 4)
    assert episode.error == "5 lines are more than the 4 that model 'narrow' can take"


@pytest.mark.parametrize("who", ["actor", "critic"])
def test_truncating_leaves_out_the_oldest_turns_and_goes_on(who: str) -> None:
    model = Narrow(4)
    episode = play(ring(who), model, on_overflow="truncate")
    assert (episode.end, len(only(episode).turns)) == (End.TRUNCATED, 7)
    shown = ["".join(line[0] for line in a.messages[0].content.split("\n")[1:]) for a in model.asked]
    if who == "actor":  # four turns do not fit, so that from there on it is shown the newest two
        assert shown == ["", "0", "01", "012", "23", "34", "45"]
    else:
        assert shown == ["0", "01", "012", "23", "34", "45", "56"]
    failed = [c for c in episode.calls if c.error]
    assert len(failed) == 1
    assert "more than the 4" in str(failed[0].error)
    key = "actor" if who == "actor" else "critic/helper"
    assert [t.state["overflow"] for t in only(episode).turns if "overflow" in t.state] == [{key: 2}]


def test_a_fork_goes_on_with_the_turns_that_were_shown() -> None:
    model, made = Narrow(4), ring("actor")
    episode = play(made, model, on_overflow="truncate")
    model.asked.clear()
    forked = made.fork(
        episode, 0, 6, bench=made.bench(model=lambda uri: model), protocol={"on_overflow": "truncate"}
    ).attempt
    assert [a.messages[0].content.split("\n")[1:] for a in model.asked] == [["4: wait", "5: wait"]]
    assert executed(forked) == ["wait"]


def test_a_prompt_that_does_not_fit_without_any_turn_is_an_error_all_the_same() -> None:
    episode = play(ring("actor"), Narrow(0), on_overflow="truncate")
    assert (episode.end, episode.attempts[0].turns) == (End.MODEL_ERROR, ())


@pytest.mark.parametrize("who", ["actor", "critic"])
def test_ending_is_no_error(who: str) -> None:
    episode = play(ring(who), Narrow(4), on_overflow="end")
    attempt = only(episode)
    assert (episode.end, attempt.end, len(attempt.turns)) == (End.TRUNCATED, End.TRUNCATED, 4)
    assert "more than the 4" in str(attempt.error)


def test_truncating_changes_nothing_where_all_fits() -> None:
    plain, narrow = (play(ring("actor"), Narrow(99), on_overflow=p) for p in ("error", "truncate"))
    assert [c.messages for c in plain.calls] == [c.messages for c in narrow.calls]
