import Bytes
import JOSE
import Model

/// What an access token of this gateway says. The token service writes it and the decision reads it, both here, so that
/// they can't come to differ.
@dynamicMemberLookup
package struct AccessTokenClaims: Sendable, Equatable {
    /// `typ` of the token's header (RFC 9068 section 2.1). Readers require it, so that no other token signed with the
    /// same key is taken for an access token (RFC 8725 section 3.11).
    package static let type = "at+jwt"

    package var rights: TokenRights
    package var issuer: String
    package var audience: [String]
    /// Seconds since 1970, as are all times here.
    package var issuedAt: Int64
    package var expiresAt: Int64
    /// `jti`.
    package var tokenID: String
    package var clientID: String
    package var backendName: String
    package var backendVersion: String
    /// `Client.tokenClientID`: the token opens routes of this client alone (ISS-06, ISS-07).
    package var backendID: String
    /// Whether the token is of a client of `clients.json`, and has the claims of standards alone.
    package var isOfClient: Bool { backendVersion.isEmpty }

    /// How many actors may stand one behind the other.
    package static let maximumActors = 4

    package init(
        _ rights: TokenRights, of client: Client, issuer: String, audience: [String], issuedAt: Int64,
        expiresAt: Int64, tokenID: String
    ) {
        self.rights = rights
        self.issuer = issuer
        self.audience = audience
        self.issuedAt = issuedAt
        self.expiresAt = expiresAt
        self.tokenID = tokenID
        clientID = client.clientID
        backendName = client.name
        backendVersion = client.version
        backendID = client.tokenClientID
    }

    package subscript<Value>(dynamicMember path: WritableKeyPath<TokenRights, Value>) -> Value {
        get { rights[keyPath: path] }
        set { rights[keyPath: path] = newValue }
    }

    /// The claim of `context` in tokens of backends, and its name in their token responses.
    package static let contextClaim = "oracle_tk_context"
    /// Which grant the token comes from (OAUTH-02, OAUTH-04).
    package var context: String { rights.kind == .client ? "client_assertion" : "user_assertion" }

    /// The claims as a JSON object.
    package func json() -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("iss", issuer)
        writer.member("sub", rights.subject)
        if audience.count == 1 { writer.member("aud", audience[0]) } else { writer.member("aud", audience) }
        writer.member("iat", issuedAt)
        writer.member("exp", expiresAt)
        writer.member("jti", tokenID)
        writer.member("kind", rights.kind.rawValue)
        writer.member("client_id", clientID)
        if !isOfClient {
            writer.member("backend_name", backendName)
            writer.member("backend_version", backendVersion)
            writer.member("backend_id", backendID)
        } else if !backendID.isExactly(clientID) {
            writer.member("sponsor", backendID)
        }
        writer.member("roles", rights.roles)
        if let roles = rights.userRoles { writer.member("user_roles", roles) }
        writer.member("level", rights.level)
        if !isOfClient { writer.member(AccessTokenClaims.contextClaim, context) }
        if rights.virtual { writer.member("virtual", true) }
        if let scope = rights.scope { writer.member("scope", scope) }
        if let authenticatedAt = rights.authenticatedAt { writer.member("auth_time", authenticatedAt) }
        // RFC 9068 section 2.2.1: the level in the one form that `acr` has, a text.
        if rights.kind == .user { writer.member("acr", "\(rights.level)") }
        if !rights.methods.isEmpty { writer.member("amr", rights.methods) }
        for actor in rights.actors {
            writer.name("act")
            writer.beginObject()
            writer.member("sub", actor)
        }
        for _ in rights.actors { writer.endObject() }
        if let webgate = rights.webgate { writer.member("webgate", webgate) }
        if let session = rights.session { writer.member("sid", session) }
        if let idleSeconds = rights.idleSeconds { writer.member("idle", idleSeconds) }
        if rights.isOffline { writer.member("offline", true) }
        if let login = rights.login { writer.member("login", login) }
        TokenOrigin.write(rights.origins, to: &writer)
        rights.binding?.write(to: &writer)
        writer.endObject()
        return writer.bytes
    }
}

extension AccessTokenClaims {
    /// The claims of a verified token whose `typ` is `AccessTokenClaims.type`; nil where a claim is missing or has
    /// another shape than `json()` gives it.
    package init?(verified claims: JSONNode) {
        guard let issuer = claims["iss"]?.string, let subject = claims["sub"]?.string, !subject.isEmpty,
            // It goes into a field for the upstream: not even our own key is reason to let it end the line.
            ExternalIdentityRules.isFitForHeaders(subject),
            let audience = AccessTokenClaims.texts(claims["aud"]),
            let issuedAt = claims["iat"]?.integer, let expiresAt = claims["exp"]?.integer,
            let tokenID = claims["jti"]?.string, !tokenID.isEmpty,
            let kind = claims["kind"]?.string.flatMap(Principal.Kind.init(rawValue:)), kind != .anonymous,
            let clientID = claims["client_id"]?.string,
            let roles = AccessTokenClaims.texts(claims["roles"]), let level = claims["level"]?.integer
        else { return nil }
        let virtual = claims["virtual"].map(\.bool) ?? false
        guard let virtual, (0...10).contains(level) else { return nil }
        rights = TokenRights(subject: subject, kind: kind, roles: roles, level: Int(level))
        rights.virtual = virtual
        rights.scope = claims["scope"]?.string
        self.issuer = issuer
        self.audience = audience
        self.issuedAt = issuedAt
        self.expiresAt = expiresAt
        self.tokenID = tokenID
        self.clientID = clientID
        (backendName, backendVersion, backendID) = (clientID, "", clientID)
        guard readClient(claims), readAuthentication(claims), readUserRoles(claims), readSession(claims),
            let actors = AccessTokenClaims.actors(claims["act"]),
            let origins = TokenOrigin.read(claims)
        else { return nil }
        rights.actors = actors
        rights.origins = origins
    }

    /// Answers false unless the token has all claims of a client or none of them.
    private mutating func readClient(_ claims: JSONNode) -> Bool {
        let names = ["backend_name", "backend_version", "backend_id", AccessTokenClaims.contextClaim]
        guard names.contains(where: { claims[$0] != nil }) else {
            guard let sponsor = claims["sponsor"] else { return !clientID.isEmpty }
            guard let id = sponsor.string, !id.isEmpty else { return false }
            backendID = id
            return !clientID.isEmpty
        }
        guard let name = claims["backend_name"]?.string, let id = claims["backend_id"]?.string,
            let version = claims["backend_version"]?.string, !version.isEmpty,
            claims[AccessTokenClaims.contextClaim]?.string == context
        else { return false }
        (backendName, backendVersion, backendID) = (name, version, id)
        return true
    }

    /// The roles of a token without a user that its client still has.
    package func rolesLeft(to client: Client) -> [String] {
        guard isOfClient, rights.kind == .client else { return rights.roles }
        return rights.roles.filter { role in client.grants.roles.contains(where: role.isExactly) }
    }

    /// Answers false where the claim is there and has another shape: the token would not be limited.
    private mutating func readUserRoles(_ claims: JSONNode) -> Bool {
        guard let claim = claims["user_roles"] else { return true }
        guard claim.array != nil, let roles = AccessTokenClaims.texts(claim) else { return false }
        rights.userRoles = roles
        return true
    }

    /// Answers false where a claim is there and has another shape.
    private mutating func readAuthentication(_ claims: JSONNode) -> Bool {
        if let claim = claims["auth_time"] {
            guard let time = claim.numericDate else { return false }
            rights.authenticatedAt = time
        }
        if let claim = claims["amr"] {
            guard claim.array != nil, let methods = AccessTokenClaims.texts(claim) else { return false }
            rights.methods = methods
        }
        return true
    }

    /// Answers false where a claim is there and has another shape: a token must not lose what binds it.
    private mutating func readSession(_ claims: JSONNode) -> Bool {
        if let claim = claims["webgate"] {
            guard let name = claim.string, !name.isEmpty else { return false }
            rights.webgate = name
        }
        if let claim = claims["sid"] {
            guard let id = claim.string, !id.isEmpty else { return false }
            rights.session = id
        }
        if let claim = claims["idle"] {
            guard let seconds = claim.integer, seconds > 0 else { return false }
            rights.idleSeconds = seconds
        }
        if let claim = claims["offline"] {
            guard let flag = claim.bool else { return false }
            rights.isOffline = flag
        }
        if let claim = claims[TokenBinding.claim] {
            guard let binding = TokenBinding(claim) else { return false }
            rights.binding = binding
        }
        if let claim = claims["login"] {
            guard let text = claim.string, !text.isEmpty else { return false }
            rights.login = text
        }
        return true
    }

    /// The chain of actors in `act` (RFC 8693 section 4.1), the current one first; nil if it is malformed or too long.
    package static func actors(_ claim: JSONNode?) -> [String]? {
        var actors: [String] = []
        var next = claim
        while let claim = next {
            guard let subject = claim["sub"]?.string, !subject.isEmpty, actors.count < maximumActors else { return nil }
            actors.append(subject)
            next = claim["act"]
        }
        return actors
    }

    /// A string, or an array of nothing but strings.
    private static func texts(_ claim: JSONNode?) -> [String]? {
        if let text = claim?.string { return [text] }
        guard let elements = claim?.array else { return nil }
        let texts = elements.compactMap(\.string)
        return texts.count == elements.count ? texts : nil
    }
}
