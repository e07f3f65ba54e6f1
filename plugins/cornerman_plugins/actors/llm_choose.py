"""An actor that chooses among the admissible commands, or its own tool calls, by their probability under a model."""

from __future__ import annotations

from collections.abc import Sequence

from cornerman import Candidate, Critique, Request, Verdict, hookimpl
from cornerman.engine.view import View
from cornerman.errors import ActorError
from cornerman.records import Message, Turn
from cornerman_plugins.prompting.chat import conversation, corrected, drafted, instructed, listed
from cornerman_plugins.prompting.items import EMPTY
from cornerman_plugins.prompting.proposing import proposed
from cornerman_plugins.prompting.scoring import chosen, only_chooses, scored

SYSTEM = "You act in an interactive world to complete a task. Answer each message with the one command to do next."
ASK = "request feedback"
ASKING = f"When you do not know how to go on, answer: {ASK}"
QUESTION = "Is this going well, and what should be done otherwise?"


class LLMChoose:
    """Scores every admissible command as the answer to the conversation; it can say nothing inadmissible.

    candidates: how many commands it offers, best first, all distinct. temperature: 0 takes the most probable ones;
    above 0 they are sampled without replacement; a temperature in the model's URI wins. normalise: divide each
    command's log-probability by its number of tokens, which keeps long commands from losing by their length alone; off,
    commands have the probability with which the model would say exactly them. list_commands: show the commands in the
    prompt too. proposals: where none are listed but tools are on offer, how many answers it writes itself to choose
    among: one greedy answer at temperature 0, several sampled ones, at 0.7 if no temperature is given. requests: asking
    a critic is one more command to choose, as often in an attempt as the suite's rules let a critic answer. distinct:
    off, candidates are sampled with replacement, so that they can be counted; needs a temperature above 0. constrained:
    the model writes the command token by token among the tokens that lead to an admissible one, in place of scoring
    whole commands; candidates are then sampled with replacement. This is the policy that a trainer can train.

    The defaults suit the embedded model: of 60 decisions along gold play of generated ALFWorld games it put the gold
    command first in 17 to 22 % with `normalise` and in 7 to 13 % without, and listing the commands tripled the fresh
    prompt tokens of a turn for no clear gain. Listing is worth a try with larger models.

    A model that can only choose among given texts, as most servers, is kept to the commands: its candidates are what it
    says, one at temperature 0 and as many samples as candidates above, without `logprob` and `entropy`.

    A candidate's `logprob` and `entropy` (nats) are those of the distribution over the admissible commands (or the
    distinct proposals), at temperature 1: the softmax of the log-probabilities, normalised or not.
    """

    sees = ("history", "admissible", "policy")

    def __init__(
        self,
        candidates: int = 1,
        temperature: float = 0.0,
        normalise: bool = True,
        list_commands: bool = False,
        proposals: int = 1,
        requests: bool = False,
        distinct: bool = True,
        constrained: bool = False,
    ) -> None:
        for option, value in (("candidates", candidates), ("proposals", proposals)):
            if value < 1:
                raise ValueError(f"{option} is at least 1, not {value}")
        if temperature < 0:
            raise ValueError(f"temperature is at least 0, not {temperature}")
        self.candidates, self.temperature = candidates, temperature
        if not distinct and temperature == 0:
            raise ValueError("samples are all the same at temperature 0; set temperature=0.7 or the like")
        self.normalise, self.list_commands, self.proposals = normalise, list_commands, proposals
        self.requests, self.distinct, self.constrained = requests, distinct, constrained

    def render(self, view: View) -> list[Message]:
        """The prompt of this turn."""
        system = f"{SYSTEM}\n{ASKING}" if self.requests else SYSTEM
        messages = conversation(view, system, said, view.policy)
        commands = view.admissible
        if not self.list_commands or not commands:
            return messages
        return instructed(messages, f"{listed(commands)}\nWhich one command do you do next?")

    @hookimpl
    async def act(self, view: View) -> list[Candidate] | Request:
        """The best commands, or a question when the best one is to ask."""
        asked = sum(turn.request is not None for turn in view.history)
        asking = self.requests and asked < view.rules.requests
        best = await self._choose(view, self.render(view), frozenset(), self.candidates, "act", asking)
        if asking and best[0].text == ASK:
            return Request(question=QUESTION, raw=ASK, call=best[0].call)
        return [c for c in best if not asking or c.text != ASK]

    @hookimpl
    async def revise(
        self, view: View, candidates: Sequence[Candidate], critiques: Sequence[Critique]
    ) -> Candidate | None:
        """The best command after the critics' words on the draft; the same one may win again unless it was blocked.

        Where all the words are of a block, the engine asks because every candidate is blocked, and all are out.
        """
        closed = {c.candidate for c in critiques if c.verdict is Verdict.BLOCK}
        every = closed == {c.candidate for c in critiques}
        blocked = frozenset(c.text for i, c in enumerate(candidates) if every or i in closed)
        draft = drafted(candidates, critiques)
        before = self.render(view.without(critiques))
        request = "Answer again with the one command to do next."
        messages = corrected(before, draft.text, critiques, request, candidates)
        best = await self._choose(view, messages, blocked, 1, "revise")
        return best[0] if best else None

    async def _choose(
        self,
        view: View,
        messages: Sequence[Message],
        blocked: frozenset[str],
        k: int,
        purpose: str,
        asking: bool = False,
    ) -> list[Candidate]:
        """The k best commands that are not blocked; fewer where there are fewer."""
        model, known = view.model, view.admissible
        temperature = float(model.sampling.get("temperature", self.temperature))
        if known:
            commands = [*(c for c in known if c not in blocked), *([ASK] if asking else [])]
            if not commands:
                return []
            if self.constrained or only_chooses(model):
                n = k if temperature > 0 else 1
                texts, call = await chosen(
                    model, messages, tuple(dict.fromkeys(commands)), purpose=purpose, n=n, temperature=temperature
                )
                return [Candidate(text=t, call=call) for t in (dict.fromkeys(texts) if self.distinct else texts)]
            found = await scored(model, messages, commands, purpose=purpose, normalise=self.normalise)
        elif view.tools:
            found = await proposed(
                model, messages, self.proposals, temperature, purpose=purpose, normalise=self.normalise
            )
        else:
            raise ActorError(
                "llm-choose chooses among admissible commands and was shown none here; use the actor llm-react, or a "
                "suite whose environment lists them and whose rules show them"
            )
        many = len(found.texts)
        if temperature == 0:
            order = found.best(many)
        elif self.distinct or blocked:
            order = found.draw(many, temperature, view.rng())
        else:
            order = found.sample(k, temperature, view.rng())
        return [
            Candidate(text=found.texts[i], logprob=found.logprobs[i], entropy=found.entropy, call=found.call)
            for i in order
            if found.texts[i] not in blocked
        ][:k]


def said(turn: Turn) -> str:
    """A past turn as this actor would have said it."""
    return ASK if turn.request is not None else turn.executed or EMPTY
