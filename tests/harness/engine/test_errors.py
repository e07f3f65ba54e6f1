"""Error boundaries: whatever a plug-in or an environment does, the episode is data with a class and a sentence."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable
from typing import Any

import msgspec
import numpy as np
import pytest
from tests.support import countdown
from tests.support.play import InlineSessions
from tests.support.scripts import Ring, actor, critic, executed, only, plugin, says, texts

from cornerman import AttemptSpec, Candidate, ContextItem, Critique, MemoryOp, Request
from cornerman.environment import EnvironmentSpec
from cornerman.errors import POLICY, End, EnvError, ModelError, UsageError
from cornerman.records import Episode
from cornerman.suites import Rules

THREE = Rules(max_turns=3)


def raises(error: BaseException) -> Callable[..., Any]:
    """A hook that raises."""

    def hook(*given: Any) -> Any:
        raise error

    return hook


def raises_later(error: BaseException) -> Callable[..., Any]:
    """A hook that raises after it has awaited something."""

    async def hook(*given: Any) -> Any:
        await asyncio.sleep(0)
        raise error

    return hook


class Panic(BaseException):
    """As native libraries raise: no Exception."""


HOOKS: dict[str, tuple[str, End]] = {
    "act": ("actor", End.ACTOR_ERROR),
    "revise": ("actor", End.ACTOR_ERROR),
    "on_task_start": ("critic", End.CRITIC_ERROR),
    "transform_observation": ("critic", End.CRITIC_ERROR),
    "review_action": ("critic", End.CRITIC_ERROR),
    "answer_request": ("critic", End.CRITIC_ERROR),
    "review_turn": ("critic", End.CRITIC_ERROR),
    "review_attempt": ("critic", End.CRITIC_ERROR),
    "plan_attempts": ("protocol", End.CRITIC_ERROR),
    "on_task_end": ("memory", End.CRITIC_ERROR),
}


def with_hook(hook: str, answer: Any, **settings: Any) -> Episode:
    """An episode in which one hook, of the role that is asked it, answers or does something odd."""
    role, _ = HOOKS[hook]
    hooks = {hook: answer}
    script = [Request(question="?"), "wait"] if hook == "answer_request" else ["wait"]
    agent = actor(*script, **(hooks if hook == "revise" else {}))
    if hook == "act":
        agent = plugin(("history",), act=answer)
    parts: dict[str, Any] = {}
    if role == "critic":
        parts["it"] = critic(**hooks)
    if hook == "revise":
        parts["vets"] = critic(review_action=says("no", verdict="revise"))
    if role == "protocol":
        parts["protocol"] = plugin((), **hooks)
    if role == "memory":
        parts["memory"] = plugin((), **hooks)
    return Ring(agent, rules=THREE, **parts).play(**settings)


@pytest.mark.parametrize("hook", HOOKS)
@pytest.mark.parametrize("how", [raises, raises_later], ids=["sync", "async"])
@pytest.mark.parametrize(
    "error", [ValueError("boom"), SystemExit("boom"), Panic("boom"), asyncio.CancelledError("boom")], ids=type
)
def test_whatever_a_hook_raises_is_its_plug_ins_error(hook: str, how: Any, error: BaseException) -> None:
    role, end = HOOKS[hook]
    episode = with_hook(hook, how(error))
    label = "it" if role == "critic" else "scripted"
    assert (episode.end, episode.success, POLICY[episode.end].error) == (end, False, True)
    said = re.sub(r" \(line \d+ of \w+\.py\)", "", episode.error or "")
    assert said == f"{role} '{label}' raised in {hook}: {type(error).__name__}: boom"


@pytest.mark.parametrize("hook", HOOKS)
def test_an_interrupt_is_nobodys_error(hook: str) -> None:
    with pytest.raises(KeyboardInterrupt):
        with_hook(hook, raises(KeyboardInterrupt()))


@pytest.mark.parametrize("hook", HOOKS)
def test_errors_with_a_class_keep_it(hook: str) -> None:
    episode = with_hook(hook, raises(ModelError("no answer")))
    assert (episode.end, episode.error) == (End.MODEL_ERROR, "no answer")
    for how in (raises, raises_later):
        with pytest.raises(UsageError, match="add --model") as caught:
            with_hook(hook, how(UsageError("add --model")))
        assert caught.value.__cause__ is None  # no error is its own cause: some that print tracebacks would never end


@pytest.mark.parametrize("hook", HOOKS)
@pytest.mark.parametrize("answer", [5, object(), {"text": "hm"}, [5], b"wait"], ids=repr)
def test_what_is_no_answer_is_its_plug_ins_error(hook: str, answer: Any) -> None:
    role, end = HOOKS[hook]
    episode = with_hook(hook, lambda *given: answer)
    assert episode.end is end
    assert f"{role} '" in (episode.error or "")
    assert f"in {hook}" in (episode.error or "")


def test_an_actor_that_answers_nothing_is_told_what_was_due() -> None:
    for nothing in (None, [], ()):
        assert with_hook("act", lambda *given, it=nothing: it).error == (
            "actor 'scripted' answered nothing in act, where an action was due: a string, a cornerman.Candidate or "
            "several of them, or a cornerman.Request"
        )


BAD: list[tuple[str, Any, str]] = [
    ("act", Candidate(text=None), "Expected `str`, got `null` - at `$.text`"),  # type: ignore[arg-type]
    ("act", Candidate(text="wait", logprob="likely"), "Expected `float | null`, got `str`"),  # type: ignore[arg-type]
    ("act", "half \ud83d", "surrogates not allowed"),
    ("act", Request(question="?", target=3), "Expected `str | null`, got `int`"),  # type: ignore[arg-type]
    ("review_turn", Critique(verdict="great"), "Invalid enum value 'great' - at `$.verdict`"),  # type: ignore[arg-type]
    ("review_turn", Critique(text=["a"]), "Expected `str`, got `array`"),  # type: ignore[arg-type]
    ("review_turn", Critique(score=True), "Expected `float | null`, got `bool`"),
    ("review_turn", Critique(score=float("nan")), "score is nan"),
    ("review_turn", Critique(confidence=float("inf")), "confidence is inf"),
    ("review_turn", Critique(grades={"good": float("nan")}), "Expected `float`, got `null`"),
    ("review_turn", Critique(data={"model": object()}), "object is no JSON"),
    ("review_turn", Critique(text="half \ud83d"), "surrogates not allowed"),
    ("review_attempt", [Critique(), "well done"], "answered str in review_attempt, where a cornerman.Critique was due"),
    ("on_task_start", ContextItem(text="a", placement="top"), "Invalid enum value 'top'"),  # type: ignore[arg-type]
    ("plan_attempts", [AttemptSpec(groups={"a": 1})], "Expected `str`, got `int`"),  # type: ignore[dict-item]
    ("on_task_end", [MemoryOp(op="forget", id="a")], "Invalid enum value 'forget'"),  # type: ignore[arg-type]
]


@pytest.mark.parametrize(("hook", "answer", "words"), BAD)
def test_a_record_with_a_wrong_field_is_refused_where_it_is_answered(hook: str, answer: Any, words: str) -> None:
    episode = with_hook(hook, lambda *given: answer)
    assert episode.end is HOOKS[hook][1]
    assert words in (episode.error or "")


def test_numbers_of_array_libraries_are_numbers() -> None:
    graded = lambda *given: Critique(score=np.float64(0.5), confidence=np.float32(0.25), data={"n": np.int64(3)})  # noqa: E731
    critique = only(with_hook("review_turn", graded)).turns[0].critiques[0]
    assert (critique.score, critique.confidence, critique.data) == (0.5, 0.25, {"n": 3})
    assert type(critique.score) is float


def test_what_a_plug_in_keeps_of_its_answer_is_not_the_record() -> None:
    kept = {"plan": ["first"]}

    def speak(view: Any, turn: Any) -> Critique:
        kept["plan"].append("more")
        return Critique(data=kept)

    attempt = only(with_hook("review_turn", speak))
    assert [len(t.critiques[0].data["plan"]) for t in attempt.turns] == [2, 3, 4]


def test_every_episode_can_be_written_and_read_back() -> None:
    for hook in HOOKS:
        for how in (raises(ValueError("boom")), lambda *given: 5):
            episode = with_hook(hook, how)
            assert msgspec.json.decode(msgspec.json.encode(episode), type=Episode) == episode


# -- critics' errors may be lived with


@pytest.mark.parametrize("moment", ["review_action", "review_turn", "answer_request", "review_attempt"])
@pytest.mark.parametrize(
    "answer", [raises(ValueError("boom")), raises_later(SystemExit(1)), lambda *given: 5, lambda view, *s: view.score]
)
def test_a_critics_error_may_leave_it_without_a_vote(moment: str, answer: Any) -> None:
    episode = with_hook(moment, answer, on_critic_error="continue")
    attempt = only(episode)
    critiques = [*(c for t in attempt.turns for c in t.critiques), *attempt.critiques]
    assert {(c.critic, c.suppressed, c.text) for c in critiques} == {("it", "error", "")}
    assert all((c.error or "").startswith("CriticError: critic 'it' ") for c in critiques)
    assert with_hook(moment, answer, on_critic_error="end").end is End.CRITIC_ERROR


def test_an_actors_error_is_never_lived_with() -> None:
    for hook in ("act", "revise"):
        assert with_hook(hook, raises(ValueError("boom")), on_critic_error="continue").end is End.ACTOR_ERROR


def test_a_barrier_error_that_a_plug_in_catches_is_its_own_business() -> None:
    def careful(view: Any, turn: Any) -> Critique:
        try:
            return Critique(score=view.score)
        except Exception as error:
            return Critique(text=type(error).__name__)

    assert texts(only(with_hook("review_turn", careful)).turns[0].critiques) == ["BarrierError"]


# -- states


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (object(), "no JSON"),
        ({1, 2}, "does not give back"),
        ((1, 2), "does not give back"),
        ({1: "a"}, "does not give back"),
        (float("nan"), "does not give back"),
        (b"bytes", "does not give back"),
        ("\ud83d", "no JSON"),
    ],
    ids=repr,
)
def test_a_state_that_json_would_change_is_its_plug_ins_error(value: Any, words: str) -> None:
    for hook in ("act", "review_turn", "review_action", "review_attempt", "transform_observation", "on_task_start"):
        role, end = HOOKS[hook]

        def keep(view: Any, *given: Any, hook: str = hook) -> Any:
            view.state["kept"] = value
            return "wait" if hook == "act" else None

        episode = with_hook(hook, keep)
        assert episode.end is end, hook
        assert f"view.state of '{'critic/it' if role == 'critic' else role}' holds something that" in (
            episode.error or ""
        )
        assert words in (episode.error or "")


def test_a_state_that_refers_to_itself_is_too() -> None:
    def keep(view: Any, turn: Any) -> None:
        view.state["me"] = view.state

    assert with_hook("review_turn", keep).end is End.CRITIC_ERROR


# -- the environment


class Broken(countdown.Countdown):
    """Raises where its task says so."""

    def __init__(self, start: int = 5, where: str = "") -> None:
        if where == "make":
            raise RuntimeError("no such game")
        super().__init__(start)
        self.where = where

    def reset(self, **given: Any) -> Any:
        if self.where == "reset":
            raise RuntimeError("no such game")
        return super().reset(**given)

    def close(self) -> None:
        if self.where == "close":
            raise RuntimeError("stuck")

    def facts(self) -> Any:
        raise RuntimeError("nothing to see")


def broken(where: str, agent: type | None = None, **critics: Any) -> Episode:
    ring = Ring(agent or actor("wait"), rules=THREE, **critics)
    spec = EnvironmentSpec(id="test/Broken-v1", make=lambda task: Broken(**task.settings), light=True)
    ring.registry.add("environment", spec.id, spec)  # type: ignore[arg-type]
    task = msgspec.structs.replace(countdown.task(5), env=spec.id, settings={"where": where})
    return ring.play(task)


def test_an_environment_that_can_not_be_made_or_reset() -> None:
    made = broken("make")
    assert (made.end, made.attempts) == (End.ENV_ERROR, ())
    assert made.error == "test/Broken-v1 could not be made for task from-5: RuntimeError: no such game"
    reset = broken("reset")
    assert (reset.end, reset.error) == (End.ENV_ERROR, "test/Broken-v1 raised at reset: RuntimeError: no such game")


def test_an_environment_that_raises_in_a_step_keeps_what_was_played() -> None:
    episode = Ring(actor("down 1", "boom"), rules=THREE, it=critic(review_turn=says("hm"))).play()
    [attempt] = episode.attempts
    assert (episode.end, attempt.end, executed(attempt)) == (End.ENV_ERROR, End.ENV_ERROR, ["down 1"])
    assert attempt.error == "test/Countdown-v1 raised at 'boom': RuntimeError: the counter broke"
    assert (episode.success, episode.score, attempt.score) == (False, 0.0, 0.0)
    assert texts(attempt.context) == ["hm"]


def test_an_environment_that_fails_to_close_changes_nothing() -> None:
    episode = broken("close", actor("down 2", "down 2", "down 1"))
    assert (episode.end, episode.success) == (End.SUCCESS, True)


def test_what_a_critic_asks_of_the_environment_is_the_environments_error() -> None:
    episode = broken("", it=plugin(("hidden",), review_turn=lambda view, turn: view.facts()))
    assert (episode.end, episode.error) == (
        End.ENV_ERROR,
        "test/Broken-v1 raised for its facts: RuntimeError: nothing to see",
    )


def test_sessions_that_can_not_be_opened_end_one_episode() -> None:
    class Full(InlineSessions):
        async def open(self, task: Any, *, fork: bool = False) -> Any:
            raise EnvError("no worker is left")

    ring = Ring(actor("wait"))
    episode = ring.play(bench=ring.bench(sessions=Full(ring.registry)))
    assert (episode.end, episode.error, episode.counted) == (End.ENV_ERROR, "no worker is left", None)


def test_success_without_the_environments_end_counts_when_turns_run_out() -> None:
    class Lenient(countdown.Countdown):
        def step(self, action: str) -> Any:
            observation, reward, _, _, info = super().step(action)
            return observation, reward, False, False, info

    ring = Ring(actor("down 2", "down 1", "wait"), rules=THREE)
    spec = EnvironmentSpec(id="test/Lenient-v1", make=lambda task: Lenient(3), light=True)
    ring.registry.add("environment", spec.id, spec)  # type: ignore[arg-type]
    episode = ring.play(msgspec.structs.replace(countdown.task(3), env=spec.id))
    assert (episode.end, episode.success, episode.score) == (End.SUCCESS, True, 1.0)


def test_an_episode_in_error_teaches_a_memory_nothing() -> None:
    asked: list[Any] = []
    memory = plugin((), on_task_end=lambda view, episode: asked.append(episode))
    assert Ring(actor("boom"), memory=memory).play().end is End.ENV_ERROR
    assert asked == []
