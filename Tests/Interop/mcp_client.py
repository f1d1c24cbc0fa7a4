#!/usr/bin/env python3
"""A client of the MCP Python SDK, which finds the authorization server, registers itself, logs its user in, lists tools and
calls them, and asks for more scopes where a call needs them, against a running gateway. One line for each thing that worked;
exits with 1 at the first that did not.

With METADATA_URL, the URL of its metadata is its id, and it does not register itself.

usage: mcp_client.py BASE_URL USER PASSWORD [METADATA_URL]

The gateway has the tools of mcp_server.py at /mcp: `add` for all callers, `remove` for the scope `write`, `wipe` for none.
"""

import sys
import urllib.parse

import anyio
import httpx2
from mcp.client.auth import OAuthClientProvider
from mcp.client.client import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError
from mcp.shared.auth import AuthorizationCodeResult, OAuthClientMetadata

from authorization_code import Browser, done, expect

BASE, USER, PASSWORD = sys.argv[1:4]
METADATA_URL = sys.argv[4] if len(sys.argv) > 4 else None
REDIRECT = "http://127.0.0.1:53683/callback"


class Storage:
    """Remembers tokens and registration for the time of the run."""

    tokens = None
    client = None
    registrations = 0

    async def get_tokens(self):
        return self.tokens

    async def set_tokens(self, tokens):
        self.tokens = tokens

    async def get_client_info(self):
        return self.client

    async def set_client_info(self, client):
        self.client = client
        self.registrations += 1


class Login:
    """The user's browser."""

    def __init__(self):
        self.browser = Browser()
        self.asked = []

    async def redirect(self, url):
        query = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(url).query))
        self.asked.append(query["scope"])
        self.browser.open(url)
        if 'name="password"' in self.browser.page.text:
            self.browser.submit(username=USER, password=PASSWORD)
        expect("asks for access" in self.browser.page.text, f"the user is asked: {self.browser.page.text}")
        self.back = self.browser.submit(decision="approve")

    async def callback(self):
        expect(isinstance(self.back, str), "back at the client")
        answer = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(self.back).query))
        return AuthorizationCodeResult(code=answer["code"], state=answer["state"], iss=answer.get("iss"))


async def use(mode):
    """The whole way with a new registration.

    mode: `auto` finds the specification of 2026-07-28, `legacy` is that of 2025-11-25.
    """
    storage, login, lines = Storage(), Login(), []
    metadata = OAuthClientMetadata(
        client_name="Agent", redirect_uris=[REDIRECT], grant_types=["authorization_code", "refresh_token"],
        response_types=["code"], token_endpoint_auth_method="none")
    auth = OAuthClientProvider(
        f"{BASE}/mcp", metadata, storage, redirect_handler=login.redirect, callback_handler=login.callback,
        client_metadata_url=METADATA_URL)
    async with httpx2.AsyncClient(auth=auth, timeout=20) as http:
        async with Client(streamable_http_client(f"{BASE}/mcp", http_client=http), mode=mode) as client:
            if METADATA_URL:
                expect(storage.client.client_id == METADATA_URL, f"{mode}: client: {storage.client}")
            lines.append(f"logged in with {login.asked[0]}")
            names = [tool.name for tool in (await client.list_tools()).tools]
            expect(names == ["add"], f"{mode}: tools: {names}")
            lines.append("lists what the caller may call")
            result = await client.call_tool("add", {"a": 1, "b": 2})
            expect(result.content[0].text == "3", f"{mode}: add: {result}")
            lines.append("calls a tool")
            result = await client.call_tool("remove", {"name": "x"})
            expect(result.content[0].text == "removed x", f"{mode}: remove: {result}")
            expect("write" in login.asked[-1].split() and len(login.asked) == 2, f"{mode}: scopes: {login.asked}")
            expect(storage.registrations == 1, f"{mode}: one registration")
            lines.append("asks for more scopes")
            names = [tool.name for tool in (await client.list_tools()).tools]
            expect(sorted(names) == ["add", "remove"], f"{mode}: tools: {names}")
            lines.append("lists what the caller may call now")
            try:
                refused = await client.call_tool("wipe", {})
                expect(False, f"{mode}: wipe: {refused}")
            except MCPError as error:
                expect("no rule allows it" in str(error), f"{mode}: wipe: {error!r}")
            expect(len(login.asked) == 2, f"{mode}: no login helps")
            lines.append("is told what no rule allows")
    return lines


async def main():
    lines = await use("auto")
    expect(await use("legacy") == lines, "both versions work")
    for line in lines:
        done(line)


anyio.run(main)
