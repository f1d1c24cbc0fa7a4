import Bytes

/// A kind of name that one section defines and others reference.
package enum ReferenceKind: String {
    case upstream, webgate, issuer, client, backend, application, role, route, user, consumer
    case rateLimit = "rate limit"
    case authenticationScheme = "authentication scheme"
    case identityProvider = "identity provider"
    case trustedIssuer = "trusted issuer"
    case policyServer = "policy server"

    /// The section that defines the names.
    package var section: String {
        switch self {
        case .rateLimit: "rateLimits"
        case .authenticationScheme: "authenticationSchemes"
        case .identityProvider: "identityProviders"
        case .trustedIssuer: "trustedIssuers"
        case .policyServer: "policyServers"
        default: "\(rawValue)s"
        }
    }

    /// The expectation to report for an invalid reference.
    package var expectation: String {
        switch self {
        case .backend: "a backend as \"name/version\""
        case .client: "the id of a client, or a backend as \"name/version\""
        case .role: "a role of the catalogue, written with the same case; `portcullis roles add` adds one"
        case .upstream, .issuer, .application, .authenticationScheme, .identityProvider: "the name of an \(rawValue)"
        case .webgate, .route, .rateLimit, .policyServer, .user, .consumer: "the name of a \(rawValue)"
        case .trustedIssuer: "the name of a \(rawValue), or \"local\" for the gateway itself"
        }
    }
}

/// A reference, which is resolved once all sections are read.
package struct Reference {
    package let kind: ReferenceKind
    package let name: String
    package let place: JSONLocation

    package init(kind: ReferenceKind, name: String, place: JSONLocation) {
        (self.kind, self.name, self.place) = (kind, name, place)
    }
}

extension Field {
    /// The name of something that another section defines.
    package func reference(to kind: ReferenceKind) -> String? {
        guard let name = name(kind.expectation) else { return nil }
        findings.references.append(Reference(kind: kind, name: name, place: place))
        return name
    }

    /// One name, or several, each once.
    package func oneOrMore(of kind: ReferenceKind) -> [String]? {
        guard node.array != nil else { return reference(to: kind).map { [$0] } }
        let names = references(to: kind)
        if names?.isEmpty == true { error("the list is empty", expected: kind.expectation) }
        return names
    }

    /// Several names, each once.
    package func references(to kind: ReferenceKind) -> [String]? {
        names("an array, each element \(kind.expectation)") { $0.reference(to: kind) }
    }
}
