"""The picture of the site in the README: python -m tests.support.screenshot docs/images/site.png"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from cornerman_leaderboards.rows.boards import PUBLISHED
from cornerman_leaderboards.site.build import build
from tests.support.browser import open_browser, visit

RUN = PUBLISHED / "alfworldgen-dev/sweep"


def take(target: Path) -> None:
    """Build the site of a published board and photograph the top of its page."""
    with tempfile.TemporaryDirectory() as folder, open_browser() as browser:
        build([RUN], Path(folder) / "site")
        with visit(browser, Path(folder) / "site/boards/alfworldgen-dev/index.html", (1280, 960)) as seen:
            seen.page.screenshot(path=target)


if __name__ == "__main__":
    take(Path(sys.argv[1]))
