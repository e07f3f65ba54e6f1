"""The information barrier: a plug-in sees what it declared, and what it did not is absent or raises."""

from __future__ import annotations

import inspect
from typing import Any

import msgspec
import pytest
from tests.support import countdown
from tests.support.scripts import Ring, actor, critic, only, plugin, says

from cornerman import Candidate, Critique
from cornerman.engine.view import UserView, View
from cornerman.errors import End
from cornerman.records import Attempt, Turn
from cornerman.suites import Rules

FIELDS = ("history", "admissible", "score", "success", "policy", "attempts", "gold", "facts")
NEEDS = {"success": "score", "facts": "hidden"}
THREE = Rules(max_turns=3)


async def reach(view: Any, field: str) -> Any:
    value = getattr(view, field)
    return await value() if callable(value) else value


@pytest.mark.parametrize("field", FIELDS)
def test_reaching_for_an_undeclared_field_ends_the_episode_and_says_what_to_do(field: str) -> None:
    needed = NEEDS.get(field, field)
    sentence = f'reached for view.{needed} without declaring it; add "{needed}" to its `sees`'

    def reaches(view: Any, *subject: Any) -> Any:
        return reach(view, field)

    episode = Ring(actor("wait"), it=plugin((), review_turn=reaches)).play()
    assert (episode.end, episode.error) == (End.CRITIC_ERROR, f"critic 'it' {sentence}")
    episode = Ring(actor(reaches, sees=())).play()
    assert (episode.end, episode.error) == (End.ACTOR_ERROR, f"actor 'scripted' {sentence}")
    episode = Ring(actor("wait"), rules=THREE, memory=plugin((), on_task_end=lambda view, e: reach(view, field))).play()
    assert (episode.end, episode.error) == (End.CRITIC_ERROR, f"memory 'scripted' {sentence}")
    episode = Ring(actor("wait"), protocol=plugin((), plan_attempts=reaches)).play()
    assert (episode.end, episode.error) == (End.CRITIC_ERROR, f"protocol 'scripted' {sentence}")


def test_declared_fields_are_there() -> None:
    seen: dict[str, Any] = {}

    async def look(view: Any, turn: Turn) -> None:
        if view.turn == 1:
            for field in FIELDS:
                seen[field] = await reach(view, field)

    sees = ("history", "admissible", "score", "policy", "attempts", "gold", "hidden")
    only(Ring(actor("down 2"), it=plugin(sees, review_turn=look)).play())
    [turn] = seen.pop("history")
    assert (turn.executed, turn.score, turn.reward) == ("down 2", pytest.approx(0.4), pytest.approx(0.4))
    assert seen == {
        "admissible": ["down 1", "down 2", "wait"],
        "score": pytest.approx(0.4),
        "success": False,
        "policy": "",
        "attempts": [],
        "gold": ["down 2", "down 1"],
        "facts": {"n": 3},
    }


UNSURE = [Candidate(text="down 2", logprob=-0.1, entropy=0.2), Candidate(text="wait", entropy=0.3)]


def everything(sees: tuple[str, ...]) -> dict[str, Any]:
    """What a critic of some information set is handed at every moment, and finds in its view."""
    seen: dict[str, Any] = {}

    def at(name: str) -> Any:
        def hook(view: Any, subject: Any) -> None:
            if name == "review_turn" or view.turn > 1:
                seen[name] = subject
            seen[f"{name}:history"] = view.history if "history" in sees else None

        return hook

    moments = ("review_action", "review_turn", "review_attempt")
    agent = actor(UNSURE, revise=Candidate(text="down 2", logprob=-3.0, entropy=2.0))
    loud = critic(review_action=[Critique(verdict="revise", text="hm"), None])
    only(Ring(agent, loud=loud, it=plugin(sees, **{m: at(m) for m in moments})).play())
    return seen


def test_without_score_it_is_absent_from_every_record() -> None:
    seen = everything(("history", "attempts"))
    turns = [seen["review_turn"], *seen["review_turn:history"], *seen["review_attempt"].turns]
    assert len(turns) == 7
    assert {(t.score, t.reward) for t in turns} == {(None, None)}
    attempt = seen["review_attempt"]
    assert (attempt.score, attempt.success, attempt.end) == (None, None, None)


def test_with_score_it_is_there() -> None:
    seen = everything(("history", "score"))
    assert seen["review_turn"].score == 0.8
    attempt = seen["review_attempt"]
    assert (attempt.score, attempt.success, attempt.end) == (0.8, False, End.FAILURE)


def test_without_logprobs_they_are_absent_from_candidates_and_revisions() -> None:
    for sees, known in ((("history",), False), (("history", "logprobs"), True)):
        seen = everything(sees)
        turns = [seen["review_turn"], *seen["review_attempt"].turns]
        candidates = [*seen["review_action"], *(c for t in turns for c in (*t.candidates, *t.revisions))]
        assert len(candidates) == 2 + 4 * 3
        assert any(c.entropy is not None for c in candidates) == known
        assert any(c.logprob is not None for c in candidates) == known


def test_an_entropy_alone_is_absent_too() -> None:
    seen: list[Any] = []
    watch = critic(review_action=lambda view, candidates: seen.extend(c.entropy for c in candidates))
    only(Ring(actor(Candidate(text="wait", entropy=0.3)), rules=THREE, watch=watch).play())
    assert seen == [None] * 3


def test_without_admissible_it_is_absent_from_turns() -> None:
    for sees, known in ((("history",), False), (("history", "admissible"), True)):
        turns = everything(sees)["review_attempt"].turns
        assert {t.admissible_actions is not None for t in turns} == {known}
        assert {t.admissible is not None for t in turns} == {known}


def secretive(**deliver: Any) -> dict[str, Any]:
    """Critics with something to hide beside critics and an actor that look."""
    oracle = critic(review_turn=says("the secret"), review_action=says("another secret"))
    return {"secretive": (oracle, deliver)}


def seen_critiques(role: str, secret: dict[str, Any]) -> list[Critique]:
    seen: list[Critique] = []

    def look(view: Any, *subject: Any) -> Any:
        subjects = [s for s in subject if isinstance(s, (Turn, Attempt))]
        turns = [*view.history, *(t for s in subjects for t in (s.turns if isinstance(s, Attempt) else [s]))]
        seen.extend(c for t in turns for c in t.critiques)
        return "wait" if role == "actor" else None

    watch = critic(review_turn=look, review_attempt=look) if role == "critic" else critic(review_turn=None)
    only(Ring(actor(look if role == "actor" else "wait"), rules=THREE, **secret, watch=watch).play())
    return seen


@pytest.mark.parametrize("role", ["actor", "critic"])
def test_what_was_not_delivered_is_seen_by_nobody_else(role: str) -> None:
    assert seen_critiques(role, secretive(deliver="suppress")) == []
    heard = seen_critiques(role, secretive(deliver="append"))
    assert {c.text for c in heard} == {"the secret", "another secret"}


@pytest.mark.parametrize("role", ["actor", "critic"])
def test_a_control_does_not_show_that_it_is_one(role: str) -> None:
    heard = seen_critiques(role, secretive(wrap="placebo"))
    assert heard
    assert {(c.wrapped, c.original) for c in heard} == {(None, None)}


def test_a_critic_sees_its_own_critiques_even_when_nobody_else_does() -> None:
    seen: list[str] = []

    def speak(view: Any, turn: Turn) -> Critique:
        seen.extend(c.text for t in view.history for c in t.critiques)
        return Critique(text=f"said {view.turn}")

    only(Ring(actor("wait"), rules=THREE, it=(critic(review_turn=speak), {"deliver": "suppress"})).play())
    assert seen == ["said 1", "said 1", "said 2"]


def test_the_revision_is_not_told_of_a_control_either() -> None:
    told: list[Critique] = []
    agent = actor("wait", revise=lambda view, candidates, critiques: told.extend(critiques))
    veto = (critic(review_action=says("no", verdict="revise")), {"wrap": "placebo"})
    only(Ring(agent, rules=THREE, it=veto).play())
    assert {(c.wrapped, c.original) for c in told} == {(None, None)}


def test_a_protocol_sees_critiques_that_were_not_delivered_and_no_outcome() -> None:
    from cornerman import AttemptSpec

    seen: list[Attempt] = []

    def plan(view: Any) -> Any:
        seen.extend(view.attempts)
        return None if view.attempts else [AttemptSpec()]

    grader = (critic(review_turn=says("", score=0.5), review_attempt=says("", score=0.2)), {"deliver": "suppress"})
    Ring(actor("wait"), rules=THREE, protocol=plugin(("attempts",), plan_attempts=plan), grader=grader).play()
    [attempt] = seen
    assert [c.score for t in attempt.turns for c in t.critiques] == [0.5] * 3
    assert [c.score for c in attempt.critiques] == [0.2]
    assert (attempt.end, attempt.success, attempt.score) == (None, None, None)


def test_other_plug_ins_states_are_in_no_record_that_is_shown() -> None:
    def remember(view: Any, *subject: Any) -> None:
        view.state["secret"] = view.turn

    seen: list[Any] = []

    def look(view: Any, attempt: Attempt) -> None:
        seen.extend([attempt, *attempt.turns, *view.history])

    episode = Ring(
        actor("wait"),
        rules=THREE,
        quiet=critic(on_task_start=remember, review_turn=remember),
        it=critic(review_attempt=look),
    ).play()
    assert only(episode).turns[0].state == {"critic/quiet": {"secret": 1}}
    assert len(seen) == 7
    assert {str(s.state) for s in seen} == {"{}"}
    assert only(episode).opening_state == {"critic/quiet": {"secret": 0}}
    assert seen[0].opening_state == {}


def test_a_memory_is_told_the_family_and_no_more_of_the_task() -> None:
    seen: list[Any] = []
    task = msgspec.structs.replace(countdown.task(5, "a name that tells all"), family="counting")
    memory = plugin(("attempts",), on_task_end=lambda view, episode: seen.append(episode))
    ring = Ring(actor("down 1"), rules=THREE, memory=memory, it=critic(review_turn=says("hm")))
    ring.play(task, trial=7, bench=ring.bench(seed=12345))
    [episode] = seen
    assert "a name that tells all" not in repr(episode)
    assert (episode.task.family, episode.method, episode.counted_rule) == ("counting", "scripted+it+scripted", "last")
    assert (episode.task.settings, episode.seed, episode.trial, episode.calls) == ({}, 0, 0, ())
    assert (episode.success, episode.score, episode.counted) == (False, 0.0, None)
    [attempt] = episode.attempts
    assert (attempt.end, attempt.score, attempt.path, len(attempt.turns)) == (None, None, "", 3)


def test_with_score_a_memory_is_told_the_outcome() -> None:
    seen: list[Any] = []
    memory = plugin(("attempts", "score"), on_task_end=lambda view, episode: seen.append(episode))
    Ring(actor("down 2", "down 2", "down 1"), memory=memory).play()
    assert (seen[0].success, seen[0].score, seen[0].end, seen[0].counted) == (True, 1.0, End.SUCCESS, 0)


def reachable(value: Any, depth: int = 0) -> set[str]:
    """The texts of everything that the public attributes of an object lead to."""
    if isinstance(value, (str, int, float, type(None))):
        return {str(value)}
    if isinstance(value, (list, tuple, set, frozenset)):
        return {t for v in value for t in reachable(v, depth)}
    if isinstance(value, dict):
        return reachable([*value, *value.values()], depth)
    if depth > 4 or inspect.isroutine(value):
        return set()
    found = set()
    for name in dir(value):
        if not name.startswith("_"):
            try:
                found |= reachable(getattr(value, name), depth + 1)
            except Exception as error:  # a field that is not declared
                found.add(str(error))
    return found


@pytest.mark.parametrize("sees", [(), ("history", "admissible", "score", "policy", "logprobs", "attempts")])
def test_nothing_public_of_a_view_leads_to_task_seed_or_path(sees: tuple[str, ...]) -> None:
    from tests.support.scripted_model import ScriptedModel

    found: set[str] = set()

    async def look(view: Any, *subject: Any) -> None:
        await view.model.generate([], purpose="test")
        assert not hasattr(view, "__dict__")
        found.update(reachable(view), reachable(list(subject)))

    moments = dict.fromkeys(("review_action", "review_turn", "review_attempt"), look)
    it = (plugin(sees, **moments), {"model": "scripted"})
    ring = Ring(actor("down 1"), rules=THREE, it=it, retry=critic(review_attempt=says("again")))
    bench = ring.bench(seed=987654321, model=lambda uri: ScriptedModel(lambda messages: "hm"))
    episode = ring.play(countdown.task(5, "the-task-id"), bench=bench, trial=4242)
    only(episode)
    assert "The counter shows 5." in found
    for secret in ("the-task-id", "987654321", "4242", countdown.SPEC.id, *(str(c.seed) for c in episode.calls)):
        assert not any(secret == text or (len(secret) > 4 and secret in text) for text in found), secret


def test_the_view_declares_its_whole_surface() -> None:
    """A new property of the view is a decision about the barrier; this list is where it is taken."""
    at_hand = {"phase", "state", "model", "rng", "run_blocking"}
    assert {n for n in dir(UserView) if not n.startswith("_")} == at_hand
    assert {n for n in dir(View) if not n.startswith("_")} == at_hand | {
        *(
            "goal",
            "opening",
            "observation",
            "tools",
            "turn",
            "turns_left",
            "spend_left",
            "attempt",
            "rules",
            "family",
        ),
        *("context", "memory", "without"),
        *("history", "admissible", "score", "success", "policy", "attempts", "gold", "facts"),
    }


def test_the_actor_is_shown_by_the_suites_rules() -> None:
    seen: list[Any] = []

    def act(view: Any) -> str:
        seen.append((view.admissible, [t.index for t in view.history]))
        return "wait"

    watch = critic(
        ("history", "admissible"),
        review_turn=lambda view, turn: seen.append((bool(view.admissible), len(view.history))),
    )
    only(Ring(actor(act), rules=Rules(max_turns=3, history_window=1, show_admissible=False), watch=watch).play())
    assert seen[0::2] == [(None, []), (None, [0]), (None, [1])]
    assert seen[1::2] == [(True, 1), (True, 2), (True, 3)]
    seen.clear()
    only(Ring(actor(act), rules=Rules(max_turns=2, history_window=0)).play())
    assert [turns for _, turns in seen] == [[], []]


def test_outside_of_an_attempt_there_is_no_environment_to_ask() -> None:
    episode = Ring(actor("wait"), protocol=plugin(("gold",), plan_attempts=lambda view: view.gold())).play()
    assert episode.end is End.CRITIC_ERROR
    assert episode.error == "no attempt is under way at this moment: there is no environment to ask"


def test_without_leaves_out_words_and_their_traces_in_the_history() -> None:
    seen: list[Any] = []

    def act(view: Any) -> str:
        if view.turn == 2:
            [first, *_] = [c for t in view.history for c in t.critiques]
            less = view.without([first])
            seen.append([i.text for i in less.context])
            seen.append([c.text for t in less.history for c in t.critiques])
            seen.append([i.text for i in view.context])
        return "wait"

    speak = critic(review_turn=lambda view, turn: Critique(text=f"said {view.turn}"))
    only(Ring(actor(act), rules=THREE, it=speak).play())
    assert seen == [["said 2"], ["said 2"], ["said 1", "said 2"]]


def test_a_plug_in_can_not_reach_the_records_list_through_its_view() -> None:
    def spoil(view: Any, turn: Turn) -> None:
        view.history.clear()
        view.context.clear()
        (view.admissible or []).clear()

    spoiler = critic(("history", "admissible"), review_turn=spoil)
    attempt = only(Ring(actor("wait"), rules=THREE, talks=critic(review_turn=says("hm")), it=spoiler).play())
    assert (len(attempt.turns), len(attempt.context)) == (3, 3)
    assert attempt.turns[2].admissible_actions == ("down 1", "down 2", "wait")
