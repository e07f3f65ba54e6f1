"""`cornerman trial`: a pilot is played, the full run is registered with its placebos, and is played as registered."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.support.command import CommandLine, Done

from cornerman.experiment import parse

METHODS = """
[[method]]
name = "alone"
actor = "noisy-gold:p=0.9"

[[method]]
name = "advised"
actor = "noisy-gold:p=0.9"
critic = "{critic}"
"""


def write(
    folder: Path, critic: str = "rules", trials: int = 2, suite: str = "alfworldgen-smoke", more: str = ""
) -> None:
    (folder / "mine.toml").write_text(f'suite = "{suite}"\ntrials = {trials}\n{METHODS.format(critic=critic)}{more}')


BROKEN = """
import cornerman

class Broken:
    @cornerman.hookimpl
    def act(self, view):
        raise RuntimeError("out of order")

@cornerman.hookimpl
def register(registry):
    registry.add("actor", "broken", Broken)
"""

FAST = ("--workers", 0, "--no-validate")


def test_a_trial_registers_a_file_that_runs(command: CommandLine, inside: Callable[..., Done]) -> None:
    write(command.folder)
    done = inside("trial", "mine.toml", "--pilot", 3, "--detect", 20, *FAST, "--json")
    assert done.status == 0, done.err
    report = json.loads(done.out)
    assert (command.folder / report["pilot"] / "summary.json").is_file()
    assert len(report["pilot_tasks"]) == 3
    assert report["comparisons"] == 2  # the critic and its placebo
    assert report["alpha"] == pytest.approx(0.025)
    path = command.folder / report["registered"]
    text = path.read_text(encoding="utf-8")
    assert all(f"{task}\n" in text for task in report["pilot_tasks"])
    assert "# Stopping: fixed." in text
    full = parse(text, "x", "x")
    assert [m.name for m in full.method] == ["alone", "advised", "advised+placebo"]
    assert full.method[2].critic[0].wrap.use == "placebo"
    assert full.trials == report["trials"] >= 2
    assert full.limit is None
    assert report["cost"]["episodes"] == 5 * 3 * full.trials
    assert str(report["registered"]) in report["command"]
    again = inside("trial", "mine.toml", "--pilot", 3, "--detect", 20, *FAST, "--go")
    assert again.status == 0, again.err
    assert path.read_text(encoding="utf-8") == text  # registered once, date included
    played = json.loads((command.folder / "runs" / full.name / "summary.json").read_text())
    assert played["recorded"] == report["cost"]["episodes"]
    assert "advised+placebo" in again.out


def test_another_experiment_does_not_overwrite_what_was_registered(
    command: CommandLine, inside: Callable[..., Done]
) -> None:
    write(command.folder)
    (command.folder / "kept.toml").write_text("# an older registration\n\nname = 'x'\n")
    done = inside("trial", "mine.toml", "--pilot", 2, *FAST, "--register", "kept.toml")
    assert done.status == 2
    assert "registers another experiment" in done.complaint
    assert "older" in (command.folder / "kept.toml").read_text()


def test_a_placebo_that_is_there_is_not_added_again(command: CommandLine, inside: Callable[..., Done]) -> None:
    more = '[[method]]\nname = "words"\nactor = "noisy-gold:p=0.9"\ncritic = "rules:wrap=placebo"\n'
    write(command.folder, more=more)
    done = inside("trial", "mine.toml", "--pilot", 2, *FAST, "--json")
    assert done.status == 0, done.err
    assert json.loads(done.out)["placebos"] == []


@pytest.mark.parametrize(("tasks", "said"), [(1, "one task shows no variance"), (3, "upper bound (Wilson")])
def test_a_pilot_that_says_little_is_told_so(
    command: CommandLine, inside: Callable[..., Done], tasks: int, said: str
) -> None:
    text = f'suite = "alfworldgen-smoke"\n{METHODS.format(critic="rules").replace("p=0.9", "p=0.0")}'
    (command.folder / "mine.toml").write_text(text)
    done = inside("trial", "mine.toml", "--pilot", tasks, *FAST)
    assert done.status == 0, done.err
    assert said in done.out


def test_one_method_is_refused(command: CommandLine, inside: Callable[..., Done]) -> None:
    (command.folder / "mine.toml").write_text('suite = "alfworldgen-smoke"\n[[method]]\nactor = "random"\n')
    done = inside("trial", "mine.toml")
    assert done.status == 2
    assert "a trial compares" in done.complaint


def test_a_pilot_of_errors_alone_knows_nothing(command: CommandLine, inside: Callable[..., Done]) -> None:
    (command.folder / "broken.py").write_text(BROKEN)
    methods = METHODS.format(critic="rules").replace("noisy-gold:p=0.9", "broken")
    (command.folder / "mine.toml").write_text(f'suite = "count-smoke"\n{methods}')
    done = inside("-p", "broken.py", "trial", "mine.toml", "--pilot", 2, *FAST, "--json")
    assert done.status == 0, done.err
    [advised] = json.loads(done.out)["methods"]
    assert advised["detectable"] is None
    assert advised["said"] == "nothing is known: every episode of alone ended in an error"


def test_money_is_that_of_the_full_run(command: CommandLine, inside: Callable[..., Done]) -> None:
    talking = '[[method]]\nname = "{}"\nactor = {{ use = "llm-react", model = "scripted:" }}\n{}'
    methods = talking.format("alone", "") + talking.format("advised", 'critic = "rules"\n')
    prices = 'prices = { "scripted:" = { prompt = 100.0, output = 50.0 } }\n'
    (command.folder / "mine.toml").write_text(f'suite = "count-smoke"\n{prices}{methods}')
    done = inside("trial", "mine.toml", "--pilot", 20, *FAST, "--json")
    assert done.status == 0, done.err
    cost = json.loads(done.out)["cost"]
    pilot = json.loads((command.folder / "runs" / "mine-pilot" / "summary.json").read_text())["methods"]
    alone, advised = (m["dollars"]["actor"] for m in pilot)
    assert alone > 0
    assert cost["dollars"]["actor"] == pytest.approx(alone + 2 * advised)  # the placebo costs what its method does
