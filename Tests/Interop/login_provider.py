#!/usr/bin/env python3
"""Identity providers that others wrote, on the loopback interface, for logins by browser.

    login_provider.py mock       oidc-provider-mock (on Authlib): any client, any user that is typed into its form
    login_provider.py idpyoidc   idpyoidc, a certified one: PKCE with S256 demanded, clients by private_key_jwt, names of
                                 sessions in its tokens, back-channel logout; the user is diana
    login_provider.py django     django-oauth-toolkit
    login_provider.py canaille   Canaille
    login_provider.py glewlwyd   Glewlwyd

Prints `issuer URL`, and runs until it is killed. All but the mock print `control URL` besides; what is posted there:

    /client     JSON with redirect_uri, jwks_uri and backchannel_logout_uri of the one client, `gateway`; of products with
                redirect_uri, post_logout_redirect_uri and frontchannel_logout_uri
    /logout     idpyoidc: ends the session that was opened last; answers the logout token, which the caller delivers
    /down       idpyoidc: closes its port
    /up         idpyoidc: opens it again
    /revoke     Django, Canaille: ends what users have granted
    /tokens     Glewlwyd: how many refresh tokens are good
"""
import importlib
import json
import logging
import signal
import sys
import threading
from urllib.parse import parse_qs

from loopback import Listener

CLIENT = "gateway"


def mock():
    import werkzeug.serving
    from oidc_provider_mock import User, app

    # The name of the claim is ours: of a group that maps to a role.
    ann = User(sub="ann", claims={"email": "ann@example.com", "email_verified": True, "groups": ["clerks"]})
    # Whose claims fill a cookie, more or less.
    full = [User(sub=f"full{size}", claims={"name": "n" * size, "groups": ["clerks"]}) for size in range(1900, 3000, 25)]
    users = app(require_nonce=True, user_claims=[ann, *full])
    server = werkzeug.serving.make_server("127.0.0.1", 0, users, threaded=True)
    print(f"issuer http://127.0.0.1:{server.server_port}", flush=True)
    server.serve_forever()


class Certified:
    """The library's server with what it is asked over HTTP."""

    def __init__(self, issuer):
        from idpyoidc.server import Server
        from idpyoidc.server.configure import OPConfiguration

        oidc = "idpyoidc.server.oidc"
        self.server = Server(OPConfiguration({
            "issuer": issuer,
            "key_conf": {"key_defs": [{"type": "EC", "crv": "P-256", "use": ["sig"]}], "uri_path": "jwks"},
            "token_handler_args": {
                "code": {"lifetime": 60}, "token": {"class": "idpyoidc.server.token.jwt_token.JWTToken", "kwargs": {"lifetime": 600}},
                "id_token": {"class": "idpyoidc.server.token.id_token.IDToken", "kwargs": {"lifetime": 300}},
                "key_conf": {"key_defs": [{"type": "OCT", "bytes": 24, "use": ["enc"], "kid": "code"}]},
            },
            "authentication": {"user": {
                "acr": "oidc:none", "class": "idpyoidc.server.user_authn.user.NoAuthn", "kwargs": {"user": "diana"},
            }},
            "userinfo": {"class": "idpyoidc.server.user_info.UserInfo", "kwargs": {"db": {
                "diana": {"sub": "diana", "email": "diana@example.org", "email_verified": True},
            }}},
            "add_ons": {"pkce": {
                "function": "idpyoidc.server.oauth2.add_on.pkce.add_support",
                "kwargs": {"essential": True, "code_challenge_methods": {"S256": None}},
            }},
            "endpoint": {
                "provider_config": {"path": ".well-known/openid-configuration", "class": f"{oidc}.provider_config.ProviderConfiguration"},
                "authorization": {"path": "authorization", "class": f"{oidc}.authorization.Authorization"},
                "token": {"path": "token", "class": f"{oidc}.token.Token", "kwargs": {"client_authn_method": ["private_key_jwt"]}},
                "userinfo": {"path": "userinfo", "class": f"{oidc}.userinfo.UserInfo", "kwargs": {"client_authn_method": ["bearer_header"]}},
                "session": {"path": "session", "class": f"{oidc}.session.Session", "kwargs": {
                    "logout_verify_url": "verify_logout", "post_logout_uri_path": "post_logout", "signing_alg": "ES256"}},
            },
        }, base_path=""))
        # The library is not made for threads.
        self.lock = threading.Lock()
        self.session = None

    def endpoint(self, name):
        return self.server.get_endpoint(name)

    def discovery(self, *_):
        endpoint = self.endpoint("provider_config")
        return 200, {}, endpoint.do_response(**endpoint.process_request())["response"]

    def keys(self, *_):
        return 200, {}, self.server.keyjar.export_jwks_as_json()

    def register(self, body, *_):
        client = json.loads(body)
        context = self.server.get_context()
        context.cdb[CLIENT] = {
            "client_id": CLIENT, "redirect_uris": [(client["redirect_uri"], {})], "response_types_supported": ["code"],
            "token_endpoint_auth_method": "private_key_jwt", "allowed_scopes": ["openid", "email", "profile"],
            "backchannel_logout_uri": client["backchannel_logout_uri"], "id_token_signed_response_alg": "ES256",
        }
        self.server.keyjar.add_url(CLIENT, client["jwks_uri"])
        return 200, {}, "{}"

    def authorize(self, body, query, headers):
        endpoint = self.endpoint("authorization")
        request = endpoint.parse_request({name: values[0] for name, values in parse_qs(query).items()}, http_info={})
        if "error" in request:
            return 400, {}, request.to_json()
        answer = endpoint.process_request(request, http_info={})
        if "session_id" in answer:
            self.session = answer["session_id"]
        sent = endpoint.do_response(request=request, **answer)
        return 303, {"Location": sent["response"]}, ""

    def token(self, body, query, headers):
        endpoint = self.endpoint("token")
        request = endpoint.parse_request(body, http_info={"headers": {}})
        if "error" in request:
            return 400, {}, request.to_json()
        answer = endpoint.process_request(request)
        if "error" in answer:
            return 400, {}, answer.to_json()
        return 200, {}, json.dumps(answer["response_args"], default=str)

    def userinfo(self, body, query, headers):
        endpoint = self.endpoint("userinfo")
        request = endpoint.parse_request({}, http_info={"headers": {"authorization": headers.get("Authorization")}})
        if "error" in request:
            return 401, {}, request.to_json()
        return 200, {}, json.dumps(endpoint.process_request(request)["response_args"])

    def logout(self, *_):
        (_, token), = self.endpoint("session").logout_from_client(self.session)["blu"].values()
        return 200, {}, json.dumps({"logout_token": token})


def certified():
    logging.disable(logging.CRITICAL)
    answers = {}
    listener = Listener(answers)
    provider = Certified(f"http://127.0.0.1:{listener.port}")

    def guarded(body):
        def answer(*arguments):
            with provider.lock:
                return body(*arguments)
        return answer

    def command(body):
        return guarded(lambda *_: (body(), (200, {}, "{}"))[1])

    answers["GET /.well-known/openid-configuration"] = guarded(provider.discovery)
    answers["GET /jwks"] = guarded(provider.keys)
    answers["GET /authorization"] = guarded(provider.authorize)
    answers["POST /token"] = guarded(provider.token)
    answers["GET /userinfo"] = guarded(provider.userinfo)
    control = Listener({
        "POST /client": guarded(provider.register), "POST /logout": guarded(provider.logout),
        "POST /down": command(listener.stop), "POST /up": command(listener.start),
    })
    print(f"issuer http://127.0.0.1:{listener.port}", flush=True)
    print(f"control http://127.0.0.1:{control.port}", flush=True)
    threading.Event().wait()


def main():
    # What is started is ended, and files go.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit())
    kinds = {"mock": mock, "idpyoidc": certified}
    # Products are in modules of their own.
    kinds.get(sys.argv[1], lambda: importlib.import_module(f"{sys.argv[1]}_provider").main())()


main()
