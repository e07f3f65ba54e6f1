"""Merging: the table of the design, and what must hold for every set of critiques."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cornerman.engine.merging import CLOSED, SEVERITY, decide, mean_score, verdict_on, votes
from cornerman.records import Critique, Verdict

P, R, X, B, S, U = (
    Verdict.PASS,
    Verdict.REVISE,
    Verdict.REPLACE,
    Verdict.BLOCK,
    Verdict.STOP,
    Verdict.UNPARSED,
)


def said(*verdicts: Verdict | None, **fields: Any) -> list[Critique]:
    """Critiques of candidate 0 by as many critics."""
    return [Critique(verdict=v, id=i, candidate=0, **fields) for i, v in enumerate(verdicts)]


def about(candidate: int | None, ident: int, verdict: Verdict | None = None, **fields: Any) -> Critique:
    return Critique(verdict=verdict, id=ident, candidate=candidate, **fields)


@pytest.mark.parametrize(
    ("verdicts", "severity", "majority", "first"),
    [
        ([], P, P, P),
        ([P], P, P, P),
        ([P, R], R, R, P),
        ([R, P, P], R, P, R),
        ([P, X, R], X, X, P),
        ([R, R, X], X, R, R),
        ([B, R, R, P], B, R, B),
        ([P, B, S], S, S, P),
        ([S, P, P, P], S, P, S),
        ([U, P], P, P, P),
        ([U, U, R], R, R, R),
        ([U], P, P, P),
        ([None, R], R, R, R),
        ([None], P, P, P),
    ],
)
def test_verdicts_on_one_candidate(
    verdicts: list[Verdict | None], severity: Verdict, majority: Verdict, first: Verdict
) -> None:
    critiques = said(*verdicts)
    assert verdict_on(critiques, "severity") is severity
    assert verdict_on(critiques, "majority") is majority
    assert verdict_on(critiques, "first") is first


def test_an_error_has_no_vote_and_no_score() -> None:
    critiques = said(S, score=9.0, error="it broke") + said(R, score=1.0)
    assert verdict_on(critiques, "severity") is R
    assert mean_score(critiques) == 1.0


@pytest.mark.parametrize(
    ("scores", "choice"),
    [
        ([(0, 0.1), (1, 0.9), (2, 0.5)], 1),
        ([(0, 0.5), (1, 0.5)], 0),
        ([(1, 0.0)], 1),  # an unscored candidate comes after every scored one
        ([(2, -3.0), (1, -5.0)], 2),
        ([(0, 1.0), (0, 0.0), (1, 0.6)], 1),  # means, not sums
        ([(None, 1.0)], 0),
        ([(None, 1.0), (2, 2.0)], 2),
        ([], 0),
    ],
)
def test_the_choice_is_the_highest_mean_score(scores: list[tuple[int | None, float]], choice: int) -> None:
    critiques = [about(c, i, score=s) for i, (c, s) in enumerate(scores)]
    assert decide(critiques, 3).choice == choice


def test_a_blocked_candidate_is_not_chosen_however_well_it_scores() -> None:
    decision = decide([about(0, 0, B, score=1.0), about(1, 1, score=0.0)], 2)
    assert (decision.verdict, decision.choice, decision.chosen_by) == (P, 1, 0)


def test_an_unscored_choice_away_from_a_stopped_candidate_is_owed_to_the_stop() -> None:
    decision = decide([about(0, 4, P), about(0, 5, S)], 2)
    assert (decision.verdict, decision.choice, decision.chosen_by) == (P, 1, 5)


def test_a_choice_by_score_is_owed_to_the_critique_that_scored_it() -> None:
    decision = decide([about(0, 0, P, score=0.1), about(1, 1, P), about(1, 2, P, score=0.2)], 2)
    assert (decision.choice, decision.chosen_by, decision.cause) == (1, 2, 1)


def test_all_blocked_is_a_block_of_the_first_candidate() -> None:
    decision = decide([about(1, 0, B, score=1.0), about(0, 1, B), about(0, 2, P)], 2)
    assert (decision.verdict, decision.choice, decision.cause) == (B, 0, 1)


def test_all_closed_with_a_stop_among_them_stops() -> None:
    decision = decide([about(0, 0, B), about(1, 1, S)], 2)
    assert (decision.verdict, decision.cause) == (S, 1)


def test_one_critique_of_no_candidate_is_of_all_of_them() -> None:
    assert decide([about(None, 3, B)], 3).verdict is B
    assert decide([about(None, 3, S), about(1, 4, P)], 2, "severity").verdict is S


def test_replace_takes_the_first_suggestion_in_method_order() -> None:
    first, second = about(0, 1, X, suggestion="a"), about(0, 2, X, suggestion="b")
    decision = decide([about(0, 0, X), first, second], 1)
    assert (decision.verdict, decision.replacement, decision.cause) == (X, first, 1)


def test_replace_without_a_suggestion_is_a_revision() -> None:
    decision = decide([about(0, 7, X, text="something else")], 1)
    assert (decision.verdict, decision.replacement, decision.cause) == (R, None, 7)


def test_first_hears_no_second_suggestion() -> None:
    assert decide([about(0, 0, X), about(0, 1, X, suggestion="b")], 1, "first").verdict is R


critiques_of_three = st.lists(
    st.builds(
        lambda candidate, verdict, score, suggestion, error: (candidate, verdict, score, suggestion, error),
        st.sampled_from([None, 0, 1, 2]),
        st.sampled_from([None, *Verdict]),
        st.one_of(st.none(), st.sampled_from([0.0, 0.5, 1.0])),
        st.sampled_from([None, "", "go"]),
        st.sampled_from([None, None, None, "broken"]),
    ),
    max_size=8,
).map(lambda rows: [about(c, i, v, score=s, suggestion=g, error=e) for i, (c, v, s, g, e) in enumerate(rows)])
merges = st.sampled_from(["severity", "majority", "first"])


@settings(deadline=None)
@given(critiques_of_three, merges)
def test_those_without_a_vote_change_nothing_but_scores(critiques: list[Critique], merge: Any) -> None:
    voting = [c for c in critiques if c in votes(critiques) or (c.score is not None and c.error is None)]
    assert decide(critiques, 3, merge) == decide(voting, 3, merge)


@settings(deadline=None)
@given(critiques_of_three, merges)
def test_a_decision_is_one_that_the_critiques_allow(critiques: list[Critique], merge: Any) -> None:
    decision = decide(critiques, 3, merge)
    groups = [[c for c in critiques if c.candidate in (None, i)] for i in range(3)]
    verdicts = [verdict_on(g, merge) for g in groups]
    assert decision.verdict is not U
    if decision.verdict in CLOSED:
        assert all(v in CLOSED for v in verdicts)
        assert decision.choice == 0
    else:
        assert verdicts[decision.choice] not in CLOSED
        own = mean_score(groups[decision.choice])
        for i, verdict in enumerate(verdicts):
            other = mean_score(groups[i])
            if verdict not in CLOSED and other is not None:
                assert own is not None
                assert (own, -decision.choice) >= (other, -i)
    if decision.verdict is X:
        assert decision.replacement is not None
        assert decision.replacement.suggestion
        assert decision.replacement.error is None
    assert (decision.cause is None) == (decision.verdict is P and not votes(groups[decision.choice]))


@settings(deadline=None)
@given(st.lists(st.sampled_from(list(SEVERITY)), min_size=1, max_size=7), st.randoms(use_true_random=False))
def test_severity_and_majority_do_not_depend_on_the_order(verdicts: list[Verdict], random: Any) -> None:
    shuffled = list(verdicts)
    random.shuffle(shuffled)
    for merge in ("severity", "majority"):
        assert verdict_on(said(*verdicts), merge) is verdict_on(said(*shuffled), merge)


@settings(deadline=None)
@given(st.lists(st.sampled_from(list(SEVERITY)), min_size=1, max_size=7), st.sampled_from(list(SEVERITY)))
def test_another_vote_never_softens_the_severest(verdicts: list[Verdict], more: Verdict) -> None:
    before, after = verdict_on(said(*verdicts), "severity"), verdict_on(said(*verdicts, more), "severity")
    assert SEVERITY[after] == max(SEVERITY[before], SEVERITY[more])
