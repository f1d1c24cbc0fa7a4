#!/usr/bin/env python3
"""A client with DPoP (RFC 9449) made of joserfc and websockets, against a running gateway that requires nonces. One line for
each thing that worked; exits with 1 at the first that did not.

usage: dpop_client.py BASE_URL OWN_ORIGIN

BASE_URL is where the gateway listens, OWN_ORIGIN what clients name it.
"""

import asyncio
import base64
import hashlib
import sys
import time
import uuid

import requests
import websockets
from joserfc import jws
from joserfc.jwk import ECKey, OKPKey, RSAKey

BASE, ORIGIN = sys.argv[1], sys.argv[2]
CLIENT = ("inv-client", "inv-secret")
JOE = {"grant_type": "password", "username": "joe", "password": "Welcome1"}


def done(what):
    print(what, flush=True)


def expect(condition, what):
    if not condition:
        sys.exit(f"FAILED: {what}")


class Client:
    """Keeps its key, its token and the newest nonce."""

    def __init__(self, key, algorithm):
        self.key, self.algorithm, self.nonce, self.token = key, algorithm, None, None

    def proof(self, method, path, with_token=True):
        import json

        header = {"typ": "dpop+jwt", "alg": self.algorithm, "jwk": self.key.as_dict(private=False)}
        claims = {"jti": str(uuid.uuid4()), "htm": method, "htu": ORIGIN + path, "iat": int(time.time())}
        if with_token:
            digest = hashlib.sha256(self.token.encode()).digest()
            claims["ath"] = base64.urlsafe_b64encode(digest).rstrip(b"=").decode()
        if self.nonce:
            claims["nonce"] = self.nonce
        registry = jws.JWSRegistry(algorithms=[self.algorithm], strict_check_header=False)
        return jws.serialize_compact(header, json.dumps(claims), self.key, registry=registry)

    def grant(self, form):
        answer = requests.post(
            f"{BASE}/oauth2/token", data=form, auth=CLIENT, timeout=10,
            headers={"DPoP": self.proof("POST", "/oauth2/token", with_token=False)})
        self.nonce = answer.headers.get("DPoP-Nonce", self.nonce)
        return answer

    def get(self, path, proof=None):
        headers = {"Authorization": f"DPoP {self.token}", "DPoP": proof or self.proof("GET", path)}
        answer = requests.get(f"{BASE}{path}", headers=headers, timeout=10)
        self.nonce = answer.headers.get("DPoP-Nonce", self.nonce)
        return answer


def run(name, key, algorithm):
    client = Client(key, algorithm)
    first = client.grant(JOE)
    expect(first.status_code == 400 and first.json()["error"] == "use_dpop_nonce", f"{name}: {first.text}")
    expect(client.nonce, f"{name}: no nonce")
    second = client.grant(JOE)
    expect(second.status_code == 200 and second.json()["token_type"] == "DPoP", f"{name}: {second.text}")
    client.token = second.json()["access_token"]
    answer = client.get("/plain")
    expect(answer.status_code == 200, f"{name}: {answer.status_code} {answer.headers}")
    proof = client.proof("GET", "/plain")
    expect(client.get("/plain", proof).status_code == 200, f"{name}: proof")
    replay = client.get("/plain", proof)
    expect(replay.status_code == 401, f"{name}: replay")
    expect('error="invalid_dpop_proof"' in replay.headers["WWW-Authenticate"], replay.headers)
    bearer = requests.get(f"{BASE}/plain", headers={"Authorization": f"Bearer {client.token}"}, timeout=10)
    expect(bearer.status_code == 401 and bearer.headers["WWW-Authenticate"].startswith("DPoP "), bearer.headers)
    client.nonce = None
    fresh = client.get("/plain")
    expect(fresh.status_code == 401 and 'error="use_dpop_nonce"' in fresh.headers["WWW-Authenticate"], fresh.headers)
    expect(client.get("/plain").status_code == 200, f"{name}: with the nonce of the refusal")
    done(name)
    return client


async def web_socket(client):
    url = BASE.replace("http://", "ws://") + "/ws"
    headers = {"Authorization": f"DPoP {client.token}", "DPoP": client.proof("GET", "/ws")}
    async with websockets.connect(url, additional_headers=headers) as socket:
        await socket.send("hello")
        expect(await socket.recv() == "hello", "echo")
    for wrong in [headers, {"Authorization": f"Bearer {client.token}"}]:
        try:
            async with websockets.connect(url, additional_headers=wrong):
                sys.exit("FAILED: a WebSocket without a fresh proof")
        except websockets.exceptions.InvalidStatus as refusal:
            expect(refusal.response.status_code == 401, refusal)
    done("WebSocket")


run("RS256", RSAKey.generate_key(2048), "RS256")
run("Ed25519", OKPKey.generate_key("Ed25519"), "EdDSA")
joe = run("ES256", ECKey.generate_key("P-256"), "ES256")
asyncio.run(web_socket(joe))
