import Authorization
import Bytes
import Crypto
import Endpoints
import Foundation
import HTTP
import Identity
import JOSE
import LoginPages
import Model
import OAuthServer
import SingleSignOn
import TestSupport
import Testing
import TokenStorage

/// The authorization endpoint with a browser: `inv-client` with a secret, `app-client` without one, `own-client` whose
/// users are not asked.
final class Authorizing {
    static let redirect = "https://app.example.com/cb"
    static let verifier = String(repeating: "v", count: 43)
    static let challenge = LoginSecrets.challenge(of: verifier)
    static let authorize = EndpointPaths.standard[.authorization]

    let signOn: SignOn
    var browser: Browser

    init(store: any TokenStore = MemoryTokenStore(), _ change: (inout SignOn.Settings) -> Void = { _ in }) {
        signOn = SignOn(store: store) {
            $0.clients = Authorizing.clients()
            $0.terms.scopes = ["read", "write"]
            change(&$0)
        }
        browser = signOn.browser
    }

    static func clients(_ change: (inout [Client]) -> Void = { _ in }) -> Clients {
        var list = SignOn.clients.clients
        func rules(_ texts: [String], _ consent: AuthorizationRules.Consent = .required) -> AuthorizationRules {
            AuthorizationRules(redirectURIs: texts.compactMap { try? ClientRedirectURI($0) }, consent: consent)
        }
        list[0].grants.authorization = rules([redirect, "https://app.example.com/other"])
        list[0].grants.refresh = RefreshLifetimes(tokenSeconds: 1000, familySeconds: 5000)
        var app = Service.client("app", "mbe-app-1", "app-client", "")
        app.displayName = "The <App>"
        app.grants.isPublic = true
        app.grants.refresh = RefreshLifetimes()
        app.grants.authorization = rules(["com.example.app:/cb", "http://127.0.0.1/cb", redirect])
        var own = Service.client("own", "mbe-own-1", "own-client", "own-secret")
        own.grants.authorization = rules(["https://own.example.com/cb"], .none)
        list += [app, own]
        change(&list)
        return Clients(list)
    }

    // MARK: The browser

    static func fields(
        _ client: String = "inv-client", _ redirect: String = redirect, _ more: [(String, String)] = []
    ) -> [(String, String)] {
        let usual = [
            ("response_type", "code"), ("client_id", client), ("redirect_uri", redirect), ("state", "s"),
            ("code_challenge", challenge), ("code_challenge_method", "S256"),
        ]
        return usual.filter { field in !more.contains { $0.0 == field.0 } } + more.filter { !$0.1.isEmpty }
    }

    /// Asks for a code.
    @discardableResult
    func ask(_ fields: [(String, String)] = fields(), at seconds: Int64 = 0) -> EndpointResponse {
        get(Authorizing.authorize, Browser.form(fields), at: seconds)
    }

    @discardableResult
    func get(
        _ path: String, _ query: String, fields: [(name: String, value: String)] = [], at seconds: Int64 = 0
    ) -> EndpointResponse {
        let endpoints: [String: EndpointDescriptor] = [
            Authorizing.authorize: .authorization, SingleSignOnEndpoints.logoutPath: .singleSignOnLogout,
        ]
        return browser.get(
            path, query: query, endpoint: endpoints[path] ?? .login, fields: fields, at: seconds)
    }

    /// Goes where a response leads to.
    @discardableResult
    func follow(_ response: EndpointResponse, at seconds: Int64 = 0) -> EndpointResponse {
        let parts = (response.field("Location") ?? "").split(separator: "?", maxSplits: 1).map(String.init)
        return get(parts.first ?? "", parts.count > 1 ? parts[1] : "", at: seconds)
    }

    /// Asks, logs in and follows to what comes then.
    @discardableResult
    func logIn(
        _ fields: [(String, String)] = fields(), as user: String = "joe", _ password: String = "Welcome1",
        at seconds: Int64 = 0
    ) -> EndpointResponse {
        follow(ask(fields, at: seconds), at: seconds)
        return follow(signOn.submit(user, password, at: seconds), at: seconds)
    }

    func decide(_ decision: String = "approve", at seconds: Int64 = 0) -> EndpointResponse {
        browser.submit([("decision", decision)], endpoint: .authorization, at: seconds)
    }

    /// The code of a login with consent.
    func code(_ fields: [(String, String)] = fields(), at seconds: Int64 = 0) throws -> String {
        var response = logIn(fields, at: seconds)
        if response.reason == .consentAsked { response = decide(at: seconds) }
        return try #require(response.sent["code"], "\(response.reason) \(response.text)")
    }

    // MARK: The client

    func redeem(
        _ code: String, _ client: String = "inv-client", _ secret: String? = "inv-secret",
        _ more: [(String, String)] = [], at seconds: Int64 = 0
    ) -> EndpointResponse {
        let usual = [
            ("grant_type", "authorization_code"), ("code", code), ("redirect_uri", Authorizing.redirect),
            ("code_verifier", Authorizing.verifier),
        ]
        var form = usual.filter { field in !more.contains { $0.0 == field.0 } } + more.filter { !$0.1.isEmpty }
        if secret == nil { form.append(("client_id", client)) }
        return signOn.settings.families.answer(
            tokenRequest(Browser.form(form), secret.map { basic(client, $0) }), at: Mobile.start + seconds)
    }

    func userInfo(_ token: String?, at seconds: Int64 = 0) -> EndpointResponse {
        signOn.settings.families.answer(
            EndpointRequest(
                method: .get, path: EndpointPaths.standard[.userInfo],
                authorization: token.map { ["Bearer \($0)"] } ?? []),
            .userInfo, at: Mobile.start + seconds)
    }

    /// The claims of an ID token, after the checks that its client makes.
    func identity(_ response: EndpointResponse, at seconds: Int64 = 0) throws -> JSONNode {
        let token = try #require(response.json?["id_token"]?.string)
        let issuer = TrustedIssuer(
            name: "op", issuer: Service.baseURL, audiences: ["inv-client"],
            keys: KeySet(keys: [JWTSigner(key: Service.key).publishedKey]), algorithms: [Service.key.algorithm],
            purpose: .clientAuthentication)
        guard
            case .verified(let verified) = JWTVerifier(issuers: [issuer]).verify(
                Array(token.utf8).span, now: Mobile.start + seconds)
        else { throw TokenRejection.badSignature }
        return verified.claims
    }
}

extension EndpointResponse {
    /// The parameters that a redirect or a form carries to the client.
    var sent: [String: String] {
        let query = (field("Location") ?? "").split(separator: "?", maxSplits: 1).dropFirst().first.map(String.init)
        guard let query, let fields = try? FormFields.parse(Array(query.utf8).span) else {
            return Dictionary(
                text.matches(of: /type="hidden" name="([^"]*)" value="([^"]*)"/).map {
                    (String($0.1), String($0.2))
                }, uniquingKeysWith: { $1 })
        }
        return Dictionary(fields.fields.map { ($0.name, $0.value) }, uniquingKeysWith: { $1 })
    }
}
