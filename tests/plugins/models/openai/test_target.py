"""Model URIs: where a model lives, and where its key comes from."""

from __future__ import annotations

import pytest

from cornerman.errors import UsageError
from cornerman.model import Model
from cornerman.registry import Registry
from cornerman_plugins import register
from cornerman_plugins.models.openai import llamacpp_server, openai, vllm

TARGET = "http://localhost:8000/v1/#org/name:8b"


@pytest.fixture(autouse=True)
def _no_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for variable in ("OPENAI_API_KEY", "VLLM_API_KEY", "LLAMA_API_KEY", "MY_KEY"):
        monkeypatch.delenv(variable, raising=False)


@pytest.mark.parametrize("name", ["openai", "vllm", "llamacpp-server"])
def test_the_catalogue_knows_the_three_kinds(name: str) -> None:
    registry = Registry()
    register.register(registry)
    model = registry.get("model", name).load()(target=TARGET)
    assert isinstance(model, Model)
    assert model.name == f"{name}:http://localhost:8000/v1#org/name:8b"
    assert model.describe()["backend"] == name


def test_what_each_kind_can_do() -> None:
    assert openai(TARGET).capabilities == {"generate", "choices"}
    assert llamacpp_server(TARGET).capabilities == {"generate", "choices", "logprobs"}
    assert vllm(TARGET).capabilities == {"generate", "score", "logprobs", "token_ids", "choices", "regex"}
    assert vllm(TARGET, choices="none", logprobs=False).capabilities == {"generate", "score", "token_ids"}


def test_a_key_is_sent_only_to_the_kind_of_server_that_it_is_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-1")
    assert openai(TARGET).transport.endpoint.key == "sk-1"
    assert vllm(TARGET).transport.endpoint.key == ""
    assert llamacpp_server(TARGET).transport.endpoint.key == ""
    assert vllm(TARGET, key="OPENAI_API_KEY").transport.endpoint.key == "sk-1"


def test_a_named_key_must_be_there(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(UsageError, match="variable MY_KEY, which should hold the key of http://localhost:8000/v1"):
        openai(TARGET, key="MY_KEY")
    monkeypatch.setenv("MY_KEY", "two\nlines")
    with pytest.raises(UsageError, match="MY_KEY holds characters that no key can have"):
        openai(TARGET, key="MY_KEY")


@pytest.mark.parametrize(
    ("target", "sentence"),
    [
        ("localhost:8000/v1#m", "no http or https URL; write openai:http://localhost:8000/v1#NAME"),
        ("ftp://host/v1#m", "no http or https URL"),
        ("#m", "no http or https URL"),
        ("http://#m", "no http or https URL"),
        ("http://host:port/v1#m", "is no URL"),
        ("http://host/v1", "names no model; write openai:http://host/v1#NAME"),
        ("http://user:secret@host/v1#m", "no user, password or query"),
        ("http://host/v1?key=secret#m", "no user, password or query"),
    ],
)
def test_a_bad_target_is_one_sentence(target: str, sentence: str) -> None:
    with pytest.raises(UsageError) as error:
        openai(target)
    assert sentence in str(error.value)
    assert "secret" not in str(error.value)


def test_bad_numbers_are_refused() -> None:
    with pytest.raises(UsageError, match="must be positive"):
        openai(TARGET, timeout=0)
    with pytest.raises(UsageError, match="must be positive"):
        vllm(TARGET, connections=0)
