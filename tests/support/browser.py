"""A real browser on the project's pages: what they ask for, what they run, and what axe finds in them."""

from __future__ import annotations

import importlib.util
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

NAMES = ("chromium", "chromium-browser", "google-chrome")
DESK, PHONE = (1280, 900), (390, 844)


def executable() -> str:
    """The browser on this machine; skips where there is none, or no library that drives it."""
    for module in ("playwright", "axe_playwright_python"):
        if importlib.util.find_spec(module) is None:
            pytest.skip(f"{module} is not installed (extra 'dev')")
    found = next(filter(None, map(shutil.which, NAMES)), None)
    if found is None:
        pytest.skip(f"no browser on this machine: none of {', '.join(NAMES)} is on the path")
    return found


@contextmanager
def open_browser() -> Iterator[Any]:
    """A browser; while it is open no other event loop can run in this thread, so that a module keeps it at most."""
    path = executable()
    from playwright.sync_api import sync_playwright

    root = os.geteuid() == 0  # its sandbox refuses to start as root
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=path, args=["--no-sandbox"] if root else [])
        yield browser
        browser.close()


@dataclass
class Visit:
    """A page in a window of its own, with all that it asked for and complained of."""

    page: Any
    requests: list[str] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)

    def outside(self, inside: str) -> list[str]:
        """What it asked for that lies elsewhere."""
        return [url for url in self.requests if not url.startswith((inside, "data:,"))]

    def wider(self) -> int:
        """By how many pixels the page is wider than its window."""
        return int(self.page.evaluate("document.documentElement.scrollWidth - window.innerWidth"))

    def axe(self) -> list[str]:
        """What axe finds that is serious or critical, with where."""
        from axe_playwright_python.sync_playwright import Axe

        found = Axe().run(self.page).response["violations"]
        return [
            f"{v['id']} at {node['target']}: {node['failureSummary']}"
            for v in found
            if v["impact"] in ("serious", "critical")
            for node in v["nodes"][:3]
        ]


@contextmanager
def visit(browser: Any, address: str | Path, size: tuple[int, int] = DESK, dark: bool = False) -> Iterator[Visit]:
    """Open a page by its URL or file."""
    url = address.resolve().as_uri() if isinstance(address, Path) else address
    context = browser.new_context(
        viewport={"width": size[0], "height": size[1]}, color_scheme="dark" if dark else "light"
    )
    page = context.new_page()
    made = Visit(page)
    page.on("request", lambda request: made.requests.append(request.url))
    page.on("console", lambda message: made.complaints.append(message.text))
    page.on("pageerror", lambda error: made.complaints.append(str(error)))

    def refuse(dialog: Any) -> None:
        made.complaints.append(f"dialog: {dialog.message}")
        dialog.dismiss()

    page.on("dialog", refuse)
    page.goto(url)
    try:
        yield made
    finally:
        context.close()
