"""What every Python client checks, whatever its version. A failed check ends the program with its sentence."""

import asyncio
import json
import os
import sys
import time
from dataclasses import dataclass
from typing import Any

SAMPLES = [
    "allocate", "build_report", "cancel_order", "crash", "customer_overview", "fail", "find_orders", "flood", "get_customer", "get_order",
    "multiply", "recurse", "search_documents", "sleep", "spin",
]

# The smallest whole number that a double cannot hold.
LARGE = 9007199254740993


@dataclass
class Answer:
    """A result of a tool call, as each version of the client names its parts."""

    text: str
    structured: Any
    is_error: bool
    outcome: dict[str, Any] | None


@dataclass
class Tool:
    """A tool as it is listed."""

    name: str
    title: str | None
    description: str | None
    input_schema: dict[str, Any]
    output_schema: dict[str, Any] | None
    annotations: dict[str, Any]


class Refused(Exception):
    """A protocol error, with its code and text."""

    def __init__(self, code: int, message: str) -> None:
        super().__init__(f"{code}: {message}")
        self.code = code
        self.message = message


class Client:
    """One connection. Subclasses say how their version of the library does these things."""

    revision: str

    async def list(self) -> list[Tool]:
        raise NotImplementedError

    async def call(self, tool: str, arguments: Any, progress: Any = None) -> Answer:
        raise NotImplementedError


def check(holds: bool, what: str, seen: Any = None) -> None:
    """Says that something was checked, or ends the program."""
    if not holds:
        sys.exit(f"FAILED: {what}. Seen: {seen!r}")
    print(f"  ok  {what}", flush=True)


def expect(seen: Any, wanted: Any, what: str) -> None:
    """The same for two values that must be equal."""
    check(seen == wanted and type(seen) is type(wanted), f"{what}", seen)


async def samples(client: Client, revision: str, processor: "Processor") -> None:
    """The sample tools over one connection to the server with the shipped configuration."""
    expect(client.revision, revision, f"the revision is {revision}")
    await listing(client, revision)
    await calls(client, revision)
    await cancellation(client, processor)


async def listing(client: Client, revision: str) -> None:
    tools = {tool.name: tool for tool in await client.list()}
    expect(list(tools), SAMPLES, "exactly the sample tools are listed, in order")
    check(all(tool.description for tool in tools.values()), "every tool has a description")
    multiply = tools["multiply"]
    expect(multiply.title, "Multiply", "multiply has its title")
    expect(
        multiply.annotations,
        {"readOnlyHint": True, "destructiveHint": False, "idempotentHint": True, "openWorldHint": False},
        "all four annotations of multiply are written out",
    )
    check(tools["cancel_order"].annotations["destructiveHint"] is True, "cancel_order is destructive")
    expect(multiply.input_schema["properties"]["b"]["default"], 1, "b has its default")
    expect(multiply.input_schema["additionalProperties"], False, "unknown arguments are refused by the schema")
    status = json.dumps(tools["find_orders"].input_schema)
    check('"shipped"' in status and '"enum"' in status, "the statuses of find_orders are an enum", status)
    if revision < "2026":
        schemas = [tool.output_schema for tool in tools.values() if tool.output_schema is not None]
        check(all(s.get("type") == "object" for s in schemas), "output schemas are objects, as this revision wants")


async def calls(client: Client, revision: str) -> None:
    answer = await client.call("multiply", {"a": 6, "b": 7})
    expect((answer.text, answer.is_error), ("42", False), "multiply answers 42")
    expect((await client.call("multiply", {"a": LARGE})).text, str(LARGE), "every digit comes back as text")
    if revision >= "2026":
        large = (await client.call("multiply", {"a": LARGE})).structured
        expect(large, LARGE, "every digit comes back in structuredContent")

    found = await client.call("find_orders", {"customer_id": "C-1001", "limit": 2})
    check(not found.is_error and found.structured["matching"] >= 2, "find_orders finds orders", found)
    expect(found.structured, json.loads(found.text), "structuredContent and text say the same")
    check(len(found.structured["orders"]) == 2, "its limit holds", found.structured)

    passages = await client.call("search_documents", {"query": "return a rented tent"})
    check(not passages.is_error and len(passages.text) > 100, "search_documents finds passages", passages)

    failed = await client.call("fail", {})
    check(failed.is_error and failed.text.startswith("Error (ToolError): The tool failed"), "fail fails", failed)
    outcome(failed, "tool_error", "ToolError", True)

    wrong = await client.call("find_orders", {"customer_id": 7, "colour": "red"})
    check(
        wrong.is_error
        and wrong.text.startswith("Error (InvalidArguments): The arguments for 'find_orders' do not match its schema.")
        and "customer_id" in wrong.text
        and "colour" in wrong.text,
        "wrong arguments are a result that names every fault",
        wrong,
    )
    outcome(wrong, "bad_args", "InvalidArguments", True)

    waiting = await client.call("cancel_order", {"order_id": "O-10001", "reason": "Ordered twice."})
    check(waiting.is_error, "cancel_order waits for a person", waiting)
    outcome(waiting, "needs_approval", "ApprovalRequired", False)

    try:
        await client.call("multiplicate", {})
        sys.exit("FAILED: an unknown tool was called")
    except Refused as refused:
        expect(refused.code, -32602, "an unknown tool is the protocol error -32602")
        check(
            refused.message.startswith("There is no tool named 'multiplicate'. Available tools: multiply, "),
            "its text names the nearest tool first",
            refused.message,
        )


def outcome(answer: Answer, code: str, kind: str, retryable: bool) -> None:
    seen = answer.outcome or {}
    expect(
        (seen.get("code"), seen.get("type"), seen.get("retryable")),
        (code, kind, retryable),
        f"_meta toolhost/outcome says {code}",
    )
    check(len(seen.get("call_id", "")) > 10, "and the call id", seen)


class Processor:
    """The processor time that a server used."""

    def __init__(self, pid: int) -> None:
        self.pid = pid

    @classmethod
    def of_child(cls) -> "Processor":
        """The server that this program started."""
        program = os.path.realpath(os.environ["HOST"])
        for pid in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open(f"/proc/{pid}/stat") as stat:
                    parent = int(stat.read().rpartition(")")[2].split()[1])
                if parent == os.getpid() and os.readlink(f"/proc/{pid}/exe") == program:
                    return cls(int(pid))
            except (FileNotFoundError, ProcessLookupError):
                # It ended in the meantime.
                continue
        sys.exit("FAILED: the server over standard input and output is no child of this program")

    def ticks(self) -> int:
        """User and system time, in hundredths of a second."""
        with open(f"/proc/{self.pid}/stat") as stat:
            fields = stat.read().rpartition(")")[2].split()
        return int(fields[11]) + int(fields[12])

    async def used(self, seconds: float) -> int:
        before = self.ticks()
        await asyncio.sleep(seconds)
        return self.ticks() - before


async def cancellation(client: Client, processor: Processor) -> None:
    """A call that the client gives up ends at the server, too: `spin` computes until something stops it."""
    spinning = asyncio.ensure_future(client.call("spin", {}))
    await started(processor)
    await give_up(spinning)
    await idle(processor)
    check(True, "a cancelled spin leaves the server idle")
    expect((await client.call("multiply", {"a": 2})).text, "2", "and the connection goes on")


async def permits(client: Client) -> None:
    """The same for `sleep`, at a server where only one call of each tool may run: the second one needs the permit of
    the first."""
    sleeping = asyncio.ensure_future(client.call("sleep", {"ms": 59_000}))
    await asyncio.sleep(1)
    check(not sleeping.done(), "sleep waits", sleeping)
    await give_up(sleeping)
    before = time.monotonic()
    slept = await asyncio.wait_for(client.call("sleep", {"ms": 1}), 30)
    expect(slept.text, "1", f"a cancelled sleep gives its permit back ({time.monotonic() - before:.1f} s)")


async def disconnection(call: Any, processor: Processor) -> None:
    """A client that goes away takes its call with it. `call` connects, calls `spin` and waits."""
    spinning = asyncio.ensure_future(call)
    await started(processor)
    spinning.cancel()
    await asyncio.wait([spinning])
    await idle(processor)
    check(True, "a client that goes away leaves the server idle")


async def started(processor: Processor) -> None:
    deadline = time.monotonic() + 20
    while await processor.used(0.2) < 4:
        check_time(deadline, "spin does not start")


async def idle(processor: Processor) -> None:
    deadline = time.monotonic() + 20
    while await processor.used(0.5) > 12:
        check_time(deadline, "the server goes on although its client gave up")


async def give_up(call: "asyncio.Future[Answer]") -> None:
    call.cancel()
    try:
        await call
        sys.exit("FAILED: a cancelled call was answered")
    except asyncio.CancelledError:
        pass


def check_time(deadline: float, what: str) -> None:
    if time.monotonic() > deadline:
        sys.exit(f"FAILED: {what}")


async def progress(client: Client) -> None:
    """News of a call come before its answer, in order."""
    news: list[tuple[float, float | None]] = []

    async def heard(done: float, total: float | None, _message: str | None) -> None:
        news.append((done, total))

    answer = await client.call("test_tool_with_progress", {}, heard)
    check(not answer.is_error, "the tool with progress answers", answer)
    expect(news, [(0.0, 100.0), (50.0, 100.0), (100.0, 100.0)], "its three steps were told")


async def tenants(acme: Client, globex: Client) -> None:
    """The key alone says whose orders are seen; both tenants ask with the same arguments at the same time."""
    asked = [client.call("find_orders", {"customer_id": "C-1001"}) for client in [acme, globex] * 4]
    answers = [answer.text for answer in await asyncio.gather(*asked)]
    check(answers[0] != answers[1], "two tenants see different orders")
    expect(answers, [answers[0], answers[1]] * 4, "and each sees its own, in parallel")
    names = [tool.name for tool in await globex.list()]
    check("multiply" in names and "cancel_order" not in names, "a denied tool is not listed", names)
    denied = await globex.call("cancel_order", {"order_id": "O-10001", "reason": "no"})
    outcome(denied, "not_allowed", "NotAllowed", False)
