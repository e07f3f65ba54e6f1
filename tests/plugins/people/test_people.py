"""People at a terminal: what they are shown, and what their lines become."""

from __future__ import annotations

import io
import json
import os
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from tests.support.command import CommandLine
from tests.support.duet import REACT
from tests.support.play import catalogue, play
from tests.support.scripted_model import ScriptedModel

from cornerman import Verdict
from cornerman.errors import End
from cornerman.records import Episode
from cornerman_plugins.people import terminal

Typing = Callable[[str], None]


@pytest.fixture
def typing(monkeypatch: pytest.MonkeyPatch) -> Iterator[Typing]:
    """Lines that a person types, then the end of input."""
    reading, writing = os.pipe()
    terminal._typed.clear()
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.FileIO(reading)))

    def lines(text: str) -> None:
        os.write(writing, text.encode())
        os.close(writing)

    yield lines
    terminal._typed.clear()


def lake(turns: int = 3, **table: Any) -> Episode:
    """The first frozen lake: right, right, … leads on."""
    registry = catalogue()
    suite = registry.get("suite", "frozenlake-smoke").load()()
    rules = msgspec.structs.replace(suite.rules, max_turns=turns)
    return play(registry, suite.tasks[0], rules=rules, **table)


def test_a_person_plays_by_word_or_number(typing: Typing, capsys: pytest.CaptureFixture[str]) -> None:
    typing("right\n1\nfly away\n")
    episode = lake(actor="human")
    turns = episode.attempts[0].turns
    assert [t.executed for t in turns] == ["right", turns[1].admissible_actions[0], "fly away"]  # type: ignore[index]
    shown = capsys.readouterr()
    assert "Task:" in shown.err
    assert shown.out == ""


def test_the_end_of_input_is_the_end_of_the_episode(typing: Typing) -> None:
    typing("right\n")
    episode = lake(actor="human")
    assert (episode.end, episode.error) == (End.ACTOR_ERROR, "the person left: the input has ended")


def test_what_strangers_wrote_cannot_move_the_cursor(typing: Typing, capsys: pytest.CaptureFixture[str]) -> None:
    typing("right\nright\n")
    critic = {"use": "advice", "model": "m"}
    model = ScriptedModel(lambda messages: "\x1b[2Jgo \u202eback")
    lake(2, actor="human", critic=[critic], model=lambda uri: model)
    shown = capsys.readouterr().err
    assert "[advice] \\x1b[2Jgo \\x202eback" in shown
    assert "\x1b" not in shown


def test_a_person_watches_and_speaks_or_does_not(typing: Typing) -> None:
    typing("go down\n\n")
    turns = lake(3, actor="random", critic=["human-critic"]).attempts[0].turns
    assert [[c.text for c in t.critiques] for t in turns if not t.terminated][:2] == [["go down"], []]


def test_a_person_lets_pass_or_sends_back(typing: Typing) -> None:
    typing("\nthere is a hole\ndown\n")
    typed = {"use": "human-critic", "moment": "action"}
    turns = lake(2, actor={"use": "noisy-gold", "p": 0.0}, critic=[typed]).attempts[0].turns
    assert [t.critiques[0].verdict for t in turns] == [Verdict.PASS, Verdict.REVISE]
    assert turns[1].critiques[0].text == "there is a hole"


def asking(critic: dict[str, Any]) -> Episode:
    actor = ScriptedModel(["Ask: where now?", "Action: right", "Action: right"])
    by = REACT | {"requests": True}
    return lake(2, actor=by, critic=[critic], model=lambda uri: actor)


def test_the_expert_answers_at_a_price(typing: Typing) -> None:
    typing("to the right\n")
    [answer] = asking({"use": "hila", "price": 0.25}).attempts[0].turns[0].critiques
    assert (answer.text, answer.data, answer.delivered) == ("to the right", {"price": 0.25}, True)


def test_the_simulated_expert_knows_gold() -> None:
    episode = asking({"use": "hila", "expert": "gold"})
    [answer] = episode.attempts[0].turns[0].critiques
    assert answer.text == f"Do this next: `{answer.suggestion}`"
    assert answer.suggestion in ("left", "down", "right", "up")


def test_nothing_to_say_is_no_answer(typing: Typing) -> None:
    typing("\n")
    assert asking({"use": "hila"}).attempts[0].turns[0].critiques == ()


def test_from_the_command_line(tmp_path: Path) -> None:
    command = CommandLine(tmp_path)
    options = ("--suite", "frozenlake-smoke", "--limit", "2", "--actor", "human", "--no-validate", "--json")
    process = command.start("run", *options, stdin=subprocess.PIPE)
    out, err = process.communicate("right\n" * 200, timeout=300)
    assert process.returncode == 0, err
    [row] = json.loads(out)["methods"]
    assert (row["method"], row["recorded"]) == ("human", 2)
    assert err.count("Task:") == 2
