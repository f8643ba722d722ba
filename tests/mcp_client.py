#!/usr/bin/env python3
"""Plays `exuvia mcp` with the official MCP client. Usage: mcp_client.py EXUVIA; EXUVIA_URL and EXUVIA_KEY name a shim; needs `pip install mcp`.

Every check names what it looks at; the last line says that all is well.
"""

import asyncio
import json
import os
import pathlib
import sys
import tempfile
import urllib.request

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client

EXUVIA = sys.argv[1]


def check(what, found, expected):
    if found != expected:
        sys.exit(f"{what}: expected {expected!r}, found {found!r}")
    print(f"well: {what}")


def field(result, *names):
    """The SDK's fields, under the names of either of its generations."""
    for name in names:
        if hasattr(result, name):
            return getattr(result, name)
    sys.exit(f"no field {names} in {result!r}")


class Client:
    def __init__(self, session):
        self.session = session

    async def call(self, tool, **arguments):
        result = await self.session.call_tool(tool, arguments)
        text = "".join(block.text for block in result.content)
        return text, field(result, "structured_content", "structuredContent"), bool(field(result, "is_error", "isError"))


async def with_server(arguments, play):
    server = StdioServerParameters(command=EXUVIA, args=["mcp", *arguments])
    async with stdio_client(server) as (read, write), ClientSession(read, write) as session:
        await session.initialize()
        await play(Client(session))


async def with_shim(url, key, session, play):
    """A session of a running shim, over HTTP."""
    from mcp.client import streamable_http

    headers = {"Authorization": f"Bearer {key}", "Nylorun-Protocol": "10"}
    body = {"requestId": "1", "agentId": "a", "ownerUserId": "u", "sandbox": {}}
    request = urllib.request.Request(
        f"{url}/v1/sessions/{session}", json.dumps(body).encode(), {**headers, "Content-Type": "application/json"}, method="PUT"
    )
    urllib.request.urlopen(request).close()
    http_client = streamable_http.create_mcp_http_client(headers=headers)
    url = f"{url}/v1/sessions/{session}/mcp"
    async with http_client, streamable_http.streamable_http_client(url, http_client=http_client) as streams:
        async with ClientSession(*streams[:2]) as session:
            await session.initialize()
            await play(Client(session))


async def in_memory(client):
    tools = (await client.session.list_tools()).tools
    check("tools", [tool.name for tool in tools], ["bash", "read", "write", "edit", "grep", "glob"])
    schema = field(tools[0], "input_schema", "inputSchema")
    check("schema", schema["required"], ["command"])

    text, reply, error = await client.call("write", path="src/a.py", content="def f():\n    return 1\n")
    check("write", (text, error), ("22 bytes written to /workspace/src/a.py", False))
    check("write, structured", reply, {"path": "/workspace/src/a.py", "bytes": 22})
    text, _, _ = await client.call("edit", path="src/a.py", old_string="return 1", new_string="return 2")
    check("edit", text.splitlines()[-2:], ["-    return 1", "+    return 2"])
    text, _, _ = await client.call("read", path="src/a.py")
    check("read", text, "1\tdef f():\n2\t    return 2")
    text, _, _ = await client.call("grep", pattern="ret.rn", glob="*.{py,js}")
    check("grep", text, "/workspace/src/a.py:2:    return 2")
    text, _, _ = await client.call("glob", pattern="**/*.py")
    check("glob", text, "/workspace/src/a.py")

    text, reply, error = await client.call("bash", command="echo out; echo err >&2; exit 3")
    check("bash", (text, error), ("out\n[stderr]\nerr\n[exit code 3]\n", False))
    check("bash, structured", reply, {"exitCode": 3, "stdout": "out\n", "stderr": "err\n"})
    _, reply, _ = await client.call("bash", command="sleep 5", timeout=1)
    check("time-out", (reply["exitCode"], reply["timedOut"]), (124, True))
    calls = [client.call("bash", command=f"echo {number} >> log") for number in range(20)]
    await asyncio.gather(*calls)
    text, _, _ = await client.call("bash", command="sort -n log | tr '\\n' ' '")
    check("calls at a time", text, " ".join(map(str, range(20))) + " ")

    text, reply, error = await client.call("read", path="nope")
    check("failure", (reply["code"], error), ("sandbox.not_found", True))
    text, _, error = await client.call("bash", command="x", timeout=0)
    check("bad input", (text, error), ("bash: `timeout` must be from 1 to 600", True))
    try:
        _, _, error = await client.call("python")
    except Exception:  # the SDK's own class, which was renamed between its generations
        error = True
    check("unknown tool", error, True)


async def main():
    await with_server([], in_memory)
    with tempfile.TemporaryDirectory() as directory:
        file = pathlib.Path(directory, "f")
        file.write_text("old\n")

        async def change(client):
            await client.call("edit", path="f", old_string="old", new_string="new")
            text, _, _ = await client.call("read", path="f")
            check("read of a mounted file", text, "1\tnew")

        await with_server(["--dir", directory], change)
        check("an overlaid directory stays as it is", file.read_text(), "old\n")
        await with_server(["--dir-rw", directory], change)
        check("a read-write directory is changed", file.read_text(), "new\n")
    if "EXUVIA_URL" in os.environ:
        await with_shim(os.environ["EXUVIA_URL"], os.environ["EXUVIA_KEY"], "over-mcp", in_memory)
    print("all is well")


asyncio.run(main())
