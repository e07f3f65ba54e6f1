"""The cache of made games: a game is made once for each (challenge, settings, seed, textworld version) and checked.

    CACHE/textworld/DIGEST/game.z8          the compiled game
    CACHE/textworld/DIGEST/game.json        its logic, which textworld reads beside it
    CACHE/textworld/DIGEST/manifest.json    what it was made from and the digests of both files and of the source

The compiled file carries the date of its making; `Game.source`, the digest of the Inform 7 source, does not, and tells
on every machine whether two games are the same.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import msgspec

from cornerman.errors import EnvError
from cornerman.locks import file_lock
from cornerman.paths import cache_root
from cornerman.suites import digest_of

from . import library, maker
from .kinds import Kind, Settings

RECIPE = 1
"""Version of how games are made here; a change makes all games anew."""

SECONDS = 600.0
"""How long the making of one game may take; about four seconds are usual."""


class Game(msgspec.Struct, frozen=True):
    """A game on disk: the file to play and the digest of its source (SHA-256, 64 hex digits)."""

    path: Path
    source: str


class Manifest(msgspec.Struct, frozen=True, kw_only=True):
    """What `manifest.json` holds; `files` are SHA-256 digests by name."""

    job: dict[str, Any]
    files: dict[str, str]
    source: str


def obtain(kind: Kind, settings: Settings, seed: int) -> Game:
    """The game for these settings, made now if it is not in the cache or not whole there.

    Safe to call from several processes at once: one of them makes it, the others wait. Raises EnvError when it cannot
    be made or kept.
    """
    job = job_of(kind, settings, seed)
    folder = cache_root() / "textworld" / digest_of(job)[:32]
    found = read(folder)
    if found is not None:
        return found
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        with file_lock(folder.with_suffix(".lock")):
            return read(folder) or _make(job, folder)
    except OSError as error:
        raise EnvError(
            f"cannot keep TextWorld games in {folder.parent}: {error}; make room there, "
            "or let CORNERMAN_CACHE name another folder"
        ) from error


def job_of(kind: Kind, settings: Settings, seed: int) -> dict[str, Any]:
    """All that a game depends on, defaults included."""
    values = msgspec.to_builtins(settings)
    instructions = values.pop("instructions", "all")
    if kind.challenge == "tw-cooking":
        values |= {"drop": False, "recipe_seed": 0}
    return {
        "recipe": RECIPE,
        "textworld": library.versions()["textworld"],
        "challenge": kind.challenge,
        "settings": values,
        "only_last_action": instructions == "last",
        "seed": seed,
    }


def read(folder: Path) -> Game | None:
    """The game in a folder of the cache, or None when it is missing or any file is not as it was made."""
    try:
        manifest = msgspec.json.decode((folder / "manifest.json").read_bytes(), type=Manifest)
        intact = all(_sha256(folder / name) == digest for name, digest in manifest.files.items())
    except (OSError, msgspec.DecodeError):
        return None
    return Game(folder / "game.z8", manifest.source) if intact else None


def _make(job: dict[str, Any], folder: Path) -> Game:
    """Make the game beside its place and move it there whole; the caller holds the lock."""
    prefix = f".{folder.name}.part-"
    for leftover in folder.parent.glob(f"{prefix}*"):  # of a process that was killed
        shutil.rmtree(leftover, ignore_errors=True)
    with tempfile.TemporaryDirectory(prefix=prefix, dir=folder.parent) as name:
        staging = Path(name) / "game"
        staging.mkdir()
        _run(job | {"path": str(staging / "game")})
        source = _sha256(staging / "game.ni")
        (staging / "game.ni").unlink()
        files = {file: _sha256(staging / file) for file in ("game.z8", "game.json")}
        manifest = Manifest(job=job, files=files, source=source)
        (staging / "manifest.json").write_bytes(msgspec.json.encode(manifest))
        shutil.rmtree(folder, ignore_errors=True)
        staging.rename(folder)
    return Game(folder / "game.z8", source)


def _run(job: dict[str, Any]) -> None:
    """Run the maker in a fresh interpreter; the pinned hash seed fixes the order of sets of strings."""
    command = [sys.executable, "-P", maker.__file__]
    environment = os.environ | {"PYTHONHASHSEED": "0"}
    try:
        subprocess.run(
            command, input=msgspec.json.encode(job), env=environment, capture_output=True, timeout=SECONDS, check=True
        )
    except subprocess.TimeoutExpired:
        raise EnvError(f"TextWorld made no game within {SECONDS:g} s: {_words(job)}") from None
    except subprocess.CalledProcessError as error:
        last = (error.stderr.decode("utf-8", "replace").strip().splitlines() or ["it said nothing"])[-1]
        raise EnvError(f"TextWorld could not make the game {_words(job)}: {last}") from None


def _words(job: dict[str, Any]) -> str:
    settings = " ".join(f"{name}={value}" for name, value in job["settings"].items())
    return f"{job['challenge']} {settings} seed={job['seed']}"


def _sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()
