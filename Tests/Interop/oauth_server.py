#!/usr/bin/env python3
"""An OAuth authorization server and an API behind it that others wrote: authlib's, in Flask. Prints its port.

  POST /token       client credentials, password, refresh token, JWT bearer (RFC 7523), token exchange (RFC 8693); clients
                    show who they are by Basic, form or signed assertion
  GET  /.well-known/oauth-authorization-server
  any  /api/...     needs one of its tokens; answers whose that is
  POST /control     for the test: {"gateway": URL} whose keys are believed, {"revoke": true}, {"lifetime": seconds}
  GET  /counts      how many tokens it gave, by grant type

Token exchange is the one grant that authlib has only the frame for: what is asked of a subject token stands below.
"""
import json
import os
import socket
import time
import urllib.request

# The test speaks plain HTTP on the loopback interface.
os.environ["AUTHLIB_INSECURE_TRANSPORT"] = "1"

from authlib.integrations.flask_oauth2 import AuthorizationServer, ResourceProtector, current_token
from authlib.oauth2.rfc6749 import ClientMixin, InvalidRequestError, TokenMixin, grants
from authlib.oauth2.rfc6749.grants.base import BaseGrant, TokenEndpointMixin
from authlib.oauth2.rfc6750 import BearerTokenValidator
from authlib.oauth2.rfc7523 import JWTBearerClientAssertion, JWTBearerGrant
from flask import Flask, jsonify, request
from joserfc import jwt
from joserfc.errors import JoseError
from joserfc.jwk import KeySet
from werkzeug.serving import make_server

EXCHANGE = "urn:ietf:params:oauth:grant-type:token-exchange"
ACCESS_TOKEN = "urn:ietf:params:oauth:token-type:access_token"
USERS = {"joe": "Joe", "ann": "Ann", "svc": "Service"}
state = {"gateway": "", "lifetime": 3600, "counts": {}, "tokens": {}, "jtis": set()}


def gateway_keys():
    with urllib.request.urlopen(state["gateway"] + "/.well-known/jwks.json") as response:
        return KeySet.import_key_set(json.load(response))


class Client(ClientMixin):
    def __init__(self, client_id, methods):
        self.client_id, self.methods = client_id, methods

    def get_client_id(self):
        return self.client_id

    def get_allowed_scope(self, scope):
        return " ".join(s for s in (scope or "").split() if s in ("read", "write"))

    def check_client_secret(self, secret):
        return secret == "s:e%c ret"

    def check_endpoint_auth_method(self, method, endpoint):
        return method in self.methods

    def check_grant_type(self, grant_type):
        return True


CLIENTS = {
    client.client_id: client
    for client in [
        Client("gate way", ["client_secret_basic"]),
        Client("form", ["client_secret_post"]),
        Client("signed", [JWTBearerClientAssertion.CLIENT_AUTH_METHOD]),
        Client("https://gw.example.com", ["client_secret_basic"]),
    ]
}


class Token(TokenMixin):
    def __init__(self, values, client, user, grant):
        self.values, self.client, self.user, self.grant = values, client, user, grant
        self.issued_at = time.time()
        self.revoked = False

    def check_client(self, client):
        return self.client is client

    def get_scope(self):
        return self.values.get("scope", "")

    def get_expires_in(self):
        return self.values["expires_in"]

    def is_expired(self):
        return time.time() >= self.issued_at + self.values["expires_in"]

    def is_revoked(self):
        return self.revoked

    def get_user(self):
        return self.user

    def get_client(self):
        return self.client


class Password(grants.ResourceOwnerPasswordCredentialsGrant):
    TOKEN_ENDPOINT_AUTH_METHODS = ["client_secret_basic", "client_secret_post"]

    def authenticate_user(self, username, password):
        return username if username in USERS and password == "pass word" else None


class Refresh(grants.RefreshTokenGrant):
    TOKEN_ENDPOINT_AUTH_METHODS = ["client_secret_basic", "client_secret_post"]
    INCLUDE_NEW_REFRESH_TOKEN = True

    def authenticate_refresh_token(self, refresh_token):
        for token in state["tokens"].values():
            if token.values.get("refresh_token") == refresh_token and not token.revoked:
                return token

    def authenticate_user(self, refresh_token):
        return refresh_token.user

    def revoke_old_credential(self, refresh_token):
        refresh_token.revoked = True


class ClientCredentials(grants.ClientCredentialsGrant):
    TOKEN_ENDPOINT_AUTH_METHODS = [
        "client_secret_basic",
        "client_secret_post",
        JWTBearerClientAssertion.CLIENT_AUTH_METHOD,
    ]


class Bearer(JWTBearerGrant):
    def resolve_issuer_client(self, issuer):
        return CLIENTS.get(issuer)

    def resolve_client_public_key(self, client):
        return gateway_keys()

    def authenticate_user(self, subject):
        return subject if subject in USERS else None

    def has_granted_permission(self, client, user):
        return True

    def get_audiences(self):
        return [request.base_url]


class Exchange(BaseGrant, TokenEndpointMixin):
    GRANT_TYPE = EXCHANGE
    TOKEN_ENDPOINT_AUTH_METHODS = ["client_secret_basic"]

    def validate_token_request(self):
        self.request.client = self.authenticate_token_endpoint_client()
        form = self.request.form
        if form.get("subject_token_type") != ACCESS_TOKEN:
            raise InvalidRequestError("subject_token_type")
        try:
            claims = jwt.decode(form.get("subject_token", ""), gateway_keys()).claims
        except (JoseError, ValueError) as error:
            raise InvalidRequestError("subject_token") from error
        if claims["exp"] <= time.time() or claims["sub"] not in USERS:
            raise InvalidRequestError("subject_token")
        self.request.user = claims["sub"]

    def create_token_response(self):
        token = self.generate_token(user=self.request.user, include_refresh_token=False)
        token["issued_token_type"] = ACCESS_TOKEN
        self.save_token(token)
        return 200, token, self.TOKEN_RESPONSE_HEADER


class Assertion(JWTBearerClientAssertion):
    def get_audiences(self):
        return [request.base_url]

    def validate_jti(self, claims, jti):
        is_new = jti not in state["jtis"]
        state["jtis"].add(jti)
        return is_new

    def resolve_client_public_key(self, client):
        return gateway_keys()


class Validator(BearerTokenValidator):
    def authenticate_token(self, token_string):
        return state["tokens"].get(token_string)


def save(token, oauth_request):
    grant = oauth_request.form["grant_type"]
    token["expires_in"] = state["lifetime"]
    state["tokens"][token["access_token"]] = Token(dict(token), oauth_request.client, oauth_request.user, grant)
    state["counts"][grant] = state["counts"].get(grant, 0) + 1


app = Flask(__name__)
app.config.update(OAUTH2_REFRESH_TOKEN_GENERATOR=True, OAUTH2_SCOPES_SUPPORTED=["read", "write"])
server = AuthorizationServer(app, query_client=CLIENTS.get, save_token=save)
for grant in (ClientCredentials, Password, Refresh, Bearer, Exchange):
    server.register_grant(grant)
server.register_client_auth_method(JWTBearerClientAssertion.CLIENT_AUTH_METHOD, Assertion())
protect = ResourceProtector()
protect.register_token_validator(Validator())


@app.post("/token")
def token():
    return server.create_token_response()


@app.get("/.well-known/oauth-authorization-server")
def metadata():
    base = request.host_url.rstrip("/")
    return jsonify(issuer=base, token_endpoint=base + "/token")


@app.route("/api/<path:path>")
@protect()
def api(path):
    return jsonify(user=current_token.user, client=current_token.client.client_id, grant=current_token.grant)


@app.post("/control")
def control():
    order = request.get_json()
    state.update({key: order[key] for key in ("gateway", "lifetime") if key in order})
    if order.get("revoke"):
        for known in state["tokens"].values():
            known.revoked = True
    return "", 204


@app.get("/counts")
def counts():
    return jsonify(state["counts"])


listening = socket.socket()
listening.bind(("127.0.0.1", 0))
listening.listen(64)
http = make_server("127.0.0.1", 0, app, threaded=True, fd=listening.fileno())
print(listening.getsockname()[1], flush=True)
http.serve_forever()
