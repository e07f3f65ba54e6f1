"""Attempts: rounds, starts, what is carried, and which one counts."""

from __future__ import annotations

from typing import Any

import pytest
from tests.support import countdown
from tests.support.scripts import Ring, actor, critic, executed, plugin, protocol, says, texts

from cornerman import AttemptSpec, ContextItem, Critique, Start, Verdict
from cornerman.errors import End
from cornerman.records import Episode, LogEntry
from cornerman.suites import Rules

LOSES, WINS = ["down 2", "down 2", "down 2"], ["down 2", "down 2", "down 1"]
SIX = Rules(max_turns=6)


def by_attempt(*scripts: list[str]) -> type:
    """An actor with a script for every attempt."""
    return actor(lambda view: scripts[view.attempt][min(view.turn, len(scripts[view.attempt]) - 1)])


def spec(**fields: Any) -> AttemptSpec:
    return AttemptSpec(**fields)


def turn(attempt: int, k: int) -> Start:
    return Start(kind="turn", attempt=attempt, turn=k)


def planned(agent: type, *rounds: list[AttemptSpec], rules: Rules = SIX, **critics: Any) -> Episode:
    return Ring(agent, rules=rules, protocol=protocol(*rounds), **critics).play()


# -- rounds


def test_attempts_of_one_round_do_not_see_each_other() -> None:
    seen: list[Any] = []

    def look(view: Any) -> str:
        seen.append((view.attempt, [a.index for a in view.attempts]))
        return "down 2"

    looks = actor(look, sees=("attempts",))
    episode = planned(looks, [spec(), spec()], [spec()], rules=Rules(max_turns=1))
    assert seen == [(0, []), (1, []), (2, [0, 1])]
    assert [(a.index, a.path) for a in episode.attempts] == [(0, "0.0"), (1, "0.1"), (2, "1.0")]


def test_a_round_can_not_start_from_an_attempt_of_its_own() -> None:
    episode = planned(actor("wait"), [spec(), spec(start=turn(0, 1))])
    assert (episode.end, episode.error) == (
        End.CRITIC_ERROR,
        "an attempt was planned from attempt 0, which does not exist",
    )
    assert [a.index for a in episode.attempts] == [0]  # what was played stays


@pytest.mark.parametrize("answer", [None, [], ()])
def test_a_protocol_that_plans_nothing_is_in_error(answer: Any) -> None:
    episode = Ring(actor("wait"), protocol=plugin((), plan_attempts=answer)).play()
    assert (episode.end, episode.error, episode.counted) == (
        End.CRITIC_ERROR,
        "protocol 'scripted' planned no attempt",
        None,
    )


def test_what_is_no_plan_is_the_protocols_error() -> None:
    for answer, words in ((5, "answered int"), ([Start()], "answered Start"), (["again"], "answered str")):
        episode = Ring(actor("wait"), protocol=plugin((), plan_attempts=answer)).play()
        assert episode.end is End.CRITIC_ERROR
        assert words in (episode.error or "")


def test_an_error_ends_the_rounds() -> None:
    episode = planned(by_attempt(["wait"], ["boom"], ["wait"]), [spec(), spec(), spec()], [spec()])
    assert [a.end for a in episode.attempts] == [End.TRUNCATED, End.ENV_ERROR]
    assert (episode.end, episode.success, episode.score) == (End.ENV_ERROR, False, 0.0)


def test_groups_parents_and_critiques_of_a_spec_are_recorded() -> None:
    asked = spec(parent=0, critique=3, groups={"retry": "1"})
    first, second = planned(actor("wait"), [spec()], [asked]).attempts
    assert (second.parent, second.critique, second.groups) == (0, 3, {"retry": "1"})
    assert (first.parent, first.critique, first.groups) == (None, None, {})


# -- starts


def test_a_retry_from_reset_starts_anew() -> None:
    first, second = planned(by_attempt(LOSES, WINS), [spec()], [spec()]).attempts
    assert (executed(second), second.start, second.log[0]) == (WINS, Start(), first.log[0])


@pytest.mark.parametrize("k", [0, 1, 2, 3])
def test_a_retry_from_turn_k_replays_what_came_before(k: int) -> None:
    seen: list[Any] = []

    def act(view: Any) -> str:
        if view.attempt:
            seen.append((view.turn, view.observation, executed_of(view), len(view.history)))
        return (LOSES if view.attempt == 0 else WINS)[view.turn]

    def executed_of(view: Any) -> list[Any]:
        return [t.executed for t in view.history]

    first, second = planned(actor(act), [spec()], [spec(start=turn(0, k))]).attempts
    assert (second.start, second.parent) == (turn(0, k), 0)
    assert executed(second) == WINS[k:]
    assert [t.index for t in second.turns] == list(range(k, 3))
    assert second.log[:k] == first.log[:k]
    assert len(second.log) == 3
    assert second.end is (End.SUCCESS if k < 3 else End.FAILURE)  # after the end there is nothing to decide
    if k < 3:
        assert seen[0] == (k, f"The counter shows {5 - 2 * k}.", LOSES[:k], k)


def test_a_pivot_of_a_pivot_goes_back_through_its_parents() -> None:
    scripts = (
        ["wait", "wait", "down 2", "down 2", "down 2"],
        ["", "", "down 1", "wait"],
        ["", "", "", "down 2", "down 2"],
    )
    _, second, third = planned(
        by_attempt(*scripts), [spec()], [spec(start=turn(0, 2))], [spec(start=turn(1, 3))]
    ).attempts
    assert executed(second) == ["down 1", "wait", "wait", "wait"]
    assert [e.action for e in third.log] == ["wait", "wait", "down 1", "down 2", "down 2"]
    assert (executed(third), third.parent, third.end) == (["down 2", "down 2"], 1, End.SUCCESS)


def test_a_pivot_before_its_parents_own_start_is_the_grandparents_turn() -> None:
    _, second, third = planned(
        by_attempt(["wait", "down 2", "wait"], ["", "", "down 2", "down 1"], ["", "down 1"]),
        [spec()],
        [spec(start=turn(0, 2))],
        [spec(start=turn(1, 1))],
    ).attempts
    assert [e.action for e in second.log] == ["wait", "down 2", "down 2", "down 1"]
    assert [e.action for e in third.log][:2] == ["wait", "down 1"]


@pytest.mark.parametrize("k", [-1, 4, 99])
def test_a_turn_that_was_not_played_is_the_protocols_error(k: int) -> None:
    episode = planned(by_attempt(LOSES, WINS), [spec()], [spec(start=turn(0, k))])
    assert episode.error == f"attempt 0 has 3 turns; nothing can start after turn {k}"
    assert episode.end is End.CRITIC_ERROR


def test_turns_without_a_step_are_counted_and_not_replayed() -> None:
    from cornerman import Candidate

    def act(view: Any) -> Any:
        thought = Candidate(text="", thought="hm")
        return (["down 1", thought, "down 2"] if view.attempt == 0 else ["", "", "", "down 2"])[
            min(view.turn, 2 + view.attempt)
        ]

    first, second = planned(actor(act), [spec()], [spec(start=turn(0, 3))]).attempts
    assert [t.kind for t in first.turns[:3]] == ["act", "think", "act"]
    assert [e.action for e in second.log] == ["down 1", "down 2", "down 2"]
    assert second.turns[0].index == 3


def test_questions_asked_before_a_pivot_count_against_the_cap() -> None:
    from cornerman import Request

    asks = actor(Request(question="?"), Request(question="?"), "wait")
    ring = Ring(
        asks,
        rules=Rules(max_turns=3, requests=1),
        protocol=protocol([spec()], [spec(start=turn(0, 1))]),
        helper=critic(answer_request=says("go")),
    )
    second = ring.play().attempts[1]
    assert texts(second.context) == ["go", "No further questions are answered in this attempt."]


def test_a_prefix_is_played_before_the_first_decision() -> None:
    seen: list[Any] = []

    def act(view: Any) -> str:
        seen.append((view.turn, view.observation, [t.origin for t in view.history]))
        return "down 1"

    start = Start(kind="prefix", prefix=("down 2", "down 2"))
    [attempt] = planned(actor(act), [spec(start=start)]).attempts
    assert [(t.index, t.origin, t.executed) for t in attempt.turns] == [
        (0, "synthetic", "down 2"),
        (1, "synthetic", "down 2"),
        (2, "played", "down 1"),
    ]
    assert seen == [(2, "The counter shows 1.", ["synthetic", "synthetic"])]
    assert [(t.score, t.reward) for t in attempt.turns[:2]] == [
        (pytest.approx(0.4), pytest.approx(0.4)),
        (pytest.approx(0.8), pytest.approx(0.4)),
    ]
    assert {t.admissible_actions for t in attempt.turns} == {("down 1", "down 2", "wait")}
    assert (attempt.end, attempt.success, len(attempt.log), attempt.start) == (End.SUCCESS, True, 3, start)


def test_a_prefix_that_ends_the_task_leaves_nothing_to_decide() -> None:
    start = Start(kind="prefix", prefix=(*WINS, "down 2", "down 2"))
    diagnose = critic(review_attempt=says("that was all"))
    [attempt] = planned(actor("boom"), [spec(start=start)], it=diagnose).attempts
    assert (attempt.end, len(attempt.turns), texts(attempt.critiques)) == (End.SUCCESS, 3, ["that was all"])


def test_a_prefix_of_inadmissible_actions_is_played_as_it_is() -> None:
    [attempt] = planned(actor("wait"), [spec(start=Start(kind="prefix", prefix=("fly",)))]).attempts
    assert (attempt.turns[0].admissible, attempt.turns[0].observation) == (False, "Nothing happens.")


def test_a_prefix_longer_than_the_rules_is_out_of_turns() -> None:
    [attempt] = planned(actor("boom"), [spec(start=Start(kind="prefix", prefix=("wait",) * 9))]).attempts
    assert (attempt.end, len(attempt.turns)) == (End.TRUNCATED, 9)


def test_transforms_show_prefix_and_opening_alike() -> None:
    mark = critic(transform_observation=lambda view, observation: observation + "!")
    start = Start(kind="prefix", prefix=("down 2",))
    [attempt] = planned(actor("wait"), [spec(start=start)], it=mark).attempts
    assert attempt.opening_delivered == "The counter shows 5.!"
    assert attempt.turns[0].delivered == "The counter shows 3.!"


def test_a_fork_of_a_prefix_goes_back_to_it() -> None:
    start = Start(kind="prefix", prefix=("down 1", "down 1"))
    _, second = planned(
        by_attempt(["", "", "wait"], ["", "", "", "down 2"]), [spec(start=start)], [spec(start=turn(0, 3))]
    ).attempts
    assert [e.action for e in second.log][:4] == ["down 1", "down 1", "wait", "down 2"]


# -- words and states


def test_carried_words_stand_at_the_start() -> None:
    seen: list[Any] = []

    def act(view: Any) -> str:
        seen.append([(i.text, i.at, i.source) for i in view.context])
        return "wait"

    words = ContextItem(text="Count by two.", placement="system", at=99, until=3)
    two = Rules(max_turns=2)
    planned(
        actor(act), [spec(context=(words,))], [spec(start=turn(0, 1), context=(ContextItem(text="Now!"),))], rules=two
    )
    assert seen == [
        [("Count by two.", 0, "scripted")],
        [("Count by two.", 0, "scripted")],
        [("Count by two.", 0, "scripted"), ("Now!", 1, "scripted")],
    ]


def test_words_that_stand_already_are_not_carried_twice() -> None:
    again = ContextItem(text="hm", critique=0)
    speaks = critic(review_turn=says("hm"))
    _, second = planned(
        actor("wait"), [spec()], [spec(start=turn(0, 1), context=(again,))], rules=Rules(max_turns=1), it=speaks
    ).attempts
    assert texts(second.context) == ["hm"]


def test_words_and_states_are_those_of_the_pivot() -> None:
    seen: list[Any] = []

    def speak(view: Any, turn: Any) -> Critique:
        view.state["count"] = view.state.get("count", 0) + 1
        return Critique(text=f"said {view.state['count']}")

    def act(view: Any) -> str:
        if view.attempt:
            seen.append(texts(view.context))
        return "wait"

    first, second = planned(
        actor(act), [spec()], [spec(start=turn(0, 2))], rules=Rules(max_turns=4), it=critic(review_turn=speak)
    ).attempts
    assert seen == [["said 1", "said 2"], ["said 1", "said 2", "said 3"]]
    assert texts(first.context) == texts(second.context) == [f"said {n}" for n in (1, 2, 3, 4)]
    assert first.turns[3].state == second.turns[1].state == {"critic/it": {"count": 4}}


def test_words_before_the_next_action_are_not_those_of_the_pivot() -> None:
    """They came in after as many turns, but after the pivot: the critic says them anew."""
    speak = critic(review_action=lambda view, candidates: Critique(text=f"a{view.attempt}{view.turn}"))
    _, second = planned(actor("wait"), [spec()], [spec(start=turn(0, 1))], rules=Rules(max_turns=2), it=speak).attempts
    assert texts(second.context) == ["a00", "a11"]


def test_replaced_words_stand_again_where_they_stood_at_the_pivot() -> None:
    seen: list[Any] = []

    def act(view: Any) -> str:
        if view.attempt:
            seen.append(texts(view.context))
        return "wait"

    def speak(name: str) -> Any:
        return lambda view, *subject: Critique(text=f"{name}{view.attempt}{view.turn}")

    both = (critic(review_action=speak("a"), review_turn=speak("t")), {"deliver": "replace"})
    _, second = planned(actor(act), [spec()], [spec(start=turn(0, 2))], rules=Rules(max_turns=3), it=both).attempts
    assert seen == [["t02"]]
    assert [(i.text, i.at, i.until) for i in second.context] == [
        ("a00", 0, 1),
        ("t01", 1, 1),
        ("a01", 1, 2),
        ("t02", 2, 2),
        ("a12", 2, 3),
        ("t13", 3, None),
    ]


def test_attempts_from_reset_begin_with_the_states_of_the_task_start() -> None:
    seen: list[Any] = []

    def start(view: Any) -> None:
        view.state["seen"] = ["start"]

    def after(view: Any, turn: Any) -> None:
        seen.append(list(view.state["seen"]))
        view.state["seen"].append(view.attempt)

    both = critic(on_task_start=start, review_turn=after)
    episode = planned(actor("wait"), [spec(), spec()], [spec(start=turn(1, 1))], rules=Rules(max_turns=2), it=both)
    assert seen == [["start"], ["start", 0], ["start"], ["start", 1], ["start", 1]]
    assert episode.attempts[0].opening_state == {"critic/it": {"seen": ["start"]}}


def test_states_of_the_task_start_reach_a_pivot_before_any_turn() -> None:
    seen: list[Any] = []
    start = lambda view: view.state.update(seen="start")  # noqa: E731
    after = lambda view, turn: seen.append(dict(view.state))  # noqa: E731
    both = critic(on_task_start=start, review_turn=after)
    planned(actor("wait"), [spec()], [spec(start=turn(0, 0))], rules=Rules(max_turns=1), it=both)
    assert seen == [{"seen": "start"}] * 2


def test_a_tampered_log_is_not_reproducible() -> None:
    """The engine trusts the record no further than the hashes go."""

    def plan(view: Any) -> Any:
        scope = view._branch.scope
        if not scope.attempts:
            return [spec()]
        import msgspec

        log = list(scope.attempts[0].log)
        log[1] = LogEntry(action=log[1].action, hash="0" * 16)
        scope.attempts[0] = msgspec.structs.replace(scope.attempts[0], log=tuple(log))
        return [spec(start=turn(0, 3))]

    episode = Ring(actor("wait"), rules=SIX, protocol=plugin((), plan_attempts=plan)).play()
    assert episode.end is End.NOT_REPRODUCIBLE
    assert "after turn 1 ('wait')" in (episode.error or "")


# -- what counts


@pytest.mark.parametrize(
    ("rule", "scores", "index"),
    [
        ("first", (None, None, None), 0),
        ("last", (None, None, None), 2),
        ("selected", (0.9, 0.1, 0.5), 0),
        ("selected", (None, 0.1, None), 1),
        ("selected", (0.5, 0.5, 0.1), 1),
        ("selected", (None, None, None), 2),
        ("best", (None, None, None), 1),
    ],
)
def test_which_attempt_counts(rule: str, scores: tuple[float | None, ...], index: int) -> None:
    grader = critic(review_attempt=lambda view, attempt: Critique(score=scores[view.attempt]))
    ring = Ring(by_attempt(["down 2", "wait"], WINS, LOSES), rules=SIX, protocol=protocol([spec()] * 3), grader=grader)
    episode = ring.play(counted=rule)
    assert (episode.counted, episode.counted_rule) == (index, rule)
    assert (episode.success, episode.end) == ((index == 1), episode.attempts[index].end)
    assert ring.method(counted=rule).privileged == (rule == "best")


def test_best_takes_the_earliest_of_equals_and_success_before_score() -> None:
    ring = Ring(
        by_attempt(["wait"], ["down 2", "wait"], ["down 2", "wait"]), rules=SIX, protocol=protocol([spec()] * 3)
    )
    assert ring.play(counted="best").counted == 1


@pytest.mark.parametrize(
    ("until", "verdicts", "attempts"),
    [
        ("n", ["pass"], 3),
        ("critic_pass", ["revise", "pass"], 2),
        ("critic_pass", ["revise"], 3),
        ("critic_pass", [None], 3),
        ("success", [None], 2),
    ],
)
def test_retry_until(until: str, verdicts: list[Any], attempts: int) -> None:
    def judge(view: Any, attempt: Any) -> Critique:
        verdict = verdicts[min(view.attempt, len(verdicts) - 1)]
        return Critique(verdict=None if verdict is None else Verdict(verdict), text=f"end of {view.attempt}")

    ring = Ring(by_attempt(LOSES, WINS, WINS), rules=SIX, judge=critic(review_attempt=judge))
    ring.table["protocol"] = {"use": "retry", "attempts": 3, "until": until}
    episode = ring.play()
    assert len(episode.attempts) == attempts
    assert ring.method().privileged == (until == "success")
    second = episode.attempts[1]
    assert [(i.text, i.placement, i.source, i.critique) for i in second.context] == [
        ("end of 0", "system", "judge", episode.attempts[0].critiques[0].id)
    ]


def test_retry_from_the_pivot_that_a_critic_named() -> None:
    ring = Ring(
        by_attempt(LOSES, WINS),
        rules=SIX,
        judge=critic(review_attempt=says("the last step was too long", pivot=2)),
    )
    ring.table["protocol"] = {"use": "retry", "attempts": 2, "start": "pivot"}
    episode = ring.play(countdown.task())
    assert (episode.success, executed(episode.attempts[1]), episode.attempts[1].start) == (True, ["down 1"], turn(0, 2))
    assert [(i.text, i.at) for i in episode.attempts[1].context] == [("the last step was too long", 2)]
