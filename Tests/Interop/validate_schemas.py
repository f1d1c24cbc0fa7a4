#!/usr/bin/env python3
"""Checks config/schema with a JSON Schema validator: the schemas, the samples, and files that must be refused. Checks
config/schema/openapi.json with a validator of OpenAPI.

Needs the packages `jsonschema` (4.18 or later) and `openapi-spec-validator`. Run it from anywhere; the exit status is 0 when all is well.
"""

import copy
import json
import pathlib
import sys

from jsonschema import Draft202012Validator
from openapi_spec_validator import validate
from referencing import Registry, Resource

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCHEMAS = ROOT / "config" / "schema"
COMPLETE = ROOT / "Tests" / "Fixtures" / "configuration" / "complete"
# The profile of clients is no section of the configuration, and lies apart from it.
CLIENT = ROOT / "Tests" / "Fixtures" / "client"

# For each section: how to spoil the complete fixture, and where the validator must find it.
SPOILED = {
    "gateway": [
        (("listeners", 0, "port"), "8080"),
        (("listeners", 0, "prot"), 8080),
        (("limits", "headerTimeout"), 10),
        (("limits", "maxHeaderBytes"), "16KB"),
        (("listeners", 0, "mode"), "0600"),
        (("listeners", 0, "socket"), "web"),
        (("listeners", 0, "port"), None),
        (("listeners", 1, "proxyProtocol"), ["0.0.0.0/0"]),
        (("listeners", 2, "port"), 80),
        (("listeners", 2, "mode"), "0888"),
        (("listeners", 3, "socket"), "a:b"),
        (("listeners", 3, "role"), "admin"),
        (("listeners", 3, "role"), "metrics"),
        (("listeners", 3, "redirectToHttps", "status"), 302),
        (("listeners", 4, "redirectToHttps"), True),
        (("optionalFiles", 0), "limits.json"),
        (("listeners", 4, "tls", "certificates"), []),
        (("listeners", 4, "tls", "certificates", 0, "keyFile"), None),
        (("listeners", 4, "tls", "clientCaFile"), None),
        (("listeners", 4, "tls", "clientAuth"), "off"),
        (("listeners", 4, "tls", "minVersion"), "1.3"),
        (("trustedProxies", 0), "0.0.0.0/0"),
        (("forwardedFields",), "Forwarded"),
        (("limits", "maxConnectionsPerAddress"), -1),
        (("limits", "bufferedBodyBytes"), -1),
        (("limits", "http2", "maxStreams"), 0),
        (("rateLimits", "api", "requests"), 0),
        (("rateLimits", "api", "key"), "user"),
        (("upstreams", "inventory", "url"), "tcp://127.0.0.1:9000"),
        (("upstreams", "inventory", "servers"), [{"url": "http://127.0.0.1:9000"}]),
        (("upstreams", "inventory", "hashKey"), "address"),
        (("upstreams", "inventory", "retries", "attempts"), 6),
        (("upstreams", "billing-6", "servers"), []),
        (("upstreams", "billing-6", "servers", 0, "weight"), 1001),
        (("upstreams", "billing-6", "balance"), "round-robin"),
        (("upstreams", "billing-6", "hashKey"), "header:"),
        (("upstreams", "billing-6", "healthCheck", "path"), "health"),
        (("upstreams", "billing-6", "healthCheck", "status"), [200]),
        (("upstreams", "billing-6", "ejection", "maxPercent"), 101),
        (("baseUrl",), "https://gw.example.com/"),
        (("tokenService", "algorithm"), "none"),
        (("tokenService", "resourceServers", 0, "clientSecret"), None),
        (("challenge", "keyFile"), "both"),
        (("store", "kind"), "postgres"),
        (("store", "url"), "https://127.0.0.1:6380"),
        (("store", "url"), None),
        (("store", "tls", "verify"), "no"),
        (("store", "staleAfter"), 3),
        (("store", "whenUnavailable"), "ignore"),
        (("userProfile", "enabled"), "yes"),
        (("tokenCleaner", "at"), "24:00"),
    ],
    "routes": [
        ((0, "path"), "items"),
        ((0, "methods"), []),
        ((0, "methods", "GET", "role"), []),
        ((0, "level"), 11),
        ((0, "injection", 0, "format"), "Bearer"),
        ((1, "methods", 0), "get"),
        ((0, "upgrades", 0), "h2c"),
        ((0, "upgrades", 0), "web socket"),
        ((0, "rateLimit"), []),
        ((0, "rateLimit", 1, "requests"), None),
        ((1, "rateLimit"), 5),
        ((1, "upstream"), None),
        ((1, "redirect"), {"to": "/a"}),
        ((5, "redirect", "to"), "//www.example.com"),
        ((5, "redirect", "to"), None),
        ((5, "redirect", "status"), 304),
        ((5, "upgrades"), []),
        ((6, "response", "status"), 199),
        ((6, "response", "contentType"), "text"),
        ((6, "hostHeader"), "client"),
        ((6, "headers", "X-Beta"), False),
        ((6, "headers"), {}),
        ((6, "headers"), {"X A": "1"}),
        ((6, "query", "version"), 2),
    ],
    "webgates": [
        (("webgates", 0, "name"), "a:b"),
        (("webgates", 0, "level"), -1),
        (("webgates", 0, "userAgentMismatch"), "deny"),
        (("webgates", 1, "level"), 2),
        (("webgates", 1, "authenticationScheme"), None),
        (("authenticationSchemes", 0, "challengeMethod"), "form"),
        (("authenticationSchemes", 0, "challengeUrl"), None),
        (("authenticationSchemes", 0, "authenticationModule"), "LDAP"),
        (("authenticationSchemes", 0, "authenticationLevel"), 11),
        (("authenticationSchemes", 0, "contextValue"), "//elsewhere"),
    ],
    "serviceDomains": [
        (("Staff", "service"), "a/b"),
        (("Staff", "authentication", "level"), 2),
        (("Staff", "authentication", "type"), "LDAP"),
        (("Staff", "denyDevices", 0), {}),
        (("Staff", "authentication", "provider"), "staff"),
        (("Partners", "authentication", "provider"), None),
        (("Partners", "authentication", "usernameFrom"), "name"),
        (("Partners", "applications", "Desk", "redirectUris"), ["x"]),
        (("Guests", "authentication", "provider", 0, "clientId"), None),
        (("Guests", "authentication", "provider"), []),
        (("Guests", "authentication", "provider"), ["form", "form"]),
        (("Staff", "applications"), {}),
        (("Staff", "applications", "a:b"), {"backend": "inventory/1.0"}),
        (("Staff", "applications", "Agent", "backend"), "inventory"),
        (("Staff", "applications", "Agent", "mobileCustomAttributes", "CryptoScheme"), "MD5"),
        (("Staff", "applications", "Agent", "lockoutSeconds"), 0),
        (("Staff", "applications", "Agent", "sessionTimeOut"), 1),
    ],
    "identityProviders": [
        ((1, "issuer"), None),
        ((1, "clientId"), None),
        ((1, "tokenEndpoint"), "ftp://a.example.com/token"),
        ((1, "algorithms"), ["HS256"]),
        ((1, "parameters"), {"nonce": "x"}),
        ((2, "userInfoEndpoint"), None),
        ((2, "tokenEndpoint"), None),
        ((2, "kind"), "ldap"),
        ((2, "entityId"), "https://idp.example.com"),
        ((3, "entityId"), None),
        ((3, "signingCertificateFile"), None),
        ((3, "signingAlgorithm"), "PS256"),
        ((3, "nameIdFormat"), "per sistent"),
        ((3, "clientId"), "gateway"),
        ((4, "metadataFile"), None),
        ((4, "logout"), False),
        ((2, "verifiedEmail"), True),
    ],
    "clients": [
        ((0, "clientId"), ""),
        ((0, "grantTypes", 0), "implicit"),
        ((0, "redirectUris", 0), "shop"),
        ((0, "accessTokenLifetime"), "10"),
        ((0, "mobileBackendId"), "m"),
        ((1, "tokenExchange", "subject"), "inventory/1.0"),
    ],
    "backends": [
        ((0, "clientSecret"), None),
        ((0, "version"), 1.0),
        ((0, "httpbasic"), True),
        ((0, "facebook", "verifyUrl"), "verify"),
        ((1, "clientKeys"), None),
        ((1, "clientId"), None),
        ((1, "refreshTokens"), False),
        ((1, "tokenExchange", "backends"), ["inven tory"]),
        ((1, "tokenExchange", "lifetimeSeconds"), 0),
    ],
    "applications": [
        ((0, "apiKey"), None),
        ((0, "systems"), []),
        ((0, "admin", "password"), "adminpw"),
        ((0, "userClass", "model"), "com..Member"),
        ((0, "accessExpirationSeconds"), 0),
        ((0, "facebook", "appSecret"), None),
        ((0, "allowSignup"), True),
    ],
    "users": [((0, "password"), "Welcome1"), ((0, "password"), "{MD5}x"), ((0, "email"), "joe"), ((0, "securityQuestions", 0, "answer"), "blue"), ((0, "otpSecret"), 1), ((0, "attributes", "roles"), "x"), ((0, "attributes", "title"), "")],
    "expectations": [((0, "request"), "GET"), ((0, "request"), None), ((0, "status"), 42), ((0, "outcome"), "denied"),
                     ((0, "caller"), "ann"), ((0, "caller", "user"), None), ((2, "caller", "user"), "ann"), ((0, "headers", "X Y"), "1")],
    "consumers": [((0, "name"), "a b"), ((0, "roles"), "Clerk"), ((0, "keys", 0, "digest"), "pck_x"), ((0, "keys", 0, "id"), None)],
    "realms": [((0,), ""), ((0,), "Staff"), ((0,), 1)],
    "certificates": [((0, "pem"), None), ((0, "pem"), "x"), ((1, "pem"), "-----BEGIN CERTIFICATE-----"), ((0, "subject"), "x")],
    "roles": [((0,), "a,b"), ((0,), "Clerk"), ((0,), 1), ((2, "name"), None), ((2, "members"), [])],
    "policies": [
        (("Security_AllowOrigins",), "disallow"),
        (("Security_TokenExchangeTimeoutSecs",), "6h"),
        (("Security_TokenExchangeTimeoutPolicy",), "Never"),
        (("Security_AuthTokenConfiguration", "issuers"), {}),
        (("Security_AuthTokenConfiguration", "samlIssuers", 0, "issuerName"), None),
        (("Security_AuthTokenConfiguration", "samlIssuers", 0, "certificateSubjectNames"), []),
        (("Security_AuthTokenConfiguration", "samlIssuers", 0, "rules", 0, "type"), "role"),
        (("Security_AuthTokenConfiguration", "samlIssuers", 0, "rules", 0, "attributes"), " , "),
        (("Security_AuthTokenConfiguration", "samlIssuers", 0, "rules", 1, "mappedRoles"), None),
        (("Security_AuthTokenConfiguration", "samlIssuers", 0, "rules", 4, "attribute"), None),
        (("Security_AuthTokenConfiguration", "issuers", 0, "issuerName"), None),
        (("Security_AuthTokenConfiguration", "issuers", 0, "jwks"), None),
        (("Security_AuthTokenConfiguration", "issuers", 0, "algorithms"), ["HS256"]),
        (("Security_AuthTokenConfiguration", "issuers", 1, "jwks"), {"jwksUri": "https://a"}),
    ],
    "issuers": [
        (("local", "module"), "oauth3"),
        (("local", "allowedHosts"), []),
        (("partner", "clientId"), None),
        (("partner", "issuer"), None),
        (("partner", "grant"), "implicit"),
        (("partner", "tokenEndpoint"), "https://as.example.com/token"),
        (("partner", "circuitBreaker", "failure"), 3),
        (("login", "url"), None),
        (("login", "token", "pointer"), "/token"),
        (("login", "status", 0), 404),
        (("login", "clientId"), "gateway"),
        (("local", "algorithm"), "HS256"),
        (("fixed", "lifetimeSeconds"), 5),
    ],
    "trustedIssuers": [
        ((0, "algorithms"), ["HS256"]),
        ((0, "audience"), []),
        ((1, "requireAudience"), True),
        ((0, "issuerName"), "x"),
        ((4, "jwksFile"), "keys/idp.jwks"),
        ((4, "introspection", "clientKeyFile"), None),
        ((4, "introspection", "cache"), 30),
    ],
    "client": [
        (("baseUrl",), "ftp://gw.example.com"),
        (("profiles",), {"fb": {"baseUrl": "https://gw.example.com"}}),
        (("baseUrl",), None),
        (("host",), "gw.example.com"),
        (("clientSekret",), "x"),
        (("hosts",), "https://api.example.com"),
        (("timeoutSeconds",), 0),
        (("maxLoginAttempts",), 0),
        (("cryptoScheme",), "MD5"),
    ],
}


def load(path):
    return json.loads(path.read_text(encoding="utf-8"))


def spoil(document, path, value):
    """A copy of the document with another value at the path; None removes it."""
    spoiled = copy.deepcopy(document)
    place = spoiled
    for step in path[:-1]:
        place = place[step]
    if value is None:
        del place[path[-1]]
    else:
        place[path[-1]] = value
    return spoiled


def properties(schema, found):
    """Every property name that a schema describes."""
    if isinstance(schema, dict):
        for name, value in schema.get("properties", {}).items():
            if name not in ("$schema",):
                found.add(name)
            properties(value, found)
        for key, value in schema.items():
            if key not in ("properties", "not", "if"):
                properties(value, found)
    elif isinstance(schema, list):
        for value in schema:
            properties(value, found)
    return found


def members(document, found):
    """Every member name that a document uses."""
    if isinstance(document, dict):
        found.update(document)
        for value in document.values():
            members(value, found)
    elif isinstance(document, list):
        for value in document:
            members(value, found)
    return found


def main():
    schemas = {path.name.removesuffix(".schema.json"): load(path) for path in sorted(SCHEMAS.glob("*.schema.json"))}
    registry = Registry().with_resources(
        (f"{name}.schema.json", Resource.from_contents(schema)) for name, schema in schemas.items()
    )
    validators = {name: Draft202012Validator(schema, registry=registry) for name, schema in schemas.items()}
    failures = []
    checks = 0

    def check(ok, message):
        nonlocal checks
        checks += 1
        if not ok:
            failures.append(message)

    check(set(schemas) == set(SPOILED), f"schemas {sorted(schemas)} and sections {sorted(SPOILED)} differ")
    for name, schema in schemas.items():
        try:
            Draft202012Validator.check_schema(schema)
        except Exception as error:  # the validator's own report is the message
            check(False, f"{name}.schema.json is no schema: {error}")
        for directory in (ROOT / "config", ROOT / "config" / "examples", CLIENT if name == "client" else COMPLETE):
            path = directory / f"{name}.json"
            if not path.exists():
                continue
            errors = [f"{e.json_path}: {e.message}" for e in validators[name].iter_errors(load(path))]
            check(not errors, f"{path.relative_to(ROOT)}: {errors}")
        complete = load((CLIENT if name == "client" else COMPLETE) / f"{name}.json")
        for path, value in SPOILED.get(name, []):
            check(not validators[name].is_valid(spoil(complete, path, value)), f"{name}: {path} = {value!r} is accepted")
        # The gateway reads the complete fixture without complaint, so no schema may describe more than it.
        unused = properties(schema, set()) - members(complete, set()) - set(schemas) - {"keyFile", "authenticationSchemes"}
        if name == "client":
            unused -= {"host", "port", "isSSL", "profiles"}  # in the place of baseUrl, and of all of them
        if name == "serviceDomains":
            # A provider may stand in a domain; the fixture of identityProviders has one of each kind.
            for definition in ("provider", "claims"):
                unused -= properties(schemas["identityProviders"]["$defs"][definition], set())
        if name == "gateway":
            unused -= {"rotateEvery"}  # the fixture signs with a secret, which is not rotated
        # `check` warns of tokens in queries, and the fixture has no warning.
        unused -= {"query"}
        check(not unused, f"{name}: described, but not in the complete fixture: {sorted(unused)}")

    # A list may stand beside the name of its schema, in its own file alone.
    for name in schemas:
        complete = load((CLIENT if name == "client" else COMPLETE) / f"{name}.json")
        if not isinstance(complete, list):
            continue
        named = {"$schema": f"schema/{name}.schema.json", name: complete}
        check(validators[name].is_valid(named), f"{name}: a list beside $schema is refused")
        check(not validators[name].is_valid(named | {"more": 1}), f"{name}: a further member is accepted")
        check(not validators[name].is_valid({"$schema": "x"}), f"{name}: no list is accepted")
        check(not validators["gateway"].is_valid(load(COMPLETE / "gateway.json") | {name: named}), f"{name}: inline")

    # Every section inline, as gateway.json allows.
    inline = load(COMPLETE / "gateway.json")
    for name in schemas:
        if name not in ("gateway", "client"):
            inline[name] = load(COMPLETE / f"{name}.json")
    # The file of webgates may hold two sections.
    inline |= load(COMPLETE / "webgates.json")
    check(validators["gateway"].is_valid(inline), "gateway.json with all sections inline is refused")
    inline["roles"] = ["a,b"]
    check(not validators["gateway"].is_valid(inline), "a wrong inline section is accepted")

    try:
        validate(load(ROOT / "config" / "schema" / "openapi.json"))
        check(True, "")
    except Exception as error:  # the validator's own report is the message
        check(False, f"openapi.json: {error}")

    for failure in failures:
        print(failure, file=sys.stderr)
    print(f"{checks - len(failures)} of {checks} schema checks passed")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
