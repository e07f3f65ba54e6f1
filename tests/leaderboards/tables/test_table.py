"""Tables of runs made by hand: what they say of every row, at any width, whatever the methods are called."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from tests.support.recorded import TASKS, call, episode, method, wins, write_run

from cornerman import Critique, Verdict
from cornerman.errors import End
from cornerman.records import Usage
from cornerman.summary import summarise
from cornerman_leaderboards.tables.cells import width_of
from cornerman_leaderboards.tables.page import Page
from cornerman_leaderboards.tables.table import table


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "r"


def page(folder: Path, methods: list[dict[str, Any]], episodes: list[Any], **manifest: Any) -> Page:
    return table(summarise(write_run(folder, methods, episodes, **manifest)))


def line_of(text: str, name: str) -> str:
    return next(line for line in text.splitlines() if line.startswith(name))


def words(text: str) -> str:
    """A page's text without its line breaks."""
    return " ".join(text.split())


def test_a_row_says_what_was_solved_and_what_that_is_worth(folder: Path) -> None:
    text = page(folder, [method("alone"), method("critic")], [*wins("alone", "1000"), *wins("critic", "0111")]).text(
        200
    )
    assert line_of(text, "alone").split()[:6] == ["alone", "1/4", "25.0", "[5,", "70]", "base"]
    assert re.search(r"^critic +3/4 +75\.0 +\[30, 95\] +\+50\.0 +\[−40, \+91\] .*●.* \.625 +3/1 +100\.0", text, re.M)
    assert "exact McNemar test" in words(text)
    assert "corrected by Holm over 1 comparison." in words(text)
    assert "paired over 4 tasks" in words(text)
    assert "hand" in text.splitlines()[0]
    assert "4 tasks × 1 trial" in text


def test_helped_and_harmed_stand_beside_the_baselines_own_flips(folder: Path) -> None:
    episodes = [
        *wins("alone", "1100", actions=("a",)),
        *wins("alone", "1010", 1, actions=("b",)),
        *wins("critic", "1110"),
        *wins("critic", "1111", 1, actions=("c",)),
    ]
    text = page(folder, [method("alone"), method("critic")], episodes, trials=2).text(200)
    assert "A/A 50.0" in line_of(text, "alone")
    assert re.search(r" 3/0 +37\.5 ", line_of(text, "critic"))
    assert "the baseline's own trials flip against each other, 50.0 %" in words(text)
    assert "sign-flip test" in text


def test_a_narrow_terminal_explains_what_it_shows_and_names_what_it_leaves_out(folder: Path) -> None:
    made = page(folder, [method("alone"), method("critic")], [*wins("alone", "1000"), *wins("critic", "0111")])
    wide, narrow = words(made.text(200)), words(made.text(60))
    assert "Helped/harmed: episodes that only the method" in wide
    assert "No room for" not in wide
    assert "Helped/harmed:" not in narrow
    assert re.search(r"No room for .*helped/harmed, flips %, .*: they stand in a wider terminal", narrow)
    assert "Helped/harmed: episodes that only the method" in made.markdown()
    assert "No room for" not in made.markdown()


def test_rows_of_other_actors_stand_below_without_a_difference(folder: Path) -> None:
    methods = [method("gold", actor="gold"), method("alone"), method("critic")]
    episodes = [*wins("gold", "1111"), *wins("alone", "1000"), *wins("critic", "1100")]
    lines = page(folder, methods, episodes, baseline="alone").text(120).splitlines()
    at = lines.index("references: other actors")
    assert lines[at - 1].startswith("───")
    assert lines[at + 1].startswith("gold")
    assert "base" not in lines[at + 1]
    assert "+" not in lines[at + 1]
    assert lines[at - 3].startswith("alone")
    assert any("paired differences are taken within one actor" in line for line in lines)


def test_a_single_method_has_no_columns_of_differences(folder: Path) -> None:
    text = page(folder, [method("alone")], wins("alone", "1000")).text(200)
    assert "Δ" not in text
    assert "helped" not in text
    assert "1/4" in text


def test_privileged_and_incomplete_rows_are_marked_and_explained(folder: Path) -> None:
    methods = [method("alone"), method("oracle", privileged=True, information=["gold", "history", "score"])]
    text = page(folder, methods, [*wins("alone", "1000"), *wins("oracle", "11..")]).text(120)
    assert line_of(text, "oracle †‡").split()[2] == "2/4"
    assert line_of(text, "alone").split()[1] == "1/4"
    assert "† privileged: sees what no agent has at test time (gold, score)." in text
    assert "‡ incomplete: 6 of 8 episodes (oracle 2 of 4); the missing ones count as not solved." in text


def test_errors_are_never_dropped_and_say_whose_they_are(folder: Path) -> None:
    said = [Critique(id=0, error="CriticError: no"), Critique(id=1, verdict=Verdict.UNPARSED)]
    episodes = [
        *wins("alone", "1111"),
        episode("t1", "critic", end=End.MODEL_ERROR),
        episode("t2", "critic", end=End.MODEL_ERROR),
        episode("t3", "critic", end=End.TIMEOUT, critiques=said),
        episode("t4", "critic", True),
    ]
    made = page(folder, [method("alone"), method("critic")], episodes)
    for width in (60, 80, 120, 200):
        text = made.text(width)
        assert "errors" in text
        assert line_of(text, "critic").split()[-1] == "3"
    assert "model_error, the model could not answer: 2 (critic 2)" in words(text)
    assert "timeout, over a time limit: 1 (critic 1)" in words(text)
    assert "Critic errors: 1 (critic 1)" in words(text)
    assert "Unread verdicts: 1 (critic 1)" in words(text)
    red = [cell for line in made.lines(80) for cell in line if cell.style == "bold red"]
    assert [cell.text.strip() for cell in red] == ["3"]


def test_costs_are_means_over_the_recorded_episodes_by_role(folder: Path) -> None:
    used = [
        call("critic", Usage(calls=1, prompt=3000, output=40, seconds=0.5)),
        call("actor", Usage(calls=2, prompt=100, cached=900, output=12, seconds=0.25)),
    ]
    episodes = [*wins("alone", "1000"), *wins("critic", "11..", calls=used)]
    made = page(folder, [method("alone"), method("critic")], episodes)
    text = made.text(80)
    assert "thinking" not in text
    first, second = text[text.index("role") :].splitlines()[2:4]
    assert first.split() == ["critic", "actor", "2.0", "100", "900", "12.0", "0.25", "0.25", "<.001"]
    assert second.split() == ["critic", "1.0", "3.0k", "0", "40.0", "0.50", "0.50", "<.001"]
    assert "| critic | actor | 2.0 | 100 | 900 | 12.0 |" in made.markdown()


def test_thinking_is_shown_where_there_is_any(folder: Path) -> None:
    used = [call("actor", Usage(calls=1, prompt=10, output=500, reasoning=450))]
    text = page(folder, [method("alone")], wins("alone", "1111", calls=used)).text(80)
    assert "thinking" in text
    assert "450" in text


@pytest.mark.parametrize("width", [40, 60, 80, 100, 120, 160])
def test_no_line_is_wider_than_the_terminal(folder: Path, width: int) -> None:
    used = [call("actor", Usage(calls=9, prompt=123456, cached=99999, output=1200, seconds=12.5))]
    names = ["alone", "a critic with quite a long name that goes on", "漢字" * 20]
    methods = [method(n, privileged=True, information=["gold"]) for n in names] + [method("gold", actor="gold")]
    episodes = [e for m in methods for e in wins(m["method"], "1010", calls=used)]
    text = page(folder, methods, episodes, experiment="an experiment of that name").text(width)
    assert max(map(width_of, text.splitlines())) <= max(width, 56)  # the columns that are always kept take 56


def test_a_wide_terminal_shows_more_than_a_narrow_one(folder: Path) -> None:
    made = page(folder, [method("alone"), method("critic")], [*wins("alone", "1000"), *wins("critic", "1110")])
    narrow, wide = made.text(80), made.text(130)
    assert "●" in wide
    assert "●" not in narrow
    for head in ("solved", "95 % CI", "Δ", "Holm", "harmed"):
        assert head in narrow
        assert head in wide
    assert "turns" in wide
    assert "score" in wide


HOSTILE = [
    "[red]x[/red] [link=http://e.example]y[/link] :smile:",
    "a | b `c` *d* _e_ <script>alert(1)</script>",
    "\x1b[31mred\x1b[0m\x07",
    "two\nlines\rand\ttabs",
    "\u202eright to left\u2066",
    "![x](http://e.example/x.png) [y](javascript:alert(1))",
]


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_name_is_text_and_nothing_else(folder: Path, name: str) -> None:
    methods = [method("alone"), method(name, privileged=True, information=["gold"])]
    episodes = [*wins("alone", "1000"), *wins(name, "111.")]
    made = page(folder, methods, episodes, baseline=name, experiment=name, suite=name)
    for text in (made.text(200), made.markdown()):
        assert not any(c in text for c in "\x1b\x07\r\t\u202e\u2066\u2028")
    tables = [line for line in made.markdown().splitlines() if line.startswith("| ")]
    cells = [len(re.findall(r"(?<!\\)\|", line)) for line in tables]
    assert len(set(cells)) == 1
    assert not re.search(r"(?<!\\)<script", made.markdown())
    assert not re.search(r"(?<!\\)\]\(", made.markdown())


def test_markup_in_a_name_is_shown_literally(folder: Path) -> None:
    text = page(folder, [method("[bold]x[/bold]")], [episode(t, "[bold]x[/bold]", True) for t in TASKS]).text(100)
    assert line_of(text, "[bold]x[/bold]")


def test_what_asking_went_with_is_said_below(tmp_path: Path) -> None:
    heard = [Critique(text="left", moment="answer_request", delivered=True)]
    episodes = [
        episode("t1", "asks", True, trial=0, critiques=heard),
        episode("t1", "asks", False, trial=1),
        episode("t2", "always", True, trial=0, critiques=heard),
    ]
    made = write_run(tmp_path / "r", [method("asks"), method("always"), method("never")], episodes, trials=2)
    text = words(table(summarise(made)).text(120))
    assert (
        "Asked and answered: asks in 1 of 2 episodes, mean score 1.00 with and 0.00 without; +1.00 within 1 task with "
        "both. The actor chose when to ask: this is no paired difference." in text
    )
    assert "Asked and answered: always in 1 of 1 episodes. The actor chose" in text
    assert "answered: never" not in text


def test_a_note_says_how_many_episodes_a_budget_ended(folder: Path) -> None:
    import msgspec

    short = [msgspec.structs.replace(e, out_of_budget=True) for e in wins("critic", "0110")[:3]]
    text = words(page(folder, [method("alone"), method("critic")], [*wins("alone", "1000"), *short]).text(200))
    assert "Out of budget: 3 (critic 3) episodes were ended by it" in text


def test_an_interval_that_its_p_does_not_follow_is_explained(folder: Path) -> None:
    # four of four helped: Newcombe's interval leaves out 0, the exact McNemar test gives 2/16
    made = [method("alone"), method("told"), method("same")]
    text = words(page(folder, made, [*wins("alone", "0000"), *wins("told", "1111"), *wins("same", "0000")]).text(120))
    assert "The intervals of told leave out 0 though p does not reach 0.05" in text
    assert "hold 0 though" not in text
