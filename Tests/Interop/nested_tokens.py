#!/usr/bin/env python3
"""An issuer with joserfc whose tokens are signed and then encrypted (RFC 7516, RFC 7519 section 11.2).

    nested_tokens.py make DIRECTORY            keys: jwks.json of the issuer, rsa.pem, p256.pem, p384.pem and x25519.pem of
                                               the gateway
    nested_tokens.py call BASE_URL DIRECTORY   tokens to a gateway that has these keys

One line for each thing that worked; exits with 1 at the first that did not.
"""
import json
import pathlib
import sys
import time

import requests
from joserfc import jwe, jws
from joserfc.jwk import ECKey, OKPKey, RSAKey

ISSUER = "https://nested.example"
NAMES = ["rsa", "p256", "p384", "x25519"]


def expect(condition, what):
    if not condition:
        sys.exit(f"FAILED: {what}")


def make(directory):
    keys = {
        "rsa": RSAKey.generate_key(2048), "p256": ECKey.generate_key("P-256"), "p384": ECKey.generate_key("P-384"),
        "x25519": OKPKey.generate_key("X25519"), "signer": ECKey.generate_key("P-256", {"kid": "s"}),
    }
    for name, key in keys.items():
        (directory / f"{name}.pem").write_bytes(key.as_pem(private=True))
    published = {"keys": [keys["signer"].as_dict(private=False) | {"kid": "s"}]}
    (directory / "jwks.json").write_text(json.dumps(published))


class Issuer:
    def __init__(self, directory):
        def key(kind, name):
            return kind.import_key((directory / f"{name}.pem").read_bytes())

        self.signer = key(ECKey, "signer")
        self.keys = {
            "rsa": key(RSAKey, "rsa"), "p256": key(ECKey, "p256"), "p384": key(ECKey, "p384"),
            "x25519": key(OKPKey, "x25519"),
        }

    def signed(self, key=None, **more):
        claims = {"iss": ISSUER, "sub": "joe", "aud": "api", "exp": int(time.time()) + 300} | more
        return jws.serialize_compact({"alg": "ES256", "kid": "s"}, json.dumps(claims), key or self.signer)

    def sealed(self, content, name, alg, enc="A256GCM", key=None, **header):
        protected = {"alg": alg, "enc": enc, "cty": "JWT"} | header
        return jwe.encrypt_compact(protected, content, key or self.keys[name], algorithms=[alg, enc, "DEF"])


def call(base, directory):
    issuer = Issuer(directory)

    def get(token):
        return requests.get(f"{base}/plain", headers={"Authorization": f"Bearer {token}"}, timeout=10)

    for name in NAMES:
        for alg in ["RSA-OAEP-256"] if name == "rsa" else ["ECDH-ES", "ECDH-ES+A256KW"]:
            token = issuer.sealed(issuer.signed(), name, alg, kid=name)
            # The second time from the cache.
            for _ in range(2):
                expect(get(token).status_code == 200, f"{alg} {name}")
            expect(get(issuer.sealed(issuer.signed(), name, alg)).status_code == 200, f"{alg} {name} without kid")
            print(f"{alg} {name}")
    token = issuer.sealed(issuer.signed(), "p256", "ECDH-ES", apu="QWxpY2U", apv="Qm9i")
    expect(get(token).status_code == 200, "apu and apv")
    print("apu, apv")

    good = issuer.sealed(issuer.signed(), "rsa", "RSA-OAEP-256")
    parts = good.split(".")

    def changed(index):
        text = parts[index]
        return ".".join(parts[:index] + [("B" if text[0] == "A" else "A") + text[1:]] + parts[index + 1:])

    stranger = RSAKey.generate_key(2048)
    refused = {
        "not signed": issuer.sealed(json.dumps({"iss": ISSUER, "sub": "joe", "aud": "api", "exp": 9999999999}), "rsa",
                                    "RSA-OAEP-256"),
        "nested twice": issuer.sealed(good, "rsa", "RSA-OAEP-256"),
        "another signer": issuer.sealed(issuer.signed(ECKey.generate_key("P-256")), "rsa", "RSA-OAEP-256"),
        "another recipient": issuer.sealed(issuer.signed(), "rsa", "RSA-OAEP-256", key=stranger),
        "another kid": issuer.sealed(issuer.signed(), "rsa", "RSA-OAEP-256", kid="p256"),
        "changed key": changed(1), "changed vector": changed(2), "changed content": changed(3), "changed tag": changed(4),
        "compressed": issuer.sealed(issuer.signed(), "rsa", "RSA-OAEP-256", zip="DEF"),
        "RSA-OAEP": issuer.sealed(issuer.signed(), "rsa", "RSA-OAEP"),
        "A128GCM": issuer.sealed(issuer.signed(), "rsa", "RSA-OAEP-256", "A128GCM"),
        "expired": issuer.sealed(issuer.signed(exp=int(time.time()) - 120), "rsa", "RSA-OAEP-256"),
        "another audience": issuer.sealed(issuer.signed(aud="other"), "rsa", "RSA-OAEP-256"),
        "bound": issuer.sealed(issuer.signed(cnf={"jkt": "x" * 43}), "rsa", "RSA-OAEP-256"),
        "not encrypted": issuer.signed(),
    }
    answers = set()
    for what, token in refused.items():
        answer = get(token)
        expect(answer.status_code == 401, f"{what}: {answer.status_code}")
        answers.add((answer.headers["WWW-Authenticate"], answer.text))
        print(f"refused: {what}")
    expect(len(answers) == 1, f"answers differ: {answers}")


if sys.argv[1] == "make":
    make(pathlib.Path(sys.argv[2]))
else:
    call(sys.argv[2], pathlib.Path(sys.argv[3]))
