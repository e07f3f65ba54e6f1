"""Grids on terminals of any width, and as Markdown."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from cornerman_leaderboards.tables.cells import Cell, width_of
from cornerman_leaderboards.tables.grid import Column, Grid, Section, escaped, fit, lines, markdown


def grid(*names: str) -> Grid:
    columns = [
        Column("name", right=False),
        Column("kept"),
        Column("useful\nnumber", 20),
        Column("drawing", 5, right=False, drawn=True),
        Column("x", 10),
    ]
    rows = [[Cell(n), Cell("1/2"), Cell("12.5"), Cell("├─●─┤"), Cell("7")] for n in names]
    return Grid(columns, [Section(rows[:2]), Section(rows[2:], "others")])


def plain(grid: Grid, width: int) -> list[str]:
    return ["".join(cell.text for cell in line) for line in lines(grid, width)]


def test_all_columns_stand_aligned_where_there_is_room() -> None:
    assert plain(grid("alone", "grader", "random"), 80) == [
        "              useful            ",
        "name    kept  number  drawing  x",
        "────────────────────────────────",
        "alone    1/2    12.5  ├─●─┤    7",
        "grader   1/2    12.5  ├─●─┤    7",
        "────────────────────────────────",
        "others",
        "random   1/2    12.5  ├─●─┤    7",
    ]


def heads(width: int) -> list[str]:
    return [c.head.split("\n")[0] for c in fit(grid("alone", "grader", "random"), width).columns]


def test_the_least_important_columns_leave_first() -> None:
    assert heads(32) == ["name", "kept", "useful", "drawing", "x"]
    assert heads(31) == ["name", "kept", "useful", "x"]
    assert heads(22) == ["name", "kept", "useful"]
    assert heads(19) == ["name", "kept", "x"]  # what still fits in the place of the wider one
    assert heads(12) == ["name", "kept"]


@given(st.lists(st.text(alphabet="aé漢 |_", max_size=60), min_size=1, max_size=4), st.integers(20, 150))
def test_no_line_is_wider_than_the_terminal(names: list[str], width: int) -> None:
    assert all(width_of(line) <= width for line in plain(grid(*names), width))


def test_long_names_are_shortened_in_the_middle() -> None:
    shown = plain(grid("critic-number-one", "critic-number-two", "x"), 17)
    assert [line.split()[0] for line in shown[2:4]] == ["criti…r-one", "criti…r-two"]


def test_long_names_leave_room_for_numbers() -> None:
    shown = plain(grid("critic-number-one-of-very-many-critics", "alone", "x"), 60)
    assert shown[3].startswith("critic-num…y-critics   1/2    12.5  ├─●─┤")


def test_wide_characters_take_two_cells() -> None:
    first, second = plain(grid("漢字", "abcd", "x"), 80)[3:5]
    assert first.index("1/2") + 2 == second.index("1/2")


def test_markdown_has_every_column_but_drawings() -> None:
    assert markdown(grid("alone", "a|b", "random")) == [
        "| name | kept | useful number | x |",
        "| :--- | ---: | ---: | ---: |",
        "| alone | 1/2 | 12.5 | 7 |",
        "| a\\|b | 1/2 | 12.5 | 7 |",
        "| *others* |  |  |  |",
        "| random | 1/2 | 12.5 | 7 |",
    ]


def test_markdown_in_names_is_shown_as_it_is() -> None:
    assert escaped("a|b `c` *d* <b> & ~ $x$ \\") == "a\\|b \\`c\\` \\*d\\* \\<b\\> \\& \\~ \\$x\\$ \\\\"
    assert escaped("[x](http://e) ![i][r]") == "[x\\](http://e) ![i\\][r]"
    assert escaped("_a_ llm_choose") == "\\_a\\_ llm_choose"
    for text in ("noisy-gold+grader [60, 90]", "<.001", "−12.5"):
        assert escaped(text) == text
