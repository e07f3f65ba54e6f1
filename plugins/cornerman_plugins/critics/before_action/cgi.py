"""CGI's critic: three questions, a grade of five and a revision for every action that the actor thinks of."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from cornerman import Critique, Verdict, hookimpl
from cornerman.engine.view import View
from cornerman.records import Candidate
from cornerman_plugins.critics.before_action.asking import Asking
from cornerman_plugins.critics.before_action.each import each
from cornerman_plugins.prompting.fields import labelled, one_of, opening_word
from cornerman_plugins.prompting.items import one_line
from cornerman_plugins.prompting.scoring import scored

SYSTEM = "You are the critic of an agent that works on a task. You judge an action before it is done."
ASPECTS = {
    "Contribution": "does it bring the agent closer to the goal?",
    "Feasibility": "is it an action that can be done here and now?",
    "Efficiency": "is it free of needless steps?",
}
GRADES = ("Excellent", "Good", "Neutral", "Poor", "Very Poor")
ANSWERS = ("yes", "no")


class CGI(Asking):
    """Criticises every candidate, from which the actor writes one refined action (CGI, arXiv 2503.16024).

    The paper's: M candidates a turn; each is judged for contribution, feasibility and efficiency, graded from Excellent
    to Very Poor, and given a suggestion for its revision; the actor always writes its action anew, conditioned on all
    critiques. So each verdict is `revise`, and the grade is the score: 1 for Excellent, 0.25 less for each grade below.
    Ours: the prompt, a yes or no at the start of each judgement, and that the grade chooses the action where nothing
    comes of the revision. Give the actor `candidates = 5`, the critic `deliver = "decision"` and the protocol
    `revise_on = "all"`.

    Written are five fields in one answer a candidate; scored are four closed questions, put one by one: the score is
    then the grade's expectation, and there is no suggestion.
    """

    @hookimpl
    async def review_action(self, view: View, candidates: Sequence[Candidate]) -> list[Critique | None]:
        """A critique of each candidate."""
        judge = self._written if self.read == "written" else self._scored
        return await each(candidates, lambda candidate: judge(view, one_line(candidate.text)))

    async def _written(self, view: View, action: str) -> Critique:
        lines = [f"{aspect}: yes or no, and why; {question}" for aspect, question in ASPECTS.items()]
        grades = f"Overall: one of {', '.join(GRADES)}"
        form = "\n".join([*lines, grades, "Revision: in one sentence, what would be better"])
        asked = f"The agent thinks of doing: `{action}`\nJudge this action in five lines:\n{form}"
        reply = await self.write(view, self.question(view, SYSTEM, asked), "critique")
        return read(reply.text, action, reply.call)

    async def _scored(self, view: View, action: str) -> Critique:
        async def ask(question: str, labels: Sequence[str]) -> tuple[int, list[float]]:
            *others, last = labels
            words = f"The agent thinks of doing: `{action}`\n{question} Answer {', '.join(others)} or {last}."
            found = await scored(view.model, self.question(view, SYSTEM, words), labels, purpose="critique")
            return found.call, found.probabilities

        questions = [(q[0].upper() + q[1:], ANSWERS) for q in ASPECTS.values()]
        *found, (call, overall) = await asyncio.gather(
            *(ask(question, labels) for question, labels in [*questions, ("How good is it, all in all?", GRADES)])
        )
        yes = {aspect: values[0] for aspect, (_, values) in zip(ASPECTS, found, strict=True)}
        score = sum(p * worth(grade) for p, grade in zip(overall, GRADES, strict=True))
        grade = GRADES[max(range(len(GRADES)), key=overall.__getitem__)]
        said = [f"{aspect}: {ANSWERS[p < 0.5]}." for aspect, p in yes.items()]
        return critique(action, yes, score, [*said, f"Overall: {grade}."], call)


def read(raw: str, action: str, call: int) -> Critique:
    """A written critique; unparsed unless all of its fields are there and the closed ones hold one of their words."""
    fields = labelled(raw, (*ASPECTS, "Overall", "Revision"))
    answers = {aspect: opening_word(fields[aspect], ANSWERS) for aspect in ASPECTS} if fields else {}
    grade = one_of(fields["Overall"], GRADES) if fields else None
    if fields is None or grade is None or None in answers.values():
        return Critique(verdict=Verdict.UNPARSED, text=raw.strip(), call=call)
    said = [f"{label}: {one_line(text)}" for label, text in fields.items()]
    yes = {aspect: float(answer == "yes") for aspect, answer in answers.items()}
    return critique(action, yes, worth(grade), said, call)


def critique(action: str, yes: dict[str, float], score: float, said: Sequence[str], call: int) -> Critique:
    """The critique of an action; `yes` is how far each aspect was affirmed."""
    grades = {aspect.lower(): value for aspect, value in yes.items()} | {"overall": score}
    words = " ".join([f"On `{action}`:", *said])
    return Critique(verdict=Verdict.REVISE, score=score, grades=grades, text=words, call=call)


def worth(grade: str) -> float:
    """A grade's value: evenly spaced from 1 for Excellent to 0 for Very Poor."""
    return 1 - GRADES.index(grade) / (len(GRADES) - 1)
