"""The files of other boards and harnesses, as figures.

tau2: `submission.json` of τ²-bench's board: `results`, by domain `pass_1` in per cent.
balrog: `summary.json` of BALROG (arXiv 2411.13543): `environments`, each with `progression_percentage`,
`standard_error` in per cent and `episodes_played`.
lm-eval: results of the lm-evaluation-harness: `results`, by task `METRIC,FILTER` with `METRIC_stderr,FILTER` beside it;
`n-samples`.
inspect: a log of Inspect, read by its own library.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, cast

import msgspec

from cornerman.errors import MissingExtra, UsageError, did_you_mean
from cornerman_leaderboards.elsewhere.figures import Figure, Format, checked, interval

LARGEST = 64_000_000
"""Bytes of a file that is read."""

Raw = tuple[str, str, str, float, float | None, int | None]
"""Label, part, metric, value, standard error and number of one figure; shares in [0,1]."""


def load(form: str, file: Path, suite: str, part: str | None, metric: str | None, label: str | None) -> Figure:
    """The one figure of a file that is meant. Raises `UsageError` where none or several are, naming them."""
    if form not in READERS:
        raise UsageError(f"unknown format '{form}'; {did_you_mean(form, READERS)}")
    try:
        if not file.is_file() or file.stat().st_size > LARGEST:
            raise UsageError(f"{file} is no file of at most {LARGEST // 10**6} MB")
        digest = hashlib.sha256(file.read_bytes()).hexdigest()
        found = list(READERS[form](file))
    except OSError as problem:
        raise UsageError(f"{file} cannot be read: {problem.strerror or problem}") from problem
    except (KeyError, TypeError, AttributeError, ValueError, RecursionError) as problem:
        what = f"{type(problem).__name__}: {problem}"
        raise UsageError(f"{file} is no {form} file as it is known here: {what}") from problem
    chosen = [r for r in found if part in (None, r[1]) and metric in (None, r[2])]
    if len(chosen) != 1:
        have = ", ".join(sorted({f"--part {r[1]} --metric {r[2]}" for r in (chosen or found)})[:12]) or "nothing"
        raise UsageError(f"{file} holds {len(chosen)} such figures, one is needed; it has: {have}")
    [(name, at, what, value, error, n)] = chosen
    figure = Figure(
        format=cast("Format", form),
        suite=suite,
        label=label or name,
        part=at,
        metric=what,
        value=value,
        ci=interval(value, error, n) if 0 <= value <= 1 else None,
        n=n,
        sha256=digest,
    )
    return checked(figure, str(file))


def tables(file: Path) -> dict[str, Any]:
    """A file of JSON that holds a table."""
    value = msgspec.json.decode(file.read_bytes())
    if not isinstance(value, dict):
        raise TypeError("it is no JSON object")
    return value


def tau2(file: Path) -> Iterator[Raw]:
    """τ²-bench: the share of tasks solved at the first trial, and at all of k trials, by domain."""
    said = tables(file)
    for domain, results in said["results"].items():
        for metric, value in (results or {}).items():
            if metric.startswith("pass_") and number(value) is not None:
                yield said["model_name"], domain, metric, value / 100, None, None


def balrog(file: Path) -> Iterator[Raw]:
    """BALROG: mean progression by environment."""
    said = tables(file)
    label = str(said.get("client", {}).get("model_id") or said.get("model_id") or file.parent.name)
    for environment, found in said["environments"].items():
        error, n = number(found.get("standard_error")), found.get("episodes_played")
        share = found["progression_percentage"] / 100
        yield label, environment, "progression", share, None if error is None else error / 100, n


def lm_eval(file: Path) -> Iterator[Raw]:
    """lm-evaluation-harness: every metric that is a share, by task."""
    said = tables(file)
    label = str(said.get("model_name") or said.get("config", {}).get("model") or file.parent.name)
    for task, metrics in said["results"].items():
        n = (said.get("n-samples") or {}).get(task, {}).get("effective")
        for key, value in metrics.items():
            metric, comma, kind = key.partition(",")
            if comma and not metric.endswith("_stderr") and number(value) is not None:
                yield label, task, key, value, number(metrics.get(f"{metric}_stderr,{kind}")), n


def inspect(file: Path) -> Iterator[Raw]:
    """Inspect: every metric of every scorer, with the standard error that it tells."""
    try:
        from inspect_ai.log import read_eval_log
    except ImportError as problem:
        raise MissingExtra("reading logs of Inspect", "inspect") from problem
    try:
        log = read_eval_log(str(file), header_only=True)
    except Exception as problem:  # whatever another's library says of a file that is no log
        raise ValueError(str(problem).partition("\n")[0]) from problem
    for score in log.results.scores if log.results is not None else []:
        metrics: Mapping[str, Any] = score.metrics
        error = metrics["stderr"].value if "stderr" in metrics else None
        for name, metric in metrics.items():
            if name != "stderr":
                n = log.results.completed_samples
                yield log.eval.model, f"{log.eval.task}/{score.name}", name, metric.value, number(error), n


def number(value: Any) -> float | None:
    """A number; None for what is none, as the words that stand where nothing was measured."""
    return float(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else None


READERS: dict[str, Callable[[Path], Iterator[Raw]]] = {
    "tau2": tau2,
    "balrog": balrog,
    "lm-eval": lm_eval,
    "inspect": inspect,
}
"""Every format by its name."""
