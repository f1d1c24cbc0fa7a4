"""Drives headless Chromium through single sign-on, with an application of its own on loopback.

    browser_sso.py URL DIRECTORY

URL is the gateway's own base URL, with the users and the white list of SignOnFixture; DIRECTORY where the screenshots go.
Prints a line for each step that went as it should, and ends with an error at the first that did not.
"""
import base64
import threading
import urllib.parse

from browser_application import Application, main
from browser_login import expect


def until(browser, expression):
    """Waits for a page of which something is true: forms that send themselves take their time."""
    for _ in range(200):
        try:
            if browser.value(expression):
                return
        except AssertionError:
            pass
        threading.Event().wait(0.05)
    raise AssertionError(f"never: {expression}")


def opened(browser, url, policy, address):
    """What a page of this host with such a Cross-Origin-Opener-Policy reads of one that it opens at a click."""
    browser.call("Fetch.enable", patterns=[{"urlPattern": f"{url}/open/hostile"}])
    browser.forget()
    browser.call("Runtime.evaluate", expression=f"setTimeout(() => location = '{url}/open/hostile')")
    paused = browser.wait("Fetch.requestPaused")["requestId"]
    body = base64.b64encode(b"<!DOCTYPE html><title>hostile</title>").decode()
    fields = {"Content-Type": "text/html", "Cross-Origin-Opener-Policy": policy}
    browser.call("Fetch.fulfillRequest", requestId=paused, responseCode=200, body=body,
                 responseHeaders=[{"name": name, "value": value} for name, value in fields.items()])
    browser.wait("Page.loadEventFired")
    browser.call("Fetch.disable")
    # The window is empty and of this host until what it is to show has come.
    look = ("const look = () => { try { const text = held.document.body.innerHTML;"
            " text ? done(text) : setTimeout(look, 5); } catch (error) { done(error.name); } };")
    result = browser.call(
        "Runtime.evaluate", userGesture=True, awaitPromise=True, returnByValue=True,
        expression=f"new Promise(done => {{ const held = window.open('{address}'); {look} look(); }})")
    return result["result"]["value"]


def run(browser, url, directory, app):
    exchange = f"{url}/mobile/platform/sso/exchange-token?clientID=inv-client"
    target = urllib.parse.quote(f"http://127.0.0.1:{app}/cb", safe="")

    browser.open(f"{exchange}&redirect_uri=https%3A%2F%2Fevil.net%2F")
    expect(browser.status() == 400, "a redirect that is not in the white list is refused before any login")
    browser.picture(directory, "sso-refused")

    browser.open(exchange)
    expect(browser.value("document.title") == "Sign in to inventory", "a browser is sent to the login")
    expect(browser.focused() == "username", "the cursor is in the first field")
    browser.picture(directory, "sso-login")
    browser.type("eve")
    browser.tab()
    browser.type("wrong")
    browser.enter()
    expect(browser.status() == 401, "a wrong password is a 401")
    browser.type("Welcome6")
    browser.enter()
    expect(browser.status() == 403, "somebody of another realm gets no token")
    browser.picture(directory, "sso-realm")
    browser.tab()
    browser.enter()
    expect(browser.value("document.title") == "Sign in to inventory", "but the way to another account")

    browser.type("joe")
    browser.tab()
    browser.type("Welcome1")
    browser.enter()
    expect(browser.value("document.title") == "Your token for inventory", "the login leads to the token")
    expect(browser.value("document.getElementById('token').value.split('.').length") == 3, "which is shown")
    expect(browser.value("document.scripts.length") == 0, "on a page without scripts")
    expect(browser.value("origin") == "null", "and of no origin that other pages could share")
    browser.picture(directory, "sso-token")
    browser.tab()
    browser.tab()
    browser.enter()
    expect(browser.value("document.title") == "Do you want to sign out?", "its link leads to the logout")
    expect("portcullis" not in browser.value("document.cookie"), "no script sees the cookie")

    browser.open(f"{exchange}&redirect_uri={target}&state=a%26b")
    until(browser, "document.title == 'the application'")
    method, path, form, headers = Application.received[-1]
    expect((method, path, form["state"], form["token_type"]) == ("POST", "/cb", "a&b", "Bearer"), "an application is posted its token")
    expect(len(form["access_token"].split(".")) == 3, "without another login")
    expect(headers["Origin"] == "null" and "Referer" not in headers, "from a page that belongs to nobody else")

    browser.call("Emulation.setScriptExecutionDisabled", value=True)
    browser.open(f"{exchange}&redirect_uri={target}")
    expect(browser.value("document.title") == "Continue to the application", "without scripts there is a button")
    browser.picture(directory, "sso-continue")
    browser.tab()
    browser.enter()
    expect(browser.value("document.title") == "the application" and len(Application.received) == 2, "which does the same")
    browser.call("Emulation.setScriptExecutionDisabled", value=False)

    browser.open(f"data:text/html,<iframe src='{exchange}'></iframe>")
    expect(browser.value("document.querySelector('iframe').contentDocument") is None, "no frame shows the token")
    browser.open(f"{url}/open/page")
    status = browser.value(f"fetch('{exchange}').then(r => r.status)")
    expect(status == 403, "no script gets it, not even of the own site")

    for policy, page in [("unsafe-none", "an injected script"), ("same-origin", "an upstream")]:
        for address in [exchange, f"{exchange}&redirect_uri={target}"]:
            expect(opened(browser, url, policy, address) == "SecurityError", f"{page} of this host reads none in a window")
    expect(opened(browser, url, "unsafe-none", exchange + "&prompt=login") == "SecurityError", "nor what is typed to log in")

    browser.open(f"{url}/mobile/platform/sso/logout")
    browser.picture(directory, "sso-logout")
    browser.tab()
    browser.enter()
    expect(browser.value("document.title") == "Signed out", "the logout is asked for, then done")
    browser.open(exchange)
    expect(browser.value("document.title") == "Sign in to inventory", "and the next application asks again")
    complaints = [text for text in browser.complaints() if "frame" not in text.lower()]
    expect(complaints == [], f"the browser finds nothing wrong with the pages: {complaints}")


if __name__ == "__main__":
    main(run)
