"""Episodes as Parquet, read back by DuckDB."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import duckdb
from tests.support.recorded import call, episode, method, wins, write_run

from cornerman import Critique
from cornerman.errors import End
from cornerman.parquet import FILE, write_parquet
from cornerman.records import Attempt, ContextItem, Turn, Usage


def ask(query: str) -> list[Any]:
    """The rows that answer a query."""
    answer = duckdb.sql(query)
    assert answer is not None
    return answer.fetchall()


def test_duckdb_counts_what_the_episodes_say(tmp_path: Path) -> None:
    said = [Critique(id=0, critic="c", text="No.", delivered=True)]
    usage = [call("actor", Usage(calls=1, prompt=9, cached=4, output=2)), call("critic", Usage(calls=1, prompt=1))]
    episodes = [
        *wins("alone", "1010"),
        episode(
            "t1",
            "critic",
            True,
            actions=("a", "b"),
            critiques=said,
            calls=usage,
            usage={
                "actor": usage[0].usage,
                "critic": usage[1].usage,
            },
        ),
        episode("t2", "critic", end=End.MODEL_ERROR, attempts=(), counted=None),
    ]
    path = write_parquet(write_run(tmp_path / "r", [method("alone"), method("critic")], episodes))
    assert path == tmp_path / "r" / FILE
    solved = ask(f"select method, count(*), sum(success::int) from '{path}' group by method order by method")
    assert solved == [("alone", 4, 2), ("critic", 2, 1)]
    columns = "turns, critiques, calls, prompt_tokens, cached_tokens, output_tokens"
    costs = ask(f"select {columns} from '{path}' where method = 'critic' and task = 't1'")
    assert costs == [(2, 1, 2, 10, 4, 2)]
    failed = ask(f"select \"end\", attempts, messages from '{path}' where \"end\" = 'model_error'")
    assert failed == [("model_error", 0, [])]


def test_messages_are_role_and_content_in_the_order_they_were_said(tmp_path: Path) -> None:
    turns = (
        Turn(index=0, executed="go east", observation="A hall.", delivered="A hall. (new)"),
        Turn(index=1, kind="request", observation=""),
        Turn(index=2, executed="open door", observation="It opens."),
    )
    context = (
        ContextItem(text="Mind the door.", source="c", at=1),
        ContextItem(text="It is locked.", source="c", at=2),
    )
    attempt = Attempt(index=0, path="0", goal="Leave.", opening="A room.", turns=turns, context=context)
    folder = write_run(tmp_path / "r", [method("m")], [episode("t1", "m", attempts=(attempt,))])
    path = write_parquet(folder)
    ((kind,),) = ask(f"select typeof(messages) from '{path}'")
    assert kind == 'STRUCT("role" VARCHAR, "content" VARCHAR)[]'
    ((chat,),) = ask(f"select messages from '{path}'")
    assert [(m["role"], m["content"]) for m in chat] == [
        ("system", "Leave."),
        ("user", "A room."),
        ("assistant", "go east"),
        ("user", "A hall. (new)"),
        ("user", "Mind the door."),
        ("user", "It is locked."),
        ("assistant", "open door"),
        ("user", "It opens."),
    ]


def test_the_last_record_is_the_one_that_is_compacted(tmp_path: Path) -> None:
    episodes = [episode("t1", "m", False, end=End.TIMEOUT), episode("t1", "m", True)]
    path = write_parquet(write_run(tmp_path / "r", [method("m")], episodes))
    assert ask(f"select success, \"end\" from '{path}'") == [(True, "success")]
    assert [p.name for p in path.parent.iterdir() if p.name.startswith(".")] == []
