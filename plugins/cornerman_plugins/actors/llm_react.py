"""An actor that writes a thought and an action freely (ReAct, arXiv 2210.03629), and may ask instead of acting."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from cornerman import Candidate, Critique, Request, hookimpl
from cornerman.engine.view import View
from cornerman.records import Completion, Message, Turn
from cornerman_plugins.actors.react_format import FALLBACK, Answer, first_line, listed_as, read, written
from cornerman_plugins.prompting.chat import conversation, corrected, drafted, instructed, listed
from cornerman_plugins.prompting.items import EMPTY

SYSTEM = """You act in an interactive world to complete a task, one action a message. Answer in this form:
Thought: what to do now and why, in one sentence
Action: the action"""
ASKING = "When you do not know how to go on, ask for help in place of the action:\nAsk: your question"


class LLMReact:
    """Thought and action as free text.

    max_tokens: of one answer. temperature: of sampling. candidates: how many answers are sampled; distinct actions
    among them are offered in the order sampled, or all of them where `distinct` is off, so that they can be counted.
    requests: it may ask a critic. match: "exact" takes an action for the admissible one that differs at most in case,
    spaces and a closing dot; "nearest" takes the most similar one where difflib finds a ratio of 0.6 or more. thoughts:
    keep past thoughts in the conversation. list_commands: show the admissible commands where the suite's rules do.

    Where the environment offers tools, their schemas stand in the system message, and a call as JSON is taken whole,
    whether it comes under its label or alone.

    No answer is an error. An answer with a thought alone is a turn of thinking, as in ReAct. One in which nothing can
    be read is executed as its first line, cut to 200 characters, and marked as not parsed, unless that line is
    admissible.
    """

    sees = ("history", "admissible", "policy")

    def __init__(
        self,
        max_tokens: int = 128,
        temperature: float = 0.0,
        candidates: int = 1,
        requests: bool = False,
        match: Literal["exact", "nearest"] = "exact",
        thoughts: bool = True,
        list_commands: bool = True,
        distinct: bool = True,
    ) -> None:
        if candidates < 1 or max_tokens < 1 or temperature < 0:
            raise ValueError("candidates and max_tokens are at least 1, temperature at least 0")
        if candidates > 1 and temperature == 0:
            raise ValueError("several candidates are all the same at temperature 0; set temperature=0.7 or the like")
        self.max_tokens, self.temperature, self.candidates = max_tokens, temperature, candidates
        self.requests, self.nearest = requests, match == "nearest"
        self.thoughts, self.list_commands, self.distinct = thoughts, list_commands, distinct

    def render(self, view: View) -> list[Message]:
        """The prompt of this turn."""
        system = f"{SYSTEM}\n{ASKING}" if self.requests else SYSTEM
        messages = conversation(view, system, self._said, view.policy)
        commands = view.admissible
        return instructed(messages, listed(commands)) if self.list_commands and commands else messages

    @hookimpl
    async def act(self, view: View) -> list[Candidate] | Request:
        """Candidates, or a question when the first answer is one."""
        reply = await view.model.generate(
            self.render(view),
            n=self.candidates,
            purpose="act",
            max_tokens=self.max_tokens,
            temperature=self.temperature,
            stop=("\nObservation:",),
        )
        first = reply.completions[0]
        if question := read(first.text, questions=self.requests).question:
            return Request(question=question, raw=first.text, call=reply.call)
        made = [self._candidate(c, view.admissible, reply.call) for c in reply.completions]
        offered = [c for c in made if c.text] or made[:1]
        return firsts(offered) if self.distinct else offered

    @hookimpl
    async def revise(
        self, view: View, candidates: Sequence[Candidate], critiques: Sequence[Critique]
    ) -> Candidate | None:
        """Another answer after the critics' words on the draft; the draft stays where no action can be read in it."""
        draft = drafted(candidates, critiques)
        before = self.render(view.without(critiques))
        request = "Answer again in the same form, with an action."
        messages = corrected(before, written(draft.thought, draft.text), critiques, request, candidates)
        reply = await view.model.generate(
            messages,
            purpose="revise",
            max_tokens=self.max_tokens,
            temperature=self.temperature,
            stop=("\nObservation:",),
        )
        revision = self._candidate(reply.completions[0], view.admissible, reply.call)
        return revision if revision.parsed and revision.text else None

    def _candidate(self, completion: Completion, admissible: Sequence[str] | None, call: int) -> Candidate:
        raw = completion.text
        answer = read(raw, questions=self.requests)
        text = answer.action
        if answer == Answer():
            text = first_line(raw)[:FALLBACK].strip()
        known = listed_as(text, admissible, nearest=self.nearest) if text else None
        entropies = completion.entropies
        return Candidate(
            text=known or text or "",
            raw=raw,
            thought=answer.thought,
            parsed=answer.action is not None or answer.thought is not None or known is not None,
            logprob=completion.logprob,
            entropy=sum(entropies) / len(entropies) if entropies else None,
            call=call,
        )

    def _said(self, turn: Turn) -> str:
        """A past turn in the format, with the thought that led to what was executed."""
        if turn.request is not None:
            return f"Ask: {turn.request.question}"
        if turn.kind == "think":
            return written(turn.candidates[0].thought, None)
        offered = (*reversed(turn.revisions), *turn.candidates)
        thought = next((c.thought for c in offered if c.text == turn.executed), None)
        return written(thought if self.thoughts else None, turn.executed or EMPTY)


def firsts(candidates: Sequence[Candidate]) -> list[Candidate]:
    """The first candidate of each text, in order."""
    first: dict[str, Candidate] = {}
    for candidate in candidates:
        first.setdefault(candidate.text, candidate)
    return list(first.values())
