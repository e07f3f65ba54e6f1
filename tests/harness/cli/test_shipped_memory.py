"""`cornerman memory`: what was learned is shown, written to a file, and started from elsewhere."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.support.command import CommandLine

FILL = ("run", "--suite", "alfworldgen-smoke", "--actor", "gold", "--memory", "agent-kb", "--no-validate", "--json")


@pytest.fixture
def filled(tmp_path: Path) -> CommandLine:
    """A run whose memory holds the five solved tasks."""
    command = CommandLine(tmp_path)
    done = command(*FILL, "--name", "filled")
    assert done.status == 0, done.err
    return command


def test_it_is_shown_and_shipped_and_its_own_tasks_are_noticed(filled: CommandLine) -> None:
    shown = json.loads(filled("memory", "runs/filled", "--json").out)
    assert (shown["memory"], shown["run"], len(shown["tasks"])) == ("agent-kb", "filled", 5)
    assert all("was solved by" in item["text"] for item in shown["items"])
    assert "was solved by" in filled("memory", "runs/filled").out
    assert filled("memory", "runs/filled", "--out", "kb.json").status == 0
    assert json.loads((filled.folder / "kb.json").read_text(encoding="utf-8")) == shown
    memory = "agent-kb:mode=read-only,source=kb.json"
    done = filled("run", "--suite", "alfworldgen-dev", "--limit", "2", "--actor", "gold", "--memory", memory, "--no-validate")  # fmt: skip # noqa: E501
    assert done.status == 0, done.err
    assert "may be their answers" not in done.err
    done = filled(*FILL[:5], "--memory", memory, "--no-validate", "--name", "again")
    assert "played 5 of these 5 tasks: what it learned there may be their answers" in done.err
    lines = (filled.folder / "runs" / "again" / "episodes.jsonl").read_text(encoding="utf-8")
    assert "was solved by" in lines


def test_a_file_is_not_written_over(filled: CommandLine) -> None:
    (filled.folder / "kb.json").write_text("mine", encoding="utf-8")
    assert "kb.json exists" in filled.refused("memory", "runs/filled", "--out", "kb.json")
    assert (filled.folder / "kb.json").read_text(encoding="utf-8") == "mine"


def test_what_is_no_memory_is_one_sentence(filled: CommandLine) -> None:
    assert "has no memory" in filled.refused("memory", "runs/filled", "--method", "gold")
    assert "there is no trial 3" in filled.refused("memory", "runs/filled", "--trial", "3")
    deep = '{"memory": "a", "run": "b", "tasks": [], "items": [{"id": "1", "text": "", "data": {"a": ' + "[" * 10**5
    item = '{"id": "1", "text": "x", "uses": %s}'
    twice = f'{{"memory": "a", "run": "b", "tasks": [], "items": [{item % 1}, {item % 2}]}}'
    odd = [f'{{"memory": "a", "run": "b", "tasks": [], "items": [{item % uses}]}}' for uses in (-2, 2**40)]
    for text in (
        deep,
        twice,
        *odd,
        "",
        "[]",
        '{"schema": 9}',
        '{"memory": "a", "run": "b", "tasks": [], "items": [1]}',
        "\x00",
    ):
        (filled.folder / "bad.json").write_text(text, encoding="utf-8")
        words = filled.refused(*FILL[:5], "--memory", "agent-kb:source=bad.json", "--no-validate")
        assert "bad.json" in words
