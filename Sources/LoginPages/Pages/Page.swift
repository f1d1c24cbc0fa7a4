import Bytes
import Endpoints
import Model

/// A self-contained HTML page. Its policy forbids other servers, framing, and all scripts except the one that submits a
/// form.
package struct Page: BrowserPage {
    /// How a page goes on. There is no page without, so that no user is left with the back button.
    package enum Way: Sendable {
        /// The form or the links in its content.
        case content
        /// A link at its end.
        case link(Link)
    }

    private let title: PageWords
    private let way: Way
    private let content: @Sendable (PageLanguage) -> String
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
    /// Languages that come before those of the browser, most preferred first.
    package var languages: [LanguageTag] = []
    /// Whether the page shows the logo, if there is one.
    package var hasLogo = true
    /// Whether it says that something does not go on, and so shows the id of the request.
    var isFailure = false
    /// Id of the request in the log; nil for a page that does not show it.
    var requestID: String?

    /// - Parameter content: HTML, with foreign text escaped.
    package init(title: PageWords, way: Way, content: @escaping @Sendable (PageLanguage) -> String) {
        self.title = title
        self.way = way
        self.content = content
    }

    /// - Parameter fields: additional header fields, such as cookies.
    package func response(
        status: Int, reason: Reason, fields: [(name: String, value: String)] = []
    ) -> EndpointResponse {
        var response = EndpointResponse(
            status: status, headers: self.fields(.standard, .english) + fields,
            body: Array(html(.standard, .english).utf8), reason: reason)
        response.page = self
        return response
    }

    func html(_ look: PageLook, _ language: PageLanguage) -> String {
        let name = look.name.map { " – \(Page.escaped($0))" } ?? ""
        return """
            <!DOCTYPE html>
            <html lang="\(language.tag)" dir="\(language.tag.isRightToLeft ? "rtl" : "ltr")">
            <head>
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <title>\(Page.escaped(language.plain(title)))\(name)</title>
            <style>\(look.style.text)</style>
            </head>
            <body>
            <main>
            \(look.heading(showsLogo: hasLogo))<h1>\(language(title))</h1>
            \(content(language))\(link(look, language))\(requestID.map { Page.html(requestID: $0, language) } ?? "")
            </main>\(look.footer(language))\(script.map { "\n<script>\($0)</script>" } ?? "")
            </body>
            </html>

            """
    }

    private func link(_ look: PageLook, _ say: PageLanguage) -> String {
        switch way {
        case .content: ""
        case .link(let link) where link.target == Link.start.target:
            Page.html(of: look.start.map { Link(link.words, to: $0) }, say)
        case .link(let link): Page.html(of: link, say)
        }
    }

    /// What users tell the operator.
    static func html(requestID: String, _ say: PageLanguage) -> String {
        "\n<p>\(say(.requestID)) <code dir=\"ltr\">\(escaped(requestID))</code></p>"
    }

    /// Text escaped for an element or a quoted attribute.
    package static func escaped(_ text: String) -> String { MarkupText.escaped(text) }

    func policy(_ look: PageLook) -> String {
        let scripts = script.map { " script-src \(PageStyle.source(of: $0));" } ?? ""
        let images = hasLogo && look.hasLogo ? " img-src data:;" : ""
        return "default-src 'none'; style-src \(look.style.source);\(images)\(scripts) form-action \(formAction); "
            + "frame-ancestors 'none'; base-uri 'none'\(sandbox.map { "; sandbox\($0)" } ?? "")"
    }

    private func fields(_ look: PageLook, _ language: PageLanguage) -> [(name: String, value: String)] {
        var fields: [(name: String, value: String)] = [
            ("Content-Type", "text/html; charset=utf-8"),
            ("Content-Language", language.tag.description),
            ("Vary", "Accept-Language"),
            ("Cache-Control", "no-store"),
            ("Content-Security-Policy", policy(look)),
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
