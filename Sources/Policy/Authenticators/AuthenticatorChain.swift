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
    let schemes: [Scheme]

    /// Verifies passwords, in place of the gateway's own; nil for those.
    let passwords: IssuerCredentials?

    init(_ entries: [Authenticator], passwords: IssuerCredentials? = nil) {
        self.entries = entries
        self.passwords = passwords
        var schemes: [Scheme] = []
        for entry in entries {
            guard let scheme = entry.kind.scheme, !schemes.contains(scheme) else { continue }
            schemes.append(scheme)
        }
        self.schemes = schemes.isEmpty ? [.bearer] : schemes
    }

    func lists(_ kind: Authenticator.Kind) -> Bool { entries.contains { $0.kind == kind } }

    /// Whether a caller's credential is of a listed kind.
    func accepts(_ principal: Principal) -> Bool {
        for i in entries.indices where entries[i].accepts(principal) { return true }
        return false
    }
}

extension Authenticator {
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
