"""Finding episodes in a run's file: as it grows, by filters, by pages, packed or not."""

from __future__ import annotations

import lzma
from pathlib import Path

import msgspec
import pytest
from tests.support.recorded import TASKS, episode, method, wins, write_run

from cornerman.errors import End, UsageError
from cornerman.records import Episode
from cornerman.store import EPISODES, PACKED
from cornerman_leaderboards.viewer.index import PAGE, Index, Wanted


def opened(folder: Path) -> Index:
    """The whole index of a run."""
    index = Index(folder)
    assert not index.advance(60)
    return index


def append(folder: Path, *episodes: Episode, tail: bytes = b"") -> None:
    with (folder / EPISODES).open("ab") as file:
        file.write(b"".join(msgspec.json.encode(e) + b"\n" for e in episodes) + tail)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A run of two methods: one solves two tasks of four, the other one, and fails with an error in one."""
    lost = episode("t4", "b", trial=0, end=End.MODEL_ERROR)
    episodes = [*wins("a", "1100"), *wins("b", "100."), lost]
    return write_run(tmp_path / "run", [method("a"), method("b")], episodes)


def test_episodes_are_listed_by_task_and_numbered_as_recorded(folder: Path) -> None:
    found = opened(folder).select(Wanted())
    assert [(e.task, e.method, e.number) for e in found.entries[:4]] == [
        ("t1", "a", 1),
        ("t1", "b", 5),
        ("t2", "a", 2),
        ("t2", "b", 6),
    ]
    assert (found.total, found.pages) == (8, 1)


def test_filters_are_by_method_part_of_a_task_s_name_and_outcome(folder: Path) -> None:
    index = opened(folder)
    assert [e.task for e in index.select(Wanted("a", outcome="solved")).entries] == ["t1", "t2"]
    assert [e.method for e in index.select(Wanted(task="T3")).entries] == ["a", "b"]
    assert [(e.task, e.method) for e in index.select(Wanted(outcome="error")).entries] == [("t4", "b")]
    assert index.select(Wanted("no such method")).entries == []


def test_a_live_run_is_read_on_and_its_torn_tail_waits(folder: Path) -> None:
    index = opened(folder)
    again = episode("t4", "b", True)
    new = msgspec.json.encode(episode("t5", "a"))
    append(folder, again, tail=new[:40])
    assert not index.advance(60)
    assert len(index) == 8
    whole = index.episode(8)
    assert whole is not None
    assert whole.success  # the last line of a (task, method, trial) is the episode; its number stays
    append(folder, tail=new[40:] + b"\n")
    index.advance(60)
    assert index.episode(9) == episode("t5", "a")
    assert index.episode(10) is None


def test_pages_hold_a_hundred(tmp_path: Path) -> None:
    many = [episode(f"task-{i:03}", "a") for i in range(2 * PAGE + 1)]
    index = opened(write_run(tmp_path / "run", [method("a")], many))
    pages = [index.select(Wanted(), number) for number in (1, 2, 3, 99)]
    assert [len(p.entries) for p in pages] == [PAGE, PAGE, 1, 1]
    assert [e.task for p in pages[:3] for e in p.entries] == [e.task.id for e in many]


def test_a_line_longer_than_a_block_is_read_whole(tmp_path: Path) -> None:
    long = episode("t1", "a", actions=("x" * 3_000_000,))
    index = opened(write_run(tmp_path / "run", [method("a")], [long, episode("t2", "a")]))
    assert index.episode(1) == long
    assert len(index) == 2


def test_episodes_of_a_published_row_are_read_packed(folder: Path) -> None:
    plain = folder / EPISODES
    (folder / PACKED).write_bytes(lzma.compress(plain.read_bytes()))
    expected = opened(folder).select(Wanted())
    plain.unlink()
    assert opened(folder).select(Wanted()) == expected


def test_a_run_that_began_anew_is_known_as_another(folder: Path) -> None:
    index = opened(folder)
    assert not index.replaced()
    (folder / EPISODES).unlink()
    append(folder, episode("t1", "a"))
    assert index.replaced()


def test_what_cannot_be_read_is_one_sentence(folder: Path, tmp_path: Path) -> None:
    append(folder, tail=b'{"no": "episode"}\n')
    index = Index(folder)
    for _ in range(2):  # each page says it, and means the same line
        with pytest.raises(UsageError, match="line 9 is no episode record"):
            index.advance(60)
    with pytest.raises(UsageError, match="holds no episode"):
        Index(tmp_path)
    (tmp_path / PACKED).write_bytes(b"not packed at all")
    with pytest.raises(UsageError, match="cannot be read"):
        Index(tmp_path)


def test_of_a_task(folder: Path) -> None:
    assert [e.method for e in opened(folder).of_task(TASKS[3])] == ["a", "b"]
