"""The picture of a table is a whole SVG that fetches nothing and runs nothing."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from pathlib import Path

from cornerman_leaderboards.tables.page import Note, Page
from cornerman_leaderboards.tables.picture import write_svg

HOSTILE = "</text><script>alert(1)</script> [bold]x[/bold] & \x1b[31m"


def test_hostile_names_stay_text(tmp_path: Path) -> None:
    """A method's name cannot become markup, a script or an escape sequence."""
    path = tmp_path / "made" / "table.svg"
    write_svg(Page(title=HOSTILE, facts=["fact"], grids=[], notes=[Note(HOSTILE)]), path)
    text = path.read_text(encoding="utf-8")
    root = ElementTree.fromstring(text)
    tags = {element.tag.rpartition("}")[2] for element in root.iter()}
    assert tags <= {"svg", "style", "defs", "clipPath", "rect", "g", "text"}
    assert "alert(1)" in "".join(root.itertext())
    assert "\x1b" not in text
    assert "http" not in text.replace("http://www.w3.org/2000/svg", "")


def test_a_page_is_in_the_picture(tmp_path: Path) -> None:
    """Title, facts and notes can be read in it."""
    write_svg(Page(title="suite-x", facts=["fact-y"], grids=[], notes=[Note("note-z")]), tmp_path / "t.svg")
    words = "".join(ElementTree.fromstring((tmp_path / "t.svg").read_text(encoding="utf-8")).itertext())
    assert all(word in words for word in ("suite-x", "fact-y", "note-z"))
