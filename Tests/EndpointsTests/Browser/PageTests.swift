import Bytes
import Crypto
import Endpoints
import HTTP
import Identity
import Model
import OAuthServer
import Outbound
import TestSupport
import Testing

@testable import Authorization
@testable import LoginPages
@testable import MobileSocial

@Suite struct PageTests {
    private func text(_ response: EndpointResponse) -> String { String(decoding: response.body, as: UTF8.self) }

    @Test("input and configuration are escaped")
    func escaping() {
        let hostile = #""><script>alert('1')</script>&"#
        let page = Page.login(to: hostile, action: "/x?\(hostile)", ticket: hostile, username: hostile)
        let html = text(page.response(status: 200, reason: .loginForm))
        #expect(!html.contains("<script"))
        #expect(!html.contains(#"value="">"#))
        #expect(html.contains(#"value="&quot;&gt;&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt;&amp;""#))
        let asked = Page.answer(
            to: hostile, of: hostile, action: hostile, ticket: hostile, challenge: hostile)
        #expect(!text(asked.response(status: 200, reason: .loginForm)).contains("<script"))
        #expect(
            !text(
                Page.message(.verbatim(hostile), .verbatim(hostile), link: .start).response(
                    status: 400, reason: .loginRequestMalformed)
            ).contains(
                "<script"))
    }

    @Test("each page of a failure has a link, and the id of the request once it is known")
    func ways() {
        let failures: [any PageFailure] =
            BrowserLoginFailure.allCases + SingleSignOnFailure.allCases + AuthorizationFailure.allCases
        for failure in failures {
            let request = EndpointRequest(method: .get, path: "/x", requestID: "id-1")
            let answer = failure.response
            let dressed = PageLook.standard.dressing([.login: { _, _ in .done(answer) }])
            guard case .done(let response)? = dressed[.login]?(request, 0) else {
                Issue.record("\(failure)")
                continue
            }
            #expect(text(response).contains("<p><a href=\"\(failure.way.target)\">"), "\(failure)")
            #expect(text(response).contains("<code dir=\"ltr\">id-1</code>"), "\(failure)")
        }
    }

    @Test("the form is accessible: labels, autocompletion and an announced notice")
    func form() {
        let html = text(
            Page.login(
                to: "Shop", action: "/x", ticket: "t", username: "joe",
                notice: Page.Notice(MobileSocialFailure.wrongPassword)
            )
            .response(status: 401, reason: .wrongPassword))
        for part in [
            #"<html lang="en" dir="ltr">"#, "<title>Sign in to Shop</title>", #"<label for="username">"#,
            #"<label class="typed" for="password">"#, #"autocomplete="current-password""#, #"role="alert""#,
            #"aria-describedby="notice""#, #"method="post""#, #"name="viewport""#,
        ] {
            #expect(html.contains(part))
        }
        #expect(html.contains(#"value="joe""#))
        #expect(html.ranges(of: "autofocus").count == 1)
    }

    @Test("the page policy allows only the page's own style, and no framing")
    func policy() throws {
        let response = Page.message(.verbatim("a"), .verbatim("b"), link: .start).response(
            status: 200, reason: .loginForm)
        func field(_ name: String) -> String? { response.headers.first { $0.name == name }?.value }
        let html = text(response)
        let style = try #require(html.firstMatch(of: /<style>((?s).*)<\/style>/)).1
        let digest = DigestAlgorithm.sha256.digest(Array(style.utf8).span)
        let policy = try #require(field("Content-Security-Policy"))
        let hash = String(decoding: Base64.encode(digest.span, .standard), as: UTF8.self)
        #expect(policy.contains("style-src 'sha256-\(hash)'"))
        for part in ["default-src 'none'", "form-action 'self'", "frame-ancestors 'none'", "base-uri 'none'"] {
            #expect(policy.contains(part))
        }
        #expect(!policy.contains("unsafe"))
        #expect(field("Cache-Control") == "no-store")
        #expect(field("Cross-Origin-Opener-Policy") == "same-origin" && !policy.contains("sandbox"))
        #expect(field("X-Content-Type-Options") == "nosniff")
        #expect(field("Referrer-Policy") == "same-origin", "with no-referrer the form's origin would be null")
    }

    @Test("links to the start page lead where users start, or are left out")
    func start() {
        let page = Page.failure(.forbidden, link: .start).response(status: 403, reason: .loginForbidden)
        var look = PageLook.standard
        func text() -> String { look.dressed(page, accepting: "").text }
        #expect(text().contains(#"<a href="/">"#))
        look.start = "/app/"
        #expect(text().contains(#"<a href="/app/">"#) && !text().contains(#"href="/""#))
        look.start = nil
        #expect(!text().contains("<a "))
        // Other links stay.
        let other = Page.failure(.forbidden, link: Page.Link(.tryAgain, to: "/x")).response(
            status: 403, reason: .loginForbidden)
        #expect(look.dressed(other, accepting: "").text.contains(#"<a href="/x">"#))
    }
}
