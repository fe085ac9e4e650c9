"""The Python client of revision 2026-07-28 (`mcp` 2.x), over Streamable HTTP and standard input and output."""

import asyncio
import os
import sys

import httpx2
from mcp import Client as McpClient
from mcp import MCPError, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client

import checks

REVISION = "2026-07-28"


class Client(checks.Client):
    def __init__(self, inner: McpClient) -> None:
        self.inner = inner
        self.revision = inner.protocol_version

    async def list(self) -> list[checks.Tool]:
        listed = await self.inner.list_tools(cache_mode="bypass")
        checks.check(
            listed.cache_scope == "private" and listed.ttl_ms >= 0, "the list is private to its caller", listed
        )
        return [
            checks.Tool(
                name=tool.name,
                title=tool.title,
                description=tool.description,
                input_schema=tool.input_schema,
                output_schema=tool.output_schema,
                annotations=tool.annotations.model_dump(by_alias=True, exclude_none=True),
            )
            for tool in listed.tools
        ]

    async def call(self, tool: str, arguments: object, progress: object = None) -> checks.Answer:
        try:
            result = await self.inner.call_tool(tool, arguments, progress_callback=progress)
        except MCPError as error:
            raise checks.Refused(error.code, error.message) from error
        return checks.Answer(
            text="\n".join(block.text for block in result.content),
            structured=result.structured_content,
            is_error=bool(result.is_error),
            outcome=(result.meta or {}).get("toolhost/outcome"),
        )


def with_key(url: str, key: str) -> McpClient:
    http = httpx2.AsyncClient(headers={"Authorization": f"Bearer {key}"}, timeout=120)
    return McpClient(streamable_http_client(url, http_client=http), mode=REVISION)


async def main() -> None:
    shipped, keyed = os.environ["SHIPPED_URL"], os.environ["KEYED_URL"]
    program, folder = os.environ["HOST"], os.environ["SHIPPED_FOLDER"]

    print("Streamable HTTP, the revision found out:", flush=True)
    async with McpClient(shipped) as inner:
        await checks.samples(Client(inner), REVISION, checks.Processor(int(os.environ["SHIPPED_PID"])))
    print("Streamable HTTP, with keys:", flush=True)
    async with with_key(keyed, os.environ["ACME_KEY"]) as acme, with_key(keyed, os.environ["GLOBEX_KEY"]) as globex:
        await checks.tenants(Client(acme), Client(globex))
        await checks.progress(Client(acme))
        await checks.permits(Client(acme))
    try:
        async with with_key(keyed, "wrong") as nobody:
            await nobody.list_tools()
        sys.exit("FAILED: a wrong key was taken")
    except Exception as error:
        checks.check(True, f"a wrong key is refused ({type(error).__name__})")

    print("Standard input and output:", flush=True)
    server = StdioServerParameters(command=program, args=["serve", "--stdio"], cwd=folder)
    async with McpClient(server) as inner:
        await checks.samples(Client(inner), REVISION, checks.Processor.of_child())
    print("Standard input and output, with a key:", flush=True)
    async with keyed_child("ACME_KEY") as acme, keyed_child("GLOBEX_KEY") as globex:
        await checks.tenants(Client(acme), Client(globex))
        await checks.progress(Client(acme))
        await checks.permits(Client(acme))


def keyed_child(key: str) -> McpClient:
    environment = {"TOOLHOST_KEY": os.environ[key]}
    folder = os.environ["KEYED_FOLDER"]
    return McpClient(
        StdioServerParameters(command=os.environ["HOST"], args=["serve", "--stdio"], cwd=folder, env=environment)
    )


asyncio.run(main())
