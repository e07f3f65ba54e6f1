"""The actor asks a critic instead of acting."""

from __future__ import annotations

from typing import Any

from tests.support.scripts import Ring, actor, critic, only, says, texts

from cornerman import Candidate, Critique, Request
from cornerman.errors import End
from cornerman.suites import Rules

ASK = Request(question="What now?")
NOBODY = "No one can answer that."


def played(agent: type, rules: Rules | None = None, **critics: Any) -> Any:
    return only(Ring(agent, rules=rules or Rules(max_turns=4), **critics).play())


def test_an_answer_costs_a_decision_and_no_step() -> None:
    asked: list[Any] = []

    def answer(view: Any, request: Request) -> Critique:
        asked.append((view.turn, request))
        return Critique(text="Count down.")

    attempt = played(actor(ASK, "down 1"), helper=critic(answer_request=answer))
    turn = attempt.turns[0]
    assert (turn.kind, turn.request, turn.executed, turn.candidates) == ("request", ASK, None, ())
    assert (len(attempt.turns), len(attempt.log)) == (4, 3)
    assert asked == [(0, ASK)]
    [critique] = turn.critiques
    assert (critique.moment, critique.delivered) == ("answer_request", True)
    [item] = attempt.context
    assert (item.text, item.source, item.at, item.critique) == ("Count down.", "helper", 1, critique.id)


def test_the_actor_reads_the_answer_at_its_next_decision() -> None:
    seen: list[Any] = []

    def act(view: Any) -> Any:
        seen.append([(i.text, i.at == view.turn) for i in view.context])
        return ASK if view.turn == 0 else "wait"

    played(actor(act), helper=critic(answer_request=says("Count down.")))
    assert seen[:3] == [[], [("Count down.", True)], [("Count down.", False)]]


def test_only_critics_that_answer_are_asked_and_the_first_of_them() -> None:
    attempt = played(
        actor(ASK, "wait"),
        silent=critic(review_turn=None),
        first=critic(answer_request=says("from the first")),
        second=critic(answer_request=says("from the second")),
    )
    assert texts(attempt.context) == ["from the first"]


def test_a_target_is_asked_by_its_label() -> None:
    both = {"first": critic(answer_request=says("1")), "second": critic(answer_request=says("2"))}
    assert texts(played(actor(Request(question="?", target="second"), "wait"), **both).context) == ["2"]
    unknown = played(actor(Request(question="?", target="third"), "wait"), **both)
    assert [(i.text, i.source, i.at, i.critique) for i in unknown.context] == [(NOBODY, "engine", 1, None)]


def test_without_anyone_to_ask_the_actor_is_told_so() -> None:
    assert texts(played(actor(ASK, "wait")).context) == [NOBODY]


def test_none_an_error_and_a_trigger_that_does_not_hold_are_no_answer() -> None:
    def broken(*given: Any) -> Any:
        raise ValueError("boom")

    for settings, hook in (
        ({}, None),
        ({}, broken),
        ({"budget": 0}, says("never")),
        ({"deliver": "suppress"}, says("x")),
    ):
        ring = Ring(actor(ASK, "wait"), rules=Rules(max_turns=2), it=(critic(answer_request=hook), settings))
        assert texts(only(ring.play(on_critic_error="continue")).context) == [NOBODY]


def test_requests_are_capped_by_the_rules() -> None:
    rules = Rules(max_turns=5, requests=2)
    attempt = played(actor(ASK), rules, helper=critic(answer_request=says("Go on.")))
    assert texts(attempt.context) == ["Go on."] * 2 + ["No further questions are answered in this attempt."] * 3
    assert [len(t.critiques) for t in attempt.turns] == [1, 1, 0, 0, 0]
    assert (attempt.end, len(attempt.log)) == (End.TRUNCATED, 0)


def test_no_critic_reviews_a_question_or_a_thought() -> None:
    moments: list[str] = []
    watch = critic(
        review_action=lambda view, candidates: moments.append("action"),
        review_turn=lambda view, turn: moments.append("turn"),
        answer_request=lambda view, request: moments.append("request"),
    )
    played(actor(ASK, Candidate(text="", thought="hm"), "wait", "wait"), watch=watch)
    assert moments == ["request", *["action", "turn"] * 2]


def test_a_bad_request_is_the_actors_error() -> None:
    episode = Ring(actor(Request(question=5))).play()  # type: ignore[arg-type]
    assert episode.end is End.ACTOR_ERROR
    assert episode.error == (
        "actor 'scripted' answered a bad Request in act: Expected `str`, got `int` - at `$.question`"
    )
