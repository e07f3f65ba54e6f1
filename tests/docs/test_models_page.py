"""The page of models against the registry, the factories' signatures and the backends' capabilities."""

from __future__ import annotations

import importlib.util
import inspect
from typing import Any

import pytest

from cornerman.engine.instance import split_sampling
from cornerman.engine.settings import SAMPLING_KEYS
from cornerman.errors import MissingExtra
from cornerman.models import split_uri
from cornerman.plugins import load
from tests.docs.pages import coded, read, rows, section

PAGE = read("models.md")
REGISTRY = load().registry
SERVERS = ("vllm", "openai", "llamacpp-server")
WORDS = {"score": "score", "logprobs": "log-probabilities", "token_ids": "token ids", "choices": "choices"}


def factory(name: str) -> Any:
    """A model's factory; skips where its extra is missing."""
    try:
        return REGISTRY.get("model", name).load()
    except MissingExtra as missing:
        pytest.skip(str(missing))


def options(name: str) -> dict[str, Any]:
    """Options of a model URI with their defaults."""
    return {p.name: p.default for p in inspect.signature(factory(name)).parameters.values() if p.name != "target"}


def test_every_model_has_a_row() -> None:
    listed = {row[0].strip("`") for row in rows(PAGE.partition("\n## ")[0])[1:]}
    assert listed == {e.name for e in REGISTRY.entries("model")}


@pytest.mark.parametrize("name", SERVERS)
def test_options_of_servers(name: str) -> None:
    head, *table = rows(section(PAGE, "Options of servers"))
    column = head.index(f"`{name}`")
    shown = {row[0].strip("`"): row[column].strip("`") for row in table if row[column] != "–"}
    assert shown == {k: repr(v).replace("'", '"') for k, v in options(name).items()}


@pytest.mark.parametrize("name", ["smollm2", "hf"])
def test_options_in_this_process(name: str) -> None:
    shown = {r[0].strip("`"): r[1].strip("`") for r in rows(section(PAGE, "Options of `smollm2` and `hf`"))[1:]}
    assert shown == {k: repr(v).replace("'", '"') for k, v in options(name).items()}


def test_options_of_llamacpp() -> None:
    shown = {r[0].strip("`"): r[1].strip("`") for r in rows(section(PAGE, "Options of `llamacpp`"))[1:]}
    assert shown == {k: repr(v).replace("'", '"') for k, v in options("llamacpp").items()}


@pytest.mark.parametrize("name", SERVERS)
def test_what_servers_can_do(name: str) -> None:
    model = factory(name)(target="http://localhost:9/v1#m")
    table = {row[0].strip("`"): row[3] for row in rows(PAGE.partition("\n## ")[0])}
    in_process = table["smollm2"]
    cell = table[name].replace("the same", in_process)
    for capability, word in WORDS.items():
        assert (word in cell) == (capability in model.capabilities), (name, capability)
    assert ("regular expressions" in cell) == ("regex" in model.capabilities)


def test_what_the_process_can_do() -> None:
    if importlib.util.find_spec("torch") is None:
        pytest.skip("the extra 'hf' is not installed")
    cell = next(row[3] for row in rows(PAGE) if row[0] == "`smollm2`")
    for capability, word in WORDS.items():
        assert (word in cell) == (capability in factory("hf").capabilities)


def test_sampling_options_are_named() -> None:
    assert set(SAMPLING_KEYS) <= coded(PAGE)


def test_the_uris_of_the_page_are_read_as_it_says() -> None:
    uri = "vllm:http://localhost:8000/v1#Qwen/Qwen3-4B,temperature=0.7"
    assert uri in PAGE
    plain, sampling = split_sampling(uri)
    assert sampling == {"temperature": 0.7}
    assert split_uri(str(plain)) == ("vllm", "http://localhost:8000/v1#Qwen/Qwen3-4B", {})


def test_the_promise_about_control_tokens_names_its_limit() -> None:
    """What the in-process backend promises is tested in tests/plugins/models/hf/test_chat.py."""
    part = section(PAGE, "Untrusted text")
    assert "`<|im_end|>`" in part
    assert "cannot promise anything" in part
