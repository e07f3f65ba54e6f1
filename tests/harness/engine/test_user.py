"""Environments that talk to a user: who is asked, what is recorded, and that what was said is not asked for again."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import msgspec
import pytest
from tests.support import desk
from tests.support.desk import ASK, CALL, Desk
from tests.support.play import InlineSessions
from tests.support.scripted_model import ScriptedModel
from tests.support.scripts import Ring, actor, critic, only, plugin, protocol, says

from cornerman import AttemptSpec, Start
from cornerman.dialogue import UserMessage
from cornerman.environment import EnvironmentSpec
from cornerman.errors import POLICY, End, EnvError, EpisodeTimeout, NotReproducible, UsageError
from cornerman.manifest import describe_method
from cornerman.records import Attempt, Episode, UserReply
from cornerman.replay import replay
from cornerman.suites import Rules
from cornerman.talk import MOST_REPLIES
from cornerman.workers.pool import Pool

EIGHT = Rules(max_turns=8)


def user(*script: Any) -> type:
    """A user that says its lines one after another, the last one again and again; functions get view and message."""

    def reply(view: Any, message: UserMessage) -> Any:
        number = view.state["said"] = view.state.get("said", 0) + 1
        line = script[min(number, len(script)) - 1]
        return line(view, message) if callable(line) else line

    return plugin((), reply_as_user=reply)


POLITE = ("Let me in.", CALL, "It is on. The code is 7.", "Thank you.", "Bye. ###STOP###")
AGENT = ("Which code?", "open 7")


def served(*lines: str, says: tuple[Any, ...] = POLITE, bench: Any = None, **parts: Any) -> Episode:
    """An episode at the desk."""
    ring = Ring(actor(*lines), rules=EIGHT, user=user(*says), **parts)
    return ring.play(desk.task(), bench=bench)


def test_the_user_opens_answers_and_uses_its_tool_and_all_of_it_is_on_record() -> None:
    attempt = only(served(*AGENT))
    assert (attempt.opening, attempt.opening_replies) == ("Customer: Let me in.", ("Let me in.",))
    assert attempt.opening_user == (UserReply(message="", text="Let me in."),)
    talked, opened = attempt.turns
    assert talked.observation == "Customer: It is on. The code is 7."
    assert talked.user == (
        UserReply(message="Which code?", text=CALL),
        UserReply(message="The lamp is on.", text="It is on. The code is 7."),
    )
    assert (talked.reward, talked.score, opened.reward, opened.score) == (0.5, 0.5, 0.5, 1.0)
    assert (opened.user, attempt.success, attempt.end) == ((), True, End.SUCCESS)
    assert [e.replies for e in attempt.log] == [(CALL, "It is on. The code is 7."), ()]


def test_the_user_is_told_the_talk_its_scenario_and_its_tools() -> None:
    told: list[UserMessage] = []

    def listen(view: Any, message: UserMessage) -> str:
        told.append(message)
        message.scenario["reason_for_call"] = "spoilt"  # a copy: the environment keeps its own
        return ["Hello.", CALL, "Done."][len(told) - 1]

    only(Ring(actor("Who?", "open 7"), rules=EIGHT, user=plugin((), reply_as_user=listen)).play(desk.task()))
    assert [m.message for m in told] == ["", "Who?", "The lamp is on."]
    assert [[s.role for s in m.dialogue] for m in told] == [[], ["user", "agent"], ["user", "agent", "user", "tool"]]
    assert told[0].tools == [desk.PRESS]


def test_a_user_need_not_open_and_can_end_the_talk() -> None:
    ring = Ring(actor("Hello?"), rules=EIGHT, user=user("###STOP###"))
    attempt = only(ring.play(desk.task(first=False)))
    assert (attempt.opening, attempt.opening_user) == ("Somebody comes in.", ())
    assert (attempt.end, attempt.log[0].replies) == (End.FAILURE, ("###STOP###",))


def test_an_asynchronous_user_is_awaited() -> None:
    async def reply(view: Any, message: UserMessage) -> str:
        await asyncio.sleep(0)
        return "###STOP###"

    assert only(served("hm", says=(reply,))).opening_replies == ("###STOP###",)


# -- errors


def goal(view: Any, message: UserMessage) -> Any:
    return view.goal


def raising(view: Any, message: UserMessage) -> Any:
    raise ValueError("no idea")


@pytest.mark.parametrize("when", ["opening", "turn"])
@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        (raising, "user 'scripted' raised in reply_as_user"),
        (None, "user 'scripted' answered NoneType in reply_as_user, where text was due"),
        (5, "user 'scripted' answered int in reply_as_user, where text was due"),
        (goal, "user 'scripted' reached for view.goal; a user sees nothing but its message"),
        (CALL, f"the user replied {MOST_REPLIES} times to one action, and the environment still asks it"),
    ],
)
def test_what_a_user_does_wrong_is_its_error(when: str, line: Any, sentence: str) -> None:
    episode = served("Which code?", says=(line,) if when == "opening" else ("Hello.", line))
    assert (episode.end, episode.success, POLICY[episode.end].replay) == (End.USER_ERROR, False, True)
    assert sentence in (episode.error or "")
    assert len(episode.attempts) == (when == "turn")
    assert all(not a.turns and not a.log for a in episode.attempts)


def test_a_state_that_is_no_json_is_the_users_error() -> None:
    episode = served("hm", says=(lambda view, message: view.state.update(odd={1}) or "Hello.",))
    assert (episode.end, "view.state of 'user'" in (episode.error or "")) == (End.USER_ERROR, True)


def test_without_a_user_in_the_rules_the_episode_says_so() -> None:
    episode = Ring(actor("hm"), rules=EIGHT).play(desk.task())
    assert episode.end is End.USER_ERROR
    assert "the rules of its suite name none" in (episode.error or "")


def test_what_the_environment_raises_at_a_reply_is_its_own_error() -> None:
    episode = served("Which code?", says=("Hello.", "boom"))
    assert (episode.end, "at the user's 'boom'" in (episode.error or "")) == (End.ENV_ERROR, True)


@pytest.mark.parametrize("told", ["hm", {"message": 5}, {"dialogue": [{"role": "boss", "content": ""}]}, {"odd": 1}])
def test_what_is_no_message_to_a_user_is_the_environments_error(told: Any) -> None:
    class Odd(Desk):
        def _info(self) -> Any:
            return super()._info() | ({"user": told} if self.waiting else {})

    ring = Ring(actor("hm"), rules=EIGHT, user=user("hm"))
    odd: Any = EnvironmentSpec(id="test/Odd-v1", make=lambda task: Odd(), user=True)
    ring.registry.add("environment", "test/Odd-v1", odd)
    episode = ring.play(msgspec.structs.replace(desk.task(), env="test/Odd-v1", settings={}))
    assert episode.end is End.ENV_ERROR
    assert "info['user'] is no message to a user" in (episode.error or "")


def test_a_user_that_declares_to_see_something_is_refused() -> None:
    with pytest.raises(UsageError, match="declares to see history"):
        Ring(actor("hm"), user=plugin(("history",), reply_as_user="hm")).method()
    with pytest.raises(UsageError, match=r"does not implement reply_as_user\(view, message\)"):
        Ring(actor("hm"), user=plugin((), act="hm")).method()


def test_words_that_no_record_can_hold_are_mended() -> None:
    attempt = only(served("Which code?", says=("x\ud83d\ude00y\udc00", "###STOP###")))
    assert attempt.opening_replies == ("x😀y�",)
    assert msgspec.json.decode(msgspec.json.encode(attempt), type=Attempt) == attempt


# -- who sees it


def test_nobody_but_the_record_sees_the_users_side() -> None:
    seen: list[Any] = []
    watch = critic(
        ("history", "attempts", "score"),
        review_turn=lambda view, turn: seen.append([turn, *view.history]),
        review_attempt=lambda view, attempt: seen.append(attempt),
    )
    attempt = only(served(*AGENT, watch=watch))
    assert attempt.turns[0].user
    shown = msgspec.json.encode(seen).decode()
    assert "Which code?" in shown
    assert "Customer: It is on." in shown
    assert '"name"' not in shown.replace(ASK, "")
    assert "The lamp is on." not in shown


# -- models


def test_calls_of_the_user_have_its_role_and_stand_by_its_replies() -> None:
    async def reply(view: Any, message: UserMessage) -> Any:
        return (await view.model.generate([], purpose="words")).text

    model = ScriptedModel(["Hello.", CALL, "The code is 7."])
    ring = Ring(actor(*AGENT), rules=EIGHT, user=plugin((), reply_as_user=reply))
    episode = ring.play(desk.task(), bench=ring.bench(model=lambda uri: model))
    attempt = only(episode)
    assert [(c.id, c.role, c.plugin) for c in episode.calls] == [(i, "user", "scripted") for i in range(3)]
    assert (list(episode.usage), episode.usage["user"].calls) == (["user"], 3)
    assert [r.calls for r in (*attempt.opening_user, *attempt.turns[0].user)] == [(0,), (1,), (2,)]
    assert [t.calls for t in attempt.turns] == [(1, 2), ()]
    assert len({c.seed for c in episode.calls}) == 3


def test_the_model_of_the_user_is_that_of_its_role_and_of_the_methods_digest() -> None:
    ring = Ring(actor("hm"), rules=EIGHT, user=user("hm"))
    made = ring.method()
    assert made.user is not None
    assert (made.user.model, made.models, made.instances[-1]) == ("user", {"user"}, made.user)
    plain = Ring(actor("hm"), rules=EIGHT).method()
    assert plain.digest != made.digest
    digests = {describe_method(r.registry, r.method())["actor_digest"] for r in (ring, Ring(actor("hm"), rules=EIGHT))}
    assert len(digests) == 2  # no pairs across users whose models differ


# -- the tape


def drawn(view: Any, message: UserMessage) -> str:
    """Words that depend on the user's state and its luck."""
    if message.message == ASK:
        return CALL
    return f"{view.state['said']}: {view.rng().randrange(10**9)}"


def forkable(says: Callable[..., Any] = drawn, **parts: Any) -> Ring:
    """A talk of several turns."""
    return Ring(actor("one", ASK, "two", "three", "open 7"), rules=EIGHT, user=user(says), **parts)


def refuses(view: Any, message: UserMessage) -> Any:
    raise AssertionError("the user was asked for what is on record")


def test_the_same_seed_draws_the_same_words_and_each_draw_is_its_own() -> None:
    first, again = only(forkable().play(desk.task())), only(forkable().play(desk.task()))
    assert first.log == again.log
    said = [r for e in first.log for r in e.replies if r != CALL]
    assert len({s.partition(": ")[2] for s in said}) == len(said) == 4


@pytest.mark.parametrize("turn", range(6))
def test_a_fork_hears_the_recorded_words_and_goes_on_as_the_episode_did(turn: int) -> None:
    ring = forkable()
    episode = ring.play(desk.task())
    recorded = only(episode)
    fork = ring.fork(episode, turn=turn).attempt
    assert fork.log == recorded.log
    assert [t.user for t in fork.turns] == [t.user for t in recorded.turns[turn:]]
    assert (fork.opening_user, fork.success) == (recorded.opening_user, True)
    if turn < 4:
        other = ring.fork(episode, turn=turn, sample=1).attempt
        assert other.log[:turn] == recorded.log[:turn]
        assert other.log != recorded.log


def test_a_fork_does_not_ask_for_what_is_on_record() -> None:
    episode = forkable().play(desk.task())
    silent = forkable(refuses)
    assert silent.fork(episode, turn=4).attempt.success
    assert silent.fork(episode, turn=3).attempt.end is End.USER_ERROR


def test_a_retry_from_a_turn_hears_the_recorded_words_too() -> None:
    twice = protocol([AttemptSpec()], [AttemptSpec(start=Start(kind="turn", attempt=0, turn=2))])
    episode = forkable(protocol=twice).play(desk.task())
    first, second = episode.attempts
    assert second.log[:2] == first.log[:2]
    assert second.opening_replies == first.opening_replies
    assert second.log[2].replies[0].startswith("5: ")  # its state went on from the branch


def test_the_actions_of_a_prefix_are_answered_too() -> None:
    spec = AttemptSpec(start=Start(kind="prefix", prefix=("one", ASK)))
    attempt = only(forkable(protocol=protocol([spec])).play(desk.task()))
    assert [t.origin for t in attempt.turns[:3]] == ["synthetic", "synthetic", "played"]
    assert [len(t.user) for t in attempt.turns[:3]] == [1, 2, 1]


def check(ring: Ring, episode: Episode) -> list[str | None]:
    """What a replay finds of each attempt."""

    async def look() -> list[str | None]:
        return [r.problem async for r in replay(InlineSessions(ring.registry), [episode])]

    return asyncio.run(look())


def altered(episode: Episode, **changes: Any) -> Episode:
    """The episode with changes in its one attempt."""
    return msgspec.structs.replace(episode, attempts=(msgspec.structs.replace(only(episode), **changes),))


def test_a_replay_needs_no_user_and_finds_what_was_changed() -> None:
    ring = forkable()
    episode = ring.play(desk.task())
    attempt = only(episode)
    assert check(Ring(actor("hm")), episode) == [None]
    entry = attempt.log[1]
    for replies, words in (
        (("another",), "what the log says of the user"),
        ((), "the environment asks its user after"),
        ((*entry.replies, "more"), "the environment does not ask its user after"),
    ):
        log = (attempt.log[0], msgspec.structs.replace(entry, replies=replies), *attempt.log[2:])
        [problem] = check(ring, altered(episode, log=log))
        assert problem is not None
        assert words in problem or "hash" in problem
    turned = msgspec.structs.replace(attempt.turns[0], user=())
    [problem] = check(ring, altered(episode, turns=(turned, *attempt.turns[1:])))
    assert "what the log says of the user" in (problem or "")
    [problem] = check(ring, altered(episode, opening_replies=()))
    assert "before the opening" in (problem or "")


def test_a_fork_of_words_that_no_longer_fit_is_not_reproducible() -> None:
    ring = forkable()
    episode = ring.play(desk.task())
    attempt = only(episode)
    log = (msgspec.structs.replace(attempt.log[0], replies=()), *attempt.log[1:])
    with pytest.raises(NotReproducible, match="the record has no reply left"):
        ring.fork(altered(episode, log=log), turn=1)


def test_critics_speak_of_turns_with_a_user_as_of_all_others() -> None:
    attempt = only(served(*AGENT, it=critic(review_turn=says("well said"))))
    assert [c.text for t in attempt.turns for c in t.critiques] == ["well said"] * 2


# -- workers


def in_a_worker(*lines: str, step_seconds: float = 60.0) -> Any:
    """Replies given to the desk in a worker process; what each of them was answered, after the opening."""
    ring = Ring(actor("hm"))

    async def go() -> Any:
        from cornerman.plugins import Plugins

        pool = Pool(Plugins(registry=ring.registry, files=[desk.__file__]), 1, step_seconds=step_seconds)
        try:
            session = await pool.open(desk.task())
            steps = [await session.reset()]
            for line in lines:
                steps.append(await session.reply(line))
            return steps
        finally:
            await pool.close()

    return asyncio.run(go())


def test_a_worker_answers_replies_as_an_inline_environment_does() -> None:
    lines = (CALL, "hello \ud800 there", "out of turn")
    opening, *steps = in_a_worker(*lines)
    assert opening.user == UserMessage(
        scenario={"reason_for_call": "I want to get in.", "known_info": "The code is 7."}, tools=[desk.PRESS]
    )

    async def inline() -> Any:
        session = await InlineSessions(Ring(actor("hm")).registry).open(desk.task())
        await session.reset()
        return [await session.reply(line) for line in lines]

    assert steps == asyncio.run(inline())
    assert [s.observation for s in steps] == ["Click.", "Customer: hello � there", "Nobody asked the customer."]


def test_a_worker_that_dies_or_hangs_at_a_reply_says_where() -> None:
    with pytest.raises(EnvError, match="died at the user's 'die'"):
        in_a_worker("die")
    with pytest.raises(EpisodeTimeout, match="gave no answer at the user's 'hang'"):
        in_a_worker("hang", step_seconds=0.3)
