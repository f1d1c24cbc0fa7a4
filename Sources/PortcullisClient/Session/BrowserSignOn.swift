import Bytes
import HTTP

/// The `token` of a callback URL of any scheme (TOOL-04); nil if it is missing or repeated. The application registers
/// the scheme.
public func tokenFromCallback(_ url: String) -> String? {
    let bytes = Array(url.utf8.prefix { $0 != UInt8(ascii: "#") })
    guard let start = bytes.firstIndex(of: UInt8(ascii: "?")),
        let fields = try? FormFields.parse(bytes.span.extracting((start + 1)...)), !fields.isRepeated("token"),
        let token = fields.first("token"), !token.isEmpty
    else { return nil }
    return token
}

/// A login by browser (SSO-02).
public struct BrowserSignOn: Sendable {
    /// The URL for the user's browser.
    public let url: String
    private let state: String

    /// - Parameters:
    ///   - redirectURI: receives the token; the gateway's whitelist must allow it.
    ///   - state: an unguessable value.
    public init(profile: ClientProfile, clientID: String, redirectURI: String, state: String) {
        let query = FormText.query([("clientID", clientID), ("redirect_uri", redirectURI), ("state", state)])
        url = "\(profile.url(profile.ssoTokenEndpoint))?\(query)"
        self.state = state
    }

    /// The token of a posted form; nil for a form that does not belong to this login.
    public func token(in form: [UInt8]) -> PostedToken? {
        guard let fields = try? FormFields.parse(form.span), fields.repeatedName == nil,
            let returned = fields.first("state"), returned.isExactly(state),
            fields.first("token_type").map({ $0.lowercased().utf8.elementsEqual("bearer".utf8) }) ?? true,
            let token = fields.first("access_token"), !token.isEmpty
        else { return nil }
        let seconds = fields.first("expires_in").flatMap { Decimal.parse(Array($0.utf8).span) }
        return PostedToken(token: token, seconds: seconds.map(Int64.init))
    }
}

/// A token that was posted to an application.
public struct PostedToken: Equatable, Sendable {
    public let token: String
    /// Its lifetime, if known.
    public let seconds: Int64?
}
