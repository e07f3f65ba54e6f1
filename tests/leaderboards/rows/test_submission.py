"""Submissions: what is written, that it verifies, and that whatever is altered is named."""

from __future__ import annotations

import json
import lzma
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest
from tests.support.command import CommandLine

from cornerman.errors import MissingExtra
from cornerman.experiment import load_suite
from cornerman.plugins import load
from cornerman.store import latest
from cornerman.summary import summarise
from cornerman_leaderboards.rows.boards import PUBLISHED, children
from cornerman_leaderboards.rows.differences import differences
from cornerman_leaderboards.rows.submission import DIGESTS, FILES, digests

ROWS = [row for suite in children(PUBLISHED) for row in children(suite)]
DECLARED = ("--trained-on", "nothing", "--tuned-on", "nothing", "--looks", "1")
PLAY = ("run", "--suite", "frozenlake-smoke", "--actor", "noisy-gold:p=0.5", "--critic", "gold-advice", "--no-validate")


@pytest.fixture(scope="module")
def submitted(tmp_path_factory: pytest.TempPathFactory) -> CommandLine:
    """A small run and its submission."""
    command = CommandLine(tmp_path_factory.mktemp("submitted"))
    assert command(*PLAY, "--name", "small").status == 0
    done = command("leaderboard", "submit", "runs/small", *DECLARED)
    assert done.status == 0, done.err
    return command


@pytest.fixture
def row(submitted: CommandLine, tmp_path: Path) -> Path:
    """A copy of it to alter."""
    return Path(shutil.copytree(submitted.folder / "submissions" / "frozenlake-smoke" / "small", tmp_path / "row"))


def test_it_holds_what_the_run_holds_in_little_space(submitted: CommandLine) -> None:
    run, row = submitted.folder / "runs" / "small", submitted.folder / "submissions" / "frozenlake-smoke" / "small"
    assert {p.name for p in row.iterdir()} == {*FILES, DIGESTS}
    whole, kept = latest(run), latest(row)
    assert whole.keys() == kept.keys()
    assert {k: [a.log for a in e.attempts] for k, e in whole.items()} == {
        k: [a.log for a in e.attempts] for k, e in kept.items()
    }
    said, summary = (json.loads((folder / "summary.json").read_bytes()) for folder in (run, row))
    assert not list(differences(said, summary))
    packed = (row / "episodes.jsonl.xz").stat().st_size
    assert packed * 5 < (run / "episodes.jsonl").stat().st_size


def test_runs_and_rows_verify(submitted: CommandLine) -> None:
    for where in ("runs/small", "submissions/frozenlake-smoke/small"):
        done = submitted("leaderboard", "verify", where, "--json")
        assert done.status == 0, done.out
        report = json.loads(done.out)
        assert (report["attempts"], report["reruns"], report["differ"]) == (10, 10, [])
        assert report["actions"] == sum(
            len(a.log) for e in latest(submitted.folder / where).values() for a in e.attempts
        )


def repack(row: Path, change: Callable[[str], str], honest: bool) -> None:
    """Alter the episodes; an `honest` forger writes new digests, too."""
    path = row / "episodes.jsonl.xz"
    text = lzma.decompress(path.read_bytes()).decode()
    altered = change(text)
    assert altered != text
    path.write_bytes(lzma.compress(altered.encode()))
    if honest:
        (row / DIGESTS).write_text(json.dumps(digests(row)), encoding="utf-8")


def verified(command: CommandLine, row: Path) -> str:
    done = command("leaderboard", "verify", str(row))
    assert done.status == 1, done.out
    return done.out


SWAP = {"right": "down", "down": "right", "left": "up", "up": "left"}


def other_action(text: str) -> str:
    """The first logged action, changed."""
    return re.sub(r'"action":"(\w+)"', lambda m: f'"action":"{SWAP[m[1]]}"', text, count=1)


def test_an_altered_action_is_named(submitted: CommandLine, row: Path) -> None:
    repack(row, other_action, honest=True)
    task = json.loads(lzma.decompress((row / "episodes.jsonl.xz").read_bytes()).splitlines()[0])["task"]["id"]
    assert re.search(rf"^{re.escape(task)}/.*: attempt 0 turn 0: ", verified(submitted, row), re.MULTILINE)


def test_an_altered_score_is_named(submitted: CommandLine, row: Path) -> None:
    repack(row, lambda text: text.replace('"score":1.0', '"score":0.5', 1), honest=True)
    assert "score" in verified(submitted, row)


def test_an_altered_digit_in_the_summary_is_named(submitted: CommandLine, row: Path) -> None:
    path = row / "summary.json"
    summary = json.loads(path.read_bytes())
    summary["methods"][1]["success_rate"] += 0.01
    path.write_text(json.dumps(summary), encoding="utf-8")
    (row / DIGESTS).write_text(json.dumps(digests(row)), encoding="utf-8")
    said = verified(submitted, row)
    assert f"summary.json: methods[{summary['methods'][1]['method']}].success_rate: is " in said


def test_without_new_digests_the_file_is_named(submitted: CommandLine, row: Path) -> None:
    repack(row, other_action, honest=False)
    assert "episodes.jsonl.xz: has SHA-256" in verified(submitted, row)


def test_another_panel_is_named(submitted: CommandLine, row: Path) -> None:
    path = row / "manifest.json"
    about = json.loads(path.read_bytes())
    about["suite"]["panel"] = "0" * 64
    path.write_text(json.dumps(about), encoding="utf-8")
    assert "manifest.json: suite.panel" in verified(submitted, row)


def forge(row: Path, change: Callable[[dict[str, Any]], None], manifest: Callable[[Any], None] | None = None) -> None:
    """Alter every episode or the manifest, and make the summary and digests anew, as a careful forger does."""
    path = row / "episodes.jsonl.xz"
    episodes = [json.loads(line) for line in lzma.decompress(path.read_bytes()).splitlines()]
    for episode in episodes:
        change(episode)
    path.write_bytes(lzma.compress(b"".join(json.dumps(e).encode() + b"\n" for e in episodes)))
    if manifest is not None:
        about = json.loads((row / "manifest.json").read_bytes())
        manifest(about)
        (row / "manifest.json").write_text(json.dumps(about), encoding="utf-8")
    (row / "summary.json").write_bytes(msgspec.json.encode(summarise(row)))
    (row / DIGESTS).write_text(json.dumps(digests(row)), encoding="utf-8")


def claim(episode: dict[str, Any]) -> None:
    """Success without anything that could be played again."""
    episode |= {"success": True, "score": 1.0, "end": "success"}
    for attempt in episode["attempts"]:
        attempt |= {"opening_hash": "", "success": True, "score": 1.0, "end": "success"}


def silenced(episode: dict[str, Any]) -> None:
    """A critic that said nothing, and was not heard."""
    for attempt in episode["attempts"]:
        attempt["context"] = []
        for turn in attempt["turns"]:
            turn["critiques"] = []


def swapped(episode: dict[str, Any]) -> None:
    """Each method under the other's name."""
    other = {"noisy-gold": "noisy-gold+gold-advice", "noisy-gold+gold-advice": "noisy-gold"}
    episode["method"] = other[episode["method"]]


def reworded(episode: dict[str, Any]) -> None:
    """Other words of the critic, wherever they stand."""
    for attempt in episode["attempts"]:
        for said in [*attempt.get("context", []), *(c for t in attempt["turns"] for c in t.get("critiques", []))]:
            said["text"] = said.get("text", "").upper()


def invented(episode: dict[str, Any]) -> None:
    """A critique by nobody."""
    episode["attempts"][0].setdefault("critiques", []).append({"critic": "oracle", "text": "well done", "id": 99})


def another_task(episode: dict[str, Any]) -> None:
    episode["task"]["seed"] = episode["task"].get("seed", 0) + 1


def keep(episode: dict[str, Any]) -> None:
    """Nothing."""


def unprivileged(about: Any) -> None:
    for method in about["methods"]:
        method |= {"privileged": False, "information": []}


def renamed(about: Any) -> None:
    about["methods"][0]["actor"] = "gpt-5"


def merged(about: Any) -> None:
    """An actor that is said to be another one, so that no test is taken."""
    about["methods"][1]["actor_digest"] = "0" * 64


def dropped(about: Any) -> None:
    about["methods"].pop()


def cut(about: Any) -> None:
    about["suite"]["tasks"] = about["suite"]["tasks"][:2]


@pytest.mark.parametrize(
    ("change", "manifest", "words"),
    [
        (claim, None, "no opening that could be played again"),
        (silenced, None, "the number of attempt 0 turn 0: critiques is 0, run again it is "),
        (swapped, None, "noisy-gold+gold-advice/0: "),
        (reworded, None, "text is "),
        (invented, None, "is of 'oracle', which the method does not have"),
        (another_task, None, "its task is not the suite's task of this id"),
        (keep, unprivileged, "manifest.json: methods[noisy-gold].privileged"),
        (keep, renamed, "manifest.json: methods[noisy-gold].actor"),
        (keep, dropped, "manifest.json: methods"),
        (keep, merged, "manifest.json: methods[noisy-gold+gold-advice].actor_digest"),
        (keep, cut, "manifest.json: suite.tasks"),
    ],
)
def test_a_careful_forger_is_found_out(
    submitted: CommandLine, row: Path, change: Any, manifest: Any, words: str
) -> None:
    forge(row, change, manifest)
    said = verified(submitted, row)
    assert words in said, said


@pytest.mark.parametrize("name", [DIGESTS, "summary.json"])
def test_a_missing_file_is_named(submitted: CommandLine, row: Path, name: str) -> None:
    (row / name).unlink()
    assert ("summary.json: is missing" if name != DIGESTS else f"{DIGESTS} says None") in verified(submitted, row)


def test_nothing_is_written_elsewhere(submitted: CommandLine) -> None:
    run = Path(shutil.copytree(submitted.folder / "runs" / "small", submitted.folder / "runs" / "escapes"))
    about = json.loads((run / "manifest.json").read_bytes())
    about["suite"]["name"] = "../../elsewhere"
    (run / "manifest.json").write_text(json.dumps(about), encoding="utf-8")
    assert "'../../elsewhere'" in submitted.refused("leaderboard", "submit", "runs/escapes", "--to", "a/b", *DECLARED)
    assert not list(submitted.folder.rglob("elsewhere"))


@pytest.mark.parametrize("content", [b"", b"not xz", lzma.compress(b"{}\n"), lzma.compress(b"x" * 1000)])
def test_what_can_not_be_read_is_one_sentence(submitted: CommandLine, row: Path, content: bytes) -> None:
    (row / "episodes.jsonl.xz").write_bytes(content)
    done = submitted("leaderboard", "verify", str(row))
    assert done.status in (1, 2)
    assert "Traceback" not in done.err


def test_what_is_no_row_is_refused(submitted: CommandLine) -> None:
    assert "exists" in submitted.refused("leaderboard", "submit", "runs/small", *DECLARED)
    assert submitted(*PLAY, "--limit", "2", "--name", "part").status == 0
    assert "only the first 2 tasks" in submitted.refused("leaderboard", "submit", "runs/part", *DECLARED)
    lines = (submitted.folder / "runs" / "small" / "episodes.jsonl").read_bytes().splitlines(keepends=True)
    torn = Path(shutil.copytree(submitted.folder / "runs" / "small", submitted.folder / "runs" / "torn"))
    (torn / "episodes.jsonl").write_bytes(b"".join(lines[:-1]))
    assert "1 of 10 episodes to play" in submitted.refused("leaderboard", "submit", "runs/torn", "--to", "x", *DECLARED)
    assert not (submitted.folder / "x").exists()


@pytest.mark.parametrize("published", ROWS, ids=lambda p: f"{p.parent.name}/{p.name}")
def test_what_is_published_verifies(submitted: CommandLine, published: Path) -> None:
    """As far as a draw of its episodes shows; the whole is for `cornerman leaderboard verify` by hand."""
    try:
        load_suite(load().registry, published.parent.name)
    except MissingExtra as missing:
        pytest.skip(str(missing))
    done = submitted("leaderboard", "verify", str(published), "--workers", "0", "--limit", "12")
    assert done.status == 0, done.out + done.err


@pytest.mark.parametrize(
    ("said", "now", "places"),
    [
        ({"a": 1}, {"a": 1.0}, []),
        ({"a": 0.1}, {"a": 0.1 + 1e-15}, []),
        ({"a": True}, {"a": 1}, ["a"]),
        ({"a": [1, 2]}, {"a": [1, 3]}, ["a[1]"]),
        ({"a": [1]}, {"a": [1, 2]}, ["a"]),
        ({"a": {"b": None}}, {"a": {"b": 0}}, ["a.b"]),
        ({"x": [{"method": "m", "n": 1}]}, {"x": [{"method": "m", "n": 2}]}, ["x[m].n"]),
        ({}, {"a": 1}, ["a"]),
    ],
)
def test_every_leaf_that_differs_has_its_place(said: object, now: object, places: list[str]) -> None:
    assert [place for place, *_ in differences(said, now)] == places
