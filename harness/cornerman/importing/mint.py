"""Results of MINT (arXiv 2309.10691), one a line: `{"task": {"task_id": …}, "state": {"history": […], "success": …}}`.

The expert's feedback in a user's message becomes a critique that was delivered.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import msgspec

from cornerman.importing.messages import trace
from cornerman.importing.parsing import bad, lines, mapping, name
from cornerman.importing.traces import Exchange, Trace
from cornerman.records import Critique

FEEDBACK = re.compile(r"^Expert feedback:\s*(.*?)\s*(?=^You have \d+ steps? left|\Z)", re.MULTILINE | re.DOTALL)
EXPERT = "expert"
"""The label of the critic whose words the feedback is."""


def read(path: Path) -> Iterator[Trace]:
    """Every dialogue of a file."""
    for place, value in lines(path):
        table = mapping(value, place)
        task, state = mapping(table.get("task"), f"{place}, task"), mapping(table.get("state"), f"{place}, state")
        success = state.get("success")
        if success is not None and not isinstance(success, bool):
            bad(place, f"success is true or false, not {success!r:.40}")
        family = task.get("task_name")
        found = trace(
            state.get("history"),
            place,
            task=name(task.get("task_id"), place),
            family=family if isinstance(family, str) else "",
            success=success,
            score=None if success is None else float(success),
        )
        yield msgspec.structs.replace(found, exchanges=tuple(map(with_feedback, found.exchanges)))


def with_feedback(exchange: Exchange) -> Exchange:
    """A turn whose observation is parted from the expert's words."""
    found = FEEDBACK.search(exchange.observation)
    if found is None or not found[1]:
        return exchange
    rest = (exchange.observation[: found.start()] + exchange.observation[found.end() :]).strip()
    critique = Critique(text=found[1], critic=EXPERT, moment="review_turn", delivered=True)
    return msgspec.structs.replace(exchange, observation=rest, critiques=(critique,))
