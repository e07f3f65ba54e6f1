"""The domain of one episode: databases and tools, in the state that the tools left."""

from __future__ import annotations

import ast
import functools
import json
from typing import Any, Literal

from cornerman_envs.bfcl.calls import Call
from cornerman_envs.tau2.wheel import wheel

Requestor = Literal["assistant", "user"]
"""Who calls a tool, in the wheel's words."""

CHANGELESS = ("calculate", "transfer_to_human_agents")
"""Tools that change no database, though the wheel does not say that they read."""
ARITHMETIC = (ast.Expression, ast.BinOp, ast.UnaryOp, ast.Constant, ast.operator, ast.unaryop)
LONGEST_EXPRESSION = 1_000


class World:
    """A fresh environment of the wheel in a task's initial state; it shares nothing with those of other episodes.

    `solo` puts the user's tools into the agent's hands.
    """

    def __init__(self, domain: str, task: Any, solo: bool = False) -> None:
        made: dict[str, Any] = {"solo_mode": solo}
        if domain in wheel().databases:
            model, content = wheel().databases[domain]
            made["db"] = model.model_validate_json(content)
        self._env = wheel().environments[domain](**made)
        start = task.initial_state
        if start is not None:
            self._env.set_state(start.initialization_data, start.initialization_actions, start.message_history or [])
        self._bills = {bill.bill_id for bill in getattr(self._env.tools.db, "bills", ())}
        self.policy: str = self._env.get_policy()

    def call(self, call: Call, requestor: Requestor) -> tuple[str, bool]:
        """Carry out a call: its result as text, and whether it failed. What a tool raises is an answer too."""
        try:
            if call.name == "calculate":
                _refuse_costly(call.arguments.get("expression"))
            made = wheel().call(name=call.name, arguments=call.arguments, requestor=requestor)
            response = self._env.get_response(made)
            self._env.sync_tools()
            self._name_bills()
        except Exception as error:
            return f"Error: {error}", True
        return str(response.content), bool(response.error)

    def _name_bills(self) -> None:
        """Give new bills ids that count on; the wheel draws them at random, so that no replay would show the same."""
        for bill in getattr(self._env.tools.db, "bills", ()):
            if bill.bill_id not in self._bills:
                name = f"B{len(self._bills):08x}"
                owner = self._env.tools.get_customer_by_id(bill.customer_id)
                owner.bill_ids = [name if known == bill.bill_id else known for known in owner.bill_ids]
                bill.bill_id = name
                self._bills.add(name)

    def replay(self, actions: list[Any]) -> None:
        """Make the calls of an answer as the wheel's evaluator does; those that fail are passed over."""
        for action in actions:
            try:
                self._env.make_tool_call(action.name, requestor=action.requestor, **action.arguments)
            except Exception:  # the wheel's answers hold a few calls that their tools refuse
                continue

    def hashes(self) -> tuple[str | None, str | None]:
        """Digests of the domain's database and of the user's, as the wheel computes them."""
        return self._env.get_db_hash(), self._env.get_user_db_hash()

    def holds(self, assertion: Any) -> bool:
        """Whether an assertion of the task holds now; one that cannot be evaluated does not."""
        try:
            return bool(self._env.run_env_assertion(assertion, raise_assertion_error=False))
        except Exception:
            return False

    def reads(self, name: str) -> bool:
        """Whether a tool changes nothing; an unknown one is refused and changes nothing either."""
        for kit in (self._env.tools, self._env.user_tools):
            if kit is not None and kit.has_tool(name):
                return str(kit.tool_type(name).value) in ("read", "think") or name in CHANGELESS
        return True

    def user_state(self) -> Any:
        """The user's own database, as JSON; None where the user has none."""
        kit = self._env.user_tools
        return None if kit is None else json.loads(kit.db.model_dump_json())


def _refuse_costly(expression: Any) -> None:
    """Raise for what is no plain arithmetic; a power can take unbounded time and memory."""
    if not isinstance(expression, str) or len(expression) > LONGEST_EXPRESSION:
        raise ValueError(f"expression must be a text of at most {LONGEST_EXPRESSION} characters")
    if not set(expression) <= set("0123456789+-*/(). "):
        raise ValueError("Invalid characters in expression")
    try:
        nodes = list(ast.walk(ast.parse(expression.strip(), mode="eval")))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise ValueError("Invalid expression") from None
    if not all(isinstance(node, ARITHMETIC) and not isinstance(node, ast.Pow) for node in nodes):
        raise ValueError("Invalid expression: only +, -, *, / and parentheses are calculated")


@functools.cache
def _schemas(domain: str, requestor: Requestor) -> str | None:
    database = wheel().databases.get(domain)
    env = wheel().environments[domain](**({} if database is None else {"db": database[0].model_construct()}))
    kit = env.tools if requestor == "assistant" else env.user_tools
    if kit is None:
        return None
    schemas = [tool.openai_schema["function"] for tool in kit.get_tools().values()]
    return json.dumps([{k: schema[k] for k in ("name", "description", "parameters")} for schema in schemas])


def tools_of(domain: str, requestor: Requestor) -> list[dict[str, Any]] | None:
    """The tools of the agent or of the user as JSON schemas, a fresh copy; None where there are none."""
    text = _schemas(domain, requestor)
    return None if text is None else list(json.loads(text))
