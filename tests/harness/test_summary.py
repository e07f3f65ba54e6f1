"""The summary of run folders made by hand, where every number can be counted on one's fingers."""

from __future__ import annotations

import itertools
import json
from pathlib import Path
from typing import Any

import msgspec
import pytest
from tests.support.recorded import TASKS, call, episode, method, wins, write_run

from cornerman import Critique, Verdict
from cornerman.engine.method import build_method, method_settings
from cornerman.errors import End, UsageError
from cornerman.manifest import actor_digest, describe_method
from cornerman.records import Attempt, ContextItem, Turn, Usage
from cornerman.registry import Registry
from cornerman.stats import mcnemar_exact, newcombe_interval, paired_table, wilson_interval
from cornerman.store import EPISODES, MANIFEST
from cornerman.summary import Row, Summary, summarise
from cornerman.tally import interventions


def rows(summary: Summary) -> dict[str, Row]:
    return {r.method: r for r in summary.methods}


def test_every_requested_episode_is_in_the_denominator(tmp_path: Path) -> None:
    episodes = [
        *wins("alone", "11.0"),
        *wins("critic", "1..."),
        episode("t2", "critic", False, end=End.MODEL_ERROR, error="gone"),
        episode("t3", "critic", False, end=End.TIMEOUT),
    ]
    summary = summarise(write_run(tmp_path / "r", [method("alone"), method("critic")], episodes))
    alone, critic = summary.methods
    assert (summary.requested, summary.recorded) == (8, 6)
    assert (alone.n, alone.recorded, alone.successes, alone.success_rate) == (4, 3, 2, 0.5)
    assert (critic.n, critic.recorded, critic.successes, critic.success_rate) == (4, 3, 1, 0.25)
    assert alone.errors == {}
    assert critic.errors == {"model_error": 1, "timeout": 1}
    assert alone.ci == wilson_interval(2, 4)
    assert alone.score == 0.5  # the missing one scores nothing


def test_the_difference_is_that_of_the_paired_test(tmp_path: Path) -> None:
    episodes = [*wins("alone", "1000"), *wins("critic", "0111")]
    found = rows(summarise(write_run(tmp_path / "r", [method("alone"), method("critic")], episodes)))
    delta = found["critic"].delta
    table = paired_table([True, False, False, False], [False, True, True, True])
    assert delta is not None
    assert (delta.baseline, delta.difference, delta.helped, delta.harmed, delta.pairs) == ("alone", 0.5, 3, 1, 4)
    assert (delta.p, delta.p_holm, delta.test) == (mcnemar_exact(table), mcnemar_exact(table), "mcnemar")
    assert delta.ci == newcombe_interval(table)
    assert found["alone"].delta is None
    assert not found["alone"].reference


def test_p_values_are_corrected_over_the_methods_of_the_baselines_actor_alone(tmp_path: Path) -> None:
    tasks = [f"t{i}" for i in range(8)]
    names = ("alone", "good", "better", "gold")
    methods = [method("alone"), method("good"), method("better"), method("gold", actor="gold")]
    episodes = [episode(t, name, name != "alone") for t in tasks for name in names]
    found = rows(summarise(write_run(tmp_path / "r", methods, episodes, tasks=tasks)))
    assert found["gold"].delta is None
    assert found["gold"].reference
    good = found["good"].delta
    assert good is not None
    assert good.p_holm == pytest.approx(2 * good.p)  # Holm over two comparisons, not three


def test_max_t_is_used_where_the_experiment_declares_it(tmp_path: Path) -> None:
    tasks = [f"t{i}" for i in range(8)]
    methods = [method("alone"), method("one"), method("same")]
    episodes = [episode(t, name, name != "alone") for t in tasks for name in ("alone", "one", "same")]
    found = rows(summarise(write_run(tmp_path / "r", methods, episodes, tasks=tasks, family="max-t")))
    one = found["one"].delta
    assert one is not None
    assert one.p_holm == pytest.approx(one.p)  # two methods that do the same cost nothing


def test_trials_are_averaged_within_tasks_and_their_own_flips_are_counted(tmp_path: Path) -> None:
    first = wins("alone", "1100", actions=("a",)) + wins("critic", "1110", actions=("a",))
    second = wins("alone", "1010", trial=1, actions=("b",)) + wins("critic", "1110", trial=1, actions=("b",))
    methods = [method("alone"), method("critic")]
    found = rows(summarise(write_run(tmp_path / "r", methods, [*first, *second], trials=2)))
    alone, delta = found["alone"], found["critic"].delta
    assert (alone.n, alone.tasks, alone.successes) == (8, 4, 4)
    assert alone.interval == "clustered bootstrap"
    assert alone.aa_flip_rate == 0.5  # two of four tasks flip between their two trials
    assert delta is not None
    assert (delta.difference, delta.pairs, delta.helped, delta.harmed) == (0.25, 8, 2, 0)
    assert (delta.test, delta.tasks, delta.aa_flip_rate) == ("sign flip", 4, 0.5)


def test_trials_that_repeat_each_other_count_once(tmp_path: Path) -> None:
    episodes = [e for trial in (0, 1) for e in wins("alone", "1000", trial) + wins("critic", "1110", trial)]
    delta = summarise(write_run(tmp_path / "r", [method("alone"), method("critic")], episodes, trials=2))
    found = rows(delta)["critic"].delta
    assert found is not None
    assert (found.pairs, found.helped, found.aa_flip_rate) == (4, 2, 0.0)


def test_the_last_record_of_an_episode_counts(tmp_path: Path) -> None:
    episodes = [episode("t1", "alone", False, end=End.MODEL_ERROR), *wins("alone", "1111")]
    (row,) = summarise(write_run(tmp_path / "r", [method("alone")], episodes)).methods
    assert (row.recorded, row.successes, row.errors) == (4, 4, {})


def test_records_that_nobody_asked_for_do_not_count(tmp_path: Path) -> None:
    strange = [episode("t9", "alone", True), episode("t1", "alone", True, trial=1), episode("t1", "stranger", True)]
    summary = summarise(write_run(tmp_path / "r", [method("alone")], [*wins("alone", "0000"), *strange]))
    assert summary.recorded == 4
    assert summary.methods[0].successes == 0


def test_a_torn_last_line_is_left_out(tmp_path: Path) -> None:
    folder = write_run(tmp_path / "r", [method("alone")], wins("alone", "1111"))
    with (folder / EPISODES).open("ab") as file:
        file.write(b'{"task":')
    assert summarise(folder).recorded == 4


def test_a_run_without_a_record_is_all_failures(tmp_path: Path) -> None:
    (row,) = summarise(write_run(tmp_path / "r", [method("alone")], [])).methods
    assert (row.n, row.recorded, row.successes, row.turns_per_episode, row.tokens) == (4, 0, 0, 0.0, {})


def test_usage_is_summed_by_role_and_latency_is_that_of_single_calls(tmp_path: Path) -> None:
    def calls(seconds: float) -> list[Any]:
        return [
            call("actor", Usage(calls=1, prompt=100, cached=30, output=5, seconds=seconds, queue_seconds=0.5)),
            call("critic", Usage(calls=2, prompt=10, output=7, reasoning=3, seconds=10.0)),
        ]

    episodes = [episode(t, "m", calls=calls(s)) for t, s in zip(TASKS, (1.0, 2.0, 3.0, 9.0), strict=True)]
    (row,) = summarise(write_run(tmp_path / "r", [method("m")], episodes)).methods
    assert row.tokens["actor"] == Usage(calls=4, prompt=400, cached=120, output=20, seconds=15.0, queue_seconds=2.0)
    assert row.tokens["critic"] == Usage(calls=8, prompt=40, output=28, reasoning=12, seconds=40.0)
    assert row.calls == {"actor": 4, "critic": 8}
    assert row.latency["actor"] == {
        "p50": 2.5,
        "p95": pytest.approx(3 + 0.85 * 6),  # between the third and the fourth of four values
        "queue_p50": 0.5,
        "queue_p95": 0.5,
    }


def critique(ident: int, **fields: Any) -> Critique:
    return Critique(id=ident, critic="c", **fields)


def test_an_intervention_was_delivered_or_changed_the_action() -> None:
    turns = (
        Turn(index=0, critiques=(critique(0, delivered=True), critique(1, suppressed="pass"))),
        Turn(index=1, critiques=(critique(2, suppressed="suppress"),), changed_by=2),
        Turn(index=2, critiques=(critique(3, delivered=True),), changed_by=3),
        Turn(index=3, critiques=(critique(4, suppressed="suppress"),)),
    )
    attempt = Attempt(index=0, path="0", turns=turns)
    assert interventions(episode("t1", "m", attempts=(attempt,))) == 3


def test_words_at_an_attempts_end_count_when_a_later_attempt_carries_them() -> None:
    last_words = critique(7, text="Try the door.", delivered=True, moment="review_attempt")
    first = Attempt(index=0, path="0", critiques=(last_words,))
    carried = ContextItem(text="Try the door.", source="c", critique=7)
    second = Attempt(index=1, path="1", context=(carried,), critiques=(critique(8, delivered=True),))
    third = Attempt(index=2, path="2", context=(carried,))
    assert interventions(episode("t1", "m", attempts=(first,))) == 0
    assert interventions(episode("t1", "m", attempts=(first, second))) == 1
    assert interventions(episode("t1", "m", attempts=(first, second, third))) == 1


def test_critic_errors_and_unread_verdicts_are_counted_wherever_they_stand(tmp_path: Path) -> None:
    said = [critique(0, error="CriticError: no"), critique(1, verdict=Verdict.UNPARSED), critique(2, delivered=True)]
    at_end = Attempt(index=0, path="0", critiques=(critique(3, error="again"),))
    episodes = [episode("t1", "m", critiques=said, actions=("a", "b")), episode("t2", "m", attempts=(at_end,))]
    (row,) = summarise(write_run(tmp_path / "r", [method("m")], episodes)).methods
    assert (row.critic_errors, row.unparsed) == (2, 1)
    assert row.interventions_per_episode == 0.5  # over the two that are recorded
    assert row.turns_per_episode == 1.0


def test_the_summary_is_json_that_reads_back(tmp_path: Path) -> None:
    folder = write_run(tmp_path / "r", [method("alone"), method("c")], [*wins("alone", "1000"), *wins("c", "1110")])
    summary = summarise(folder)
    text = msgspec.json.encode(summary)
    assert msgspec.json.decode(text, type=Summary) == summary
    plain = json.loads(text)
    assert {"experiment", "suite", "panel", "rules", "requested", "recorded", "seconds", "methods"} <= set(plain)
    assert plain["methods"][0]["delta"] is None
    assert plain["methods"][1]["delta"]["helped"] == 2


@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        (lambda m: m.pop("methods"), "no manifest that this version of Cornerman reads"),
        (lambda m: m.update(baseline="nobody"), "damaged"),
        (lambda m: m.update(trials=0), "damaged"),
        (lambda m: m["suite"].update(tasks=[]), "damaged"),
        (lambda m: m["methods"][0].pop("actor_digest"), "actor_digest"),
    ],
)
def test_a_manifest_that_cannot_be_used_is_one_sentence(tmp_path: Path, spoil: Any, words: str) -> None:
    folder = write_run(tmp_path / "r", [method("alone")], wins("alone", "1111"))
    about = json.loads((folder / MANIFEST).read_text())
    spoil(about)
    (folder / MANIFEST).write_text(json.dumps(about))
    with pytest.raises(UsageError, match=words):
        summarise(folder)


def test_what_is_no_run_folder_is_said(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="is no run folder"):
        summarise(tmp_path)
    (tmp_path / "experiment.toml").write_text("")
    with pytest.raises(UsageError, match="stopped before the first episode"):
        summarise(tmp_path)


def digest(registry: Registry, actor: Any, models: dict[str, str] | None = None) -> str:
    made = build_method(registry, method_settings({"actor": actor}, "method"), models)
    return actor_digest(registry, made.actor)


def test_an_actor_is_its_plugin_options_and_model(registry: Registry) -> None:
    base = digest(registry, "llm-choose:model=smollm2")
    same = (
        digest(registry, "llm-choose", {"actor": "smollm2"}),
        digest(registry, "labelled=llm-choose:model=smollm2"),
        digest(registry, {"use": "llm-choose", "model": "smollm2", "candidates": 5}),  # the protocol's affair
    )
    assert set(same) == {base}
    assert digest(registry, "noisy-gold:p=0.3") == digest(registry, "noisy-gold")  # the default
    others = [
        digest(registry, "llm-choose:model=hf:elsewhere"),
        digest(registry, "llm-choose:model=smollm2,temperature=0.7"),
        digest(registry, "noisy-gold:follow=false"),
        digest(registry, "random"),
        digest(registry, "noisy-gold:p=0.2"),
        digest(registry, "noisy-gold:p=0.4"),
    ]
    assert all(a != b for a, b in itertools.combinations([base, *others], 2))


def test_a_manifest_names_who_plays(registry: Registry) -> None:
    settings = method_settings({"actor": "noisy-gold", "critic": ["rules", "gold-advice"], "name": "m"}, "method")
    described = describe_method(registry, build_method(registry, settings))
    assert (described["actor"], described["critics"]) == ("noisy-gold", ["rules", "gold-advice"])
    assert described["privileged"]


def test_what_asking_went_with_is_counted_over_recorded_episodes(tmp_path: Path) -> None:
    heard = Critique(text="left", moment="answer_request", delivered=True)
    unheard = Critique(text="", moment="answer_request", suppressed="empty")
    episodes = [
        *wins("alone", "1100"),
        episode("t1", "asks", True, critiques=[heard]),
        episode("t2", "asks", False, critiques=[heard]),
        episode("t3", "asks", True, critiques=[unheard]),
    ]
    found = rows(summarise(write_run(tmp_path / "r", [method("alone"), method("asks")], episodes)))
    assert found["alone"].asking is None
    asking = found["asks"].asking
    assert asking is not None
    assert (asking.called, asking.skipped, asking.reward_called, asking.reward_skipped) == (2, 1, 0.5, 1.0)
    assert (asking.pooled, asking.tasks, asking.within) == (-0.5, 0, None)


def test_what_asking_went_with_within_tasks(tmp_path: Path) -> None:
    heard = [Critique(text="left", moment="answer_request", delivered=True)]
    episodes = [
        episode("t1", "asks", True, trial=0, critiques=heard),
        episode("t1", "asks", False, trial=1),
        episode("t2", "asks", False, trial=0, critiques=heard),
        episode("t2", "asks", False, trial=1),
    ]
    summary = summarise(write_run(tmp_path / "r", [method("asks")], episodes, baseline="asks", trials=2))
    asking = summary.methods[0].asking
    assert asking is not None
    assert (asking.tasks, asking.within, asking.pooled) == (2, 0.5, 0.5)
