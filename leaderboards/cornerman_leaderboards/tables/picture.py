"""A page as an SVG picture, as a wide terminal shows it. The file asks nothing of the network: no font, no style."""

from __future__ import annotations

import io
from pathlib import Path

from cornerman.errors import UsageError
from cornerman_leaderboards.tables.cells import clean
from cornerman_leaderboards.tables.page import Page

WIDTH = 132
FORMAT = """<svg class="rich-terminal" viewBox="-12 16 {width} {height}" xmlns="http://www.w3.org/2000/svg">
<style>
.{unique_id}-matrix {{ font-family: ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace;
  font-size: {char_height}px; line-height: {line_height}px; font-variant-east-asian: full-width; }}
{styles}
</style>
<defs>
<clipPath id="{unique_id}-clip-terminal">
<rect x="0" y="0" width="{terminal_width}" height="{terminal_height}"/></clipPath>
{lines}
</defs>
<rect x="-12" y="16" width="{width}" height="{height}" rx="8" fill="#fbfbfa"/>
<g transform="translate({terminal_x}, {terminal_y})" clip-path="url(#{unique_id}-clip-terminal)">
{backgrounds}
<g class="{unique_id}-matrix">{matrix}</g>
</g>
</svg>
"""


def write_svg(page: Page, path: Path) -> None:
    """Write the page's picture."""
    from rich.console import Console
    from rich.terminal_theme import TerminalTheme
    from rich.text import Text

    paper = TerminalTheme(
        (251, 251, 250),
        (32, 33, 36),
        [
            (32, 33, 36),
            (176, 42, 48),
            (22, 120, 70),
            (150, 100, 0),
            (30, 90, 170),
            (130, 60, 150),
            (0, 120, 130),
            (90, 92, 96),
        ],
    )
    console = Console(
        record=True, width=WIDTH, file=io.StringIO(), force_terminal=True, color_system="truecolor", highlight=False
    )
    for line in page.lines(WIDTH):
        console.print(Text.assemble(*((clean(cell.text), cell.style) for cell in line)), soft_wrap=True)
    svg = console.export_svg(title="", theme=paper, code_format=FORMAT, unique_id="cornerman")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(svg, encoding="utf-8")
    except OSError as error:
        raise UsageError(f"the picture cannot be written to {path}: {error.strerror}") from error
