"""Forks whose first decision is kept: choice and review stand, with other words in them or another critic asked."""

from __future__ import annotations

import dataclasses
from typing import Any

import msgspec
import pytest
from tests.harness.engine.test_fork import RING, same_end
from tests.support import countdown
from tests.support.scripted_model import ScriptedModel
from tests.support.scripts import Ring, actor, critic, executed, protocol, texts

from cornerman import AttemptSpec, Critique
from cornerman.engine.instance import Instance
from cornerman.engine.wrappers import placebo
from cornerman.errors import End, UsageError
from cornerman.records import ContextItem, Message
from cornerman.suites import Rules

LUCKY = ("wait", "down 1", "down 2")


def luck(view: Any) -> str:
    """A choice that no other place repeats."""
    return str(view.rng().choice(LUCKY))


def told(view: Any, candidates: Any, critiques: Any) -> str:
    """Does what the last critique suggests, else tries its luck again."""
    return critiques[-1].suggestion or luck(view)


def doubt(view: Any, candidates: Any) -> Critique:
    return Critique(verdict="revise", text="go down by two", suggestion="down 2")


def ring(**settings: Any) -> Ring:
    return Ring(actor(luck, revise=told), rules=Rules(max_turns=6), doubts=(critic(review_action=doubt), settings))


def test_a_kept_decision_reproduces_the_record_at_every_turn() -> None:
    """The method of the fork's tests has everything: chance, states, several critics, thoughts and questions."""
    for seed in range(6):
        episode = RING.play(countdown.task(8), bench=RING.bench(seed=seed), review_rounds=2)
        for index, attempt in enumerate(episode.attempts):
            first = attempt.start.turn if attempt.start.kind == "turn" else 0
            for turn in attempt.turns:
                if turn.kind == "act" and turn.origin == "played" and turn.candidates:
                    kept = RING.fork(episode, index, turn.index, keep=True, protocol={"review_rounds": 2}).attempt
                    same_end(kept, attempt, turn.index)
                    assert turn.index >= first


def test_the_choice_stands_in_every_sample_and_chance_begins_after_it() -> None:
    lucky = ring(trigger={"every": 100})  # the critic speaks before the first turn alone
    episode = lucky.play(countdown.task(30))
    own = episode.attempts[0].turns[1].candidates
    played = [lucky.fork(episode, 0, 1, keep=True, sample=n).attempt for n in range(8)]
    assert {a.turns[0].candidates for a in played} == {own}
    assert {a.turns[0].executed for a in played} == {own[0].text}
    assert len({tuple(executed(a)[1:]) for a in played}) == 8
    free = [lucky.fork(episode, 0, 1, sample=n).attempt.turns[0].executed for n in range(8)]
    assert len(set(free)) > 1


def test_a_critique_in_the_place_of_another_is_what_the_actor_answers() -> None:
    follows = ring()
    episode = follows.play(countdown.task(30))
    said = episode.attempts[0].turns[2].critiques[0]
    words = follows.fork(episode, 0, 2, keep=True).attempt.turns[0]
    assert (words.executed, texts(words.critiques)) == ("down 2", ["go down by two"])
    filler = follows.fork(episode, 0, 2, keep=True, replaced={said.id: placebo(said)}).attempt.turns[0]
    [critique] = filler.critiques
    assert critique.delivered
    assert critique.verdict == said.verdict
    assert critique.suggestion is None
    assert len(critique.text.split()) == len(said.text.split())
    assert len(filler.revisions) == 1, "the actor is sent back all the same"
    silent = follows.fork(episode, 0, 2, keep=True, without=[said.id]).attempt.turns[0]
    assert (silent.critiques, silent.revisions) == ((), ())
    assert silent.executed == episode.attempts[0].turns[2].candidates[0].text


def test_a_critic_whose_words_are_left_out_has_spoken_all_the_same() -> None:
    """Else one that may speak twice would speak a turn later instead."""
    twice = ring(budget=2)
    episode = twice.play(countdown.task(30))
    said = [c for t in episode.attempts[0].turns for c in t.critiques]
    assert len(said) == 2
    fork = twice.fork(episode, 0, 1, keep=True, without=[said[1].id]).attempt
    assert not any(t.critiques for t in fork.turns)
    asked = twice.fork(episode, 0, 1, without=[said[1].id]).attempt
    assert [len(t.critiques) for t in asked.turns] == [0, 1, 0, 0, 0]


def test_standing_words_are_exchanged_in_context_and_history() -> None:
    seen: list[Any] = []

    def look(view: Any) -> str:
        seen.append((texts(view.context), [c.text for t in view.history for c in t.critiques]))
        return "wait"

    talks = Ring(
        actor(look), rules=Rules(max_turns=3), it=critic(review_turn=lambda view, turn: Critique(text=f"t{view.turn}"))
    )
    episode = talks.play()
    said = episode.attempts[0].turns[0].critiques[0]
    seen.clear()
    talks.fork(episode, 0, 1, replaced={said.id: msgspec.structs.replace(said, text="other")})
    assert seen == [(["other"], ["other"]), (["other", "t2"], ["other", "t2"])]


@pytest.mark.parametrize("currency", ["steps", "calls"])
def test_a_budget_is_what_was_left_of_it(currency: str) -> None:
    """Seven of five turns in a first attempt and as many in a second; what came before the fork is spent."""

    async def act(view: Any) -> str:
        await view.model.generate([Message(role="user", content=view.observation)])
        return "wait"

    twice = protocol([AttemptSpec()], [AttemptSpec()])
    costly = Ring(actor(act), rules=Rules(max_turns=5), protocol=twice)
    costly.table["actor"] = {"use": "scripted", "model": "scripted"}
    options = {"spend": {currency: 7}}
    bench = costly.bench(model=lambda uri: ScriptedModel("wait"))
    episode = costly.play(countdown.task(30), bench=bench, **options)
    assert [len(a.turns) for a in episode.attempts] == [5, 2]
    for attempt, turn, left in ((1, 0, 2), (1, 1, 1), (0, 3, 2)):
        fork = costly.fork(episode, attempt, turn, bench=bench, protocol=options)
        assert len(fork.attempt.turns) == len(fork.calls) == left
    assert costly.fork(episode, 1, 2, bench=bench, protocol=options).attempt.end is End.TRUNCATED


def asking(made: Ring, label: str, **changes: Any) -> Instance:
    """A critic of a ring under other settings."""
    found = next(c for c in made.method().critics if c.label == label)
    return dataclasses.replace(found, settings=msgspec.structs.replace(found.settings, **changes))


def test_a_critic_can_be_asked_after_a_turn_whatever_its_trigger_says() -> None:
    rare = Ring(
        actor("wait"),
        rules=Rules(max_turns=4),
        it=(critic(review_turn=lambda view, turn: Critique(text=f"after {turn.index}")), {"trigger": {"every": 100}}),
    )
    episode = rare.play()
    assert not any(t.critiques for t in episode.attempts[0].turns)
    fork = rare.fork(episode, 0, 2, ask=asking(rare, "it", trigger={}))
    assert texts(fork.said) == ["after 1"]
    assert [(i.text, i.at) for i in fork.attempt.context] == [("after 1", 2)]
    assert not any(t.critiques for t in fork.attempt.turns), "its trigger holds again"


def test_a_critic_can_be_asked_before_an_action_once() -> None:
    rare = ring(trigger={"every": 100})
    episode = rare.play(countdown.task(30))
    fork = rare.fork(episode, 0, 2, keep=True, ask=asking(rare, "doubts", trigger={})).attempt
    assert texts(fork.turns[0].critiques) == ["go down by two"]
    assert fork.turns[0].executed == "down 2"
    assert fork.turns[0].candidates == episode.attempts[0].turns[2].candidates
    assert not any(t.critiques for t in fork.turns[1:])


def test_there_must_be_a_choice_to_keep() -> None:
    made = ring()
    episode = made.play(countdown.task(30))
    with pytest.raises(UsageError, match="no choice of the actor's to keep"):
        made.fork(episode, 0, len(episode.attempts[0].turns), keep=True)


def test_words_may_be_added_where_others_are_replaced() -> None:
    made = ring()
    episode = made.play(countdown.task(30))
    said = episode.attempts[0].turns[0].critiques[0]
    words = [ContextItem(text="Count!")]
    fork = made.fork(episode, 0, 1, words=words, replaced={said.id: placebo(said)}).attempt
    assert [i.text for i in fork.context if i.at <= 1][:2] == [placebo(said).text, "Count!"]
