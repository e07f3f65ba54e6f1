"""Delivery: how a critique's words reach the actor's context, and until when they stand."""

from __future__ import annotations

from typing import Any

import pytest
from tests.support.scripts import Ring, actor, critic, only, says, standing, texts

from cornerman import Critique, Verdict
from cornerman.records import Attempt, ContextItem
from cornerman.suites import Rules

FOUR = Rules(max_turns=4)


def counted(view: Any, *subject: Any) -> Critique:
    return Critique(text=f"  said at {view.turn}\n")


def played(deliver: Any, moment: str = "review_turn", answer: Any = counted, **more: Any) -> tuple[Attempt, list[Any]]:
    """An attempt of four waits, and the context that the actor saw at each of them."""
    seen: list[list[ContextItem]] = []

    def act(view: Any) -> str:
        seen.append(view.context)
        return "wait"

    it = (critic(**{moment: answer}), {"deliver": deliver})
    return only(Ring(actor(act), rules=FOUR, it=it, **more).play()), seen


@pytest.mark.parametrize(("deliver", "placement"), [("append", "message"), ("suffix", "suffix"), ("system", "system")])
def test_words_are_added_where_the_setting_says(deliver: str, placement: str) -> None:
    attempt, seen = played(deliver)
    assert texts(seen[3]) == ["said at 1", "said at 2", "said at 3"]
    assert {i.placement for i in attempt.context} == {placement}
    assert [(i.at, i.until, i.source, i.role) for i in attempt.context] == [
        (n, None, "it", "guidance") for n in (1, 2, 3, 4)
    ]
    assert [i.critique for i in attempt.context] == [c.id for t in attempt.turns for c in t.critiques]
    assert all(c.delivered and c.suppressed is None for t in attempt.turns for c in t.critiques)


def test_replaced_words_leave_the_context_and_stay_in_the_record() -> None:
    attempt, seen = played("replace")
    assert [texts(s) for s in seen] == [[], ["said at 1"], ["said at 2"], ["said at 3"]]
    assert [(i.at, i.until) for i in attempt.context] == [(1, 2), (2, 3), (3, 4), (4, None)]
    ids = [i.critique for i in attempt.context]
    assert [i.replaced_by for i in attempt.context] == [*ids[1:], None]
    assert texts(standing(attempt)) == ["said at 4"]


def test_a_critic_replaces_its_own_words_alone() -> None:
    _, seen = played("replace", other=critic(review_turn=says("other")))
    assert texts(seen[2]) == ["other", "said at 2", "other"]


def test_words_on_one_moment_stand_together() -> None:
    """Two critiques of one moment are one message: the second does not take the place of the first."""
    two = lambda view, turn: [Critique(text=f"a{view.turn}"), Critique(text=f"b{view.turn}")]  # noqa: E731
    _, seen = played("replace", answer=two)
    assert [texts(s) for s in seen] == [[], ["a1", "b1"], ["a2", "b2"], ["a3", "b3"]]


def test_suppressed_words_are_recorded_and_not_seen() -> None:
    attempt, seen = played("suppress")
    assert (seen, attempt.context) == ([[], [], [], []], ())
    [critique] = attempt.turns[0].critiques
    assert (critique.text, critique.delivered, critique.suppressed) == ("  said at 1\n", False, "suppress")


@pytest.mark.parametrize(
    ("critique", "reason"),
    [
        (Critique(), "empty"),
        (Critique(score=0.3), "empty"),
        (Critique(text=" \n"), "empty"),
        (Critique(text="?", verdict=Verdict.UNPARSED), "unparsed"),
        (Critique(text="?", error="the critic says itself that it failed"), "error"),
        (Critique(text="well done", verdict=Verdict.PASS), None),
    ],
)
def test_why_words_after_a_turn_are_not_delivered(critique: Critique, reason: str | None) -> None:
    attempt, _ = played("append", answer=critique)
    assert attempt.turns[0].critiques[0].suppressed == reason


def test_a_pass_before_an_action_needs_no_words() -> None:
    attempt, seen = played("append", "review_action", Critique(text="fine", verdict=Verdict.PASS))
    assert attempt.turns[0].critiques[0].suppressed == "pass"
    assert seen[3] == []


def test_words_before_an_action_come_in_before_it() -> None:
    attempt, seen = played("append", "review_action")
    assert [i.at for i in attempt.context] == [0, 1, 2, 3]
    assert texts(seen[1]) == ["said at 0"]


def test_each_moment_may_have_its_own_delivery() -> None:
    both = critic(review_turn=says("after"), review_action=says("before"))
    table = {"deliver": {"review_action": "suppress", "all": "system"}}
    attempt = only(Ring(actor("wait"), rules=FOUR, it=(both, table)).play())
    assert {(i.text, i.placement) for i in attempt.context} == {("after", "system")}


def test_words_at_the_end_find_no_context() -> None:
    attempt, _ = played("append", "review_attempt")
    assert attempt.context == ()
    assert attempt.critiques[0].delivered
    hushed, _ = played("suppress", "review_attempt")
    assert (hushed.critiques[0].delivered, hushed.critiques[0].suppressed) == (False, "suppress")


def test_a_critic_does_not_choose_what_the_engine_fills_in() -> None:
    forged = Critique(
        text="hm", id=99, critic="actor", moment="review_attempt", delivered=True, suppressed="no", wrapped="oracle"
    )
    critique = played("suppress", answer=forged)[0].turns[0].critiques[0]
    assert (critique.id, critique.critic, critique.moment) == (0, "it", "review_turn")
    assert (critique.delivered, critique.suppressed, critique.wrapped) == (False, "suppress", None)
    assert critique.sees == ("history",)


def test_words_for_the_decision_alone_are_told_to_its_revisions_and_to_no_later_turn() -> None:
    acting: list[list[str]] = []
    revising: list[list[str]] = []

    def act(view: Any) -> str:
        acting.append(texts(view.context))
        return "wait"

    def revise(view: Any, candidates: Any, critiques: Any) -> str:
        revising.append(texts(view.context))
        return "wait"

    it = critic(review_action=lambda view, given: Critique(text=f"at {view.turn}", verdict=Verdict.REVISE))
    ring = Ring(actor(act, revise=revise), rules=Rules(max_turns=2), it=(it, {"deliver": "decision"}))
    episode = ring.play(review_rounds=2)
    attempt = only(episode)
    assert acting == [[], []]
    assert revising == [["at 0"], ["at 0", "at 0"], ["at 1"], ["at 1", "at 1"]]
    assert [(i.text, i.at, i.until, i.replaced_by) for i in attempt.context] == [
        ("at 0", 0, 1, None),
        ("at 0", 0, 1, None),
        ("at 1", 1, 2, None),
        ("at 1", 1, 2, None),
    ]
    assert all(c.delivered for t in attempt.turns for c in t.critiques)


def test_a_fork_finds_no_words_of_a_decision_that_is_over() -> None:
    seen: list[list[str]] = []

    def act(view: Any) -> str:
        seen.append(texts(view.context))
        return "wait"

    it = critic(review_action=says("no", verdict=Verdict.REVISE))
    ring = Ring(actor(act, revise="wait"), rules=FOUR, it=(it, {"deliver": "decision"}))
    episode = ring.play()
    seen.clear()
    ring.fork(episode, turn=2)
    assert seen == [[], []]


def test_words_for_a_decision_that_needs_no_revision_are_told_to_nobody() -> None:
    attempt, seen = played("decision", "review_action")
    assert {c.suppressed for t in attempt.turns for c in t.critiques} == {"no revision"}
    assert (attempt.context, seen[3]) == ((), [])


def test_delivery_for_a_decision_stands_elsewhere_as_appended_words_do() -> None:
    _, seen = played("decision")
    assert texts(seen[3]) == ["said at 1", "said at 2", "said at 3"]
