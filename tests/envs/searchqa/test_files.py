"""A user's own questions and corpora, in the forms in which they are published."""

from __future__ import annotations

import gzip
import json
import lzma
from pathlib import Path
from typing import Any

import pytest

from cornerman.environment import TextEnv
from cornerman.errors import UsageError
from cornerman_envs.searchqa import files, formats, spec, suites
from cornerman_envs.searchqa.index import Document

HOTPOT: dict[str, Any] = {
    "_id": "5a7a",
    "question": "In which city was the maker of the Blue Lamp born?",
    "answer": "Turku",
    "type": "bridge",
    "level": "easy",
    "supporting_facts": [["Blue Lamp", 0], ["Aino Salo", 1], ["Aino Salo", 0]],
    "context": [
        ["Blue Lamp", ["The Blue Lamp was made by Aino Salo.", " It hangs in a hall."]],
        ["Aino Salo", ["Aino Salo makes lamps.", " She was born in Turku."]],
        ["Red Lamp", ["The Red Lamp was made by somebody else."]],
    ],
}
WIKI = HOTPOT | {"_id": "2w", "type": "compositional", "evidences": [["Blue Lamp", "maker", "Aino Salo"]]}
MUSIQUE: dict[str, Any] = {
    "id": "2hop__1_2",
    "question": "Where was the maker of the Blue Lamp born?",
    "answer": "Turku",
    "answer_aliases": ["Åbo", "Turku"],
    "answerable": True,
    "question_decomposition": [{"id": 1, "question": "…", "answer": "Aino Salo", "paragraph_support_idx": 0}],
    "paragraphs": [
        {"idx": 0, "title": "Blue Lamp", "paragraph_text": "Made by Aino Salo.", "is_supporting": True},
        {"idx": 1, "title": "Red Lamp", "paragraph_text": "Made by somebody.", "is_supporting": False},
        {"idx": 2, "title": "Aino Salo", "paragraph_text": "Born in Turku.", "is_supporting": True},
    ],
}


def write(file: Path, value: Any) -> Path:
    file.write_text(json.dumps(value), encoding="utf-8")
    return file


@pytest.mark.parametrize("row", [HOTPOT, WIKI], ids=["HotpotQA", "2WikiMultihopQA"])
def test_questions_with_context(row: dict[str, Any], tmp_path: Path) -> None:
    [question], documents = formats.questions(write(tmp_path / "dev.json", [row]))
    assert (question.id, question.answers, question.family) == (row["_id"], ("Turku",), row["type"])
    assert question.documents == question.queries == ("Blue Lamp", "Aino Salo")
    assert documents[0] == Document("Blue Lamp", "The Blue Lamp was made by Aino Salo. It hangs in a hall.")
    assert len(documents) == 3


def test_questions_with_paragraphs(tmp_path: Path) -> None:
    file = tmp_path / "dev.jsonl"
    unanswerable = MUSIQUE | {"id": "other", "answerable": False}
    file.write_text("\n".join(map(json.dumps, (MUSIQUE, unanswerable))) + "\n", encoding="utf-8")
    [question], documents = formats.questions(file)
    assert (question.id, question.answers) == ("2hop__1_2", ("Turku", "Åbo"))
    assert question.documents == ("Blue Lamp", "Aino Salo")
    assert [d.title for d in documents] == ["Blue Lamp", "Red Lamp", "Aino Salo"]


def test_plain_questions_get_numbers_for_names(tmp_path: Path) -> None:
    rows = [{"question": "a?", "answer": "b"}, {"question": "c?", "golden_answers": ["d", "e"]}]
    made, documents = formats.questions(write(tmp_path / "test.json", rows))
    assert [(q.id, q.answers) for q in made] == [("test-1", ("b",)), ("test-2", ("d", "e"))]
    assert documents == []


@pytest.mark.parametrize(("ending", "pack"), [("", bytes), (".gz", gzip.compress), (".xz", lzma.compress)])
def test_corpora_may_be_packed(ending: str, pack: Any, tmp_path: Path) -> None:
    rows = [{"title": "A", "text": "a", "id": 7}, {"title": "B", "text": "b"}]
    list_file, lines_file = tmp_path / f"corpus.json{ending}", tmp_path / f"corpus.jsonl{ending}"
    list_file.write_bytes(pack(json.dumps(rows).encode()))
    lines_file.write_bytes(pack("\n".join(map(json.dumps, rows)).encode()))
    assert formats.corpus(list_file) == formats.corpus(lines_file) == [Document("A", "a"), Document("B", "b")]


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"{", "cannot be read"),
        (b'{"question": "x"}', "cannot be read"),
        (b'[{"answer": "x"}]', "question"),
        (b'[{"question": "x"}]', "has no answer"),
        (b'[{"question": "x", "answer": "y", "id": "1"}, {"question": "x", "answer": "y", "id": "1"}]', "twice"),
        (b"\xff\xfe", "cannot be read"),
    ],
)
def test_what_is_wrong_with_a_file_is_said(content: bytes, says: str, tmp_path: Path) -> None:
    file = tmp_path / "dev.json"
    file.write_bytes(content)
    with pytest.raises(UsageError, match=says) as refused:
        formats.questions(file)
    assert str(file) in str(refused.value)


@pytest.mark.parametrize("ending", [".json.gz", ".json.xz"])
def test_a_broken_archive_is_said(ending: str, tmp_path: Path) -> None:
    file = tmp_path / f"dev{ending}"
    file.write_bytes(b"no archive")
    with pytest.raises(UsageError, match="cannot be read"):
        formats.questions(file)


def test_a_folder_is_played(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path / "dev.json", [HOTPOT])
    write(tmp_path / "test.json", [MUSIQUE, WIKI])
    monkeypatch.setenv(files.VARIABLE, str(tmp_path))
    assert [task.id for task in suites.files_dev().tasks] == ["5a7a"]
    assert suites.files_test().name == "searchqa-files-test"
    for task in suites.files_test().tasks:
        env = spec.user_files.make(task)
        assert isinstance(env, TextEnv)
        env.reset()
        plan = env.gold()
        assert plan is not None
        assert len(plan) == 3
        for action in plan:
            *_, ended, _, info = env.step(action)
        assert (ended, info["success"], len(env.facts()["found"])) == (True, True, 2)


def test_a_corpus_takes_the_place_of_contexts(tmp_path: Path) -> None:
    write(tmp_path / "dev.json", [HOTPOT])
    write(tmp_path / "corpus.json", [{"title": "Only", "text": "this"}])
    assert files.collection(tmp_path).index.documents == (Document("Only", "this"),)


def test_other_content_is_another_collection(tmp_path: Path) -> None:
    digests = set()
    for name, rows in (("a", [HOTPOT]), ("b", [WIKI])):
        (tmp_path / name).mkdir()
        write(tmp_path / name / "dev.json", rows)
        digests.add(files.collection(tmp_path / name).digest)
    assert len(digests) == 2


def test_folders_that_cannot_be_played(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(files.VARIABLE, raising=False)
    with pytest.raises(UsageError, match="SEARCHQA_DATA is not set"):
        suites.files_dev()
    monkeypatch.setenv(files.VARIABLE, str(tmp_path / "none"))
    with pytest.raises(UsageError, match="no folder"):
        suites.files_dev()
    monkeypatch.setenv(files.VARIABLE, str(tmp_path))
    with pytest.raises(UsageError, match="no questions"):
        suites.files_dev()
    write(tmp_path / "dev.json", [{"question": "a?", "answer": "b"}])
    with pytest.raises(UsageError, match="no documents"):
        suites.files_dev()
    write(tmp_path / "corpus.json", [{"title": "A", "text": "a"}])
    with pytest.raises(UsageError, match="no questions of split 'test'"):
        suites.files_test()
    write(tmp_path / "corpus.jsonl", {"title": "A", "text": "a"})
    files.collection.cache_clear()
    with pytest.raises(UsageError, match=r"both corpus\.json and corpus\.jsonl"):
        suites.files_dev()
