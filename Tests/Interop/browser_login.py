"""Drives headless Chromium through the login form, over the pipe of the DevTools protocol.

    browser_login.py URL SECRET DIRECTORY

URL is the gateway's own base URL, in front of the routes of BrowserLoginTests; SECRET the TOTP secret of joe in Base32;
DIRECTORY where the screenshots go. Prints a line for each step that went as it should, and ends with an error at the
first that did not.
"""
import base64
import hmac
import json
import os
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time

SIZES = {"phone": (390, 844), "desktop": (1280, 800)}


class Navigated(AssertionError):
    """The page that was asked is gone: the browser is on its way to another one."""


class Chromium:
    """One page of one browser with a profile of its own, for `with`. Messages are JSON, each ended by a NUL."""

    def __init__(self):
        self.profile = tempfile.mkdtemp(prefix="portcullis-chromium-")
        self.outgoing, commands = None, os.pipe()
        events = os.pipe()

        def place():
            # The browser reads at 3 and writes at 4; the duplicates below 10 would be overwritten otherwise.
            read, write = os.dup2(commands[0], 20), os.dup2(events[1], 21)
            os.dup2(read, 3)
            os.dup2(write, 4)

        self.process = subprocess.Popen(
            ["chromium", "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
             "--disable-background-networking", "--disable-component-update", "--ignore-certificate-errors",
             f"--user-data-dir={self.profile}", "--remote-debugging-pipe", "about:blank"],
            preexec_fn=place, close_fds=False, start_new_session=True, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL)
        self.outgoing, self.incoming = commands[1], events[0]
        self.buffer, self.next, self.events = b"", 0, []
        self.session = None
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Network", "Log", "Runtime"):
            self.call(f"{domain}.enable")

    def __enter__(self):
        return self

    def __exit__(self, *error):
        # With the processes that it has started, which write to the profile.
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        # One that was in a call when it was killed may add a file meanwhile. What cannot be removed is an error.
        for attempt in range(100):
            shutil.rmtree(self.profile, ignore_errors=attempt < 99)
            if not os.path.exists(self.profile):
                break

    def receive(self):
        while b"\0" not in self.buffer:
            piece = os.read(self.incoming, 1 << 16)
            assert piece, "the browser has ended"
            self.buffer += piece
        line, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(line)

    def call(self, method, **parameters):
        self.next += 1
        message = {"id": self.next, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.outgoing, json.dumps(message).encode() + b"\0")
        while True:
            answer = self.receive()
            if answer.get("id") == self.next:
                error = answer.get("error", {}).get("message", "")
                if "navigated" in error:
                    raise Navigated(error)
                assert "error" not in answer, f"{method}: {answer['error']}"
                return answer["result"]
            self.events.append(answer)

    def wait(self, method):
        """The next event of this name, since the last `forget`."""
        while True:
            for event in self.events:
                if event.get("method") == method:
                    return event["params"]
            self.events.append(self.receive())

    def forget(self):
        kept = [event for event in self.events if event.get("method") == "Log.entryAdded"]
        self.events = kept

    def complaints(self):
        """What the browser has found wrong with pages, such as a style that their policy does not let in."""
        entries = [event["params"]["entry"] for event in self.events if event.get("method") == "Log.entryAdded"]
        return [entry["text"] for entry in entries if entry["source"] not in ("network",)]

    def value(self, expression):
        result = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in result, result
        return result["result"].get("value")

    def open(self, url):
        self.forget()
        self.call("Page.navigate", url=url)
        self.wait("Page.loadEventFired")

    def status(self):
        """Status of the document that was loaded last."""
        answers = [event["params"] for event in self.events if event.get("method") == "Network.responseReceived"]
        return [answer["response"]["status"] for answer in answers if answer["type"] == "Document"][-1]

    def focused(self):
        """Id of the field that has the cursor, which it gets some time after the page was loaded."""
        wait = "const look = () => document.activeElement?.id ? done(document.activeElement.id) : setTimeout(look, 20); look()"
        return self.value(f"new Promise(done => {{ {wait} }})")

    def type(self, text):
        self.focused()
        self.call("Input.insertText", text=text)

    def press(self, key, code):
        for kind in ("keyDown", "keyUp"):
            text = {"text": "\r"} if key == "Enter" and kind == "keyDown" else {}
            self.call("Input.dispatchKeyEvent", type=kind, key=key, code=key, windowsVirtualKeyCode=code, **text)

    def enter(self):
        """Sends the form that has the cursor."""
        self.forget()
        self.press("Enter", 13)
        self.wait("Page.loadEventFired")

    def tab(self):
        self.press("Tab", 9)

    def picture(self, directory, name):
        for size, (width, height) in SIZES.items():
            self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=size == "phone")
            # A page that leads on by itself has no element for a moment.
            width_fits = "(document.documentElement?.scrollWidth ?? 0) <= innerWidth"
            assert self.value(width_fits), f"{name} is too wide for a {size}"
            data = self.call("Page.captureScreenshot")["data"]
            with open(os.path.join(directory, f"{name}-{size}.png"), "wb") as file:
                file.write(base64.b64decode(data))


def code(secret):
    digest = hmac.digest(base64.b32decode(secret), struct.pack(">Q", int(time.time()) // 30), "sha1")
    place = digest[-1] & 15
    return f"{(struct.unpack('>I', digest[place:place + 4])[0] & 0x7fffffff) % 1000000:06d}"


def expect(condition, what):
    assert condition, what
    print("ok", what, flush=True)


def run(browser, url, secret, directory):
    browser.open(f"{url}/mobileapp?x=1")
    expect(browser.value("document.title") == "Sign in to the demo", "a browser without a login is sent to the form")
    expect(browser.value("getComputedStyle(document.querySelector('main')).padding") != "0px", "the style is let in")
    expect(browser.focused() == "username", "the cursor is in the first field")
    browser.picture(directory, "login")

    browser.type("joe")
    browser.tab()
    browser.type("wrong")
    browser.enter()
    expect(browser.status() == 401, "a wrong password is a 401")
    expect(browser.value("document.querySelector('[role=alert]').checkVisibility()"), "and said on the page")
    expect(browser.focused() == "password", "the cursor is in the field to fill in again")
    expect(browser.value("document.getElementById('username').value") == "joe", "the name is still there")
    browser.picture(directory, "wrong")

    browser.type("Welcome1")
    browser.enter()
    expect(browser.value("location.pathname + location.search") == "/mobileapp?x=1", "the login leads back")
    expect(browser.status() == 200, "to the page itself")
    expect("portcullis" not in browser.value("document.cookie"), "no script sees the cookie")
    expect(browser.value("fetch('/mobileapp', {method: 'POST'}).then(r => r.status)") == 200, "own pages may change things")
    browser.open(f"{url}/other")
    expect(browser.status() == 200 and browser.value("location.pathname") == "/other", "another route needs no other login")

    browser.open("data:text/html,<form method=post action='%s/mobileapp'><input name=a></form>" % url)
    browser.value("document.querySelector('input').focus()")
    browser.enter()
    expect(browser.status() == 403, "a form of another site changes nothing")

    browser.open(f"{url}/strong")
    expect(browser.value("document.getElementById('username').value") == "joe", "a higher level asks for the login again")
    browser.type("Welcome1")
    browser.enter()
    expect(browser.focused() == "answer", "and for a code")
    expect(browser.value("document.activeElement.autocomplete") == "one-time-code", "which devices may fill in")
    browser.picture(directory, "code")
    browser.type("000000")
    browser.enter()
    expect(browser.value("document.querySelector('[role=alert]') !== null"), "a wrong code is said")
    browser.type(code(secret))
    browser.enter()
    expect(browser.status() == 200 and browser.value("location.pathname") == "/strong", "the right one opens the page")

    browser.open(f"{url}/oam/server/logout")
    browser.picture(directory, "logout")
    browser.tab()
    browser.enter()
    expect(browser.value("document.title") == "Signed out", "the logout is asked for, then done")
    browser.picture(directory, "signed-out")
    browser.open(f"{url}/mobileapp")
    expect(browser.value("document.title") == "Sign in to the demo", "and nobody is logged in any more")
    expect(browser.complaints() == [], f"the browser finds nothing wrong with the pages: {browser.complaints()}")


def main():
    url, secret, directory = sys.argv[1:]
    with Chromium() as browser:
        run(browser, url, secret, directory)


if __name__ == "__main__":
    main()
