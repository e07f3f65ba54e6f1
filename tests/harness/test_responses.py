"""The response cache: the same question is answered once, by whichever process asked first; trials share nothing."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.support.scripted_model import ScriptedModel
from tests.support.scripts import Ring, actor

from cornerman.errors import UsageError
from cornerman.model import Generation, Sampling
from cornerman.records import Completion, Episode, Message, Usage
from cornerman.responses import Responses, key
from cornerman.suites import Rules

PROMPT = [Message(role="user", content="What now?")]
ANSWER = Generation(completions=(Completion(text="wait", ids=(1, 2), logprobs=(-0.5, -0.25)),), usage=Usage(output=2))
SAMPLING = Sampling(temperature=1.0)


async def act(view: Any) -> str:
    await view.model.generate(PROMPT, n=2, temperature=1.0)
    await view.model.score(PROMPT, ["wait", "go"])
    return "wait"


def play(cache: Responses, model: ScriptedModel, trial: int = 0) -> Episode:
    ring = Ring(actor(act), rules=Rules(max_turns=2))
    ring.table["actor"] = {"use": "scripted", "model": "scripted"}
    return ring.play(bench=ring.bench(model=lambda uri: model, responses=cache), trial=trial)


@pytest.fixture
def cache(tmp_path: Path) -> Any:
    opened = Responses(tmp_path / "new" / "responses.sqlite")
    yield opened
    opened.close()


def test_an_episode_played_again_asks_nothing_and_pays_the_same(cache: Responses) -> None:
    model = ScriptedModel(lambda messages: f"answer {len(model.asked)}")
    first, asked = play(cache, model), len(model.asked)
    # the same words are scored at both turns; the samples have other seeds at each
    assert (asked, first.usage["actor"].calls, first.usage["actor"].hits) == (3, 4, 1)
    again = play(cache, model)
    assert len(model.asked) == asked
    assert [c.completions for c in again.calls] == [c.completions for c in first.calls]
    paid, free = first.usage["actor"], again.usage["actor"]
    assert (free.calls, free.prompt, free.output) == (paid.calls, paid.prompt, paid.output)
    assert (free.hits, free.seconds, free.queue_seconds) == (4, 0.0, 0.0)


def test_trials_are_not_answered_from_each_other(cache: Responses) -> None:
    model = ScriptedModel(lambda messages: "hm")
    play(cache, model)
    asked = len(model.asked)
    assert play(cache, model, trial=1).usage["actor"].hits == 1
    assert len(model.asked) == 2 * asked


def test_another_question_has_another_key() -> None:
    class Other(ScriptedModel):
        def describe(self) -> dict[str, Any]:
            return super().describe() | {"threads": 7}

    class Answered(ScriptedModel):
        def describe(self) -> dict[str, Any]:
            return super().describe() | {"checkpoint": "named with the first answer"}

    model = ScriptedModel()
    base = key(model, 0, PROMPT, SAMPLING, [1])
    assert base == key(Answered(), 0, PROMPT, SAMPLING, [1])
    others = [
        key(model, 1, PROMPT, SAMPLING, [1]),
        key(model, 0, [*PROMPT, *PROMPT], SAMPLING, [1]),
        key(model, 0, PROMPT, Sampling(temperature=0.9), [1]),
        key(model, 0, PROMPT, SAMPLING, [2]),
        key(model, 0, PROMPT, SAMPLING, [1, 2]),
        key(model, 0, PROMPT, ["wait"]),
        key(model, 0, PROMPT, ["wa", "it"]),
        key(Other(), 0, PROMPT, SAMPLING, [1]),
    ]
    assert len({base, *others}) == 9


WRITER = """
import asyncio, sys
from pathlib import Path
from cornerman.model import Generation
from cornerman.records import Completion
from cornerman.responses import Responses

async def main(path, name):
    cache = Responses(path)
    for i in range(200):
        await cache.keep(i.to_bytes(4, "big"), Generation(completions=(Completion(text=name),)))
    print(sum([(await cache.find(i.to_bytes(4, "big"))) is not None for i in range(200)]))

asyncio.run(main(Path(sys.argv[1]), sys.argv[2]))
"""


def test_processes_write_one_file_at_once(tmp_path: Path) -> None:
    path = tmp_path / "responses.sqlite"
    writers = [
        subprocess.Popen([sys.executable, "-c", WRITER, str(path), name], stdout=subprocess.PIPE, text=True)
        for name in "abc"
    ]
    assert [w.communicate()[0].strip() for w in writers] == ["200"] * 3
    cache = Responses(path)
    assert {asyncio.run(cache.find(i.to_bytes(4, "big"))) is None for i in range(201)} == {False, True}
    cache.close()


def test_an_answer_survives_whole_and_the_first_one_stays(cache: Responses) -> None:
    async def twice() -> Generation | None:
        await cache.keep(b"k", ANSWER)
        await cache.keep(b"k", Generation(completions=()))
        return await cache.find(b"k")

    assert asyncio.run(twice()) == ANSWER
    assert asyncio.run(cache.find(b"other")) is None


def test_a_file_that_is_no_cache_is_one_sentence(tmp_path: Path) -> None:
    path = tmp_path / "responses.sqlite"
    path.write_text("not a database, and long enough to be read as a header of one, or so one would think\n" * 20)
    with pytest.raises(UsageError, match=r"responses\.sqlite cannot be used: .*delete it, or run without --cache"):
        Responses(path)
