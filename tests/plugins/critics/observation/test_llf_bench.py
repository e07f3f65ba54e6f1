"""`llf-bench`: each kind of feedback says what it says, and says it truly."""

from __future__ import annotations

import itertools
from typing import Any

import msgspec
import pytest
from tests.support.play import catalogue, play

from cornerman.records import Turn
from cornerman_plugins.critics.observation.llf_bench import LLFBench, closer


def turns(kinds: str, actor: Any = "gold", most: int = 8) -> tuple[Turn, ...]:
    registry = catalogue()
    suite = registry.get("suite", "alfworldgen-smoke").load()()
    rules = msgspec.structs.replace(suite.rules, max_turns=most)
    episode = play(registry, suite.tasks[0], rules=rules, actor=actor, critic=[{"use": "llf-bench", "kinds": kinds}])
    assert episode.error is None, episode.error
    return episode.attempts[0].turns


def words(turn: Turn) -> list[str]:
    return [c.text for c in turn.critiques]


def test_gold_is_praised_and_never_blamed() -> None:
    found = [t for t in turns("hp|hn") if not t.terminated]
    assert [words(t) for t in found] == [[f'"{t.executed}" was a good step.'] for t in found]


def test_a_detour_is_blamed() -> None:
    told = [w for t in turns("hn", {"use": "noisy-gold", "p": 0.9, "follow": False}, 20) for w in words(t)]
    assert told
    assert all(w.endswith("was a mistake.") for w in told)


def test_the_future_kinds_name_what_to_do_and_what_not_to() -> None:
    played = turns("fp|fn")
    for turn, following in itertools.pairwise(played):
        [text] = words(turn)
        assert text.startswith(f'Do this next: `{following.executed}` Do not do "')
        assert f'"{following.executed}"' not in text


def test_rewards_are_told_as_they_are() -> None:
    assert {w for t in turns("r") for w in words(t)} == {"The reward of that was 0."}


@pytest.mark.parametrize(
    ("before", "after", "shorter"),
    [(3, 2, True), (3, 3, False), (2, 3, False), (None, 4, True), (4, None, False), (None, None, False)],
)
def test_any_way_is_shorter_than_none(before: int | None, after: int | None, shorter: bool) -> None:
    assert closer(before, after) == shorter


@pytest.mark.parametrize("kinds", ["", "hp|hx", "all"])
def test_unknown_kinds_are_refused(kinds: str) -> None:
    with pytest.raises(ValueError, match="one or several of r, hp, hn, fp, fn"):
        LLFBench(kinds)
