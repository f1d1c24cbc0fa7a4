import Bytes
import Model

/// Endpoints that the configuration names in place of those of a discovery document.
package struct NamedEndpoints: Sendable {
    package var authorization: WebURL?
    package var token: WebURL?
    package var userInfo: WebURL?
    package var revocation: WebURL?

    package init() {}
}

/// The endpoints of a provider.
struct CodeFlowEndpoints: Sendable, Equatable {
    var authorization: WebURL
    var token: WebURL
    /// The name of the token endpoint, also where an alias of it is called.
    private let namedToken: WebURL
    /// `iss` of the provider's tokens; nil where the endpoints are configured one by one.
    private let issuer: String?
    var userInfo: WebURL?
    /// RFC 7009.
    var revocation: WebURL?
    /// OpenID Connect RP-Initiated Logout section 2.1.
    var endSession: WebURL?
    /// Whether every answer contains `iss` (RFC 9207 section 3).
    var namesIssuer = false
    /// How clients authenticate there, by the metadata (RFC 8414 section 2); empty for no statement.
    var tokenMethods: [String] = []
    var revocationMethods: [String] = []

    init(authorization: WebURL, token: WebURL, userInfo: WebURL?) {
        self.authorization = authorization
        self.token = token
        self.userInfo = userInfo
        (namedToken, issuer) = (token, nil)
    }

    /// Reads them from the provider's metadata document.
    /// - Parameters:
    ///   - own: endpoints of the configuration, which count more.
    ///   - allowsHTTP: whether URLs without TLS are allowed.
    ///   - showsCertificate: whether the gateway calls with a certificate, for which the provider may have endpoints of
    ///     their own (RFC 8705 section 5).
    init(
        _ document: JSONNode, _ own: NamedEndpoints = NamedEndpoints(), allowsHTTP: Bool, showsCertificate: Bool = false
    ) throws(ProviderFailure) {
        func url(_ name: String, _ own: WebURL? = nil, called: Bool = false) throws(ProviderFailure) -> WebURL? {
            if let own { return own }
            let alias = called && showsCertificate ? document.mutualTLSAlias(of: name) : nil
            guard let text = alias ?? document[name]?.string else { return nil }
            guard let url = try? WebURL(text), url.isSecure || allowsHTTP else {
                throw .answer("discovery: \(name)")
            }
            return url
        }
        guard let authorization = try url("authorization_endpoint", own.authorization) else {
            throw .answer("discovery: authorization_endpoint is missing")
        }
        guard let token = try url("token_endpoint", own.token, called: true) else {
            throw .answer("discovery: token_endpoint is missing")
        }
        self.authorization = authorization
        self.token = token
        // By which it knows itself, also where it is called by another name.
        namedToken = (try? url("token_endpoint")) ?? token
        issuer = document["issuer"]?.string
        userInfo = try url("userinfo_endpoint", own.userInfo, called: true)
        // Logins do not need it.
        revocation = (try? url("revocation_endpoint", own.revocation, called: true)) ?? nil
        tokenMethods = document.texts("token_endpoint_auth_methods_supported")
        revocationMethods = document.texts("revocation_endpoint_auth_methods_supported")
        endSession = try url("end_session_endpoint")
        namesIssuer = document["authorization_response_iss_parameter_supported"]?.bool ?? false
    }

    /// `aud` of client assertions that this endpoint gets: the name of the token endpoint, as most providers want it
    /// (OpenID Connect Core section 9). A provider could name the token endpoint of another one, where the gateway has
    /// the same key, to use the assertion there: an endpoint of another origin gets the provider's own name.
    func audience(of called: WebURL) -> String {
        called.origin == namedToken.origin ? "\(namedToken)" : issuer ?? "\(called)"
    }
}

extension JSONNode {
    fileprivate func texts(_ name: String) -> [String] { self[name]?.array?.compactMap(\.string) ?? [] }
}

extension WebURL {
    /// The URL with additional query fields; existing ones are kept (RFC 6749 section 3.1).
    package func with(_ fields: [(String, String)]) -> String {
        let joint = target.utf8.contains(UInt8(ascii: "?")) ? "&" : "?"
        return "\(self)\(joint)\(String(decoding: FormEncoding.form(fields), as: UTF8.self))"
    }
}
