"""A report on a critic's worth as tables and lines."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from cornerman.cli.output import plain, table
from cornerman.records import Moment
from cornerman.worth.hits import Share
from cornerman.worth.labels import Accuracy
from cornerman.worth.report import Part, Report

TITLES = {
    "review_action": "before an action",
    "review_turn": "after a turn",
    "answer_request": "on request",
    "review_attempt": "at the start of an attempt, from the end of another",
}
FULL = "By gold, which sees everything"
SEEN = "By what was seen: right where gold's way is shorter in some state that fits it"
ESTIMANDS = {"once": "once", "on": "from here on"}
WHAT = {
    "words": "words − placebo",
    "pause": "placebo − silence",
    "both": "words − silence",
}


def show(report: Report) -> None:
    """Print it: a heading for each part, its table, and lines on what the numbers rest on."""
    whose = f"'{report.critic}' was worth in method '{report.method}' of {report.run}"
    say(f"What {whose}, in points of success; shares in %.", "bold")
    for part in report.parts:
        show_part(part)
    show_groups(report.parts)
    show_accuracy(report)
    show_hits(report)
    say()
    for line in notes(report):
        say(line)


def show_part(part: Part) -> None:
    """One kind of moment."""
    verb = "where it spoke" if part.spoke else "where it stayed silent, made to speak"
    say()
    say(
        f"{TITLES[part.moment]}, {verb}: {part.moments} of {part.population:,} moments on {part.tasks} of "
        f"{part.of_tasks} tasks, {part.samples} {'fork' if part.samples == 1 else 'forks'} an arm",
        "bold",
    )
    rows = [
        [
            ESTIMANDS[w.estimand],
            WHAT[w.what],
            points(w.found.difference),
            f"[{points(w.found.ci[0], 0)}, {points(w.found.ci[1], 0)}]",
            percent(w.found.helped),
            percent(w.found.harmed),
            percent(w.found.noise),
            f"{w.needed:,}",
        ]
        for w in part.worth
    ]
    table(["silenced", "worth", "Δ", "95 %", "helped", "harmed", "noise", "n for ±5"], rows)
    rates = ", ".join(f"{arm} {percent(rate)}" for arm, rate in part.rates.items())
    say(f"  solved %: {rates}")
    followed = "" if part.followed is None else f"; to the action that they named in {percent(part.followed)} %"
    say(
        f"  uptake: the words changed the next action in {percent(part.changed)} % of forks, the placebo in "
        f"{percent(part.placebo_changed)} %{followed}"
    )
    if not part.spoke:
        say(f"  it had something to say at {part.had_words} of {part.moments} moments")


def show_groups(parts: Sequence[Part]) -> None:
    """The descriptive rows."""
    rows = [
        [
            f"{TITLES[p.moment]}, {'spoke' if p.spoke else 'silent'}",
            {"turn": "turn", "uptake": "uptake", "how": "how it spoke"}[g.by],
            g.name,
            str(g.pairs),
            points(g.words),
            points(g.both),
        ]
        for p in parts
        for g in p.groups
    ]
    say()
    say("Descriptive: groups that no draw made, so that a difference between them has no cause shown", "bold")
    table(["moments", "by", "group", "pairs", "words − placebo", "words − silence"], rows)


def show_accuracy(report: Report) -> None:
    """What gold says of the critic, by what it sees itself and by what was seen."""
    tables = ((FULL, report.accuracy), (SEEN, report.consistent))
    for moment in report.accuracy:
        for title, found in tables:
            if moment in found:
                say()
                say(f"{title}, {TITLES[moment]}:", "bold")
                for line in accuracy_lines(found[moment], moment):
                    say(line)
    if report.full_only:
        say()
        say(f"Full information only: {', '.join(report.full_only)} lists no states that fit what was seen.")


def accuracy_lines(found: Accuracy, moment: Moment) -> list[str]:
    """One kind of moment by one kind of label."""
    lines = []
    if found.ci is not None and found.gold_ci is not None:
        lines.append(
            f"  of {found.named} named actions {percent(found.suggestions)} % {span(found.ci)} lead on, "
            f"{percent(found.gold)} % {span(found.gold_ci)} are gold's own"
        )
    if found.judged:
        shown = "—" if found.mcc is None else f"{found.mcc:+.2f}"
        over, under = percent(found.over), percent(found.under)
        if moment == "review_turn":
            did = f"spoke before {over} % of the right ones, was silent before {under} % of the wrong ones"
        else:
            did = f"sent back {over} % of the right ones, let pass {under} % of the wrong ones"
        lines.append(f"  of {found.judged} own choices that lead on or astray it {did}; MCC {shown}")
    return lines


def show_hits(report: Report) -> None:
    """Whether the words hit what they aimed at."""
    rows = [
        [
            TITLES[moment],
            f"{found.by}{'' if found.agreement.value is None else ', agrees ' + percent(found.agreement.value)}",
            str(found.interventions),
            str(found.unparsed),
            *(part(s) for s in (found.real, found.real_seen, found.followed, found.improved, found.hit)),
        ]
        for moment, several in report.hits.items()
        for found in several
    ]
    if rows:
        say()
        say("Target hit, in % of interventions, with 95 % intervals over tasks", "bold")
        heads = ["moments", "by", "interventions", "unparsed", "real", "real as seen", "followed", "improved", "hit"]
        table(heads, rows)


def part(share: Share) -> str:
    """A share with its interval."""
    return percent(share.value) + ("" if share.ci is None else f" {span(share.ci)}")


def notes(report: Report) -> list[str]:
    """What the numbers rest on, and what they cost."""
    cost, check = report.cost, report.check
    tokens = ", ".join(
        f"{role} {u.calls:,} calls with {u.prompt:,} fresh, {u.cached:,} cached and {u.output:,} output tokens"
        for role, u in cost.usage.items()
    )
    per = sum(p.moments * p.samples * len(p.rates) for p in report.parts) / sum(p.moments for p in report.parts)
    return [
        f"Check: {check.repeat} of {check.forks} forks that kept the words and the luck repeat the record; the record "
        "enters no estimate.",
        f"Cost: {cost.forks:,} forks, {cost.turns:,} turns"
        + (f"; {tokens}" if tokens else "; no model was called")
        + (f"; ${cost.dollars:,.2f}" if cost.dollars else "")
        + (f"; {cost.errors} ended in an error and count as failures" if cost.errors else "")
        + ".",
        f"Power: n for ±5 is how many moments give an interval of ± 5 points, at about {per:.0f} forks each, if "
        "the tasks grow with them.",
        "Δ is weighted by the moments' probabilities of being drawn; intervals are over tasks. noise: the share that "
        "would be helped, and as many harmed, by luck alone"
        + (" (0: nothing here is random)." if report.repeats else "; — for one fork an arm."),
    ]


def say(text: str = "", style: str = "") -> None:
    """One line: on a terminal in a style, in a pipe plain."""
    if not sys.stdout.isatty():
        indent = " " * (len(text) - len(text.lstrip(" ")))
        print(indent + plain(text))
        return
    from rich.console import Console
    from rich.text import Text

    Console(highlight=False).print(Text(text, style=style))


def points(difference: float, digits: int = 1) -> str:
    """A difference in percentage points, with its sign."""
    text = f"{abs(100 * difference):.{digits}f}"
    return text if float(text) == 0 else ("+" if difference > 0 else "−") + text


def span(ci: tuple[float, float]) -> str:
    """An interval of a share, in whole percent."""
    return f"[{100 * ci[0]:.0f}, {100 * ci[1]:.0f}]"


def percent(share: float | None) -> str:
    """A share in percent."""
    return "—" if share is None else f"{100 * share:.1f}"
