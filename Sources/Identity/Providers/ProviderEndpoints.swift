import Bytes
import Model

struct ProviderEndpoints: Sendable, Equatable {
    var authorization: WebURL
    var token: WebURL
    var userInfo: WebURL?
    /// OpenID Connect RP-Initiated Logout section 2.1.
    var endSession: WebURL?
    /// Whether every answer contains `iss` (RFC 9207 section 3).
    var namesIssuer = false

    init(authorization: WebURL, token: WebURL, userInfo: WebURL?) {
        self.authorization = authorization
        self.token = token
        self.userInfo = userInfo
    }

    /// Reads them from the provider's metadata document.
    /// - Parameter allowsHTTP: whether URLs without TLS are allowed.
    init(_ document: JSONNode, allowsHTTP: Bool) throws(ProviderFailure) {
        func url(_ name: String) throws(ProviderFailure) -> WebURL? {
            guard let text = document[name]?.string else { return nil }
            guard let url = try? WebURL(text), url.isSecure || allowsHTTP else {
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

extension WebURL {
    /// The URL with additional query fields; existing ones are kept (RFC 6749 section 3.1).
    func with(_ fields: [(String, String)]) -> String {
        let joint = target.utf8.contains(UInt8(ascii: "?")) ? "&" : "?"
        return "\(self)\(joint)\(String(decoding: FormEncoding.form(fields), as: UTF8.self))"
    }
}
