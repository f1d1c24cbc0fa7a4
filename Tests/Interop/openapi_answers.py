#!/usr/bin/env python3
"""Compares a running gateway with config/schema/openapi.json: status, media type and JSON of answers, and the parameters
and members that requests have. Calls each operation without a credential, and each that needs no identity provider with
success.

usage: openapi_answers.py BASE_URL ADMIN_URL

The gateway has the configuration of Tests/Fixtures/openapi, with all endpoints. Exits with 1 if something differs.
"""

import pathlib
import re
import sys
import urllib.parse

import requests

from openapi_document import DOCUMENT, FORM, JSON, failures, operations

BASE = sys.argv[1]
OPERATIONS = operations(sys.argv[1:3])
NEED_PROVIDER = {
    "providerCallback",
    "assertionConsumer",
    "providerLogout",
    "providerFrameLogout",
    "exchangeOutsideToken",
    "refreshIssuerKeys",
}
CLIENT, WEB = ("inv-client", "inv-secret"), ("web-client", "web-secret")
# The example of RFC 7636 appendix B.
VERIFIER, CHALLENGE = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk", "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
REDIRECT = "https://web.example.com/cb"
REGISTRATION = "0123456789abcdef0123456789abcdef"


def call(operation, expected, **more):
    return OPERATIONS[operation].call(expected, **more)


def field(text, name):
    """The value of a hidden field of a page."""
    found = re.search(rf'name="{name}" value="([^"]*)"', text)
    return found[1] if found else ""


def redirected(answer):
    """The parameters of the address that a browser is sent to."""
    return dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(answer.headers["Location"]).query))


def log_in(user, password):
    """A token of the password grant."""
    form = {"grant_type": "password", "username": user, "password": password}
    return call("token", 200, form=form, user=CLIENT).json()


def without_credentials():
    for operation in OPERATIONS.values():
        content = operation.item.get("requestBody", {}).get("content", {})
        answer = operation.call(form={} if FORM in content else None, body={} if JSON in content else None)
        needs = operation.item.get("security", DOCUMENT["security"])
        if needs and {} not in needs and answer.status_code not in (400, 401, 403):
            operation.fail(f"{answer.status_code} without a credential")


def oauth():
    password = {"grant_type": "password", "username": "joe", "password": "Welcome1"}
    token = log_in("joe", "Welcome1")
    call(
        "tokenAlias",
        200,
        form={
            "grant_type": "client_credentials",
            "client_id": CLIENT[0],
            "client_secret": CLIENT[1],
            "scope": "orders",
        },
    )
    token = call(
        "token", 200, form={"grant_type": "refresh_token", "refresh_token": token["refresh_token"]}, user=CLIENT
    ).json()
    for form, user, status in [
        ({}, CLIENT, 400),
        ({"grant_type": "x"}, CLIENT, 400),
        (password, ("inv-client", "x"), 401),
        (password | {"password": "x"}, CLIENT, 400),
        ({"grant_type": "authorization_code"}, WEB, 400),
    ]:
        call("token", status, form=form, user=user)
    active = call("introspectToken", 200, form={"token": token["access_token"]}, user=CLIENT).json()
    if not active["active"]:
        failures.append("introspectToken: the token is not active")
    call("introspectToken", 200, form={"token": "x"}, user=CLIENT)
    call("introspectToken", 403, form={"token": "x"}, user=WEB)
    call("whoAmI", 200, token=token["access_token"])
    call("whoAmI", 200, user=("joe", "Welcome1"), headers={"Oracle-Mobile-Backend-ID": "mbe-inv-1"})
    call("userInfo", 403, token=token["access_token"])
    call("singleSignOn", 400, token="a.b.c", headers={"Oracle-Mobile-Backend-ID": "mbe-inv-1"})
    call("singleSignOn", 401, token="a.b.c", headers={"Oracle-Mobile-Backend-ID": "x"})
    call(
        "exchangeOutsideToken",
        400,
        form={"grant_type": "urn:ietf:params:oauth:grant-type:jwt-bearer", "assertion": "a.b.c"},
        user=CLIENT,
    )
    call("revokeToken", 200, form={"token": token["access_token"]}, user=CLIENT)
    call("providerLogout", 400, path={"provider": "outside"}, form={"logout_token": "x"})
    call("providerFrameLogout", 400, path={"provider": "outside"}, query={"iss": "x", "sid": "y"})
    call("assertionConsumer", 400, form={"SAMLResponse": "x", "RelayState": "x"})
    call("answerChallenge", 200)
    call("answerChallenge", 404, path={"token": "x"})
    call("resourceMetadataOfPath", 404, path={"resource": "x"})
    for operation in ("captureRedirect", "captureSAMLRedirect"):
        call(operation, 200, query={"SAMLResponse": "x"})
        call(operation + "Form", 200, form={"SAMLResponse": "x"})


def registration():
    """A client registers itself, reads its registration and ends it."""
    metadata = {"client_name": "Notes", "redirect_uris": ["http://127.0.0.1/cb"]}
    call("registerClient", 401, body=metadata, token="x")
    call("registerClient", 400, body={"redirect_uris": ["https://evil.example/cb"]}, token=REGISTRATION)
    client = call("registerClient", 201, body=metadata, token=REGISTRATION).json()
    own = {"path": {"client": client["client_id"]}, "token": client["registration_access_token"]}
    call("readRegistration", 200, **own)
    call("endRegistration", 204, **own)
    call("readRegistration", 401, **own)


def browser():
    """Single sign-on, the authorization endpoint with pushed requests, and a device, in one browser."""
    session = requests.Session()
    authorization = {
        "response_type": "code",
        "redirect_uri": REDIRECT,
        "scope": "openid profile email",
        "code_challenge": CHALLENGE,
        "code_challenge_method": "S256",
        "nonce": "n",
    }
    pushed = call("pushAuthorizationRequest", 201, form=authorization, user=WEB).json()
    call("pushAuthorizationRequest", 400, form={"response_type": "code"}, user=WEB)
    asked = call("authorize", None, query={"client_id": WEB[0], "request_uri": pushed["request_uri"]}, session=session)
    query = redirected(asked)
    page = call("showLoginForm", 200, query=query, session=session)
    call(
        "submitLoginForm",
        401,
        query=query,
        session=session,
        form={"ticket": field(page.text, "ticket"), "username": "joe", "password": "x"},
    )
    page = call("showLoginForm", 200, query=query, session=session)
    done = call(
        "submitLoginForm",
        303,
        query=query,
        session=session,
        form={"ticket": field(page.text, "ticket"), "username": "joe", "password": "Welcome1"},
    )
    back = redirected(done)
    sent = call("authorize", 303, query=back, session=session)
    code = redirected(sent)["code"]
    token = call(
        "token",
        200,
        user=WEB,
        form={"grant_type": "authorization_code", "code": code, "redirect_uri": REDIRECT, "code_verifier": VERIFIER},
    ).json()
    call("authorizeByForm", 303, form=authorization | {"client_id": WEB[0]}, session=session)
    for operation in ("userInfo", "userInfoByPost"):
        if call(operation, 200, token=token["access_token"]).json().get("email") != "joe@example.com":
            failures.append(f"{operation}: no attributes")
    codes = call("authorizeDevice", 200, form={"scope": "openid"}, user=WEB).json()
    poll = {"grant_type": "urn:ietf:params:oauth:grant-type:device_code", "device_code": codes["device_code"]}
    call("token", 400, form=poll, user=WEB)
    page = call("showDeviceForm", 200, query={"user_code": codes["user_code"]}, session=session)
    found = call(
        "submitDeviceForm",
        303,
        session=session,
        form={"ticket": field(page.text, "ticket"), "user_code": codes["user_code"]},
    )
    resumed = redirected(found)
    page = call("showDeviceForm", 200, query=resumed, session=session)
    call(
        "submitDeviceForm",
        200,
        session=session,
        form={name: field(page.text, name) for name in ("ticket", "request")} | {"decision": "approve"},
    )
    call("singleSignOn", 200, query={"clientID": CLIENT[0]}, session=session)
    call("logOutForApplication", 400, query={"id_token_hint": "x"}, session=session)
    call("logOutForApplication", 200, query={"client_id": WEB[0]}, session=session)
    call("logOutForApplicationByForm", 303, form={"client_id": WEB[0]}, session=session)
    page = call("showLogoutForm", 200, session=session)
    call("submitLogoutForm", None, session=session, form={"ticket": field(page.text, "ticket")})
    page = call("showSchemeForm", 200, query={"serviceDomain": "MobileServiceDomain"}, session=session)
    login = {"ticket": field(page.text, "ticket"), "username": "joe", "password": "Welcome1"}
    call("submitSchemeForm", 303, query={"serviceDomain": "MobileServiceDomain"}, session=session, form=login)
    call("logInAtProvider", None, query={"serviceDomain": "Partners", "appName": "Desk"}, session=session)


def mobile():
    """A device of the service domain, by the attested names and the short ones."""
    domain = {"X-IDAAS-SERVICEDOMAIN": "MobileServiceDomain"}
    call("applicationProfile", 200)
    attested = {
        "X-Idaas-Rest-Subject-Type": "USERCREDENTIAL",
        "X-Idaas-Rest-Subject-Username": "joe",
        "X-Idaas-Rest-Subject-Password": "Welcome1",
        "X-Idaas-Rest-New-Token-Type-To-Create": "CLIENTREGHANDLE",
        "clientId": "DemoApp",
        "deviceProfile": {"hardwareIds": {"imei": "1"}},
    }
    call("registerDevice", 200, headers=domain, body=attested)
    login = {"appName": "DemoApp", "username": "joe", "password": "Welcome1"}
    handle = call("registerDevice", 201, headers=domain, body=login).json()["registrationHandle"]
    proof = {"appName": "DemoApp", "registrationHandle": handle}
    call("authenticate", 401, headers=domain, body=login)
    call("authenticate", 401, headers=domain, body=login | proof | {"password": "x"})
    user = call("authenticate", 200, headers=domain, body=login | proof).json()["userToken"]
    challenge = requests.get(f"{BASE}/inventory/items", headers={"User-Agent": "OIC-Agent"}, timeout=10).headers[
        "WWW-Authenticate"
    ]
    context = re.search(r'request-ctx="([^"]+)"', challenge)[1]
    access = call(
        "accessToken", 200, headers=domain, body=proof | {"userToken": user, "requestContext": context}
    ).json()
    call("accessToken", 400, headers=domain, body=proof | {"userToken": user, "requestContext": "x"})
    for operation in ("tokenInfo", "validateToken"):
        call(
            operation,
            200,
            headers=domain,
            query={"X-Idaas-Rest-Subject-Type": "TOKEN", "X-Idaas-Rest-Subject-Value": user},
        )
        call(operation, 200, headers=domain, token=access["access_token"])
    call("logOut", 200, headers=domain, body={"userToken": user})
    for operation in ("endSession", "endSessionByPost"):
        call(operation, 200, token=access["access_token"])


def applications():
    key, user = {"X-Apiomat-Apikey": "1234567890123456789"}, ("testUser", "secret")

    def pair(password="secret99"):
        login = {"grant_type": "aom_user", "username": "testUser", "password": password}
        return call(
            "applicationToken",
            200,
            form=login | {"client_id": "testApp", "client_secret": key["X-Apiomat-Apikey"], "extra": "x"},
        ).json()

    call("applicationToken", 400, form={"grant_type": "x"}, user=("testApp", key["X-Apiomat-Apikey"]))
    call("showUserObject", 200, headers=key, token=pair("secret")["access_token"])
    call("changeUserObject", 200, headers=key, user=user, body={"@type": "Basics$User", "password": "secret99"})
    for operation in ("revokePair", "revokePairByGet", "revokeAllPairs", "revokeAllPairsByGet"):
        call(operation, 200, headers=key, token=pair()["access_token"])
    call("signUp", 201, headers=key, body={"userName": "amy", "password": "secret99"})
    call("signUp", 409, headers=key, body={"userName": "amy", "password": "secret99"})


def profiles():
    token = log_in("will", "Welcome3")["access_token"]
    for operation, query in [
        ("findPeople", {"filter[mail]": "joe@example.com", "attrs": "mail"}),
        ("showAttribute", {}),
        ("listMembers", {}),
        ("showManager", {}),
        ("listGroups", {"pageSize": 2}),
        ("showGroup", {}),
        ("showMember", {}),
        ("showPerson", {"prefetch": "manager,reports,groups"}),
        ("showPerson", {}),
    ]:
        call(operation, 200, query=query, token=token)
    call("showReports", 200, path={"id": "ann"}, token=token)
    call("findPeople", 400, query={"filter[x]": "y"}, token=token)
    call("showPerson", 404, path={"id": "x"}, token=token)
    person = call(
        "createPerson", 201, body={"id": "liz", "password": "Welcome4", "mail": "liz@example.com"}, token=token
    )
    call("createPerson", 409, body={"id": "liz"}, token=token)
    liz = {"id": "liz"}
    call("changePerson", 412, path=liz, body={"title": "Boss"}, headers={"If-Match": '"x"'}, token=token)
    call(
        "changePerson", 200, path=liz, body={"title": "Boss"}, headers={"If-Match": person.headers["ETag"]}, token=token
    )
    call("replacePerson", 200, path=liz, body={"firstName": "Liz"}, token=token)
    call("createGroup", 201, body={"name": "Team"}, token=token)
    team = {"group": "Team"}
    call("changeGroup", 200, path=team, body={"description": "All"}, token=token)
    call("replaceGroup", 200, path=team, body={"description": None}, token=token)
    call("addMember", 200, path=team | liz, token=token)
    call("removeGroup", 409, path=team, token=token)
    call("removeMember", 204, path=team | liz, token=token)
    call("removeGroup", 204, path=team, token=token)
    call("removePerson", 204, path=liz, token=token)


def administration():
    """Reads everything, makes one of each, changes it and removes it."""

    def admin(operation, expected, **more):
        return call(operation, expected, token="admin-secret", **more)

    certificate = {
        "alias": "partner",
        "pem": (pathlib.Path(__file__).parents[1] / "Fixtures/identity/rsa-cert.pem").read_text(),
    }
    liz, lib = {"username": "liz"}, {"backend": "lib", "version": "1.0"}
    admin(
        "addUsers",
        201,
        body={"username": "liz", "password": "Welcome4", "roles": ["Guest"], "attributes": {"title": "Boss"}},
    )
    admin("addUsers", 409, body={"username": "liz"})
    admin("addUsers", 422, body={"username": "tom", "roles": ["x"]})
    admin("addUsers", 200, query={"check": "true"}, body="username,roles\ntom,Guest\n")
    admin("addUsers", 201, body="username,roles\ntom,Guest\n")
    admin("addUsers", 422, body="username,role\ntom,Guest\n")
    admin("changeUser", 200, path=liz, body={"addRoles": ["Auditor"], "attributes": None, "email": "liz@example.com"})
    admin("changeUser", 412, path=liz, body={"enabled": False}, headers={"If-Match": '"x"'})
    admin("addRole", 201, body={"name": "Team", "description": "All"})
    admin("changeRole", 200, path={"role": "Team"}, body={"description": None})
    admin("removeRole", 409, path={"role": "Auditor"})
    admin("addRealm", 201, body={"name": "Branch"})
    admin("setPolicy", 200, body={"value": 1800})
    admin("setPolicy", 422, body={"value": "x"})
    admin("createClient", 201, body={"clientId": "reports"})
    admin("listClients", 200)
    admin("showClient", 200, query={"secrets": "true"})
    admin("rotateClientSecret", 200)
    admin("createBackend", 201, body={"name": "lib", "version": "1.0"})
    admin("changeBackend", 200, path=lib, body={"enableSso": True})
    admin("addBackendRoute", 200, path=lib, body={"route": "/plain"})
    admin("rotateSecret", 200, path=lib)
    admin("addConsumerKey", 201, body={"expiresIn": "90d"})
    admin("rotateConsumerKey", 201, body={"overlap": "1h"})
    admin("addCertificate", 201, body=certificate)
    admin("setRoute", 200, body={"level": 1, "methods.GET.roles": ["Guest"]})
    admin("setRoute", 422, body={"x": 1})
    admin("rotateSigningKey", 200, body={})
    refused = requests.get(BASE + "/nothing").headers["X-Request-Id"]
    admin("showRefusals", 200, path={"request": refused})
    admin("showRefusals", 404)
    admin("refreshIssuerKeys", 404, body={"name": "x"})
    admin("refreshIssuerKeys", 400, body={"x": "x"})
    log_in("joe", "Welcome1")
    device = {
        "appName": "DemoApp",
        "username": "ann",
        "password": "Welcome2",
        "deviceProfile": {"hardwareIds": {"imei": "2"}},
    }
    handle = call("registerDevice", 201, headers={"X-IDAAS-SERVICEDOMAIN": "MobileServiceDomain"}, body=device).json()[
        "registrationHandle"
    ]
    for operation in OPERATIONS.values():
        # The id of an example was never refused.
        if not operation.is_public and operation.method == "get" and operation.id != "showRefusals":
            answer = operation.call(200, token="admin-secret")
            if operation.id.startswith("list") and not answer.json():
                operation.fail("an empty list")
    admin("showBackendVersion", 200, query={"secrets": "true"})
    admin("showUser", 404, path={"username": "x"})
    admin("listTokens", 400, query={"limit": "x"})
    record = admin("listTokens", 200, query={"subject": "joe"}).json()[0]["id"]
    admin("revokeTokenRecord", 200, path={"id": record})
    admin("revokeTokens", 200, query={"subject": "joe", "client": "inventory/1.0"})
    admin("revokeTokens", 204, query={"issuer": "local", "issuedBefore": 1})
    admin("cleanTokens", 200)
    admin("revoke", 204, body={"subject": "joe", "issuedBefore": 1})
    admin("revoke", 400, body={})
    login = {"appName": "DemoApp", "username": "ann", "password": "Welcome2", "registrationHandle": handle}
    domain = {"X-IDAAS-SERVICEDOMAIN": "MobileServiceDomain"}
    call("authenticate", 401, headers=domain, body=login | {"password": "x"})
    admin("unlock", 204, path={"username": "ann"})
    admin("unlock", 404)
    devices = admin("listDevices", 200, query={"subject": "ann"}).json()
    admin("wipeDevice", 200, path={"id": devices[0]["id"]})
    call("authenticate", 403, headers=domain, body=login)
    admin("removeBackendRoute", 200, path=lib)
    admin("revokeClient", 200)
    admin("removeClient", 204)
    admin("revokeBackend", 200, path=lib)
    admin("removeBackend", 204, path=lib)
    admin("removeCertificate", 204)
    admin("revokeConsumerKey", 204)
    kid = next(key["kid"] for key in admin("listSigningKeys", 200).json() if key["state"] == "next")
    admin("retireSigningKey", 204, path={"kid": kid})
    admin("unsetPolicy", 204)
    admin("removeUser", 204, path=liz)
    admin("removeRole", 204, path={"role": "Team"})
    admin("removeRealm", 204)
    admin("reload", 204)


def refusals():
    """Requests that break a rule for all endpoints: every answer is described, and a 405 names the methods."""
    for path, operation in {operation.path: operation for operation in OPERATIONS.values()}.items():
        own = {other.method.upper() for other in OPERATIONS.values() if other.path == path}
        for method in sorted({"GET", "POST", "PUT", "PATCH", "DELETE", "BREW"} - own):
            answer = operation.refuse(method=method)
            allowed = set(answer.headers.get("Allow", "").replace(" ", "").split(",")) - {"HEAD"}
            if answer.status_code == 405 and not own <= allowed or method in allowed:
                operation.fail(f"405 to {method} allows {sorted(allowed)} instead of {sorted(own)}")
    cross_site = {"Origin": "https://evil.example", "Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors"}
    for operation in OPERATIONS.values():
        for headers in (cross_site, {"Accept": "text/html"}, {"Authorization": "Basic !"}, {"X-Long": "y" * 40_000}):
            operation.refuse(headers=headers)
        if operation.method in ("post", "put", "patch", "delete"):
            for media, body in ((JSON, "{"), (JSON, "[1]"), (FORM, "a=1&a=2"), ("text/plain", "x"), (FORM, "x" * 3_000_000)):
                operation.refuse(headers={"Content-Type": media}, data=body)


without_credentials()
for part in (oauth, registration, browser, mobile, applications, profiles, administration):
    part()
left = {operation.id for operation in OPERATIONS.values() if not operation.succeeded}
if left != NEED_PROVIDER:
    failures.append(f"without a success: {sorted(left)}, expected: {sorted(NEED_PROVIDER)}")
# Last, since some of these requests end what the parts before need.
refusals()
for failure in failures:
    print(failure, file=sys.stderr)
print(f"{len(OPERATIONS)} operations, {len(failures)} differences")
sys.exit(1 if failures else 0)
