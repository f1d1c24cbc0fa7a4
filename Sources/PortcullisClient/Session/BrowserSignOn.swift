import Bytes
import HTTP

/// The `token` of a URL of whatever scheme that a system browser was sent back to (TOOL-04); nil where there is none, or
/// more than one. To register the scheme is the application's business.
public func tokenFromCallback(_ url: String) -> String? {
    let bytes = Array(url.utf8.prefix { $0 != UInt8(ascii: "#") })
    guard let start = bytes.firstIndex(of: UInt8(ascii: "?")),
        let fields = try? FormFields.parse(bytes.span.extracting((start + 1)...)), !fields.isRepeated("token"),
        let token = fields.first("token"), !token.isEmpty
    else { return nil }
    return token
}

/// A login by browser (SSO-02): where it begins, and what the gateway posts back.
public struct BrowserSignOn: Sendable {
    /// What the user's browser is to open.
    public let url: String
    private let state: String

    /// - Parameters:
    ///   - redirectURI: where the token is to come, which the gateway's white list must have.
    ///   - state: nobody can guess it.
    public init(profile: ClientProfile, clientID: String, redirectURI: String, state: String) {
        let query = FormText.query([("clientID", clientID), ("redirect_uri", redirectURI), ("state", state)])
        url = "\(profile.url(profile.ssoTokenEndpoint))?\(query)"
        self.state = state
    }

    /// The token in a form that was posted; nil for one that is no answer to this login, such as another page's.
    public func token(in form: [UInt8]) -> PostedToken? {
        guard let fields = try? FormFields.parse(form.span), fields.repeatedName == nil,
            let returned = fields.first("state"), returned.utf8.elementsEqual(state.utf8),
            fields.first("token_type").map({ $0.lowercased().utf8.elementsEqual("bearer".utf8) }) ?? true,
            let token = fields.first("access_token"), !token.isEmpty
        else { return nil }
        let seconds = fields.first("expires_in").flatMap { Decimal.parse(Array($0.utf8).span) }
        return PostedToken(token: token, seconds: seconds.map(Int64.init))
    }
}

/// A token as an application is given it by POST.
public struct PostedToken: Equatable, Sendable {
    public let token: String
    /// How long it lives; nil where that was not said.
    public let seconds: Int64?
}
