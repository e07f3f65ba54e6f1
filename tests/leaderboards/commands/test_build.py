"""`cornerman leaderboard build` on a run that was really played."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.support.advice import advice
from tests.support.command import CommandLine

from cornerman.store import SUMMARY


@pytest.fixture(scope="module")
def command(tmp_path_factory: pytest.TempPathFactory) -> CommandLine:
    """The command line in a folder with a run."""
    command = CommandLine(tmp_path_factory.mktemp("site"))
    (command.folder / "advice.toml").write_text(advice(6))
    assert command("run", "advice.toml").status == 0
    return command


def test_a_site_of_a_run_says_where_to_open_it(command: CommandLine) -> None:
    done = command("leaderboard", "build", "runs/advice", "--site", "out")
    assert done.status == 0, done.err
    assert done.out.startswith("out holds 1 board, 3 methods, ")
    [board] = (command.folder / "out/boards").iterdir()
    text = (board / "index.html").read_text()
    for name in ("alone", "advised", "random"):
        assert f'href="methods/{name}.html"' in text
        assert f"cornerman run {name}.toml" in (board / f"methods/{name}.html").read_text()
    again = command("run", str(board / "methods/advised.toml"), "--name", "again")
    assert again.status == 0, again.err
    assert "advised" in again.out


def test_without_a_site_tables_are_printed_and_summaries_mended(command: CommandLine) -> None:
    path = command.folder / "runs/advice" / SUMMARY
    whole = path.read_bytes()
    first = command("leaderboard", "build", "runs/advice")
    assert "| advised † |" in first.out
    assert first.err == ""
    path.write_bytes(whole.replace(b'"successes": ', b'"successes": 9', 1))
    mended = command("leaderboard", "build", "runs/advice", "--json")
    assert "summary.json was not what its episodes give" in mended.err
    assert path.read_bytes() == whole
    assert [run["experiment"] for board in mended.json for run in board["runs"]] == ["advice"]


def test_without_runs_the_published_boards_are_meant(command: CommandLine) -> None:
    suites = {board["suite"] for board in command("leaderboard", "build", "--json").json}
    assert suites >= {"alfworldgen-dev", "frozenlake-smoke"}


def test_what_is_no_run_is_refused(command: CommandLine) -> None:
    assert "nowhere is no run folder" in command.refused("leaderboard", "build", "nowhere", "--site", "other")
    assert "holds something else than a site" in command.refused(
        "leaderboard", "build", "runs/advice", "--site", "runs"
    )
    assert "name their folder with --site" in command.refused("leaderboard", "build", "runs/advice", "--png")
    assert not Path(command.folder / "other").exists()
