"""Published results beside a board: read from files of the formats as they are, marked, and in no test."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from typing import Any

import pytest
from tests.support.command import CommandLine

TAU2 = {
    "model_name": "gpt-x",
    "results": {"retail": {"pass_1": 75.5, "pass_2": 61, "pass_3": None}, "airline": {"pass_1": 50}},
}
BALROG = {
    "average_progress": 40.0,
    "environments": {"textworld": {"progression_percentage": 40.0, "standard_error": 5.0, "episodes_played": 30}},
    "client": {"model_id": "some-model"},
}
LM_EVAL = {
    "model_name": "gpt2",
    "results": {"arc_easy": {"alias": "arc_easy", "acc,none": 0.25, "acc_stderr,none": 0.01, "acc_norm,none": 0.3}},
    "n-samples": {"arc_easy": {"original": 2376, "effective": 200}},
}


@pytest.fixture(scope="module")
def command(tmp_path_factory: pytest.TempPathFactory) -> CommandLine:
    command = CommandLine(tmp_path_factory.mktemp("elsewhere"))
    played = command("run", "--suite", "count-smoke", "--actor", "random", "--name", "own")
    assert played.status == 0, played.err
    for name, content in (("tau2", TAU2), ("balrog", BALROG), ("lm-eval", LM_EVAL)):
        (command.folder / f"{name}.json").write_text(json.dumps(content), encoding="utf-8")
    return command


def test_figures_stand_beside_the_board_and_in_no_test(command: CommandLine) -> None:
    before = command("leaderboard", "show", "count-smoke", "--json").json
    options = ("--suite", "count-smoke")
    for arguments in (
        ("tau2", "tau2.json", *options, "--part", "retail", "--metric", "pass_1"),
        ("balrog", "balrog.json", *options),
        ("lm-eval", "lm-eval.json", *options, "--metric", "acc,none", "--label", "GPT | 2"),
    ):
        done = command("leaderboard", "import", *arguments)
        assert done.status == 0, done.err
    [board] = command("leaderboard", "show", "count-smoke", "--json").json
    found = {f["label"]: f for f in board["imported"]}
    assert {k: f["value"] for k, f in found.items()} == {"gpt-x": 0.755, "some-model": 0.4, "GPT | 2": 0.25}
    assert {f["mark"] for f in board["imported"]} == {"imported"}
    assert found["gpt-x"].get("ci") is None
    assert found["some-model"]["ci"] == pytest.approx([0.302, 0.498])
    assert found["GPT | 2"]["n"] == 200
    assert board["runs"] == before[0]["runs"]
    shown = command("leaderboard", "show", "count-smoke", "--markdown").out
    assert "| gpt-x # | tau2 | retail | pass_1 | 75.5 | — | — |" in shown
    assert "GPT \\| 2 #" in shown
    assert "kept out of all tests" in shown


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("tau2", "tau2.json"), "holds 3 such figures, one is needed; it has: --part airline --metric pass_1"),
        (("tau2", "tau2.json", "--part", "bank"), "holds 0 such figures"),
        (("tau", "tau2.json"), "did you mean 'tau2'?"),
        (("balrog", "tau2.json"), "is no balrog file as it is known here: KeyError"),
        (("lm-eval", "own"), "is no file of at most 64 MB"),
        (("lm-eval", "broken.json"), "is no lm-eval file"),
        (("balrog", "much.json"), "is no share"),
    ],
)
def test_what_is_no_figure_is_one_sentence(command: CommandLine, arguments: tuple[str, ...], said: str) -> None:
    (command.folder / "broken.json").write_text("[" * 100_000, encoding="utf-8")
    much: Any = {"environments": {"x": {"progression_percentage": 1e300, "standard_error": 0, "episodes_played": 1}}}
    (command.folder / "much.json").write_text(json.dumps(much), encoding="utf-8")
    assert said in command.refused("leaderboard", "import", *arguments, "--suite", "count-smoke")


def test_a_damaged_figure_is_said_and_left_out(command: CommandLine) -> None:
    folder = command.folder / "runs" / "damaged"
    folder.mkdir()
    (folder / "imported.json").write_text('{"format": "tau3"}', encoding="utf-8")
    done = command("leaderboard", "show", "count-smoke")
    assert done.status == 0
    assert "is no imported figure" in done.err


@pytest.mark.extra("inspect")
@pytest.mark.skipif(importlib.util.find_spec("inspect_ai") is None, reason="needs the extra 'inspect'")
def test_logs_of_inspect_are_read_by_its_library(tmp_path: Path) -> None:
    from inspect_ai.log import (
        EvalConfig,
        EvalDataset,
        EvalLog,
        EvalMetric,
        EvalResults,
        EvalScore,
        EvalSpec,
        write_eval_log,
    )

    from cornerman_leaderboards.elsewhere.formats import load

    metrics = {"accuracy": EvalMetric(name="accuracy", value=0.75), "stderr": EvalMetric(name="stderr", value=0.1)}
    log = EvalLog(
        status="success",
        eval=EvalSpec(
            created="2026-01-01T00:00:00+00:00",
            task="letters",
            dataset=EvalDataset(),
            model="mock/model",
            config=EvalConfig(),
        ),
        results=EvalResults(
            total_samples=4, completed_samples=4, scores=[EvalScore(name="match", scorer="match", metrics=metrics)]
        ),
    )
    for ending in ("eval", "json"):
        write_eval_log(log, str(tmp_path / f"log.{ending}"))
        figure = load("inspect", tmp_path / f"log.{ending}", "count-smoke", None, "accuracy", None)
        assert (figure.label, figure.part, figure.value, figure.n) == ("mock/model", "letters/match", 0.75, 4)
        assert figure.ci == pytest.approx((0.554, 0.946))
