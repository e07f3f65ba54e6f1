"""A run's action logs win again what they won; what was tampered with is found, with its episode and turn."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.support.command import CommandLine

Record = dict[str, Any]


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> CommandLine:
    """A run with retries, critics and, in worker processes, a failing environment."""
    command = CommandLine(tmp_path_factory.mktemp("replay"))
    (command.folder / "e.toml").write_text(
        'suite = "count-smoke"\nlimit = 4\n[[method]]\nname = "gold"\nactor = "gold"\n[[method]]\nname = "retry"\n'
        'actor = "random"\ncritic = ["rules"]\nprotocol = { use = "retry", attempts = 2 }\n'
    )
    assert command("run", "e.toml").status == 0
    return command


def test_a_good_run(played: CommandLine) -> None:
    done = played("replay", "runs/e", "--json")
    assert done.status == 0, done.err
    assert done.json["differ"] == []
    assert done.json["attempts"] > 8  # some were tried again
    plain = played("replay", "runs/e")
    assert plain.status == 0
    assert f"{done.json['attempts']} attempts, {done.json['turns']} actions replayed: none differ" in plain.out


def test_errors_and_workers_are_replayed_too(command: CommandLine) -> None:
    assert command("run", "--suite", "count-raises", "--actor", "gold", "--no-validate", "--name", "r").status == 1
    done = command("replay", "runs/r", "--json")
    assert done.status == 0, done.out  # what an episode claims up to its error is so
    assert done.json["attempts"] >= 2


def one(records: list[Record], method: str, task: str = "from-5") -> Record:
    """The record of an episode."""
    return next(r for r in records if r["method"] == method and r["task"]["id"] == task)


def log_of(record: Record) -> list[Record]:
    """The action log of its first attempt."""
    log: list[Record] = record["attempts"][0]["log"]
    return log


def change(place: Record, key: str, value: Any) -> None:
    """Set a key to what it is not."""
    assert place.get(key) != value
    place[key] = value


TAMPERED: dict[str, tuple[Callable[[Record], None], str, int | None, str]] = {
    "action": (lambda r: change(log_of(r)[1], "action", "wait"), "gold", 1, "the observation after 'wait'"),
    "hash": (lambda r: change(log_of(r)[2], "hash", "0" * 16), "gold", 2, "the hash of the observation"),
    "opening": (lambda r: change(r["attempts"][0], "opening", "You win."), "gold", -1, "the opening is"),
    "opening hash": (
        lambda r: change(r["attempts"][0], "opening_hash", "0" * 16),
        "gold",
        -1,
        "the hash of the opening",
    ),
    "observation": (
        lambda r: change(r["attempts"][0]["turns"][1], "observation", "You win."),
        "gold",
        1,
        "the observation after 'down 2' is 'The counter shows 1.', recorded was 'You win.'",
    ),
    "executed": (
        lambda r: change(r["attempts"][0]["turns"][1], "executed", "wait"),
        "gold",
        1,
        "the action in the log",
    ),
    "turn's score": (lambda r: change(r["attempts"][0]["turns"][0], "score", 1.0), "gold", 0, "the score is 0.4"),
    "reward": (lambda r: change(r["attempts"][0]["turns"][0], "reward", 9.0), "gold", 0, "the reward is 0.4"),
    "missing action": (lambda r: log_of(r).pop(), "gold", 2, "3 turns executed an action, but the action log holds 2"),
    "invented action": (lambda r: log_of(r).append({"action": "wait", "hash": "0" * 16}), "gold", 3, "log holds 4"),
    "attempt's success": (lambda r: change(r["attempts"][0], "success", False), "gold", 3, "success is True"),
    "attempt's score": (
        lambda r: change(r["attempts"][0], "score", 0.25),
        "gold",
        3,
        "the score is 1, recorded was 0.25",
    ),
    "episode's success": (lambda r: change(r, "success", False), "gold", None, "the episode's success is False"),
    "episode's score": (lambda r: change(r, "score", 0.5), "gold", None, "the episode's score is 0.5"),
    "counted": (lambda r: change(r, "counted", 7), "gold", None, "the attempt that counts, 7, is none of its 1"),
    "settings": (lambda r: change(r["task"]["settings"], "start", 6), "gold", -1, "the hash of the opening"),
    "second attempt": (
        lambda r: change(r["attempts"][-1]["log"][0], "hash", "f" * 16),
        "retry",
        0,
        "the hash of the observation",
    ),
}


@pytest.mark.parametrize("case", TAMPERED)
def test_what_was_tampered_with_is_found(played: CommandLine, tmp_path: Path, case: str) -> None:
    tamper, method, turn, problem = TAMPERED[case]
    folder = tmp_path / "copy"
    folder.mkdir()
    source = played.folder / "runs" / "e"
    for name in ("experiment.toml", "manifest.json"):
        (folder / name).write_bytes((source / name).read_bytes())
    records = [json.loads(line) for line in (source / "episodes.jsonl").read_text().splitlines()]
    victim = one(
        records,
        method,
        "from-5"
        if method == "gold"
        else next(r["task"]["id"] for r in records if r["method"] == method and len(r["attempts"]) == 2),
    )
    tamper(victim)
    (folder / "episodes.jsonl").write_text("".join(json.dumps(r) + "\n" for r in records))
    done = played("replay", folder, "--json")
    assert done.status == 1, done
    found = done.json["differ"]
    assert {(d["task"], d["method"], d["trial"]) for d in found} == {(victim["task"]["id"], method, 0)}
    assert found[0]["turn"] == turn
    assert problem in found[0]["problem"]
    if method == "retry":
        assert found[0]["attempt"] == 1


def test_the_plain_report_names_episode_and_turn(played: CommandLine, tmp_path: Path) -> None:
    source = (played.folder / "runs" / "e" / "experiment.toml").read_bytes()
    (tmp_path / "experiment.toml").write_bytes(source)
    text = (played.folder / "runs" / "e" / "episodes.jsonl").read_text().splitlines()
    record = one([json.loads(line) for line in text], "gold")
    log_of(record)[2]["hash"] = "0" * 16
    (tmp_path / "episodes.jsonl").write_text(json.dumps(record) + "\n")
    done = played("replay", tmp_path)
    assert done.status == 1
    assert "1 attempts, 3 actions replayed: 1 differs" in done.out
    assert "from-5/gold/0\t0\t2\tthe hash of the observation after 'down 1' is" in done.out


def test_single_episodes(played: CommandLine) -> None:
    assert played("replay", "runs/e", "from-5", "--json").json["attempts"] >= 2
    assert played("replay", "runs/e", "from-5/gold", "--json").json["attempts"] == 1
    assert played("replay", "runs/e", "from-5/gold/0", "--json").json["attempts"] == 1
    assert "has no episode 'from-5/gld'; did you mean 'from-5/gold/0'" in played.refused(
        "replay", "runs/e", "from-5/gld"
    )


def test_what_is_no_run_is_refused(played: CommandLine) -> None:
    assert "gone is no run folder: it has no experiment.toml" in played.refused("replay", "gone")
