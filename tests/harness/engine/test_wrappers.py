"""Control conditions: the words of a critic changed, and not that it spoke."""

from __future__ import annotations

from typing import Any

import pytest
from tests.support import countdown
from tests.support.scripts import Ring, actor, critic, only, says, texts

from cornerman import Critique, Verdict
from cornerman.engine.wrappers import GENERIC, Shuffler, Utterance, utterances
from cornerman.errors import UsageError
from cornerman.records import Attempt, Episode
from cornerman.suites import Rules

FOUR = Rules(max_turns=4)
ADVICE: dict[str, Any] = {
    "suggestion": "down 2",
    "score": 0.7,
    "grades": {"good": 0.7},
    "pivot": 0,
    "confidence": 0.5,
    "data": {"plan": ["down 2"]},
}


def advise(view: Any, *subject: Any) -> Critique:
    return Critique(text=f"Please do `down 2` now, number {view.turn}.", **ADVICE)


def wrapped(wrap: Any, moment: str = "review_turn", answer: Any = advise, agent: Any = None, **more: Any) -> Attempt:
    it = (critic(**{moment: answer}), {"wrap": wrap})
    return only(Ring(agent or actor("wait"), rules=FOUR, it=it).play(**more))


def critiques(attempt: Attempt) -> list[Critique]:
    return [c for t in attempt.turns for c in t.critiques]


def test_the_original_words_stay_in_the_record() -> None:
    for critique in critiques(wrapped("generic")):
        assert (critique.wrapped, critique.text) == ("generic", GENERIC)
        assert critique.original is not None
        assert critique.original.startswith("Please do")
        assert critique.delivered


def test_a_placebo_is_as_long_and_says_nothing() -> None:
    for critique in critiques(wrapped("placebo")):
        assert len(critique.text.split()) == len((critique.original or "").split()) == 7
        assert "down" not in critique.text
    long = critiques(wrapped("placebo", answer=says("word " * 500)))[0]
    assert len(long.text.split()) == 500


@pytest.mark.parametrize("wrap", ["placebo", "generic"])
def test_nothing_else_of_the_critique_is_left_to_follow(wrap: str) -> None:
    for critique in critiques(wrapped(wrap)):
        kept = (
            critique.suggestion,
            critique.score,
            critique.grades,
            critique.pivot,
            critique.confidence,
            critique.data,
        )
        assert kept == (None, None, {}, None, None, {})


@pytest.mark.parametrize("wrap", ["placebo", "generic", "deceptive", "oracle"])
def test_a_control_is_silent_where_the_critic_was(wrap: str) -> None:
    attempt = wrapped(wrap, answer=says("", score=0.5))
    assert texts(critiques(attempt)) == [""] * 4
    assert attempt.context == ()


def test_verdicts_stay_and_a_replacement_asks_for_a_revision() -> None:
    blocked = wrapped("placebo", "review_action", says("Never!", verdict=Verdict.BLOCK), on_block="noop")
    assert [t.executed for t in blocked.turns] == [None] * 4
    agent = actor("wait", revise="down 1")
    asked = wrapped("generic", "review_action", says("no", verdict="replace", suggestion="down 2"), agent)
    assert [t.executed for t in asked.turns] == ["down 1"] * 4
    assert critiques(asked)[0].verdict is Verdict.REVISE


def test_deceptive_recommends_another_admissible_action() -> None:
    for critique in critiques(wrapped("deceptive", answer=says("Do `down 1` or else.", suggestion="down 2"))):
        assert (critique.suggestion, critique.text) == ("wait", "Do this next: `wait`")


def test_deceptive_without_another_action_is_general() -> None:
    assert critiques(wrapped("deceptive", answer=says("wait, down 1, down 2")))[0].text == GENERIC


def test_deceptive_draws_from_the_seed() -> None:
    def drawn(seed: int) -> list[str | None]:
        ring = Ring(
            actor("wait"), rules=Rules(max_turns=20), it=(critic(review_turn=says("Go!")), {"wrap": "deceptive"})
        )
        return [c.suggestion for c in critiques(only(ring.play(bench=ring.bench(seed=seed))))]

    assert drawn(0) == drawn(0) != drawn(1)
    assert set(drawn(0)) == {"down 1", "down 2", "wait"}


def test_delayed_words_are_those_of_some_utterances_ago() -> None:
    attempt = wrapped({"use": "delayed", "turns": 2})
    assert texts(critiques(attempt)) == ["", "", *(f"Please do `down 2` now, number {n}." for n in (1, 2))]
    late = critiques(attempt)[2]
    assert (late.suggestion, late.score, late.original) == ("down 2", 0.7, "Please do `down 2` now, number 3.")
    assert [i.at for i in attempt.context] == [3, 4]
    assert [c.id for c in critiques(attempt)] == [0, 1, 2, 3]


def test_a_delayed_verdict_comes_as_late_as_its_words() -> None:
    def veto(view: Any, candidates: Any) -> Critique:
        return Critique(verdict="block" if view.turn == 0 else "pass", text="no")

    attempt = wrapped({"use": "delayed", "turns": 2}, "review_action", veto, on_block="noop")
    assert [t.executed for t in attempt.turns] == ["wait", "wait", None, "wait"]


def test_each_moment_is_delayed_for_itself() -> None:
    both = critic(review_turn=says("after"), review_action=says("before"))
    attempt = only(Ring(actor("wait"), rules=FOUR, it=(both, {"wrap": "delayed"})).play())
    assert [(c.moment, c.text) for c in critiques(attempt)[2:4]] == [
        ("review_action", "before"),
        ("review_turn", "after"),
    ]


def test_the_oracle_says_what_wins() -> None:
    follow = actor("wait", "wait", "down 1")
    attempt = wrapped("oracle", agent=follow)
    assert [c.suggestion for c in critiques(attempt)] == ["down 2"] * 4
    lost = only(Ring(actor("down 2"), it=(critic(review_turn=advise), {"wrap": "oracle"})).play())
    assert texts(critiques(lost)) == ["Do this next: `down 2`", "Do this next: `down 1`", ""]


def test_an_unknown_wrapper_is_refused() -> None:
    with pytest.raises(UsageError, match="wrap"):
        Ring(actor("wait"), it=(critic(review_turn=advise), {"wrap": "louder"})).method()


def test_an_error_is_not_wrapped() -> None:
    def broken(*given: Any) -> Any:
        raise ValueError("boom")

    critique = critiques(wrapped("generic", answer=broken, on_critic_error="continue"))[0]
    assert (critique.wrapped, critique.text) == (None, "")


# -- shuffled


def recorded(start: int) -> Episode:
    """An episode whose critic names the task and the moment."""
    speaker = critic(
        review_turn=says(f"turn of {start}", suggestion="down 2", score=1.0), review_attempt=says(f"end of {start}")
    )
    return Ring(actor("wait"), rules=FOUR, it=speaker).play(countdown.task(start))


POOL = utterances([recorded(n) for n in (5, 6, 7)])


def shuffled(pool: list[Utterance], moment: str = "review_turn", seed: int = 0) -> Attempt:
    ring = Ring(actor("wait"), rules=Rules(max_turns=20), it=(critic(**{moment: advise}), {"wrap": "shuffled"}))
    made = ring.method()
    made.critics[0].shuffler = Shuffler("a run", pool)
    ring.method = lambda **protocol: made  # type: ignore[method-assign]
    return only(ring.play(bench=ring.bench(seed=seed)))


def test_utterances_are_every_critique_with_words() -> None:
    assert [(u.task, u.moment, u.critique.text) for u in POOL[4:6]] == [
        ("from-5", "review_attempt", "end of 5"),
        ("from-6", "review_turn", "turn of 6"),
    ]
    assert utterances([Ring(actor("wait"), rules=FOUR, it=critic(review_turn=says("", score=1.0))).play()]) == []


def test_shuffled_draws_another_tasks_words_of_the_same_moment() -> None:
    words = texts(critiques(shuffled(POOL)))
    assert set(words) == {"turn of 6", "turn of 7"}
    assert words == texts(critiques(shuffled(POOL))) != texts(critiques(shuffled(POOL, seed=1)))
    critique = critiques(shuffled(POOL))[0]
    assert (critique.suggestion, critique.score, critique.data) == ("down 2", None, {})
    assert (critique.wrapped, critique.original) == ("shuffled", "Please do `down 2` now, number 1.")


def test_shuffled_prefers_another_task_to_the_same_moment() -> None:
    ends = [u for u in POOL if u.moment == "review_attempt"]
    assert set(texts(critiques(shuffled(ends)))) == {"end of 6", "end of 7"}
    own = [u for u in POOL if u.task == "from-5"]
    assert {t for n in range(4) for t in texts(critiques(shuffled(own, seed=n)))} == {"turn of 5", "end of 5"}


def test_shuffled_without_a_run_is_refused() -> None:
    with pytest.raises(UsageError, match="holds no critique"):
        Shuffler("runs/empty", [])
    ring = Ring(actor("wait"), it=(critic(review_turn=advise), {"wrap": "shuffled"}))
    with pytest.raises(UsageError, match="needs the recorded run"):
        ring.play()


def test_a_drawn_replacement_without_a_suggestion_is_a_revision() -> None:
    pool = [Utterance("other", "review_action", Critique(text="words"))]
    it = (critic(review_action=says("no", verdict="replace", suggestion="down 2")), {"wrap": "shuffled"})
    ring = Ring(actor("wait", revise="down 1"), rules=FOUR, it=it)
    made = ring.method()
    made.critics[0].shuffler = Shuffler("a run", pool)
    ring.method = lambda **protocol: made  # type: ignore[method-assign]
    turn = only(ring.play()).turns[0]
    assert (turn.executed, turn.critiques[0].verdict, turn.critiques[0].text) == ("down 1", Verdict.REVISE, "words")
