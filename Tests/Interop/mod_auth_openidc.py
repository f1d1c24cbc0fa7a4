#!/usr/bin/env python3
"""Apache with mod_auth_openidc, unchanged, as a client of the gateway's own OpenID provider. The browser is `requests`, which
fills in the forms. One line for each thing that worked; exits with 1 at the first that did not.

usage: mod_auth_openidc.py BASE_URL

The gateway has the user and the clients of RealClientTests. Apache serves a page of its own at /app/, and at /app/api the
gateway's route /plain with the access token of the session. Its own API at /api/ asks the gateway about tokens (RFC 7662).
"""

import os
import pathlib
import sys
import tempfile
import urllib.parse

import requests

from authorization_code import Browser, expect, status
from child import started

BASE = sys.argv[1]
MODULES = pathlib.Path("/usr/lib/apache2/modules")
CONFIGURATION = """
ServerRoot {directory}
ServerName 127.0.0.1
Listen 127.0.0.1:{port}
PidFile pid
DefaultRuntimeDir {directory}
Mutex file:{directory} default
ErrorLog /dev/stderr
LogLevel warn
{user}
{modules}
StartServers 1
DocumentRoot {directory}/pages
OIDCProviderMetadataURL {base}/.well-known/openid-configuration
OIDCClientID apache
OIDCClientSecret apache-secret
OIDCPKCEMethod S256
OIDCScope "openid email profile"
OIDCRedirectURI http://127.0.0.1:{port}/app/back
OIDCCryptoPassphrase phrase
OIDCInfoHook access_token id_token userinfo refresh_token
OIDCOAuthClientID apache
OIDCOAuthClientSecret apache-secret
OIDCOAuthServerMetadataURL {base}/.well-known/oauth-authorization-server
OIDCOAuthTokenIntrospectionInterval 0
<Location /app/>
    AuthType openid-connect
    Require claim email:joe@example.com
    Header always set X-User expr=%{{REMOTE_USER}}
    Header always set X-Name %{{OIDC_CLAIM_name}}e
</Location>
<Location /app/api>
    RequestHeader unset Cookie
    RequestHeader set Authorization "Bearer %{{OIDC_access_token}}e"
    ProxyPass {base}/plain
</Location>
<Location /api/>
    AuthType oauth20
    Require claim username:joe
    Header always set X-User expr=%{{REMOTE_USER}}
</Location>
"""


def done(what):
    print(f"ok {what}", flush=True)


def prepare(directory):
    """The command that starts Apache on a port."""
    (directory / "pages/app").mkdir(parents=True)
    (directory / "pages/api").mkdir()
    (directory / "pages/api/index.html").write_text("the API")
    (directory / "pages/app/index.html").write_text("the page")
    (directory / "pages/out.html").write_text("logged out")
    names = "mpm_event authn_core authz_core authz_user dir env headers proxy proxy_http auth_openidc"
    modules = "\n".join(f"LoadModule {name}_module {MODULES}/mod_{name}.so" for name in names.split())
    user = ""
    if os.geteuid() == 0:
        # Its workers are not root.
        directory.chmod(0o755)
        user = "User www-data\nGroup www-data"

    def command(port):
        text = CONFIGURATION.format(directory=directory, port=port, user=user, modules=modules, base=BASE)
        (directory / "apache.conf").write_text(text)
        return ["/usr/sbin/apache2", "-f", str(directory / "apache.conf"), "-D", "FOREGROUND"]

    return command


def settle(browser, url):
    """The page that a browser comes to, over redirects of Apache and of the gateway."""
    response = browser.session.get(url, timeout=10)
    browser.page = response
    return response


def info(browser, own):
    response = browser.session.get(f"{own}/app/back?info=json", timeout=10)
    expect(response.status_code == 200, f"info: {response.status_code}")
    return response.json()


def ask_api(own, token):
    return requests.get(f"{own}/api/", headers={"Authorization": f"Bearer {token}"}, timeout=10)


def run(own):
    browser = Browser()
    page = settle(browser, f"{own}/app/")
    expect(page.url.startswith(f"{BASE}/oauth2/login"), f"the form: {page.url} {page.text}")
    browser.submit(username="joe", password="Welcome1")
    expect("asks for access" in browser.page.text, f"the user is asked: {browser.page.text}")
    page = settle(browser, browser.submit(decision="approve"))
    expect(page.status_code == 200 and page.text == "the page", f"the page: {page.status_code} {page.text}")
    expect(page.url == f"{own}/app/" and page.headers["X-Name"] == "Joe Example", f"{page.url} {page.headers}")
    expect(page.headers["X-User"].startswith("joe@"), f"user: {page.headers}")
    done("login, ID token and rule by claim")
    first = info(browser, own)
    expect(first["id_token"]["sub"] == first["userinfo"]["sub"] == "joe", f"info: {first}")
    expect(first["userinfo"]["email"] == "joe@example.com", f"user info: {first}")
    done("user info")
    expect(settle(browser, f"{own}/app/api").status_code == 200, "the access token opens a route")
    done("access token for an API")
    query = urllib.parse.urlencode({"refresh": f"{own}/app/", "access_token": first["access_token"]})
    page = settle(browser, f"{own}/app/back?{query}")
    expect(page.status_code == 200 and page.url == f"{own}/app/", f"refresh: {page.url} {page.text}")
    second = info(browser, own)
    expect(second["access_token"] != first["access_token"], "another access token")
    expect(second["refresh_token"] != first["refresh_token"], "another refresh token")
    expect(settle(browser, f"{own}/app/api").status_code == 200, "which opens the route, too")
    done("refresh")
    answer = ask_api(own, second["access_token"])
    expect(answer.status_code == 200 and answer.headers["X-User"].startswith("joe"), f"the API: {answer.status_code} {answer.headers}")
    expect(ask_api(own, second["id_token"]["sub"]).status_code == 401, "any other text opens nothing")
    done("introspection for an API of its own")
    query = urllib.parse.urlencode({"logout": f"{own}/out.html"})
    page = settle(browser, f"{own}/app/back?{query}")
    expect(page.url.split("?")[0] == f"{own}/out.html" and page.text == "logged out", f"logout: {page.url} {page.text}")
    page = settle(browser, f"{own}/app/")
    expect(page.url.startswith(f"{BASE}/oauth2/login"), f"the form again: {page.url}")
    expect(status(second["access_token"]) == 401, "the tokens end with the login")
    expect(ask_api(own, second["access_token"]).status_code == 401, "at the API of Apache as well")
    done("logout here and there")


def main():
    with tempfile.TemporaryDirectory() as directory:
        with started(prepare(pathlib.Path(directory)), "resuming normal operations") as (port, written):
            try:
                run(f"http://127.0.0.1:{port}")
            except BaseException:
                print("".join(written), file=sys.stderr)
                raise


main()
