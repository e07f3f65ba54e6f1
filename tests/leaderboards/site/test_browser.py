"""The site in a real browser, opened from disk: a published board, a hostile run, checkpoints, learning curves."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.support.browser import DESK, PHONE, open_browser, visit
from tests.support.hand_runs import checkpoints, curves, hostile
from tests.support.payloads import ALL, LONG, PRINTABLE

from cornerman_leaderboards.rows.boards import PUBLISHED
from cornerman_leaderboards.site.build import build

REAL = "boards/frozenlake-smoke"
PAGES = ["index.html", f"{REAL}/index.html", f"{REAL}/methods/grader.html", "training/index.html"]
PAGES.append(f"{REAL}/episodes/grader-4.html")
LOOKS = {"desk": (DESK, False), "dark": (DESK, True), "phone": (PHONE, False)}


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A site of four runs."""
    folder = tmp_path_factory.mktemp("site")
    runs = [
        PUBLISHED / "frozenlake-smoke/sweep-smollm2",
        hostile(folder / "hostile"),
        checkpoints(folder / "checkpoints"),
        curves(folder / "curves"),
    ]
    chosen = [f"{runs[0]}:frozenlake-grid-3-dev-0/grader", f"{runs[1]}:{LONG}/alone", f"{runs[1]}:{PRINTABLE[0]}"]
    build(runs, folder / "out", episodes=chosen)
    return folder / "out"


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """One browser for the module."""
    with open_browser() as made:
        yield made


@pytest.mark.parametrize("look", LOOKS)
@pytest.mark.parametrize("path", PAGES)
def test_pages_are_whole_readable_and_ask_for_nothing_outside(browser: Any, site: Path, path: str, look: str) -> None:
    size, dark = LOOKS[look]
    with visit(browser, site / path, size, dark) as seen:
        assert seen.page.locator("h1").count() == 1
        assert seen.wider() <= 0
        assert seen.complaints == []
        assert seen.outside(site.as_uri()) == []
        assert len(seen.requests) > 2  # the style at least
        if look == "dark" or (look, path) == ("phone", PAGES[1]):
            assert seen.axe() == []
        ground = seen.page.evaluate("getComputedStyle(document.body).backgroundColor")
        assert (ground == "rgb(17, 20, 24)") == dark


def column(page: Any, head: str) -> list[str]:
    """The texts of a column of the table of methods, as shown."""
    heads = page.locator("table[data-sortable] thead th").all_inner_texts()
    index = [h.strip() for h in heads].index(head) + 1
    return [
        text.split()[0]
        for text in page.locator(f"table[data-sortable] tbody tr:visible > :nth-child({index})").all_inner_texts()
    ]


def test_the_table_is_sorted_by_a_click_and_by_the_keyboard(browser: Any, site: Path) -> None:
    with visit(browser, site / REAL / "index.html") as seen:
        assert column(seen.page, "% solved")[:3] == ["40.0", "20.0", "0.0"]
        seen.page.get_by_role("button", name="% solved").click()
        seen.page.get_by_role("button", name="% solved").press("Enter")
        assert column(seen.page, "% solved")[-2:] == ["20.0", "40.0"]
        assert seen.page.locator("th[aria-sort=ascending]").inner_text().strip() == "% solved"
        seen.page.get_by_role("button", name="turns").click()
        assert column(seen.page, "Method")[0] == "rules"
        assert column(seen.page, "Method")[-1] == "reflexion"
        seen.page.get_by_role("button", name="Δ points").click()
        assert column(seen.page, "Method")[-1] == "alone"  # what has no number stands last


def test_the_table_is_filtered(browser: Any, site: Path) -> None:
    with visit(browser, site / REAL / "index.html") as seen:
        assert seen.page.locator("output").inner_text() == "8 of 8 methods"
        seen.page.get_by_label("Privileged").select_option(label="no")
        seen.page.get_by_label("Critic speaks").select_option(label="before the action")
        assert sorted(column(seen.page, "Method")) == ["grader", "gui-critic-r1", "rules"]
        assert seen.page.locator("output").inner_text() == "3 of 8 methods"
        seen.page.get_by_role("button", name="Show all").click()
        seen.page.get_by_text("8 of 8 methods").wait_for()


def test_a_wide_table_scrolls_in_its_own_box_and_keeps_its_first_column(browser: Any, site: Path) -> None:
    with visit(browser, site / REAL / "index.html", PHONE) as seen:
        box = seen.page.locator(".scroll").first
        box.evaluate("each => each.scrollLeft = 200")
        assert box.evaluate("each => each.scrollLeft") == 200
        edge = box.bounding_box()["x"]
        assert seen.page.get_by_role("rowheader", name="grader", exact=True).bounding_box()["x"] == pytest.approx(
            edge, abs=2
        )
        assert seen.wider() <= 0


def test_without_scripts_everything_is_there(browser: Any, site: Path) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto((site / REAL / "index.html").as_uri())
    assert page.locator("table[data-sortable] tbody tr:visible").count() == 8
    assert not page.locator("form[data-filters]").is_visible()
    context.close()


def test_checkpoints_meet_in_a_matrix(browser: Any, site: Path) -> None:
    with visit(browser, site / "boards/hand/index.html") as seen:
        rows = [row.split("\t") for row in seen.page.locator("table.cross tr").all_inner_texts()]
        short = [[cell.split()[0] if i else cell for i, cell in enumerate(row)] for row in rows]
        assert short[0][1:] == ["no", "c1", "c2"]
        assert short[1:] == [["a1", "25.0", "50.0", "75.0"], ["a2", "50.0", "not", "100.0"]]


def test_nothing_of_hostile_text_runs_loads_or_leads_anywhere(browser: Any, site: Path) -> None:
    [board] = [p for p in (site / "boards").iterdir() if p.name.startswith("script")]
    episodes = sorted((board / "episodes").glob("*.html"))
    pages = [board / "index.html", *sorted((board / "methods").glob("*.html")), *episodes[::4], site / "index.html"]
    assert len(episodes) == len(ALL) + 2
    with visit(browser, pages[0], PHONE) as seen:
        for path in pages:
            seen.page.goto(path.as_uri())
            assert seen.page.evaluate("window.hit") is None, path
            assert seen.page.locator("script").count() <= 1
            assert seen.page.locator("iframe, object, embed, base, style, img, meta[http-equiv=refresh]").count() == 0
            links = seen.page.eval_on_selector_all("a[href]", "all => all.map(each => each.href)")
            assert all(link.startswith(site.as_uri()) for link in links), path
            assert seen.wider() <= 0, path
            shown = seen.page.locator("body").inner_text()
            assert not set(shown) & {"\u202e", "\u2066", "\u200b", "\x00", "\x1b"}
            assert "49" not in seen.page.locator("h1").inner_text()  # 7*7 is no template
        assert seen.complaints == []
        assert seen.outside(site.as_uri()) == []
    with visit(browser, board / "index.html") as seen:
        assert seen.axe() == []
        assert seen.page.get_by_role("rowheader", name="<script>window.hit=1</script>").count() >= 1


def test_files_of_hostile_runs_stay_in_the_site(site: Path) -> None:
    names = [p.relative_to(site).as_posix() for p in site.rglob("*")]
    assert all(set(name) <= set("abcdefghijklmnopqrstuvwxyz0123456789-./") for name in names)
    assert not [p for p in site.parent.iterdir() if p.name.startswith(".")]
