#!/usr/bin/env python3
"""A SAML 2.0 identity provider that others wrote, pysaml2 with xmlsec1, on the loopback interface.

    saml_login_provider.py DIRECTORY

Its certificate is idp.pem in DIRECTORY, its metadata idp.xml; gateway.key and gateway.pem are for the requests of the
gateway, which must be signed. Prints `issuer URL`, its entity id, and `control URL`; what is posted there:

    /gateway    the metadata of the gateway; answers its entity id and where it wants its answers
    /next       JSON with `case`, what is wrong with the next answer alone, and `user`, who is logged in without being asked

At the issuer's own address, which is another site for browsers than the gateway's 127.0.0.1:

    GET /sso    SAMLRequest, RelayState, SigAlg, Signature: a form that asks who one is
    POST /login the form; answers a page that posts SAMLResponse and RelayState
"""
import base64
import html
import json
import logging
import os
import subprocess
import sys
import threading
import time
import warnings
from urllib.parse import parse_qs

warnings.filterwarnings("ignore")

from loopback import Listener  # noqa: E402
from saml2 import BINDING_HTTP_POST, BINDING_HTTP_REDIRECT, class_name  # noqa: E402
from saml2.config import IdPConfig  # noqa: E402
from saml2.saml import NAMEID_FORMAT_PERSISTENT, NAMEID_FORMAT_TRANSIENT, NameID  # noqa: E402
from saml2.server import Server  # noqa: E402
from saml2.sigver import pre_signature_part, security_context  # noqa: E402

PASSWORD = "urn:oasis:names:tc:SAML:2.0:ac:classes:PasswordProtectedTransport"
SIGNATURE = "http://www.w3.org/2001/04/xmldsig-more#rsa-sha256"
DIGEST = "http://www.w3.org/2001/04/xmlenc#sha256"
USERS = {
    "ann": {"mail": ["ann@example.com"], "groups": ["clerks", "readers"]},
    "mallory": {"mail": ["mallory@example.com"], "groups": []},
}


def make_key(directory, name):
    key, certificate = os.path.join(directory, f"{name}.key"), os.path.join(directory, f"{name}.pem")
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", f"/CN={name}",
         "-keyout", key, "-out", certificate], check=True, capture_output=True)
    os.chmod(key, 0o600)
    return key, certificate


def page(title, body, script=""):
    return 200, {"Content-Type": "text/html; charset=utf-8", "Cache-Control": "no-store"}, (
        f"<!DOCTYPE html><html lang=en><meta charset=utf-8><meta name=viewport content='width=device-width'>"
        f"<title>{title}</title><h1>{title}</h1>{body}{script}")


class Provider:
    def __init__(self, directory, port):
        self.base = f"http://localhost:{port}"
        self.directory = directory
        self.key, self.certificate = make_key(directory, "idp")
        self.lock = threading.Lock()
        self.server, self.security, self.gateway = None, None, None
        self.next = {}
        self.load()
        self.stranger = security_context(self.configuration(*make_key(directory, "stranger")))
        make_key(directory, "gateway")
        with open(os.path.join(directory, "idp.xml"), "w") as file:
            file.write(str(self.entity()))

    def configuration(self, key, certificate, metadata=()):
        configuration = IdPConfig()
        configuration.load({
            "entityid": f"{self.base}/metadata", "key_file": key, "cert_file": certificate,
            "xmlsec_binary": "/usr/bin/xmlsec1", "metadata": {"local": list(metadata)} if metadata else {},
            "service": {"idp": {
                "endpoints": {"single_sign_on_service": [(f"{self.base}/sso", BINDING_HTTP_REDIRECT)]},
                "want_authn_requests_signed": True, "name_id_format": [NAMEID_FORMAT_PERSISTENT],
                "policy": {"default": {"lifetime": {"minutes": 5}, "attribute_restrictions": None,
                                       "name_form": "urn:oasis:names:tc:SAML:2.0:attrname-format:basic"}},
            }},
        })
        return configuration

    def load(self, metadata=()):
        self.server = Server(config=self.configuration(self.key, self.certificate, metadata))
        self.security = self.server.sec

    def entity(self):
        from saml2.metadata import entity_descriptor
        return entity_descriptor(self.server.config)

    # What is asked by tests.

    def register(self, body, *_):
        path = os.path.join(self.directory, "gateway.xml")
        with open(path, "w") as file:
            file.write(body)
        self.load([path])
        (self.gateway, _), = self.server.metadata.items()
        service, = self.server.metadata.assertion_consumer_service(self.gateway, BINDING_HTTP_POST)
        (_, certificate), = self.server.metadata.certs(self.gateway, "spsso", "signing")
        return 200, {}, json.dumps({
            "entity": self.gateway, "consumer": service["location"], "index": service["index"],
            "certificate": certificate})

    def arrange(self, body, *_):
        self.next = json.loads(body)
        return 200, {}, "{}"

    # The web browser profile.

    def sign_on(self, body, query, headers):
        fields = {name: values[0] for name, values in parse_qs(query, strict_parsing=True).items()}
        asked = self.server.parse_authn_request(
            fields["SAMLRequest"], BINDING_HTTP_REDIRECT, relay_state=fields["RelayState"], sigalg=fields["SigAlg"],
            signature=fields["Signature"])
        request = asked.message
        assert request.destination == f"{self.base}/sso" and request.issuer.text == self.gateway
        assert len(fields["RelayState"].encode()) <= 80
        login = {"id": request.id, "consumer": request.assertion_consumer_service_url, "state": fields["RelayState"],
                 "force": request.force_authn, "format": request.name_id_policy and request.name_id_policy.format}
        if "user" in self.next:
            return self.answer(login, self.next["user"])
        return page("Who are you?", f"""<form method=post action=/login>
            <input type=hidden name=login value="{html.escape(json.dumps(login))}">
            <label>Name <input id=user name=user autofocus></label> <button>Sign in</button></form>""")

    def log_in(self, body, *_):
        fields = {name: values[0] for name, values in parse_qs(body).items()}
        return self.answer(json.loads(fields["login"]), fields["user"])

    def answer(self, login, user):
        case, self.next = self.next.get("case", ""), {}
        if user not in USERS:
            case = "status"
        text = self.response(login, user, case)
        packed = base64.b64encode(text.encode()).decode()
        state = login["state"] if case != "stateless" else ""
        relay = f'<input type=hidden name=RelayState value="{html.escape(state)}">' if state else ""
        return page("One moment", f"""<form method=post action="{html.escape(login['consumer'])}">
            <input type=hidden name=SAMLResponse value="{packed}">{relay}<button>Continue</button></form>""",
            "<script>document.forms[0].submit()</script>" if case != "manual" else "")

    def response(self, login, user, case):
        """An answer as it should be but for its case, signed."""
        request, consumer = login["id"], login["consumer"]
        if case == "status":
            info = ("urn:oasis:names:tc:SAML:2.0:status:AuthnFailed", "no such user")
            return str(self.server.create_error_response(request, consumer, info, sign=True, sign_alg=SIGNATURE,
                                                         digest_alg=DIGEST))
        name = NameID(format=NAMEID_FORMAT_TRANSIENT if case == "transient" else NAMEID_FORMAT_PERSISTENT, text=user)
        common = dict(
            name_id=name, authn={"class_ref": PASSWORD, "authn_instant": int(time.time())}, sign_alg=SIGNATURE,
            digest_alg=DIGEST)
        if case == "encrypted":
            with open(os.path.join(self.directory, "gateway.pem")) as file:
                certificate = file.read()
            return str(self.server.create_authn_response(
                USERS[user], request, consumer, self.gateway, sign_assertion=True, encrypt_assertion=True,
                encrypt_cert_assertion=certificate, **common))
        response = self.server.create_authn_response(
            USERS[user], request, consumer, self.gateway, sign_assertion=False, sign_response=False, **common)
        assertion = response.assertion
        data = assertion.subject.subject_confirmation[0].subject_confirmation_data
        # The library has long names for the attributes that it knows.
        for attribute in assertion.attribute_statement[0].attribute:
            attribute.name = attribute.friendly_name or attribute.name
        if case == "request":
            response.in_response_to = data.in_response_to = "_" + "A" * 43
        elif case == "unsolicited":
            response.in_response_to = data.in_response_to = None
        elif case == "unsolicited-inside":
            data.in_response_to = None
        elif case == "audience":
            assertion.conditions.audience_restriction[0].audience[0].text = "https://other.example/metadata"
        elif case == "destination":
            response.destination = "https://other.example/acs"
        elif case == "recipient":
            data.recipient = "https://other.example/acs"
        elif case == "expired":
            assertion.conditions.not_before = "2020-01-01T00:00:00Z"
            data.not_on_or_after = assertion.conditions.not_on_or_after = "2020-01-01T00:05:00Z"
        elif case == "early":
            assertion.conditions.not_before = "2099-01-01T00:00:00Z"
        elif case == "issuer":
            response.issuer.text = assertion.issuer.text = "https://other.example/idp"
        elif case == "ended":
            assertion.authn_statement[0].session_not_on_or_after = "2020-01-01T00:00:00Z"
        if case == "unsigned":
            return str(response)
        security = self.stranger if case == "stranger" else self.security
        signed = response if case == "whole" else assertion
        signed.signature = pre_signature_part(signed.id, security.my_cert, 1, DIGEST, SIGNATURE)
        text = security.sign_statement(str(response), class_name(signed), node_id=signed.id)
        if case == "tampered":
            assert ">clerks<" in text
            text = text.replace(">clerks<", ">managers<")
        elif case == "broken":
            text = text[:-20]
        return text


def main():
    logging.disable(logging.CRITICAL)
    answers = {}
    listener = Listener(answers)
    provider = Provider(sys.argv[1], listener.port)

    def guarded(body):
        def answer(*arguments):
            with provider.lock:
                try:
                    return body(*arguments)
                except Exception as error:
                    return 500, {}, json.dumps({"error": f"{type(error).__name__}: {error}"})
        return answer

    answers["GET /sso"] = guarded(provider.sign_on)
    answers["POST /login"] = guarded(provider.log_in)
    control = Listener({"POST /gateway": guarded(provider.register), "POST /next": guarded(provider.arrange)})
    print(f"issuer {provider.base}/metadata", flush=True)
    print(f"control http://127.0.0.1:{control.port}", flush=True)
    threading.Event().wait()


main()
