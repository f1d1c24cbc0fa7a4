"""Checks every page of the gateway with axe-core in headless Chromium, by WCAG 2.2 level AA.

    browser_axe.py URL SECRET DIRECTORY

URL is the gateway's own base URL, with the configuration of PageAccessibilityTests; SECRET the TOTP secret of joe in
Base32; DIRECTORY where the screenshots go. Each page is checked in English, German and Arabic, light and dark, at the width
of a desktop and of a phone. Prints a line for each page, and ends with an error at the first violation.
"""
import base64
import importlib.resources
import json
import os
import sys
import urllib.parse
import urllib.request

from browser_login import SIZES, Chromium, code

AXE = importlib.resources.files("axe_playwright_python").joinpath("axe.min.js").read_text()
TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]
CHALLENGE = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
LANGUAGES = {"en": "ltr", "de": "ltr", "ar": "rtl"}


class Audit:
    """One browser with one language, and the pages that it has seen."""

    def __init__(self, browser, url, secret, directory, language):
        self.browser, self.url, self.secret, self.directory, self.language = browser, url, secret, directory, language
        browser.call("Network.clearBrowserCookies")
        browser.call("Network.setExtraHTTPHeaders", headers={"Accept-Language": f"{language},en;q=0.1"})

    def page(self, name):
        browser = self.browser
        assert browser.value("document.documentElement.lang") == self.language, f"{name} is in another language"
        assert browser.value("document.documentElement.dir") == LANGUAGES[self.language], f"{name} has another direction"
        assert browser.value("document.querySelector('.brand') !== null"), f"{name} has no name of the product"
        for scheme in ("light", "dark"):
            browser.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
            for size, (width, height) in SIZES.items():
                browser.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1,
                             mobile=size == "phone")
                where = f"{self.language} {name} {scheme} {size}"
                assert browser.value("document.documentElement.scrollWidth <= innerWidth"), f"{where} is too wide"
                self.check(where)
                data = browser.call("Page.captureScreenshot")["data"]
                with open(os.path.join(self.directory, f"{where.replace(' ', '-')}.png"), "wb") as file:
                    file.write(base64.b64decode(data))
        print("ok", self.language, name, flush=True)

    def check(self, where):
        browser = self.browser
        if not browser.value("typeof axe === 'object'"):
            browser.call("Runtime.evaluate", expression=AXE)
        options = json.dumps({"runOnly": {"type": "tag", "values": TAGS}, "resultTypes": ["violations"]})
        found = browser.value(
            f"axe.run(document, {options}).then(result => ({{rules: result.passes.length, wrong: result.violations.map("
            "rule => rule.id + ': ' + rule.help + ' ' + rule.nodes.map(node => node.html + ' ' + node.failureSummary))}))")
        assert found["rules"] > 5, f"{where}: axe has checked {found['rules']} rules"
        assert found["wrong"] == [], f"{where}: {found['wrong']}"

    def open(self, path, name):
        self.browser.open(f"{self.url}{path}")
        self.page(name)

    def fill(self, name=None, **fields):
        """Sends the form with these fields by id, and checks the page that follows."""
        for field, value in fields.items():
            self.browser.value(f"document.getElementById({json.dumps(field)}).value = {json.dumps(value)}")
        self.click("button", name)

    def click(self, selector, name=None):
        self.browser.forget()
        self.browser.value(f"document.querySelector({json.dumps(selector)}).click()")
        self.browser.wait("Page.loadEventFired")
        if name:
            self.page(name)

    # MARK: Pages

    def login(self):
        browser = self.browser
        self.open("/mobileapp", "login")
        browser.value("document.getElementById('show').click()")
        assert browser.value("document.getElementById('shown').checkVisibility()"), "the field that shows the password"
        assert not browser.value("document.getElementById('password').checkVisibility()"), "and not the other one"
        self.page("login-shown")
        self.fill("wrong-password", username="joe", shown="mistyped-7")
        assert "mistyped-7" not in browser.value("document.documentElement.outerHTML"), "no page repeats a password"
        browser.value("document.getElementById('show').click()")
        self.fill(username="joe", shown="Welcome1")
        assert browser.value("location.pathname") == "/mobileapp", "the password of the visible field is right"
        browser.open(f"{self.url}/strong")
        self.fill("second-step", username="joe", password="Welcome1")
        self.fill("wrong-code", answer="000000")
        # A code counts once, and the other languages may come within its time.
        if self.language == "en":
            self.fill(answer=code(self.secret))
            assert browser.value("location.pathname") == "/strong", "the code is right"
        self.open("/oam/server/logout", "logout")
        self.click("button", "signed-out")

    def throttled(self):
        browser = self.browser
        browser.open(f"{self.url}{self.exchange}")
        self.click("li a[href*=local]")
        browser.value("""(async () => {
            const form = document.forms[0]
            form.username.value = 'bob'; form.password.value = 'wrong'
            for (let i = 0; i < 20; i++) {
                const answer = await fetch(form.action, {method: 'POST', body: new URLSearchParams(new FormData(form))})
                if (answer.status === 429) return
            }
            throw 'never held back'
        })()""")
        self.fill("throttled", username="bob", password="wrong")

    exchange = "/mobile/platform/sso/exchange-token?clientID=inv-client"

    def single_sign_on(self):
        self.open(self.exchange, "choice")
        self.click("li a[href*=outside]", "provider-unavailable")
        self.browser.open(f"{self.url}{self.exchange}")
        self.click("li a[href*=local]", "other-ways")
        self.fill("token", username="joe", password="Welcome1")
        self.open(f"{self.exchange}&redirect_uri=https%3A%2F%2Fevil.example", "refused")
        self.open("/mobile/platform/sso/redirect?SAMLResponse=abc", "captured")
        self.open("/mobile/platform/sso/redirect", "nothing-captured")

    def consent(self):
        fields = {"response_type": "code", "client_id": "app-client", "redirect_uri": "http://127.0.0.1/cb", "state": "s",
                  "code_challenge": CHALLENGE, "code_challenge_method": "S256", "scope": "openid email orders"}
        self.open(f"/oauth2/authorize?{urllib.parse.urlencode(fields)}", "consent")
        self.open(f"/oauth2/authorize?{urllib.parse.urlencode(fields | {'client_id': 'no-one'})}", "unknown-client")

    def device(self):
        self.open("/oauth2/device", "device")
        self.fill("wrong-device-code", user_code="BCDFGHJKLMNP")
        for choice, name in (("approve", "device-connected"), ("deny", "device-denied")):
            body = urllib.parse.urlencode({"client_id": "tv-client", "scope": "openid orders"}).encode()
            with urllib.request.urlopen(f"{self.url}/oauth2/device_authorization", body) as answer:
                user_code = json.load(answer)["user_code"]
            self.browser.open(f"{self.url}/oauth2/device")
            self.fill("device-consent", user_code=user_code)
            self.click(f"button[value={choice}]", name)

    def errors(self):
        for path, name in (("/nowhere", "not-found"), ("/plain", "sign-in-first"), ("/gone", "not-available")):
            self.open(path, name)


def run(browser, url, secret, directory):
    # The pages' own policy forbids what axe-core does; other tests hold the policy.
    browser.call("Page.setBypassCSP", enabled=True)
    for language in LANGUAGES:
        audit = Audit(browser, url, secret, directory, language)
        audit.login()
        audit.throttled()
        audit.single_sign_on()
        audit.consent()
        audit.device()
        audit.errors()


def main():
    with Chromium() as browser:
        run(browser, *sys.argv[1:])


if __name__ == "__main__":
    main()
