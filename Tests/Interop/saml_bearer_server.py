#!/usr/bin/env python3
"""A token endpoint for SAML assertions (RFC 7522) by pysaml2 and the Debian tool xmlsec1.

Arguments: issuer, its certificate, and the audience that assertions must have; `-` for the endpoint itself. Prints the
endpoint. Its tokens are `saml-NAME-COUNT`: the subject, and how many tokens there were before. Bad assertions are
answered with invalid_grant and the cause.
"""
import base64
import itertools
import json
import signal
import sys
import time
from urllib.parse import parse_qs

from loopback import Listener
from saml2 import class_name, saml
from saml2.config import Config
from saml2.sigver import security_context
from saml2.time_util import str_to_time

GRANT = "urn:ietf:params:oauth:grant-type:saml2-bearer"
count = itertools.count()


class Bad(Exception):
    pass


def instant(text):
    return time.mktime(str_to_time(text)) - time.timezone


def subject(form):
    """Section 3 of RFC 7522."""
    text = form["assertion"]
    if "=" in text:
        raise Bad("padding")
    xml = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4)).decode()
    assertion = saml.assertion_from_string(xml)
    checker = security_context(Config().load({"xmlsec_binary": "/usr/bin/xmlsec1", "metadata": {}}))
    if not checker.verify_signature(xml, cert_file=certificate, node_name=class_name(assertion), node_id=assertion.id):
        raise Bad("signature")
    if assertion.issuer.text.strip() != issuer:
        raise Bad("issuer")
    audiences = [a.text for r in assertion.conditions.audience_restriction for a in r.audience]
    if (endpoint if audience == "-" else audience) not in audiences:
        raise Bad("audience")
    data = [c.subject_confirmation_data for c in assertion.subject.subject_confirmation if c.method == saml.SCM_BEARER]
    if audience == "-" and not any(d.recipient == endpoint and instant(d.not_on_or_after) > time.time() for d in data):
        raise Bad("confirmation")
    if instant(assertion.conditions.not_on_or_after) <= time.time():
        raise Bad("expired")
    if audience == "-" and len(assertion.authn_statement) != 1:
        raise Bad("statement")
    return assertion.subject.name_id.text


def token(body, query, fields):
    form = {name: values[0] for name, values in parse_qs(body).items()}
    try:
        if form.get("grant_type") != GRANT:
            raise Bad("grant type")
        name = subject(form)
    except Exception as error:
        return 400, {}, json.dumps({"error": "invalid_grant", "error_description": f"{type(error).__name__} {error}"})
    return 200, {}, json.dumps(
        {"access_token": f"saml-{name}-{next(count)}", "token_type": "Bearer", "expires_in": 3600})


issuer, certificate, audience = sys.argv[1:4]
endpoint = f"http://127.0.0.1:{Listener({'POST /token': token}).port}/token"
print(endpoint, flush=True)
signal.pause()
