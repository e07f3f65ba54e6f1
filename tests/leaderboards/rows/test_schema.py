"""The schemas of a row's files are those of the structs, and what is published keeps to them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from cornerman_leaderboards.rows import schema
from cornerman_leaderboards.rows.boards import PUBLISHED, children
from cornerman_leaderboards.rows.submission import DIGESTS, FILES

ROWS = [row for suite in children(PUBLISHED) for row in children(suite)]


def test_schemas_are_those_of_the_structs(capsys: pytest.CaptureFixture[str]) -> None:
    assert schema.main(["--check"]) == 0, capsys.readouterr().out


def test_an_old_schema_is_named_and_written_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(schema, "SCHEMAS", tmp_path)
    assert schema.main([]) == 0
    (tmp_path / "declaration.schema.json").write_text("{}", encoding="utf-8")
    assert schema.main(["--check"]) == 1
    assert "declaration.schema.json is not what the structs give" in capsys.readouterr().out
    assert schema.main([]) == schema.main(["--check"]) == 0
    assert schema.main(["--chekc"]) == 2


def test_every_file_of_a_row_has_a_schema() -> None:
    assert {name.partition(".")[0] for name in (*FILES, DIGESTS)} == {n.partition(".")[0] for n in schema.STRUCTS}


@pytest.mark.parametrize("row", ROWS, ids=lambda p: p.name)
@pytest.mark.parametrize("name", ["declaration", "summary", "manifest"])
def test_what_is_published_has_what_its_schema_requires(row: Path, name: str) -> None:
    wanted = json.loads((schema.SCHEMAS / f"{name}.schema.json").read_bytes())
    head: dict[str, Any] = wanted["$defs"][wanted["$ref"].rpartition("/")[2]]
    said = json.loads((row / f"{name}.json").read_bytes())
    assert set(head["required"]) <= set(said)
