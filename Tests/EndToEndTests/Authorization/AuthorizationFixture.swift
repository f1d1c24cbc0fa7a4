import Foundation
import Testing

/// The fixture with applications that log their users in at the authorization endpoint.
enum AuthorizationFixture {
    static let path = "/oauth2/authorize"
    static let redirect = "https://web.example.com/cb"
    /// The example of RFC 7636 appendix B.
    static let verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
    static let challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"

    static func prepare(_ settings: inout FixtureSettings) {
        settings["tokenService"] =
            #"{"scopes": ["orders"], "scopeDescriptions": {"orders": "See your orders"}}"#
        settings["backends"] = """
            [
              {"name": "inventory", "version": "1.0", "mobileBackendId": "mbe-inv-1", "clientId": "inv-client",
               "clientSecret": "inv-secret", "anonymousKey": "YW5vbi1pbnY6azN5"},
              {"name": "web", "version": "1.0", "mobileBackendId": "mbe-web-1", "clientId": "web-client",
               "clientSecret": "web-secret", "redirectUris": ["\(redirect)"], "refreshTokens": true,
               "postLogoutRedirectUris": ["https://web.example.com/out"]},
              {"name": "app", "version": "1.0", "mobileBackendId": "mbe-app-1", "clientId": "app-client",
               "public": true, "displayName": "The app", "redirectUris": ["http://127.0.0.1/cb", "com.example.app:/cb"],
               "refreshTokens": true},
              {"name": "own", "version": "1.0", "mobileBackendId": "mbe-own-1", "clientId": "own-client",
               "clientSecret": "own-secret", "redirectUris": ["http://127.0.0.1/own"], "consent": "none"}
            ]
            """
    }

    static func link(
        _ client: String = "web-client", _ redirect: String = redirect, _ more: String = "&state=s"
    ) -> String {
        let redirect = redirect.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
        return "\(path)?response_type=code&client_id=\(client)&redirect_uri=\(redirect)"
            + "&code_challenge=\(challenge)&code_challenge_method=S256\(more)"
    }

    /// A parameter of the address that a response leads to.
    static func parameter(_ name: String, _ response: Response) -> String? {
        let items = response.only("Location").flatMap { URLComponents(string: $0)?.queryItems } ?? []
        return items.first { $0.name == name }?.value
    }
}

extension CookieJar {
    /// The whole way from an application's link to the consent page, with a login.
    func askForConsent(_ link: String = AuthorizationFixture.link()) throws -> Response {
        let asked = try send("GET", link)
        let form = try #require(asked.only("Location"), "\(asked.status) \(asked.text)")
        let loggedIn = try fill(send("GET", form), form, "username=joe&password=Welcome1")
        return try send("GET", #require(loggedIn.only("Location"), "\(loggedIn.status)"))
    }

    /// The answer to a consent page.
    func decide(_ page: Response, _ decision: String = "approve", _ more: [Field] = []) throws -> Response {
        try fill(page, AuthorizationFixture.path, "decision=\(decision)", more)
    }
}

extension Fixture {
    /// Exchanges a code.
    func redeem(
        _ code: String, verifier: String = AuthorizationFixture.verifier, client: String = "web-client:web-secret"
    ) throws -> Response {
        let redirect = "https%3A%2F%2Fweb.example.com%2Fcb"
        return try grant(
            "grant_type=authorization_code&code=\(code)&redirect_uri=\(redirect)&code_verifier=\(verifier)",
            client: client)
    }
}
