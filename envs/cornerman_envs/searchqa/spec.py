"""The environments' specifications and the tasks of their splits."""

from __future__ import annotations

from cornerman.environment import EnvironmentSpec
from cornerman.errors import UsageError, did_you_mean
from cornerman.records import Task

from . import files, index, shipped
from .env import SearchQAEnv
from .questions import Collection

ATLAS, FILES = "cornerman/SearchQA-v1", "cornerman/SearchQAFiles-v1"
SPLITS = ("train", "dev", "test")


def _tasks(env: str, collection: Collection, split: str) -> list[Task]:
    if split not in SPLITS:
        raise UsageError(f"{env} has no split '{split}'; {did_you_mean(split, SPLITS)}")
    return [
        Task(env=env, id=name, split=split, family=question.family, data=collection.digest)
        for name, question in collection.splits.get(split, {}).items()
    ]


def atlas_tasks(split: str) -> list[Task]:
    """All shipped questions of a split. Raises UsageError for an unknown one."""
    return _tasks(ATLAS, shipped.collection(), split)


def files_tasks(split: str) -> list[Task]:
    """All questions of a split in the folder that SEARCHQA_DATA names. Raises UsageError when there is none."""
    return _tasks(FILES, files.collection(files.data_folder()), split)


def _make_atlas(task: Task) -> SearchQAEnv:
    return SearchQAEnv(task, shipped.collection())


def _make_files(task: Task) -> SearchQAEnv:
    return SearchQAEnv(task, files.collection(files.data_folder()))


atlas = EnvironmentSpec(
    id=ATLAS,
    make=_make_atlas,
    light=True,
    seedable=False,
    gold="policy",
    splits=SPLITS,
    tasks=atlas_tasks,
    versions=index.versions,
)
user_files = EnvironmentSpec(
    id=FILES,
    make=_make_files,
    seedable=False,
    gold="policy",
    splits=SPLITS,
    tasks=files_tasks,
    versions=index.versions,
)
