"""`cornerman compare RUN…`."""

from __future__ import annotations

from pathlib import Path

import typer


def command(
    runs: list[Path] = typer.Argument(..., metavar="RUN", help="Folders of runs on the same panel by the same rules."),
    baseline: str = typer.Option(None, "--baseline", metavar="METHOD", help="Compare with this method instead."),
    markdown: bool = typer.Option(False, "--markdown", help="A Markdown table, with every column."),
    svg: Path = typer.Option(None, "--svg", metavar="FILE", help="Also write the table as a picture."),
    json: bool = typer.Option(False, "--json", help="The summary, one JSON object, alone on stdout."),
) -> None:
    """Compare the methods of one run, or of several joined, computed anew from their episodes.

    On a terminal the table fits its width; in a pipe it is Markdown.
    """
    import msgspec

    from cornerman_leaderboards.rows.join import join
    from cornerman_leaderboards.tables.page import show
    from cornerman_leaderboards.tables.picture import write_svg
    from cornerman_leaderboards.tables.table import table

    summary = join(runs, baseline)
    if svg is not None:
        write_svg(table(summary), svg)
    if json:
        typer.echo(msgspec.json.encode(summary).decode())
    else:
        show(table(summary), as_markdown=markdown)
