"""Several runs in one table, and runs that must not stand in one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.support.recorded import method, wins, write_run

from cornerman.errors import UsageError
from cornerman.summary import summarise
from cornerman_leaderboards.rows.join import join
from cornerman_leaderboards.tables.outcome import FAMILIES
from cornerman_leaderboards.tables.table import table


def run(folder: Path, *names: str, pattern: str = "1100", **manifest: Any) -> Path:
    episodes = [e for i, name in enumerate(names) for e in wins(name, pattern if i == 0 else "1110")]
    return write_run(folder, [method(n) for n in names], episodes, **manifest)


def test_one_run_is_its_own_summary(tmp_path: Path) -> None:
    folder = run(tmp_path / "a", "alone", "critic")
    assert join([folder]) == summarise(folder)


def test_methods_of_two_runs_are_compared_with_the_first_ones_baseline(tmp_path: Path) -> None:
    first, second = run(tmp_path / "a", "alone", "critic"), run(tmp_path / "b", "other")
    summary = join([first, second])
    assert [r.method for r in summary.methods] == ["alone", "critic", "other"]
    assert [r.run for r in summary.methods] == ["a", "a", "b"]
    assert [r.delta and r.delta.baseline for r in summary.methods] == [None, "alone", "alone"]
    assert (summary.experiment, summary.requested, summary.recorded) == ("a + b", 12, 12)


def test_names_that_collide_are_prefixed_by_their_run(tmp_path: Path) -> None:
    summary = join([run(tmp_path / "a", "alone", "critic"), run(tmp_path / "b", "alone", pattern="1111")])
    assert [r.method for r in summary.methods] == ["a/alone", "critic", "b/alone"]
    assert summary.baseline == "a/alone"
    delta = summary.methods[2].delta
    assert delta is not None
    assert (delta.helped, delta.harmed) == (2, 0)


@pytest.mark.parametrize("family", ["holm", "max-t"])
def test_a_baseline_recorded_again_is_no_part_of_the_family(tmp_path: Path, family: str) -> None:
    one, two = (
        write_run(
            tmp_path / name,
            [method("alone"), method(critic)],
            [*wins("alone", wide), *wins(critic, "1111")],
            family=family,
        )
        for name, critic, wide in (("a", "critic", "1000"), ("b", "other", "0000"))
    )
    alone = join([one]).methods[1].delta
    joined = join([one, two])
    again, other = joined.methods[2], joined.methods[3]
    assert (again.method, other.method) == ("b/alone", "other")
    assert alone is not None
    assert again.delta is not None
    assert again.delta.p_holm == again.delta.p == 1.0
    corrected = {r.method: r.delta.p_holm for r in joined.methods if r.delta}
    if family == "holm":  # two comparisons, not three: both p-values are 1/4
        assert corrected["critic"] == corrected["other"] == 2 * alone.p
    text = " ".join(table(joined).text(120).split())
    assert f"corrected by {FAMILIES[family]} over 2 comparisons" in text
    assert "The baseline was recorded again as b/alone: that difference is chance, and no part of the family." in text


def test_runs_of_one_name_are_told_apart_by_their_folders(tmp_path: Path) -> None:
    folders = [run(tmp_path / part / "a", "alone") for part in ("x", "y")]
    assert [r.method for r in join(folders).methods] == [f"{folder}/alone" for folder in folders]


def test_the_baseline_can_be_another(tmp_path: Path) -> None:
    first, second = run(tmp_path / "a", "alone", "critic"), run(tmp_path / "b", "alone")
    by_name = {r.method: r for r in join([first], "critic").methods}
    assert by_name["critic"].delta is None
    delta = by_name["alone"].delta
    assert delta is not None
    assert (delta.difference, delta.harmed) == (-0.25, 1)
    assert join([first, second], "b/alone").baseline == "b/alone"
    with pytest.raises(UsageError, match=r"no method is called 'crtic'; did you mean 'critic'\?"):
        join([first], "crtic")
    with pytest.raises(UsageError, match=r"did you mean '[ab]/alone' or '[ab]/alone'"):
        join([first, second], "alone")


def test_a_baseline_of_another_actor_makes_the_others_references(tmp_path: Path) -> None:
    methods = [method("alone"), method("critic"), method("gold", actor="gold")]
    episodes = [*wins("alone", "1100"), *wins("critic", "1110"), *wins("gold", "1111")]
    summary = join([write_run(tmp_path / "a", methods, episodes)], "gold")
    assert [(r.reference, r.delta) for r in summary.methods] == [(True, None), (True, None), (False, None)]


@pytest.mark.parametrize(
    ("other", "words"),
    [
        (
            {"suite": "hand[:2]", "tasks": ("t1", "t2"), "pattern": "11"},
            "suite 'hand' with 4 tasks, suite 'hand[:2]' with 2",
        ),
        ({"panel": "moved"}, "the same task names, but other settings, seeds or game files"),
        ({"tasks": ("t1", "t2", "t3", "t5"), "panel": "other"}, "'hand' with other tasks"),
        ({"rules": {"max_turns": 30}}, "were played by different rules (max_turns: 50 and 30)"),
        ({"rules": {"max_turns": 50, "requests": 0}}, "were played by different rules (requests: default and 0)"),
    ],
)
def test_runs_of_different_boards_are_refused(tmp_path: Path, other: dict[str, Any], words: str) -> None:
    other.pop("pattern", None)
    first = run(tmp_path / "a", "alone")
    second = write_run(tmp_path / "b", [method("alone")], [], **other)
    with pytest.raises(UsageError) as caught:
        join([first, second])
    assert words in str(caught.value)
    assert str(first) in str(caught.value)
    assert str(second) in str(caught.value)
    assert "never compared" in str(caught.value)


def test_a_run_given_twice_is_refused(tmp_path: Path) -> None:
    folder = run(tmp_path / "a", "alone")
    with pytest.raises(UsageError, match="given twice"):
        join([folder, tmp_path / "." / "a"])


def test_what_else_differs_is_remarked(tmp_path: Path) -> None:
    first = run(tmp_path / "a", "alone")
    second = run(tmp_path / "b", "critic", seed=7, family="max-t")
    assert join([first]).remarks == []
    seeds, family = join([first, second]).remarks
    assert "seeds of b and a differ" in seeds
    assert "b declares the family max-t" in family


@pytest.mark.parametrize(
    ("other", "what"),
    [
        ({"environments": {"test/Hand-v1": {"engine": "2"}}}, r"environments are others \(test/Hand-v1\)"),
        ({"assets": {"scenes": "0" * 64}}, r"data are others \(scenes\)"),
    ],
)
def test_other_environments_or_data_are_never_compared(tmp_path: Path, other: Any, what: str) -> None:
    first, second = run(tmp_path / "a", "alone"), run(tmp_path / "b", "critic", **other)
    with pytest.raises(UsageError, match=rf"different ground \(the second one's {what}\); such rows are never"):
        join([first, second])


def test_runs_may_differ_in_trials(tmp_path: Path) -> None:
    twice = [*wins("critic", "1110"), *wins("critic", "1010", 1, actions=("other",))]
    second = write_run(tmp_path / "b", [method("critic")], twice, trials=2)
    summary = join([run(tmp_path / "a", "alone"), second])
    delta = summary.methods[1].delta
    assert delta is not None
    assert (delta.difference, delta.tasks, delta.pairs) == (0.125, 4, 4)
