"""Trackers are told the figures of the summary, and need no network."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path

import pytest
from tests.support.command import CommandLine

PLAY = ("run", "--suite", "frozenlake-smoke", "--actor", "noisy-gold:p=0.5", "--critic", "gold-advice", "--no-validate")


def needs(package: str) -> list[pytest.MarkDecorator]:
    missing = importlib.util.find_spec(package) is None
    return [pytest.mark.extra("trackers"), pytest.mark.skipif(missing, reason="needs the extra 'trackers'")]


@pytest.fixture
def command(tmp_path: Path) -> CommandLine:
    return CommandLine(tmp_path)


@pytest.mark.parametrize("place", [pytest.param("runs/r/tensorboard", marks=needs("tensorboard"))])
def test_tensorboard_has_the_means_and_the_summary(command: CommandLine, place: str) -> None:
    from tensorboard.backend.event_processing.event_file_loader import EventFileLoader

    done = command(*PLAY, "--name", "r", "--observer", "tensorboard")
    assert (done.status, "observer" in done.err) == (0, False), done.err
    [file] = (command.folder / place).iterdir()
    told: dict[str, list[tuple[int, float]]] = {}
    for event in EventFileLoader(str(file)).Load():
        for value in event.summary.value:
            number = value.tensor.float_val[0] if value.HasField("tensor") else value.simple_value
            told.setdefault(value.tag, []).append((event.step, number))
    rows = json.loads((command.folder / "runs" / "r" / "summary.json").read_bytes())["methods"]
    for row in rows:
        steps = told[f"{row['method']}/success_rate"]
        assert [step for step, _ in steps] == [1, 2, 3, 4, 5]
        assert steps[-1][1] == pytest.approx(row["success_rate"])
        assert told[f"{row['method']}/final/success_rate_low"] == [(10, pytest.approx(row["ci"][0]))]
        assert told[f"{row['method']}/turns_per_episode"][-1][1] == pytest.approx(row["turns_per_episode"])
    assert told[f"{rows[1]['method']}/final/difference"][0][1] == pytest.approx(rows[1]["delta"]["difference"])


@pytest.mark.parametrize("options", [pytest.param("wandb", marks=needs("wandb"))])
def test_wandb_writes_offline(command: CommandLine, options: str) -> None:
    done = command(*PLAY, "--name", "r", "--observer", options)
    assert (done.status, "observer" in done.err) == (0, False), done.err
    [folder] = (command.folder / "runs" / "r" / "wandb").glob("offline-run-*")
    [file] = folder.glob("*.wandb")
    content = file.read_bytes()
    rows = json.loads((command.folder / "runs" / "r" / "summary.json").read_bytes())["methods"]
    assert all(f"{row['method']}/final/success_rate".encode() in content for row in rows)
    assert b"frozenlake-smoke" in content


def test_without_the_package_the_extra_is_named(command: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    if importlib.util.find_spec("wandb") is not None:
        pytest.skip("the package is installed")
    assert "cornerman[trackers]" in command.refused(*PLAY, "--observer", "wandb")
