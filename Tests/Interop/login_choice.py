"""Drives headless Chromium through logins of which the user may choose one: at two identity providers, or by the gateway's
own form; for a token of single sign-on and for a page behind a form scheme.

    login_choice.py URL ISSUER DIRECTORY

URL is the gateway's own base URL, in front of the routes of LoginChoiceTests; ISSUER the provider `login_provider.py mock`,
which is called Staff account; `login_provider.py idpyoidc` is the Partner account, which asks nothing. DIRECTORY is where
the screenshots go. Prints a line for each step that went as it should, and ends with an error at the first that did not.
"""
import base64
import json
import urllib.parse

from browser_application import Application, main
from browser_login import expect
from browser_sso import until
from provider_login import place, press

WAYS = ["Staff account", "Partner account", "Password"]


def links(browser):
    return browser.value("[...document.querySelectorAll('main a')].map(a => a.textContent)")


def take(browser, text):
    """Goes to a way by the keyboard alone."""
    for _ in range(len(WAYS) + 1):
        browser.tab()
        if browser.value("document.activeElement.textContent") == text:
            expect(browser.value("getComputedStyle(document.activeElement).outlineStyle") != "none", f"{text} can be seen to be focused")
            browser.enter()
            return
    raise AssertionError(f"no key leads to {text}")


def subject(token):
    part = token.split(".")[1]
    return json.loads(base64.urlsafe_b64decode(part + "=" * (-len(part) % 4)))["sub"]


def shown(browser):
    return subject(browser.value("document.getElementById('token').value"))


def spoken(browser):
    """Roles and names as an assistive technology is told them."""
    nodes = browser.call("Accessibility.getFullAXTree")["nodes"]
    return [(node["role"]["value"], node.get("name", {}).get("value", "")) for node in nodes if not node.get("ignored")]


def log_out(browser, url, address):
    browser.open(f"{url}{address}")
    before = browser.value("performance.timeOrigin")
    browser.value("setTimeout(() => document.querySelector('form').requestSubmit())")
    # Whatever way leads to it, there is another page, and it has come to its end.
    until(browser, f"performance.timeOrigin !== {before} && document.readyState === 'complete'")


def relay(browser, url, issuer, directory, app):
    exchange = f"{url}/mobile/platform/sso/exchange-token?clientID=inv-client"
    target = urllib.parse.quote(f"http://127.0.0.1:{app}/cb", safe="")
    browser.open(f"{exchange}&redirect_uri={target}&state=a%26b")
    expect(browser.value("document.title") == "Sign in to inventory", "a browser is asked where to sign in")
    expect(links(browser) == WAYS, "by the three ways that the backend has, in its order")
    expect(browser.value("document.scripts.length") == 0, "without a script")
    tree = spoken(browser)
    expect(("list", "Choose how to sign in.") in tree, "the list is read out with its name")
    expect([name for role, name in tree if role == "link"] == WAYS, "and so are the ways")
    expect(("heading", "Sign in to inventory") in tree, "below a heading")
    heights = browser.value("[...document.querySelectorAll('main a')].map(a => a.getBoundingClientRect().height)")
    expect(min(heights) >= 44, "each is large enough for a finger")
    browser.picture(directory, "choice")

    take(browser, "Staff account")
    expect(place(browser) == f"{issuer}/oauth2/authorize", "the first leads to its provider")
    browser.picture(directory, "choice-provider")
    browser.call("Page.navigateToHistoryEntry", entryId=browser.call("Page.getNavigationHistory")["entries"][-2]["id"])
    until(browser, "document.title == 'Sign in to inventory'")
    take(browser, "Staff account")
    press(browser, "ann")
    until(browser, "document.title == 'the application'")
    _, path, form, _ = Application.received[-1]
    expect(path == "/cb" and form["state"] == "a&b", "and from there to the application, with what it had asked for")
    expect(subject(form["access_token"]) == "outside:ann@example.com", "and a token of the provider's user")

    browser.open(exchange)
    expect(shown(browser) == "outside:ann@example.com", "who is logged in does not choose again")
    browser.open(f"{exchange}&prompt=login")
    expect(links(browser) == WAYS, "unless that is asked for")
    log_out(browser, url, "/mobile/platform/sso/logout")
    browser.open(exchange)
    take(browser, "Partner account")
    expect(browser.value("document.title") == "Your token for inventory", "the second leads there and back")
    expect(shown(browser) == "certified:diana@example.org", "with its own user")
    browser.picture(directory, "choice-token")

    browser.open(f"{exchange}&prompt=login")
    take(browser, "Password")
    expect(browser.focused() == "username", "the third is the form, with the cursor in it")
    browser.picture(directory, "choice-form")
    browser.type("joe")
    browser.tab()
    browser.type("wrong")
    browser.enter()
    expect(browser.status() == 401 and links(browser) == ["Sign in another way"], "which stays after a wrong password")
    browser.picture(directory, "choice-wrong")
    press(browser, "Sign in another way")
    expect(links(browser) == WAYS, "and leads back to the choice")
    take(browser, "Password")
    browser.type("joe")
    browser.tab()
    browser.type("Welcome1")
    browser.enter()
    expect(shown(browser) == "joe", "and in")
    log_out(browser, url, "/mobile/platform/sso/logout")
    browser.open(exchange)
    expect(links(browser) == WAYS, "after the logout one chooses again")


def form(browser, url, issuer, directory):
    browser.open(f"{url}/mobileapp?x=1")
    expect(browser.value("document.title") == "Sign in to the demo", "a page behind a form scheme asks too")
    expect(links(browser) == WAYS, "with the ways of the service domain")
    browser.picture(directory, "choice-scheme")
    take(browser, "Partner account")
    expect(browser.value("location.pathname + location.search") == "/mobileapp?x=1", "a provider leads back to the page")
    expect(browser.status() == 200, "itself")
    log_out(browser, url, "/oam/server/logout")
    browser.call("Network.clearBrowserCookies")
    browser.open(f"{url}/mobileapp?x=2")
    take(browser, "Staff account")
    press(browser, "Deny")
    expect(browser.status() == 403, "who says no there is told so")
    browser.open(f"{url}/mobileapp?x=2")
    take(browser, "Password")
    browser.type("joe")
    browser.tab()
    browser.type("Welcome1")
    browser.enter()
    expect(browser.value("location.pathname + location.search") == "/mobileapp?x=2", "and so does the form")


def run(browser, url, issuer, directory, app):
    relay(browser, url, issuer, directory, app)
    form(browser, url, issuer, directory)
    complaints = [text for text in browser.complaints() if url in text]
    expect(complaints == [], f"the browser finds nothing wrong with the pages: {complaints}")


if __name__ == "__main__":
    main(run)
