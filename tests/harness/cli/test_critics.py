"""`cornerman critics` as a person would use it."""

from __future__ import annotations

import pytest
from tests.support.command import CommandLine


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> CommandLine:
    """A set of a run of the countdown."""
    command = CommandLine(tmp_path_factory.mktemp("critics"))
    run = command("run", "--suite", "count-smoke", "--actor", "noisy-gold:p=0.5", "--name", "r", "--workers", 0)
    assert run.status == 0, run.err
    made = command("critics", "make", "runs/r", "--out", "sets/s.jsonl", "--items", 30, "--workers", 0, "--json")
    assert made.status == 0, made.err
    assert made.json["header"]["run"] == "r"
    assert len((command.folder / "sets/s.jsonl").read_text().splitlines()) == made.json["items"] + 1
    return command


def test_the_report_is_the_same_in_words_and_as_json(played: CommandLine) -> None:
    score = ("critics", "score", "sets/s.jsonl", "--critic", "gold=gold-advice:moment=action", "--workers", 0)
    done = played(*score, "--json")
    assert done.status == 0, done.err
    report = done.json
    [row] = report["critics"]
    assert (row["critic"], row["false_alarms"]["value"]) == ("gold", 0.0)
    assert row["thresholds"][0]["sent_back"] == 0.0
    plain = played(*score)
    assert plain.status == 0
    assert f"{report['items']} candidates on {report['tasks']} tasks of count-smoke" in plain.out
    line = next(x for x in plain.out.splitlines() if x.startswith("gold †\t"))
    assert line.split("\t")[1:4] == [str(row["judged"]), "0", "0"]
    low, high = (100 * x for x in row["accuracy"]["ci"])
    assert line.split("\t")[4] == f"{100 * row['accuracy']['value']:.0f} [{low:.0f}, {high:.0f}]"


def test_refusals_are_one_sentence(played: CommandLine) -> None:
    assert "takes --critic" in played.refused("critics", "score", "sets/s.jsonl")
    assert "cannot be read" in played.refused("critics", "score", "none.jsonl", "--critic", "rules")
    assert "no run folder" in played.refused("critics", "make", "sets", "--out", "x.jsonl")
    assert not (played.folder / "x.jsonl").exists()
