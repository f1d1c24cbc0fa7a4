"""Drives headless Chromium through logins of other applications, with applications of its own on loopback.

    browser_authorize.py URL DIRECTORY

URL is the gateway's own base URL, with the clients of AuthorizationFixture; DIRECTORY where the screenshots go. Prints a
line for each step that went as it should, and ends with an error at the first that did not.
"""
import urllib.parse

from browser_application import Application, main
from browser_login import expect

CHALLENGE = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"


def until(browser, condition):
    browser.value(f"new Promise(done => {{ const look = () => {condition} ? done() : setTimeout(look, 10); look(); }})")


def await_page(browser, condition):
    """Waits for a page of which this holds."""
    for _ in range(200):
        try:
            return until(browser, condition)
        except AssertionError:
            # The page went on meanwhile.
            continue


def arrived(browser, seen):
    """What the application was sent after `seen` requests, once its page has come."""
    while len(Application.received) <= seen:
        await_page(browser, "document.readyState == 'complete'")
    await_page(browser, "document.title == 'the application'")
    return Application.received[-1]


def visit(browser, url, condition):
    """Opens a page, until this holds of it: the load event may be that of the page before."""
    browser.open(url)
    await_page(browser, condition)


def run(browser, url, directory, app):
    def link(client, path, **more):
        fields = {"response_type": "code", "client_id": client, "redirect_uri": f"http://127.0.0.1:{app}{path}",
                  "state": "a&b", "code_challenge": CHALLENGE, "code_challenge_method": "S256"} | more
        return f"{url}/oauth2/authorize?{urllib.parse.urlencode(fields)}"

    browser.open(link("app-client", "/evil"))
    expect(browser.status() == 400, "a foreign redirect URI is refused by a page")
    browser.picture(directory, "authorize-refused")

    browser.open(link("app-client", "/cb", scope="openid email orders", login_hint="joe"))
    expect(browser.value("document.title") == "Sign in to The app", "a browser is sent to the login")
    expect(browser.focused() == "password", "whose name the application has filled in")
    browser.type("Welcome1")
    browser.enter()
    expect(browser.value("document.title") == "The app asks for access", "then the user is asked for consent")
    expect("See your orders" in browser.value("document.body.innerText"), "with what a scope means")
    expect(browser.value("document.scripts.length") == 0, "on a page without scripts")
    browser.picture(directory, "authorize-consent")
    seen = len(Application.received)
    browser.value("document.querySelector('button[value=deny]').click()")
    method, path, fields, headers = arrived(browser, seen)
    expect(fields["error"] == "access_denied" and fields["state"] == "a&b", "a refusal goes to the application")

    visit(browser, link("app-client", "/cb", scope="openid"), "document.title == 'The app asks for access'")
    expect(browser.value("document.title") == "The app asks for access", "there is no second login")
    seen = len(Application.received)
    browser.value("document.querySelector('button[value=approve]').click()")
    method, path, fields, headers = arrived(browser, seen)
    expect(method == "GET" and path == "/cb" and len(fields["code"]) == 43, "a consent leads to a code")
    expect("Referer" not in headers, "and no address of the gateway goes with it")

    seen = len(Application.received)
    browser.open(link("own-client", "/own", response_mode="form_post"))
    method, path, fields, headers = arrived(browser, seen)
    expect(method == "POST" and path == "/own" and "code" in fields, "an application of the operator needs no consent")
    expect(headers.get("Origin") == "null" and "Referer" not in headers, "and gets a form from no page")

    visit(browser, f"{url}/mobile/platform/sso/logout", "document.title == 'Do you want to sign out?'")
    browser.value("document.querySelector('button').click()")
    await_page(browser, "document.title == 'Signed out'")
    expect(browser.value("document.title") == "Signed out", "the logout ends the session")
    visit(browser, link("own-client", "/own"), "document.title == 'Sign in to own'")
    browser.type("joe")
    browser.tab()
    browser.type("Welcome1")
    seen = len(Application.received)
    browser.press("Enter", 13)
    method, path, fields, headers = arrived(browser, seen)
    expect(method == "GET" and "code" in fields, "the redirect from the login form to the application is let through")

    visit(browser, f"data:text/html,<iframe src='{link('app-client', '/cb')}'></iframe>", "document.querySelector('iframe')")
    expect(browser.value("document.querySelector('iframe').contentDocument") is None, "no frame shows the consent")
    visit(browser, f"{url}/open/page", "location.pathname == '/open/page'")
    address = link("own-client", "/own")
    status = browser.value(f"fetch('{address}', {{redirect: 'manual'}}).then(r => r.status)")
    expect(status == 403, "no script gets a code, not even of the own site")
    complaints = [text for text in browser.complaints() if "frame" not in text.lower()]
    expect(complaints == [], f"the browser finds nothing wrong with the pages: {complaints}")


if __name__ == "__main__":
    main(run)
