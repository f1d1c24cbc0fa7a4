"""Drives headless Chromium through a login at an identity provider and out again.

    provider_login.py URL ISSUER DIRECTORY

URL is the gateway's own base URL, in front of the routes of ProviderPageTests; ISSUER the provider, `login_provider.py mock`;
DIRECTORY where the screenshots go. Prints a line for each step that went as it should, and ends with an error at the
first that did not.
"""
import sys

from browser_login import Chromium, Navigated, expect


def press(browser, text):
    """Follows the button or link of this text, as a click does."""
    browser.forget()
    found = browser.value(
        f"(() => {{ const e = [...document.querySelectorAll('button, a')].find(e => e.textContent.trim() === '{text}');"
        " if (e) setTimeout(() => e.click()); return !!e; })()")
    assert found, f"there is no {text} on {browser.value('location.href')}"
    browser.wait("Page.loadEventFired")


def place(browser):
    return browser.value("location.origin + location.pathname")


def run(browser, url, issuer, directory):
    browser.open(f"{url}/mobileapp?x=1")
    expect(place(browser) == f"{issuer}/oauth2/authorize", "a browser without a login is sent to the provider")
    state = browser.value("new URLSearchParams(location.search).get('state')")
    press(browser, "Deny")
    # The mock forgets the state, against RFC 6749 section 4.1.2.1.
    expect(browser.status() == 403, "an answer that belongs to no login is refused")
    expect(place(browser) == f"{url}/oauth2/callback/outside", "by a page of the gateway")
    expect(browser.value("document.querySelector('[role=alert]').checkVisibility()"), "in words")
    browser.open(f"{url}/oauth2/callback/outside?error=access_denied&state={state}")
    expect(browser.status() == 403, "who says no there is told so here")
    browser.picture(directory, "denied")

    press(browser, "Try again")
    expect(place(browser) == f"{issuer}/oauth2/authorize", "which leads there once more")
    browser.picture(directory, "provider")
    press(browser, "ann")
    expect(browser.value("location.pathname + location.search") == "/mobileapp?x=1", "the login leads back")
    expect(browser.status() == 200, "to the page itself")
    expect("portcullis" not in browser.value("document.cookie"), "no script sees the cookie")
    expect("code=" not in browser.value("document.referrer"), "and no page learns the code")

    browser.open(f"{url}/oam/server/logout")
    browser.forget()
    browser.value("setTimeout(() => document.querySelector('form').requestSubmit())")
    browser.wait("Page.loadEventFired")
    # The page that says so goes on to the provider by itself.
    for _ in range(100):
        try:
            if browser.value("location.origin") == issuer:
                break
            browser.forget()
            browser.value("new Promise(done => setTimeout(done, 50))")
        except Navigated:
            continue
    expect(browser.value("location.origin") == issuer, "the logout here goes on to the logout there")
    browser.picture(directory, "logout")
    browser.open(f"{url}/mobileapp")
    expect(place(browser) == f"{issuer}/oauth2/authorize", "and nobody is logged in any more")
    complaints = [text for text in browser.complaints() if url in text]
    expect(complaints == [], f"the browser finds nothing wrong with the pages: {complaints}")


def main():
    url, issuer, directory = sys.argv[1:]
    with Chromium() as browser:
        run(browser, url, issuer, directory)


if __name__ == "__main__":
    main()
