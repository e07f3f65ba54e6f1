"""Commands import what they need and no more: nothing heavy for those that list or help."""

from __future__ import annotations

import pytest
from tests.support.command import CommandLine

HEAVY = {"numpy", "scipy", "gymnasium", "pyarrow", "duckdb", "torch", "transformers", "textworld", "httpx", "jinja2"}
EXTRAS = {"torch", "transformers", "textworld"}
SPY = "import atexit, sys\natexit.register(lambda: print('IMPORTED', *sys.modules, file=sys.stderr))\n"


@pytest.mark.parametrize(
    ("arguments", "allowed"),
    [
        (("--help",), set()),
        (("--version",), set()),
        (("list", "environments"), set()),
        (("list", "suites"), set()),
        (("list", "actors"), set()),
        (("list", "actors", "--json"), {"gymnasium", "numpy"}),  # reads options off the plug-ins, which import views
        (("list", "plugins"), set()),
        (("data", "list"), set()),
        (("run", "--help"), set()),
        (
            ("run", "--suite", "count-smoke", "--actor", "random", "--limit", 1),
            HEAVY - {"torch", "transformers", "textworld"},
        ),
    ],
)
def test_what_is_imported(command: CommandLine, arguments: tuple[object, ...], allowed: set[str]) -> None:
    (command.folder / "sitecustomize.py").write_text(SPY)
    command.variables["PYTHONPATH"] = f"{command.folder}:{command.environment['PYTHONPATH']}"
    if "count-smoke" not in arguments:
        command.plugin = None
    done = command(*arguments)
    assert done.status == 0, done.err
    imported = next(x for x in reversed(done.err.splitlines()) if x.startswith("IMPORTED")).split()
    assert "cornerman.cli.app" in imported
    assert set(imported) & HEAVY <= allowed
