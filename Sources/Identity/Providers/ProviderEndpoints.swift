import Bytes
import Model

struct ProviderEndpoints: Sendable, Equatable {
    var authorization: WebURL
    var token: WebURL
    /// `aud` of client assertions: the token endpoint's name, also where an alias of it is called.
    var tokenAudience: String
    var userInfo: WebURL?
    /// RFC 7009.
    var revocation: WebURL?
    /// OpenID Connect RP-Initiated Logout section 2.1.
    var endSession: WebURL?
    /// Whether every answer contains `iss` (RFC 9207 section 3).
    var namesIssuer = false

    init(authorization: WebURL, token: WebURL, userInfo: WebURL?) {
        self.authorization = authorization
        self.token = token
        tokenAudience = token.description
        self.userInfo = userInfo
    }

    /// Reads them from the provider's metadata document.
    /// - Parameters:
    ///   - allowsHTTP: whether URLs without TLS are allowed.
    ///   - showsCertificate: whether the gateway calls with a certificate, for which the provider may have endpoints of
    ///     their own (RFC 8705 section 5).
    init(_ document: JSONNode, allowsHTTP: Bool, showsCertificate: Bool = false) throws(ProviderFailure) {
        func url(_ name: String, called: Bool = false) throws(ProviderFailure) -> WebURL? {
            let alias = called && showsCertificate ? document.mutualTLSAlias(of: name) : nil
            guard let text = alias ?? document[name]?.string else { return nil }
            guard let url = try? WebURL(text), url.isSecure || allowsHTTP else {
                throw .answer("discovery: \(name)")
            }
            return url
        }
        guard let authorization = try url("authorization_endpoint"), let named = try url("token_endpoint"),
            let token = try url("token_endpoint", called: true)
        else {
            throw .answer("discovery: an endpoint is missing")
        }
        self.init(authorization: authorization, token: token, userInfo: try url("userinfo_endpoint", called: true))
        tokenAudience = named.description
        revocation = try url("revocation_endpoint", called: true)
        endSession = try url("end_session_endpoint")
        namesIssuer = document["authorization_response_iss_parameter_supported"]?.bool ?? false
    }
}

extension WebURL {
    /// The URL with additional query fields; existing ones are kept (RFC 6749 section 3.1).
    func with(_ fields: [(String, String)]) -> String {
        let joint = target.utf8.contains(UInt8(ascii: "?")) ? "&" : "?"
        return "\(self)\(joint)\(String(decoding: FormEncoding.form(fields), as: UTF8.self))"
    }
}
