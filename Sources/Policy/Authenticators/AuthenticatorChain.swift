import Bytes
import Identity
import Model

/// The kinds of credentials that a route takes, in the order in which they count.
final class AuthenticatorChain: Sendable {
    /// A scheme of `WWW-Authenticate`.
    enum Scheme: Sendable {
        case bearer, basic, saml
    }

    let entries: [Authenticator]
    /// The schemes of the challenge, each once. A route of sessions and certificates alone has none, and a 401 needs one.
    private let schemes: [Scheme]
    /// Those of credentials beside which a key must come.
    private let schemesBesideKey: [Scheme]
    /// Whether an API key counts, alone or beside another credential.
    let takesKeys: Bool
    /// Whether a credential counts beside which a key must come.
    let hasPairs: Bool

    /// Verifies passwords, in place of the gateway's own; nil for those.
    let passwords: IssuerCredentials?

    init(_ entries: [Authenticator], passwords: IssuerCredentials? = nil) {
        self.entries = entries
        self.passwords = passwords
        hasPairs = entries.contains(where: \.needsKey)
        takesKeys = hasPairs || entries.contains { $0.kind == .apiKey }
        schemes = AuthenticatorChain.schemes(entries.flatMap { $0.needsKey ? [.apiKey, $0.kind] : [$0.kind] })
        schemesBesideKey = AuthenticatorChain.schemes(entries.filter(\.needsKey).map(\.kind))
    }

    private static func schemes(_ kinds: [Authenticator.Kind]) -> [Scheme] {
        var schemes: [Scheme] = []
        for kind in kinds {
            guard let scheme = kind.scheme, !schemes.contains(scheme) else { continue }
            schemes.append(scheme)
        }
        return schemes.isEmpty ? [.bearer] : schemes
    }

    /// The schemes of the challenge for a reason: where one of two credentials is missing, its own.
    func schemes(for reason: Reason) -> [Scheme] {
        switch reason {
        case .apiKeyMissing: [.bearer]
        case .userCredentialMissing: schemesBesideKey
        // A password never says how or when its holder logged in.
        default: reason.neededLogin == nil ? schemes : [.bearer]
        }
    }

    /// Whether the route takes a key beside another credential, if the request has both.
    func takes(_ shown: PresentedCredentials, isPair: Bool) -> Bool {
        !isPair || takesKeys && entries.contains { shown.isFor($0.kind) }
    }

    func lists(_ kind: Authenticator.Kind) -> Bool { entries.contains { $0.kind == kind } }

    /// Whether a caller's credential is of a listed kind.
    func accepts(_ principal: Principal) -> Bool {
        for i in entries.indices where entries[i].accepts(principal) {
            if !entries[i].needsKey || principal.consumer != nil { return true }
        }
        return false
    }
}

extension Authenticator {
    /// Whether a credential is of the kind. A key beside it is not looked at.
    func accepts(_ principal: Principal) -> Bool {
        switch kind {
        case .bearer: principal.method == .bearer && issuer?.isExactly(principal.issuer) != false
        case .basic: principal.method == .basic && (issuer ?? Principal.ownIssuer).isExactly(principal.issuer)
        case .anonymousKey: principal.method == .anonymousKey || principal.method == .social
        case .apiKey: principal.method == .apiKey
        case .certificate: principal.method == .certificate
        case .session: principal.method == .cookie
        case .saml: principal.method == .saml && issuer?.isExactly(principal.issuer) != false
        }
    }
}

extension Authenticator.Kind {
    fileprivate var scheme: AuthenticatorChain.Scheme? {
        switch self {
        case .bearer, .apiKey: .bearer
        case .basic, .anonymousKey: .basic
        case .saml: .saml
        case .certificate, .session: nil
        }
    }
}
