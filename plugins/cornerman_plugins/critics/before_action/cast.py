"""CAST's gate: is this tool call valid by the domain's policy?"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from cornerman import Critique, Verdict, hookimpl
from cornerman.engine.view import View
from cornerman.records import Candidate
from cornerman_plugins.actors.react_format import json_at_start
from cornerman_plugins.critics.before_action.asking import Asking, Read
from cornerman_plugins.critics.before_action.each import each
from cornerman_plugins.prompting.fields import labelled, one_of
from cornerman_plugins.prompting.items import one_line
from cornerman_plugins.prompting.scoring import scored

SYSTEM = (
    "You check the tool calls of an agent before they are executed. A call is valid when the agent's rules allow it "
    "now, the tool is the right one, and its arguments are known from the conversation and not made up."
)
LABELS = ("valid", "invalid")
FORM = """Write three lines:
Rationale: why the call keeps the rules or breaks them
Verdict: valid or invalid
Revision: what the agent has to do instead"""


class CAST(Asking):
    """Keeps invalid tool calls from being executed (CAST, arXiv 2608.30147).

    The paper's: a critique of a tool call's validity before its execution, by an agent that is bound to a policy, with
    a rationale; judged by pass^k over repeated trials. Of the paper only the abstract could be read; prompt, output
    format and what comes of a verdict are ours. An action is a tool call when the environment offers tools and the
    action is JSON from its first letter on: messages to a user are none, and pass unseen.

    on_invalid: "revise" sends the call back, and an unchanged one is executed; "block" keeps it from being executed, if
    the protocol's `on_block` says so too. Written are three lines; scored are the two verdicts, without rationale and
    revision.
    """

    def __init__(
        self,
        on_invalid: Literal["revise", "block"] = "revise",
        read: Read = "written",
        max_tokens: int = 200,
        temperature: float = 0.0,
        window: int | None = None,
    ) -> None:
        super().__init__(read, max_tokens, temperature, list_commands=False, window=window)
        self.verdict = Verdict.REVISE if on_invalid == "revise" else Verdict.BLOCK

    @hookimpl
    async def review_action(self, view: View, candidates: Sequence[Candidate]) -> list[Critique | None]:
        """A verdict on each candidate that is a tool call."""
        return await each(candidates, lambda candidate: self._judge(view, candidate.text))

    async def _judge(self, view: View, action: str) -> Critique | None:
        call = json_at_start(action)
        if not view.tools or call is None:
            return None
        form = FORM if self.read == "written" else f"Is it valid? Answer {LABELS[0]} or {LABELS[1]}."
        question = f"{described(call, view.tools)}\nThe agent is about to call: `{one_line(action)}`\n{form}"
        messages = self.question(view, SYSTEM, question)
        if self.read == "scored":
            found = await scored(view.model, messages, LABELS, purpose="verdict")
            valid = found.probabilities[0]
            return self._critique(action, valid >= 0.5, valid, [], found.call)
        reply = await self.write(view, messages, "verdict")
        fields = labelled(reply.text, ("Rationale", "Verdict", "Revision"))
        verdict = one_of(fields["Verdict"], LABELS) if fields else None
        if fields is None or verdict is None:
            return Critique(verdict=Verdict.UNPARSED, text=reply.text.strip(), call=reply.call)
        said = [one_line(text) for text in (fields["Rationale"], fields["Revision"]) if text]
        return self._critique(action, verdict == LABELS[0], float(verdict == LABELS[0]), said, reply.call)

    def _critique(self, action: str, valid: bool, score: float, said: Sequence[str], call: int) -> Critique:
        if valid:
            return Critique(verdict=Verdict.PASS, score=score, text=" ".join(said), call=call)
        words = " ".join([f"`{one_line(action)}` is not a valid call here.", *said])
        return Critique(verdict=self.verdict, score=score, text=words, call=call)


def described(call: str, tools: Sequence[Mapping[str, Any]]) -> str:
    """The schemas of the tools that a call names, one a line, and the names of the others."""
    value = json.loads(call, strict=False)
    calls = value if isinstance(value, list) else [value]
    wanted = {str(c["name"]) for c in calls if isinstance(c, dict) and "name" in c}
    named = [json.dumps(t, ensure_ascii=False) for t in tools if t.get("name") in wanted]
    others = ", ".join(str(t.get("name")) for t in tools if t.get("name") not in wanted)
    return "\n".join([*named, *([f"Other tools: {others}"] if others else [])])
