"""Types words into the search of the documents, in headless Chromium, and looks at which page comes first.

    site_search.py SITE [WORDS]

SITE is what `deploy/docs-site` has written. The search is the one that readers use: the field, the script and the index of the
site. Prints the first pages of each word, and ends with an error where more than MISSES words have another page first than the
table says. WORDS are tried in place of those of the table.
"""
import functools
import http.server
import os
import signal
import sys
import threading

from browser_login import Chromium

MISSES = 2
# What users of such gateways type, and the page that answers it.
PAGES = {
    "headers": "config/guides/fields",
    "redirect uri": "config/guides/browser-login",
    "session lifetime": "config/guides/browser-login",
    "health check": "config/guides/upstreams",
    "ip allowlist": "config/guides/access-rules",
    "retry": "config/guides/upstreams",
    "load balancing": "config/guides/upstreams",
    "log rotation": "deploy/docs/logs",
    "email domain": "config/guides/access-rules",
    "sign out": "config/guides/browser-login",
    "mfa": "config/guides/step-up",
    "lets encrypt": "config/guides/acme",
    "helm": "deploy/docs/install",
    "grafana": "deploy/docs/monitoring",
    "cors": "config/guides/cors",
    "rate limit": "config/guides/limits",
    "api key": "config/guides/api-keys",
    "jwt": "config/guides/identity-provider",
    "introspection": "config/guides/introspection",
    "docker": "deploy/docs/install",
    "kubernetes": "deploy/docs/install",
    "websocket": "deploy/docs/streams",
    "timeout": "config/guides/upstreams",
    "client certificate": "config/guides/client-certificates",
    "basic auth": "config/guides/authenticators",
    "roles": "config/guides/access-rules",
    "redis": "deploy/docs/store",
    "logout": "config/guides/browser-login",
    "metrics": "deploy/docs/monitoring",
    "tls": "config/guides/tls",
}
# The worker that searches answers each query with one message. Kept for those who wait for it.
OBSERVE = """
    window.answers = 0
    const Original = Worker
    window.Worker = class extends Original {
        constructor(...words) {
            super(...words)
            this.addEventListener("message", ({data}) => { if (data.type === 3) setTimeout(() => answers++) })
        }
    }
"""
TYPE = """
    new Promise(done => {
        const field = document.querySelector("[data-md-component=search-query]"), before = answers
        field.focus()
        field.value = %r
        field.dispatchEvent(new Event("keyup", {bubbles: true}))
        const look = () => answers > before ? done([...document.querySelectorAll(
            ".md-search-result__item > .md-search-result__link")].map(link => link.pathname)) : setTimeout(look, 5)
        look()
    })
"""


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *words):
        pass


def first_pages(browser, url, words):
    """The pages found for each of the words, the best first."""
    browser.call("Page.addScriptToEvaluateOnNewDocument", source=OBSERVE)
    for word in words:
        # Each time as a reader who has just come.
        browser.open(f"{url}/index.html")
        paths = browser.value(TYPE % word)
        yield word, [path.removeprefix("/").removesuffix(".html") for path in dict.fromkeys(paths)]


def main():
    site, *words = sys.argv[1:]
    # A search that never answers ends the program.
    signal.alarm(300)
    handler = functools.partial(Quiet, directory=os.path.abspath(site))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server, Chromium() as browser:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        missed = 0
        for word, pages in first_pages(browser, f"http://127.0.0.1:{server.server_port}", words or PAGES):
            found = pages[:1] == [PAGES.get(word)]
            missed += not found
            print("ok  " if found else "MISS", f"{word:20}", " ".join(page.removeprefix("config/") for page in pages[:4]), flush=True)
        server.shutdown()
    if not words and missed > MISSES:
        sys.exit(f"error: {missed} of {len(PAGES)} words have another page first than expected")


if __name__ == "__main__":
    main()
