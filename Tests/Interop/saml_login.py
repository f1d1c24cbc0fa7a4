"""Drives headless Chromium through a login at a SAML identity provider and out again.

    saml_login.py URL PROVIDER DIRECTORY

URL is the gateway's own base URL, in front of the routes of SAMLPageTests; PROVIDER that of `saml_login_provider.py`, which is
another site; DIRECTORY where the screenshots go. Prints a line for each step that went as it should, and ends with an error
at the first that did not.
"""
import sys
import time

from browser_login import Chromium, expect


def settle(browser, condition):
    """Until a page that others send the browser on to is there."""
    for _ in range(200):
        try:
            if browser.value(f"document.readyState === 'complete' && ({condition})"):
                return
        except AssertionError:
            # The page that was asked is gone.
            pass
        time.sleep(0.05)
    raise AssertionError(f"the browser is at {browser.value('location.href')}")


def sign_in(browser, user):
    browser.value("document.getElementById('user').focus()")
    browser.type(user)
    browser.press("Enter", 13)


def run(browser, url, provider, directory):
    browser.open(f"{url}/mobileapp?x=1")
    expect(browser.value("location.origin + location.pathname") == f"{provider}/sso",
           "a browser without a login is sent to the provider")
    expect(len(browser.value("new URLSearchParams(location.search).get('RelayState')")) <= 80, "with a short RelayState")
    expect(browser.value("new URLSearchParams(location.search).get('Signature')") is not None, "and a signed request")
    browser.picture(directory, "provider")

    sign_in(browser, "nobody")
    settle(browser, f"location.origin === '{url}'")
    expect(browser.value("location.pathname") == "/oauth2/callback/outside", "who fails there is back here")
    expect(browser.value("document.querySelector('[role=alert]').checkVisibility()"), "and told so in words")
    browser.picture(directory, "denied")
    browser.forget()
    browser.value("setTimeout(() => document.querySelector('a').click())")
    settle(browser, f"location.origin === '{provider}'")
    expect(browser.value("location.pathname") == "/sso", "which leads there once more")

    # The provider's page posts to another site, so that the form has none of the cookies.
    sign_in(browser, "ann")
    settle(browser, "location.pathname === '/mobileapp'")
    expect(browser.value("location.search") == "?x=1", "the login leads back to the page itself")
    requests = [event["params"] for event in browser.events if event.get("method") == "Network.requestWillBeSent"]
    posts = [r["request"] for r in requests if r["request"]["method"] == "POST" and r["request"]["url"].startswith(url)]
    expect(len(posts) == 1, "by one form")
    sent = [{name.lower(): value for name, value in event["params"]["headers"].items()} for event in browser.events
            if event.get("method") == "Network.requestWillBeSentExtraInfo"]
    forms = [fields for fields in sent if fields.get("origin") == provider and "content-type" in fields
             and fields.get("sec-fetch-site") == "cross-site"]
    expect(len(forms) == 1, "which is of another site")
    expect("portcullis" not in forms[0].get("cookie", ""), "so that the browser sends none of the gateway's cookies")
    expect("portcullis" not in browser.value("document.cookie"), "no script sees the cookie")
    expect("answer=" not in browser.value("document.referrer"), "and no page learns the answer")

    browser.open(f"{url}/mobileapp")
    expect(browser.status() == 200, "the login lasts")
    browser.open(f"{url}/oam/server/logout")
    browser.forget()
    browser.value("setTimeout(() => document.querySelector('form').requestSubmit())")
    browser.wait("Page.loadEventFired")
    expect(browser.value("document.title") == "Signed out", "and ends here by a logout")
    browser.picture(directory, "logout")
    browser.open(f"{url}/mobileapp")
    expect(browser.value("location.origin") == provider, "after which nobody is logged in any more")

    # SAML-17.
    browser.open(f"data:text/html,<form method=post action='{url}/mobile/platform/sso/redirect'>"
                 "<input name=SAMLResponse value='PHNhbWxwOlJlc3BvbnNlPjwvdGV4dGFyZWE+'></form>")
    browser.forget()
    browser.value("setTimeout(() => document.querySelector('form').submit())")
    browser.wait("Page.loadEventFired")
    expect(browser.value("document.querySelector('textarea').value") == "PHNhbWxwOlJlc3BvbnNlPjwvdGV4dGFyZWE+",
           "the page for trials shows what was sent")
    browser.picture(directory, "captured")
    complaints = [text for text in browser.complaints() if url in text]
    expect(complaints == [], f"the browser finds nothing wrong with the pages: {complaints}")


def main():
    url, provider, directory = sys.argv[1:]
    with Chromium() as browser:
        run(browser, url, provider, directory)


main()
