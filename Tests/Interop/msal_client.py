#!/usr/bin/env python3
"""MSAL Python, unchanged, as a client of the gateway's own OpenID provider. The browser is `requests`, which fills in the
forms. One line for each thing that worked; exits with 1 at the first that did not.

usage: msal_client.py BASE_URL CERTIFICATE DIRECTORY

The gateway has the user and the clients of RealClientTests, and the issuer `BASE_URL/shop`: MSAL wants TLS, and an issuer
with a path. The directory has key and certificate of the client `msal-signed` as `client.key` and `client.pem`.
"""

import html
import os
import pathlib
import re
import sys
import threading

# What `requests` trusts, here and in MSAL.
os.environ["REQUESTS_CA_BUNDLE"] = sys.argv[2]

import msal
import requests
from cryptography import x509
from cryptography.hazmat.primitives import hashes

from authorization_code import Browser, expect

BASE, DIRECTORY = sys.argv[1], pathlib.Path(sys.argv[3])
ISSUER = f"{BASE}/shop"


def done(what):
    print(f"ok {what}", flush=True)


def status(token):
    return requests.get(f"{BASE}/plain", headers={"Authorization": f"Bearer {token}"}, timeout=10).status_code


def expect_token(answer, what):
    expect("access_token" in answer, f"{what}: {answer}")
    expect(status(answer["access_token"]) == 200, f"{what}: the token opens a route")


def posted(url):
    """The login of a browser: where its answer is posted, and its fields."""
    page = Browser().log_in(url)
    expect(not isinstance(page, str), f"a form: {page}")
    fields = re.findall(r'type="hidden" name="([^"]*)" value="([^"]*)"', page.text)
    action = html.unescape(re.search(r'action="([^"]*)"', page.text)[1])
    return action, {name: html.unescape(value) for name, value in fields}


def code(client, redirect):
    flow = client.initiate_auth_code_flow(["email", "orders"], redirect_uri=redirect, response_mode="form_post")
    action, fields = posted(flow["auth_uri"])
    expect(action == redirect, f"back at the client: {action}")
    answer = client.acquire_token_by_auth_code_flow(flow, fields)
    expect_token(answer, "code")
    claims = answer["id_token_claims"]
    expect(claims["iss"] == ISSUER and claims["sub"] == "joe" and claims["email"] == "joe@example.com", f"claims: {claims}")


def silent(client):
    account, = client.get_accounts()
    expect(account["username"] == "joe", f"account: {account}")
    first = client.acquire_token_silent_with_error(["email", "orders"], account)
    expect(first["token_source"] == "cache", f"cache: {first}")
    answer = client.acquire_token_silent_with_error(["email", "orders"], account, force_refresh=True)
    expect_token(answer, "refresh")
    expect(answer["token_source"] == "identity_provider" and answer["access_token"] != first["access_token"], f"refresh: {answer}")
    # The refresh token is another one now.
    answer = client.acquire_token_silent_with_error(["email", "orders"], account, force_refresh=True)
    expect_token(answer, "second refresh")
    return account


def confidential():
    client = msal.ConfidentialClientApplication("msal-web", client_credential="web-secret", oidc_authority=ISSUER)
    code(client, "http://127.0.0.1:53682/cb")
    done("code with PKCE, and ID token")
    account = silent(client)
    done("cache and refresh")
    client.remove_account(account)
    expect(client.get_accounts() == [], "removed")
    done("removal of the account")


def signed():
    key, certificate = ((DIRECTORY / f"client.{name}").read_text() for name in ("key", "pem"))
    fingerprint = x509.load_pem_x509_certificate(certificate.encode()).fingerprint(hashes.SHA1()).hex()
    # By itself MSAL takes PS256, and with this fingerprint RS256.
    for more in {}, {"thumbprint": fingerprint}:
        credential = {"private_key": key, "public_certificate": certificate} | more
        client = msal.ConfidentialClientApplication("msal-signed", client_credential=credential, oidc_authority=ISSUER)
        expect_token(client.acquire_token_for_client(["orders"]), f"client credentials {list(more)}")
    done("client credentials with a signed assertion")


def interactive():
    client = msal.PublicClientApplication("msal-app", oidc_authority=ISSUER)
    failures = []

    def visit(url):
        def go():
            try:
                action, fields = posted(url)
                requests.post(action, data=fields, timeout=10).raise_for_status()
            except BaseException as error:
                failures.append(error)
        threading.Thread(target=go, daemon=True).start()

    answer = client.acquire_token_interactive(["email", "orders"], auth_uri_callback=visit, timeout=60)
    expect(not failures, f"browser: {failures}")
    expect_token(answer, "interactive")
    done("login of a program by its own port")
    silent(client)
    done("refresh of a public client")


def device():
    client = msal.PublicClientApplication("msal-app", oidc_authority=ISSUER)
    flow = client.initiate_device_flow(["email", "orders"])
    expect("user_code" in flow, f"device flow: {flow}")
    page = Browser()
    page.open(flow["verification_uri"])
    page.submit(user_code=flow["user_code"])
    page.submit(username="joe", password="Welcome1")
    expect("asks for access" in page.page.text, f"the user is asked: {page.page.text}")
    page.submit(decision="approve")
    expect_token(client.acquire_token_by_device_flow(flow), "device")
    done("login of a device")
    silent(client)
    done("refresh of a device")


def main():
    confidential()
    signed()
    interactive()
    device()


main()
