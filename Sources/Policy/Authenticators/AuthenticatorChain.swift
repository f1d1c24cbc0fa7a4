import Identity
import Model

/// The kinds of credentials that a route takes, in the order in which they count.
final class AuthenticatorChain: Sendable {
    /// A scheme of `WWW-Authenticate`.
    enum Scheme: Sendable, Equatable {
        case bearer, basic
        /// Of a kind with a scheme of its own.
        case named([UInt8])

        /// Nil for what no field asks for.
        init?(_ place: CredentialPlace) {
            switch place {
            case .token, .key: self = .bearer
            case .password: self = .basic
            case .scheme(let name): self = .named(name)
            case .elsewhere: return nil
            }
        }
    }

    let entries: [ListedKind]
    /// The schemes of the challenge, each once. A route of sessions and certificates alone has none, and a 401 needs one.
    private let schemes: [Scheme]
    /// Those of credentials beside which a key must come.
    private let schemesBesideKey: [Scheme]
    /// Whether an API key counts, alone or beside another credential.
    let takesKeys: Bool
    /// Whether a credential counts beside which a key must come.
    let hasPairs: Bool

    init(_ entries: [ListedKind]) {
        self.entries = entries
        let besideKey = entries.filter(\.entry.needsKey).map(\.place)
        hasPairs = !besideKey.isEmpty
        takesKeys = hasPairs || entries.contains { $0.place == .key }
        schemes = AuthenticatorChain.schemes(entries.flatMap { $0.entry.needsKey ? [.key, $0.place] : [$0.place] })
        schemesBesideKey = AuthenticatorChain.schemes(besideKey)
    }

    private static func schemes(_ places: [CredentialPlace]) -> [Scheme] {
        var schemes: [Scheme] = []
        for place in places {
            guard let scheme = Scheme(place), !schemes.contains(scheme) else { continue }
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
        !isPair || takesKeys && entries.contains { shown.isFor($0) }
    }

    func lists(_ kind: Authenticator.Kind) -> Bool { entries.contains { $0.entry.kind == kind } }

    /// What judges callers of a method; nil where the list has no such kind.
    func judge(of method: Principal.Method) -> (any CredentialJudge)? {
        entries.first { $0.identifies(by: method) }?.judge
    }

    /// What judges credentials of a kind that has a scheme of its own; nil where the list does not have it.
    func judge(of kind: Authenticator.Kind) -> (any CredentialJudge)? {
        entries.first { $0.entry.kind == kind }?.judge
    }

    /// The listed kind to which a scheme of `Authorization` belongs; nil for none.
    func kind(ofScheme name: Span<UInt8>) -> Authenticator.Kind? {
        for listed in entries {
            // The scheme is compared without case (ISS-08).
            if case .scheme(let own) = listed.place, equalIgnoringCase(own, name) { return listed.entry.kind }
        }
        return nil
    }

    /// Whether a caller's credential is of a listed kind.
    func accepts(_ principal: Principal) -> Bool {
        for i in entries.indices where entries[i].accepts(principal) {
            if !entries[i].entry.needsKey || principal.consumer != nil { return true }
        }
        return false
    }
}
