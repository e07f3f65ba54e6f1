"""Boards of runs made by hand: what belongs together, in what order, and what is said of it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.support.recorded import method, wins, write_run

from cornerman_leaderboards.rows import boards
from cornerman_leaderboards.tables.board_table import board_table


@pytest.fixture(autouse=True)
def published(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "published"
    monkeypatch.setattr(boards, "PUBLISHED", folder)
    return folder


def run(folder: Path, patterns: dict[str, str], actor: str = "actor", **manifest: Any) -> Path:
    methods = [method(name, actor="random" if name == "random" else actor) for name in patterns]
    return write_run(folder, methods, [e for n, p in patterns.items() for e in wins(n, p)], **manifest)


def found(runs: Path) -> list[boards.Board]:
    entries, problems = boards.find(runs)
    assert problems == []
    return boards.boards(entries)


def test_runs_of_one_panel_and_rules_make_a_board(tmp_path: Path) -> None:
    run(tmp_path / "runs" / "a", {"alone": "1100"})
    run(tmp_path / "runs" / "b", {"alone": "1110"})
    run(tmp_path / "runs" / "short", {"alone": "11.."}, rules={"max_turns": 5})
    run(tmp_path / "runs" / "head", {"alone": "1100"}, suite="hand[:4]")
    (tmp_path / "runs" / "no run").mkdir()
    made = found(tmp_path / "runs")
    assert [sorted(s.experiment for s in b.runs) for b in made] == [["a", "b"], ["short"], ["head"]]


def test_rows_are_ranked_within_each_actor_and_compared_within_their_run(tmp_path: Path) -> None:
    run(tmp_path / "runs" / "a", {"alone": "1000", "critic": "1110", "random": "1100"}, actor="small")
    run(tmp_path / "runs" / "b", {"alone": "1100", "critic": "1000"}, actor="small")
    run(tmp_path / "runs" / "c", {"alone": "1111"}, actor="large")
    (board,) = found(tmp_path / "runs")
    parts = boards.by_actor([row for s in board.runs for row in s.methods])
    shown = [(p.title, [(r.method, r.run, r.delta and round(r.delta.difference, 2)) for r in p.rows]) for p in parts]
    assert shown == [
        ("actor large", [("alone", "c", None)]),
        (
            "actor small",
            [("critic", "a", 0.5), ("alone", "b", None), ("alone", "a", None), ("critic", "b", -0.25)],
        ),
        ("references: other actors", [("random", "a", None)]),
    ]
    text = board_table(board).text(120)
    assert "3 runs · 4 tasks × 1 trial" in text
    assert "the baseline of the same run" in " ".join(text.split())


def test_published_runs_stand_beside_ones_own(tmp_path: Path, published: Path) -> None:
    run(tmp_path / "runs" / "mine", {"alone": "1000"})
    run(published / "hand" / "theirs", {"alone": "1100"})
    (board,) = found(tmp_path / "runs")
    assert [r.run for s in board.runs for r in s.methods] == ["mine", "published/theirs"]
    assert "published/theirs" in board_table(board).text(100)


def test_other_versions_of_an_environment_stand_on_a_board_of_their_own(tmp_path: Path) -> None:
    run(tmp_path / "runs" / "a", {"alone": "1000"})
    run(tmp_path / "runs" / "b", {"alone": "1100"}, environments={"test/Hand-v1": {"engine": "2"}})
    one, other = found(tmp_path / "runs")
    assert [len(board.runs) for board in (one, other)] == [1, 1]
    assert "b stands on a board of its own: its environments are others (test/Hand-v1)." in board_table(one).text(200)
    assert "a stands on a board of its own" in board_table(other).text(200)


def test_a_single_run_is_shown_as_its_own_table(tmp_path: Path) -> None:
    run(tmp_path / "runs" / "a", {"alone": "1000", "critic": "1110"})
    (board,) = found(tmp_path / "runs")
    text = board_table(board).text(100)
    assert "corrected by Holm over 1 comparison" in " ".join(text.split())
    assert "run" not in text.splitlines()[4].split()


def test_a_missing_folder_holds_no_runs(tmp_path: Path) -> None:
    assert found(tmp_path / "nowhere") == []
