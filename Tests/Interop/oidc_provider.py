#!/usr/bin/env python3
"""An OIDC provider that others wrote (idpyoidc, a certified one) on the loopback interface, whose keys are changed and
which goes away and comes back as a test says. Its tokens are those of the client credentials grant.

usage: oidc_provider.py

Prints `issuer URL` and `control URL`, and runs until it is killed. What is posted to the control URL:

    /publish    makes a key and publishes it beside those that there are; answers its kid
    /sign       the key that was published last signs from now on
    /drop       all keys but the one that signs are gone
    /down       nobody listens any more
    /up         and again, on the same port
    /count      how often the discovery document and the keys were asked for
"""

import json
import logging
import threading

from cryptojwt.jwk.ec import new_ec_key
from idpyoidc.server import Server
from idpyoidc.server.configure import OPConfiguration
from idpyoidc.server.token.jwt_token import JWTToken

from loopback import Listener

CLIENT, SECRET = "app", "app-secret"


class AccessToken(JWTToken):
    """The profile of RFC 9068 wants to know for whom and about whom a token is, which the library leaves to us."""

    def load_custom_claims(self, payload=None):
        return {**payload, "sub": "joe", "aud": ["api"], "client_id": CLIENT}


def new_key():
    key = new_ec_key("P-256", use="sig", alg="ES256")
    key.add_kid()
    return key


class Provider:
    """The library's server with what it is asked over HTTP."""

    def __init__(self, issuer):
        token = {"class": f"{__name__}.AccessToken", "kwargs": {"lifetime": 600, "alg": "ES256"}}
        helper = "idpyoidc.server.oauth2.token_helper.client_credentials.ClientCredentials"
        configuration = {
            "issuer": issuer,
            "key_conf": {"key_defs": [{"type": "EC", "crv": "P-256", "use": ["sig"]}], "uri_path": "jwks"},
            "token_handler_args": {"token": token},
            "endpoint": {
                "provider_config": {
                    "path": ".well-known/openid-configuration",
                    "class": "idpyoidc.server.oidc.provider_config.ProviderConfiguration",
                },
                "token": {
                    "path": "token",
                    "class": "idpyoidc.server.oidc.token.Token",
                    "kwargs": {
                        "client_authn_method": ["client_secret_basic"],
                        "grant_types_helpers": {"client_credentials": {"class": helper, "kwargs": {}}},
                    },
                },
            },
        }
        self.server = Server(OPConfiguration(configuration, base_path=""))
        self.server.get_context().cdb[CLIENT] = {
            "client_secret": SECRET, "grant_types_supported": ["client_credentials"], "allowed_scopes": ["openid"],
        }
        self.keys = list(self.server.keyjar.return_issuer("").all_keys())
        self.counts = {"discovery": 0, "keys": 0, "tokens": 0}
        # The library is not made for threads.
        self.lock = threading.Lock()

    def hold(self, keys):
        """The first key is the one that the library signs with; it publishes all."""
        self.keys = keys
        for owner in self.server.keyjar.owners():
            for bundle in self.server.keyjar.return_issuer(owner):
                bundle.set(list(keys))

    def publish(self):
        self.hold(self.keys + [new_key()])
        return {"kid": self.keys[-1].kid}

    def sign(self):
        self.hold(self.keys[-1:] + self.keys[:-1])
        return {"kid": self.keys[0].kid}

    def drop(self):
        self.hold(self.keys[:1])
        return {"kid": self.keys[0].kid}

    def discovery(self):
        self.counts["discovery"] += 1
        endpoint = self.server.get_endpoint("provider_config")
        return endpoint.do_response(**endpoint.process_request())["response"]

    def published(self):
        self.counts["keys"] += 1
        return self.server.keyjar.export_jwks_as_json()

    def token(self, form, authorization):
        self.counts["tokens"] += 1
        endpoint = self.server.get_endpoint("token")
        request = endpoint.parse_request(form, http_info={"headers": {"authorization": authorization}})
        answer = endpoint.process_request(request)["response_args"]
        # What was issued the library keeps, and gets slower by it.
        self.server.get_context().session_manager.flush()
        return json.dumps(answer)


def main():
    logging.disable(logging.CRITICAL)
    answers = {}
    listener = Listener(answers)
    provider = Provider(f"http://127.0.0.1:{listener.port}")

    def guarded(body):
        def answer(text, query, fields):
            with provider.lock:
                return 200, {}, body(text, fields.get("Authorization"))
        return answer

    def command(body):
        return guarded(lambda *_: json.dumps(body() or {}))

    answers["GET /.well-known/openid-configuration"] = guarded(lambda *_: provider.discovery())
    answers["GET /jwks"] = guarded(lambda *_: provider.published())
    answers["POST /token"] = guarded(provider.token)
    control = Listener({
        "POST /publish": command(provider.publish), "POST /sign": command(provider.sign),
        "POST /drop": command(provider.drop), "POST /count": command(lambda: provider.counts),
        "POST /down": command(listener.stop), "POST /up": command(listener.start),
    })
    print(f"issuer http://127.0.0.1:{listener.port}", flush=True)
    print(f"control http://127.0.0.1:{control.port}", flush=True)
    threading.Event().wait()


main()
