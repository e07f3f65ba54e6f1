"""`echo` and `cascade`: what the critic is told, how many diagnoses it writes, and that each has a refinement."""

from __future__ import annotations

import pytest
from tests.support.duet import duet, purposes
from tests.support.scripted_model import ScriptedModel

from cornerman.records import Episode


def diagnoses(
    n: int = 3, texts: tuple[str, ...] = (), **protocol: object
) -> tuple[Episode, ScriptedModel, ScriptedModel]:
    """Two turns of a frozen lake, cascaded."""
    critic = ScriptedModel(texts or [f"Diagnosis: reason {i}\nCritique: do {i}" for i in range(n)])
    actor = ScriptedModel(lambda messages: "Action: left")
    episode = duet({"use": "echo", "n": n}, actor, critic, turns=2, use="cascade", **protocol)
    return episode, actor, critic


def test_every_diagnosis_has_one_refinement_from_the_start_and_sees_no_other() -> None:
    episode, actor, _ = diagnoses()
    first, *refined = episode.attempts
    assert [c.text for c in first.critiques] == ["reason 0 do 0", "reason 1 do 1", "reason 2 do 2"]
    assert first.critiques[1].data == {"diagnosis": "reason 1", "critique": "do 1"}
    assert [(a.parent, a.critique, a.start.kind) for a in refined] == [(0, c.id, "reset") for c in first.critiques]
    assert [[i.text for i in a.context] for a in refined] == [[c.text] for c in first.critiques]
    assert {tuple(a.groups.items()) for a in refined} == {(("diagnosis", "0"), ("refinement", "0"))}
    told = [m.messages[0].content for m in actor.asked]
    assert [[f"reason {i}" in t for i in range(3)] for t in told[2::2]] == [
        [True, False, False],
        [False, True, False],
        [False, False, True],
    ]
    assert not any("reason" in t for t in told[:2])


def test_one_call_samples_all_of_them_and_knows_the_score() -> None:
    episode, _, critic = diagnoses()
    assert purposes(episode).count(("critic", "diagnosis")) == 1
    [asked] = critic.asked
    assert asked.sampling is not None
    assert asked.sampling.temperature == 1.0
    assert "The score is 0.00 of 1." in asked.last
    assert "Turn 2: `left`" in asked.last


def test_refinements_are_not_diagnosed() -> None:
    assert [len(a.critiques) for a in diagnoses()[0].attempts] == [3, 0, 0, 0]


def test_the_unaided_attempt_counts_unless_told_otherwise() -> None:
    assert (diagnoses()[0].counted, diagnoses()[0].counted_rule) == (0, "first")
    assert diagnoses(counted="last")[0].counted == 3


def test_a_text_without_labels_is_carried_whole_and_an_empty_one_is_not() -> None:
    episode, *_ = diagnoses(3, ("just go right", "", "Critique: x\nCritique: y"))
    assert [i.text for a in episode.attempts[1:] for i in a.context] == ["just go right", "Critique: x\nCritique: y"]


@pytest.mark.parametrize(("options", "words"), [({"n": 0}, "at least 1"), ({"temperature": 0.0}, "the same")])
def test_what_can_not_be_sampled_is_refused(options: dict[str, float], words: str) -> None:
    from cornerman_plugins.critics.between_attempts.echo import Echo

    with pytest.raises(ValueError, match=words):
        Echo(**options)  # type: ignore[arg-type]
