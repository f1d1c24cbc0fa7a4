import Bytes
import JOSE
import Model

/// What a client says of itself when it registers (RFC 7591 section 2). Other members are ignored.
struct ClientMetadata: Sendable {
    /// `token_endpoint_auth_method`.
    enum Method: String, Sendable {
        case none
        case basic = "client_secret_basic"
        case post = "client_secret_post"
        /// Of documents alone.
        case privateKey = "private_key_jwt"

        var hasSecret: Bool { self == .basic || self == .post }
    }

    static let refreshGrant = "refresh_token"
    static let grantTypes = [GrantType.authorizationCode.rawValue, refreshGrant, GrantType.deviceCode.rawValue]
    private static let algorithmOfIDTokens = "id_token_signed_response_alg"
    /// Longest list of URIs.
    private static let mostURIs = 10
    /// Longest name in bytes.
    private static let longestName = 100

    /// As users read it, not verified; nil for none.
    var name: String?
    var redirectURIs: [ClientRedirectURI] = []
    var postLogoutURIs: [ClientRedirectURI] = []
    var grantTypes = ClientMetadata.grantTypes
    /// As requested; nil for none.
    var scope: String?
    var method = Method.none
    /// Of its ID tokens; nil for the first of the token service.
    var idTokenAlgorithm: SignatureAlgorithm?
    /// `jwks`, by which a client with `private_key_jwt` signs.
    var keys: KeySet?

    init() {}

    /// - Parameter isDocument: whether the client says it to all servers, so that what this one does not know is passed over.
    init(_ node: JSONNode, isDocument: Bool = false) throws(RegistrationFailure) {
        guard node.members != nil else { throw .metadata("the metadata are not a JSON object") }
        name = try ClientMetadata.text(node, "client_name")
        if let name {
            guard (1...ClientMetadata.longestName).contains(name.utf8.count),
                UserName.problem(name) == nil
            else { throw .metadata("client_name is too long, or has blanks at an end or invisible characters") }
        }
        grantTypes = try ClientMetadata.texts(node, "grant_types") ?? [GrantType.authorizationCode.rawValue]
        if isDocument {
            grantTypes.removeAll { ![GrantType.authorizationCode.rawValue, ClientMetadata.refreshGrant].contains($0) }
        }
        guard grantTypes.contains(where: { $0 != ClientMetadata.refreshGrant }),
            grantTypes.allSatisfy(ClientMetadata.grantTypes.contains)
        else { throw .metadata("grant_types has a grant that clients cannot register for") }
        var responseTypes = try ClientMetadata.texts(node, "response_types")
        if isDocument { responseTypes?.removeAll { $0 != "code" } }
        guard responseTypes?.allSatisfy({ $0 == "code" }) ?? true, usesCodes || responseTypes?.isEmpty ?? true,
            !usesCodes || responseTypes?.isEmpty != true
        else { throw .metadata("response_types does not fit grant_types, or has another type than code") }
        let standard = isDocument ? Method.none : .basic
        guard let method = try ClientMetadata.text(node, "token_endpoint_auth_method").map(Method.init) ?? standard
        else {
            throw .metadata("token_endpoint_auth_method is none, client_secret_basic or client_secret_post")
        }
        self.method = method
        if method == .privateKey {
            keys = node["jwks"].flatMap { try? KeySet(published: $0.serialized.span) }
            guard keys != nil else { throw .metadata("jwks is missing or has no usable key") }
        }
        scope = try ClientMetadata.text(node, "scope")
        if let name = try ClientMetadata.text(node, ClientMetadata.algorithmOfIDTokens) {
            idTokenAlgorithm = SignatureAlgorithm(named: name)
            guard isDocument || idTokenAlgorithm != nil else {
                throw .metadata("\(ClientMetadata.algorithmOfIDTokens) is unknown")
            }
        }
        redirectURIs = try ClientMetadata.uris(node, "redirect_uris", skipsInvalid: isDocument)
        guard !usesCodes || !redirectURIs.isEmpty else { throw .redirect("redirect_uris is missing") }
        postLogoutURIs = try ClientMetadata.uris(node, "post_logout_redirect_uris", skipsInvalid: isDocument)
    }

    /// What the document says at the URL that is the id of a client
    /// (draft-ietf-oauth-client-id-metadata-document-02 section 4).
    init(document node: JSONNode, of id: String) throws(RegistrationFailure) {
        guard node["client_id"]?.string?.isExactly(id) == true else {
            throw .metadata("client_id is not the URL of the document")
        }
        guard node["client_secret"] == nil, node["client_secret_expires_at"] == nil else {
            throw .metadata("a document has no client_secret")
        }
        // Section 4.1.
        guard node["jwks"]?["keys"]?.array?.contains(where: { $0["d"] != nil || $0["k"] != nil }) != true else {
            throw .metadata("jwks of a document has public keys alone")
        }
        if node["jwks_uri"] != nil, node["jwks"] == nil,
            node["token_endpoint_auth_method"]?.string == Method.privateKey.rawValue
        {
            throw .metadata("jwks_uri is not read: the document needs jwks")
        }
        let method = node["token_endpoint_auth_method"]?.string ?? Method.none.rawValue
        guard [Method.none, .privateKey].contains(Method(rawValue: method)) else {
            throw .metadata("token_endpoint_auth_method of a document is none or private_key_jwt")
        }
        try self.init(node, isDocument: true)
    }

    var usesCodes: Bool { grantTypes.contains(GrantType.authorizationCode.rawValue) }
    var usesDevices: Bool { grantTypes.contains(GrantType.deviceCode.rawValue) }

    /// The members of the response and of the store.
    func write(to writer: inout JSONWriter) {
        if let name { writer.member("client_name", name) }
        writer.member("redirect_uris", redirectURIs.map(\.text))
        if !postLogoutURIs.isEmpty { writer.member("post_logout_redirect_uris", postLogoutURIs.map(\.text)) }
        writer.member("grant_types", grantTypes)
        writer.member("response_types", usesCodes ? ["code"] : [])
        writer.member("token_endpoint_auth_method", method.rawValue)
        if let scope { writer.member("scope", scope) }
        if let idTokenAlgorithm { writer.member(ClientMetadata.algorithmOfIDTokens, idTokenAlgorithm.rawValue) }
        if let keys, let node = try? JSONNode.parse(keys.jwks().span, maximumDepth: 16) { writer.member("jwks", node) }
    }

    private static func text(_ node: JSONNode, _ name: String) throws(RegistrationFailure) -> String? {
        guard let member = node[name], !member.isNull else { return nil }
        guard let text = member.string else { throw .metadata("\(name) is not a string") }
        return text
    }

    private static func texts(_ node: JSONNode, _ name: String) throws(RegistrationFailure) -> [String]? {
        guard let member = node[name], !member.isNull else { return nil }
        guard let texts = member.array?.map(\.string), texts.count <= mostURIs, !texts.contains(nil) else {
            throw .metadata("\(name) is not an array of at most \(mostURIs) strings")
        }
        return texts.compactMap(\.self)
    }

    private static func uris(
        _ node: JSONNode, _ name: String, skipsInvalid: Bool
    ) throws(RegistrationFailure) -> [ClientRedirectURI] {
        var uris: [ClientRedirectURI] = []
        for text in try texts(node, name) ?? [] {
            do throws(ClientRedirectURI.Problem) {
                uris.append(try ClientRedirectURI(text))
            } catch {
                if !skipsInvalid { throw .redirect("\(name) has an invalid URI: \(error.rawValue)") }
            }
        }
        return uris
    }
}
