import Crypto
import Foundation
import JOSE
import Model
import TestSupport
import Testing

/// An OpenID Connect provider whose logins and tokens are as a test wants them. Refresh tokens are used once: a second use
/// of one ends all of the login, as many providers do.
final class StubProvider: Sendable {
    struct State: Sendable {
        var nonce = ""
        /// Further claims of ID tokens.
        var claims = ""
        /// `sub` of ID tokens.
        var subject = "ann"
        /// `expires_in` of access tokens; nil leaves it out.
        var lifetime: Int? = 600
        /// Whether logins have a refresh token.
        var refreshes = true
        /// Seconds by which its clock is ahead.
        var ahead = 0
        /// Ends the connection in place of the answer to a renewal, which it has made.
        var losesAnswer = false
        /// Answers each renewal in place of tokens.
        var renewal: [StubUpstream.Step]?
        /// Opened before each renewal is answered.
        var gate: Gate?
        /// The refresh token that counts; nil after a second use of another one.
        fileprivate var refresh: String?
        fileprivate var number = 0
    }

    let server: StubUpstream
    let state = Monitor(State())

    init() throws {
        let server = try StubUpstream()
        self.server = server
        let (url, state) = (server.url, state)
        let signer = JWTSigner(key: SigningKey.generate(.es256), keyID: "a")
        let keys = String(decoding: KeySet(keys: [signer.publishedKey]).jwks(), as: UTF8.self)
        server.on("/.well-known/openid-configuration") { _ in
            [
                .reply(
                    body: """
                        {"issuer": "\(url)", "jwks_uri": "\(url)/keys", "authorization_endpoint": "\(url)/authorize",
                         "token_endpoint": "\(url)/token", "end_session_endpoint": "\(url)/logout"}
                        """)
            ]
        }
        server.on("/keys") { _ in [.reply(body: keys)] }
        server.on("/token") { request in
            let form = URLComponents(string: "?" + String(decoding: request.body, as: UTF8.self))?.queryItems ?? []
            let given = form.first { $0.name == "refresh_token" }?.value
            if given != nil {
                let (gate, renewal) = (state.current.gate, state.current.renewal)
                if let renewal { return (gate.map { [.wait($0)] } ?? []) + renewal }
                let isCurrent = state.withLock { state in
                    defer { if state.refresh != given { state.refresh = nil } }
                    return state.refresh == given
                }
                guard isCurrent else { return [.reply("400 Bad Request", body: #"{"error": "invalid_grant"}"#)] }
            }
            let current = state.withLock { state in
                state.number += 1
                state.refresh = state.refreshes ? "rt-\(state.number)" : nil
                return state
            }
            let now = Int(Date().timeIntervalSince1970) + current.ahead
            let claims = """
                {"iss": "\(url)", "aud": "gateway", "sub": "\(current.subject)", "iat": \(now), "exp": \(now + 60),
                 "nonce": "\(current.nonce)"\(current.claims)}
                """
            let token = String(decoding: signer.sign(claims: Array(claims.utf8), type: "JWT"), as: UTF8.self)
            let end = current.lifetime.map { #", "expires_in": \#($0)"# } ?? ""
            let refresh = current.refresh.map { #", "refresh_token": "\#($0)""# } ?? ""
            let reply = StubUpstream.Step.reply(
                "200 OK", ["Content-Type: application/json"],
                body: """
                    {"access_token": "at-\(current.number)", "token_type": "Bearer", "id_token": "\(token)"\(end)\(refresh)}
                    """)
            if given != nil, current.losesAnswer { return [.reset] }
            return (given == nil ? nil : current.gate).map { [.wait($0), reply] } ?? [reply]
        }
    }

    /// Members of the entry of `identityProviders` for it.
    var entry: String {
        #""issuer": "\#(server.url)", "allowHttp": true, "clientId": "gateway", "clientSecret": "s""#
    }

    /// A login that the ID token tells of.
    func login(acr: String? = nil, ago seconds: Int? = nil) {
        let time = seconds.map { #", "auth_time": \#(Int(Date().timeIntervalSince1970) - $0)"# } ?? ""
        let level = acr.map { #", "acr": "\#($0)""# } ?? ""
        state.withLock { $0.claims = level + time }
    }

    /// The refresh tokens that renewals brought, in order.
    var renewals: [String] {
        server.requests("/token").compactMap { request in
            String(decoding: request.body, as: UTF8.self).firstMatch(of: /refresh_token=(rt-\d+)/).map { String($0.1) }
        }
    }

    /// The way of a browser from a page of a gateway to the provider: what it is asked for there.
    func go(_ jar: CookieJar, _ target: String) throws -> [String: String] {
        let sent = try jar.send("GET", target)
        #expect(sent.status == 302, "\(sent.status) \(sent.text)")
        let asked = try jar.send("GET", try #require(sent.only("Location")))
        let location = try #require(asked.only("Location"), "\(asked.status) \(asked.text)")
        let items = URLComponents(string: location)?.queryItems ?? []
        let fields = Dictionary(items.map { ($0.name, $0.value ?? "") }) { first, _ in "\(first), twice" }
        state.withLock { $0.nonce = fields["nonce"] ?? "" }
        return fields
    }

    /// The way back.
    func back(_ jar: CookieJar, _ fields: [String: String]) throws -> Response {
        try jar.send("GET", "/oauth2/callback/outside?code=c&state=\(try #require(fields["state"]))")
    }

    /// The whole way, after which the browser is logged in.
    func logIn(_ jar: CookieJar, _ target: String) throws {
        let answer = try back(jar, go(jar, target))
        #expect(answer.status == 303, "\(answer.status) \(answer.text)")
    }

    /// A gateway whose browsers log in at it, under the name `outside`.
    func gateway(_ entry: String = "", _ routes: [String]) throws -> Fixture {
        try LoginProvider.plainGateway(self.entry + entry) {
            $0["routes"] = FixtureSettings.list(routes)
        }
    }
}
