#!/usr/bin/env python3
"""An issuer with PyJWT and cryptography whose tokens carry the certificates of their key (`x5c`, RFC 7515 section 4.1.6).

    certified_tokens.py make DIRECTORY                 ca.pem, crl.pem, and what signs the tokens
    certified_tokens.py call BASE_URL DIRECTORY OTHER lists|none
                                                       tokens to a gateway that trusts the authority for dns:signer.example,
                                                       with or without its revocation list; OTHER is a server whose URL
                                                       stands in `jku` and `x5u`

One line for each thing that worked; exits with 1 at the first that did not.
"""
import base64
import datetime
import hashlib
import pathlib
import sys
import time

import jwt
import requests
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.x509.oid import NameOID

ISSUER = "https://certified.example"
NOW = datetime.datetime.now(datetime.timezone.utc)
USAGES = ["digital_signature", "content_commitment", "key_encipherment", "data_encipherment", "key_agreement",
          "key_cert_sign", "crl_sign", "encipher_only", "decipher_only"]


def expect(condition, what):
    if not condition:
        sys.exit(f"FAILED: {what}")


def subject(text):
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, text)])


class Party:
    """A key with its certificate, and those of its authorities up to the root."""

    def __init__(self, name, issuer=None, key=None, host="signer.example", is_authority=False, usage=None, days=(-1, 1)):
        self.key = key or ec.generate_private_key(ec.SECP256R1())
        signer = issuer or self
        builder = (
            x509.CertificateBuilder().subject_name(subject(name)).public_key(self.key.public_key())
            .issuer_name(signer.certificate.subject if issuer else subject(name)).serial_number(x509.random_serial_number())
            .not_valid_before(NOW + datetime.timedelta(days=days[0])).not_valid_after(NOW + datetime.timedelta(days=days[1]))
            .add_extension(x509.BasicConstraints(ca=is_authority, path_length=None), critical=True)
        )
        if host and not is_authority:
            builder = builder.add_extension(x509.SubjectAlternativeName([x509.DNSName(host)]), critical=False)
        if usage:
            builder = builder.add_extension(x509.KeyUsage(**{name: name in usage for name in USAGES}), critical=True)
        self.certificate = builder.sign(signer.key, hashes.SHA256())
        self.chain = [self.certificate] + (issuer.chain if issuer else [])

    def x5c(self):
        # The root need not come.
        certificates = self.chain if len(self.chain) == 1 else self.chain[:-1]
        return [base64.b64encode(one.public_bytes(serialization.Encoding.DER)).decode() for one in certificates]

    def thumbprint(self):
        digest = hashlib.sha256(self.certificate.public_bytes(serialization.Encoding.DER)).digest()
        return base64.urlsafe_b64encode(digest).rstrip(b"=").decode()

    def token(self, algorithm="ES256", key=None, claims=None, **header):
        payload = {"iss": ISSUER, "sub": "joe", "aud": "api", "exp": int(time.time()) + 300} | (claims or {})
        header = {"x5c": self.x5c()} | header
        return jwt.encode(payload, key or self.key, algorithm, {name: value for name, value in header.items() if value is not None})


def make(directory):
    root = Party("Root", is_authority=True)
    revoked = Party("signer", root)
    lists = (
        x509.CertificateRevocationListBuilder().issuer_name(root.certificate.subject)
        .last_update(NOW - datetime.timedelta(hours=1)).next_update(NOW + datetime.timedelta(hours=1))
        .add_revoked_certificate(
            x509.RevokedCertificateBuilder().serial_number(revoked.certificate.serial_number)
            .revocation_date(NOW - datetime.timedelta(minutes=1)).build())
        .sign(root.key, hashes.SHA256())
    )
    (directory / "ca.pem").write_bytes(root.certificate.public_bytes(serialization.Encoding.PEM))
    (directory / "crl.pem").write_bytes(lists.public_bytes(serialization.Encoding.PEM))
    for name, party in {"root": root, "revoked": revoked}.items():
        (directory / f"{name}.key").write_bytes(party.key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()))
    (directory / "revoked.pem").write_bytes(revoked.certificate.public_bytes(serialization.Encoding.PEM))


def load(directory, name, certificate):
    party = Party.__new__(Party)
    party.key = serialization.load_pem_private_key((directory / f"{name}.key").read_bytes(), None)
    party.certificate = x509.load_pem_x509_certificate((directory / certificate).read_bytes())
    party.chain = [party.certificate]
    return party


def call(base, directory, other, has_lists):
    root = load(directory, "root", "ca.pem")

    def get(token):
        return requests.get(f"{base}/plain", headers={"Authorization": f"Bearer {token}"}, timeout=10).status_code

    signer = Party("signer", root, usage=["digital_signature"])
    by_rsa = Party("signer", root, rsa.generate_private_key(65537, 2048))
    accepted = {
        "direct": signer.token(), "RSA": by_rsa.token("RS256"), "any kid": signer.token(kid="unknown"),
        "thumbprint": signer.token(**{"x5t#S256": signer.thumbprint()}),
        "with the root": signer.token(x5c=signer.x5c() + root.x5c()),
    }
    if not has_lists:
        middle = Party("Middle", root, is_authority=True)
        accepted["intermediate"] = Party("signer", middle).token()
    for what, token in accepted.items():
        expect(get(token) == 200, what)
        print(what)

    stranger = Party("Root", is_authority=True)
    forger = Party("signer", stranger)
    urls = {"jku": f"{other}/keys", "x5u": f"{other}/chain"}
    refused = {
        "no chain": signer.token(x5c=None, kid="s"), "chain elsewhere": signer.token(x5c=None, **urls),
        "another authority": forger.token(), "another authority and its root": forger.token(x5c=forger.x5c() + stranger.x5c()),
        "self-signed": Party("signer").token(), "expired": Party("signer", root, days=(-2, -1)).token(),
        "not valid yet": Party("signer", root, days=(1, 2)).token(),
        "another name": Party("signer", root, host="other.example").token(), "no name": Party("signer", root, host=None).token(),
        "RSA of 1024 bits": Party("signer", root, rsa.generate_private_key(65537, 1024)).token("RS256"),
        "key for encryption": Party("signer", root, usage=["key_encipherment"]).token(),
        "the authority itself": root.token(), "end entity as authority": Party("signer", Party("signer", root)).token(),
        "another key": signer.token(key=forger.key), "another algorithm": signer.token("RS256", key=by_rsa.key),
        "another thumbprint": signer.token(**{"x5t#S256": forger.thumbprint()}),
        "six certificates": signer.token(x5c=signer.x5c() * 6), "empty chain": signer.token(x5c=[]), "no text": signer.token(x5c=[[]]),
        "no Base64": signer.token(x5c=["-_"]), "text": signer.token(x5c="x"),
        "expired token": signer.token(claims={"exp": int(time.time()) - 120}),
        "another audience": signer.token(claims={"aud": "other"}),
    }
    if has_lists:
        refused["revoked"] = load(directory, "revoked", "revoked.pem").token()
    for what, token in refused.items():
        status = get(token)
        expect(status == 401, f"{what}: {status}")
        print(f"refused: {what}")


if sys.argv[1] == "make":
    make(pathlib.Path(sys.argv[2]))
else:
    call(sys.argv[2], pathlib.Path(sys.argv[3]), sys.argv[4], sys.argv[5] == "lists")
