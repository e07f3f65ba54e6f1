"""The README's picture of the viewer: an episode of the published quickstart.

`python -m tests.leaderboards.viewer.picture` writes docs/images/viewer.png.
"""

from __future__ import annotations

from pathlib import Path

from tests.leaderboards.viewer.conftest import serving
from tests.support.browser import open_browser, visit

from cornerman_leaderboards.rows.boards import PUBLISHED
from cornerman_leaderboards.viewer.runs import Runs

PICTURE = Path(__file__).parents[3] / "docs" / "images" / "viewer.png"
EPISODE = "/runs/quickstart/10"
SIZE = (1280, 900)


def main() -> None:
    """Write the picture."""
    runs = Runs({"quickstart": PUBLISHED / "quickstart" / "quickstart"})
    with (
        serving(runs) as server,
        open_browser() as browser,
        visit(browser, server.address.rstrip("/") + EPISODE, SIZE) as seen,
    ):
        seen.page.screenshot(path=PICTURE)
    print(f"{PICTURE}: {PICTURE.stat().st_size / 1000:.0f} kB")


if __name__ == "__main__":
    main()
