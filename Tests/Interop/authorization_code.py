#!/usr/bin/env python3
"""The authorization code flow with authlib, as a client with a secret and as a public one, against a running gateway.
The browser is `requests`, which fills in the forms. One line for each thing that worked; exits with 1 at the first that
did not.

usage: authorization_code.py BASE_URL

The gateway has the clients and the user of AuthorizationFixture.
"""

import html
import os
import re
import sys
import time
import urllib.parse

os.environ["AUTHLIB_INSECURE_TRANSPORT"] = "1"

import requests
from authlib.common.security import generate_token
from authlib.integrations.base_client import OAuthError
from authlib.integrations.requests_client import OAuth2Session
from authlib.oidc.core import CodeIDToken
from joserfc import jwt
from joserfc.jwk import KeySet

BASE = sys.argv[1]


def done(what):
    print(what, flush=True)


def expect(condition, what):
    if not condition:
        sys.exit(f"FAILED: {what}")


class Browser:
    """Follows redirects within the gateway, and fills in its forms."""

    def __init__(self):
        self.session = requests.Session()
        self.session.headers["Accept"] = "text/html"

    def open(self, url):
        return self.settle(self.session.get(self.here(url), allow_redirects=False, timeout=10))

    @staticmethod
    def here(url):
        return urllib.parse.urljoin(BASE, url)

    def settle(self, response):
        """The page, or the address outside the gateway that the browser is sent to."""
        while response.is_redirect:
            url = self.here(response.headers["Location"])
            if not url.startswith(BASE + "/"):
                return url
            response = self.session.get(url, allow_redirects=False, timeout=10)
        self.page = response
        return response

    def submit(self, **typed):
        action = html.unescape(re.search(r'action="([^"]*)"', self.page.text)[1])
        hidden = dict(re.findall(r'type="hidden" name="([^"]*)" value="([^"]*)"', self.page.text))
        data = {name: html.unescape(value) for name, value in hidden.items()} | typed
        return self.settle(self.session.post(self.here(action), data=data, allow_redirects=False, timeout=10))

    def log_in(self, url):
        """The whole way from the client's link to its redirect URI."""
        self.open(url)
        self.submit(username="joe", password="Welcome1")
        expect("asks for access" in self.page.text, f"the user is asked: {self.page.text}")
        return self.submit(decision="approve")


def discover():
    document = requests.get(f"{BASE}/.well-known/openid-configuration", timeout=10).json()
    expect(document["authorization_response_iss_parameter_supported"] is True, "iss in answers")
    here = {name: value.replace(document["issuer"], BASE) for name, value in document.items() if isinstance(value, str)}
    done("discovery")
    return document, here


def verify(document, here, token, client, nonce):
    keys = KeySet.import_key_set(requests.get(here["jwks_uri"], timeout=10).json())
    decoded = jwt.decode(token["id_token"], keys, algorithms=document["id_token_signing_alg_values_supported"])
    claims = CodeIDToken(
        decoded.claims, decoded.header,
        {"iss": {"essential": True, "value": document["issuer"]}, "aud": {"essential": True, "value": client}},
        {"nonce": nonce, "client_id": client, "access_token": token["access_token"]})
    claims.validate(now=int(time.time()))
    expect(claims["sub"] == "joe", "the subject of the ID token")


def flow(document, here, client, secret, redirect, method):
    verifier, nonce = generate_token(48), generate_token(20)
    session = OAuth2Session(
        client, secret, scope="openid profile email", redirect_uri=redirect, token_endpoint_auth_method=method,
        code_challenge_method="S256", token_endpoint=here["token_endpoint"])
    url, state = session.create_authorization_url(here["authorization_endpoint"], code_verifier=verifier, nonce=nonce)
    browser = Browser()
    back = browser.log_in(url)
    expect(back.startswith(redirect.split(":")[0]), f"{method}: back at the client: {back}")
    answer = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(back).query))
    expect(answer["iss"] == document["issuer"] and answer["state"] == state, f"{method}: issuer and state")
    token = session.fetch_token(
        here["token_endpoint"], authorization_response=back, code_verifier=verifier, state=state)
    done(f"{method}: code with PKCE")
    verify(document, here, token, client, nonce)
    done(f"{method}: ID token")
    info = session.get(here["userinfo_endpoint"]).json()
    expect(info["sub"] == "joe" and info["email"] == "joe@example.com" and info["name"] == "Joe Example", "userinfo")
    done(f"{method}: userinfo")
    return browser, session, token, back, verifier


def status(token):
    return requests.get(
        f"{BASE}/plain", headers={"Authorization": f"Bearer {token}"}, timeout=10).status_code


def confidential(document, here):
    browser, session, token, back, verifier = flow(
        document, here, "web-client", "web-secret", "https://web.example.com/cb", "client_secret_basic")
    expect(status(token["access_token"]) == 200, "the access token opens a route")
    expect(status(token["id_token"]) == 401, "the ID token opens none")
    done("only the access token opens routes")
    # Somebody has read the code.
    replay = OAuth2Session(
        "web-client", "web-secret", redirect_uri="https://web.example.com/cb", token_endpoint=here["token_endpoint"])
    try:
        replay.fetch_token(here["token_endpoint"], authorization_response=back, code_verifier=verifier)
        expect(False, "a code is good once")
    except OAuthError as error:
        expect(error.error == "invalid_grant", f"replay: {error}")
    deadline = time.monotonic() + 20
    while status(token["access_token"]) == 200:
        expect(time.monotonic() < deadline, "a replay revokes the token")
    try:
        session.refresh_token(here["token_endpoint"], refresh_token=token["refresh_token"])
        expect(False, "a replay revokes the refresh token")
    except OAuthError:
        pass
    done("a replay revokes the tokens")
    # Signed on and consented: nothing is asked any more.
    url, _ = session.create_authorization_url(here["authorization_endpoint"], code_verifier=generate_token(48), prompt="none")
    expect("code=" in browser.open(url), "prompt=none with session and consent")
    url, _ = session.create_authorization_url(here["authorization_endpoint"], code_verifier=generate_token(48), prompt="none")
    expect("error=login_required" in Browser().open(url), "prompt=none without a session")
    done("prompt=none")


def public(document, here):
    _, session, token, _, _ = flow(
        document, here, "app-client", None, "http://127.0.0.1:53682/cb", "none")
    again = session.refresh_token(here["token_endpoint"], refresh_token=token["refresh_token"])
    expect(again["refresh_token"] != token["refresh_token"], "refresh tokens of public clients rotate")
    done("none: refresh")
    session.revoke_token(here["revocation_endpoint"], token=again["refresh_token"])
    expect(status(again["access_token"]) == 401, "revocation")
    done("none: revocation")


def without_challenge(here):
    session = OAuth2Session("web-client", "web-secret", redirect_uri="https://web.example.com/cb")
    url, state = session.create_authorization_url(here["authorization_endpoint"])
    back = Browser().open(url)
    expect("error=invalid_request" in back and f"state={state}" in back, "PKCE is required")
    done("PKCE is required")


def main():
    document, here = discover()
    confidential(document, here)
    public(document, here)
    without_challenge(here)


if __name__ == "__main__":
    main()
