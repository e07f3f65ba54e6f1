"""Triggers, budgets and cooldowns: on which turns a critic speaks."""

from __future__ import annotations

from typing import Any

import pytest
from tests.support import countdown
from tests.support.scripts import Ring, actor, critic, only, says

from cornerman import Candidate, Critique, Request
from cornerman.errors import End, UsageError
from cornerman.records import Attempt
from cornerman.suites import Rules

WAITS = actor("wait")
EIGHT = Rules(max_turns=8)


def spoke(attempt: Attempt, moment: str = "review_turn", label: str = "it") -> list[int]:
    """Indices of the turns in which a critic spoke."""
    return [t.index for t in attempt.turns for c in t.critiques if c.moment == moment and c.critic == label]


def fired(trigger: Any = None, agent: type = WAITS, moment: str = "review_turn", **settings: Any) -> list[int]:
    """The turns in which a critic that always has something to say was asked."""
    speaker = critic(**{moment: says("hm")})
    table = settings if trigger is None else {"trigger": trigger, **settings}
    return spoke(only(Ring(agent, rules=EIGHT, it=(speaker, table)).play()), moment)


def test_without_a_trigger_it_always_speaks() -> None:
    assert fired() == list(range(8))


def test_every_counts_turns_from_before_the_first_action_and_after_the_kth() -> None:
    assert fired({"every": 3}, moment="review_action") == [0, 3, 6]
    assert fired({"every": 3}) == [2, 5]  # after 3 and 6 turns
    assert fired({"every": 1}) == list(range(8))


def test_every_says_nothing_of_ends_and_requests() -> None:
    asks = actor("wait", Request(question="what now?"), "wait")
    both = critic(answer_request=says("go on"), review_attempt=says("slow"))
    attempt = only(Ring(asks, rules=EIGHT, it=(both, {"trigger": {"every": 5}})).play())
    assert (spoke(attempt, "answer_request"), len(attempt.critiques)) == ([1], 1)


def test_turns_left() -> None:
    assert fired({"turns_left": 2}, moment="review_action") == [6, 7]
    assert fired({"turns_left": 2}) == [5, 6, 7]


def test_loop_counts_the_same_action_with_the_same_observation() -> None:
    assert fired({"loop": 3}) == list(range(2, 8))
    assert fired({"loop": 2}, actor("wait", "down 1", "wait", "fly", "fly", "wait", "down 1", "down 1")) == [2, 4, 5]
    assert fired({"loop": 1}, moment="review_action") == list(range(1, 8))


def test_low_score_hears_all_critics_of_turns() -> None:
    scores = iter([0.9, 0.1, 0.1, 0.1, 0.8, 0.2, 0.1, 0.1])
    grader = critic(review_turn=lambda view, turn: Critique(score=next(scores)))
    ring = Ring(
        WAITS,
        rules=EIGHT,
        grader=grader,
        it=(critic(review_action=says("hm")), {"trigger": {"low_score": {"below": 0.5, "last": 2}}}),
    )
    assert spoke(only(ring.play()), "review_action") == [3, 4, 7]


def test_low_score_hears_neither_candidates_nor_errors() -> None:
    def graded(view: Any, *subject: Any) -> Critique:
        return Critique(score=0.0, error="it could not be read" if view.turn < 4 else None)

    graders = {
        "candidates": critic(review_action=says("", score=0.0)),
        "errors": critic(review_turn=graded),
        "it": (critic(review_turn=says("hm")), {"trigger": {"low_score": {"below": 0.5}}}),
    }
    assert spoke(only(Ring(WAITS, rules=EIGHT, **graders).play())) == [4, 5, 6, 7]


def test_entropy_is_that_of_the_actors_choice() -> None:
    def act(view: Any) -> list[Candidate]:
        return [Candidate(text="wait", entropy=view.turn / 10), Candidate(text="wait", entropy=0.75 - view.turn / 10)]

    ring_of = {"agent": actor(act)}
    assert fired({"entropy": 0.5}, moment="review_action", **ring_of) == [5, 6, 7]
    assert fired({"entropy": 0.5}, **ring_of) == [5, 6, 7]
    second = critic(review_action=lambda view, candidates: [Critique(score=0.0), Critique(score=1.0)])
    ring = Ring(
        actor(act), rules=EIGHT, picks=second, it=(critic(review_turn=says("hm")), {"trigger": {"entropy": 0.5}})
    )
    assert spoke(only(ring.play())) == [0, 1, 2]  # of the candidate that was chosen
    assert fired({"entropy": 0.0}) == []  # an actor that gives none is never known to be unsure


def test_between_two_entropies_it_is_drawn_with_a_rising_probability() -> None:
    def act(view: Any) -> Candidate:
        return Candidate(text="wait", entropy=(view.turn % 10) / 10)

    two = {"entropy": 0.2, "entropy_up": 0.8}
    ring = Ring(actor(act), rules=Rules(max_turns=4000), it=(critic(review_turn=says("hm")), {"trigger": two}))
    turns = spoke(only(ring.play()))
    assert turns == spoke(only(ring.play()))
    share = [sum(t % 10 == tenth for t in turns) / 400 for tenth in range(10)]
    assert share[:3] == [0, 0, 0]
    assert share[8:] == [1, 1]
    for tenth in range(3, 8):
        assert share[tenth] == pytest.approx((tenth - 2) / 6, abs=0.1), tenth
    assert spoke(only(ring.play(bench=ring.bench(seed=1)))) != turns


@pytest.mark.parametrize("trigger", [{"entropy_up": 1.0}, {"entropy": 1.0, "entropy_up": 1.0}])
def test_an_upper_entropy_stands_above_a_lower_one(trigger: dict[str, float]) -> None:
    with pytest.raises(UsageError, match=r"trigger: .*entropy_up is above entropy"):
        fired(trigger)


@pytest.mark.parametrize(
    ("script", "failure", "success"),
    [(["down 2", "down 2", "down 1"], [], [2]), (["down 2", "down 2", "down 2"], [2], []), (["wait"], [], [])],
)
def test_on_the_outcome_it_speaks_at_the_end_alone(script: list[str], failure: list[int], success: list[int]) -> None:
    both = critic(review_turn=says("hm"), review_attempt=says("so"), review_action=says("never"))
    for on, turns in (("failure", failure), ("success", success)):
        episode = Ring(actor(*script), rules=EIGHT, it=(both, {"trigger": {"on": on}})).play()
        attempt = only(episode)
        assert spoke(attempt) == turns
        assert spoke(attempt, "review_action") == []
        assert len(attempt.critiques) == ((episode.end is End.SUCCESS) == (on == "success"))


def test_random_is_drawn_from_the_seed_and_at_its_rate() -> None:
    speaker = (critic(review_turn=says("hm"), review_action=says("hm")), {"trigger": {"random": 0.3}})
    ring = Ring(WAITS, rules=Rules(max_turns=400), it=speaker)
    one, same = only(ring.play()), only(ring.play())
    other = only(ring.play(bench=ring.bench(seed=1)))
    assert spoke(one) == spoke(same) != spoke(other)
    assert 80 < len(spoke(one)) < 160
    after, before = set(spoke(one)), set(spoke(one, "review_action"))
    assert after != before
    assert {t + 1 for t in after} != before  # the moments after turn t and before turn t+1 draw for themselves
    assert fired({"random": 0.0}) == []
    assert fired({"random": 1.0}) == list(range(8))


def test_conditions_hold_together() -> None:
    assert fired({"every": 2, "turns_left": 3}) == [5, 7]


def test_budget_counts_an_attempts_utterances_by_moment() -> None:
    assert fired(budget=2) == [0, 1]
    assert fired({"every": 3}, moment="review_action", budget=2) == [0, 3]
    assert fired(budget=0) == []
    both = (critic(review_turn=says("hm"), review_action=says("hm")), {"budget": 1})
    attempt = only(Ring(WAITS, rules=EIGHT, it=both).play())
    assert (spoke(attempt), spoke(attempt, "review_action")) == ([0], [0])


def test_cooldown_leaves_turns_in_peace() -> None:
    assert fired(cooldown=1) == [0, 2, 4, 6]
    assert fired({"loop": 2}, cooldown=2) == [1, 4, 7]
    assert fired(cooldown=3, budget=2) == [0, 4]


def test_each_moment_may_have_its_own() -> None:
    both = critic(review_turn=says("hm"), review_action=says("hm"))
    table = {"trigger": {"review_action": {"every": 4}, "all": {"turns_left": 1}}}
    attempt = only(Ring(WAITS, rules=EIGHT, it=(both, table)).play())
    assert (spoke(attempt, "review_action"), spoke(attempt)) == ([0, 4], [6, 7])
    alone = only(Ring(WAITS, rules=EIGHT, it=(both, {"trigger": {"review_action": {"every": 4}}})).play())
    assert (spoke(alone, "review_action"), spoke(alone)) == ([0, 4], list(range(8)))


def test_a_transform_has_a_trigger_too() -> None:
    louder = critic(transform_observation=lambda view, observation: observation.upper())
    attempt = only(Ring(WAITS, rules=EIGHT, it=(louder, {"trigger": {"every": 3}})).play())
    assert attempt.opening_delivered is None
    assert [t.index for t in attempt.turns if t.delivered is not None] == [2, 5]


def test_what_a_trigger_sees_joins_the_methods_information_and_not_the_critics_view() -> None:
    seen: list[Any] = []

    def look(view: Any, turn: Any) -> None:
        seen.append((turn.score, view.history[-1].score))

    ring = Ring(actor("down 2", "down 2", "down 1"), it=(critic(review_turn=look), {"trigger": {"on": "success"}}))
    assert ring.method().privileged
    assert ring.method().information == ["admissible", "attempts", "history", "score"]
    assert only(ring.play()).turns[2].critiques == ()
    assert seen == [(None, None)]
    unsure = Ring(WAITS, it=(critic(review_turn=None), {"trigger": {"entropy": 1.0}})).method()
    assert (unsure.information, unsure.privileged) == (["admissible", "attempts", "history", "logprobs"], False)
    assert not Ring(WAITS, it=critic(review_turn=None)).method().privileged
    oracle = Ring(WAITS, it=(critic(review_turn=None), {"wrap": "oracle"})).method()
    assert (oracle.privileged, "gold" in oracle.information) == (True, True)


def test_a_retry_starts_with_a_new_budget_and_a_fork_with_what_was_left() -> None:
    from tests.support.scripts import protocol

    from cornerman import AttemptSpec, Start

    again = protocol([AttemptSpec()], [AttemptSpec(), AttemptSpec(start=Start(kind="turn", attempt=0, turn=2))])
    ring = Ring(WAITS, rules=EIGHT, protocol=again, it=(critic(review_turn=says("hm")), {"budget": 3}))
    first, reset, fork = ring.play(countdown.task()).attempts
    assert (spoke(first), spoke(reset), spoke(fork)) == ([0, 1, 2], [0, 1, 2], [2])
