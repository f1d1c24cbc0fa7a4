#!/usr/bin/env python3
"""The way of a browser through a gateway whose users log in at a provider of `login_provider.py`. The browser is `requests`, which
fills in the forms of the provider. One line for each thing that worked; exits with 1 at the first that did not.

usage: provider_walk.py PROVIDER URL ISSUER CONTROL

The gateway at URL has the routes of RealProviderTests; what is behind them is at CONTROL, and tells the fields that it got.
"""
import html.parser
import sys
import time
import urllib.parse

import requests

PROVIDER, URL, ISSUER, CONTROL = sys.argv[1:]
NAVIGATION = {"Accept": "text/html", "Sec-Fetch-Site": "same-origin", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"}


def done(what):
    print(f"ok {what}", flush=True)


def expect(condition, what):
    if not condition:
        sys.exit(f"FAILED: {PROVIDER}: {what}")


class Forms(html.parser.HTMLParser):
    """The forms of a page: where each goes, its fields, and the buttons that add one."""

    def __init__(self, text):
        super().__init__()
        self.forms = []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        found = dict(attributes)
        if tag == "form":
            self.forms.append((found.get("action") or "", {}, {}))
        elif tag in ("input", "button") and self.forms:
            _, fields, buttons = self.forms[-1]
            kind = found.get("type", "submit" if tag == "button" else "text")
            if kind == "submit":
                buttons[found.get("value", "")] = found.get("name")
            elif "name" in found and (kind != "checkbox" or "checked" in found):
                fields[found["name"]] = found.get("value") or ""


class Browser:
    """Follows redirects, and fills in forms."""

    def __init__(self):
        self.session = requests.Session()
        self.session.headers.update(NAVIGATION)

    def open(self, url):
        self.page = self.session.get(urllib.parse.urljoin(URL, url), timeout=20)
        return self.page

    def form(self, *names):
        """The form of the page that has these fields or buttons."""
        for action, fields, buttons in Forms(self.page.text).forms:
            if all(name in fields or name in buttons for name in names):
                return urllib.parse.urljoin(self.page.url, action), fields, buttons
        expect(False, f"no form with {names}: {self.page.status_code} {self.page.url} {self.page.text}")

    def submit(self, button=None, **typed):
        action, fields, buttons = self.form(*typed, *([button] if button else []))
        # A button without a name adds nothing.
        pressed = {buttons[button]: button} if button and buttons[button] else {}
        self.page = self.session.post(action, data=fields | typed | pressed, timeout=20, headers={"Referer": self.page.url})
        return self.page


def at_provider(browser):
    return browser.page.url.startswith(urllib.parse.urljoin(ISSUER, "/"))


class Django:
    user = "1"

    def log_in(self, browser, decision="Authorize"):
        browser.submit(username="ann", password="Welcome1")
        browser.submit(decision)

    def deny(self, browser):
        self.log_in(browser, "Cancel")

    def log_out(self, browser):
        """Nothing is asked there."""

    def expect_no_session(self, browser):
        browser.form("username")

    def end(self, browser):
        """The gateway hears of it when it renews the tokens."""
        requests.post(f"{CONTROL}/revoke", timeout=20).raise_for_status()

    def is_revoked(self, bearer):
        return user_info(bearer).status_code == 401


class Canaille(Django):
    user = "ann"

    def log_in(self, browser, decision="accept"):
        # Of one second it has one access token for a user, which may be revoked.
        begun = int(time.time())
        until(lambda: int(time.time()) > begun, "the next second")
        browser.submit(login="ann")
        browser.submit(password="Welcome1")
        # The consent is asked once.
        if at_provider(browser):
            browser.submit(decision)

    def deny(self, browser):
        self.log_in(browser, "deny")

    def expect_no_session(self, browser):
        browser.form("login")


class Glewlwyd:
    """Its pages are scripts; this is what they ask for."""

    # It makes the name.
    user = ""
    base = ISSUER.removesuffix("oidc")

    def ask(self, browser, method, path, content=None):
        response = browser.session.request(method, self.base + path, json=content, timeout=20)
        expect(response.ok, f"{method} {path}: {response.status_code} {response.text}")
        return response

    def query(self, browser):
        return dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(browser.page.url).query))

    def log_in(self, browser):
        query = self.query(browser)
        self.ask(browser, "POST", "auth/", {"username": "ann", "password": "Welcome1"})
        self.ask(browser, "PUT", f"auth/grant/{query['client_id']}", {"scope": query["scope"]})
        browser.open(f"{query['callback_url']}&g_continue")

    def log_out(self, browser):
        query = self.query(browser)
        expect(query.get("prompt") == "end_session", f"the page for the end of the session: {browser.page.url} {browser.page.text}")
        self.ask(browser, "DELETE", f"oidc/session/{query['sid']}")
        self.ask(browser, "DELETE", "auth/")
        browser.open(query["callback_url"])

    def expect_no_session(self, browser):
        status = browser.session.get(f"{self.base}profile_list", timeout=20).status_code
        expect(status == 401, f"no session there: {status}")

    def end(self, browser):
        """Its page has frames for that (OpenID Connect Front-Channel Logout)."""
        session = browser.session.cookies["GLEWLWYD2_OIDC_SID"]
        query = urllib.parse.urlencode({"iss": ISSUER, "sid": session})
        for client in self.ask(browser, "GET", f"oidc/session/{session}/gateway").json()["client"]:
            requests.get(f"{client['frontchannel_logout_uri']}?{query}", timeout=20).raise_for_status()
        self.ask(browser, "DELETE", f"oidc/session/{session}")

    def is_revoked(self, bearer):
        """A refresh token is revoked there without the access tokens that came of it."""
        return requests.post(f"{CONTROL}/tokens", timeout=20).json() == 0


KNOWN = {"django": Django, "canaille": Canaille, "glewlwyd": Glewlwyd}[PROVIDER]()


def log_in(browser, path):
    """From a page of the gateway over the provider and back."""
    browser.open(path)
    expect(at_provider(browser), f"sent to the provider: {browser.page.status_code} {browser.page.url} {browser.page.text}")
    KNOWN.log_in(browser)
    expect(browser.page.url == f"{URL}{path}", f"back at the page: {browser.page.url} {browser.page.text}")
    expect(browser.page.status_code == 200, f"the page: {browser.page.status_code} {browser.page.text}")
    return browser.page.json()


def token(browser):
    answer = browser.open("/api")
    expect(answer.status_code == 200 and not at_provider(browser), f"the API: {answer.status_code} {answer.url} {answer.text}")
    return answer.json()["Authorization"]


def user_info(bearer):
    endpoint = requests.get(f"{ISSUER}/.well-known/openid-configuration", timeout=20).json()["userinfo_endpoint"]
    return requests.get(endpoint, headers={"Authorization": bearer}, timeout=20)


def until(condition, what, seconds=40):
    end = time.monotonic() + seconds
    while not condition():
        expect(time.monotonic() < end, what)
        time.sleep(0.1)


def denial(browser):
    browser.open("/app")
    KNOWN.deny(browser)
    expect(browser.page.url.startswith(f"{URL}/oauth2/callback/outside?error=access_denied"), f"denied: {browser.page.url}")
    expect(browser.page.status_code == 403 and "Try again" in browser.page.text, f"a page says so: {browser.page.text}")
    done("denial")


def claims(browser):
    seen = log_in(browser, "/app?x=1")
    expect(seen["X-Mail"] == "ann@example.com" and seen["X-Groups"] == "clerks", f"claims: {seen}")
    expect(seen["X-Gateway-User"].startswith(f"outside:{KNOWN.user}"), f"user: {seen}")
    # The provider's cookies are there, which is on the same host.
    expect("Authorization" not in seen and "portcullis" not in seen.get("Cookie", ""), f"nothing of the session: {seen}")
    done("login and claims")
    expect(browser.open("/other").status_code == 403, "a claim with another value opens nothing")
    done("rule by claim")


def renewal(browser):
    first = token(browser)
    answer = user_info(first)
    expect(answer.status_code == 200 and answer.json()["email"] == "ann@example.com", f"the provider's token: {answer.text}")
    done("access token for an API")
    for _ in range(2):
        until(lambda: token(browser) != first, "the token is renewed")
        first = token(browser)
    expect(user_info(first).status_code == 200, "the provider takes the renewed token")
    done("renewal, twice")


def logout(browser):
    last = token(browser)
    browser.open("/oauth2/logout")
    # The page goes on by itself, and says so.
    browser.open(browser.page.headers["Refresh"].partition("url=")[2])
    KNOWN.log_out(browser)
    expect(browser.page.url.startswith(f"{URL}/oauth2/logout"), f"back from the provider: {browser.page.url} {browser.page.text}")
    expect(browser.open("/app").status_code == 200 and at_provider(browser), f"no session here: {browser.page.url}")
    KNOWN.expect_no_session(browser)
    done("logout here and at the provider")
    until(lambda: KNOWN.is_revoked(last), "the tokens of the login are revoked")
    done("revocation of its tokens")


def end(browser):
    log_in(browser, "/app")
    token(browser)
    KNOWN.end(browser)
    until(lambda: browser.open("/api") is not None and at_provider(browser), "the login ends with that at the provider")
    done("end of the login at the provider")


def main():
    browser = Browser()
    claims(browser)
    renewal(browser)
    logout(browser)
    end(browser)
    # Glewlwyd has no button to deny.
    if PROVIDER != "glewlwyd":
        denial(Browser())


main()
