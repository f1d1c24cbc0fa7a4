#!/usr/bin/env python3
"""A client of the MCP Python SDK that gets its tokens by identity assertions (ID-JAG) of an identity provider, against a running
gateway. One line for each thing that worked; exits with 1 at the first that did not.

usage: mcp_identity.py BASE_URL PROVIDER_URL

The gateway has the tools of mcp_server.py at /mcp: `add` for the scope `read`, `remove` for `write` as well. The provider gives
assertions at /exchange. The client is `agent` with the secret `s`.
"""

import sys

import anyio
import httpx2
from mcp.client.auth.extensions.identity_assertion import IdentityAssertionOAuthProvider
from mcp.client.client import Client
from mcp.client.streamable_http import streamable_http_client

from authorization_code import done, expect

BASE, PROVIDER = sys.argv[1:3]


class Storage:
    """Remembers tokens for the time of the run."""

    tokens = None

    async def get_tokens(self):
        return self.tokens

    async def set_tokens(self, tokens):
        self.tokens = tokens

    async def get_client_info(self):
        return None

    async def set_client_info(self, client):
        expect(False, "no client registers itself")


class Provider:
    """Gives an assertion for each token."""

    asked = 0

    async def assertion(self, audience, resource):
        self.asked += 1
        form = {"audience": audience, "resource": resource, "scope": "read write"}
        async with httpx2.AsyncClient() as http:
            return (await http.post(f"{PROVIDER}/exchange", data=form)).json()["access_token"]


async def main():
    storage, provider = Storage(), Provider()
    for method in ["client_secret_post", "client_secret_basic"]:
        storage.tokens, provider.asked = None, 0
        auth = IdentityAssertionOAuthProvider(
            server_url=f"{BASE}/mcp", storage=storage, client_id="agent", client_secret="s", issuer=BASE,
            assertion_provider=provider.assertion, scope="read", token_endpoint_auth_method=method)
        async with httpx2.AsyncClient(auth=auth, timeout=20) as http:
            async with Client(streamable_http_client(f"{BASE}/mcp", http_client=http)) as client:
                result = await client.call_tool("add", {"a": 1, "b": 2})
                expect(result.content[0].text == "3", f"add: {result}")
                expect(storage.tokens.scope == "read" and storage.tokens.refresh_token is None, f"{storage.tokens}")
                expect(provider.asked == 1, f"{provider.asked} assertions")
                done(f"calls a tool by {method}")
                if method == "client_secret_post":
                    continue
                result = await client.call_tool("remove", {"name": "x"})
                expect(result.content[0].text == "removed x", f"remove: {result}")
                expect(provider.asked == 2 and "write" in storage.tokens.scope, f"{storage.tokens}")
                done("brings another assertion for more scopes")


anyio.run(main)
