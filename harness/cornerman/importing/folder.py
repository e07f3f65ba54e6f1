"""A run folder of imported traces: episodes whose turns nobody played here."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import msgspec

import cornerman
from cornerman.engine.method import MethodSettings
from cornerman.engine.settings import PluginSettings
from cornerman.errors import End, UsageError
from cornerman.experiment import Experiment, checked
from cornerman.importing.traces import Trace
from cornerman.parquet import write_parquet
from cornerman.records import Attempt, Candidate, ContextItem, Episode, LogEntry, Task, Turn
from cornerman.store import MANIFEST, SUMMARY, Writer, encode_episode
from cornerman.suites import Rules, Suite, digest_of
from cornerman.summary import summarise
from cornerman.workers.session import observation_hash

METHOD = "imported"
"""The method and the actor of every imported episode."""


def write(traces: Iterable[Trace], kind: str, source: Path, folder: Path) -> list[Episode]:
    """Write a run folder that must not be there yet. A trace that no record can hold leaves nothing behind."""
    episodes = episodes_of(list(traces), f"imported/{kind}", source)
    tasks = tuple({e.task.id: e.task for e in episodes}.values())
    turns = max(len(e.attempts[0].turns) for e in episodes)
    suite = Suite(name=f"imported-{folder.name}", tasks=tasks, rules=Rules(max_turns=max(1, turns)))
    trials = 1 + max(e.trial for e in episodes)
    actor = MethodSettings(name=METHOD, actor=PluginSettings(use=METHOD))
    experiment = checked(
        Experiment(name=folder.name, suite=suite.name, method=(actor,), trials=trials, baseline=METHOD), str(folder)
    )
    try:
        data = b"".join(encode_episode(e) for e in episodes)
    except ValueError as error:
        raise UsageError(f"{source}: a record cannot hold this: {error}") from error
    writer = Writer(folder, experiment)
    try:
        if not writer.fresh:
            raise UsageError(f"{folder} is there already; choose another --name")
        writer.write_json(MANIFEST, about(experiment, suite, kind, source))
        writer.append(data)
        write_parquet(folder)
        writer.write_json(SUMMARY, summarise(folder))
    except BaseException:
        writer.abandon()
        raise
    finally:
        writer.close()
    return episodes


def about(experiment: Experiment, suite: Suite, kind: str, source: Path) -> dict[str, Any]:
    """The manifest: where the traces are from, and what tables need."""
    digest = digest_of(["imported", kind, experiment.name])
    return {
        "cornerman": cornerman.__version__,
        "experiment": experiment.name,
        "trials": experiment.trials,
        "baseline": METHOD,
        "family": experiment.family,
        "seed": 0,
        "requested": len(suite.tasks) * experiment.trials,
        "imported": {
            "format": kind,
            "file": source.name,
            "sha256": hashlib.sha256(source.read_bytes()).hexdigest(),
        },
        "suite": {
            "name": suite.name,
            "panel": suite.panel,
            "rules": suite.rules_digest,
            "rules_in_full": {f: getattr(suite.rules, f) for f in Rules.__struct_fields__},
            "tasks": [task.id for task in suite.tasks],
        },
        "methods": [
            {
                "method": METHOD,
                "actor": METHOD,
                "actor_digest": digest,
                "critics": [],
                "memory": None,
                "protocol": "single",
                "models": {},
                "digest": digest,
                "information": [],
                "privileged": False,
                "counted": "last",
            }
        ],
    }


def episodes_of(traces: list[Trace], env: str, source: Path) -> list[Episode]:
    """Episodes; traces of one task that name no trial are its trials in order."""
    if not traces:
        raise UsageError(f"{source} holds no conversation")
    seen: Counter[str] = Counter()
    made: dict[tuple[str, int], Episode] = {}
    for trace in traces:
        trial = seen[trace.task] if trace.trial is None else trace.trial
        seen[trace.task] += 1
        if (trace.task, trial) in made:
            raise UsageError(f"{source}: task '{trace.task}' has two conversations of trial {trial}")
        made[trace.task, trial] = episode(trace, env, trial)
    return list(made.values())


def episode(trace: Trace, env: str, trial: int) -> Episode:
    """A trace as an episode of one attempt. An outcome that the file does not tell is not solved, out of turns."""
    score = trace.score if trace.score is not None else float(bool(trace.success))
    success = score == 1.0 if trace.success is None else trace.success
    known = trace.score is not None or trace.success is not None
    end = End.SUCCESS if success else End.FAILURE if known else End.TRUNCATED
    turns: list[Turn] = []
    context: list[ContextItem] = []
    for index, exchange in enumerate(trace.exchanges):
        critiques = [msgspec.structs.replace(c, id=len(context) + i) for i, c in enumerate(exchange.critiques)]
        context += [ContextItem(text=c.text, source=c.critic, critique=c.id, at=index + 1) for c in critiques]
        last = index + 1 == len(trace.exchanges)
        turns.append(
            Turn(
                index=index,
                origin="synthetic",
                candidates=(Candidate(text=exchange.action, thought=exchange.thought),),
                critiques=tuple(critiques),
                executed=exchange.action,
                chosen=0,
                observation=exchange.observation,
                reward=score if last else 0.0,
                score=score if last else 0.0,
                terminated=last and known,
            )
        )
    log = tuple(LogEntry(action=t.executed or "", hash=observation_hash(t.observation)) for t in turns)
    attempt = Attempt(
        index=0,
        path="0.0",
        goal=trace.goal,
        opening=trace.opening,
        turns=tuple(turns),
        log=log,
        context=tuple(context),
        end=end,
        success=success,
        score=score,
    )
    return Episode(
        task=Task(env=env, id=trace.task, family=trace.family, split="imported"),
        method=METHOD,
        trial=trial,
        seed=0,
        attempts=(attempt,),
        counted=0,
        success=success,
        score=score,
        end=end,
    )
