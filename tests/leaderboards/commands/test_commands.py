"""`cornerman compare` and `cornerman leaderboard show` on runs that were really played."""

from __future__ import annotations

import json
import os
import pty
import shutil
from pathlib import Path

import pytest
from tests.support.advice import advice
from tests.support.command import CommandLine

from cornerman.store import EPISODES, MANIFEST, SUMMARY


@pytest.fixture(scope="module")
def command(tmp_path_factory: pytest.TempPathFactory) -> CommandLine:
    """The command line, in a folder with two runs of eight tasks and one of six others."""
    command = CommandLine(tmp_path_factory.mktemp("boards"))
    (command.folder / "advice.toml").write_text(advice(8))
    played = command("run", "advice.toml")
    assert played.status == 0, played.err
    (command.folder / "table.md").write_text(played.out)
    for name, suite, limit in (("again", "count-smoke", 8), ("whole", "count-smoke", 20), ("other", "count-once", 2)):
        command.variables["ONCE"] = str(command.folder / "once")
        Path(command.variables["ONCE"]).touch()
        done = command("run", "--suite", suite, "--actor", "random", "--limit", limit, "--name", name)
        assert done.status == 0, done.err
    return command


def on_a_terminal(command: CommandLine, columns: int, *arguments: object) -> str:
    """What a command writes on a terminal of that width."""
    outer, inner = pty.openpty()
    before = command.variables
    command.variables = before | {"COLUMNS": str(columns), "TERM": "xterm-256color"}
    try:
        process = command.start(*arguments, stdout=inner)
    finally:
        command.variables = before
    os.close(inner)
    parts = []
    while True:
        try:
            part = os.read(outer, 65536)
        except OSError:  # the other end is closed
            break
        if not part:
            break
        parts.append(part)
    process.communicate()
    os.close(outer)
    assert process.returncode == 0
    return b"".join(parts).decode()


def test_a_run_ends_in_its_table_and_what_to_type_next(command: CommandLine) -> None:
    text = (command.folder / "table.md").read_text()
    table, _, rest = text.partition("\nThe run lies in ")
    assert rest.splitlines() == [
        "runs/advice",
        "next: cornerman compare runs/advice",
        "      cornerman replay runs/advice",
    ]
    assert table == command("compare", "runs/advice").out
    assert table.count("| advised †") == 1


def test_compare_needs_nothing_but_manifest_and_episodes(command: CommandLine) -> None:
    run = command.folder / "runs" / "advice"
    copy = command.folder / "copies" / "advice"
    copy.mkdir(parents=True)
    for file in (MANIFEST, EPISODES):
        shutil.copy(run / file, copy)
    bare = command("compare", "copies/advice", "--json")
    assert bare.json == json.loads((run / SUMMARY).read_text())
    assert command("compare", "copies/advice").out == command("compare", "runs/advice").out


def test_reference_rows_have_no_difference(command: CommandLine) -> None:
    rows = {r["method"]: r for r in command("compare", "runs/advice", "--json").json["methods"]}
    assert rows["random"]["reference"]
    assert rows["random"]["delta"] is None
    assert rows["advised"]["delta"]["baseline"] == "alone"


def test_two_runs_stand_in_one_table(command: CommandLine) -> None:
    summary = command("compare", "runs/advice", "runs/again", "--baseline", "again/random", "--json").json
    assert [r["method"] for r in summary["methods"]] == ["alone", "advised", "advice/random", "again/random"]
    assert summary["methods"][2]["delta"]["baseline"] == "again/random"


def test_mistakes_are_one_sentence(command: CommandLine) -> None:
    refused = command.refused
    assert "different panels of tasks" in refused("compare", "runs/advice", "runs/whole")
    assert refused("compare", "runs/advice", "--baseline", "advisd").endswith("did you mean 'advised'?")
    assert refused("compare", "nowhere") == "nowhere is no run folder: it has no manifest.json"
    assert "did you mean 'count-smoke'" in refused("leaderboard", "show", "count-smok")
    assert "there is no folder nowhere" in refused("leaderboard", "show", "count-smoke", "--runs", "nowhere")


def test_a_board_holds_all_runs_of_a_suite_by_panel(command: CommandLine) -> None:
    boards = command("leaderboard", "show", "count-smoke", "--json").json
    assert [(b["suite"], b["tasks"], [r["experiment"] for r in b["runs"]]) for b in boards] == [
        ("count-smoke", 20, ["whole"]),
        ("count-smoke[:8]", 8, ["advice", "again"]),
    ]
    text = command("leaderboard", "show", "count-smoke").out
    assert text.count("| method |") == 2
    assert "the baseline of the same run" in text
    assert "other" not in [line.split("|")[2].strip() for line in text.splitlines() if line.startswith("| random")]


def test_a_suite_that_nobody_played_says_how_to_play_it(command: CommandLine) -> None:
    done = command("leaderboard", "show", "count-workers")
    assert done.status == 0
    assert "cornerman run --suite count-workers" in done.out
    assert command("leaderboard", "show", "count-workers", "--json").json == []


def test_a_folder_that_cannot_be_read_is_named_and_left_out(command: CommandLine) -> None:
    broken = command.folder / "runs" / "broken"
    broken.mkdir()
    (broken / MANIFEST).write_text("{")
    done = command("leaderboard", "show", "count-smoke", "--json")
    shutil.rmtree(broken)
    assert done.status == 0
    assert "runs/broken/manifest.json" in done.err
    assert len(done.json) == 2


@pytest.mark.parametrize("columns", [80, 130])
def test_a_terminal_gets_a_table_of_its_width(command: CommandLine, columns: int) -> None:
    text = on_a_terminal(command, columns, "compare", "runs/advice")
    assert "\x1b[" in text
    assert "| method |" not in text
    plain = [line for line in text.replace("\r", "").split("\n") if "───" in line]
    assert plain
    bare = on_a_terminal(command, columns, "compare", "runs/advice", "--markdown")
    assert "| method |" in bare


def test_no_color_is_respected(command: CommandLine) -> None:
    command.variables["NO_COLOR"] = "1"
    text = on_a_terminal(command, 80, "compare", "runs/advice")
    del command.variables["NO_COLOR"]
    assert "\x1b[32m" not in text
    assert "\x1b[31m" not in text
