"""`cornerman export`: what the files hold, that `datasets` reads them, and that TRL trains on them as they are."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from tests.support.command import CommandLine
from tests.support.recorded import episode

from cornerman.errors import UsageError
from cornerman.exporting import export

EXPERIMENT = """
name = "played"
suite = "frozenlake-smoke"
trials = 3
[[method]]
name = "alone"
actor = { use = "noisy-gold", p = 0.4 }
[[method]]
name = "advised"
actor = { use = "noisy-gold", p = 0.4 }
critic = ["gold-advice"]
protocol = { use = "retry", attempts = 2 }
"""


@pytest.fixture(scope="module")
def command(tmp_path_factory: pytest.TempPathFactory) -> CommandLine:
    command = CommandLine(tmp_path_factory.mktemp("export"))
    (command.folder / "played.toml").write_text(EXPERIMENT, encoding="utf-8")
    done = command("run", "played.toml", "--no-validate")
    assert done.status == 0, done.err
    return command


def exported(command: CommandLine, form: str, *options: str) -> list[dict[str, Any]]:
    out = command.folder / f"{form}.parquet"
    report = command("export", "runs/played", "--format", form, "--out", str(out), "--json", *options).json
    rows: list[dict[str, Any]] = pq.read_table(out).to_pylist()
    assert report == {"file": str(out), "format": form, "rows": len(rows)}
    return rows


def test_a_number_that_no_column_holds_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot hold what an episode says"):
        export([episode("t1", "a", trial=2**70)], "parquet", tmp_path / "out.parquet")
    assert not (tmp_path / "out.parquet").exists()


def test_chats_take_turns_and_end_with_the_actor(command: CommandLine) -> None:
    solved, every = exported(command, "sft"), exported(command, "sft", "--all")
    assert 0 < len(solved) < len(every)
    assert all(row["success"] for row in solved)
    for row in every:
        roles = [m["role"] for m in row["messages"]]
        assert roles[0] == "system"
        assert roles[1:] == ["user", "assistant"] * (len(roles) // 2)
    assert {row["method"] for row in exported(command, "sft", "--all", "--method", "alone")} == {"alone"}


def test_pairs_part_after_the_same_words(command: CommandLine) -> None:
    chats: dict[tuple[str, bool], list[list[tuple[str, str]]]] = {}
    for row in exported(command, "sft", "--all"):
        said = [(m["role"], m["content"]) for m in row["messages"]]
        chats.setdefault((row["task"], row["success"]), []).append(said)

    def went(task: str, success: bool, path: list[tuple[str, str]]) -> bool:
        return any(chat[: len(path)] == path for chat in chats.get((task, success), ()))

    pairs = exported(command, "dpo")
    for row in pairs:
        prompt = [(m["role"], m["content"]) for m in row["prompt"]]
        [chosen], [rejected] = ([("assistant", row[k][0]["content"])] for k in ("chosen", "rejected"))
        assert prompt[-1][0] == "user"
        assert chosen != rejected
        assert went(row["task"], True, [*prompt, chosen])
        assert went(row["task"], False, [*prompt, rejected])
        assert not went(row["task"], True, [*prompt, rejected])


def test_what_cannot_be_exported_is_one_sentence(command: CommandLine) -> None:
    out = ("--out", str(command.folder / "x.parquet"))
    assert "did you mean 'dpo'?" in command.refused("export", "runs/played", "--format", "dpp", *out)
    assert "did you mean 'alone'?" in command.refused("export", "runs/played", "--method", "alon", *out)
    assert "cannot be written" in command.refused("export", "runs/played", "--out", "no/such/x.parquet")
    played = command("run", "--suite", "frozenlake-smoke", "--actor", "gold", "--limit", "1", "--name", "one")
    assert played.status == 0
    assert "there is nothing to export as dpo" in command.refused("export", "runs/one", "--format", "dpo", *out)


@pytest.mark.extra("train")
@pytest.mark.skipif(
    any(importlib.util.find_spec(p) is None for p in ("trl", "datasets", "torch")), reason="needs the extra 'train'"
)
def test_datasets_reads_them_and_trl_trains_on_them(command: CommandLine, tmp_path: Path) -> None:
    """One step of each trainer on a tiny random model, with the files as they are."""
    from datasets import load_dataset
    from tests.support.tiny import tiny_model
    from trl import DPOConfig, DPOTrainer, SFTConfig, SFTTrainer

    folder = tiny_model(tmp_path / "tiny")
    for form, trainer, config in (("sft", SFTTrainer, SFTConfig), ("dpo", DPOTrainer, DPOConfig)):
        assert exported(command, form)
        data = load_dataset(
            "parquet", data_files=str(command.folder / f"{form}.parquet"), split="train", cache_dir=str(tmp_path / "c")
        )
        settings = config(
            output_dir=str(tmp_path / form),
            max_steps=1,
            per_device_train_batch_size=2,
            max_length=256,
            report_to=[],
            save_strategy="no",
            use_cpu=True,
            bf16=False,
            model_init_kwargs={"dtype": "float32"},
        )
        done = trainer(model=str(folder), args=settings, train_dataset=data).train()
        assert done.global_step == 1
        assert done.training_loss > 0
