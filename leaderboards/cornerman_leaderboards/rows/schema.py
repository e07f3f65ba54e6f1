"""JSON Schemas of a row's files, made from the structs that read them.

python -m cornerman_leaderboards.rows.schema [--check]

Writes them beside this package, or says which ones are not what the structs give. An experiment file is TOML; its
schema is that of the table in it. Episodes are one line each; their schema is that of a line.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import msgspec

from cornerman.declaration import DECLARATION, Declaration
from cornerman.experiment import Experiment
from cornerman.recorded import Manifest
from cornerman.records import Episode
from cornerman.store import EPISODES, EXPERIMENT, MANIFEST, SUMMARY
from cornerman.summary import Summary
from cornerman_leaderboards.rows.submission import DIGESTS

SCHEMAS = Path(__file__).parents[1] / "schemas"
STRUCTS: dict[str, Any] = {
    EXPERIMENT: Experiment,
    MANIFEST: Manifest,
    SUMMARY: Summary,
    EPISODES: Episode,
    DECLARATION: Declaration,
    DIGESTS: dict[str, str],
}
"""What reads each file of a row."""


def schemas() -> dict[Path, bytes]:
    """Every schema by its file."""
    out = {}
    for name, struct in STRUCTS.items():
        found = msgspec.json.schema(struct)
        head = {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": name}
        data = msgspec.json.encode({**head, **found}, order="sorted")
        out[SCHEMAS / f"{name.partition('.')[0]}.schema.json"] = msgspec.json.format(data, indent=2) + b"\n"
    return out


def outdated() -> list[Path]:
    """The schemas that are not what the structs give, and files beside them that are none."""
    wanted = schemas()
    there = set(SCHEMAS.glob("*"))
    return sorted(p for p in there | wanted.keys() if p not in wanted or p not in there or p.read_bytes() != wanted[p])


def main(arguments: list[str]) -> int:
    """Write the schemas, or check them; the exit status."""
    if arguments not in ([], ["--check"]):
        print("usage: python -m cornerman_leaderboards.rows.schema [--check]", file=sys.stderr)
        return 2
    old = outdated()
    if arguments:
        for path in old:
            print(f"{path.name} is not what the structs give; write it anew without --check")
        return 1 if old else 0
    SCHEMAS.mkdir(exist_ok=True)
    for path, data in schemas().items():
        path.write_bytes(data)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
