"""`llm-choose` on a scripted model."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import pytest
from tests.support.play import catalogue, method, play
from tests.support.scripted_model import ScriptedModel

from cornerman import Candidate, Critique, Verdict, hookimpl
from cornerman.engine.view import View
from cornerman.errors import End, UsageError
from cornerman.records import Episode
from cornerman.suites import Rules

SCORES = {"down 1": -2.0, "down 2": -1.0, "wait": -1.5}
"""Sums; a token, with 3 tokens for "down N" and 2 for "wait": -0.67, -0.33, -0.75."""


def choose(model: ScriptedModel, turns: int = 1, uri: str = "scripted", **options: Any) -> Episode:
    table = {k: options.pop(k) for k in ("critic", "protocol", "plugins", "rules", "seed", "trial") if k in options}
    registry = catalogue(**table.pop("plugins", {}))
    rules = table.pop("rules", Rules(max_turns=turns))
    actor = {"use": "llm-choose", "model": uri, "normalise": False, **options}
    return play(registry, rules=rules, model=lambda uri: model, actor=actor, **table)


def test_it_takes_the_most_probable_command_and_reports_the_renormalised_distribution() -> None:
    episode = choose(model := ScriptedModel(scores=SCORES))
    [turn] = episode.attempts[0].turns
    [candidate] = turn.candidates
    z = sum(math.exp(v) for v in SCORES.values())
    p = {k: math.exp(v) / z for k, v in SCORES.items()}
    assert turn.executed == candidate.text == "down 2"
    assert candidate.logprob == pytest.approx(math.log(p["down 2"]))
    assert candidate.entropy == pytest.approx(-sum(q * math.log(q) for q in p.values()))
    assert candidate.call == episode.calls[0].id == 0
    assert (episode.calls[0].role, episode.calls[0].purpose) == ("actor", "act")
    assert model.asked[0].texts == ("down 1", "down 2", "wait")


def test_several_candidates_are_the_best_ones_in_order() -> None:
    [turn] = choose(ScriptedModel(scores=SCORES), candidates=2).attempts[0].turns
    assert [c.text for c in turn.candidates] == ["down 2", "wait"]
    [turn] = choose(ScriptedModel(scores=SCORES), candidates=9).attempts[0].turns
    assert [c.text for c in turn.candidates] == ["down 2", "wait", "down 1"]


def test_normalising_divides_by_the_number_of_tokens() -> None:
    [turn] = choose(ScriptedModel(scores=SCORES), candidates=3, normalise=True).attempts[0].turns
    assert [c.text for c in turn.candidates] == ["down 2", "down 1", "wait"]
    assert sum(math.exp(c.logprob or 0) for c in turn.candidates) == pytest.approx(1)


def test_commands_are_listed_in_the_prompt_on_request() -> None:
    choose(model := ScriptedModel(scores=SCORES))
    assert model.asked[0].last == "Task: Reach exactly zero.\n\nThe counter shows 5."
    choose(model := ScriptedModel(scores=SCORES), list_commands=True)
    assert "You can: down 1, down 2, wait." in model.asked[0].last


def drawn(**options: Any) -> list[str]:
    scores = dict.fromkeys(SCORES, -1.0)
    found = []
    for trial in range(12):
        [turn] = choose(ScriptedModel(scores=scores), trial=trial, **options).attempts[0].turns
        found.append(turn.executed or "")
    return found


def test_a_temperature_samples_by_the_seed_of_the_place() -> None:
    assert len(set(drawn(temperature=1.0))) > 1
    assert drawn(temperature=1.0) == drawn(temperature=1.0)
    assert drawn(temperature=1.0) != drawn(temperature=1.0, seed=1)
    assert set(drawn()) == {"down 1"}


def test_a_temperature_in_the_model_uri_wins() -> None:
    assert set(drawn(uri="scripted,temperature=0", temperature=1.0)) == {"down 1"}
    assert len(set(drawn(uri="scripted,temperature=1"))) > 1


def test_without_admissible_commands_it_says_what_to_use() -> None:
    episode = choose(ScriptedModel(), rules=Rules(show_admissible=False))
    assert episode.end is End.ACTOR_ERROR
    assert "llm-react" in (episode.error or "")


def test_a_model_that_cannot_score_is_named() -> None:
    model = ScriptedModel()
    model.capabilities = frozenset({"generate"})
    with pytest.raises(UsageError, match="smollm2"):  # a wrong method, and no bad rollout
        choose(model)


def test_a_model_without_log_probabilities_is_an_error_and_no_choice() -> None:
    episode = choose(ScriptedModel(scores=lambda messages, text: -math.inf))
    assert episode.end is End.MODEL_ERROR
    assert "none of 3 texts" in (episode.error or "")


@pytest.mark.parametrize("options", [{"candidates": 0}, {"temperature": -1}])
def test_impossible_options_are_refused(options: dict[str, Any]) -> None:
    with pytest.raises(UsageError, match=next(iter(options))):
        method(catalogue(), actor={"use": "llm-choose", **options})


def critic(verdict: Verdict, text: str, only: str = "down 2") -> type:
    class Reviews:
        @hookimpl
        def review_action(self, view: View, candidates: Sequence[Candidate]) -> list[Critique]:
            return [
                Critique(verdict=verdict, text=text) if c.text == only or not only else Critique(verdict=Verdict.PASS)
                for c in candidates
            ]

    return Reviews


def test_a_revision_scores_again_after_the_critics_words() -> None:
    def heeds(messages: Sequence[Any], text: str) -> float:
        told = any("too far" in m.content for m in messages)
        return {"down 1": -0.5}.get(text, -2.0) if told else SCORES[text]

    model = ScriptedModel(scores=heeds)
    episode = choose(model, critic=["says"], plugins={"critic_says": critic(Verdict.REVISE, "too far")})
    [turn] = episode.attempts[0].turns
    act, revise = model.asked
    assert (turn.executed, [r.text for r in turn.revisions]) == ("down 1", ["down 1"])
    assert turn.changed_by == turn.critiques[0].id
    assert revise.messages[: len(act.messages)] == act.messages
    assert [m.role for m in revise.messages[len(act.messages) :]] == ["assistant", "user"]
    assert revise.messages[-2].content == "down 2"
    assert revise.last.startswith("Advice: too far\n\nAnswer again")
    assert revise.texts == ("down 1", "down 2", "wait")
    assert [c.purpose for c in episode.calls] == ["act", "revise"]


def test_an_unconvinced_actor_may_keep_its_draft() -> None:
    episode = choose(
        ScriptedModel(scores=SCORES), critic=["says"], plugins={"critic_says": critic(Verdict.REVISE, "hm")}
    )
    [turn] = episode.attempts[0].turns
    assert (turn.executed, turn.changed_by) == ("down 2", None)


def test_the_words_on_a_draft_stand_in_the_later_prompts_too() -> None:
    model = ScriptedModel(scores=SCORES)
    choose(model, 2, critic=["says"], plugins={"critic_says": critic(Verdict.REVISE, "too far")})
    assert model.asked[2].messages[1].content.endswith("The counter shows 5.\n\nAdvice: too far")
    assert model.asked[2].messages[2].content == "down 2"


def test_a_block_excludes_what_was_blocked() -> None:
    model = ScriptedModel(scores=SCORES)
    episode = choose(model, critic=["bans"], plugins={"critic_bans": critic(Verdict.BLOCK, "banned")})
    assert episode.attempts[0].turns[0].executed == "wait"
    assert model.asked[1].texts == ("down 1", "wait")


def test_a_block_without_words_excludes_as_well() -> None:
    model = ScriptedModel(scores=SCORES)
    episode = choose(model, critic=["bans"], plugins={"critic_bans": critic(Verdict.BLOCK, "")})
    assert episode.attempts[0].turns[0].executed == "wait"
    assert model.asked[1].last.startswith("That was not accepted.")


def test_a_block_of_every_candidate_excludes_them_all() -> None:
    model = ScriptedModel(scores=SCORES)
    plugins = {"critic_bans": critic(Verdict.BLOCK, "banned", only="")}
    episode = choose(model, critic=["bans"], plugins=plugins, candidates=2)
    assert model.asked[1].texts == ("down 1",)
    assert episode.attempts[0].turns[0].executed == "down 1"


def test_where_everything_is_blocked_the_protocol_decides() -> None:
    plugins = {"critic_bans": critic(Verdict.BLOCK, "banned", only="")}
    protocol = {"use": "single", "on_block": "end"}
    model = ScriptedModel(scores=SCORES)
    episode = choose(model, critic=["bans"], plugins=plugins, candidates=3, protocol=protocol)
    assert episode.end is End.STOPPED
    assert len(model.asked) == 1


def test_words_on_the_chosen_candidate_show_that_candidate_as_the_draft() -> None:
    class Prefers:
        @hookimpl
        def review_action(self, view: View, candidates: Sequence[Candidate]) -> list[Critique]:
            return [
                Critique(verdict=Verdict.REVISE, score=1.0 if c.text == "wait" else 0.0, text=f"on {c.text}")
                for c in candidates
            ]

    model = ScriptedModel(scores=SCORES)
    choose(model, critic=["prefers"], plugins={"critic_prefers": Prefers}, candidates=2)
    assert model.asked[1].messages[-2].content == "wait"
    assert model.asked[1].last.startswith("Advice: on wait\n\nAnswer")


def test_samples_may_repeat_a_command_where_they_are_to_be_counted() -> None:
    scores = {"down 1": math.log(0.1), "down 2": math.log(0.8), "wait": math.log(0.1)}
    options = {"candidates": 8, "temperature": 1.0, "distinct": False}
    [turn] = choose(ScriptedModel(scores=scores), **options).attempts[0].turns
    offered = [c.text for c in turn.candidates]
    assert (len(offered), offered.count("down 2") > 3) == (8, True)
    [voted] = choose(ScriptedModel(scores=scores), critic=["self-consistency"], **options).attempts[0].turns
    assert ([c.text for c in voted.candidates], voted.executed) == (offered, "down 2")
    with pytest.raises(UsageError, match="temperature"):
        choose(ScriptedModel(), distinct=False)


class Objects:
    """Blocks `down 2` and sends the rest back."""

    @hookimpl
    def review_action(self, view: View, candidates: list[Candidate]) -> list[Critique]:
        verdicts = [Verdict.BLOCK if c.text == "down 2" else Verdict.REVISE for c in candidates]
        return [Critique(verdict=v, text=f"{v} {c.text}") for v, c in zip(verdicts, candidates, strict=True)]


def test_told_of_every_candidate_it_leaves_out_the_blocked_one_alone() -> None:
    table = {"plugins": {"critic_objects": Objects}, "critic": ["objects"], "candidates": 2}
    model = ScriptedModel(scores=SCORES)
    [turn] = choose(model, protocol={"use": "single", "revise_on": "all"}, **table).attempts[0].turns
    assert model.asked[1].texts == ("down 1", "wait")
    assert "1. down 2\nAdvice: block down 2\n\n2. wait\nAdvice: revise wait\n\nAnswer again" in model.asked[1].last
    assert turn.executed == "wait"
