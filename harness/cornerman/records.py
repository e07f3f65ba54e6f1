"""The data that flows: everything a run records, as frozen structs.

One `Episode` is all that happened for one (task, method, trial). It holds a tree of `Attempt`s; an attempt holds
`Turn`s; a turn points to the `Call`s behind its candidates and critiques. Nothing here computes: readers of a run
(statistics, boards, viewer, trainers) import this module and no engine.
"""

from __future__ import annotations

import enum
from typing import Any, Literal

from cornerman.dialogue import UserReply as UserReply
from cornerman.errors import End
from cornerman.record import Record as Record

SCHEMA = 1
"""Version of the record format; written into every episode line."""

Role = Literal["actor", "critic", "user", "judge", "memory", "protocol"]
Moment = Literal[
    "on_task_start",
    "transform_observation",
    "review_action",
    "answer_request",
    "review_turn",
    "review_attempt",
]
Field = Literal["history", "admissible", "score", "policy", "logprobs", "attempts", "gold", "hidden"]
Origin = Literal["played", "replayed", "synthetic"]
Placement = Literal["system", "message", "suffix"]


class Verdict(enum.StrEnum):
    """The closed set of verdicts. `unparsed` means that one was owed and could not be read."""

    PASS = "pass"
    REVISE = "revise"
    REPLACE = "replace"
    BLOCK = "block"
    STOP = "stop"
    UNPARSED = "unparsed"


class Message(Record, frozen=True, kw_only=True):
    """One chat message of a prompt."""

    role: Literal["system", "user", "assistant"]
    content: str


class Usage(Record, frozen=True, kw_only=True):
    """Tokens of one call or a sum of calls.

    `prompt` counts fresh prompt tokens, `cached` prompt tokens that a prefix cache served, `output` all generated
    tokens, of which `reasoning` were hidden thinking. `calls` counts requests, retried ones included; `taped` those of
    them that were not made, because the answer stood on the baseline's tape, and `hits` those that the response cache
    answered: both are billed in full, without seconds.
    """

    calls: int = 0
    prompt: int = 0
    cached: int = 0
    output: int = 0
    reasoning: int = 0
    seconds: float = 0.0
    queue_seconds: float = 0.0
    taped: int = 0
    hits: int = 0

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            calls=self.calls + other.calls,
            prompt=self.prompt + other.prompt,
            cached=self.cached + other.cached,
            output=self.output + other.output,
            reasoning=self.reasoning + other.reasoning,
            seconds=self.seconds + other.seconds,
            queue_seconds=self.queue_seconds + other.queue_seconds,
            taped=self.taped + other.taped,
            hits=self.hits + other.hits,
        )


class Completion(Record, frozen=True, kw_only=True):
    """One sampled or scored continuation, with token ids, log-probabilities (nats) and entropies where known."""

    text: str
    ids: tuple[int, ...] | None = None
    logprobs: tuple[float, ...] | None = None
    entropies: tuple[float, ...] | None = None
    finish: Literal["stop", "length", "scored", "other"] = "stop"

    @property
    def logprob(self) -> float | None:
        """Sum of the token log-probabilities, in nats."""
        return None if self.logprobs is None else sum(self.logprobs)


class Call(Record, frozen=True, kw_only=True):
    """One request to a model. `prompt_digest` stands for the messages where these were left out."""

    id: int
    role: Role
    plugin: str
    purpose: str
    kind: Literal["generate", "score"]
    model: str
    checkpoint: str | None = None
    messages: tuple[Message, ...] = ()
    prompt_ids: tuple[int, ...] | None = None
    prompt_digest: str | None = None
    completions: tuple[Completion, ...] = ()
    usage: Usage = Usage()
    seed: int = 0
    error: str | None = None


class Candidate(Record, frozen=True, kw_only=True):
    """One action that the actor offers. `text` is what would be executed, `raw` the text as sampled.

    `parsed` is False when no action could be read from `raw`; `text` is then what the actor falls back to.
    """

    text: str
    raw: str | None = None
    thought: str | None = None
    parsed: bool = True
    logprob: float | None = None
    entropy: float | None = None
    call: int | None = None


class Request(Record, frozen=True, kw_only=True):
    """The actor asks a critic instead of acting: costs a decision, no environment step."""

    question: str
    target: str | None = None
    raw: str | None = None
    call: int | None = None


class Critique(Record, frozen=True, kw_only=True):
    """What a critic said. Plug-in authors fill what they mean; the engine adds id, critic, moment and delivery.

    `score` (higher is better) and `grades` judge the candidate or turn; `suggestion` is an action to take instead;
    `pivot` is the turn from which a retry should start; `sees` is the critic's declared information set.

    `candidate` is the index of the candidate that it is about, None for one critique on all of them; in a turn's record
    the revisions are counted on after the candidates. `delivered` says that the words entered the actor's context, at
    an attempt's end that a protocol may carry them into another one; `suppressed` says why not.
    """

    verdict: Verdict | None = None
    text: str = ""
    score: float | None = None
    grades: dict[str, float] = {}
    suggestion: str | None = None
    pivot: int | None = None
    confidence: float | None = None
    call: int | None = None
    data: dict[str, Any] = {}
    # filled by the engine
    id: int = -1
    critic: str = ""
    moment: Moment = "review_turn"
    candidate: int | None = None
    sees: tuple[str, ...] = ()
    delivered: bool = False
    suppressed: str | None = None
    wrapped: str | None = None
    original: str | None = None
    error: str | None = None
    seconds: float = 0.0


class ContextItem(Record, frozen=True, kw_only=True):
    """Words in the actor's context that are no observation and no action of its own.

    `at` is the number of turns that had been played when it came in; `until` the number when another took its place,
    and `replaced_by` the critique whose words did.
    """

    text: str
    placement: Placement = "message"
    role: Literal["guidance", "experience", "policy"] = "guidance"
    source: str = ""
    critique: int | None = None
    experience: tuple[str, ...] = ()
    at: int = 0
    until: int | None = None
    replaced_by: int | None = None


class Turn(Record, frozen=True, kw_only=True):
    """One decision and its outcome.

    `admissible_actions` were those open at the decision, where the environment lists them; `observation` is the
    environment's answer as given, `delivered` the text that the actor saw when a transform changed it. `reward` is the
    increment and `score` the cumulative score in [0,1]. `user` holds what the user was told and answered before the
    environment answered the agent. `state` holds the plug-in states that this turn changed, so that an episode can be
    forked from its record.
    """

    index: int
    kind: Literal["act", "request", "think"] = "act"
    origin: Origin = "played"
    admissible_actions: tuple[str, ...] | None = None
    candidates: tuple[Candidate, ...] = ()
    critiques: tuple[Critique, ...] = ()
    revisions: tuple[Candidate, ...] = ()
    request: Request | None = None
    executed: str | None = None
    chosen: int | None = None
    changed_by: int | None = None
    parsed: bool = True
    admissible: bool | None = None
    user: tuple[UserReply, ...] = ()
    observation: str = ""
    delivered: str | None = None
    reward: float | None = 0.0
    score: float | None = 0.0
    terminated: bool = False
    experience: tuple[str, ...] = ()
    calls: tuple[int, ...] = ()
    state: dict[str, Any] = {}
    seconds: float = 0.0

    @property
    def shown(self) -> str:
        """The observation as the actor saw it."""
        return self.observation if self.delivered is None else self.delivered


class LogEntry(Record, frozen=True, kw_only=True):
    """One executed action, the user's replies to what came of it, and the hash of the observation after the last."""

    action: str
    hash: str
    replies: tuple[str, ...] = ()


class Start(Record, frozen=True, kw_only=True):
    """Where an attempt starts: at reset, after `turn` turns of attempt `attempt`, or after a given prefix."""

    kind: Literal["reset", "turn", "prefix"] = "reset"
    attempt: int | None = None
    turn: int = 0
    prefix: tuple[str, ...] = ()


class Attempt(Record, frozen=True, kw_only=True):
    """One pass from a start to an end.

    `turns` are the new ones; those before the start of a retry stay with the attempt that played them. `log` is the
    whole action log from reset, so that the attempt can be replayed alone; `opening` is the observation at reset.
    `opening_replies` are the user's replies before it, where the user speaks first, and `opening_user` the same with
    what the user was told. `opening_state` holds the plug-in states before the first turn, of attempts that start from
    reset or a prefix.
    Outcome fields are None only in the copies that plug-ins without `score` see.
    """

    index: int
    path: str
    start: Start = Start()
    parent: int | None = None
    critique: int | None = None
    groups: dict[str, str] = {}
    goal: str = ""
    opening: str = ""
    opening_delivered: str | None = None
    opening_hash: str = ""
    opening_replies: tuple[str, ...] = ()
    opening_user: tuple[UserReply, ...] = ()
    opening_state: dict[str, Any] = {}
    turns: tuple[Turn, ...] = ()
    log: tuple[LogEntry, ...] = ()
    context: tuple[ContextItem, ...] = ()
    critiques: tuple[Critique, ...] = ()
    end: End | None = End.TRUNCATED
    success: bool | None = False
    score: float | None = 0.0
    error: str | None = None
    state: dict[str, Any] = {}
    seconds: float = 0.0


class AttemptSpec(Record, frozen=True, kw_only=True):
    """What a protocol asks for: one more attempt, its start, the words it carries and its groups."""

    start: Start = Start()
    context: tuple[ContextItem, ...] = ()
    parent: int | None = None
    critique: int | None = None
    groups: dict[str, str] = {}


class MemoryOp(Record, frozen=True, kw_only=True):
    """One change of a memory, recorded with the episode and applied in suite order."""

    op: Literal["add", "update", "remove", "use"]
    id: str
    text: str = ""
    family: str = ""
    data: dict[str, Any] = {}


class Task(Record, frozen=True, kw_only=True):
    """One problem of one environment. `family` groups tasks of a kind; `data` is the digest of a game file."""

    env: str
    id: str
    split: str = "test"
    seed: int = 0
    family: str = ""
    settings: dict[str, Any] = {}
    data: str | None = None


class Episode(Record, frozen=True, kw_only=True):
    """Everything done for one (task, method, trial)."""

    schema: int = SCHEMA
    task: Task
    method: str
    trial: int
    seed: int
    attempts: tuple[Attempt, ...] = ()
    counted: int | None = None
    counted_rule: str = "last"
    success: bool = False
    score: float = 0.0
    end: End = End.FAILURE
    error: str | None = None
    calls: tuple[Call, ...] = ()
    usage: dict[str, Usage] = {}
    memory: tuple[MemoryOp, ...] = ()
    out_of_budget: bool = False
    tries: int = 1
    seconds: float = 0.0

    @property
    def key(self) -> tuple[str, str, int]:
        """(task id, method, trial): what makes an episode itself within a run."""
        return (self.task.id, self.method, self.trial)
