"""The Python clients of the revisions before 2026-07-28 (`mcp` 1.x), over Streamable HTTP and standard input and output.

The one argument is the revision that the installed client speaks.
"""

import asyncio
import os
import sys
from contextlib import asynccontextmanager

from mcp import ClientSession, McpError, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamablehttp_client

import checks


class Client(checks.Client):
    def __init__(self, session: ClientSession, revision: str) -> None:
        self.session = session
        self.revision = revision

    async def list(self) -> list[checks.Tool]:
        listed = await self.session.list_tools()
        return [
            checks.Tool(
                name=tool.name,
                title=tool.title,
                description=tool.description,
                input_schema=tool.inputSchema,
                output_schema=tool.outputSchema,
                annotations=tool.annotations.model_dump(exclude_none=True),
            )
            for tool in listed.tools
        ]

    async def call(self, tool: str, arguments: object, progress: object = None) -> checks.Answer:
        try:
            result = await self.session.call_tool(tool, arguments, progress_callback=progress)
        except McpError as error:
            raise checks.Refused(error.error.code, error.error.message) from error
        return checks.Answer(
            text="\n".join(block.text for block in result.content),
            structured=result.structuredContent,
            is_error=result.isError,
            outcome=(result.meta or {}).get("toolhost/outcome"),
        )


@asynccontextmanager
async def over_http(url: str, key: str | None = None):
    headers = {"Authorization": f"Bearer {key}"} if key else None
    async with streamablehttp_client(url, headers=headers) as (reading, writing, session_id):
        async with ClientSession(reading, writing) as session:
            greeting = await session.initialize()
            checks.check(session_id() is None, "there is no session")
            yield Client(session, str(greeting.protocolVersion))


@asynccontextmanager
async def over_pipes(folder: str, key: str | None = None):
    environment = {"TOOLHOST_KEY": key} if key else None
    server = StdioServerParameters(command=os.environ["HOST"], args=["serve", "--stdio"], cwd=folder, env=environment)
    async with stdio_client(server) as (reading, writing):
        async with ClientSession(reading, writing) as session:
            greeting = await session.initialize()
            yield Client(session, str(greeting.protocolVersion))


async def main(revision: str) -> None:
    shipped, keyed = os.environ["SHIPPED_URL"], os.environ["KEYED_URL"]
    acme, globex = os.environ["ACME_KEY"], os.environ["GLOBEX_KEY"]

    print("Streamable HTTP:", flush=True)
    async with over_http(shipped) as client:
        await samples(client, revision)
    await checks.disconnection(spin(shipped), checks.Processor(int(os.environ["SHIPPED_PID"])))
    print("Streamable HTTP, with keys:", flush=True)
    async with over_http(keyed, acme) as first, over_http(keyed, globex) as second:
        await checks.tenants(first, second)
        await checks.progress(first)
    try:
        async with over_http(keyed, "wrong"):
            sys.exit("FAILED: a wrong key was taken")
    except Exception as error:
        checks.check(True, f"a wrong key is refused ({type(error).__name__})")

    print("Standard input and output:", flush=True)
    async with over_pipes(os.environ["SHIPPED_FOLDER"]) as client:
        await samples(client, revision)
    print("Standard input and output, with a key:", flush=True)
    async with over_pipes(os.environ["KEYED_FOLDER"], acme) as client:
        await checks.progress(client)


async def samples(client: Client, revision: str) -> None:
    """These clients do not tell a server which call they give up; they can only go away."""
    checks.expect(client.revision, revision, f"the revision is {revision}")
    await checks.listing(client, revision)
    await checks.calls(client, revision)


async def spin(url: str) -> None:
    async with over_http(url) as client:
        await client.call("spin", {})


asyncio.run(main(sys.argv[1]))
