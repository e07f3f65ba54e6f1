"""Pages from templates. Every value is escaped and made visible; a page loads nothing but what lies beside it."""

from __future__ import annotations

from pathlib import Path

import jinja2

import cornerman
from cornerman_leaderboards.tables import cells
from cornerman_leaderboards.web import text

HERE = Path(__file__).parent
TEMPLATES, ASSETS = HERE / "templates", HERE / "assets"

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'"
)
"""The content security policy of every page. `'self'` covers files on disk too."""


def environment(*folders: Path) -> jinja2.Environment:
    """The templates of some folders, which may extend `base.html`.

    Escaping cannot be turned off by a file's name, unknown variables are errors, and what is written passes
    `cornerman_leaderboards.web.text.shown`. Filters: `name` and `words` for texts of hostile origin, and the
    number formats of the tables.
    """
    made = jinja2.Environment(
        loader=jinja2.FileSystemLoader([*folders, TEMPLATES]),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        finalize=text.shown,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.globals |= {"policy": POLICY, "version": cornerman.__version__}
    made.filters |= {
        "name": text.name,
        "words": text.words,
        "percent": cells.percent,
        "percent_interval": cells.percent_interval,
        "points": cells.points,
        "points_interval": cells.points_interval,
        "p_value": cells.p_value,
        "per_episode": cells.per_episode,
        "in_seconds": cells.seconds,
        "money": cells.money,
        "counted": cells.counted,
    }
    return made


def asset(name: str) -> bytes:
    """A file of the pages' own: style or script."""
    return (ASSETS / name).read_bytes()
