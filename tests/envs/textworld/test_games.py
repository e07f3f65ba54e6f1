"""The cache of made games."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from msgspec.structs import replace

from cornerman.errors import EnvError, MissingExtra
from cornerman.records import Task
from cornerman_envs.textworld import games, spec
from cornerman_envs.textworld.env import TextWorldEnv
from cornerman_envs.textworld.kinds import KINDS, CoinCollector, TreasureHunter

SHORT = CoinCollector(level=2, instructions="all")
COIN = KINDS[spec.COIN]
MAKE = """
from cornerman_envs.textworld import games, kinds, spec
game = games.obtain(kinds.KINDS[spec.COIN], kinds.CoinCollector(level=2, instructions="all"), 7)
print(game.path, game.source)
"""


def in_another_process(cache: Path, hash_seed: str) -> subprocess.Popen[str]:
    """Start making the short game in a process whose sets of strings have another order."""
    ours = {"PYTHONHASHSEED": hash_seed, "PYTHONPATH": os.pathsep.join(sys.path), "CORNERMAN_CACHE": str(cache)}
    return subprocess.Popen([sys.executable, "-c", MAKE], stdout=subprocess.PIPE, text=True, env=os.environ | ours)


@pytest.fixture(scope="session")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[str]]:
    """A cache in which two processes made the short game at the same time, and what each answered."""
    folder = tmp_path_factory.mktemp("made")
    processes = [in_another_process(folder, hash_seed) for hash_seed in "12"]
    return folder, [process.communicate()[0] for process in processes]


@pytest.fixture
def empty(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache folder."""
    monkeypatch.setenv("CORNERMAN_CACHE", str(tmp_path))
    return tmp_path


@pytest.fixture
def cache(empty: Path, made: tuple[Path, list[str]]) -> Path:
    """A cache folder of the test's own that holds the short game."""
    shutil.copytree(made[0], empty, dirs_exist_ok=True)
    return empty / "textworld"


def test_two_processes_make_one_game(made: tuple[Path, list[str]]) -> None:
    cache, answers = made
    assert answers[0] == answers[1] != ""
    path = Path(answers[0].split()[0])
    assert [p for p in (cache / "textworld").iterdir() if p.is_dir()] == [path.parent]
    assert sorted(p.name for p in path.parent.iterdir()) == ["game.json", "game.z8", "manifest.json"]


def test_a_damaged_game_is_made_again(cache: Path, made: tuple[Path, list[str]]) -> None:
    game = games.obtain(COIN, SHORT, 7)
    assert game.source == made[1][0].split()[1]
    written = game.path.stat().st_mtime_ns
    assert games.obtain(COIN, SHORT, 7) == game
    assert game.path.stat().st_mtime_ns == written
    with game.path.open("r+b") as file:
        file.seek(5000)
        file.write(b"\xff" * 100)
    (cache / f".{game.path.parent.name}.part-left").mkdir()  # as a killed process leaves it
    assert games.read(game.path.parent) is None
    assert games.obtain(COIN, SHORT, 7) == game
    assert games.read(game.path.parent) == game
    assert not list(cache.glob(".*.part-*"))


@pytest.mark.parametrize("file", ["game.z8", "game.json", "manifest.json"])
def test_a_missing_or_cut_file_is_noticed(cache: Path, file: str) -> None:
    folder = games.obtain(COIN, SHORT, 7).path.parent
    whole = (folder / file).read_bytes()
    (folder / file).write_bytes(whole[:-10])
    assert games.read(folder) is None
    (folder / file).unlink()
    assert games.read(folder) is None
    (folder / file).write_bytes(whole)
    assert games.read(folder) is not None


def test_the_game_is_the_one_that_tw_make_makes(cache: Path, tmp_path: Path) -> None:
    """Seeds mean what they mean to textworld's own command."""
    script = Path(sys.executable).parent / "tw-make"
    command = [sys.executable, str(script), "tw-coin_collector", "--level", "2", "--seed", "7", "--silent", "-f"]
    subprocess.run([*command, "--output", str(tmp_path / "theirs.z8")], check=True)
    ours = games.obtain(COIN, SHORT, 7)
    assert ours.source == hashlib.sha256((tmp_path / "theirs.ni").read_bytes()).hexdigest()


def test_kind_settings_seed_and_version_tell_games_apart() -> None:
    jobs = [
        games.job_of(COIN, SHORT, 7),
        games.job_of(COIN, SHORT, 8),
        games.job_of(COIN, CoinCollector(level=2), 7),
        games.job_of(COIN, CoinCollector(level=3), 7),
        games.job_of(KINDS[spec.TREASURE], TreasureHunter(level=2), 7),
    ]
    assert len({repr(job) for job in jobs}) == len(jobs)
    assert all(job["textworld"] for job in jobs)


def test_an_unwritable_cache_is_one_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("CORNERMAN_CACHE", str(tmp_path / "file"))
    with pytest.raises(EnvError, match="CORNERMAN_CACHE"):
        games.obtain(COIN, SHORT, 7)


def test_a_failing_maker_is_one_sentence(empty: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("INFORM_HOME", str(empty / "nowhere"))
    with pytest.raises(EnvError, match=r"could not make the game tw-coin_collector level=2 seed=7: .*nowhere"):
        games.obtain(COIN, SHORT, 7)
    assert not [p for p in (empty / "textworld").iterdir() if p.is_dir()]


def test_another_game_than_the_suites_is_refused(house: Task) -> None:
    with pytest.raises(EnvError, match="is not the one of its suite"):
        TextWorldEnv(replace(house, data="0" * 64))


def test_a_missing_extra_is_one_sentence(house: Task, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "textworld", None)  # as Python marks a module that must not be imported
    with pytest.raises(MissingExtra, match=r"pip install 'cornerman\[textworld\]'"):
        TextWorldEnv(house)
