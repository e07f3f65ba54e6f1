"""What the site is made of: files whole or not at all, tables as files, configurations, curves."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import msgspec
import pytest
from tests.support.hand_runs import checkpoints, curves, hostile
from tests.support.payloads import ALL
from tests.support.recorded import method, wins, write_run

from cornerman.declaration import DECLARATION, Declaration
from cornerman.errors import UsageError
from cornerman.experiment import parse
from cornerman.recorded import read_manifest
from cornerman_leaderboards.elsewhere.figures import FILE, Figure
from cornerman_leaderboards.rows.boards import PUBLISHED
from cornerman_leaderboards.site import exports
from cornerman_leaderboards.site.build import boards_of, build
from cornerman_leaderboards.site.crossplay import cross_plays
from cornerman_leaderboards.site.curves import arms, metrics, read_curves
from cornerman_leaderboards.site.filters import filters
from cornerman_leaderboards.site.headline import headline
from cornerman_leaderboards.site.lines import lines
from cornerman_leaderboards.site.slugs import slugs
from cornerman_leaderboards.tables.board_table import board_table

SWEEP = PUBLISHED / "frozenlake-smoke/sweep-smollm2"


def test_a_site_replaces_a_site_and_nothing_else(tmp_path: Path) -> None:
    out = tmp_path / "out"
    build([SWEEP], out)
    first = {p.relative_to(out): p.read_bytes() for p in out.rglob("*") if p.is_file()}
    (out / "stale.html").write_text("old")
    build([SWEEP], out)
    assert {p.relative_to(out): p.read_bytes() for p in out.rglob("*") if p.is_file()} == first
    for name in ("file", "full"):
        target = tmp_path / name
        if name == "file":
            target.write_text("mine")
        else:
            target.mkdir()
            (target / "mine").write_text("mine")
        with pytest.raises(UsageError, match=r"--site"):
            build([SWEEP], target)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["file", "full", "out"]


def test_a_run_that_cannot_be_read_leaves_the_old_site(tmp_path: Path) -> None:
    out = tmp_path / "out"
    build([SWEEP], out)
    before = (out / "index.html").read_bytes()
    (tmp_path / "empty").mkdir()
    with pytest.raises(UsageError, match="no run folder"):
        build([SWEEP, tmp_path / "empty"], out)
    with pytest.raises(UsageError, match="given twice"):
        build([SWEEP, SWEEP], out)
    assert (out / "index.html").read_bytes() == before


def test_chosen_episodes_get_pages_and_are_linked(tmp_path: Path) -> None:
    build([SWEEP], tmp_path / "out", episodes=[f"{SWEEP}:1", f"{SWEEP}:frozenlake-grid-4-dev-0/grader"])
    board = tmp_path / "out/boards/frozenlake-smoke"
    pages = sorted(p.name for p in (board / "episodes").iterdir())
    assert len(pages) == 2
    assert all(f'href="episodes/{name}"' in (board / "index.html").read_text() for name in pages)
    assert f'href="../episodes/{pages[1]}"' in (board / "methods/grader.html").read_text()
    for wrong, said in ((f"{SWEEP}:99", "none of the number 99"), ("elsewhere:1", "write RUN:EPISODE")):
        with pytest.raises(UsageError, match=said):
            build([SWEEP], tmp_path / "out", episodes=[wrong])


def test_figures_as_csv_are_those_of_the_summary(tmp_path: Path) -> None:
    [gathered] = boards_of([SWEEP])
    found = list(csv.DictReader(io.StringIO(exports.figures(lines(gathered)))))
    rows = {row.method: row for row in gathered.board.runs[0].methods}
    assert {r["method"] for r in found} == set(rows)
    for shown in found:
        row = rows[shown["method"]]
        assert float(shown["success_rate"]) == row.success_rate
        assert (float(shown["ci_low"]), float(shown["ci_high"])) == row.ci
        assert (shown["p_corrected"] == "") == (row.delta is None)
        assert row.delta is None or float(shown["p_corrected"]) == row.delta.p_holm


def test_no_name_is_a_formula_or_a_command(tmp_path: Path) -> None:
    [gathered] = boards_of([hostile(tmp_path / "hostile")])
    found = lines(gathered)
    cells = [cell for row in csv.reader(io.StringIO(exports.figures(found))) for cell in row]
    assert "'=HYPERLINK(1)" in cells
    assert not [cell for cell in cells if cell.startswith(("=", "@", "+"))]
    latex = exports.latex(board_table(gathered.board))
    assert r"\textbackslash{}input\{/etc/passwd\}" in latex
    assert r"\input" not in latex
    assert latex.count(r"\begin{tabular}") == latex.count(r"\end{tabular}") >= 1


def test_names_of_files_are_plain_and_differ() -> None:
    names = slugs([*ALL, "grader", "Grader", "grader", "grader-2", "..", ""])
    assert len(set(names)) == len(names)
    assert all(set(n) <= set("abcdefghijklmnopqrstuvwxyz0123456789-") and 0 < len(n) < 64 for n in names)
    assert "grader" in names


def test_a_methods_file_is_the_experiment_of_it_and_its_baseline(tmp_path: Path) -> None:
    build([SWEEP], tmp_path / "out")
    text = (tmp_path / "out/boards/frozenlake-smoke/methods/grader.toml").read_text()
    experiment = parse(text, "grader", "grader.toml")
    assert [m.name for m in experiment.method] == ["alone", "grader"]
    assert (experiment.baseline, experiment.suite, experiment.trials) == ("alone", "frozenlake-smoke", 1)


def test_filters_are_the_choices_by_which_methods_differ() -> None:
    [gathered] = boards_of([SWEEP])
    found = {f.key: list(f.options) for f in filters(lines(gathered))}
    assert found["privileged"] == ["no", "yes"]
    assert "before the action" in found["moment"]
    assert "actor" not in found  # one alone


def test_what_was_declared_is_told_and_filtered_by(tmp_path: Path) -> None:
    runs = [write_run(tmp_path / name, [method("a"), method("b")], wins("a", "0100")) for name in ("one", "two")]
    declared = Declaration(trained_on=("0" * 32,), looks=3, seen=("t1",))
    (runs[0] / DECLARATION).write_bytes(msgspec.json.encode(declared))
    [gathered] = boards_of(runs)
    found = lines(gathered)
    [trained] = [f for f in filters(found) if f.key == "trained"]
    assert list(trained.options) == ["not declared", "yes"]
    assert sorted(line.marked for line in found) == ["one/a ¶", "one/b ‡¶", "two/a", "two/b ‡"]  # no episode of b
    assert any("one declares: trained on 1 task" in remark for remark in gathered.board.remarks)


def test_a_board_in_a_sentence(tmp_path: Path) -> None:
    [sweep] = boards_of([PUBLISHED / "alfworldgen-dev/sweep"])
    assert headline(lines(sweep)) == (
        "6 of 14 methods do better than alone and 3 do worse. For 5 the difference could be luck."
    )
    pair = write_run(tmp_path / "pair", [method("a"), method("b")], [*wins("a", "0000"), *wins("b", "1000")])
    assert headline(lines(boards_of([pair])[0])) == "The difference to a could be luck."
    one = write_run(tmp_path / "one", [method("a")], wins("a", "0000"))
    assert headline(lines(boards_of([one])[0])) == "1 method, none of which is compared with another."


def test_runs_of_one_board_stand_together_and_their_methods_keep_apart(tmp_path: Path) -> None:
    runs = [write_run(tmp_path / name, [method("a"), method("b")], wins("a", "0100")) for name in ("one", "two")]
    [gathered] = boards_of(runs)
    found = lines(gathered)
    assert sorted(line.label for line in found) == ["one/a", "one/b", "two/a", "two/b"]
    build(runs, tmp_path / "out")
    assert len(list((tmp_path / "out/boards/hand/methods").glob("*.html"))) == 4


def test_cross_play_needs_two_of_either_role(tmp_path: Path) -> None:
    [gathered] = boards_of([checkpoints(tmp_path / "run")])
    [play] = cross_plays(lines(gathered))
    assert (play.rows, play.columns) == (["a1", "a2"], ["no critic", "c1", "c2"])
    rates = [[None if c.line is None else c.line.row.success_rate for c in row] for row in play.cells]
    assert rates == [[0.25, 0.5, 0.75], [0.5, None, 1.0]]
    assert cross_plays([line for line in lines(gathered) if "a2" not in line.label]) == []


def test_curves_are_read_from_either_format_and_averaged_over_seeds(tmp_path: Path) -> None:
    points = read_curves(curves(tmp_path / "run") / "curves.jsonl")
    assert len(points) == 2 * 3 * 11 * 2  # the torn last line is none
    assert metrics(points) == ["eval/team/first_success", "loss/actor"]
    alone, both = arms(points, "eval/team/first_success", "environment_steps")
    assert (alone.name, both.name) == ("actor alone", "both")
    assert len(both.seeds) == 3
    assert both.mean[-1] == (6400.0, pytest.approx(0.1 + 0.08 * 10 + 0.01))
    head = points[0].__struct_fields__
    rows = [",".join(str(getattr(p, field)) for field in head) for p in points]
    (tmp_path / "curves.csv").write_text("\n".join([",".join(head), *rows]) + "\n")
    assert read_curves(tmp_path / "curves.csv") == points


def test_a_curve_that_is_none_is_one_sentence_with_its_place(tmp_path: Path) -> None:
    (tmp_path / "curves.jsonl").write_text('{"arm": 3}\n')
    with pytest.raises(UsageError, match=r"line 1 is no point of a curve"):
        read_curves(tmp_path / "curves.jsonl")
    point = {"arm": "a", "seed": 0, "update": 0, "environment_steps": 0, "tokens": 0, "metric": "m", "value": 1.0}
    (tmp_path / "curves.csv").write_text(",".join(point) + "\na,0,0,0,0,m,inf\na,zero,0,0,0,m,1\n")
    with pytest.raises(UsageError, match=r"line 3 is no point of a curve"):
        read_curves(tmp_path / "curves.csv")
    (tmp_path / "curves.jsonl").write_text(json.dumps(point) + "\n" + json.dumps(point | {"value": None}) + "\n")
    assert [p.value for p in read_curves(tmp_path / "curves.jsonl")] == [1.0]


def test_figures_from_elsewhere_stand_apart_and_as_text(tmp_path: Path) -> None:
    run = write_run(tmp_path / "run", [method("alone")], wins("alone", "1100"))
    suite = read_manifest(run).suite.name
    figure = Figure(format="tau2", suite=suite, label="<b>GPT</b>", part="all", metric="pass^1", value=0.5, n=4)
    folder = tmp_path / "theirs"
    folder.mkdir()
    (folder / FILE).write_bytes(msgspec.json.encode(figure))
    build([run, folder], tmp_path / "out")
    page = (tmp_path / "out" / "boards" / suite / "index.html").read_text()
    assert "Published elsewhere" in page
    assert "&lt;b&gt;GPT&lt;/b&gt;" in page
    assert "<b>GPT" not in page
    assert page.count("imported</span>") == 1
    with pytest.raises(UsageError, match="of which no whole run is given"):
        build([folder], tmp_path / "alone")


def test_a_method_page_shows_trials_together_and_what_a_cost_buys(tmp_path: Path) -> None:
    episodes = [*wins("alone", "1100"), *wins("alone", "1010", 1, actions=("other",))]
    run = write_run(tmp_path / "run", [method("alone")], episodes, trials=2)
    build([run], tmp_path / "out")
    page = next((tmp_path / "out").glob("boards/*/methods/alone.html")).read_text()
    assert "2 trials" in page
    assert "any solves 75.0 %" in page  # three of four tasks in one of two trials
    assert "all solve 25.0 %" in page
    assert "solved per hour" in page
