"""The measured tables of docs/environments.md: what gold wins, and what an environment costs. Not part of the tests.

From the checkout's root:

    python -m tests.envs.table                              what is not recorded yet and can be measured here
    python -m tests.envs.table measure [ENVIRONMENT…]       speed and memory, anew
    python -m tests.envs.table validate [SUITE…] [--limit N]

Results are recorded in docs/data/environments.json as they come, so that slow ones are run once; then the page is
written anew between its markers. Environments and suites come from the catalogue. What needs an extra or data that are
not here is passed over, with a line that says so, and keeps its record.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from cornerman import plugins
from cornerman.errors import CornermanError
from cornerman.experiment import load_suite
from cornerman.registry import Registry
from cornerman.suites import Suite

ROOT = Path(__file__).parents[2]
PAGE, RECORD = ROOT / "docs" / "environments.md", ROOT / "docs" / "data" / "environments.json"
BEGIN, END = "<!-- measured: python -m tests.envs.table -->", "<!-- /measured -->"

Record = dict[str, dict[str, Any]]
"""Under "environments" and "suites": figures by name."""


def recorded() -> Record:
    """What has been recorded so far."""
    record: Record = {"environments": {}, "suites": {}}
    if RECORD.exists():
        record |= json.loads(RECORD.read_text(encoding="utf-8"))
    return record


def save(record: Record) -> None:
    """Write the record and the page that it makes."""
    RECORD.parent.mkdir(exist_ok=True)
    RECORD.write_text(json.dumps(record, indent=1, sort_keys=True, ensure_ascii=False) + "\n", encoding="utf-8")
    PAGE.write_text(with_tables(PAGE.read_text(encoding="utf-8"), record), encoding="utf-8")


def with_tables(page: str, record: Record) -> str:
    """The page with the record's tables between its markers."""
    head, _, rest = page.partition(BEGIN)
    _, end, tail = rest.partition(END)
    if not end:
        raise SystemExit(f"{PAGE.name} has no lines {BEGIN} and {END}")
    return f"{head}{BEGIN}\n\n{tables(record)}\n{END}{tail}"


def tables(record: Record) -> str:
    """One row an environment: its suites with what gold won of what was played, and its figures."""
    lines = [
        "| environment | gold won | steps/CPU s | start, CPU s | reset, CPU ms | MB | growth |",
        "|---|---|---|---|---|---|---|",
    ]
    played: dict[str, list[str]] = {}
    for name, suite in sorted(record["suites"].items()):
        for env in suite["environments"]:
            played.setdefault(env, []).append(won(name, suite))
    for env in sorted({*record["environments"], *played}):
        figures = record["environments"].get(env)
        cells = ["not measured"] + ["–"] * 4
        if figures:
            start, reset = f"{figures['start_s']:.2f}", f"{figures['reset_ms']:.3g}"
            memory, growth = f"{figures['memory_mb']:.0f}", f"{figures['growth_percent']:.1f} %"
            cells = [thousands(figures["steps_per_cpu_s"]), start, reset, memory, growth]
        lines.append(f"| `{env}` | {', '.join(played.get(env, ['not played']))} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def won(name: str, suite: dict[str, Any]) -> str:
    """A suite with what gold won of what was played of it."""
    part = f" (of {suite['tasks']})" if suite["played"] < suite["tasks"] else ""
    return f"`{name}` {suite['won']}/{suite['played']}{part}"


def thousands(figure: float) -> str:
    """A figure to three digits."""
    return f"{float(f'{figure:.3g}'):,.0f}" if figure >= 100 else f"{figure:.3g}"


def loadable(registry: Registry) -> dict[str, Suite]:
    """The suites that can be played here, by name; a line for each that cannot."""
    found = {}
    for entry in registry.entries("suite"):
        try:
            found[entry.name] = load_suite(registry, entry.name)
        except CornermanError as error:
            print(f"passed over: {error}", file=sys.stderr)
    return found


def measure(name: str, suites: dict[str, Suite]) -> dict[str, Any]:
    """Figures of an environment, from its first task in the smallest suite, in a process of its own."""
    own = [s for s in suites.values() if name in {t.env for t in s.tasks}]
    if not own:
        raise SystemExit(f"no suite of {name} can be loaded here")
    suite = min(own, key=lambda s: len(s.tasks))
    task = next(t.id for t in suite.tasks if t.env == name)
    command = [sys.executable, "-m", "tests.envs.measuring", suite.name, task]
    output = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True, cwd=ROOT).stdout
    return {"suite": suite.name, "task": task, **json.loads(output.splitlines()[-1])}


def validate(suite: Suite, limit: int | None) -> dict[str, Any]:
    """How gold fares on a suite, by `cornerman validate`."""
    command = [sys.executable, "-m", "cornerman", "validate", suite.name, "--json"]
    command += ["--limit", str(limit)] if limit else []
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False, cwd=ROOT)
    if done.returncode not in (0, 1):  # 1: gold lost a task, which is a result
        raise SystemExit(f"`{' '.join(command[2:])}` ended with {done.returncode}")
    report = json.loads(done.stdout)
    return {
        "panel": suite.panel,
        "environments": sorted({task.env for task in suite.tasks}),
        "tasks": len(suite.tasks),
        "played": report["tasks"],
        "won": report["won"],
        "longest": report["longest"],
    }


def main() -> None:
    """Measure what was asked for, record each result as it comes, and write the page."""
    parser = argparse.ArgumentParser(prog="python -m tests.envs.table")
    parser.add_argument("what", nargs="?", choices=["measure", "validate", "render"])
    parser.add_argument("names", nargs="*")
    parser.add_argument("--limit", type=int, help="only the first N tasks of each suite")
    asked = parser.parse_args()
    record = recorded()
    if asked.what != "render":
        suites = loadable(plugins.load().registry)
        here = {t.env for s in suites.values() for t in s.tasks}
        new = asked.what is None
        if asked.what != "validate":
            for name in asked.names or sorted(here - (record["environments"].keys() if new else set())):
                record["environments"][name] = measure(name, suites)
                print(name, record["environments"][name], flush=True)
                save(record)
        if asked.what != "measure":
            stale = [n for n, s in suites.items() if record["suites"].get(n, {}).get("panel") != s.panel]
            for name in asked.names or (stale if new else sorted(suites)):
                record["suites"][name] = validate(suites[name], asked.limit)
                print(name, record["suites"][name], flush=True)
                save(record)
    save(record)


if __name__ == "__main__":
    main()
