"""`cornerman data NAME` and `cornerman data list`."""

from __future__ import annotations

import typer

from cornerman.cli.output import emit, table


def command(
    name: str = typer.Argument(..., help="An asset's name, or `list`."),
    json: bool = typer.Option(False, "--json", help="With `list`: one JSON list, alone on stdout."),
) -> None:
    """Fetch an asset into the cache, or list them all."""
    from cornerman.assets import asset_path, assets_status

    if name != "list":
        typer.echo(str(asset_path(name)))
        return
    rows = [
        {
            "name": s.asset.name,
            "present": s.present,
            "version": s.asset.version,
            "licence": s.asset.licence,
            "bytes": s.asset.size,
            "sha256": s.asset.sha256,
            "purpose": s.asset.purpose,
            "path": str(s.path) if s.present else None,
        }
        for s in assets_status()
    ]
    if json:
        emit(rows)
        return
    table(
        ["asset", "here", "version", "licence", "MB", "SHA-256", "for"],
        [
            [
                str(r["name"]),
                "yes" if r["present"] else "no",
                str(r["version"]),
                str(r["licence"]),
                f"{s.asset.size / 1e6:.1f}",
                str(r["sha256"])[:12],
                str(r["purpose"]),
            ]
            for r, s in zip(rows, assets_status(), strict=True)
        ],
    )
