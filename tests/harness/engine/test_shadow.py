"""A critic in shadow speaks through a run, is recorded, and changes nothing of it."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from tests.support.scripted_model import ScriptedModel
from tests.support.scripts import Ring, actor, critic, plugin, says

from cornerman import AttemptSpec, ContextItem, Critique, Request, Verdict
from cornerman.engine.context import Bench
from cornerman.engine.method import method_settings
from cornerman.errors import UsageError
from cornerman.records import Attempt, Episode, Message
from cornerman.suites import Rules

SHADOW = {"shadow": True}
WAIT = ["wait", "down 1", "down 2"]


def revising(view: Any, candidates: Any, critiques: Any) -> str:
    return "wait"


ACTOR = actor(WAIT, "down 1", ["down 2", "down 1"], revise=revising)


def bare(episode: Episode) -> Any:
    """What was played: everything but seconds, the shadow's critiques, its states and calls, and ids."""

    def of(attempt: Attempt) -> Any:
        kept = [
            msgspec.structs.replace(t, critiques=(), state={}, calls=(), seconds=0.0, changed_by=t.changed_by)
            for t in attempt.turns
        ]
        return msgspec.structs.replace(
            attempt, turns=tuple(kept), critiques=(), state={}, opening_state={}, seconds=0.0
        )

    return [of(a) for a in episode.attempts], episode.success, episode.score, episode.end, episode.counted


def shadowed(*critics: type, agent: type = ACTOR, rules: Rules | None = None, **settings: Any) -> Episode:
    """An episode with these critics in shadow, checked to be the one without them."""
    given: dict[str, Any] = {"rules": rules} if rules else {}
    with_them = Ring(agent, **given, **{f"s{i}": (c, SHADOW) for i, c in enumerate(critics)}).play(**settings)
    assert bare(with_them) == bare(Ring(agent, **given).play(**settings))
    return with_them


def spoken(episode: Episode) -> list[Critique]:
    return [c for a in episode.attempts for c in (*(c for t in a.turns for c in t.critiques), *a.critiques)]


@pytest.mark.parametrize(
    "critique",
    [
        Critique(verdict=Verdict.REVISE, text="wait for it"),
        Critique(verdict=Verdict.REPLACE, suggestion="down 2", text="down 2"),
        Critique(verdict=Verdict.BLOCK, text="no"),
        Critique(verdict=Verdict.STOP, text="enough"),
        Critique(score=1.0, candidate=1),
        Critique(verdict=Verdict.PASS, text="fine"),
    ],
    ids=lambda c: str(c.verdict),
)
def test_no_verdict_or_score_moves_the_action(critique: Critique) -> None:
    episode = shadowed(critic(review_action=lambda view, candidates: critique), on_block="end")
    said = spoken(episode)
    assert said
    assert {(c.delivered, c.suppressed, c.verdict) for c in said} == {(False, "shadow", critique.verdict)}
    assert all(t.changed_by is None for t in episode.attempts[0].turns)


def test_it_outvotes_nobody_and_what_the_others_decide_is_theirs() -> None:
    stop = critic(review_action=Critique(verdict=Verdict.STOP))
    better = critic(review_action=lambda view, candidates: [Critique(score=float(i)) for i, _ in enumerate(candidates)])
    both = Ring(ACTOR, shadow=(stop, SHADOW), grader=better).play(merge="first")
    alone = Ring(ACTOR, grader=better).play(merge="first")
    assert [t.executed for t in both.attempts[0].turns] == [t.executed for t in alone.attempts[0].turns]
    changed = both.attempts[0].turns[0].changed_by
    assert next(c for c in spoken(both) if c.id == changed).critic == "grader"


def test_words_observations_and_contexts_reach_nobody() -> None:
    loud = critic(
        review_turn=says("Look here", score=0.0),
        on_task_start=[ContextItem(text="before all")],
        transform_observation=lambda view, observation: observation.upper(),
    )
    heard: list[Any] = []

    def listens(view: Any) -> str:
        heard.append(([c.text for c in view.context], [c.text for t in view.history for c in t.critiques]))
        return "down 1"

    episode = Ring(actor(listens), loud=(loud, SHADOW)).play()
    assert len(heard) > 1
    assert all(words == ([], []) for words in heard)
    assert [c.text for c in spoken(episode)] == ["Look here"] * len(heard)
    shadowed(loud)


def test_its_scores_fire_the_triggers_of_no_other_and_its_own() -> None:
    low = critic(review_turn=says("bad", score=0.0))
    trigger = {"trigger": {"low_score": {"below": 0.5}}}
    waiting = critic(review_action=says("now", verdict=Verdict.REVISE))
    episode = Ring(ACTOR, low=(low, SHADOW), waiting=(waiting, trigger)).play()
    assert {c.critic for c in spoken(episode)} == {"low"}
    both = critic(review_turn=says("bad", score=0.0), review_action=says("now", verdict=Verdict.REVISE))
    own = {"trigger": {"review_action": {"low_score": {"below": 0.5}}}}
    episode = Ring(ACTOR, low=(both, SHADOW | own)).play()
    assert {c.moment for c in spoken(episode)} == {"review_turn", "review_action"}


def test_protocols_and_the_count_of_attempts_do_not_hear_it() -> None:
    end = critic(
        review_attempt=lambda view, attempt: Critique(
            verdict=Verdict.PASS, score=-float(view.attempt), text="again", pivot=1
        )
    )
    seen: list[Any] = []

    def plan(view: Any) -> Any:
        seen.append([c.text for a in view.attempts for c in a.critiques])
        return [AttemptSpec()] if len(view.attempts) < 3 else None

    made = Ring(ACTOR, protocol=plugin(("attempts",), plan_attempts=plan), end=(end, SHADOW))
    episode = made.play(counted="selected")
    assert seen == [[], [], [], []]
    assert episode.counted == 2  # unscored ones: the latest
    assert [c.suppressed for c in spoken(episode)] == ["shadow"] * 3
    retried = Ring(ACTOR, protocol=None, end=(end, SHADOW))
    retried.table["protocol"] = {"use": "retry", "attempts": 3, "until": "critic_pass"}
    assert len(retried.play().attempts) == 3


def test_it_answers_beside_the_one_that_is_asked() -> None:
    ask = actor(Request(question="What now?"), "down 1")
    shadow, real = critic(answer_request=says("from the shadow")), critic(answer_request=says("from the real one"))
    turn = Ring(ask, rules=Rules(max_turns=3), shadow=(shadow, SHADOW), real=real).play().attempts[0].turns[0]
    assert [(c.critic, c.delivered) for c in turn.critiques] == [("real", True), ("shadow", False)]
    episode = shadowed(shadow, agent=ask, rules=Rules(max_turns=3))
    assert [c.text for c in spoken(episode)] == ["from the shadow"]
    assert [i.text for i in episode.attempts[0].context] == ["No one can answer that."]


@pytest.mark.parametrize("hook", ["review_action", "review_turn", "review_attempt", "transform_observation",
                                  "on_task_start"])  # fmt: skip
def test_its_errors_end_nothing(hook: str) -> None:
    def fails(*given: Any) -> Any:
        raise ValueError("boom")

    episode = shadowed(critic(**{hook: fails}))
    errors = [c.error for c in spoken(episode)]
    assert all("boom" in str(error) for error in errors)
    assert bool(errors) == hook.startswith("review")


def test_its_calls_are_billed_and_on_no_budget() -> None:
    async def asks(view: Any, turn: Any) -> Critique:
        reply = await view.model.generate([Message(role="user", content="What do you think?")])
        return Critique(text=reply.text, call=reply.call)

    ring = Ring(actor("wait"), rules=Rules(max_turns=4), talker=(critic(review_turn=asks), SHADOW | {"model": "m"}))
    bench: Bench = ring.bench(model=lambda uri: ScriptedModel())
    episode = ring.play(bench=bench, spend={"calls": 1})
    assert (len(episode.attempts[0].turns), episode.usage["critic"].calls) == (4, 4)


def test_a_fork_leaves_it_in_shadow() -> None:
    stop = critic(review_action=Critique(verdict=Verdict.STOP))
    ring = Ring(ACTOR, stop=(stop, SHADOW))
    episode = ring.play()
    played = ring.fork(episode, turn=1).attempt
    assert [t.executed for t in played.turns] == [t.executed for t in episode.attempts[0].turns[1:]]


def test_it_is_named_and_only_a_critic_can_be_in_it() -> None:
    ring = Ring(actor("wait"), one=(critic(review_turn=None), SHADOW), two=(critic(review_turn=None), {}))
    assert ring.method().name == "scripted+one[shadow]+two"
    with pytest.raises(UsageError, match="'random' cannot be in shadow; that is for critics"):
        method_settings({"actor": {"use": "random", "shadow": True}}, "here")
