"""Bad critics: what each says, of what, and that it does the harm it is there for."""

from __future__ import annotations

import itertools
from typing import Any

import msgspec
import pytest
from tests.support.play import catalogue, play

from cornerman import Verdict
from cornerman.records import Critique, Episode

NAMES = ["hypercritical", "malicious", "grounded-malicious", "random-critic", "answer-leaking"]


def played(critic: str, turns: int = 6, p: float = 0.0, trial: int = 0, **options: Any) -> Episode:
    """Household play that would be right, with a bad critic in its ear."""
    registry = catalogue()
    suite = registry.get("suite", "alfworldgen-smoke").load()()
    rules = msgspec.structs.replace(suite.rules, max_turns=turns)
    actor = {"use": "noisy-gold", "p": p}
    return play(registry, suite.tasks[0], rules=rules, trial=trial, actor=actor, critic=[{"use": critic, **options}])


def said(episode: Episode) -> list[tuple[str, Critique]]:
    """Every critique, with the action that it speaks of."""
    assert episode.error is None, episode.error
    return [(t.executed or "", c) for a in episode.attempts for t in a.turns for c in t.critiques]


@pytest.mark.parametrize("critic", NAMES)
def test_each_speaks_after_turns_or_before_actions(critic: str) -> None:
    assert {c.moment for _, c in said(played(critic))} == {"review_turn"}
    reviewed = said(played(critic, moment="action"))
    assert {c.moment for _, c in reviewed} == {"review_action"}
    assert all(c.verdict in (Verdict.REVISE, Verdict.PASS) for _, c in reviewed)


def test_the_hypercritical_finds_fault_with_everything_and_names_nothing() -> None:
    found = said(played("hypercritical", turns=3))
    assert len(found) == 2  # the last turn has none to come
    assert all(f'"{action}"' in c.text and c.suggestion is None for action, c in found)
    assert [t.executed for t in played("hypercritical").attempts[0].turns] == [
        t.executed for t in played("hypercritical", deliver="suppress").attempts[0].turns
    ]


def test_the_malicious_names_another_admissible_action() -> None:
    episode = played("malicious")
    turns = episode.attempts[0].turns
    for turn, following in itertools.pairwise(turns):
        [critique] = turn.critiques
        assert critique.suggestion in (following.admissible_actions or ())
        assert critique.suggestion != turn.executed
        assert f"`{critique.suggestion}`" in critique.text
        assert following.executed == critique.suggestion  # the actor believes it


def test_the_grounded_one_is_never_right_and_quotes_what_was_seen() -> None:
    episode = played("grounded-malicious", turns=20)
    turns = episode.attempts[0].turns
    assert not episode.success
    for turn in turns[:-1]:
        [critique] = turn.critiques
        assert " ".join(turn.observation.split())[:40] in critique.text


def test_the_random_one_passes_and_advises_by_chance() -> None:
    verdicts = {c.verdict for trial in range(4) for _, c in said(played("random-critic", trial=trial, moment="action"))}
    assert verdicts == {Verdict.PASS, Verdict.REVISE}


def test_the_leaking_one_tells_the_whole_rest() -> None:
    first, *_ = said(played("answer-leaking"))
    registry = catalogue()
    suite = registry.get("suite", "alfworldgen-smoke").load()()
    env = registry.get("environment", suite.tasks[0].env).load().make(suite.tasks[0])
    env.reset(seed=suite.tasks[0].seed)
    env.step(first[0])
    assert all(f"`{action}`" in first[1].text for action in env.unwrapped.gold())


def test_listening_does_harm() -> None:
    def solved(critic: str, **options: Any) -> int:
        return sum(played(critic, 60, 0.3, trial, **options).success for trial in range(4))

    assert solved("grounded-malicious", deliver="suppress") == 4
    assert solved("grounded-malicious") == 0
