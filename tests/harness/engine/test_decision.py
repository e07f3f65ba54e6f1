"""A decision: candidates, reviews, revisions, blocks, replacements, and what the record says of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from tests.support.scripts import Ring, actor, critic, executed, first, only, play, plugin, says, texts

from cornerman import Candidate, Critique, Verdict
from cornerman.errors import End
from cornerman.records import Turn

P, R, X, B, S = Verdict.PASS, Verdict.REVISE, Verdict.REPLACE, Verdict.BLOCK, Verdict.STOP
THREE = ["wait", "down 1", "down 2"]


def judge(**on: Any) -> type:
    """A critic that has a critique for some actions, by their text with an underscore for the space."""
    known = {text.replace("_", " "): critique for text, critique in on.items()}
    return critic(review_action=lambda view, candidates: [known.get(c.text) for c in candidates])


def decision(agent: type, critics: dict[str, Any], **protocol: Any) -> Turn:
    """The first turn."""
    return first(play(agent, critics=critics, **protocol))


def test_one_answer_or_several_are_candidates() -> None:
    assert texts(first(play(actor("down 1"))).candidates) == ["down 1"]
    turn = first(play(actor(["down 2", Candidate(text="wait", raw="I wait.")])))
    assert turn.candidates == (Candidate(text="down 2"), Candidate(text="wait", raw="I wait."))
    assert (turn.executed, turn.chosen, turn.changed_by) == ("down 2", 0, None)


def test_the_best_scored_candidate_is_executed_and_owed_to_its_score() -> None:
    grades = judge(wait=Critique(score=0.1), down_1=Critique(score=0.9), down_2=Critique(score=0.5))
    turn = decision(actor(THREE), {"grader": grades})
    assert (turn.executed, turn.chosen) == ("down 1", 1)
    assert turn.changed_by == turn.critiques[1].id
    assert [c.candidate for c in turn.critiques] == [0, 1, 2]


def test_a_choice_of_the_same_text_changed_nothing() -> None:
    grades = critic(review_action=[Critique(score=0.0), Critique(score=1.0)])
    turn = decision(actor(["down 1", "down 1"]), {"grader": grades})
    assert (turn.chosen, turn.changed_by) == (1, None)


def test_one_critique_may_speak_of_all_candidates() -> None:
    turn = decision(actor(THREE), {"veto": critic(review_action=Critique(verdict=B, text="no"))}, on_block="noop")
    assert (turn.executed, turn.critiques[0].candidate) == (None, None)
    turn = decision(actor("down 1"), {"veto": critic(review_action=Critique(verdict=B, text="no"))}, on_block="noop")
    assert (turn.executed, turn.critiques[0].candidate) == (None, 0)


def test_a_critic_may_name_the_one_candidate_that_it_speaks_of() -> None:
    picks = critic(review_action=Critique(score=1.0, candidate=2))
    assert decision(actor(THREE), {"picks": picks}).executed == "down 2"


@pytest.mark.parametrize("index", [-1, 3])
def test_a_critique_of_no_such_candidate_is_the_critics_error(index: int) -> None:
    episode = play(actor(THREE), critics={"odd": critic(review_action=Critique(candidate=index))})
    assert episode.end is End.CRITIC_ERROR
    assert episode.error == f"critic 'odd' answered a critique of candidate {index} of 3 in review_action"


def test_fewer_critiques_than_candidates_are_the_critics_error() -> None:
    episode = play(actor(THREE), critics={"short": critic(review_action=[Critique()])})
    assert episode.error == "critic 'short' answered 1 critiques in review_action for 3 candidates"


def test_stop_ends_the_attempt_before_the_action() -> None:
    episode = play(actor("down 1"), critics={"stops": judge(down_1=Critique(verdict=S, text="hopeless"))})
    attempt = only(episode)
    assert (episode.end, executed(attempt), len(attempt.log)) == (End.STOPPED, [None], 0)
    assert attempt.turns[0].changed_by == attempt.turns[0].critiques[0].id


def test_replace_executes_the_first_suggestion_without_asking_the_actor() -> None:
    first_one = judge(wait=Critique(verdict=X, suggestion="down 2"))
    second = judge(wait=Critique(verdict=X, suggestion="down 1"))
    turn = decision(actor("wait", revise="wait"), {"one": first_one, "two": second})
    assert (turn.executed, turn.chosen, turn.changed_by) == ("down 2", None, turn.critiques[0].id)
    assert turn.revisions == ()


class Reviser:
    """An actor that waits, and revises to the lines of a script, one a revision. Keeps what it was told."""

    sees = ("history", "admissible")

    def __new__(cls, *script: Any) -> Any:
        told: list[tuple[list[str], list[tuple[str, int | None]]]] = []

        def revise(view: Any, candidates: Sequence[Candidate], critiques: Sequence[Critique]) -> Any:
            told.append((texts(candidates), [(c.text, c.candidate) for c in critiques]))
            return script[min(len(told), len(script)) - 1]

        made = actor("wait", revise=revise)
        made.told = told  # type: ignore[attr-defined]
        return made


def test_a_revision_is_executed_unseen_after_one_round() -> None:
    agent = Reviser("down 1")
    strict = critic(review_action=says("better not", verdict=R))
    turn = decision(agent, {"strict": strict})
    assert (turn.executed, texts(turn.revisions), turn.chosen) == ("down 1", ["down 1"], None)
    assert turn.changed_by == turn.critiques[0].id
    assert len(turn.critiques) == 1
    assert agent.told[0] == (["wait"], [("better not", 0)])


def test_a_second_round_reviews_the_revision() -> None:
    agent = Reviser("down 1", "down 2")
    strict = critic(review_action=says("better not", verdict=R))
    turn = decision(agent, {"strict": strict}, review_rounds=2)
    assert (turn.executed, texts(turn.revisions)) == ("down 2", ["down 1", "down 2"])
    assert [c.candidate for c in turn.critiques] == [0, 1]  # in the record, revisions follow the candidates
    assert agent.told[:2] == [(["wait"], [("better not", 0)]), (["down 1"], [("better not", 0)])]
    assert turn.changed_by == turn.critiques[1].id


def test_a_second_round_that_passes_keeps_the_cause_of_the_revision() -> None:
    lenient = critic(review_action=says("", verdict=P, score=1.0))
    strict = judge(wait=Critique(verdict=R, text="go on"))
    turn = decision(Reviser("down 1"), {"lenient": lenient, "strict": strict}, review_rounds=3)
    assert turn.executed == "down 1"
    assert [c.critic for c in turn.critiques if c.id == turn.changed_by] == ["strict"]
    assert len(turn.critiques) == 3


def test_no_round_reviews_nothing() -> None:
    turn = decision(actor("down 1"), {"veto": judge(down_1=Critique(verdict=S, text="no"))}, review_rounds=0)
    assert (turn.executed, turn.critiques) == ("down 1", ())


def test_the_revision_of_a_chosen_candidate_speaks_of_that_one_alone() -> None:
    told: list[Any] = []
    agent = actor(THREE, revise=lambda view, candidates, critiques: told.append([c.text for c in critiques]))
    graded = judge(
        wait=Critique(verdict=R, text="on wait", score=0.1),
        down_1=Critique(verdict=R, text="on down 1", score=0.9),
        down_2=Critique(verdict=P, text="on down 2", score=0.5),
    )
    attempt = only(play(agent, critics={"graded": graded}))
    turn = attempt.turns[0]
    assert (told[0], turn.executed, turn.chosen) == (["on down 1"], "down 1", 1)
    assert [c.suppressed for c in turn.critiques] == ["other candidate", None, "pass"]
    assert {i.text for i in attempt.context} == {"on down 1"}


@pytest.mark.parametrize(
    "agent", [actor("wait"), actor("wait", revise=None), Reviser("wait")], ids=["no hook", "None", "same text"]
)
def test_a_revision_that_is_none_executes_what_was_offered(agent: type) -> None:
    turn = decision(agent, {"strict": judge(wait=Critique(verdict=R, text="go on"))})
    assert (turn.executed, turn.changed_by) == ("wait", None)


@pytest.mark.parametrize(
    ("on_block", "done", "end"),
    [("execute", "wait", End.TRUNCATED), ("noop", None, End.TRUNCATED), ("end", None, End.STOPPED)],
)
def test_a_block_that_stays(on_block: str, done: str | None, end: End) -> None:
    for agent in (actor("wait"), Reviser("wait"), Reviser(None)):
        episode = play(agent, critics={"veto": judge(wait=Critique(verdict=B, text="no"))}, on_block=on_block)
        turn = only(episode).turns[0]
        assert (turn.kind, turn.executed, episode.end) == ("act", done, end)
        assert turn.changed_by == (None if done else turn.critiques[0].id)
        assert len(only(episode).turns) == (1 if end is End.STOPPED else 20)


def test_a_revision_lifts_the_block() -> None:
    assert decision(Reviser("down 1"), {"veto": judge(wait=Critique(verdict=B, text="no"))}).executed == "down 1"


def test_a_revision_to_another_blocked_candidate_does_not() -> None:
    veto = judge(wait=Critique(verdict=B, text="no"), down_1=Critique(verdict=B, text="no"))
    turn = decision(actor(["wait", "down 1"], revise="down 1"), {"veto": veto}, on_block="noop")
    assert (turn.executed, turn.revisions) == (None, ())


def test_nor_does_one_back_to_what_was_blocked_in_an_earlier_round() -> None:
    veto = judge(wait=Critique(verdict=B, text="no"), down_1=Critique(verdict=B, text="no"))
    turn = decision(Reviser("down 1", "wait"), {"veto": veto}, review_rounds=2, on_block="noop")
    assert (turn.executed, texts(turn.revisions)) == (None, ["down 1"])


def test_a_suppressed_critic_votes_but_has_no_words() -> None:
    told: list[Any] = []
    agent = actor(THREE, revise=lambda view, candidates, critiques: told.append(critiques))
    graded = judge(wait=Critique(verdict=R, text="secret", score=0.1), down_1=Critique(verdict=R, text="s", score=0.9))
    attempt = only(play(agent, critics={"graded": (graded, {"deliver": "suppress"})}))
    assert attempt.turns[0].executed == "down 1"
    assert (told, attempt.context) == ([], ())
    assert {c.suppressed for t in attempt.turns for c in t.critiques} == {"suppress"}


def test_a_suppressed_block_asks_for_another_action_without_a_word() -> None:
    agent = Reviser("down 1")
    veto = judge(wait=Critique(verdict=B, text="secret"))
    assert decision(agent, {"veto": (veto, {"deliver": "suppress"})}).executed == "down 1"
    assert agent.told[0] == (["wait"], [])


def test_all_words_in_method_order_reach_the_revision() -> None:
    agent = Reviser("down 1")
    critics = {
        "b": critic(review_action=says("from b", verdict=R)),
        "a": critic(review_action=says("advice of a")),
        "pass": critic(review_action=says("fine with me", verdict=P)),
        "c": critic(review_action=says("from c", verdict=X)),
    }
    assert decision(agent, critics).changed_by is not None
    assert agent.told[0][1] == [("from b", 0), ("advice of a", 0), ("from c", 0)]


def test_unparsed_verdicts_and_errors_are_recorded_and_have_no_vote() -> None:
    def broken(*given: Any) -> Any:
        raise ValueError("boom")

    critics = {
        "odd": critic(review_action=says("block it!", verdict="unparsed")),
        "broken": critic(review_action=broken),
        "fine": critic(review_action=says("", verdict="pass")),
    }
    turn = decision(actor("down 1"), critics, on_critic_error="continue")
    assert turn.executed == "down 1"
    odd, error, fine = turn.critiques
    assert (odd.verdict, odd.suppressed) == (Verdict.UNPARSED, "unparsed")
    assert error.suppressed == "error"
    assert error.error is not None
    assert error.error.startswith("CriticError: critic 'broken' raised in review_action")
    assert error.error.endswith(": ValueError: boom")
    assert fine.verdict is Verdict.PASS


def test_a_thought_is_a_turn_without_a_step() -> None:
    seen: list[Any] = []
    agent = actor(Candidate(text="", thought="five is odd"), "down 1")
    watcher = plugin(("history", "score"), review_action=lambda v, c: seen.append(texts(c)), review_turn=None)
    attempt = only(play(agent, critics={"watcher": watcher}, rules=Ring(agent).rules))
    think, act = attempt.turns[:2]
    assert (think.kind, think.executed, think.index, act.index) == ("think", None, 0, 1)
    assert (len(attempt.log), seen[0]) == (len(attempt.turns) - 1, ["down 1"])


def test_a_revision_may_be_a_thought() -> None:
    agent = Reviser(Candidate(text="", thought="let me see"))
    turn = decision(agent, {"strict": judge(wait=Critique(verdict=R, text="think first"))})
    assert (turn.kind, turn.executed, turn.revisions[0].thought) == ("think", None, "let me see")
    assert turn.changed_by == turn.critiques[0].id


def test_an_empty_action_without_a_thought_is_executed_and_a_thought_beside_an_action_is_kept() -> None:
    empty, both = only(play(actor("", Candidate(text="down 2", thought="two at once"), "wait"))).turns[:2]
    assert (empty.kind, empty.executed, empty.observation) == ("act", "", "Nothing happens.")
    assert (both.kind, both.executed) == ("act", "down 2")


def test_turns_without_a_step_keep_the_score_and_the_open_actions() -> None:
    attempt = only(play(actor("down 2", Candidate(text="", thought="and now?"), "down 1", "down 2")))
    think = attempt.turns[1]
    assert think.score == attempt.turns[0].score == pytest.approx(0.4)
    assert think.admissible_actions == ("down 1", "down 2", "wait")


def test_an_inadmissible_action_is_passed_on_or_ends_the_attempt() -> None:
    from cornerman.suites import Rules

    passed = only(play(actor("fly", "down 1", "down 2", "down 2")))
    assert (passed.turns[0].admissible, passed.turns[0].observation) == (False, "Nothing happens.")
    ended = play(actor("down 1", "fly"), rules=Rules(max_turns=9, invalid_action="end"))
    last = only(ended).turns[1]
    assert (ended.end, last.executed, last.admissible, texts(last.candidates)) == (End.FAILURE, None, False, ["fly"])
    assert len(only(ended).log) == 1


GRADED = judge(
    wait=Critique(verdict=R, text="on wait", score=0.1),
    down_1=Critique(verdict=R, text="on down 1", score=0.9),
    down_2=Critique(verdict=R, text="on down 2", score=0.5),
)


def test_a_revision_may_be_told_of_every_candidate() -> None:
    told: list[Any] = []
    agent = actor(
        THREE, revise=lambda view, given, critiques: told.append([(c.text, c.candidate) for c in critiques]) or "down 2"
    )
    both = {"graded": GRADED, "general": critic(review_action=says("mind the step", verdict=R))}
    turn = decision(agent, both, revise_on="all")
    assert told[0] == [("on wait", 0), ("on down 1", 1), ("on down 2", 2), ("mind the step", 1)]
    assert (turn.executed, texts(turn.revisions)) == ("down 2", ["down 2"])
    assert all(c.delivered for c in turn.critiques)
    assert [c.text for c in turn.critiques if c.id == turn.changed_by] == ["on down 1"]


def test_words_on_other_candidates_are_for_a_revision_alone() -> None:
    passing = judge(
        wait=Critique(verdict=R, text="on wait", score=0.1), down_1=Critique(verdict=P, text="fine", score=0.9)
    )
    agents = (actor(THREE, revise="down 2"), actor(THREE))
    for agent, critics, done in ((agents[0], passing, "down 1"), (agents[1], GRADED, "down 1")):
        turn = decision(agent, {"graded": critics}, revise_on="all")
        assert turn.executed == done
        assert next(c for c in turn.critiques if c.text == "on wait").suppressed == "other candidate"
