import Foundation
import TestSupport
import Testing

/// The gateway's own endpoints below another prefix than `/oauth2`.
@Suite struct PathPrefixTests {
    private static let prefix = "/auth/own"

    @Test(
        "the metadata name all endpoints below the prefix, where they answer, and none is at the default", .tags(.core))
    func metadata() throws {
        let fixture = try Fixture {
            AuthorizationFixture.prepare(&$0)
            $0["pathPrefix"] = "\"\(Self.prefix)\""
        }
        let text = try fixture.request("GET", "/.well-known/openid-configuration").text
        let metadata = try JSONDecoder().decode([String: Endpoint].self, from: Data(text.utf8))
        let named = metadata.filter { $0.key.hasSuffix("_endpoint") || $0.key == "jwks_uri" }.compactMapValues(\.url)
        #expect(named.count >= 7)
        for (name, url) in named {
            #expect(url.hasPrefix("http://gw.example.com\(Self.prefix)/"), "\(name)")
            let path = String(url.dropFirst("http://gw.example.com".count))
            #expect(try fixture.request("GET", path).status != 404, "\(name)")
            let former = "/oauth2\(path.dropFirst(Self.prefix.count))"
            #expect(try fixture.request("GET", former).status == 404, "\(former)")
        }
        // A login with consent, whose forms and redirects stay below it.
        let jar = CookieJar(fixture.gateway)
        let path = "\(Self.prefix)/authorize"
        let page = try jar.askForConsent(
            AuthorizationFixture.link().replacing(AuthorizationFixture.path, with: path))
        #expect(page.status == 200 && page.text.contains(#"action="\#(path)""#), "\(page.text)")
        let back = try jar.fill(page, path, "decision=approve")
        #expect(AuthorizationFixture.parameter("code", back) != nil)
    }

    @Test(
        "an issuer with a path is discovered by both standards", .tags(.core),
        arguments: [
            "https://id.example.com/shop/one", "http://gw.example.com/shop/one/", "http://gw.example.com/oauth2",
        ])
    func issuer(_ issuer: String) throws {
        let fixture = try Fixture { $0["tokenService"] = #"{"issuer": "\#(issuer)"}"# }
        let path = issuer.hasSuffix("/oauth2") ? "/oauth2" : "/shop/one"
        for document in ["/.well-known/oauth-authorization-server\(path)", "\(path)/.well-known/openid-configuration"] {
            let answer = try fixture.request("GET", document)
            #expect(answer.status == 200 && JSONText(answer.text)["issuer"].string == issuer, "\(document)")
        }
        for other in ["/.well-known/oauth-authorization-server/shop", "/shop/.well-known/openid-configuration"] {
            #expect(try fixture.request("GET", other).status == 404, "\(other)")
        }
    }

    private enum Endpoint: Decodable {
        case url(String)
        case other

        init(from decoder: any Decoder) throws {
            self = (try? decoder.singleValueContainer().decode(String.self)).map(Endpoint.url) ?? .other
        }

        var url: String? { if case .url(let text) = self { text } else { nil } }
    }

    @Test(
        "a provider sends the browser back below the prefix",
        .enabled(if: LoginProvider.python != nil, "PORTCULLIS_PYTHON has no identity provider"))
    func provider() throws {
        let provider = try LoginProvider(.mock)
        let entry =
            #""issuer": "\#(provider.issuer)", "allowHttp": true, "clientId": "gateway", "clientSecret": "s3cret""#
        let fixture = try LoginProvider.gateway(entry) { $0["pathPrefix"] = "\"\(Self.prefix)\"" }
        let login = try provider.logIn(CookieJar(fixture.gateway), typing: "sub=ann")
        #expect(login.callback.hasPrefix("\(Self.prefix)/callback/outside?"))
        #expect(login.answer.status == 303 && login.answer.only("Location") == "/mobileapp", "\(login.answer.text)")
    }
}
