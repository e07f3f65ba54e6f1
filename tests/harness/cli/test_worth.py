"""`cornerman worth` as a person would use it."""

from __future__ import annotations

import signal
import time
from pathlib import Path

import pytest
from tests.support.command import CommandLine


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> CommandLine:
    """A run with advice in one method and none in the other."""
    command = CommandLine(tmp_path_factory.mktemp("worth"))
    (command.folder / "e.toml").write_text(
        'suite = "count-smoke"\nlimit = 6\n[[method]]\nname = "alone"\nactor = { use = "noisy-gold", p = 0.5 }\n'
        '[[method]]\nname = "advice"\nactor = { use = "noisy-gold", p = 0.5 }\n'
        'critic = [{ use = "gold-advice", trigger = { random = 0.6 } }]\n'
    )
    assert command("run", "e.toml").status == 0
    return command


def test_the_report_is_the_same_in_words_and_as_json(played: CommandLine) -> None:
    options = ("worth", "runs/e", "--moments", 6, "--silent", 3, "--workers", 0)
    done = played(*options, "--json")
    assert done.status == 0, done.err
    report = done.json
    assert (report["method"], report["critic"]) == ("advice", "gold-advice")
    plain = played(*options)
    assert plain.status == 0
    assert "forks" not in plain.err, "nothing was left to play"
    for part in report["parts"]:
        assert f"{part['moments']} of {part['population']} moments on {part['tasks']}" in plain.out
    check, cost = report["check"], report["cost"]
    assert check["forks"] == check["repeat"]
    assert f"Check: {check['repeat']} of {check['forks']} forks" in plain.out
    assert f"Cost: {cost['forks']} forks, {cost['turns']} turns; no model was called." in plain.out
    assert plain.out.count("words − placebo") >= 2 * 2
    assert "from here on\twords − silence\t" in plain.out
    assert played("replay", "runs/e").status == 0, "the run is what it was"


def test_what_makes_no_sense_is_one_sentence(played: CommandLine) -> None:
    assert "no run folder" in played.refused("worth", "runs")
    assert "holds in whole attempts" in played.refused("worth", "runs/e", "--moment", "on_task_start")
    assert "has no words" in played.refused("worth", "runs/e", "--moment", "transform_observation")
    assert "did you mean 'review_turn'" in played.refused("worth", "runs/e", "--moment", "review-turn")
    assert "no critic" in played.refused("worth", "runs/e", "--method", "alone")


def test_two_at_a_time_are_one_too_many(played: CommandLine) -> None:
    import fcntl

    with (played.folder / "runs" / "e" / "forks.jsonl").open("ab") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        assert "another process is forking" in played.refused("worth", "runs/e", "--moments", 6, "--silent", 3)


def test_an_interrupt_keeps_what_was_played(command: CommandLine) -> None:
    (command.folder / "s.toml").write_text(
        'suite = "count-smoke"\nlimit = 4\n[[method]]\nname = "m"\nactor = { use = "slow", ms = 20 }\n'
        'critic = ["summing-up"]\nprotocol = { use = "retry", attempts = 2, until = "n" }\n'
    )
    assert command("run", "s.toml").status == 0
    process = command.start("worth", "runs/s", "--workers", 0)
    path: Path = command.folder / "runs" / "s" / "forks.jsonl"
    while not path.exists() or not path.stat().st_size:
        time.sleep(0.01)
        assert process.poll() is None, process.communicate()
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 1, err
    assert "forks that were played are kept" in err
    before = path.read_bytes()
    assert before.endswith(b"\n")
    assert command("worth", "runs/s", "--workers", 0).status == 0
    assert path.read_bytes().startswith(before)
