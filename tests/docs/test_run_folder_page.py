"""The page of run folders against the records, the files of a real run, and the snippets as a reader would run them."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path
from typing import Any

import msgspec
import pytest

from cornerman import records
from cornerman.errors import POLICY
from cornerman.parquet import schema
from cornerman.summary import Asking, Delta, Row, Summary
from tests.docs.pages import EXAMPLES, blocks, coded, read, rows, section
from tests.support.command import CommandLine

PAGE = read("run-folder.md")
RECORDS: list[type[msgspec.Struct]] = [
    records.Episode,
    records.Task,
    records.Attempt,
    records.Turn,
    records.Candidate,
    records.UserReply,
    records.Request,
    records.Critique,
    records.ContextItem,
    records.Call,
    records.Completion,
    records.Usage,
    records.Start,
    records.MemoryOp,
]


def named(part: str) -> list[str]:
    """Everything that stands in backquotes in the first cells of a part's tables."""
    return [name for row in rows(part) for name in re.findall(r"`([^`]+)`", row[0])]


@pytest.mark.parametrize("record", RECORDS, ids=lambda r: r.__name__)
def test_every_field_of_a_record_has_a_row(record: type[msgspec.Struct]) -> None:
    assert named(section(PAGE, record.__name__)) == list(record.__struct_fields__)


def test_no_record_is_left_out() -> None:
    shared = {records.Record, records.LogEntry, records.Message, records.AttemptSpec}  # the last one is no record
    kinds = {k for k in vars(records).values() if isinstance(k, type) and issubclass(k, records.Record)}
    assert kinds - shared == set(RECORDS)
    everything = coded(PAGE)
    assert {*records.LogEntry.__struct_fields__, *records.Message.__struct_fields__} <= everything


def test_the_ends_are_those_of_the_policy() -> None:
    found = {row[0].strip("`"): row[1:3] for row in rows(section(PAGE, "Ends"))[1:]}
    assert found == {str(e): ["yes" if p.error else "no", "yes" if p.replay else "no"] for e, p in POLICY.items()}


def test_verdicts_and_moments_are_closed() -> None:
    assert {str(v) for v in records.Verdict} <= coded(section(PAGE, "Critique"))


def test_every_column_and_every_field_of_the_summary_has_a_row() -> None:
    assert named(section(PAGE, "Reading with DuckDB")) == ["episodes.parquet", *schema().names]
    summary, row, asking, delta = section(PAGE, "summary.json").split("| field of ")
    fields = set(named(row)) - {"delta"} if "delta" not in Row.__struct_fields__ else set(named(row))
    assert set(named(summary)) == set(Summary.__struct_fields__)
    assert fields == set(Row.__struct_fields__)
    assert set(named(asking)) - {"asking"} == set(Asking.__struct_fields__)
    assert set(named(delta)) - {"delta"} == set(Delta.__struct_fields__)


@pytest.fixture
def run(command: CommandLine) -> CommandLine:
    """A folder in which the run `first` was played."""
    options = ("--actor", "curious:k=2", "--critic", "failed:block=true", "--name", "first")
    plugins = [x for name in ("environment", "actor", "critic") for x in ("-p", EXAMPLES / f"{name}.py")]
    done = command(*plugins, "run", "--suite", "lockbox-smoke", *options)
    assert done.status == 0, done.err
    return command


def test_the_files_of_a_run_are_those_of_the_page(run: CommandLine) -> None:
    folder = run.folder / "runs" / "first"
    table = rows(PAGE.partition("## ")[0])
    assert {row[0].strip("`") for row in table[1:]} == {p.name for p in folder.iterdir()}


def test_every_key_of_the_manifest_has_a_row(run: CommandLine) -> None:
    about = json.loads((run.folder / "runs" / "first" / "manifest.json").read_text(encoding="utf-8"))
    assert set(named(section(PAGE, "manifest.json"))) == set(about)


def test_the_snippets_run(run: CommandLine) -> None:
    snippets = [b.text for b in blocks(PAGE) if b.language == "python"]
    assert len(snippets) == 2
    outputs = []
    for number, text in enumerate(snippets):
        file = run.folder / f"snippet{number}.py"
        file.write_text(text, encoding="utf-8")
        done = subprocess.run(
            [run.python, file], cwd=run.folder, env=run.environment, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        outputs.append(done.stdout)
    assert "curious+failed" in outputs[0]
    assert "lockbox-test-0 curious+failed" in outputs[1]


def test_duckdb_reads_the_lines_as_the_page_says(run: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    import duckdb

    [query] = [c for c in coded(PAGE) if c.startswith("SELECT")]
    monkeypatch.chdir(run.folder)
    assert len(duckdb.sql(query).fetchall()) == 10


def test_a_summary_can_be_made_again(run: CommandLine) -> None:
    """Tables are functions of manifest and episodes."""
    path: Path = run.folder / "runs" / "first" / "summary.json"
    before: Any = json.loads(path.read_text(encoding="utf-8"))
    path.unlink()
    assert run("compare", "runs/first", "--json").json["methods"] == before["methods"]
