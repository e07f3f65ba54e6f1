"""ExpSeek: guidance at uncertain steps, out of a bank, at the end of the observation or before an answer."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from tests.support.duet import duet, purposes, turns_of
from tests.support.play import catalogue, method
from tests.support.scripted_model import ScriptedModel

from cornerman import Candidate, Verdict, hookimpl
from cornerman.engine.view import View
from cornerman.errors import UsageError
from cornerman.records import Episode, Message
from cornerman_plugins.critics.after_turn.bank import bank

PICK = "Topics: repeating; Reading  the task"
GUIDE = "Mind the hole below."


class Unsure:
    """Goes left, with given entropies."""

    def __init__(self, entropies: tuple[float, ...] = (), action: str = "left") -> None:
        self.entropies, self.action = entropies, action

    @hookimpl
    def act(self, view: View) -> Candidate:
        """The next entropy."""
        return Candidate(text=self.action, entropy=self.entropies[view.turn])

    @hookimpl
    def revise(self, view: View) -> str:
        """Another action."""
        return "right"


def sought(
    entropies: Sequence[float], replies: Any = None, action: str = "left", **settings: Any
) -> tuple[Episode, ScriptedModel]:
    critic = {"use": "expseek", "deliver": {"all": "suffix", "review_action": "decision"}, **settings}
    judge = ScriptedModel(replies or (lambda m: PICK if "Topics:" in m[-1].content else GUIDE))
    by = {"use": "unsure", "entropies": list(entropies), "action": action}
    episode = duet(critic, ScriptedModel(), judge, turns=len(entropies), by=by, plugins={"actor_unsure": Unsure})
    return episode, judge


def spoke(episode: Episode) -> list[int]:
    return [t.index for t in turns_of(episode) if t.critiques]


def test_it_speaks_where_entropy_is_high_and_not_twice_in_a_row() -> None:
    two = {"entropy": 1.0, "entropy_up": 1.0001}
    episode, _ = sought([2, 0.5, 2, 2, 0.9, 0.9, 2, 2], trigger=two, cooldown=1)
    assert spoke(episode) == [0, 2, 6]
    turn = turns_of(episode)[0]
    assert (turn.critiques[0].text, turn.critiques[0].verdict, turn.critiques[0].delivered) == (GUIDE, None, True)
    assert {i.placement for i in episode.attempts[0].context} == {"suffix"}


def test_it_picks_topics_and_writes_from_their_triplets() -> None:
    episode, judge = sought([2, 2])
    assert purposes(episode) == [("critic", "topics"), ("critic", "guidance")]
    pick, write = judge.asked
    assert all(name in pick.last for name in bank(None))
    assert "Behaviour:" not in pick.last
    assert "at most 3 of them" in pick.last
    assert "Turn 1: `left`" in write.last
    assert write.last.count("Behaviour:") == sum(len(bank(None)[n].triplet) for n in ("repeating", "reading the task"))
    assert "searching:" not in write.last
    assert turns_of(episode)[0].critiques[0].data == {"topics": ["repeating", "reading the task"]}


@pytest.mark.parametrize(
    "noise",
    ["", "repeating", "Topics:", "Topics: repeating and tools", "Topics: tools; tools", "Topics: cheese",
     "Topics: tools; checking; repeating; searching", "Topics: tools\nTopics: checking"],
)  # fmt: skip
def test_topics_that_cannot_be_read_are_unparsed_and_nothing_is_written(noise: str) -> None:
    episode, judge = sought([2, 2], [noise])
    [critique] = turns_of(episode)[0].critiques
    assert (critique.verdict, critique.delivered, len(judge.asked)) == (Verdict.UNPARSED, False, 1)


def test_by_probabilities_the_most_probable_topics_are_picked() -> None:
    likely = {"tools": -1.0, "checking": -2.0, "searching": -3.0}

    def score(messages: Sequence[Message], text: str) -> float:
        return likely.get(text, -9.0) * (len(text.split()) + 1)

    judge = ScriptedModel(lambda messages: GUIDE, scores=score)
    actor = ScriptedModel(lambda messages: "Action: left")
    episode = duet({"use": "expseek", "read": "scored"}, actor, judge, turns=2)
    assert turns_of(episode)[0].critiques[0].data["topics"] == ["tools", "checking", "searching"]
    assert [a.kind for a in judge.asked] == ["score", "generate"]


def test_an_answer_is_sent_back_once_with_guidance_before_it_is_given() -> None:
    episode, judge = sought([2.0], action="finish[42]", answers="answer|finish")
    [turn] = turns_of(episode)
    [critique] = turn.critiques
    assert (critique.moment, critique.verdict, turn.executed) == ("review_action", Verdict.REVISE, "right")
    assert "The agent is about to answer: `finish[42]`" in judge.asked[0].last
    asked_of_the_process, _ = sought([2.0, 2.0], action="left", answers="answer|finish")
    assert [c.moment for t in turns_of(asked_of_the_process) for c in t.critiques] == ["review_turn"]


def test_a_bank_of_ones_own(tmp_path: Path) -> None:
    file = tmp_path / "bank.toml"
    file.write_text(
        '[[topic]]\nname = "ice"\n[[topic.triplet]]\nbehaviour = "slides"\nmistake = "haste"\nguidance = "go slowly"\n'
    )
    _, judge = sought([2, 2], ["Topics: ICE", GUIDE], bank=str(file))
    assert "Experience with other tasks:\nice:\n- Behaviour: slides\n  Mistake: haste\n  Guidance: go slowly" in (
        judge.asked[1].last
    )


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("[[topic", "is no bank"),
        ("", "is no bank"),
        ('[[topic]]\nname = "a"\ntriplet = []\n', "is no bank"),
        ('[[topic]]\nname = "a"\n[[topic.triplet]]\nbehaviour = "b"\nmistake = "c"\nguidance = "d"\n' * 2, "own"),
    ],
)
def test_a_broken_bank_is_one_sentence(tmp_path: Path, text: str, says: str) -> None:
    file = tmp_path / "bank.toml"
    file.write_text(text)
    with pytest.raises(UsageError, match=says):
        sought([2], bank=str(file))
    with pytest.raises(UsageError, match="cannot be read"):
        sought([2], bank=str(tmp_path / "none.toml"))


def test_nothing_is_said_when_nobody_would_hear_it() -> None:
    assert spoke(sought([2, 2, 2])[0]) == [0, 1]


def test_the_entropy_of_a_written_answer_is_the_mean_over_its_tokens() -> None:
    actor = ScriptedModel(lambda messages: "Action: left")  # tokens of 0.2 and 0.4 nats
    judge = ScriptedModel(lambda m: PICK if "Topics:" in m[-1].content else GUIDE)
    for low, said in ((0.29, True), (0.31, False)):
        episode = duet({"use": "expseek", "trigger": {"entropy": low}}, actor, judge, turns=2)
        assert bool(turns_of(episode)[0].critiques) is said
    assert turns_of(episode)[0].candidates[0].entropy == pytest.approx(math.fsum([0.2, 0.4]) / 2)


def test_what_is_in_a_bank_is_part_of_the_method(tmp_path: Path) -> None:
    file, digests = tmp_path / "bank.toml", []
    for guidance in ("Mind the ice.", "Mind the step.", "Mind the ice."):
        file.write_text(
            f'[[topic]]\nname = "ice"\n[[topic.triplet]]\nbehaviour = "b"\nmistake = "m"\nguidance = "{guidance}"\n'
        )
        made = method(catalogue(), actor="random", critic=[{"use": "expseek", "bank": str(file)}])
        digests.append(made.digest)
    assert digests[0] == digests[2] != digests[1]
