"""Critics with a known truth on a set: what was built in is what is measured."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from tests.support.scripts import critic

from cornerman import Critique, Verdict
from cornerman.errors import UsageError
from cornerman.staticset.asking import critics_of
from cornerman.staticset.items import StaticSet
from cornerman.staticset.rates import Estimate

ESTIMATES = (
    "accuracy", "precision", "recall", "f1", "mcc", "auc", "brier",
    "false_alarms", "misses", "own", "wrongly_blocked", "wrongly_allowed", "suggestions",
)  # fmt: skip


def test_gold_raises_no_false_alarm_on_its_own_play(bench: Any, static: StaticSet) -> None:
    [row] = bench.score(static, "gold-advice:moment=action").critics
    assert (row.false_alarms.value, row.misses.value) == (0.0, 0.0)
    assert (row.recall.value, row.wrongly_allowed.value) == (1.0, 0.0)
    assert row.suggestions.value == 1.0
    assert row.privileged
    corrupted = [i for i in static.items if i.kind == "corrupted"]
    assert row.misses.of == len(corrupted)
    assert row.judged + row.neutral == row.items == len(static.items)


@pytest.mark.parametrize("q", [0.5, 0.8])
def test_a_critic_that_is_right_so_often_is_measured_so(bench: Any, static: StaticSet, q: float) -> None:
    """It sends gold's own action back when it errs, and names another instead of it."""
    [row] = bench.score(static, f"gold-advice:moment=action,right={q}").critics
    low, high = row.false_alarms.ci
    assert low <= 1 - q <= high
    assert high - low < 0.25
    low, high = row.suggestions.ci
    assert low <= q / (q + (1 - q) * 2 / 3) <= high, "of three other moves one is the candidate, which is passed"


def test_chance_knows_nothing(bench: Any, static: StaticSet) -> None:
    """Ten critics that guess, each by luck of its own: about as many as not are above zero, and all of them near it."""
    rows = bench.score(static, *[f"r{i}=random-critic:moment=action" for i in range(10)]).critics
    found = [row.mcc.value for row in rows]
    assert abs(sum(found) / 10) < 0.06
    assert max(map(abs, found)) < 0.2
    assert sum(row.mcc.ci[0] < 0 < row.mcc.ci[1] for row in rows) >= 8
    assert sum(row.auc.ci[0] < 0.5 < row.auc.ci[1] for row in rows) >= 8
    assert sum(row.brier.ci[0] < 1 / 3 < row.brier.ci[1] for row in rows) >= 8
    first, *_, last = rows[0].thresholds
    assert (first.sent_back, first.wrongly_blocked) == (0.0, 0.0)
    assert (last.sent_back, last.wrongly_allowed) == (1000.0, 0.0)
    harms = [t.wrongly_blocked for t in rows[0].thresholds]
    assert harms == sorted(harms)


def test_what_cannot_be_read_stands_in_its_own_column_and_no_other(bench: Any, static: StaticSet) -> None:
    mumbles = critic(review_action=lambda view, candidates: Critique(verdict=Verdict.UNPARSED, score=0.5))
    [row] = bench.score(static, mumbles=mumbles).critics
    assert row.unparsed == row.items == len(static.items)
    assert (row.judged, row.failed, row.silent, row.neutral, row.thresholds) == (0, 0, 0, 0, [])
    assert [getattr(row, name) for name in ESTIMATES] == [Estimate()] * len(ESTIMATES)


def test_a_critic_that_fails_is_counted_apart_and_its_error_is_told(bench: Any, static: StaticSet) -> None:
    def fails(view: Any, candidates: Any) -> Critique:
        if view.turn % 2:
            raise RuntimeError("no idea")
        return Critique(verdict=Verdict.PASS)

    [row] = bench.score(static, fails=critic(review_action=fails)).critics
    assert row.failed == sum(len(i.prefix) % 2 for i in static.items) > 0
    assert row.failed + row.judged + row.neutral == row.items
    assert "no idea" in row.errors[0]
    assert row.recall.value == 0.0


def test_words_without_a_verdict_allow(bench: Any, static: StaticSet) -> None:
    [row] = bench.score(static, talks=critic(review_action=lambda view, candidates: Critique(text="hm"))).critics
    assert row.silent == row.items
    assert (row.recall.value, row.false_alarms.value, row.misses.value) == (0.0, 0.0, 1.0)
    right = sum(i.label == "right" for i in static.items)
    assert row.accuracy.value == pytest.approx(right / row.judged)


@pytest.mark.parametrize("verdict", [Verdict.REVISE, Verdict.REPLACE, Verdict.BLOCK, Verdict.STOP])
def test_every_verdict_but_pass_sends_back(bench: Any, static: StaticSet, verdict: Verdict) -> None:
    few = msgspec.structs.replace(static, items=static.items[:6])
    says = critic(review_action=lambda view, candidates: Critique(verdict=verdict, text="no", suggestion="left"))
    [row] = bench.score(few, says=says).critics
    assert row.recall.value == row.false_alarms.value == 1.0


def test_a_critic_sees_the_state_and_one_bare_candidate(bench: Any, static: StaticSet) -> None:
    """Whatever its trigger says; and nothing that tells an item's kind."""
    seen: list[Any] = []

    def look(view: Any, candidates: Any) -> Critique:
        seen.append((view.turn, [t.executed for t in view.history], view.observation, list(candidates), view.context))
        return Critique(verdict=Verdict.PASS)

    few = msgspec.structs.replace(static, items=static.items[30:45])
    bench.score(few, looks=critic(review_action=look))
    assert len(seen) == 15
    for (turn, actions, observation, candidates, context), item in zip(seen, few.items, strict=True):
        assert (turn, actions) == (len(item.prefix), [e.action for e in item.prefix])
        assert observation
        assert context == []
        [candidate] = candidates
        assert candidate.text == item.candidate
        assert (candidate.thought, candidate.raw, candidate.logprob, candidate.call) == (None, None, None, None)


def test_several_critics_stand_in_one_report(bench: Any, static: StaticSet) -> None:
    few = msgspec.structs.replace(static, items=static.items[:9])
    found = bench.score(few, "a=gold-advice:moment=action", "b=random-critic:moment=action,trigger.every=50")
    assert [row.critic for row in found.critics] == ["a", "b"]
    assert {row.items for row in found.critics} == {9}
    assert sum(found.labels.values()) == found.items == 9


def test_another_environment_than_the_sets_is_refused(bench: Any, static: StaticSet) -> None:
    item = next(i for i in static.items if i.prefix)
    other = msgspec.structs.replace(item.prefix[-1], hash="0" * 16)
    changed = msgspec.structs.replace(item, prefix=(*item.prefix[:-1], other))
    with pytest.raises(UsageError, match=f"item {item.id} cannot be restored: the observation after turn"):
        bench.score(msgspec.structs.replace(static, items=(changed,)), "random-critic:moment=action")


def test_critics_that_cannot_be_asked_are_refused(bench: Any) -> None:
    with pytest.raises(UsageError, match="judges no candidate"):
        critics_of(bench.plugins, ["reflect"], {"critic": "smollm2"})
    with pytest.raises(UsageError, match="two critics are called 'rules'"):
        critics_of(bench.plugins, ["rules", "rules"], {})
