"""A user without a model: it answers by rules, and the same words with the same answer."""

from __future__ import annotations

import re
from collections.abc import Sequence

from cornerman.dialogue import Said, UserMessage
from cornerman.engine.view import UserView
from cornerman.hookspecs import hookimpl
from cornerman_plugins.users.person import first_person
from cornerman_plugins.users.requests import Call, as_text, asked
from cornerman_plugins.users.scenario import Scenario, read

STOP = "###STOP###"
"""The token by which τ²-bench's users end a conversation."""
DONE = re.compile(
    r"anything else|everything is done|all set|goodbye|have a (?:great|nice|good) day|"
    r"(?:is|are|has been|have been) (?:now )?(?:done|completed|resolved|fixed)|transferred to a human",
    re.IGNORECASE,
)
CONFIRM = re.compile(
    r"\bconfirm|\bproceed\b|\byes/no\b|\(yes\b|\b(?:shall|should) i\b|"
    r"\b(?:would you like|do you want|do you agree|are you ok|is (?:that|this|it) (?:ok|okay|correct|right))\b",
    re.IGNORECASE,
)
QUESTION = re.compile(r"\?|\bplease (?:tell|give|provide|share|send|describe|enter|let me know)\b", re.IGNORECASE)
SMALL = frozenset(
    re.findall(
        r"\w+",
        "a am an and any are as at be can could did do does for from give had has have how i in is it let me my of on "
        "or please provide tell that the their them this to us was we were what when where which who why will "
        "with would you your",
    )
)
"""Words that say nothing of what a question asks for."""
YES, UNKNOWN, GO_ON = "Yes, please go ahead.", "I don't know that.", "All right, please go on."


class ScriptedUser:
    """Opens with the reason for its call and what it knows, as "I"; then answers by the first rule that fits.

    A tool that the agent names is called, with the arguments given there, and the agent is told what it answered. Words
    that say that all is done get `###STOP###`, a question to confirm gets a yes, any other question the sentences that
    it knows and that share a word with it, and the rest an encouragement. When it would say the same a third time,
    nothing new is to come, and it says `###STOP###`.
    """

    @hookimpl
    def reply_as_user(self, view: UserView, message: UserMessage) -> str:
        """The next words, from the dialogue alone."""
        scenario, dialogue = own_words(read(message.scenario)), message.dialogue
        own = [line.content for line in dialogue if line.role == "user"]
        if not own:
            return opening(scenario)
        since = after_agent(dialogue)
        calls = asked(last_words(dialogue), message.tools or ())
        used = sum(line.role == "tool" for line in since)
        if used < len(calls):
            return as_text(calls[used])
        if used:
            return report(calls, since)
        text = answer(last_words(dialogue), scenario)
        return STOP if own[-2:] == [text, text] else text


def opening(scenario: Scenario) -> str:
    """The first words."""
    words = " ".join(dict.fromkeys([scenario.reason, *(k for k in scenario.known if k not in scenario.reason)]))
    return f"Hello. This is what I need: {words.strip()}" if words.strip() else "Hello."


def own_words(scenario: Scenario) -> Scenario:
    """A scenario as its user tells it."""
    known, unknown = ([first_person(s) for s in part] for part in (scenario.known, scenario.unknown))
    return Scenario(first_person(scenario.reason), tuple(known), tuple(unknown))


def last_words(dialogue: Sequence[Said]) -> str:
    """What the agent said last."""
    return next((line.content for line in reversed(dialogue) if line.role == "agent"), "")


def after_agent(dialogue: Sequence[Said]) -> list[Said]:
    """The lines after the agent's last words."""
    last = max((i for i, line in enumerate(dialogue) if line.role == "agent"), default=-1)
    return list(dialogue[last + 1 :])


def report(calls: Sequence[Call], since: Sequence[Said]) -> str:
    """What the user's tools answered, in words for the agent."""
    results = [line.content.strip() for line in since if line.role == "tool"]
    return " ".join(f"I used {call['name']}: {result}" for call, result in zip(calls, results, strict=False))


def answer(words: str, scenario: Scenario) -> str:
    """What is said to words that ask for no tool."""
    done = DONE.search(words)
    if done and (QUESTION.search(words) is None or done[0].lower() == "anything else"):
        return STOP
    if CONFIRM.search(words):
        return YES
    if done:
        return STOP
    if QUESTION.search(words):
        known = matching(words, scenario.known)
        return " ".join(known) if known else " ".join(matching(words, scenario.unknown)) or UNKNOWN
    return GO_ON


def matching(words: str, sentences: Sequence[str]) -> list[str]:
    """The sentences that share a word with some words."""
    wanted = stems(words)
    return [s for s in sentences if wanted & stems(s)]


def stems(text: str) -> set[str]:
    """The words of a text that say what it is about, without a plural's ending."""
    return {w.removesuffix("s") for w in re.findall(r"[^\W_]+", text.lower()) if w not in SMALL and len(w) > 1}
