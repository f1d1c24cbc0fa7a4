#!/usr/bin/env python3
"""OAuth clients that others wrote, unchanged, against a running gateway: authlib, requests-oauthlib with oauthlib, PyJWT
and joserfc. One line for each thing that worked; exits with 1 at the first that did not.

usage: oauth_clients.py BASE_URL DIRECTORY

The directory has the private key of the client `key-client` as `client-key.pem`.
"""

import json
import os
import pathlib
import sys
import time

# The gateway of a test speaks plain HTTP on the loopback interface.
os.environ["OAUTHLIB_INSECURE_TRANSPORT"] = "1"
os.environ["AUTHLIB_INSECURE_TRANSPORT"] = "1"

import jwt
import requests
from authlib.integrations.base_client import OAuthError
from authlib.integrations.requests_client import OAuth2Session
from authlib.oauth2.rfc7523 import PrivateKeyJWT
from authlib.oauth2.rfc8414 import AuthorizationServerMetadata
from joserfc import jwt as jose_jwt
from joserfc.jwk import KeySet
from oauthlib.oauth2 import BackendApplicationClient, LegacyApplicationClient
from oauthlib.oauth2.rfc6749.errors import InvalidGrantError
from requests_oauthlib import OAuth2Session as RequestsSession

BASE, DIRECTORY = sys.argv[1], pathlib.Path(sys.argv[2])
CLIENT = ("inv-client", "inv-secret")
JOE = {"username": "joe", "password": "Welcome1"}


def done(what):
    print(what, flush=True)


def expect(condition, what):
    if not condition:
        sys.exit(f"FAILED: {what}")


def metadata():
    document = requests.get(f"{BASE}/.well-known/oauth-authorization-server", timeout=10).json()
    known = AuthorizationServerMetadata(document)
    # The issuer of a test is no https URL, which the RFC wants, and a server without an authorization endpoint has no
    # response type; all else is checked as the RFC has it.
    for check in known.REGISTRY_KEYS:
        if check in ("issuer", "authorization_endpoint", "jwks_uri", "response_types_supported"):
            continue
        if check.endswith("_endpoint") and document.get(check):
            expect(document[check].startswith("http"), f"{check} is a URL")
            continue
        getattr(known, f"validate_{check}")()
    here = {name: value.replace(document["issuer"], BASE) for name, value in document.items() if isinstance(value, str)}
    done("metadata")
    return document, here


def status(token, path="/inventory/me"):
    return requests.get(f"{BASE}{path}", headers={"Authorization": f"Bearer {token}"}, timeout=10).status_code


def authlib_grants(here):
    with OAuth2Session(*CLIENT, token_endpoint=here["token_endpoint"]) as session:
        token = session.fetch_token(grant_type="client_credentials")
        expect(status(token["access_token"], "/inventory/public") == 200, "authlib client_credentials")
    done("authlib client_credentials")
    with OAuth2Session(*CLIENT, token_endpoint=here["token_endpoint"], token_endpoint_auth_method="client_secret_post") as session:
        token = session.fetch_token(**JOE)
        expect(session.get(f"{BASE}/inventory/me").status_code == 200, "authlib password")
        done("authlib password, client_secret_post")
        first = token["refresh_token"]
        second = session.refresh_token(here["token_endpoint"], refresh_token=first)
        expect(second["refresh_token"] != first, "authlib rotation")
        expect(session.get(f"{BASE}/inventory/me").status_code == 200, "authlib after a refresh")
        done("authlib refresh")
        answer = session.introspect_token(here["introspection_endpoint"], token=second["access_token"]).json()
        expect(answer["active"] is True and answer["username"] == "joe", f"authlib introspection: {answer}")
        response = session.revoke_token(here["revocation_endpoint"], token=second["refresh_token"])
        expect(response.status_code == 200, "authlib revocation")
        expect(status(second["access_token"]) == 401, "the access token ends with its refresh token")
        answer = session.introspect_token(here["introspection_endpoint"], token=second["access_token"]).json()
        expect(answer == {"active": False}, f"authlib introspection of what was revoked: {answer}")
        done("authlib introspection and revocation")
        try:
            session.refresh_token(here["token_endpoint"], refresh_token=second["refresh_token"])
            sys.exit("FAILED: a revoked refresh token was taken")
        except OAuthError as error:
            expect(error.error == "invalid_grant", f"authlib: {error.error}")
        done("authlib error of a revoked refresh token")


def authlib_automatic_refresh(here):
    renewed = []
    with OAuth2Session(
        *CLIENT, token_endpoint=here["token_endpoint"],
        update_token=lambda token, refresh_token=None, access_token=None: renewed.append(token),
    ) as session:
        token = session.fetch_token(**JOE)
        session.token = {**token, "expires_at": int(time.time()) - 1}
        expect(session.get(f"{BASE}/inventory/me").status_code == 200, "authlib automatic refresh")
    expect(len(renewed) == 1 and renewed[0]["access_token"] != token["access_token"], "authlib: one refresh")
    done("authlib automatic refresh")


def authlib_private_key_jwt(document, here):
    key = (DIRECTORY / "client-key.pem").read_text()
    session = OAuth2Session("key-client", key, token_endpoint_auth_method="private_key_jwt")
    # Addressed to the endpoint as the metadata names it, sent to where the test listens.
    session.register_client_auth_method(PrivateKeyJWT(document["token_endpoint"]))
    for _ in range(2):
        token = session.fetch_token(here["token_endpoint"], grant_type="client_credentials")
        expect(token["token_type"] == "Bearer", "authlib private_key_jwt")
    claims = jwt.decode(token["access_token"], options={"verify_signature": False})
    expect(claims["client_id"] == "key-client", "the client of the assertion")
    done("authlib private_key_jwt")


def oauthlib_grants(here):
    with RequestsSession(client=BackendApplicationClient(client_id=CLIENT[0])) as session:
        session.fetch_token(here["token_endpoint"], auth=CLIENT)
        expect(session.get(f"{BASE}/inventory/public").status_code == 200, "oauthlib client_credentials")
    done("oauthlib client_credentials")
    renewed = []
    with RequestsSession(
        client=LegacyApplicationClient(client_id=CLIENT[0]), auto_refresh_url=here["token_endpoint"],
        auto_refresh_kwargs={"client_id": CLIENT[0], "client_secret": CLIENT[1]}, token_updater=renewed.append,
    ) as session:
        token = session.fetch_token(here["token_endpoint"], auth=CLIENT, **JOE)
        expect(session.get(f"{BASE}/inventory/me").status_code == 200, "oauthlib password")
        done("oauthlib password")
        session.token = {**token, "expires_in": -1, "expires_at": time.time() - 1}
        expect(session.get(f"{BASE}/inventory/me").status_code == 200, "oauthlib automatic refresh")
        expect(len(renewed) == 1, "oauthlib: one refresh")
        try:
            session.refresh_token(
                here["token_endpoint"], refresh_token=token["refresh_token"], client_id=CLIENT[0],
                client_secret=CLIENT[1])
            sys.exit("FAILED: a refresh token was taken twice")
        except InvalidGrantError:
            pass
        # Every process that shares the store learns of it within a second.
        end = time.time() + 5
        while status(renewed[0]["access_token"]) != 401:
            expect(time.time() < end, "reuse ends what came of it")
    done("oauthlib refresh, and its reuse")


def key_sets(document, here):
    with OAuth2Session(*CLIENT, token_endpoint=here["token_endpoint"]) as session:
        token = session.fetch_token(**JOE)["access_token"]
    key = jwt.PyJWKClient(here["jwks_uri"]).get_signing_key_from_jwt(token)
    claims = jwt.decode(
        token, key.key, algorithms=["ES256"], audience=document["issuer"], issuer=document["issuer"],
        options={"require": ["exp", "iat", "iss", "sub", "aud", "jti", "client_id", "auth_time", "acr", "amr"]})
    expect(jwt.get_unverified_header(token)["typ"] == "at+jwt", "RFC 9068 section 2.1")
    expect(claims["sub"] == "joe" and claims["amr"] == ["pwd"] and claims["acr"] == "2", f"PyJWT: {claims}")
    done("PyJWT")
    keys = KeySet.import_key_set(requests.get(here["jwks_uri"], timeout=10).json())
    decoded = jose_jwt.decode(token, keys, algorithms=["ES256"])
    jose_jwt.JWTClaimsRegistry(
        iss={"essential": True, "value": document["issuer"]}, aud={"essential": True, "value": document["issuer"]}
    ).validate(decoded.claims)
    done("joserfc")


def token_exchange(here):
    with OAuth2Session(*CLIENT, token_endpoint=here["token_endpoint"]) as session:
        subject = session.fetch_token(**JOE)["access_token"]
        answer = session.fetch_token(
            grant_type="urn:ietf:params:oauth:grant-type:token-exchange", subject_token=subject,
            subject_token_type="urn:ietf:params:oauth:token-type:access_token", audience="scheduler/1.0")
    expect(answer["issued_token_type"] == "urn:ietf:params:oauth:token-type:access_token", f"exchange: {answer}")
    claims = jwt.decode(answer["access_token"], options={"verify_signature": False})
    expect(claims["sub"] == "joe" and claims["backend_id"] == "mbe-sch-1", f"exchange: {json.dumps(claims)}")
    done("token exchange")


def main():
    document, here = metadata()
    authlib_grants(here)
    authlib_automatic_refresh(here)
    authlib_private_key_jwt(document, here)
    oauthlib_grants(here)
    key_sets(document, here)
    token_exchange(here)


main()
