"""Our figures of every method's experiment, beside its paper's: the tables of docs/methods/. Not part of the tests.

From the checkout's root:

    python -m tests.studies.method_figures                      what is not recorded, or has changed since
    python -m tests.studies.method_figures measure [NAME…]      these experiments, or all of them, anew
    … --limit N                                                 of each at most its first N tasks
    python -m tests.studies.method_figures render               the pages alone

Each experiment is played by `cornerman run`, one after another, and recorded in docs/data/methods.json
when it ends. What papers report, and what differs from them, is docs/data/papers.toml, written by hand.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

import msgspec

from cornerman import experiment as experiments
from cornerman.engine.method import build_method
from cornerman.plugins import load
from cornerman.registry import Registry
from cornerman.store import latest
from cornerman.summary import Row, Summary
from tests.studies import method_tables

DOCS = Path(__file__).parents[2] / "docs"
RECORD, PAPERS = DOCS / "data" / "methods.json", DOCS / "data" / "papers.toml"


class Method(msgspec.Struct, frozen=True, kw_only=True):
    """One method's figures. tokens: of an episode, by role, cached ones included. critiques: of all episodes."""

    digest: str
    solved: int
    n: int
    ci: tuple[float, float]
    difference: float | None
    difference_ci: tuple[float, float] | None
    tokens: dict[str, int]
    critiques: int
    delivered: int
    unparsed: int
    errors: dict[str, int]


class Figures(msgspec.Struct, frozen=True, kw_only=True):
    """One experiment's figures. tasks: played, `of` those that it has. cpu_seconds: of the whole command, its worker
    processes included."""

    suite: str
    panel: str
    tasks: int
    of: int
    trials: int
    models: tuple[str, ...]
    baseline: str
    cpu_seconds: int
    cornerman: str
    methods: dict[str, Method]


class Paper(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a paper reports. page: of docs/methods. figure: with model and benchmark, empty where none was found. read:
    what the figure was read from. differs: settings of ours that are others."""

    page: str
    paper: str
    figure: str = ""
    read: str = ""
    differs: str


def recorded() -> dict[str, Figures]:
    """What has been measured so far, by experiment."""
    return msgspec.json.decode(RECORD.read_bytes(), type=dict[str, Figures]) if RECORD.exists() else {}


def papers() -> dict[str, Paper]:
    """What papers report, by experiment."""
    return msgspec.convert(tomllib.loads(PAPERS.read_text(encoding="utf-8")), dict[str, Paper])


def digests(registry: Registry, name: str) -> dict[str, str]:
    """The digests of an experiment's methods as it ships now."""
    wanted = experiments.load(registry, name)
    rules = experiments.load_suite(registry, wanted.suite).rules
    return {m.name: build_method(registry, m, wanted.models, rules).digest for m in wanted.method}


def measure(registry: Registry, name: str, limit: int | None) -> Figures:
    """Play an experiment in a process of its own and take its figures. limit: the most tasks that are played of it."""
    wanted = experiments.load(registry, name)
    has = len(wanted.tasks(registry).tasks)
    tasks = min(limit or has, has)
    with tempfile.TemporaryDirectory() as out:
        command = [sys.executable, "-m", "cornerman", "run", name, "--name", name, "--out", out, "--json"]
        command += ["--limit", str(tasks)] if tasks < has else []
        with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
            assert process.stdout is not None
            summary = process.stdout.read()
            _, status, used = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode not in (0, 1):  # 1: episodes ended in an error, which is a result
            raise SystemExit(f"`cornerman run {name}` ended with {process.returncode}")
        told, spoken = msgspec.json.decode(summary, type=Summary), delivered(Path(out) / name)
    return Figures(
        suite=wanted.suite,
        panel=told.panel,
        tasks=tasks,
        of=has,
        trials=wanted.trials,
        models=tuple(sorted({uri for row in told.methods for uri in row.models.values()})),
        baseline=told.baseline,
        cpu_seconds=round(used.ru_utime + used.ru_stime),
        cornerman=told.cornerman,
        methods={row.method: of_method(row, spoken.get(row.method, [])) for row in told.methods},
    )


def delivered(folder: Path) -> dict[str, list[bool]]:
    """Of each critique of a run whether it was delivered, by method."""
    found: dict[str, list[bool]] = {}
    for episode in latest(folder).values():
        said = [c for a in episode.attempts for c in (*a.critiques, *(c for t in a.turns for c in t.critiques))]
        found.setdefault(episode.method, []).extend(c.delivered for c in said)
    return found


def of_method(row: Row, spoken: list[bool]) -> Method:
    """A method's figures from its row of the summary, and of each critique whether it was delivered."""
    episodes = max(1, row.recorded)
    return Method(
        digest=row.digest,
        solved=row.successes,
        n=row.n,
        ci=row.ci,
        difference=row.delta.difference if row.delta else None,
        difference_ci=row.delta.ci if row.delta else None,
        tokens={r: round((u.prompt + u.cached + u.output) / episodes) for r, u in sorted(row.tokens.items())},
        critiques=len(spoken),
        delivered=sum(spoken),
        unparsed=row.unparsed,
        errors=row.errors,
    )


def save(record: dict[str, Figures]) -> None:
    """Write the record and the pages that it makes."""
    RECORD.write_bytes(msgspec.json.format(msgspec.json.encode(dict(sorted(record.items()))), indent=1) + b"\n")
    for path, text in pages(record).items():
        path.write_text(text, encoding="utf-8")


def pages(record: dict[str, Figures]) -> dict[Path, str]:
    """Every page of methods with its tables anew, by its path."""
    told, made = papers(), {}
    for page in sorted({p.page for p in told.values()}):
        path = DOCS / "methods" / f"{page}.md"
        here = {name: paper for name, paper in told.items() if paper.page == page}
        made[path] = method_tables.with_tables(path.read_text(encoding="utf-8"), record, here)
    return made


def main() -> None:
    """Measure what was asked for, record each result as it comes, and write the pages."""
    parser = argparse.ArgumentParser(prog="python -m tests.studies.method_figures")
    parser.add_argument("what", nargs="?", choices=["measure", "render"])
    parser.add_argument("names", nargs="*")
    parser.add_argument("--limit", type=int, help="at most the first N tasks of each")
    asked = parser.parse_args()
    record, registry = recorded(), load().registry
    names = asked.names or list(papers())
    if asked.what is None:
        current = {name: {m: f.digest for m, f in found.methods.items()} for name, found in record.items()}
        names = [n for n in names if current.get(n) != digests(registry, n)]
    for name in names if asked.what != "render" else []:
        found = measure(registry, name, asked.limit)
        record = recorded() | {name: found}  # read again: another process may have recorded something meanwhile
        print(name, record[name], flush=True)
        save(record)
    save(record)


if __name__ == "__main__":
    main()
