"""Memories of experience: what an episode leaves, what is told before the next, and what goes."""

from __future__ import annotations

from typing import Any

import pytest
from tests.support.play import catalogue, method
from tests.support.scripted_model import ScriptedModel
from tests.support.season import season, told

from cornerman.engine.context import MemoryItem
from cornerman.errors import UsageError
from cornerman_plugins.memories.experience.agent_kb import AgentKB, CascadeBandit
from cornerman_plugins.memories.experience.bank import Keep, standing
from cornerman_plugins.memories.experience.likeness import likeness


@pytest.mark.parametrize(
    ("one", "other", "like"),
    [("a b", "b A", 1.0), ("a b", "c d", 0.0), ("a b", "a", 0.5**0.5), ("", "", 1.0), ("", "a", 0.0), ("!", "a", 0.0)],
)
def test_likeness_is_the_cosine_of_word_counts(one: str, other: str, like: float) -> None:
    assert likeness(one, other) == pytest.approx(like)


def test_standing_is_the_rule_of_succession() -> None:
    item = MemoryItem("1", "x", uses=4, data={"wins": 3})
    assert standing(item) == pytest.approx(4 / 6)
    assert standing(item, 1, 1) == pytest.approx(5 / 7)
    assert standing(MemoryItem("1", "x", data={"wins": "many"})) == 0.5


# -- cases


def test_what_was_solved_is_told_at_the_next_task_and_credited() -> None:
    played = season({"use": "agent-kb"}, ["random", "gold", "gold", "random"], task=0)
    assert [len(s) for s in played.states] == [0, 0, 1, 1, 1]
    [text] = played.texts
    goal, actions = text.split('" was solved by: ')
    assert goal.strip('"') == played.episodes[1].attempts[0].goal
    assert actions.split("; ") == [e.action for e in played.episodes[1].attempts[0].log]
    assert [told(e) for e in played.episodes] == [[], [], [text], [text]]
    [case] = played.states[-1]
    assert (case.uses, case.data["wins"]) == (2, 1)


def test_the_oldest_of_the_worst_goes_when_the_bank_is_full() -> None:
    start = (MemoryItem("a", "alpha", uses=2, data={"wins": 2}), MemoryItem("b", "beta", uses=2, data={"wins": 0}))
    played = season({"use": "agent-kb", "keep": {"capacity": 2}}, ["gold"], start=start)
    assert played.texts[0] == "alpha"
    assert "was solved by" in played.texts[1]


def test_what_fares_badly_goes_after_enough_uses() -> None:
    start = (MemoryItem("a", "alpha", uses=4, data={"wins": 0}),)
    assert season({"use": "agent-kb", "keep": {"floor": 0.3}}, ["random"], start=start).texts == []
    assert season({"use": "agent-kb", "keep": {"floor": 0.3, "enough": 6}}, ["random"], start=start).texts == ["alpha"]


def test_the_bandit_explores_what_was_never_shown_and_returns_to_what_wins() -> None:
    good = MemoryItem("g", "good", uses=50, data={"wins": 50, "goal": ""})
    new = MemoryItem("n", "new", uses=0, data={"goal": ""})
    played = season({"use": "cascade-bandit"}, ["random"] * 6, start=(good, new))
    assert told(played.episodes[0]) == ["new"]
    assert told(season({"use": "cascade-bandit", "c": 0.0}, ["random"], start=(good, new)).episodes[0]) == ["good"]


# -- steps


def test_steps_are_found_again_at_observations_that_are_alike() -> None:
    memory = {"use": "slea-rl", "warm_up": 0, "delta": 0.99}
    played = season(memory, ["gold", "gold"], task=0)
    first, second = played.episodes
    actions = [e.action for e in first.attempts[0].log]
    assert played.states[1][0].data["seen"] == first.attempts[0].opening
    assert told(first) == []
    beside = [c.text for c in second.attempts[0].context if c.placement == "suffix"]
    assert f"In a place like this `{actions[0]}` led on." in beside
    assert not told(season(memory | {"warm_up": 99}, ["gold", "gold"], task=0).episodes[1])


def test_lost_episodes_leave_warnings_alone() -> None:
    played = season({"use": "slea-rl"}, ["random"] * 8)
    assert {i.data["zone"] for i in played.states[-1]} <= {"bad"}


# -- what models write


def writes(*texts: str, **scores: float) -> ScriptedModel:
    return ScriptedModel(texts, scores=scores)


def test_principles_are_read_off_dashes_and_told() -> None:
    model = writes("Here:\n- Look first.\n-  \n- Walk\tslowly.\n- Third.", "nothing")
    played = season({"use": "evolver", "new": 2}, ["random", "gold"], model)
    assert played.texts == ["Look first.", "Walk slowly."]
    assert set(told(played.episodes[1])) == {"Look first.", "Walk slowly."}
    assert [i.uses for i in played.states[-1]] == [1, 1]
    assert "The task was not solved." in model.asked[0].last
    assert "The task was solved." in model.asked[1].last


def test_near_duplicates_are_not_added() -> None:
    model = writes("- Look first.\n- look FIRST!", "- First, look.")
    assert season({"use": "evolver"}, ["random", "random"], model).texts == ["Look first."]


def test_cer_keeps_two_kinds_and_shows_the_buffer() -> None:
    model = writes("- The lamp is in room 2.", "- Look first.", "- The desk is in room 3.", "- Go on.")
    played = season({"use": "cer"}, ["random", "gold"], model)
    assert [i.data["kind"] for i in played.states[-1]] == ["dynamics", "skill"] * 2
    assert "Known already:\n- The lamp is in room 2." in model.asked[2].last
    assert "Known already:\n- Look first." in model.asked[3].last


def test_cer_selects_the_most_useful_of_each_kind() -> None:
    items = tuple(MemoryItem(str(n), f"note {n}", data={"kind": "skill"}) for n in range(3))

    def score(messages: Any, text: str) -> float:
        return 0.0 if (text == "yes") == ("note 1" in messages[-1].content) else -4.0

    model = ScriptedModel(["", ""], scores=score)
    assert told(season({"use": "cer", "k": 1}, ["random"], model, start=items).episodes[0]) == ["note 1"]


def test_insights_are_added_agreed_with_and_voted_down() -> None:
    model = writes("- Look first.\n- Run.", "- look first\n- not Run.", "- not Run.\n- not Never heard of.")
    played = season({"use": "expel"}, ["random"] * 3, model)
    importance = [{i.text: i.data["importance"] for i in state} for state in played.states]
    assert importance[1] == {"Look first.": 2, "Run.": 2}
    assert importance[2] == {"Look first.": 3, "Run.": 1}
    assert importance[3] == {"Look first.": 3}
    assert told(played.episodes[1]) == ["Look first.", "Run."]


def extract(operation: str, entry: str, words: str) -> str:
    return f"Operation: {operation}\nEntry: {entry}\nExperience: {words}"


def test_the_extractor_adds_updates_and_returns() -> None:
    model = writes(
        extract("add", "none", "Look first."),
        extract("Update", "1", "Look first, then walk."),
        extract("return", "none", "none"),
        extract("update", "7", "Out of range."),
        "I would add that looking helps.",
    )
    played = season({"use": "complementary-rl", "guided": 1.0}, ["random"] * 5, model)
    assert [[i.text for i in s] for s in played.states[1:]] == [
        ["Look first."],
        *[["Look first, then walk."]] * 4,
    ]
    [entry] = played.states[-1]
    assert entry.uses == 3  # an updated entry starts anew


def test_the_free_half_is_told_nothing() -> None:
    start = (MemoryItem("a", "alpha"),)
    quiet = ScriptedModel(lambda messages: "")
    assert told(season({"use": "complementary-rl", "guided": 0.0}, ["random"], quiet, start=start).episodes[0]) == []
    memory = {"use": "complementary-rl", "guided": 0.5}
    halves = {bool(told(e)) for e in season(memory, ["random"] * 12, quiet, start=start).episodes}
    assert halves == {True, False}


@pytest.mark.parametrize(
    ("make", "words"),
    [(lambda: AgentKB(k=0), "at least 1"), (lambda: CascadeBandit(c=-1), "at least 0")],
)
def test_what_is_no_setting_is_refused(make: Any, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        make()


def test_what_is_given_of_keep_leaves_its_other_fields_as_they_are() -> None:
    made = method(catalogue(), actor="random", memory={"use": "evolver", "keep": {"capacity": 7}})
    assert made.memory is not None
    assert made.memory.plugin.keep == Keep(capacity=7, floor=0.3)  # type: ignore[attr-defined]
    with pytest.raises(UsageError, match="unknown key 'capacty'; did you mean 'capacity'"):
        method(catalogue(), actor="random", memory="evolver:keep.capacty=7")
