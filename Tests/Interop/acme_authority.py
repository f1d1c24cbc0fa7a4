"""An authority of certificates (RFC 8555) that errs and lies as the names say that are ordered, or the path of its directory.

    acme_authority.py DIRECTORY

Writes its root to DIRECTORY/root.pem and prints its URL. It looks for challenges at the port that was posted to /PORT/look last, and
waits for the first one. The first label of an ordered name is the fault: `good.example.com` has none. A directory is at /FAULT/directory.
"""
import base64
import datetime
import hashlib
import hmac
import http.client
import itertools
import json
import pathlib
import secrets
import ssl
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from cryptography import x509
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.hazmat.primitives.asymmetric.utils import encode_dss_signature
from cryptography.x509.oid import NameOID

PLACE = pathlib.Path(sys.argv[1])
# Of the customers that the directory `customers` accepts.
CUSTOMER, CUSTOMER_KEY = "customer-1", b"a key of the customer, 32 bytes.."
LIFETIME = 7_776_000

numbers = itertools.count(1)
state = threading.Lock()
nonces, accounts, orders, certificates = set(), {}, {}, {}
# Set once it knows where to look.
looks = threading.Event()
# Never set.
silence = threading.Event()
# By the id of RFC 9773: the names of certificates, and those that were replaced.
issued, replaced = {}, set()


def encoded(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def decoded(text):
    if "=" in text:
        raise Refused("malformed", "base64url has no padding")
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


class Refused(Exception):
    def __init__(self, kind, detail, status=400, fields=None, **members):
        super().__init__(detail)
        self.status, self.fields = status, fields or {}
        self.body = {"type": f"urn:ietf:params:acme:error:{kind}", "detail": detail, **members}


class Silence(Exception):
    """The connection ends without an answer."""


# MARK: Certificates

def name(text):
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, text)])


def made(subject, key, signer, issuer, names=(), begin=-3600, end=LIFETIME, authority=False):
    now = datetime.datetime.now(datetime.timezone.utc)
    builder = x509.CertificateBuilder(
        issuer, name(subject), key, x509.random_serial_number(), now + datetime.timedelta(seconds=begin),
        now + datetime.timedelta(seconds=end))
    if names:
        builder = builder.add_extension(x509.SubjectAlternativeName([x509.DNSName(each) for each in names]), False)
    builder = builder.add_extension(x509.BasicConstraints(authority, None), True)
    builder = builder.add_extension(x509.AuthorityKeyIdentifier.from_issuer_public_key(signer.public_key()), False)
    return builder.sign(signer, hashes.SHA256())


def renewal_id(certificate):
    """What RFC 9773 section 4.1 knows a certificate by."""
    issuer = certificate.extensions.get_extension_for_class(x509.AuthorityKeyIdentifier).value.key_identifier
    number = certificate.serial_number
    return f"{encoded(issuer)}.{encoded(number.to_bytes(number.bit_length() // 8 + 1))}"


def pem(certificate):
    return certificate.public_bytes(serialization.Encoding.PEM).decode()


root_key = ec.generate_private_key(ec.SECP256R1())
root = made("Test Authority", root_key.public_key(), root_key, name("Test Authority"), authority=True)


def chain(order, request):
    """The certificate for a request, spoiled as the fault of its order says."""
    fault, names, key = order["fault"], order["names"], request.public_key()
    begin, end = -LIFETIME // 100, LIFETIME
    if fault == "otherkey":
        key = ec.generate_private_key(ec.SECP256R1()).public_key()
    if fault == "othername":
        names = ["elsewhere.example.com"]
    if fault == "more":
        names = names + ["other.example.com"]
    if fault == "expired":
        begin, end = -7200, -3600
    if fault == "brief":
        end = 1800
    if fault == "premature":
        begin, end = 3600, 7200
    if fault == "garbage":
        return "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"
    if fault == "huge":
        return "x" * 400_000
    certificate = made(order["names"][0], key, root_key, root.subject, names, begin, end)
    issued[renewal_id(certificate)] = order["names"]
    text = pem(certificate)
    if fault == "long":
        text += pem(root) * 10
    if fault == "weak":
        old = rsa.generate_private_key(65537, 1024)
        signer = made("Old", old.public_key(), root_key, root.subject, authority=True)
        return pem(made(order["names"][0], key, old, signer.subject, names)) + pem(signer)
    return text if fault == "short" else text + pem(root)


# MARK: Challenges

def validate(authorization, key):
    """Looks for the key authorization where the gateway has it."""
    thumbprint = encoded(hashlib.sha256(
        json.dumps(key, sort_keys=True, separators=(",", ":")).encode()).digest())
    looks.wait()
    try:
        connection = http.client.HTTPConnection("127.0.0.1", looks.port, timeout=10)
        connection.request("GET", f"/.well-known/acme-challenge/{authorization['token']}",
                           headers={"Host": authorization["name"]})
        answer = connection.getresponse()
        body = answer.read(1000).decode()
        good = answer.status == 200 and body == f"{authorization['token']}.{thumbprint}"
        detail = f"{answer.status}: {body}"
    except OSError as error:
        good, detail = False, str(error)
    authorization["error"] = {"type": "urn:ietf:params:acme:error:unauthorized", "detail": detail}
    authorization["status"] = "valid" if good and authorization["fault"] != "invalid" else "invalid"


# MARK: Requests

class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *arguments):
        pass

    def url(self, *parts):
        return "/".join([f"https://localhost:{self.server.server_port}/{self.fault}", *map(str, parts)])

    def answer(self, status, body, fields=None, kind="application/json"):
        data = body.encode() if isinstance(body, str) else json.dumps(body).encode()
        self.send_response(status)
        with state:
            nonces.add(nonce := secrets.token_urlsafe(16))
        for key, value in {"Content-Type": kind, "Content-Length": str(len(data)), "Connection": "close",
                           "Replay-Nonce": nonce, **(fields or {})}.items():
            if value is not None:
                self.send_header(key, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data)
        self.close_connection = True

    def handle_one(self):
        self.fault, *self.parts = self.path.strip("/").split("/")
        try:
            self.serve()
        except Refused as refusal:
            self.answer(refusal.status, refusal.body, refusal.fields, "application/problem+json")
        except Silence:
            self.close_connection = True

    do_GET = do_HEAD = do_POST = handle_one

    def serve(self):
        what = self.parts[0]
        if what == "look":
            looks.port = int(self.fault)
            looks.set()
            return self.answer(200, {})
        if what == "directory":
            return self.directory()
        if what == "renewal":
            return self.renewal(self.parts[1])
        if what == "nonce":
            return self.answer(200, "", {"Replay-Nonce": None} if self.fault == "nononce" else {})
        account, payload = self.signed()
        getattr(self, "post_" + what)(account, payload)

    def directory(self):
        if self.fault == "stalled":
            print("STALLED", self.fault, flush=True)
            silence.wait()
        if self.fault == "nojson":
            return self.answer(200, "<html>")
        if self.fault == "unavailable":
            raise Refused("serverInternal", "closed for\x07 repairs", 503, {"Retry-After": "7200"})
        urls = {key: self.url(path) for key, path in
                [("newNonce", "nonce"), ("newAccount", "account"), ("newOrder", "order")]}
        if self.fault == "plain":
            urls["newOrder"] = urls["newOrder"].replace("https:", "http:")
        if self.fault != "old":
            urls["renewalInfo"] = self.url("renewal")
        self.answer(200, {**urls, "meta": {"externalAccountRequired": self.fault == "customers"}})

    def renewal(self, number):
        """When to renew a certificate: one of `early` at once, all others in time."""
        names = issued[number]
        fault = names[0].split(".")[0]
        print("QUESTION", *names, flush=True)
        if fault == "mute":
            return self.answer(200, {"suggestedWindow": {"start": "tomorrow", "end": 7}})
        begin = -7200 if fault == "early" and number not in replaced and len(replaced) < 1 else LIFETIME // 2
        now = datetime.datetime.now(datetime.timezone.utc)
        window = [(now + datetime.timedelta(seconds=begin + more)).strftime("%Y-%m-%dT%H:%M:%SZ") for more in (0, 3600)]
        self.answer(200, {"suggestedWindow": {"start": window[0], "end": window[1]}}, {"Retry-After": "21600"})

    def signed(self):
        """Checks a request as RFC 8555 section 6 wants it, and gives the account and the payload."""
        if self.headers["Content-Type"] != "application/jose+json":
            raise Refused("malformed", "wrong content type", 415)
        message = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        header = json.loads(decoded(message["protected"]))
        if header["url"] != f"https://localhost:{self.server.server_port}{self.path}":
            raise Refused("unauthorized", "the request is for another URL")
        if ("jwk" in header) == ("kid" in header) or ("jwk" in header) != (self.parts[0] == "account"):
            raise Refused("malformed", "neither jwk nor kid, or the wrong one of them")
        key = header.get("jwk") or accounts[header["kid"]]
        numbers_of_key = [int.from_bytes(decoded(key[part])) for part in "xy"]
        public = ec.EllipticCurvePublicNumbers(*numbers_of_key, ec.SECP256R1()).public_key()
        signature = decoded(message["signature"])
        try:
            public.verify(
                encode_dss_signature(int.from_bytes(signature[:32]), int.from_bytes(signature[32:])),
                f"{message['protected']}.{message['payload']}".encode(), ec.ECDSA(hashes.SHA256()))
        except InvalidSignature:
            raise Refused("malformed", "wrong signature") from None
        with state:
            known = header["nonce"] in nonces
            nonces.discard(header["nonce"])
        if not known or self.fault == "stale":
            raise Refused("badNonce", "no such nonce")
        payload = decoded(message["payload"])
        return key, json.loads(payload) if payload else None

    def post_account(self, key, payload):
        if self.fault == "refusing":
            raise Refused("unauthorized", "no accounts today", 403)
        if payload.get("termsOfServiceAgreed") is not True:
            raise Refused("userActionRequired", "the terms are not agreed to", 403)
        if self.fault == "customers":
            binding = payload.get("externalAccountBinding")
            header = json.loads(decoded(binding["protected"]))
            expected = hmac.digest(CUSTOMER_KEY, f"{binding['protected']}.{binding['payload']}".encode(), "sha256")
            if header != {"alg": "HS256", "kid": CUSTOMER, "url": self.url("account")} \
                    or json.loads(decoded(binding["payload"])) != key or decoded(binding["signature"]) != expected:
                raise Refused("unauthorized", "no such customer", 403)
        with state:
            url = next((each for each, known in accounts.items() if known == key), None)
            status = 200 if url else 201
            url = url or self.url("accounts", next(numbers))
            accounts[url] = key
        self.answer(status, {"status": "deactivated" if self.fault == "deactivated" else "valid"}, {"Location": url})

    def post_order(self, account, payload):
        if len(self.parts) > 1:
            order = orders[self.parts[1]]
            return self.answer(200, self.shown(order))
        names = [identifier["value"] for identifier in payload["identifiers"]]
        fault = names[0].split(".")[0]
        print("ORDER", *names, flush=True)
        if former := payload.get("replaces"):
            if issued.get(former) != names:
                raise Refused("malformed", f"no such certificate: {former}")
            if former in replaced or fault == "replaced":
                raise Refused("alreadyReplaced", "it has a successor", 409)
            print("REPLACES", *names, flush=True)
            replaced.add(former)
        if fault == "rejected":
            raise Refused("rejectedIdentifier", "not\x1b[31m these", 403, subproblems=[
                {"type": "urn:ietf:params:acme:error:caa", "detail": "a record forbids it", "identifier": {
                    "type": "dns", "value": names[0]}}])
        if fault == "limited":
            raise Refused("rateLimited", "too many", 429, {"Retry-After": "7200"})
        if fault == "silent":
            raise Silence()
        order = {"id": str(next(numbers)), "fault": fault, "names": names, "status": "pending", "key": account}
        order["authorizations"] = [
            {"id": f"{order['id']}-{place}", "fault": fault, "name": each, "status": "pending",
             "token": {"token": "short", "path": "../" * 12}.get(fault, secrets.token_urlsafe(24))}
            for place, each in enumerate(names)]
        with state:
            orders[order["id"]] = order
        self.answer(201, self.shown(order), {} if fault == "nolocation" else {
            "Location": self.url("order", order["id"])})

    def shown(self, order):
        if order["status"] == "pending" and all(each["status"] == "valid" for each in order["authorizations"]):
            order["status"] = "ready"
        urls = [self.url("authorization", each["id"]) for each in order["authorizations"]]
        if order["fault"] == "many":
            urls *= 50
        if order["fault"] == "plain":
            urls = [each.replace("https:", "http:") for each in urls]
        shown = {"status": order["status"], "authorizations": urls, "finalize": self.url("finalize", order["id"]),
                 "identifiers": [{"type": "dns", "value": each} for each in order["names"]]}
        if order["status"] == "valid" and order["fault"] != "nowhere":
            shown["certificate"] = self.url("certificate", order["id"])
        return shown

    def post_authorization(self, account, payload):
        number, place = self.parts[1].split("-")
        authorization = orders[number]["authorizations"][int(place)]
        kind = "dns-01" if authorization["fault"] == "nohttp" else "http-01"
        challenge = {"type": kind, "url": self.url("challenge", self.parts[1]), "token": authorization["token"],
                     "status": authorization["status"]}
        if authorization["status"] == "invalid":
            challenge["error"] = authorization["error"]
        named = "stranger.example.com" if authorization["fault"] == "unasked" else authorization["name"]
        self.answer(200, {"status": authorization["status"], "identifier": {"type": "dns", "value": named},
                          "challenges": [{"type": "dns-01", "url": self.url("x"), "token": "x"}, challenge]})

    def post_challenge(self, account, payload):
        number, place = self.parts[1].split("-")
        authorization = orders[number]["authorizations"][int(place)]
        threading.Thread(target=validate, args=(authorization, account), daemon=True).start()
        self.answer(200, {"type": "http-01", "status": "processing"})

    def post_finalize(self, account, payload):
        order = orders[self.parts[1]]
        if order["status"] != "ready":
            raise Refused("orderNotReady", f"the order is {order['status']}", 403)
        request = x509.load_der_x509_csr(decoded(payload["csr"]))
        names = request.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
        if not request.is_signature_valid or names.get_values_for_type(x509.DNSName) != order["names"]:
            raise Refused("badCSR", "not what was ordered")
        if order["fault"] == "unsigned":
            raise Refused("badCSR", "no, thanks")
        certificates[order["id"]] = chain(order, request)
        order["status"] = "invalid" if order["fault"] == "withdrawn" else "valid"
        self.answer(200, self.shown(order))

    def post_certificate(self, account, payload):
        if self.headers["Accept"] != "application/pem-certificate-chain":
            raise Refused("malformed", "another form was asked for")
        self.answer(200, certificates[self.parts[1]], kind="application/pem-certificate-chain")


def main():
    key = ec.generate_private_key(ec.SECP256R1())
    own = PLACE / "authority.pem"
    own.write_text(pem(made("authority", key.public_key(), root_key, root.subject, ["localhost"])) + key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()).decode())
    (PLACE / "root.pem").write_text(pem(root))
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(own)
    server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
    print(f"https://localhost:{server.server_port}", flush=True)
    server.serve_forever(poll_interval=0.05)


main()
