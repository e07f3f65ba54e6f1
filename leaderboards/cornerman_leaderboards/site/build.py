"""The site of some runs: every page, computed from their folders."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from cornerman.errors import UsageError
from cornerman.store import EXPERIMENT, MANIFEST
from cornerman_leaderboards.elsewhere.figures import FILE as FIGURE
from cornerman_leaderboards.site.board_page import BoardPage
from cornerman_leaderboards.site.curves import FILES, curves_file
from cornerman_leaderboards.site.episodes import choose
from cornerman_leaderboards.site.gather import Gathered, gather, published
from cornerman_leaderboards.site.slugs import slugs
from cornerman_leaderboards.site.training_page import write_training
from cornerman_leaderboards.site.writing import Files, refuse_others
from cornerman_leaderboards.tables.cells import clean
from cornerman_leaderboards.web.conversation import GLOBALS
from cornerman_leaderboards.web.rendering import asset, environment

TEMPLATES = Path(__file__).parent / "templates"
ASSETS = ("style.css", "plots.css", "site.css", "conversation.css", "site.js")


@dataclass(frozen=True)
class Built:
    """What was built: the boards, and the bytes of all files."""

    gathered: Sequence[Gathered]
    size: int

    @property
    def methods(self) -> int:
        """How many methods the boards hold."""
        return sum(len(run.summary.methods) for g in self.gathered for run in g.runs)


def boards_of(runs: Sequence[Path]) -> list[Gathered]:
    """The boards of some run folders, or of the published rows where none are given.

    Folders that hold learning curves alone are none of them. Raises `UsageError` for what is no run folder.
    """
    folders = list(runs) or published()
    for folder in folders:
        if curves_file(folder) is None and not any(
            (folder / name).is_file() for name in (MANIFEST, EXPERIMENT, FIGURE)
        ):
            raise UsageError(clean(f"{folder} is no run folder: it has neither {MANIFEST} nor {FILES[0]}"))
    return gather([f for f in folders if curves_file(f) is None or (f / MANIFEST).is_file()])


def build(runs: Sequence[Path], site: Path, bitmaps: bool = False, episodes: Sequence[str] = ()) -> Built:
    """Write the site of some run folders, or of the published rows where none are given.

    Folders of training runs become learning curves. bitmaps: PNG files of all plots too. episodes: those that get
    pages, see `cornerman_leaderboards.site.episodes.choose`. Raises `UsageError` for what is no run folder, and for a
    `site` that holds something else.
    """
    refuse_others(site)
    files, templates = Files(), environment(TEMPLATES)
    templates.globals |= GLOBALS
    gathered = boards_of(runs)
    chosen = choose(episodes, [run.folder for g in gathered for run in g.runs])
    names = slugs([g.board.suite for g in gathered])
    shelves = [
        BoardPage(templates, files, g, slug, bitmaps, chosen).write() for g, slug in zip(gathered, names, strict=True)
    ]
    curves = write_training(templates, files, runs, bitmaps)
    for name in ASSETS:
        files.add(name, asset(name))
    overview = templates.get_template("overview.html")
    files.add("index.html", overview.render(root="", shelves=shelves, curves=curves))
    files.write(site)
    return Built(gathered, files.size)
