"""kill -9 at any moment loses at most the episodes in flight, and the same command ends in the same summary."""

from __future__ import annotations

import contextlib
import os
import random
import signal
import subprocess
import time
from collections import Counter
from pathlib import Path
from typing import Any

import msgspec
import pytest
from tests.support.command import CommandLine

from cornerman.errors import UsageError
from cornerman.experiment import parse
from cornerman.store import EPISODES, Writer, iterate, latest

KILLS = 20

EXPERIMENT = """
name = "killed"
suite = "count-smoke"
trials = 2
seed = 5
limit = 12

[[method]]
name = "alone"
actor = { use = "slow", ms = 3 }

[[method]]
name = "rules"
actor = { use = "slow", ms = 3 }
critic = ["rules", { use = "gold-advice", label = "gold", deliver = "suppress" }]

[[method]]
name = "advised"
actor = { use = "noisy-gold", p = 0.6 }
critic = ["gold-advice"]
memory = "diary"

[[method]]
name = "retry"
actor = "random"
critic = ["rules"]
protocol = { use = "retry", attempts = 2 }
memory = { use = "diary", mode = "rounds", round = 5 }
"""

CLOCKS = ("seconds", "queue_seconds", "latency", "hour")


def unclocked(value: Any) -> Any:
    """A record without the times that no two runs share."""
    if isinstance(value, dict):
        return {k: unclocked(v) for k, v in value.items() if k not in CLOCKS}
    return [unclocked(v) for v in value] if isinstance(value, list | tuple) else value


def episodes(folder: Path) -> dict[str, Any]:
    """The records that stand, without times."""
    return {str(key): unclocked(msgspec.to_builtins(e)) for key, e in latest(folder).items()}


@pytest.fixture
def written(command: CommandLine) -> CommandLine:
    (command.folder / "killed.toml").write_text(EXPERIMENT)
    return command


def lines(path: Path) -> int:
    """Whole lines of a file that may not be there yet."""
    return path.read_bytes().count(b"\n") if path.exists() else 0


def kill_at(process: subprocess.Popen[str], path: Path, rng: random.Random) -> None:
    """Kill a run: at its start, or some records further on, and a moment later."""
    before = lines(path)
    more = rng.choice([0, 1, 1, 2, 3, 5, 8])
    while more and lines(path) < before + more and process.poll() is None:
        time.sleep(0.002)
    time.sleep(rng.random() * (0.6 if more == 0 else 0.03))
    with contextlib.suppress(ProcessLookupError):  # it had ended
        os.killpg(process.pid, signal.SIGKILL)
    process.communicate()


def test_a_run_killed_twenty_times_ends_as_one_that_was_not(written: CommandLine) -> None:
    whole = written("run", "killed.toml", "--out", "whole", "--json")
    assert whole.status == 0, whole.err
    rng = random.Random(20)
    path = written.folder / "runs" / "killed" / EPISODES
    survived = []
    for _ in range(KILLS):
        kill_at(written.start("run", "killed.toml", "--json", "--episodes", 3), path, rng)
        survived.append(lines(path))
    last = written("run", "killed.toml", "--json")
    assert last.status == 0, last.err
    assert sum(0 < n < lines(path) for n in survived) >= KILLS // 2  # most kills met a run in its middle
    keys = Counter(e.key for e in iterate(path.parent))
    assert set(keys.values()) == {1}  # nothing that was recorded was played again
    assert len(keys) == 12 * 4 * 2
    assert unclocked(last.json) == unclocked(whole.json)
    assert episodes(path.parent) == episodes(written.folder / "whole" / "killed")
    assert not list(path.parent.glob(".*.tmp"))


def test_a_torn_tail_is_cut_at_every_byte(command: CommandLine) -> None:
    arguments = ("run", "--suite", "count-smoke", "--actor", "gold", "--limit", 2, "--name", "torn", "--json")
    whole = command(*arguments)
    path = command.folder / "runs" / "torn" / EPISODES
    first, last = path.read_bytes().splitlines(keepends=True)
    experiment = parse((path.parent / "experiment.toml").read_text(), "torn", "torn")
    for size in range(len(last)):
        path.write_bytes(first + last[:size])
        assert len(list(iterate(path.parent))) == 1  # a reader passes over the torn tail
        Writer(path.parent, experiment).close()
        assert path.read_bytes() == first
    path.write_bytes(first + last[: len(last) // 2])
    again = command(*arguments)
    assert again.status == 0
    assert unclocked(again.json) == unclocked(whole.json)
    assert path.read_bytes().startswith(first)
    assert lines(path) == 2


def test_damage_in_the_middle_is_said_with_its_place(command: CommandLine) -> None:
    arguments = ("run", "--suite", "count-smoke", "--actor", "random", "--limit", 3, "--name", "bad", "--json")
    assert command(*arguments).status == 0
    path = command.folder / "runs" / "bad" / EPISODES
    first, _, third = path.read_bytes().splitlines(keepends=True)
    for bad in (b"garbage\n", b"{}\n", b'{"task":\n', b"\xff\xfe\n", b"\n", b"[1]\n", b"\x00\x00\n"):
        path.write_bytes(first + bad + third)
        with pytest.raises(UsageError, match=r"episodes\.jsonl line 2 is no episode record"):
            latest(path.parent)
    assert "episodes.jsonl line 2 is no episode record" in command.refused(*arguments)
    assert path.read_bytes() == first + bad + third  # nothing is touched


def test_records_of_a_later_version_are_refused(command: CommandLine) -> None:
    arguments = ("run", "--suite", "count-smoke", "--actor", "random", "--limit", 2, "--name", "new", "--json")
    assert command(*arguments).status == 0
    path = command.folder / "runs" / "new" / EPISODES
    for line in (b'{"schema":9,"what":"ever"}\n', path.read_bytes().splitlines(keepends=True)[0]):
        later = line if b'"what"' in line else line.replace(b'{"task"', b'{"schema":9,"task"', 1)
        path.write_bytes(later)
        assert "written by a newer Cornerman (record schema 9, known here: 1)" in command.refused(*arguments)


def test_a_full_disk_ends_the_run_in_order_and_it_goes_on(command: CommandLine) -> None:
    arguments = ("run", "--suite", "count-smoke", "--actor", "random", "--name", "full", "--json")
    limited = ["bash", "-c", 'ulimit -f 24; exec "$@"', "bash", *command.arguments(*arguments)]
    done = subprocess.run(limited, cwd=command.folder, env=command.environment, capture_output=True, text=True)
    path = command.folder / "runs" / "full" / EPISODES
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    assert "episodes.jsonl cannot be written: File too large" in done.stderr
    kept = path.read_bytes()
    assert kept.endswith(b"\n")
    assert 0 < lines(path) < 20
    again = command(*arguments)
    assert again.status == 0
    assert path.read_bytes().startswith(kept)
    assert lines(path) == 20
