"""What the actor sees of an observation: transforms, and words that come in beside it."""

from __future__ import annotations

from typing import Any

from tests.support.scripts import Ring, actor, critic, only, plugin, texts

from cornerman import ContextItem, Critique
from cornerman.errors import End
from cornerman.suites import Rules
from cornerman.workers.session import observation_hash

THREE = Rules(max_turns=3)


def shout(mark: str) -> type:
    return critic(transform_observation=lambda view, observation: observation + mark)


def test_transforms_are_chained_in_method_order_from_the_opening_on() -> None:
    seen: list[str] = []

    def act(view: Any) -> str:
        seen.append(view.observation)
        assert view.opening == "The counter shows 5. one two"
        return "down 1"

    none = critic(transform_observation=None)
    attempt = only(Ring(actor(act), rules=THREE, one=shout(" one"), none=none, two=shout(" two")).play())
    assert seen == [f"The counter shows {n}. one two" for n in (5, 4, 3)]
    assert attempt.opening_delivered == "The counter shows 5. one two"
    turn = attempt.turns[0]
    assert (turn.observation, turn.delivered, turn.shown) == (
        "The counter shows 4.",
        "The counter shows 4. one two",
        "The counter shows 4. one two",
    )


def test_hashes_are_those_of_the_environments_own_words() -> None:
    attempt = only(Ring(actor("down 1"), rules=THREE, one=shout("!")).play())
    plain = only(Ring(actor("down 1"), rules=THREE).play())
    assert (attempt.opening_hash, attempt.log) == (plain.opening_hash, plain.log)
    assert attempt.opening_hash == observation_hash("The counter shows 5.")


def test_a_transform_sees_what_those_before_it_made_and_the_turn_that_was_played() -> None:
    seen: list[Any] = []

    def look(view: Any, observation: str) -> None:
        played = [t.executed for t in view.history]
        seen.append((view.turn, observation, view.observation, played))

    only(Ring(actor("down 1"), rules=THREE, one=shout("!"), two=critic(transform_observation=look)).play())
    assert seen[:2] == [
        (0, "The counter shows 5.!", "The counter shows 5.!", []),
        (1, "The counter shows 4.!", "The counter shows 4.!", ["down 1"]),
    ]


def test_the_last_observation_of_an_ended_attempt_is_shown_to_nobody() -> None:
    attempt = only(Ring(actor("down 2", "down 2", "down 1"), one=shout("!")).play())
    assert [t.delivered for t in attempt.turns] == ["The counter shows 3.!", "The counter shows 1.!", None]


def test_critics_after_a_turn_see_it_as_the_actor_does() -> None:
    seen: list[str] = []
    watch = critic(review_turn=lambda view, turn: seen.append(turn.shown))
    only(Ring(actor("down 1"), rules=THREE, one=shout("!"), watch=watch).play())
    assert seen[0] == "The counter shows 4.!"


def test_words_beside_an_observation_join_the_context() -> None:
    seen: list[Any] = []

    def act(view: Any) -> str:
        seen.append([(i.text, i.source, i.at, i.role, i.placement) for i in view.context])
        return "wait"

    def beside(view: Any, observation: str) -> Any:
        item = ContextItem(text=f"beside {view.turn}", role="experience", experience=("e1",), at=77, source="forged")
        return [item] if view.turn == 0 else item if view.turn == 1 else []

    attempt = only(Ring(actor(act), rules=THREE, it=critic(transform_observation=beside)).play())
    first, second = ("beside 0", "it", 0, "experience", "message"), ("beside 1", "it", 1, "experience", "message")
    assert seen == [[first], [first, second], [first, second]]
    assert [t.experience for t in attempt.turns] == [("e1",), ("e1", "e1"), ("e1", "e1")]
    assert attempt.opening_delivered is None


def test_delivery_holds_for_words_beside_an_observation_too() -> None:
    def beside(view: Any, observation: str) -> Any:
        return ContextItem(text=f"beside {view.turn}")

    def context(deliver: str) -> list[Any]:
        both = critic(transform_observation=beside, review_turn=Critique(text="a critique"))
        it = (both, {"deliver": {"transform_observation": deliver}})
        attempt = only(Ring(actor("wait"), rules=Rules(max_turns=2), it=it).play())
        return [(i.text, i.placement) for i in attempt.context if i.until is None]

    said = ("a critique", "message")
    assert context("suffix") == [("beside 0", "suffix"), ("beside 1", "suffix"), said, ("beside 2", "suffix"), said]
    assert context("suppress") == [said, said]
    assert context("replace") == [said, ("beside 2", "message"), said]


def test_a_suppressed_transform_is_asked_and_changes_nothing() -> None:
    asked: list[str] = []

    def loud(view: Any, observation: str) -> str:
        asked.append(observation)
        return "LOUD"

    attempt = only(
        Ring(actor("wait"), rules=THREE, it=(critic(transform_observation=loud), {"deliver": "suppress"})).play()
    )
    assert (len(asked), attempt.opening_delivered) == (4, None)
    assert {t.delivered for t in attempt.turns} == {None}


def test_half_a_surrogate_pair_from_a_transform_is_mended() -> None:
    broken = critic(transform_observation=lambda view, observation: "\ud83d\ude00 \ud83d")
    assert only(Ring(actor("wait"), rules=THREE, it=broken).play()).opening_delivered == "\U0001f600 \ufffd"


def test_what_is_neither_text_nor_words_is_the_plug_ins_error() -> None:
    episode = Ring(actor("wait"), it=critic(transform_observation=5)).play()
    assert (episode.end, episode.error) == (
        End.CRITIC_ERROR,
        "critic 'it' answered int in transform_observation, where a cornerman.ContextItem was due",
    )
    episode = Ring(actor("wait", transform_observation=[5])).play()
    assert episode.end is End.ACTOR_ERROR


def test_task_start_words_stand_in_every_attempt_from_reset() -> None:
    from tests.support.scripts import protocol

    from cornerman import AttemptSpec

    seen: list[Any] = []

    def act(view: Any) -> str:
        seen.append((view.attempt, texts(view.context)))
        return "wait"

    persona = ContextItem(text="You are brave.", placement="system")
    memory = plugin((), on_task_start=[ContextItem(text="It helps to count.", role="experience")])
    ring = Ring(
        actor(act, on_task_start=persona),
        memory=memory,
        rules=Rules(max_turns=1),
        protocol=protocol([AttemptSpec(), AttemptSpec()], [AttemptSpec()]),
        hushed=(critic(on_task_start=ContextItem(text="not heard")), {"deliver": "suppress"}),
    )
    ring.play()
    assert seen == [(n, ["You are brave.", "It helps to count."]) for n in (0, 1, 2)]


def test_a_memory_that_is_off_is_not_asked() -> None:
    asked: list[str] = []
    memory = plugin(
        (), on_task_start=lambda view: asked.append("start"), on_task_end=lambda view, e: asked.append("end")
    )
    Ring(actor("wait"), memory=(memory, {"mode": "off"}), rules=THREE).play()
    assert asked == []
    Ring(actor("wait"), memory=(memory, {"mode": "read-only"}), rules=THREE).play()
    assert asked == ["start"]
    Ring(actor("wait"), memory=memory, rules=THREE).play()
    assert asked == ["start", "start", "end"]
