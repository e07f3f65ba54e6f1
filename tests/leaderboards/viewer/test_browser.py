"""The viewer in a real browser: real runs in every look, hostile ones, and reading by keys."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from tests.leaderboards.viewer.conftest import serving
from tests.leaderboards.viewer.hostile import hostile_run
from tests.support.browser import DESK, PHONE, open_browser, visit

from cornerman_leaderboards.rows.boards import PUBLISHED
from cornerman_leaderboards.viewer.runs import Runs

LOOKS = {"desk": (DESK, False), "dark": (DESK, True), "phone": (PHONE, False)}
LAKE, HOSTILE = "/runs/lake", "/runs/hostile"


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """One browser for the module."""
    with open_browser() as made:
        yield made


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A viewer of a published row and of a run in which every text is hostile."""
    lake = PUBLISHED / "frozenlake-smoke" / "sweep-smollm2"
    hostile = hostile_run(tmp_path_factory.mktemp("runs") / "hostile")
    with serving(Runs({"lake": lake, "hostile": hostile})) as server:
        yield server.address.rstrip("/")


@pytest.mark.parametrize("look", LOOKS)
@pytest.mark.parametrize("path", ["/", LAKE, f"{LAKE}/3", f"{LAKE}/3/calls/0", f"{LAKE}/compare?left=1&right=3"])
def test_pages_are_whole_readable_and_ask_for_nothing_outside(browser: Any, base: str, path: str, look: str) -> None:
    size, dark = LOOKS[look]
    with visit(browser, base + path, size, dark) as seen:
        assert seen.page.locator("h1").count() == 1
        assert seen.wider() <= 0
        assert seen.complaints == []
        assert seen.outside(base) == []
        if (look == "desk") == (path != LAKE):
            assert seen.axe() == []


@pytest.mark.parametrize("path", [HOSTILE, f"{HOSTILE}/1", f"{HOSTILE}/1/calls/0", f"{HOSTILE}/compare?left=1&right=2"])
def test_nothing_of_a_record_runs_loads_or_leads_anywhere(browser: Any, base: str, path: str) -> None:
    with visit(browser, base + path, PHONE) as seen:
        assert seen.complaints == []
        assert seen.outside(base) == []
        assert seen.page.evaluate("window.hit") is None
        assert seen.page.evaluate("document.querySelectorAll('iframe, object, base, svg animate').length") == 0
        links = seen.page.evaluate(
            "[...document.querySelectorAll('[href], [src], [action]')].map(e => e.href || e.src || e.action)"
        )
        assert [link for link in links if not link.startswith((base, "data:,"))] == []
        assert seen.page.evaluate("document.body.innerText.match(/[\\u202a-\\u202e\\u2066-\\u2069\\x1b]/)") is None
        assert seen.wider() <= 0


def test_a_megabyte_is_cut_and_shown_whole_on_demand(browser: Any, base: str) -> None:
    with visit(browser, f"{base}{HOSTILE}/1") as seen:
        assert seen.page.evaluate("document.documentElement.outerHTML.length") < 400_000
        seen.page.get_by_role("link", name="show all").last.click()
        assert seen.page.locator(".whole").inner_text().count("M") >= 1_000_000


def test_an_episode_is_found_by_filters_and_read_by_keys(browser: Any, base: str) -> None:
    with visit(browser, base + LAKE) as seen:
        page = seen.page
        page.keyboard.press("/")
        page.keyboard.type("grid-3-dev-0")
        page.keyboard.press("Enter")
        page.wait_for_url("**/runs/lake?task=*")
        page.get_by_label("Method").select_option("grader")
        page.get_by_role("button", name="Show").click()
        page.wait_for_url("**/runs/lake?task=grid-3-dev-0&method=grader&outcome=")
        page.keyboard.press("j")
        page.keyboard.press("o")
        page.wait_for_url("**/runs/lake/*")
        page.keyboard.press("j")
        assert page.evaluate("document.activeElement.className") == "turn"
        page.keyboard.press("?")
        assert page.locator(".keys").evaluate("e => e.open")
        page.keyboard.press("u")
        page.wait_for_url("**/runs/lake")


def test_everything_can_be_read_without_scripts(browser: Any, base: str) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(f"{base}{LAKE}/3")
    assert page.locator(".turn").count() >= 1
    page.get_by_role("button", name="Show side by side").click()
    assert page.get_by_text("first difference").count() == 1
    context.close()
