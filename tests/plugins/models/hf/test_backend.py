"""The backend's manners, on a tiny random model: cache, limits, errors, cancelling, closing, description."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("torch", reason="needs the extra 'hf'")

import torch

from cornerman.errors import ContextOverflow, ModelError, UsageError
from cornerman.model import Model, Sampling
from cornerman.plugins import load
from cornerman_plugins.models.hf import job
from cornerman_plugins.models.hf.backend import HFModel, SmolLM2

Run = Callable[[Any], Any]
ANSWERS = ["take the apple", "take the red apple", "go to the door"]
FEW = Sampling(max_tokens=4)


def test_it_is_a_model_and_the_catalogue_makes_it(tiny_folder: Path, run: Run, user: Any) -> None:
    entry = load().registry.get("model", "hf")
    model = entry.load()(str(tiny_folder), dtype="float32")
    assert isinstance(model, Model)
    assert run(model.score(user("You are in the kitchen."), ANSWERS)).completions[0].logprob < 0
    run(model.aclose())
    assert load().registry.get("model", "smollm2").load() is SmolLM2


def test_registering_imports_no_torch() -> None:
    code = "import sys, cornerman.plugins as p; p.load(); print('torch' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def test_usage_tells_cached_from_fresh(tiny: Any, run: Run, user: Any) -> None:
    first = run(tiny.score(user("You are in the kitchen."), ANSWERS, session="a"))
    again = run(tiny.score(user("You are in the kitchen."), ANSWERS, session="a"))
    other = run(tiny.score(user("You are in the kitchen."), ANSWERS, session="b"))
    prompt = len(first.prompt_ids)
    beginnings = {c.ids[:n] for c in first.completions for n in range(1, len(c.ids))}
    assert (first.usage.prompt, first.usage.cached, first.usage.output) == (prompt + len(beginnings), 0, 0)
    assert (again.usage.prompt, again.usage.cached) == (1 + len(beginnings), prompt - 1), (
        "the last token's logits are new"
    )
    assert other.usage == pytest.approx(first.usage) or other.usage.cached == 0, "another session is billed in full"
    assert [c.logprobs for c in again.completions] == [pytest.approx(c.logprobs, abs=1e-4) for c in first.completions]


def test_the_cache_keeps_to_its_budget(tiny_folder: Path, run: Run, user: Any) -> None:
    # two layers, keys and values, two heads of 16 in float32: 512 bytes a token, in buffers of 128 tokens
    model = HFModel(str(tiny_folder), dtype="float32", cache_bytes=2 * 128 * 512)
    cached = []
    for session in ("a", "b", "a", "c", "b", "a", "a"):
        cached.append(run(model.score(user(f"This is {session}. " + "door " * 5), ["x"], session=session)).usage.cached)
    model.close()
    assert [c > 8 for c in cached] == [False, False, True, False, False, False, True]


def test_a_rewritten_history_is_computed_again(tiny: Any, run: Run, user: Any) -> None:
    run(tiny.score(user("the kitchen", "go to the door", "a table"), ANSWERS, session="rewrite"))
    for conversation in (user("the kitchen", "take the apple", "a door"), user("the desk")):
        kept = run(tiny.score(conversation, ANSWERS, session="rewrite"))
        fresh = run(tiny.score(conversation, ANSWERS))
        for a, b in zip(kept.completions, fresh.completions, strict=True):
            assert a.logprobs == pytest.approx(b.logprobs, abs=1e-4)


def test_one_session_used_twice_at_once(tiny: Any, run: Run, user: Any) -> None:
    async def both() -> Any:
        long = tiny.generate(user("the kitchen"), Sampling(max_tokens=30), seeds=[0, 1], session="twice")
        return await asyncio.gather(long, *(tiny.score(user("the kitchen"), [a], session="twice") for a in ANSWERS))

    together = run(both())
    alone = run(tiny.generate(user("the kitchen"), Sampling(max_tokens=30), seeds=[0, 1]))
    assert [c.ids for c in together[0].completions] == [c.ids for c in alone.completions]
    for answer, text in zip(together[1:], ANSWERS, strict=True):
        [scored] = run(tiny.score(user("the kitchen"), [text])).completions
        assert answer.completions[0].logprobs == pytest.approx(scored.logprobs, abs=1e-4)


def test_more_samples_than_the_batch_holds(tiny_folder: Path, tiny: Any, run: Run, user: Any) -> None:
    small = HFModel(str(tiny_folder), dtype="float32", max_batch=2)
    hot = Sampling(max_tokens=8, temperature=1)

    async def many() -> Any:
        return await asyncio.gather(*(small.generate(user("a desk"), hot, seeds=range(k, k + 3)) for k in range(4)))

    answers = run(many())
    small.close()
    for k, answer in enumerate(answers):
        alone = run(tiny.generate(user("a desk"), hot, seeds=range(k, k + 3)))
        assert [c.ids for c in answer.completions] == [c.ids for c in alone.completions]


def test_a_prompt_beyond_the_context_is_one_clear_sentence(tiny: Any, run: Run, user: Any) -> None:
    for ask in (tiny.generate(user("door " * 300), FEW, seeds=[0]), tiny.score(user("door " * 300), ["x"])):
        with pytest.raises(ContextOverflow, match=r"more than the 256 that model 'hf:tiny\d*' can take; shorten"):
            run(ask)
    assert run(tiny.score(user("door"), ["x"])).completions, "others are still answered"


def test_generation_ends_where_the_context_ends(tiny: Any, run: Run, user: Any) -> None:
    room = 256 - len(run(tiny.score(user("door " * 40), ["x"])).prompt_ids)
    sampling = Sampling(max_tokens=1000, temperature=3.0)
    answer = run(tiny.generate(user("door " * 40), sampling, seeds=range(8)))
    lengths = {len(c.ids) for c in answer.completions if c.finish == "length"}
    assert lengths == {room}


def test_a_long_prompt_is_run_in_pieces(tiny: Any, run: Run, user: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = run(tiny.score(user("take the red apple " * 12), ANSWERS))
    monkeypatch.setattr(job, "PIECE", 16)
    assert len(whole.prompt_ids) > 3 * 16
    pieces = run(tiny.score(user("take the green apple " * 12), ANSWERS))
    monkeypatch.undo()
    again = run(tiny.score(user("take the green apple " * 12), ANSWERS))
    for a, b in zip(pieces.completions, again.completions, strict=True):
        assert a.logprobs == pytest.approx(b.logprobs, abs=1e-4)


def test_what_it_cannot_do_is_a_model_error(tiny: Any, run: Run, user: Any) -> None:
    for sampling, match in (
        (Sampling(regex="a+"), "regular expression"),
        (Sampling(choices=()), "no choices"),
        (Sampling(temperature=-1), "temperature"),
        (Sampling(top_p=0), "top_p"),
    ):
        with pytest.raises(ModelError, match=match):
            run(tiny.generate(user("x"), sampling, seeds=[0]))
    with pytest.raises(ModelError, match="no seeds"):
        run(tiny.generate(user("x"), FEW, seeds=[]))
    with pytest.raises(ModelError, match="no continuations"):
        run(tiny.score(user("x"), []))


def test_an_error_in_the_thread_ends_its_requests_and_not_the_thread(
    tiny_folder: Path, run: Run, user: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = HFModel(str(tiny_folder), dtype="float32")
    engine = model._worker.engine
    before = run(model.score(user("a table"), ANSWERS, session="s")).completions
    with monkeypatch.context() as patch:

        def out_of_memory(segments: Any) -> Any:
            raise torch.OutOfMemoryError("no memory left")

        patch.setattr(engine.runner, "run", out_of_memory)
        with pytest.raises(ModelError, match=r"model 'hf:tiny\d*' failed: OutOfMemoryError: no memory left"):
            run(model.score(user("a table"), ANSWERS, session="s"))
    again = run(model.score(user("a table"), ANSWERS, session="s"))
    model.close()
    assert again.usage.cached == 0, "what a failed request had is not trusted"
    assert [c.logprobs for c in again.completions] == [pytest.approx(c.logprobs, abs=1e-4) for c in before]


def test_a_cancelled_request_frees_its_place(tiny_folder: Path, run: Run, user: Any) -> None:
    model = HFModel(str(tiny_folder), dtype="float32", max_batch=1)

    async def cancel() -> Any:
        long = asyncio.create_task(model.generate(user("x"), Sampling(max_tokens=200, temperature=5), seeds=[4]))
        waiting = asyncio.create_task(model.generate(user("y"), FEW, seeds=[0]))
        await asyncio.sleep(0.05)
        long.cancel()
        waiting.cancel()
        await asyncio.gather(long, waiting, return_exceptions=True)
        return await model.score(user("z"), ["x"])

    assert run(cancel()).completions
    model.close()


def test_closing_answers_what_is_queued_and_ends_the_thread(tiny_folder: Path, run: Run, user: Any) -> None:
    model = HFModel(str(tiny_folder), dtype="float32")

    async def close() -> Any:
        queued = [asyncio.create_task(model.generate(user("x"), FEW, seeds=[i])) for i in range(3)]
        await asyncio.sleep(0)
        await model.aclose()
        await model.aclose()
        return await asyncio.gather(*queued)

    assert len(run(close())) == 3
    assert not model._worker._thread.is_alive()
    with pytest.raises(ModelError, match="closed"):
        run(model.generate(user("x"), FEW, seeds=[0]))


def test_the_loop_is_free_while_the_model_works(tiny: Any, run: Run, user: Any) -> None:
    async def count() -> int:
        task = asyncio.create_task(tiny.generate(user("x"), Sampling(max_tokens=100, temperature=5), seeds=range(4)))
        ticks = 0
        while not task.done():
            await asyncio.sleep(0)
            ticks += 1
        return ticks

    assert run(count()) > 10


def test_it_describes_itself(tiny: Any, tiny_folder: Path) -> None:
    description = tiny.describe()
    assert description["dtype"] == "float32"
    assert description["context"] == 256
    assert description["threads"] == 1
    assert {"weights", "template", "torch", "transformers", "device"} <= set(description)
    other = HFModel(str(tiny_folder), dtype="bfloat16", template={"enable_thinking": False})
    assert other.describe()["weights"] == description["weights"]
    assert other.describe()["template"] != description["template"]
    assert other.describe()["dtype"] == "bfloat16"
    other.close()


def test_global_generators_are_left_alone(tiny: Any, run: Run, user: Any) -> None:
    before = torch.get_rng_state()
    run(tiny.generate(user("x"), Sampling(max_tokens=5, temperature=1), seeds=[1]))
    assert torch.equal(before, torch.get_rng_state())


@pytest.mark.parametrize(
    ("target", "options", "match"),
    [
        ("", {}, "name the model's folder"),
        ("no/such-model", {}, "no folder no/such-model"),
        ("FOLDER", {"dtype": "float23"}, "did you mean 'float32'"),
        ("FOLDER", {"threads": 0}, "threads=0"),
        ("FOLDER", {"device": "abacus"}, "cannot load the model"),
    ],
)
def test_mistakes_are_one_sentence(tiny_folder: Path, target: str, options: Any, match: str) -> None:
    with pytest.raises(UsageError, match=match):
        HFModel(str(tiny_folder) if target == "FOLDER" else target, **options)


def test_smollm2_takes_no_target() -> None:
    with pytest.raises(UsageError, match="no target"):
        SmolLM2("somewhere")
