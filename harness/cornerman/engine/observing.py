"""What the actor sees of an observation, and words that come in beside it."""

from __future__ import annotations

from cornerman.engine.branch import Branch
from cornerman.engine.delivery import delivery_for, enter
from cornerman.engine.method import Method
from cornerman.engine.text import mended
from cornerman.engine.triggers import fires
from cornerman.errors import EpisodeError
from cornerman.records import ContextItem


async def observe(branch: Branch, method: Method, observation: str) -> str | None:
    """Chain the transforms over an observation; None when it stays as given. Words beside it join the context.

    A plug-in's trigger and delivery hold here too: suppressed, it is asked and neither its text nor its words are used.
    Wrappers and `on_critic_error` are for critiques; an error here ends the attempt, unless it is one in shadow.
    """
    text = branch.delivered = observation
    for plugin in method.transformers:
        if not fires(branch, plugin.key, plugin.settings, "transform_observation"):
            continue
        try:
            answer = await plugin.ask("transform_observation", view=plugin.view(branch), observation=text)
        except EpisodeError:
            if not plugin.settings.shadow:
                raise
            continue
        if not isinstance(answer, str):
            items = plugin.several(answer, ContextItem, "transform_observation")
            enter(branch, plugin, items, "transform_observation")
        elif delivery_for(plugin.settings, "transform_observation") != "suppress":
            text = branch.delivered = mended(answer)
    return None if text == observation else text
