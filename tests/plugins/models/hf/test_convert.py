"""GGUF to a transformers folder: exact weights, one result for many processes, damage found."""

from __future__ import annotations

import json
import multiprocessing
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("torch", reason="needs the extra 'hf'")
pytest.importorskip("gguf", reason="needs the extra 'hf'")

import gguf
import torch
from transformers import AutoModelForCausalLM, AutoTokenizer

from cornerman.errors import UsageError
from cornerman_plugins.models.hf.convert import converted, write_folder

NAMES = {
    "model.embed_tokens": "token_embd",
    "model.norm": "output_norm",
    "lm_head": "output",
    "input_layernorm": "attn_norm",
    "post_attention_layernorm": "ffn_norm",
    "self_attn.q_proj": "attn_q",
    "self_attn.k_proj": "attn_k",
    "self_attn.v_proj": "attn_v",
    "self_attn.o_proj": "attn_output",
    "mlp.gate_proj": "ffn_gate",
    "mlp.up_proj": "ffn_up",
    "mlp.down_proj": "ffn_down",
}


def write_gguf(path: Path, model: Any, tokenizer: Any, **changes: Any) -> None:
    """Write a Llama as llama.cpp's converter does, with the rows of queries and keys in its order."""
    config = model.config
    writer = gguf.GGUFWriter(path, changes.get("architecture", "llama"))
    writer.add_block_count(config.num_hidden_layers)
    writer.add_context_length(config.max_position_embeddings)
    writer.add_embedding_length(config.hidden_size)
    writer.add_feed_forward_length(config.intermediate_size)
    writer.add_head_count(config.num_attention_heads)
    writer.add_head_count_kv(config.num_key_value_heads)
    writer.add_layer_norm_rms_eps(config.rms_norm_eps)
    writer.add_rope_freq_base(config.rope_parameters["rope_theta"])
    state = json.loads(tokenizer.backend_tokenizer.to_str())
    vocabulary = sorted(tokenizer.get_vocab().items(), key=lambda item: item[1])
    special = set(tokenizer.all_special_tokens)
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre(changes.get("pre", "smollm"))
    writer.add_token_list([token for token, _ in vocabulary])
    writer.add_token_types([3 if token in special else 1 for token, _ in vocabulary])
    writer.add_token_merges([" ".join(merge) for merge in state["model"]["merges"]])
    writer.add_bos_token_id(1)
    writer.add_eos_token_id(2)
    writer.add_chat_template(tokenizer.chat_template)
    for name, weight in model.state_dict().items():
        if name == "lm_head.weight" and config.tie_word_embeddings:
            continue
        array = weight.detach().numpy()
        for part, heads in (("q_proj", config.num_attention_heads), ("k_proj", config.num_key_value_heads)):
            if part in name:
                rows, columns = array.shape
                array = array.reshape(heads, 2, rows // heads // 2, columns).swapaxes(1, 2).reshape(rows, columns)
        stem = name.removesuffix(".weight")
        if stem.startswith("model.layers."):
            layer, part = stem.removeprefix("model.layers.").split(".", 1)
            writer.add_tensor(f"blk.{layer}.{NAMES[part]}.weight", array)
        else:
            writer.add_tensor(f"{NAMES[stem]}.weight", array)
    for name in changes.get("extra", ()):
        writer.add_tensor(name, model.model.norm.weight.detach().numpy())
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


@pytest.fixture
def parts(make_tiny: Any) -> tuple[Any, Any]:
    return make_tiny(tied=True)


@pytest.mark.parametrize("tied", [True, False])
def test_the_converted_model_is_the_original(tmp_path: Path, make_tiny: Any, tied: bool) -> None:
    model, tokenizer = make_tiny(tied=tied)
    write_gguf(tmp_path / "m.gguf", model, tokenizer)
    write_folder(tmp_path / "m.gguf", tmp_path / "folder", dtype=torch.float32)
    again = AutoModelForCausalLM.from_pretrained(tmp_path / "folder", dtype=torch.float32)
    words = AutoTokenizer.from_pretrained(tmp_path / "folder")
    text = "You take 12 red apples, caf\u00e9!\n\n  <|im_end|> ok"
    ids = tokenizer(text, return_tensors="pt").input_ids
    assert words(text).input_ids == ids[0].tolist()
    assert words.decode(ids[0]) == text
    with torch.no_grad():
        assert torch.allclose(again(ids).logits, model(ids).logits, atol=1e-5)
    assert (again.config.tie_word_embeddings, words.eos_token_id) == (tied, 2)
    assert words.chat_template == tokenizer.chat_template


def test_it_is_converted_once_and_again_when_damaged(
    tmp_path: Path, parts: tuple[Any, Any], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("CORNERMAN_CACHE", str(tmp_path / "cache"))
    write_gguf(tmp_path / "m.gguf", *parts)
    folder = converted(tmp_path / "m.gguf")
    assert folder.is_relative_to(tmp_path / "cache")
    written = (folder / "model.safetensors").stat().st_mtime_ns
    assert converted(tmp_path / "m.gguf") == folder
    assert (folder / "model.safetensors").stat().st_mtime_ns == written
    whole = (folder / "model.safetensors").read_bytes()
    (folder / "model.safetensors").write_bytes(whole[:-1] + bytes([whole[-1] ^ 1]))
    assert converted(tmp_path / "m.gguf") == folder
    assert "damaged" in capsys.readouterr().err
    assert (folder / "model.safetensors").read_bytes() == whole
    assert [p.name for p in folder.parent.iterdir() if "part" in p.name] == []


def _convert(path: Path, ready: Any, results: Any) -> None:
    ready.wait()
    results.put(str(converted(path)))


def test_two_processes_at_once_get_one_folder(
    tmp_path: Path, parts: tuple[Any, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CORNERMAN_CACHE", str(tmp_path / "cache"))
    write_gguf(tmp_path / "m.gguf", *parts)
    context = multiprocessing.get_context("spawn")
    ready, results = context.Barrier(2), context.Queue()
    processes = [context.Process(target=_convert, args=(tmp_path / "m.gguf", ready, results)) for _ in range(2)]
    for process in processes:
        process.start()
    folders = {results.get(timeout=300) for _ in processes}
    for process in processes:
        process.join()
        assert process.exitcode == 0
    [folder] = folders
    assert [p for p in Path(folder).parent.iterdir() if p.is_dir()] == [Path(folder)]


@pytest.mark.parametrize(
    ("changes", "match"),
    [
        ({"architecture": "qwen2"}, "architecture 'qwen2'"),
        ({"pre": "llama-bpe"}, "pre-tokenizer 'llama-bpe'"),
        ({"extra": ["blk.0.attn_q_norm.weight"]}, "blk.0.attn_q_norm.weight"),
        ({"extra": ["rope_freqs.weight"]}, "rotary"),
    ],
)
def test_what_it_does_not_know_is_refused(tmp_path: Path, parts: tuple[Any, Any], changes: Any, match: str) -> None:
    write_gguf(tmp_path / "m.gguf", *parts, **changes)
    with pytest.raises(UsageError, match=match):
        write_folder(tmp_path / "m.gguf", tmp_path / "folder")


def test_a_file_that_is_no_gguf(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CORNERMAN_CACHE", str(tmp_path / "cache"))
    (tmp_path / "m.gguf").write_bytes(b"not a model" * 100)
    with pytest.raises(UsageError, match=r"cannot read .* as a GGUF file"):
        converted(tmp_path / "m.gguf")
    with pytest.raises(UsageError, match="cannot read the GGUF file"):
        converted(tmp_path / "none.gguf")
