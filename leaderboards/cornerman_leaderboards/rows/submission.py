"""A submission: a run as a row of the boards, small enough to be kept, whole enough to be played again.

SUITE/NAME/experiment.toml      the resolved experiment
SUITE/NAME/manifest.json        versions, plug-ins, digests
SUITE/NAME/summary.json         the figures, computed from the episodes beside it
SUITE/NAME/episodes.jsonl.xz    action logs with the tape of user and model, without what running it again brings back
SUITE/NAME/declaration.json     what the method was trained and tuned on, and how often the panel was looked at
SUITE/NAME/digests.json         SHA-256 of these files
"""

from __future__ import annotations

import hashlib
import lzma
import os
import shutil
from pathlib import Path

import msgspec

from cornerman.declaration import DECLARATION, Declaration, seen
from cornerman.errors import POLICY, UsageError
from cornerman.experiment import is_folder_name, to_toml
from cornerman.recorded import Manifest, read_manifest
from cornerman.records import Episode
from cornerman.slim import slim
from cornerman.store import EXPERIMENT, MANIFEST, PACKED, SUMMARY, encode_episode, latest, read_experiment, write_whole
from cornerman.summary import summarise

DIGESTS = "digests.json"
FILES = (EXPERIMENT, MANIFEST, SUMMARY, PACKED, DECLARATION)


def submit(run: Path, to: Path, declared: Declaration) -> Path:
    """Write a run's submission below a folder; answers its own folder. Refuses what could be no row.

    Tasks of the panel that the declaration names as trained or tuned on are written into it, and mark the row.

    The folder appears whole or not at all, and none that exists is written over.
    """
    experiment, manifest = read_experiment(run), read_manifest(run)
    episodes = latest(run)
    refuse(run, manifest, episodes)
    if experiment.limit is not None:
        raise UsageError(f"{run} played only the first {experiment.limit} tasks of its suite; a row needs all of them")
    if manifest.suite.name != experiment.suite or not is_folder_name(experiment.suite):
        raise UsageError(f"{run / MANIFEST} names the suite {manifest.suite.name!r}, the experiment another one")
    target = to / experiment.suite / experiment.name
    if target.exists():
        raise UsageError(f"{target} exists; submit under another name, or delete it first")
    part = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        part.mkdir(parents=True)
        (part / EXPERIMENT).write_text(to_toml(experiment), encoding="utf-8")
        shutil.copyfile(run / MANIFEST, part / MANIFEST)
        tasks = {e.task.id: e.task for e in episodes.values()}
        declared = msgspec.structs.replace(declared, seen=seen(declared, (tasks[t] for t in manifest.suite.tasks)))
        (part / DECLARATION).write_bytes(as_json(declared))
        with lzma.open(part / PACKED, "wb", preset=6) as file:
            for key in sorted(wanted(manifest)):
                file.write(encode_episode(slim(episodes[key])))
        rebuild(part)
        part.replace(target)
    except OSError as error:
        raise UsageError(f"{target} cannot be written: {error.strerror}") from error
    finally:
        shutil.rmtree(part, ignore_errors=True)
    return target


def rebuild(row: Path) -> None:
    """Compute a row's summary and digests anew from its episodes."""
    write_whole(row / SUMMARY, as_json(summarise(row)))
    write_whole(row / DIGESTS, as_json(digests(row)))


def as_json(value: object) -> bytes:
    """A file of JSON that people can read."""
    return msgspec.json.format(msgspec.json.encode(value), indent=2) + b"\n"


def refuse(run: Path, manifest: Manifest, episodes: dict[tuple[str, str, int], Episode]) -> None:
    """Raise for a run that is not over, or holds errors that playing on would clear away."""
    keys = wanted(manifest)
    missing = [k for k in keys if k not in episodes]
    failed = [k for k in keys if k in episodes and POLICY[episodes[k].end].replay]
    if missing or failed:
        what = f"{len(missing)} of {len(keys)} episodes to play" if missing else f"{len(failed)} episodes with errors"
        raise UsageError(f"{run} has {what}; go on with: cornerman run {run / EXPERIMENT} --out {run.parent}")


def wanted(manifest: Manifest) -> list[tuple[str, str, int]]:
    """The (task, method, trial) of every episode that the run was to play."""
    return [(t, m.method, i) for m in manifest.methods for t in manifest.suite.tasks for i in range(manifest.trials)]


def digests(folder: Path) -> dict[str, str]:
    """SHA-256 of the files of a submission that are there."""
    return {name: found for name in FILES if (found := digest(folder / name)) is not None}


def digest(path: Path) -> str | None:
    """SHA-256 of a file, or None where there is none."""
    return hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else None
