"""Forks of recorded episodes: the same again, without some words, with others, with other luck."""

from __future__ import annotations

import asyncio
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support import countdown
from tests.support.play import InlineSessions
from tests.support.scripted_model import ScriptedModel
from tests.support.scripts import Ring, actor, critic, executed, plugin, protocol, says, texts

from cornerman import AttemptSpec, Candidate, ContextItem, Critique, MemoryOp, Request, Start
from cornerman.errors import End, NotReproducible, UsageError
from cornerman.records import Attempt, Episode
from cornerman.suites import Rules

TEN = Rules(max_turns=10, requests=2)


def bare(value: Any) -> Any:
    """A record as JSON without seconds and without the numbers that only tell critiques and calls apart."""
    data = msgspec.to_builtins(value)

    def strip(node: Any) -> Any:
        if isinstance(node, dict):
            left_out = {"seconds", "id", "critique", "changed_by", "replaced_by", "call", "calls"}
            return {k: strip(v) for k, v in node.items() if k not in left_out}
        return [strip(v) for v in node] if isinstance(node, (list, tuple)) else node

    return strip(data)


def same_end(fork: Attempt, recorded: Attempt, k: int) -> None:
    """The fork is the recorded continuation, in every field but seconds and ids."""
    first = recorded.start.turn if recorded.start.kind == "turn" else 0
    assert bare(fork.turns) == bare(recorded.turns[k - first :])
    assert fork.log == recorded.log
    assert bare(fork.context) == bare(recorded.context)
    assert bare(fork.critiques) == bare(recorded.critiques)
    assert (fork.end, fork.success, fork.score, fork.state) == (
        recorded.end,
        recorded.success,
        recorded.score,
        recorded.state,
    )


# -- a method with a bit of everything: chance, states, words that replace each other, questions, thoughts, retries


def act(view: Any) -> Any:
    view.state["acted"] = view.state.get("acted", 0) + 1
    draw = view.rng()
    match draw.randrange(8):
        case 0:
            return Candidate(text="", thought=f"thought {view.state['acted']} of {len(view.context)}")
        case 1:
            return Request(question=f"question {view.turn}?")
        case 2:
            return [Candidate(text=t, entropy=draw.random()) for t in ("wait", "down 1", "wait")]
    return draw.choice(["wait", "wait", "wait", "down 1", "down 2"])


def speak(name: str, quiet: float = 0.4) -> Any:
    """Says what it knows, now and then, and keeps count."""

    def hook(view: Any, *subject: Any) -> Critique | None:
        draw = view.rng()
        view.state[name] = view.state.get(name, 0) + 1
        if draw.random() < quiet:
            return None
        verdict = draw.choice(["pass", "revise", "block", None]) if name == "action" else None
        heard = [len(t.critiques) for t in view.history]
        return Critique(
            text=f"{name} {view.state[name]} at {view.turn} of {view.attempt} after {heard}",
            verdict=verdict,
            score=draw.random(),
        )

    return hook


async def asynchronous(view: Any, *subject: Any) -> Critique | None:
    await asyncio.sleep(0)
    said: Critique | None = speak("late")(view, *subject)
    return said


def transform(view: Any, observation: str) -> Any:
    view.state["observed"] = view.state.get("observed", 0) + 1
    return f"{observation} [{view.rng().randrange(100)}]" if view.turn % 2 else ContextItem(text=f"beside {view.turn}")


def plan(view: Any) -> Any:
    done = view.attempts
    if not done:
        return [AttemptSpec(), AttemptSpec(start=Start(kind="prefix", prefix=("down 1",)))]
    if len(done) == 2:
        words = tuple(ContextItem(text=c.text, critique=c.id) for c in done[0].critiques)
        return [AttemptSpec(start=Start(kind="turn", attempt=0, turn=len(done[0].turns) // 2), context=words)]
    if len(done) == 3:
        return [AttemptSpec(start=Start(kind="turn", attempt=2, turn=done[2].start.turn + len(done[2].turns) // 2))]
    return None


def ring() -> Ring:
    return Ring(
        actor(act, revise=lambda view, candidates, critiques: view.rng().choice(["wait", "down 1"])),
        rules=TEN,
        protocol=plugin(("attempts",), plan_attempts=plan),
        memory=plugin((), on_task_start=[ContextItem(text="start", role="experience", experience=("m1",))]),
        speaks=(
            critic(
                on_task_start=lambda view: view.state.update(started=True),
                review_action=speak("action"),
                review_turn=speak("turn"),
                answer_request=speak("answer"),
                review_attempt=speak("end"),
            ),
            {"deliver": {"review_turn": "replace", "review_action": "replace"}},
        ),
        delayed=(critic(review_turn=speak("slow")), {"wrap": "delayed", "trigger": {"random": 0.7}}),
        rare=(critic(review_turn=asynchronous), {"budget": 3, "cooldown": 1, "deliver": "suffix"}),
        changes=critic(transform_observation=transform),
    )


RING = ring()


@settings(deadline=None, max_examples=30)
@given(st.integers(0, 2**30), st.integers(3, 9))
def test_kept_words_and_the_same_draws_reproduce_the_record(seed: int, start: int) -> None:
    episode = RING.play(countdown.task(start), bench=RING.bench(seed=seed), review_rounds=2)
    assert episode.error is None
    for index, attempt in enumerate(episode.attempts):
        first = attempt.start.turn if attempt.start.kind == "turn" else 0
        for k in range(first, first + len(attempt.turns) + 1):
            if attempt.start.kind == "prefix" and k == 0:
                continue  # the prefix was not the actor's doing
            fork = RING.fork(episode, index, k, protocol={"review_rounds": 2}).attempt
            same_end(fork, attempt, k)


def test_the_method_above_does_what_it_says() -> None:
    """Else the property would show little: chance finds questions, thoughts, revisions, replacements and controls."""
    episodes = [RING.play(countdown.task(6), bench=RING.bench(seed=n), review_rounds=2) for n in range(12)]
    attempts = [a for e in episodes for a in e.attempts]
    turns = [t for a in attempts for t in a.turns]
    assert {t.kind for t in turns} == {"act", "request", "think"}
    assert {a.start.kind for a in attempts} == {"reset", "turn", "prefix"}
    assert any(t.revisions for t in turns)
    assert any(t.changed_by is not None for t in turns)
    assert any(i.replaced_by is not None for a in attempts for i in a.context)
    assert any(c.wrapped == "delayed" and c.delivered for t in turns for c in t.critiques)
    assert len({tuple(executed(a)) for a in attempts}) > 10


def test_an_episode_read_back_from_disk_forks_just_as_well() -> None:
    episode = RING.play(countdown.task(7), review_rounds=2)
    again = msgspec.json.decode(msgspec.json.encode(episode), type=Episode)
    for k in range(len(again.attempts[0].turns) + 1):
        same_end(RING.fork(again, 0, k, protocol={"review_rounds": 2}).attempt, episode.attempts[0], k)


def test_a_fork_has_its_place_in_its_record() -> None:
    episode = RING.play(countdown.task(7))
    fork = RING.fork(episode, 0, 2).attempt
    assert (fork.index, fork.parent, fork.start) == (0, 0, Start(kind="turn", attempt=0, turn=2))
    assert fork.path == episode.attempts[0].path
    assert RING.fork(episode, 0, 2, sample=3).attempt.path == "0.0~2.3"


# -- other luck


def test_another_sample_draws_other_numbers_and_the_same_sample_the_same() -> None:
    lucky = Ring(actor(lambda view: view.rng().choice(["wait", "down 1"])), rules=TEN)
    episode = lucky.play(countdown.task(30))
    played = {n: executed(lucky.fork(episode, 0, 2, sample=n).attempt) for n in range(6)}
    assert len({tuple(p) for p in played.values()}) == 6
    assert played[0] == executed(episode.attempts[0])[2:]
    assert played[3] == executed(lucky.fork(episode, 0, 2, sample=3).attempt)


def test_the_episodes_seed_holds_whatever_the_bench_says() -> None:
    lucky = Ring(actor(lambda view: view.rng().choice(["wait", "down 1"])), rules=TEN)
    episode = lucky.play(countdown.task(30), bench=lucky.bench(seed=5), trial=2)
    fork = lucky.fork(episode, 0, 0, bench=lucky.bench(seed=6)).attempt
    assert executed(fork) == executed(episode.attempts[0])


# -- other words


def heard() -> tuple[Ring, list[Any]]:
    """A ring whose actor waits and keeps the words that it read at each turn."""
    seen: list[Any] = []

    def look(view: Any) -> str:
        seen.append((texts(view.context), [c.text for t in view.history for c in t.critiques]))
        return "wait"

    before = lambda view, candidates: Critique(text=f"a{view.turn}", verdict="revise")  # noqa: E731
    after = critic(review_turn=lambda view, turn: Critique(text=f"t{view.turn}"))
    both = Ring(
        actor(look), rules=Rules(max_turns=3), it=(after, {"deliver": "replace"}), vets=critic(review_action=before)
    )
    return both, seen


def identity(episode: Episode, text: str) -> int:
    [found] = [c.id for t in episode.attempts[0].turns for c in t.critiques if c.text == text]
    return found


def test_words_that_are_left_out_are_gone_from_context_and_history() -> None:
    both, seen = heard()
    episode = both.play()
    assert seen[2] == (["a0", "a1", "t2"], ["a0", "t1", "a1", "t2"])
    seen.clear()
    both.fork(episode, 0, 2, without=[identity(episode, "a0")])
    assert seen == [(["a1", "t2"], ["t1", "a1", "t2"])]


def test_what_had_been_replaced_stands_again_without_its_replacement() -> None:
    both, seen = heard()
    episode = both.play()
    seen.clear()
    both.fork(episode, 0, 2, without=[identity(episode, "t2")])
    assert seen == [(["a0", "t1", "a1"], ["a0", "t1", "a1"])]
    seen.clear()
    both.fork(episode, 0, 2, without=[identity(episode, "t1"), identity(episode, "t2")])
    assert seen == [(["a0", "a1"], ["a0", "a1"])]
    seen.clear()
    both.fork(episode, 0, 2, without=[identity(episode, "t1")])  # t2 would have replaced it all the same
    assert seen == [(["a0", "a1", "t2"], ["a0", "a1", "t2"])]


def test_a_critique_of_the_next_decision_is_left_out_with_its_verdict() -> None:
    veto = critic(review_action=lambda view, candidates: Critique(text="no", verdict="block"))
    blocked = Ring(actor("down 2"), rules=Rules(max_turns=2), it=veto)
    episode = blocked.play(on_block="noop")
    [critique] = episode.attempts[0].turns[1].critiques
    fork = blocked.fork(episode, 0, 1, without=[critique.id], protocol={"on_block": "noop"}).attempt
    assert (executed(episode.attempts[0]), executed(fork)) == ([None, None], ["down 2"])
    before = episode.attempts[0].turns[0].critiques[0].id
    fork = blocked.fork(episode, 0, 0, without=[before], protocol={"on_block": "noop"}).attempt
    assert executed(fork) == ["down 2", None]  # at the next one the critic is asked again


def test_a_critique_of_later_turns_can_not_be_left_out() -> None:
    both, _ = heard()
    episode = both.play()
    for text, k in (("t2", 1), ("a2", 1), ("t1", 0)):
        with pytest.raises(UsageError, match="fork at a later turn"):
            both.fork(episode, 0, k, without=[identity(episode, text)])


def test_words_may_be_added() -> None:
    both, seen = heard()
    episode = both.play()
    seen.clear()
    fork = both.fork(episode, 0, 1, words=[ContextItem(text="Count!", placement="system")]).attempt
    assert seen[0][0] == ["a0", "t1", "Count!"]
    assert [(i.text, i.at) for i in fork.context if i.placement == "system"] == [("Count!", 1)]


def test_carried_words_of_a_retry_can_be_left_out() -> None:
    seen: list[Any] = []

    def look(view: Any) -> str:
        seen.append(texts(view.context))
        return "wait"

    retry = Ring(actor(look), rules=Rules(max_turns=1), it=critic(review_attempt=says("reflect")))
    retry.table["protocol"] = {"use": "retry", "attempts": 2}
    episode = retry.play()
    seen.clear()
    [reflection] = episode.attempts[0].critiques
    retry.fork(episode, 1, 0)
    retry.fork(episode, 1, 0, without=[reflection.id])
    assert seen == [["reflect"], []]


# -- what a fork does not do


def test_a_fork_draws_on_the_reserve_and_gives_its_session_back() -> None:
    opened: list[Any] = []

    class Watched(InlineSessions):
        async def open(self, task: Any, *, fork: bool = False) -> Any:
            session = await super().open(task, fork=fork)
            opened.append((fork, session))
            return session

    simple = Ring(actor("wait"), rules=TEN)
    episode = simple.play()
    simple.fork(episode, 0, 1, bench=simple.bench(sessions=Watched(simple.registry)))
    [(fork, session)] = opened
    assert fork
    assert not session._open


def test_a_fork_writes_no_memory_and_tells_no_observer() -> None:
    asked: list[str] = []

    def remember(view: Any, episode: Any) -> list[MemoryOp]:
        asked.append("end")
        return [MemoryOp(op="add", id="x", text="t")]

    keeps = Ring(actor("wait"), rules=TEN, memory=plugin((), on_task_end=remember))
    told: list[Any] = []
    bench = keeps.bench(attempt_finished=lambda *given: told.append(given))
    episode = keeps.play(bench=bench)
    assert (len(episode.memory), len(asked), len(told)) == (1, 1, 1)
    keeps.fork(episode, 0, 2, bench=bench)
    assert (len(asked), len(told)) == (1, 1)


def test_a_fork_shows_the_memory_that_it_is_given() -> None:
    from cornerman.engine.context import MemoryItem

    seen: list[Any] = []

    def look(view: Any) -> str:
        seen.append(view.memory)
        return "wait"

    keeps = Ring(actor(look), rules=Rules(max_turns=1))
    item = MemoryItem(id="a", text="b")
    episode = keeps.play(memory=(item,))
    keeps.fork(episode, 0, 0, memory=(item,))
    assert seen == [(item,), (item,)]


def test_a_fork_of_an_attempt_sees_the_attempts_that_it_saw() -> None:
    seen: list[Any] = []

    def look(view: Any) -> str:
        seen.append([a.index for a in view.attempts])
        return "wait"

    rounds = protocol([AttemptSpec(), AttemptSpec()], [AttemptSpec(), AttemptSpec()])
    four = Ring(actor(look, sees=("attempts",)), rules=Rules(max_turns=1), protocol=rounds)
    episode = four.play()
    recorded, seen[:] = list(seen), []
    for index in range(4):
        four.fork(episode, index, 0)
    assert seen == recorded == [[], [], [0, 1], [0, 1]]


def test_the_calls_of_a_fork_are_its_price_and_have_ids_of_their_own() -> None:
    async def think(view: Any, turn: Any) -> Critique:
        reply = await view.model.generate([], purpose="advice")
        return Critique(text=reply.text, call=reply.call)

    costly = Ring(actor("wait"), rules=Rules(max_turns=3), it=(critic(review_turn=think), {"model": "scripted"}))
    bench = costly.bench(model=lambda uri: ScriptedModel(lambda messages: "hm"))
    episode = costly.play(bench=bench)
    fork = costly.fork(episode, 0, 1, bench=bench)
    assert [c.id for c in episode.calls] == [0, 1, 2]
    assert [c.id for c in fork.calls] == [3, 4]
    assert [c.seed for c in fork.calls] == [c.seed for c in episode.calls[1:]]
    assert [t.calls for t in fork.attempt.turns] == [(3,), (4,)]


# -- what can go wrong


def tampered(episode: Episode, index: int, **changes: Any) -> Episode:
    attempt = episode.attempts[0]
    log = list(attempt.log)
    log[index] = msgspec.structs.replace(log[index], **changes)
    return msgspec.structs.replace(episode, attempts=(msgspec.structs.replace(attempt, log=tuple(log)),))


def test_a_tampered_log_is_not_reproducible_and_says_at_which_turn() -> None:
    thinks = Ring(actor("down 1", Candidate(text="", thought="hm"), "down 1", "wait"), rules=Rules(max_turns=5))
    episode = thinks.play(countdown.task(9))
    same_end(thinks.fork(episode, 0, 4).attempt, episode.attempts[0], 4)
    with pytest.raises(
        NotReproducible, match=r"after turn 2 \('down 1'\) is not the recorded one: 'The counter shows 7"
    ):
        thinks.fork(tampered(episode, 1, hash="0" * 16), 0, 4)
    with pytest.raises(NotReproducible, match=r"after turn 0 \('down 2'\)"):
        thinks.fork(tampered(episode, 0, action="down 2"), 0, 3)
    later = thinks.fork(
        tampered(episode, 3, hash="0" * 16), 0, 4
    ).attempt  # of turn 4, which is played and not replayed
    assert later.end is End.TRUNCATED


def test_a_task_that_is_another_now_is_not_reproducible() -> None:
    simple = Ring(actor("wait"), rules=TEN)
    episode = simple.play(countdown.task(5))
    moved = msgspec.structs.replace(episode, task=countdown.task(6, "from-5"))
    with pytest.raises(NotReproducible, match="at reset"):
        simple.fork(moved, 0, 0)


@pytest.mark.parametrize(
    ("attempt", "turn", "words"),
    [
        (4, 0, "has 4 attempts, counted from 0; there is no attempt 4"),
        (-1, 0, "there is no attempt -1"),
        (0, 11, "attempt 0 of episode from-5/test/0 has 10 turns; nothing can start after turn 11"),
        (0, -1, "nothing can start after turn -1"),
        (2, 0, "turn 0 of episode from-5/test/0 was played by attempt 0; fork that one"),
    ],
)
def test_a_place_that_the_episode_does_not_have_is_refused(attempt: int, turn: int, words: str) -> None:
    waits = Ring(actor("wait"), rules=TEN, protocol=plugin(("attempts",), plan_attempts=plan))
    waits.table["name"] = "test"
    episode = waits.play()
    with pytest.raises(UsageError) as caught:
        waits.fork(episode, attempt, turn)
    assert words in str(caught.value)


def test_what_goes_wrong_while_it_plays_is_in_its_end() -> None:
    breaks = Ring(actor("wait", "wait", "boom"), rules=TEN)
    episode = breaks.play()
    assert episode.end is End.ENV_ERROR
    fork = breaks.fork(episode, 0, 1).attempt
    assert (fork.end, fork.success, fork.score) == (End.ENV_ERROR, False, 0.0)


def test_words_of_a_decision_that_an_error_cut_off_are_not_restored() -> None:
    def broken(view: Any, candidates: Any, critiques: Any) -> Any:
        raise ValueError("boom")

    cut = Ring(actor("wait", revise=broken), rules=TEN, it=critic(review_action=says("no", verdict="revise")))
    episode = cut.play()
    assert (episode.end, texts(episode.attempts[0].context), episode.attempts[0].turns) == (End.ACTOR_ERROR, ["no"], ())
    fork = cut.fork(episode, 0, 0).attempt
    assert texts(fork.context) == ["no"]  # said once, in the fork
