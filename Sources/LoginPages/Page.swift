import Bytes
import Crypto
import Endpoints
import Model

/// A self-contained HTML page. Its policy forbids other servers, framing, and all scripts except the one that submits a
/// form.
package struct Page {
    private let title: String
    private let content: String
    /// Allowed target of its form, as a source expression (CSP 3 section 2.3.1).
    package var formAction = "'self'"
    /// The only allowed script; nil for none.
    package var script: String?
    // With `no-referrer`, browsers would send `null` as the origin of the form (Fetch, section 3.2).
    package var referrerPolicy = "same-origin"

    /// Permissions in an opaque origin (`sandbox` of CSP 3 section 6.3.2), which keeps other pages of this host,
    /// including openers, from reading the page. Nil for the host's origin, which forms to the gateway need; such pages
    /// are at least in a separate browsing context group when opened by others.
    package var sandbox: String?

    /// - Parameter content: HTML, with foreign text escaped.
    package init(title: String, content: String) {
        self.title = title
        self.content = content
    }

    /// - Parameter fields: additional header fields, such as cookies.
    package func response(
        status: Int, reason: Reason, fields: [(name: String, value: String)] = []
    ) -> EndpointResponse {
        EndpointResponse(status: status, headers: self.fields + fields, body: Array(html.utf8), reason: reason)
    }

    private var html: String {
        """
        <!DOCTYPE html>
        <html lang="\(PageText.language)">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <title>\(Page.escaped(title))</title>
        <style>\(Page.style)</style>
        </head>
        <body>
        <main>
        <h1>\(Page.escaped(title))</h1>
        \(content)
        </main>\(script.map { "\n<script>\($0)</script>" } ?? "")
        </body>
        </html>

        """
    }

    /// Text escaped for an element or a quoted attribute.
    package static func escaped(_ text: String) -> String { MarkupText.escaped(text) }

    /// The only allowed style, identified by its digest.
    private static let style = """

        :root { color-scheme: light dark; --accent: #0b57d0; --wrong: #b3261e; --line: #767676; --edge: #d0d3d6; }
        @media (prefers-color-scheme: dark) { :root { --accent: #a8c7fa; --wrong: #f2b8b5; --line: #8e918f; --edge: #44474a; } }
        * { box-sizing: border-box; }
        body { margin: 0; min-height: 100dvh; background: Canvas; display: grid; place-items: center; font: 100%/1.5 system-ui, sans-serif; }
        main { width: min(24rem, 100vw); padding: 1.5rem; }
        @media (min-width: 30rem) { main { width: 26rem; padding: 2rem; border: 1px solid var(--edge);
          border-radius: .75rem; } }
        h1 { margin: 0 0 1rem; font-size: 1.5rem; line-height: 1.25; overflow-wrap: anywhere; text-wrap: balance; }
        label { display: block; margin: 1rem 0 .25rem; font-weight: 600; }
        input, textarea { width: 100%; padding: .625rem; font: inherit; border: 1px solid var(--line); border-radius: .375rem; }
        textarea { font-family: ui-monospace, monospace; font-size: .875rem; word-break: break-all; resize: vertical; }
        a { color: var(--accent); }
        button { width: 100%; margin-top: 1.5rem; padding: .75rem; font: inherit; font-weight: 600; border: 0;
          border-radius: .375rem; background: var(--accent); color: Canvas; cursor: pointer; }
        ul { margin: 0; padding: 0; list-style: none; }
        li a { display: block; margin-top: .75rem; padding: .75rem; border: 1px solid var(--line); border-radius: .375rem;
          font-weight: 600; text-align: center; text-decoration: none; overflow-wrap: anywhere; }
        li a:hover { border-color: var(--accent); text-decoration: underline; }
        [aria-invalid=true] { border-color: var(--wrong); border-width: 2px; }
        code { overflow-wrap: anywhere; }
        :focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
        [role=alert] { margin: 0 0 1rem; padding: .75rem; border-left: .25rem solid var(--wrong); color: var(--wrong); }

        """

    private static let styleSource = source(of: style)

    /// The source expression for inline text (CSP 3 section 2.3.1).
    private static func source(of text: String) -> String {
        let digest = DigestAlgorithm.sha256.digest(Array(text.utf8).span)
        return "'sha256-\(String(decoding: Base64.encode(digest.span, .standard), as: UTF8.self))'"
    }

    private var fields: [(name: String, value: String)] {
        let scripts = script.map { " script-src \(Page.source(of: $0));" } ?? ""
        var fields: [(name: String, value: String)] = [
            ("Content-Type", "text/html; charset=utf-8"),
            ("Cache-Control", "no-store"),
            (
                "Content-Security-Policy",
                "default-src 'none'; style-src \(Page.styleSource);\(scripts) form-action \(formAction); "
                    + "frame-ancestors 'none'; base-uri 'none'\(sandbox.map { "; sandbox\($0)" } ?? "")"
            ),
            ("Referrer-Policy", referrerPolicy),
            ("X-Content-Type-Options", "nosniff"),
            ("X-Frame-Options", "DENY"),
        ]
        // Severs the link to the opener. Not with a sandbox: browsers refuse pages with both (WHATWG HTML section
        // 7.4.5).
        if sandbox == nil { fields.append((name: "Cross-Origin-Opener-Policy", value: "same-origin")) }
        return fields
    }
}
