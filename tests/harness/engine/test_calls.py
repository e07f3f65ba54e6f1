"""`view.model`: every call is bound to a role, seeded by its place, recorded and accounted for."""

from __future__ import annotations

import asyncio
from typing import Any

import msgspec
import pytest
from tests.support.scripted_model import ScriptedModel
from tests.support.scripts import Ring, actor, critic, only

from cornerman import Critique
from cornerman.errors import End, ModelError, UsageError
from cornerman.model import Generation
from cornerman.records import Completion, Episode, Message, Usage
from cornerman.suites import Rules

PROMPT = [Message(role="user", content="What now?")]
TWO = Rules(max_turns=2)


def asking(n: int = 1, purpose: str = "act", **sampling: Any) -> Any:
    async def hook(view: Any, *subject: Any) -> Any:
        reply = await view.model.generate(PROMPT, n=n, purpose=purpose, **sampling)
        return "wait" if not subject else Critique(text=reply.text, call=reply.call)

    return hook


def talk(
    agent: Any = None, model: Any = None, uri: str = "scripted", bench: Any = None, **critics: Any
) -> tuple[Episode, Any]:
    """An episode of two turns in which actor and critics ask one model."""
    made = model or ScriptedModel(lambda messages: "hm")
    pairs = {n: (c, {"model": uri}) for n, c in critics.items()}
    ring = Ring(actor(agent or asking()), rules=TWO, **pairs)
    ring.table["actor"] = {"use": "scripted", "model": uri}
    episode = ring.play(bench=ring.bench(model=lambda uri: made, **(bench or {})))
    return episode, made


def test_calls_are_recorded_with_role_purpose_and_words() -> None:
    episode, _ = talk(helper=critic(review_turn=asking(purpose="advice")))
    turns = only(episode).turns
    assert [(c.id, c.role, c.plugin, c.purpose, c.kind, c.model) for c in episode.calls] == [
        (0, "actor", "scripted", "act", "generate", "scripted"),
        (1, "critic", "helper", "advice", "generate", "scripted"),
        (2, "actor", "scripted", "act", "generate", "scripted"),
        (3, "critic", "helper", "advice", "generate", "scripted"),
    ]
    assert [t.calls for t in turns] == [(0, 1), (2, 3)]
    assert [t.critiques[0].call for t in turns] == [1, 3]
    assert episode.calls[1].messages == tuple(PROMPT)
    assert episode.calls[1].completions[0].text == "hm"
    assert {r: (u.calls, u.prompt, u.output) for r, u in episode.usage.items()} == {
        "actor": (2, 2, 4),
        "critic": (2, 2, 4),
    }


def test_calls_that_run_together_have_ids_in_the_order_they_began() -> None:
    class Backwards(ScriptedModel):
        async def generate(self, messages: Any, sampling: Any, *, seeds: Any, session: str | None = None) -> Any:
            for _ in range(10 - len(self.asked)):
                await asyncio.sleep(0)
            return await super().generate(messages, sampling, seeds=seeds, session=session)

    critics = {n: critic(review_turn=asking(purpose=n)) for n in "abc"}
    episode, _ = talk("wait", Backwards(lambda messages: "hm"), **critics)
    assert [(c.id, c.plugin) for c in episode.calls] == list(enumerate("abcabc"))


def test_seeds_follow_the_place_and_samples_differ() -> None:
    drawn: list[tuple[int, ...]] = []

    class Watches(ScriptedModel):
        async def generate(self, messages: Any, sampling: Any, *, seeds: Any, session: str | None = None) -> Any:
            drawn.append(tuple(seeds))
            return await super().generate(messages, sampling, seeds=seeds, session=session)

    episode, _ = talk(asking(n=3), Watches(lambda messages: "hm"), helper=critic(review_turn=asking()))
    assert [len(s) for s in drawn] == [3, 1, 3, 1]
    assert len({s for group in drawn for s in group}) == 8
    assert [c.seed for c in episode.calls] == [s[0] for s in drawn]
    first = list(drawn)
    drawn.clear()
    talk(asking(n=3), Watches(lambda messages: "hm"), helper=critic(review_turn=asking()))
    assert drawn == first


def test_the_uris_sampling_wins_over_the_plug_ins() -> None:
    _, model = talk(asking(temperature=0.7, max_tokens=5), uri="scripted,temperature=0.1,top_p=0.5")
    sampling = model.asked[0].sampling
    assert (sampling.temperature, sampling.max_tokens, sampling.top_p) == (0.1, 5, 0.5)


def test_sessions_of_different_episodes_and_plug_ins_differ() -> None:
    _, one = talk(helper=critic(review_turn=asking()))
    _, two = talk(helper=critic(review_turn=asking()))
    sessions = [{a.session for a in m.asked} for m in (one, two)]
    assert [len(s) for s in sessions] == [2, 2]
    assert not sessions[0] & sessions[1]


def test_gates_cap_the_calls_of_a_role_and_waiting_is_queue_time() -> None:
    under_way, most = 0, 0

    class Counts(ScriptedModel):
        async def generate(self, messages: Any, sampling: Any, *, seeds: Any, session: str | None = None) -> Any:
            nonlocal under_way, most
            under_way += 1
            most = max(most, under_way)
            await asyncio.sleep(0.02)
            under_way -= 1
            return await super().generate(messages, sampling, seeds=seeds, session=session)

    critics = {n: critic(review_turn=asking()) for n in "abc"}
    talk("wait", Counts(lambda messages: "hm"), **critics)
    assert most == 3
    most = 0

    class Gates(dict):  # type: ignore[type-arg]
        """A semaphore belongs to the loop that first waits for it: made when it is asked for."""

        def get(self, role: Any, default: Any = None) -> Any:
            return self.setdefault(role, asyncio.Semaphore(1)) if role == "critic" else None

    episode, _ = talk("wait", Counts(lambda messages: "hm"), bench={"gates": Gates()}, **critics)
    assert most == 1
    first, second, third = (c.usage.queue_seconds for c in episode.calls[:3])
    assert first < second < third


@pytest.mark.parametrize(
    ("error", "end", "words"),
    [
        (ModelError("the server is gone"), End.MODEL_ERROR, "the server is gone"),
        (ValueError("odd"), End.MODEL_ERROR, "the model 'scripted' raised ValueError: odd"),
    ],
)
@pytest.mark.parametrize("when", ["at once", "later"])
def test_what_a_backend_raises_is_a_model_error_and_recorded(error: Exception, end: End, words: str, when: str) -> None:
    class Fails(ScriptedModel):
        def generate(self, *given: Any, **more: Any) -> Any:
            async def later() -> Any:
                raise error

            if when == "at once":
                raise error
            return later()

    episode, _ = talk(model=Fails())
    assert (episode.end, episode.error) == (end, words)
    assert [(c.error, c.usage.calls) for c in episode.calls] == [(words, 1)]


def test_too_few_completions_are_a_model_error() -> None:
    class Short(ScriptedModel):
        async def generate(self, *given: Any, **more: Any) -> Any:
            return Generation(completions=())

    episode, _ = talk(asking(n=2), Short())
    assert (episode.end, episode.error) == (End.MODEL_ERROR, "the model 'scripted' gave 0 of 2 completions")


def test_scores_are_recorded_and_need_a_model_that_can() -> None:
    async def scores(view: Any) -> str:
        assert view.model.capabilities == {"generate", "score", "logprobs"}
        reply = await view.model.score(PROMPT, ["wait", "down 1"], purpose="choose")
        return max(reply.completions, key=lambda c: c.logprob).text

    episode, _ = talk(scores, ScriptedModel(scores={"wait": -2.0, "down 1": -1.0}))
    assert (only(episode).turns[0].executed, episode.calls[0].kind, len(episode.calls[0].completions)) == (
        "down 1",
        "score",
        2,
    )

    class Mute(ScriptedModel):
        capabilities = frozenset({"generate"})  # type: ignore[assignment]

    with pytest.raises(UsageError, match="use a model that can score"):
        talk(lambda view: view.model.score(PROMPT, ["wait"]), Mute())


def test_a_misspelt_sampling_option_is_the_plug_ins_error() -> None:
    episode, _ = talk(asking(temprature=1.0))
    assert episode.end is End.ACTOR_ERROR
    assert "temprature" in (episode.error or "")


def test_a_plug_in_without_a_model_is_told_which_flag_gives_one() -> None:
    with pytest.raises(UsageError, match="actor 'scripted' needs a model: add --model actor=smollm2"):
        Ring(actor(asking())).play()
    with pytest.raises(UsageError, match="critic 'helper' needs a model: add --model helper=smollm2"):
        Ring(actor("wait"), helper=critic(review_turn=asking())).play()


def test_half_a_surrogate_pair_from_a_server_is_mended() -> None:
    class Broken(ScriptedModel):
        async def generate(self, *given: Any, **more: Any) -> Any:
            return Generation(completions=(Completion(text="wait \ud83d"),), usage=Usage(prompt=3))

    episode, _ = talk(model=Broken(), helper=critic(review_turn=asking()))
    assert episode.calls[0].completions[0].text == "wait \ufffd"
    assert msgspec.json.decode(msgspec.json.encode(episode), type=Episode) == episode


def test_the_bench_is_asked_for_the_model_by_its_uri_without_sampling() -> None:
    asked: list[str] = []
    ring = Ring(actor(asking()), rules=TWO)
    ring.table["actor"] = {"use": "scripted", "model": "vllm:http://host/v1#name,temperature=0.5"}

    def model(uri: str) -> Any:
        asked.append(uri)
        return ScriptedModel(lambda messages: "hm")

    ring.play(bench=ring.bench(model=model))
    assert set(asked) == {"vllm:http://host/v1#name"}
    assert ring.method().models == {"vllm:http://host/v1#name"}
