import Bytes

/// The gateway's own token service (OAUTH-01 to OAUTH-08).
package struct TokenServiceSection: Sendable {
    package var isEnabled = true
    /// `iss` of its tokens.
    package var issuer: String
    /// `aud` of its tokens.
    package var audience: String
    package var tokenPath = "/oauth2/token"
    package var tokenPathAliases = ["/token"]
    /// Path of the revocation endpoint (RFC 7009).
    package var revocationPath = "/oauth2/revoke"
    /// Path of the introspection endpoint (RFC 7662).
    package var introspectionPath = "/oauth2/introspect"
    /// Who may ask about tokens beside backends.
    package var resourceServers: [ResourceServerEntry] = []
    /// Scopes that may be granted; empty where scopes mean nothing.
    package var scopes: [String] = []
    /// Name of a signature algorithm.
    package var algorithm = "ES256"
    /// PEM file with the signing key, made when it is missing. Not used by HS algorithms.
    package var keyFile: String
    /// The secret of an HS algorithm.
    package var key: Secret?
    package var clientTokenSeconds = 604_800
    package var userTokenSeconds = 604_800
    /// By how much the clocks of gateways that share a signing key may differ: `iat` and `nbf` of their tokens may lie so
    /// far in the future. `exp` is exact.
    package var clockSkew = Duration.seconds(5)
    /// Whether roles are looked up at each request and not taken from the token (ROLE-03).
    package var liveRoles = false
    /// Whether credentials are taken over TLS alone (GW-13); nil where listeners on loopback make the exception.
    package var requiresTLS: Bool?
    /// Limits of the gateway's own endpoints together.
    package var rateLimits: [RouteRateLimit] = []

    static func read(_ field: Field?, _ findings: Findings, baseURL: WebOrigin) -> TokenServiceSection {
        var section = TokenServiceSection(
            issuer: "\(baseURL)", audience: "\(baseURL)", keyFile: findings.path(of: "state/signing.pem"))
        guard let field else { return section }
        var object = field.object("an object")
        section.isEnabled = object.flag("enabled", default: true)
        section.issuer = object.value("issuer", default: section.issuer) { $0.name() }
        section.audience = object.value("audience", default: section.audience) { $0.name() }
        readPaths(&object, into: &section)
        section.resourceServers = object.value("resourceServers", default: [], ResourceServerEntry.readAll)
        section.scopes = object.value("scopes", default: []) { $0.scopes() }
        section.algorithm = object.value("algorithm", default: section.algorithm) { $0.choice(SigningAlgorithm.all) }
        readKey(&object, into: &section)
        section.clientTokenSeconds = object.value("clientTokenSeconds", default: 604_800) { $0.seconds() }
        section.userTokenSeconds = object.value("userTokenSeconds", default: 604_800) { $0.seconds() }
        section.clockSkew = object.duration("clockSkew", default: section.clockSkew)
        section.liveRoles = object.flag("liveRoles", default: false)
        section.rateLimits = object.value("rateLimit", default: [], RouteRateLimit.shape.read)
        section.requiresTLS = object.optional("requireTls") { $0.bool() }
        object.finish()
        return section
    }

    private static func readPaths(_ object: inout ObjectReader, into section: inout TokenServiceSection) {
        section.tokenPath = object.value("tokenPath", default: section.tokenPath) { $0.literalPath() }
        section.revocationPath = object.value("revocationPath", default: section.revocationPath) { $0.literalPath() }
        section.introspectionPath = object.value("introspectionPath", default: section.introspectionPath) {
            $0.literalPath()
        }
        defer { checkPaths(section, object.field) }
        guard let field = object.take("tokenPathAliases"), let elements = field.elements("an array of paths") else {
            return
        }
        section.tokenPathAliases = []
        for element in elements {
            guard let path = element.literalPath() else { continue }
            if path == section.tokenPath || section.tokenPathAliases.contains(path) {
                element.error("\"\(path)\" is a token path already", expected: "a path of its own")
            }
            section.tokenPathAliases.append(path)
        }
    }

    private static func checkPaths(_ section: TokenServiceSection, _ field: Field) {
        let paths = [section.tokenPath, section.revocationPath, section.introspectionPath] + section.tokenPathAliases
        guard Set(paths.prefix(3)).count < 3 || !Set(paths.prefix(3).dropFirst()).isDisjoint(with: paths.dropFirst(3))
        else { return }
        field.error("two endpoints have one path", expected: "a path of its own for each endpoint")
    }

    private static func readKey(_ object: inout ObjectReader, into section: inout TokenServiceSection) {
        let keyField = object.take("key")
        let fileField = object.take("keyFile")
        section.keyFile = fileField.flatMap { $0.path() } ?? section.keyFile
        guard SigningAlgorithm.symmetric.contains(section.algorithm) else {
            keyField?.error(
                "\"key\" belongs to HS algorithms", expected: "\"keyFile\" for \(section.algorithm)")
            return
        }
        fileField?.error("\"keyFile\" belongs to asymmetric algorithms", expected: "\"key\" for \(section.algorithm)")
        let minimum = SigningAlgorithm.minimumSecretLength(section.algorithm)
        guard let keyField else {
            object.field.error("\(section.algorithm) needs \"key\"", expected: "a secret of at least \(minimum) bytes")
            return
        }
        section.key = keyField.secret()
        if let key = section.key, key.value.utf8.count < minimum {
            keyField.error(
                "the key is too short for \(section.algorithm)", expected: "a secret of at least \(minimum) bytes",
                found: "\(key.value.utf8.count) bytes")
        }
    }
}

extension Field {
    /// `scope-token`s (RFC 6749 section 3.3).
    func scopes() -> [String]? {
        names("an array of scopes") { element in
            guard let name = element.name() else { return nil }
            guard name.utf8.allSatisfy({ $0 > 32 && $0 < 127 && $0 != ASCII.quote && $0 != ASCII.backslash }) else {
                element.error(
                    "invalid scope", expected: "visible ASCII without blank, quote and backslash",
                    found: element.summary)
                return nil
            }
            return name
        }
    }
}
