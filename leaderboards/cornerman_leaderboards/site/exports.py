"""A board's table as files: Markdown, LaTeX, and the figures in full as CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence

from cornerman_leaderboards.site.lines import Line
from cornerman_leaderboards.site.outcomes import TaskLine
from cornerman_leaderboards.tables.grid import Grid, title
from cornerman_leaderboards.tables.page import Page

LATEX = {
    "\\": r"\textbackslash{}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "{": r"\{",
    "}": r"\}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\textquotedbl{}",
    "−": "$-$",
    "×": r"$\times$",
    "Δ": r"$\Delta$",
    "†": r"$\dagger$",
    "‡": r"$\ddagger$",
    "—": "---",
    "–": "--",
    "…": r"\ldots{}",
    "`": r"\textasciigrave{}",
}


def latex_text(text: str) -> str:
    """A text that LaTeX sets as it is, whatever it holds."""
    return "".join(LATEX.get(c, c) for c in text)


def latex(page: Page) -> str:
    """The page's tables for the package booktabs."""
    return "\n\n".join(_tabular(grid) for grid in page.grids) + "\n"


def _tabular(grid: Grid) -> str:
    grid = grid.only([i for i, c in enumerate(grid.columns) if not c.drawn])

    def line(cells: Iterable[str]) -> str:
        return " & ".join("{" + cell + "}" if cell.startswith(("[", "*")) else cell for cell in cells) + r" \\"

    aligned = "".join("r" if c.right else "l" for c in grid.columns)
    out = [rf"\begin{{tabular}}{{{aligned}}}", r"\toprule", line(latex_text(title(c)) for c in grid.columns)]
    for section in grid.sections:
        out.append(r"\midrule")
        if section.title:
            out.append(rf"\multicolumn{{{len(grid.columns)}}}{{l}}{{\emph{{{latex_text(section.title)}}}}} \\")
        out += [line(latex_text(cell.text) for cell in row) for row in section.rows]
    return "\n".join([*out, r"\bottomrule", r"\end{tabular}"])


def _csv(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(map(harmless, head))
    writer.writerows([harmless(value) for value in row] for row in rows)
    return file.getvalue()


def harmless(value: object) -> object:
    """A value that no spreadsheet takes for a formula."""
    return f"'{value}" if isinstance(value, str) and value.startswith(("=", "+", "-", "@", "\t", "\r")) else value


FIGURES = (
    *(
        "run",
        "method",
        "actor",
        "critics",
        "memory",
        "protocol",
        "models",
        "moments",
        "information",
        "privileged",
        "trained",
    ),
    *("baseline", "episodes", "recorded", "tasks", "successes", "success_rate", "ci_low", "ci_high", "score"),
    *("difference", "difference_low", "difference_high", "p", "p_corrected", "test", "helped", "harmed"),
    *("aa_flip_rate", "critiques_per_episode", "turns_per_episode", "tokens_per_episode", "dollars_per_episode"),
    *("errors", "digest"),
)


def figures(found: Sequence[Line]) -> str:
    """Every figure of the methods in full."""
    return _csv(FIGURES, map(_figures, found))


def _figures(line: Line) -> list[object]:
    row, delta = line.row, line.row.delta
    difference: list[object] = [None] * 8
    if delta is not None:
        difference = [delta.difference, *delta.ci, delta.p, delta.p_holm, delta.test, delta.helped, delta.harmed]
    models = "; ".join(f"{who}={model}" for who, model in row.models.items())
    return [
        row.run,
        row.method,
        row.actor,
        "; ".join(row.critics),
        row.memory,
        row.protocol,
        models,
        "; ".join(line.moments),
        "; ".join(row.information),
        row.privileged,
        line.trained,
        delta.baseline if delta else None,
        row.n,
        row.recorded,
        row.tasks,
        row.successes,
        row.success_rate,
        *row.ci,
        row.score,
        *difference,
        row.aa_flip_rate,
        row.interventions_per_episode,
        row.turns_per_episode,
        line.tokens,
        line.dollars if row.dollars else None,
        sum(row.errors.values()),
        row.digest,
    ]


def outcomes(found: Sequence[Line], tasks: Sequence[TaskLine]) -> str:
    """Trials solved, a row a task, a column a method."""
    head = ["task", *(line.label for line in found)]
    return _csv(head, ([t.task, *(c.solved if c.played else None for c in t.cells)] for t in tasks))
