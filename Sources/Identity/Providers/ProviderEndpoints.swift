import Bytes

/// Where a provider answers.
struct ProviderEndpoints: Sendable, Equatable {
    var authorization: OutboundURL
    var token: OutboundURL
    var userInfo: OutboundURL?
    /// OpenID Connect RP-Initiated Logout section 2.1.
    var endSession: OutboundURL?
    /// Whether every answer names its issuer (RFC 9207 section 3).
    var namesIssuer = false

    init(authorization: OutboundURL, token: OutboundURL, userInfo: OutboundURL?) {
        self.authorization = authorization
        self.token = token
        self.userInfo = userInfo
    }

    /// Those of a provider's own document.
    /// - Parameter allowsHTTP: whether they may be unencrypted.
    init(_ document: JSONNode, allowsHTTP: Bool) throws(ProviderFailure) {
        func url(_ name: String) throws(ProviderFailure) -> OutboundURL? {
            guard let text = document[name]?.string else { return nil }
            guard let url = try? OutboundURL(text), url.isSecure || allowsHTTP else {
                throw .answer("discovery: \(name)")
            }
            return url
        }
        guard let authorization = try url("authorization_endpoint"), let token = try url("token_endpoint") else {
            throw .answer("discovery: an endpoint is missing")
        }
        self.init(authorization: authorization, token: token, userInfo: try url("userinfo_endpoint"))
        endSession = try url("end_session_endpoint")
        namesIssuer = document["authorization_response_iss_parameter_supported"]?.bool ?? false
    }
}

extension OutboundURL {
    /// The URL with further fields in its query (RFC 6749 section 3.1: one that is there already stays).
    func with(_ fields: [(String, String)]) -> String {
        let joint = target.utf8.contains(UInt8(ascii: "?")) ? "&" : "?"
        return "\(self)\(joint)\(String(decoding: FormEncoding.form(fields), as: UTF8.self))"
    }
}
