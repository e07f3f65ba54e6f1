"""Other words at one moment of the countdown: an actor that does as it is told, and otherwise goes too far."""

from __future__ import annotations

import asyncio
from typing import Any

from tests.support.recorded import episode
from tests.support.scripts import actor, critic

from cornerman import Critique
from cornerman.records import Critique as Recorded
from cornerman.records import Episode
from cornerman.store import latest
from cornerman.tally import critiques
from cornerman.worth.setting import Setting
from cornerman.worth.trying import VOICES, Continuation, Spot, Words, place_of

METHOD = {"name": "told", "actor": "obedient", "critic": [{"use": "coach"}], "protocol": "single"}


def obey(view: Any) -> str:
    """By ones where it was told so a moment ago, else by twos."""
    return "down 1" if any(i.at == view.turn and "one" in i.text for i in view.context) else "down 2"


def advise(view: Any, turn: Any) -> Critique:
    """The right step, always."""
    left = int(view.observation.rstrip(".").split()[-1])
    return Critique(text="go down by one" if left % 2 else "go down by two")


def tried(played: Any, words: Words, k: int = 4) -> tuple[list[Continuation], bool]:
    """Forks at the first critique of an episode that started from an odd number."""
    folder = played(METHOD, plugins={"actor_obedient": actor(obey), "critic_coach": critic(review_turn=advise)})
    setting = Setting(folder.plugins, folder.path, 0, folder.said.append)
    found, critique = first(list(latest(folder.path).values()))
    place = place_of(found, critique)
    assert place is not None
    out: list[Continuation] = []

    async def play() -> bool:
        [method] = setting.run.methods
        async with setting.bench(method) as bench:
            spot = Spot(bench, setting.run.suite.rules, method, found, critique, place)
            return await spot.play(words, k, out.append)

    return out, asyncio.run(play())


def first(episodes: list[Episode]) -> tuple[Episode, Recorded]:
    """The first critique that tells the actor to go by one, and its episode."""
    return next((e, c) for e in episodes for c in critiques(e) if "one" in c.text and place_of(e, c) is not None)


def test_each_voice_is_heard_and_what_is_not_random_is_played_twice(played: Any) -> None:
    results, repeats = tried(played, Words(text="go down by two"))
    assert repeats
    assert [(t.voice, t.sample) for t in results] == [(v, s) for s in range(2) for v in VOICES]
    actions = {t.voice: t.action for t in results}
    assert actions == {"yours": "down 2", "words": "down 1", "silence": "down 2"}
    assert {t.voice: t.error for t in results} == dict.fromkeys(VOICES)


def test_the_same_words_do_the_same(played: Any) -> None:
    results, _ = tried(played, Words(text="go down by one"), k=1)
    by = {t.voice: t for t in results}
    assert by["yours"].log == by["words"].log
    assert by["words"].success


def test_words_that_reached_nobody_are_no_moment_to_try() -> None:
    silent = Recorded(id=0, critic="c", text="psst", suppressed="shadow")
    assert place_of(episode("t1", "m", critiques=[silent], actions=("a", "b")), silent) is None
