"""Run folders: lines that are whole or not there, one writer, and nothing left of a refused run."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support import countdown

from cornerman import Critique
from cornerman.errors import RunInterrupted, UsageError
from cornerman.experiment import Experiment, parse
from cornerman.journal import Journal
from cornerman.records import Attempt, Call, Completion, Episode, LogEntry, Turn
from cornerman.store import (
    EPISODES,
    EXPERIMENT,
    LOCK,
    Writer,
    count_episodes,
    decode_episode,
    encode_episode,
    iterate,
    iterate_latest,
    latest,
    read_experiment,
    write_whole,
)

EXPERIMENT_FILE = 'suite = "s"\n[[method]]\nname = "m"\nactor = "random"\n'


@pytest.fixture
def experiment() -> Experiment:
    return parse(EXPERIMENT_FILE, "n", "here")


def episode(trial: int = 0, **fields: object) -> Episode:
    """A small record."""
    return Episode(task=countdown.task(), method="m", trial=trial, seed=0, **fields)  # type: ignore[arg-type]


def test_what_is_appended_is_read_back(tmp_path: Path, experiment: Experiment) -> None:
    writer = Writer(tmp_path / "r", experiment)
    for i in (0, 1, 0):
        writer.append(encode_episode(episode(i, score=i / 2, tries=i + 1)))
    writer.close()
    assert [e.trial for e in iterate(tmp_path / "r")] == [0, 1, 0]
    assert list(latest(tmp_path / "r")) == [("from-5", "m", 0), ("from-5", "m", 1)]
    assert read_experiment(tmp_path / "r") == experiment


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"])), max_size=4), st.floats(0, 1), st.integers())
def test_records_survive_their_line(texts: list[str], score: float, number: int) -> None:
    turns = tuple(Turn(index=i, executed=t, observation=t, state={"p": {t: number}}) for i, t in enumerate(texts))
    log = tuple(LogEntry(action=t, hash="0") for t in texts)
    made = episode(attempts=(Attempt(index=0, path="0", turns=turns, log=log),), score=score)
    line = encode_episode(made)
    assert line.count(b"\n") == 1
    assert decode_episode(line, Path("x"), 1) == made


BAD = {
    "text that is none": Attempt(index=0, path="0", opening="\ud800"),
    "critique of a wrong type": Attempt(index=0, path="0", critiques=(Critique(text=3),)),  # type: ignore[arg-type]
    "goal that is none": Attempt(index=0, path="0", goal=None),  # type: ignore[arg-type]
    "no JSON": Attempt(index=0, path="0", critiques=(Critique(data={"x": object()}),)),
    "score that is no number": Attempt(index=0, path="0", seconds=float("nan")),
}


@pytest.mark.parametrize("case", BAD)
def test_what_no_reader_could_take_back_is_refused(case: str) -> None:
    with pytest.raises(ValueError, match=r"\S"):
        encode_episode(episode(attempts=(BAD[case],)))


def test_a_log_probability_of_zero_chance_is_refused_with_its_place() -> None:
    completion = Completion(text="x", logprobs=(float("-inf"),))
    call = Call(id=0, role="actor", plugin="p", purpose="", kind="score", model="m", completions=(completion,))
    with pytest.raises(ValueError, match=r"\$\.calls\[0\]\.completions\[0\]\.logprobs"):
        encode_episode(episode(calls=(call,)))


def test_one_writer_at_a_time(tmp_path: Path, experiment: Experiment) -> None:
    first = Writer(tmp_path, experiment)
    with pytest.raises(UsageError, match="another process is writing to"):
        Writer(tmp_path, experiment)
    first.close()
    Writer(tmp_path, experiment).close()


def test_a_refused_run_leaves_nothing(tmp_path: Path, experiment: Experiment) -> None:
    writer = Writer(tmp_path / "out" / "r", experiment)
    writer.abandon()
    writer.close()
    assert list((tmp_path / "out").iterdir()) == []


def test_what_holds_an_episode_or_was_there_before_is_not_taken_back(tmp_path: Path, experiment: Experiment) -> None:
    first = Writer(tmp_path / "r", experiment)
    first.append(encode_episode(episode()))
    first.abandon()
    first.close()
    assert len(latest(tmp_path / "r")) == 1
    (tmp_path / "r" / EPISODES).write_bytes(b"")
    found = Writer(tmp_path / "r", experiment)
    found.abandon()
    found.close()
    assert {p.name for p in (tmp_path / "r").iterdir()} == {EPISODES, EXPERIMENT, LOCK}


def test_a_folder_with_files_of_others_keeps_them(tmp_path: Path, experiment: Experiment) -> None:
    (tmp_path / "r").mkdir()
    (tmp_path / "r" / "notes.txt").write_text("mine")
    writer = Writer(tmp_path / "r", experiment)
    writer.abandon()
    writer.close()
    assert {p.name for p in (tmp_path / "r").iterdir()} == {"notes.txt"}


def test_left_overs_of_a_killed_writer_are_cleared(tmp_path: Path, experiment: Experiment) -> None:
    Writer(tmp_path, experiment).close()
    (tmp_path / ".summary.json.123.tmp").write_bytes(b"{")
    Writer(tmp_path, experiment).close()
    assert not list(tmp_path.glob("*.tmp"))


def test_nothing_follows_a_line_that_could_not_be_written(
    tmp_path: Path, experiment: Experiment, monkeypatch: pytest.MonkeyPatch
) -> None:
    writer = Writer(tmp_path, experiment)
    writer.append(encode_episode(episode()))
    before = (tmp_path / EPISODES).read_bytes()

    def fail(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", fail)
    for _ in range(2):
        with pytest.raises(RunInterrupted, match="cannot be written: No space left on device; make room, and the same"):
            writer.append(encode_episode(episode(1)))
        monkeypatch.undo()
    assert (tmp_path / EPISODES).read_bytes() == before
    writer.close()


def test_a_file_is_replaced_whole(tmp_path: Path) -> None:
    path = tmp_path / "f"
    write_whole(path, b"one")
    with path.open("rb") as reader:
        write_whole(path, b"two")
        assert reader.read() == b"one"  # who had it open keeps what was there
    assert path.read_bytes() == b"two"
    assert [p.name for p in tmp_path.iterdir()] == ["f"]


@pytest.mark.parametrize("read", [count_episodes, lambda folder: list(iterate_latest(folder))])
def test_a_line_nested_beyond_reading_is_one_sentence(tmp_path: Path, read: Callable[[Path], object]) -> None:
    (tmp_path / EPISODES).write_bytes(b'{"a":' + b"[" * 100_000 + b"]" * 100_000 + b"}\n")
    with pytest.raises(UsageError, match="no episode record"):
        read(tmp_path)


def test_unknown_fields_of_this_version_are_an_error_with_a_place(tmp_path: Path) -> None:
    line = msgspec.json.encode({**msgspec.to_builtins(episode()), "extra": 1}) + b"\n"
    (tmp_path / EPISODES).write_bytes(encode_episode(episode()) + line)
    with pytest.raises(UsageError, match=r"episodes\.jsonl line 2 is no episode record: .*extra"):
        latest(tmp_path)


def test_lines_that_come_while_one_is_written_share_the_next_write(
    tmp_path: Path, experiment: Experiment, monkeypatch: pytest.MonkeyPatch
) -> None:
    syncs: list[int] = []
    real = os.fsync
    writer = Writer(tmp_path, experiment)
    monkeypatch.setattr(os, "fsync", lambda descriptor: (syncs.append(descriptor), real(descriptor)))

    async def run() -> None:
        journal = Journal(writer)
        await asyncio.gather(*(journal.write(encode_episode(episode(i))) for i in range(50)))
        journal.close()

    asyncio.run(run())
    writer.close()
    assert [e.trial for e in iterate(tmp_path)] == list(range(50))
    assert len(syncs) <= 2  # the first line, and all that came meanwhile


def test_every_line_of_a_failed_write_is_refused(
    tmp_path: Path, experiment: Experiment, monkeypatch: pytest.MonkeyPatch
) -> None:
    writer = Writer(tmp_path, experiment)

    def fail(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", fail)

    async def run() -> list[BaseException | None]:
        journal = Journal(writer)
        results = await asyncio.gather(
            *(journal.write(encode_episode(episode(i))) for i in range(5)), return_exceptions=True
        )
        journal.close()
        return results

    assert [type(r) for r in asyncio.run(run())] == [RunInterrupted] * 5
    writer.close()
    assert (tmp_path / EPISODES).read_bytes() == b""
