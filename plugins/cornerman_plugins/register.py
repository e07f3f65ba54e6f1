"""What the plug-ins folder enters into the catalogue. Light: imports no plug-in."""

from __future__ import annotations

from cornerman.hookspecs import hookimpl
from cornerman.registry import Registry


@hookimpl
def register(registry: Registry) -> None:
    """Enter every actor, critic, memory, protocol, model and experiment."""
    actors(registry)
    critics(registry)
    protocols(registry)
    remote_models(registry)


def actors(registry: Registry) -> None:
    """Actors."""
    at = "cornerman_plugins.actors"
    registry.add("actor", "random", f"{at}.scripted:Random", doc="a uniformly random admissible action")
    registry.add("actor", "gold", f"{at}.scripted:Gold", doc="the environment's gold actions (privileged)")
    registry.add(
        "actor",
        "noisy-gold",
        f"{at}.scripted:NoisyGold",
        doc="gold, wrong with probability p; follows advice (privileged)",
    )


def critics(registry: Registry) -> None:
    """Critics."""
    at = "cornerman_plugins.critics"
    registry.add("critic", "rules", f"{at}.rules:Rules", doc="loops, inadmissible and useless actions; may veto")
    registry.add("critic", "gold-advice", f"{at}.gold_advice:GoldAdvice", doc="names the next gold action (privileged)")
    registry.add("critic", "enrich", f"{at}.enrich:Enrich", doc="adds to observations what the last action changed")


def protocols(registry: Registry) -> None:
    """Protocols."""
    at = "cornerman_plugins.protocols"
    registry.add("protocol", "single", f"{at}.attempts:Single", doc="one attempt")
    registry.add("protocol", "retry", f"{at}.attempts:Retry", doc="attempts that carry the critics' words")


def remote_models(registry: Registry) -> None:
    """Models behind a URL."""
    at = "cornerman_plugins.models.openai"
    registry.add("model", "openai", f"{at}:openai", doc="any server with OpenAI's chat completions: openai:URL#NAME")
    registry.add("model", "vllm", f"{at}:vllm", doc="a vLLM server, scoring included: vllm:URL#NAME")
    registry.add(
        "model", "llamacpp-server", f"{at}:llamacpp_server", doc="a llama.cpp server: llamacpp-server:URL#NAME"
    )
