#!/usr/bin/env python3
"""A server of the MCP Python SDK with three tools, at a port that the kernel chooses. Prints the port.

usage: mcp_server.py
"""

import socket

import uvicorn
from mcp.server.mcpserver import MCPServer

server = MCPServer("tools", log_level="ERROR")


@server.tool()
def add(a: int, b: int) -> str:
    return str(a + b)


@server.tool()
def remove(name: str) -> str:
    return f"removed {name}"


@server.tool()
def wipe() -> str:
    return "wiped"


listener = socket.create_server(("127.0.0.1", 0))
print(listener.getsockname()[1], flush=True)
application = server.streamable_http_app(transport_security=None)
uvicorn.Server(uvicorn.Config(application, log_level="error")).run(sockets=[listener])
