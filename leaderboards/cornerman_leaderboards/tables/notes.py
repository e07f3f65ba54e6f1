"""What stands below a table, in sentences: how it was counted and compared, and what its marks mean."""

from __future__ import annotations

from collections.abc import Sequence

from cornerman.declaration import Mark
from cornerman.errors import POLICY, End
from cornerman.summary import Delta, Row
from cornerman_leaderboards.tables.cells import clean, counted, percent
from cornerman_leaderboards.tables.outcome import (
    CRITIQUES,
    FAMILIES,
    FLIPS,
    INCOMPLETE,
    MARKS,
    PRIVILEGED,
    TURNED,
    is_baseline,
)
from cornerman_leaderboards.tables.page import Note

TESTS = {
    "mcnemar": "exact McNemar test and Newcombe's interval",
    "sign flip": "sign-flip test and bootstrap over tasks",
}
MEANINGS: dict[Mark, str] = {
    "open": "open: played with other seeds than the suite's own",
    "seen": "seen: trained or tuned on tasks of this panel",
    "imported": "imported: played and counted elsewhere, as published; kept out of all tests",
}
INTERVALS = {"wilson": "Wilson's", "clustered bootstrap": "bootstrap"}


def spread(numbers: Sequence[int]) -> str:
    """One number, or the range of several."""
    return str(numbers[0]) if min(numbers) == max(numbers) else f"{min(numbers)}–{max(numbers)}"


def size(rows: Sequence[Row]) -> str:
    """Tasks and trials of some rows: `20 tasks × 2 trials`."""
    tasks, trials = [r.tasks for r in rows], [r.n // r.tasks for r in rows]
    return f"{spread(tasks)} task{'s' * (max(tasks) > 1)} × {spread(trials)} trial{'s' * (max(trials) > 1)}"


def notes(rows: Sequence[Row], family: str, baseline: str | None) -> list[Note]:
    """The sentences for a table's rows. baseline: its name, or None where every run has its own."""
    found = [Note(counting(rows))]
    again = repeated(rows, baseline)
    deltas = [r.delta for r in rows if r.delta is not None and r not in again]
    if deltas or again:
        found += [Note(comparing(deltas, family, baseline))] if deltas else []
        found += map(Note, disagreeing([r for r in rows if r not in again]))
        found += [Note(recorded_again(again))] if again else []
        found.append(Note(flipping(rows), (TURNED, FLIPS)))
        if baseline is not None and len({r.n // r.tasks for r in rows if not r.reference}) > 1:
            surplus = "Methods differ in trials: surplus ones have no partner in helped, harmed and flips."
            found.append(Note(surplus, (TURNED, FLIPS)))
    if any(r.interventions_per_episode for r in rows):
        counted = "Critiques: those that entered the actor's context or changed its action (interventions)."
        found.append(Note(counted, (CRITIQUES,)))
    if any(r.reference for r in rows):
        only = "References have another actor than the baseline: paired differences are taken within one actor only."
        found.append(Note(only))
    return [*found, *map(Note, (*marks(rows), *failures(rows), *asked(rows)))]


def repeated(rows: Sequence[Row], baseline: str | None) -> list[Row]:
    """The baseline itself, recorded in further runs."""
    base = next((r for r in rows if r.method == baseline), None)
    return [r for r in rows if base is not None and r is not base and r.digest == base.digest]


def recorded_again(rows: Sequence[Row]) -> str:
    """What the difference of a baseline to itself is."""
    names = ", ".join(clean(r.method) for r in rows)
    return f"The baseline was recorded again as {names}: that difference is chance, and no part of the family."


def counting(rows: Sequence[Row]) -> str:
    """What `solved` and its interval are."""
    how = " or ".join(text for kind, text in INTERVALS.items() if any(r.interval == kind for r in rows))
    return f"Solved: of all requested episodes, missing and failed ones included. 95 % intervals over tasks: {how}."


def comparing(deltas: Sequence[Delta], family: str, baseline: str | None) -> str:
    """What Δ is, by which test, and over which family its p-values are corrected."""
    against = "the baseline of the same run" if baseline is None else f"the baseline {clean(baseline)}"
    how = " or ".join(text for test, text in TESTS.items() if any(d.test == test for d in deltas))
    number = len(deltas)
    if baseline is None:
        over = "corrected within each run by the family that its experiment declares"
    else:
        over = f"corrected by {FAMILIES[family]} over {counted(number, 'comparison')}"
    tasks = counted(max(d.tasks for d in deltas), "task")
    return f"Δ: percentage points to {against}, paired over {tasks}; {how}; p {over}."


LEVEL = 0.05
"""Of the tests; the intervals are of 95 %."""


def disagreeing(rows: Sequence[Row]) -> list[str]:
    """Why an interval leaves out 0 though its p-value does not reach the level, or the other way round."""
    compared = [(r.method, r.delta) for r in rows if r.delta is not None]
    beyond = [clean(name) for name, d in compared if d.p_holm >= LEVEL and not d.ci[0] <= 0 <= d.ci[1]]
    within = [clean(name) for name, d in compared if d.p_holm < LEVEL and d.ci[0] <= 0 <= d.ci[1]]
    out = []
    if beyond:
        out.append(
            f"The intervals of {', '.join(beyond)} leave out 0 though p does not reach {LEVEL}: an interval stands for "
            "itself, p for the whole family and by another method. The p decides."
        )
    if within:
        out.append(
            f"The intervals of {', '.join(within)} hold 0 though p is below {LEVEL}: test and interval are different "
            "methods, and close calls can part them. The p decides."
        )
    return out


def flipping(rows: Sequence[Row]) -> str:
    """What helped, harmed and flips are, beside the rate at which the baseline flips against itself."""
    own = [r.aa_flip_rate for r in rows if is_baseline(r) and r.aa_flip_rate is not None]
    text = "Helped/harmed: episodes that only the method / only the baseline solved; flips: their share"
    if not own:
        return f"{text}. With one trial the share that chance alone flips (A/A) is unknown."
    low, high = percent(min(own)), percent(max(own))
    rate = low if low == high else f"{low}–{high}"
    return f"{text}. A/A: the share that the baseline's own trials flip against each other, {rate} %."


def marks(rows: Sequence[Row]) -> list[str]:
    """What the marks behind names mean here."""
    from cornerman.engine.instance import PRIVILEGED as FIELDS

    out = []
    seen = sorted({field for r in rows if r.privileged for field in r.information if field in FIELDS})
    if seen:
        out.append(f"{PRIVILEGED} privileged: sees what no agent has at test time ({', '.join(seen)}).")
    out += [f"{MARKS[m]} {text}." for m, text in MEANINGS.items() if any(m in r.marks for r in rows)]
    short = [r for r in rows if r.recorded < r.n]
    if short:
        each = ", ".join(f"{clean(r.method)} {r.recorded} of {r.n}" for r in short)
        whole = f"{sum(r.recorded for r in rows)} of {counted(sum(r.n for r in rows), 'episode')}"
        out.append(f"{INCOMPLETE} incomplete: {whole} ({each}); the missing ones count as not solved.")
    return out


def failures(rows: Sequence[Row]) -> list[str]:
    """Errors by class, episodes out of budget, critiques that failed, and verdicts that could not be read."""
    out = []
    for end in End:
        each = [(r.method, r.errors[end]) for r in rows if r.errors.get(end)]
        if each:
            out.append(f"Errors, counted as not solved: {end}, {POLICY[end].shown}: {total(each)}.")
    spent = [(r.method, r.out_of_budget) for r in rows if r.out_of_budget]
    if spent:
        out.append(f"Out of budget: {total(spent)} episodes were ended by it, and count with what they had reached.")
    failed = [(r.method, r.critic_errors) for r in rows if r.critic_errors]
    if failed:
        out.append(f"Critic errors: {total(failed)}; a critique that failed has no vote.")
    unread = [(r.method, r.unparsed) for r in rows if r.unparsed]
    if unread:
        out.append(f"Unread verdicts: {total(unread)}; a verdict that cannot be read has no vote.")
    return out


def asked(rows: Sequence[Row]) -> list[str]:
    """How the episodes fared in which the actor asked and was answered, beside those in which it was not."""
    out = []
    for row in rows:
        if row.asking is None:
            continue
        found = row.asking
        text = f"Asked and answered: {clean(row.method)} in {found.called} of {found.called + found.skipped} episodes"
        if found.pooled is not None:
            text += f", mean score {found.reward_called:.2f} with and {found.reward_skipped:.2f} without"
        if found.within is not None:
            text += f"; {found.within:+.2f} within {counted(found.tasks, 'task')} with both"
        out.append(f"{text}. The actor chose when to ask: this is no paired difference.")
    return out


def total(each: Sequence[tuple[str, int]]) -> str:
    """A sum, and what each method has of it: `7 (grader 4, reflect 3)`."""
    methods = ", ".join(f"{clean(method)} {number}" for method, number in each)
    return f"{sum(number for _, number in each)} ({methods})"
