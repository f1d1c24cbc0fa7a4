#!/usr/bin/env python3
"""A client that registers itself with authlib (RFC 7591), logs its user in and out, and ends its registration, against a
running gateway. One line for each thing that worked; exits with 1 at the first that did not.

usage: client_registration.py BASE_URL INITIAL_ACCESS_TOKEN

The gateway has the clients and the user of ClientRegistrationTests.
"""

import json
import os
import sys
import urllib.parse
from base64 import urlsafe_b64decode

os.environ["AUTHLIB_INSECURE_TRANSPORT"] = "1"

import requests
from authlib.common.security import generate_token
from authlib.integrations.requests_client import OAuth2Session
from authlib.oauth2.rfc7591 import ClientMetadataClaims

from authorization_code import Browser, discover, done, expect, status, verify

TOKEN = sys.argv[2]
REDIRECT = "http://127.0.0.1:53682/cb"
AFTER = "http://127.0.0.1:53682/out"


def bearer(token):
    return {"Authorization": f"Bearer {token}"}


def register(document, here, method):
    claims = ClientMetadataClaims(
        {"redirect_uris": [REDIRECT], "client_name": "Registered", "token_endpoint_auth_method": method,
         "grant_types": ["authorization_code", "refresh_token"], "response_types": ["code"],
         "scope": "openid profile email orders", "id_token_signed_response_alg": "RS256"},
        {}, options=ClientMetadataClaims.get_claims_options(document))
    claims.validate()
    metadata = dict(claims) | {"post_logout_redirect_uris": [AFTER]}
    reply = requests.post(here["registration_endpoint"], json=metadata, headers=bearer(TOKEN), timeout=10)
    expect(reply.status_code == 201, f"{method}: registration: {reply.text}")
    client = reply.json()
    for name, value in metadata.items():
        expect(client[name] == value, f"{method}: {name}: {client[name]}")
    expect(("client_secret" in client) == (method != "none"), f"{method}: secret")
    return client


def flow(document, here, method):
    client = register(document, here, method)
    verifier, nonce = generate_token(48), generate_token(20)
    session = OAuth2Session(
        client["client_id"], client.get("client_secret"), scope=client["scope"], redirect_uri=REDIRECT,
        token_endpoint_auth_method=method, code_challenge_method="S256", token_endpoint=here["token_endpoint"])
    url, state = session.create_authorization_url(here["authorization_endpoint"], code_verifier=verifier, nonce=nonce)
    browser = Browser()
    back = browser.log_in(url)
    token = session.fetch_token(
        here["token_endpoint"], authorization_response=back, code_verifier=verifier, state=state)
    verify(document, here, token, client["client_id"], nonce)
    header = json.loads(urlsafe_b64decode(token["id_token"].split(".")[0] + "=="))
    expect(header["alg"] == "RS256", f"{method}: the algorithm of the ID token: {header}")
    expect(status(token["access_token"]) == 200, f"{method}: the access token opens a route")
    token = session.refresh_token(here["token_endpoint"], refresh_token=token["refresh_token"]) | {
        "id_token": token["id_token"]}
    done(f"{method}: registration, code, ID token and refresh")
    query = urllib.parse.urlencode(
        {"id_token_hint": token["id_token"], "post_logout_redirect_uri": AFTER, "state": "s"})
    expect(browser.open(f"{here['end_session_endpoint']}?{query}") == f"{AFTER}?state=s", f"{method}: logout")
    expect(status(token["access_token"]) == 401, f"{method}: the logout ends the token")
    done(f"{method}: logout")
    return client


def main():
    document, here = discover()
    flow(document, here, "none")
    client = flow(document, here, "client_secret_post")
    own = client["registration_client_uri"].replace(document["issuer"], BASE)
    token = client["registration_access_token"]
    expect(requests.get(own, headers=bearer(token), timeout=10).json()["client_id"] == client["client_id"], "read")
    expect(requests.delete(own, headers=bearer(token), timeout=10).status_code == 204, "delete")
    expect(requests.get(own, headers=bearer(token), timeout=10).status_code == 401, "gone")
    done("management")


BASE = sys.argv[1]
main()
