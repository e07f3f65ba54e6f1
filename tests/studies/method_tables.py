"""The tables of `tests.studies.method_figures`: our figures by method, and the paper's beside them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.studies.method_figures import Figures, Method, Paper

BEGIN, END = "<!-- figures: python -m tests.studies.method_figures -->", "<!-- /figures -->"
OURS = ("experiment", "played", "method", "solved", "95 %", "difference", "critiques", "unparsed", "errors", "tokens")
THEIRS = ("experiment", "ours", "the paper's", "read from", "settings that differ")


def with_tables(page: str, record: Mapping[str, Figures], papers: Mapping[str, Paper]) -> str:
    """The page with the tables of its experiments between its markers."""
    head, _, rest = page.partition(BEGIN)
    _, end, tail = rest.partition(END)
    if not end:
        raise SystemExit(f"a page of methods has no lines {BEGIN} and {END}")
    ours = [line for name in papers if name in record for line in of_experiment(name, record[name])]
    theirs = [beside(name, record.get(name), paper) for name, paper in papers.items()]
    return f"{head}{BEGIN}\n\n{table(OURS, ours)}\n{table(THEIRS, theirs)}\n{END}{tail}"


def table(head: tuple[str, ...], rows: list[tuple[str, ...]]) -> str:
    """A table in Markdown."""
    return "".join(f"| {' | '.join(row)} |\n" for row in (head, ("---",) * len(head), *rows))


def of_experiment(name: str, found: Figures) -> list[tuple[str, ...]]:
    """A row for each method; the first one says what was played, and how long it took."""
    model = ", ".join(f"`{m}`" for m in found.models) or "no model"
    part = f"{found.tasks} of its {found.of}" if found.tasks < found.of else f"{found.tasks}"
    played = f"{part} tasks × {found.trials} of `{found.suite}`, {model}; {found.cpu_seconds} CPU s"
    rows = [of_method(method, figures) for method, figures in found.methods.items()]
    return [(f"`{name}`", played, *rows[0]), *(("", "", *row) for row in rows[1:])]


def of_method(name: str, found: Method) -> tuple[str, ...]:
    """Solved of played with its interval and difference, how much the critics said and how, errors, tokens."""
    low, high = (round(100 * bound) for bound in found.ci)
    errors = ", ".join(f"{n} {kind}" for kind, n in found.errors.items()) or "0"
    tokens = ", ".join(f"{role} {count:,}" for role, count in found.tokens.items()) or "–"
    said = f"{found.critiques}, {found.delivered} told" if found.critiques else "0"
    unparsed = f"{100 * found.unparsed / found.critiques:.0f} %" if found.critiques else "–"
    return name, f"{found.solved}/{found.n}", f"{low} to {high} %", difference(found), said, unparsed, errors, tokens


def difference(found: Method) -> str:
    """The difference with the baseline and its interval, in points."""
    if found.difference is None or found.difference_ci is None:
        return "–"
    return f"{100 * found.difference:+.0f} ({100 * found.difference_ci[0]:+.0f} to {100 * found.difference_ci[1]:+.0f})"


def beside(name: str, found: Figures | None, paper: Paper) -> tuple[str, ...]:
    """Our success beside the paper's figure."""
    ours = "not measured"
    if found is not None:
        ours = ", ".join(f"{method} {m.solved}/{m.n}" for method, m in found.methods.items())
    figure = f"{paper.paper}: {paper.figure}" if paper.figure else f"{paper.paper}: none found"
    return f"`{name}`", ours, figure, paper.read or "–", paper.differs
