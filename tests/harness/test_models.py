"""Model URIs, and the backends that they open once."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from cornerman.errors import UsageError
from cornerman.models import Models, split_uri
from cornerman.registry import Registry


class Backend:
    """Keeps what it was made with."""

    closed = 0

    capabilities = frozenset({"score", "generate"})

    def __init__(self, target: str = "", *, size: int = 1, name: str = "", fail: str = "") -> None:
        self.made = (target, size, name)
        if fail:
            raise {"value": ValueError, "os": OSError, "type": TypeError}[fail]("not today")

    async def aclose(self) -> None:
        Backend.closed += 1
        raise RuntimeError("cannot be closed")

    def describe(self) -> dict[str, Any]:
        return {"made": self.made}


@pytest.fixture
def models(registry: Registry) -> Models:
    registry.add("model", "backend", Backend)
    return Models(registry)


@pytest.mark.parametrize(
    ("uri", "parts"),
    [
        ("smollm2", ("smollm2", "", {})),
        ("vllm:http://h:8000/v1#org/name", ("vllm", "http://h:8000/v1#org/name", {})),
        ("hf:a/b,dtype=f32,threads=2,x=0.5,y=true", ("hf", "a/b", {"dtype": "f32", "threads": 2, "x": 0.5, "y": True})),
        ("x:y,z=", ("x", "y", {"z": ""})),
        ("x:y,z=a=b", ("x", "y", {"z": "a=b"})),
    ],
)  # fmt: skip
def test_uris(uri: str, parts: tuple[str, str, dict[str, Any]]) -> None:
    assert split_uri(uri) == parts


@pytest.mark.parametrize(
    ("uri", "said"),
    [
        ("backend:t,size", "'size' is not of the form KEY=VALUE"),
        ("backend:t,size=1,size=2", "'size' is given twice"),
        ("backend:t,target=u", "'target' is given twice"),
        ("backend:t,size=big", "option 'size' of 'backend': Expected `int`"),
        ("backend:t,siz=1", "did you mean 'size'?"),
        ("backnd:t", "unknown model 'backnd'; did you mean 'backend'?"),
        ("", "unknown model ''"),
        ("backend:t,fail=value", "model 'backend:t,fail=value' cannot be opened: not today"),
        ("backend:t,fail=os", "cannot be opened: not today"),
        ("backend:t,fail=type", "cannot be opened: not today"),
    ],
)
def test_bad_uris_are_one_sentence(models: Models, uri: str, said: str) -> None:
    with pytest.raises(UsageError) as error:
        models(uri)
    assert said in str(error.value)


def test_a_uri_is_opened_once_and_all_are_closed(models: Models) -> None:
    first = models("backend:t,size=2")
    assert models("backend:t,size=2") is first
    assert models("backend:t") is not first
    assert models.describe() == {
        "backend:t,size=2": {"capabilities": ["generate", "score"], "made": ("t", 2, "")},
        "backend:t": {"capabilities": ["generate", "score"], "made": ("t", 1, "")},
    }
    before = Backend.closed
    asyncio.run(models.aclose())  # one that cannot be closed keeps none of the others open
    assert Backend.closed == before + 2
    assert models.describe() == {}
