import Bytes
import Identity
import JOSE
import Model

/// The scopes of OpenID Connect that the gateway knows (OpenID Connect Core section 5.4). Clients of the authorization
/// endpoint may ask for them beside the configured scopes.
package enum OpenIDScope: String, Sendable, CaseIterable {
    case openid, profile, email

    /// Whether a scope has this name.
    static func isGranted(_ name: OpenIDScope, in scope: String) -> Bool { isGranted(name.rawValue, in: scope) }

    static func isGranted(_ name: String, in scope: String) -> Bool {
        scope.utf8.split(separator: ASCII.space).contains { $0.elementsEqual(name.utf8) }
    }
}

extension TokenServiceSettings {
    /// Whether there are ID tokens: their readers need a public key.
    package var hasOpenID: Bool { !keys.idTokenSigners.isEmpty }

    /// The scopes that the authorization endpoint grants.
    package var scopesOfUsers: [String] {
        var scopes: [String] = []
        let ofClaims = hasOpenID ? OpenIDScope.allCases.map(\.rawValue) + terms.scopeClaims.map(\.scope) : []
        for scope in ofClaims + terms.scopes where !scopes.contains(where: scope.isExactly) { scopes.append(scope) }
        return scopes
    }

    /// Whether some client may use the device grant.
    package var hasDevices: Bool {
        registration?.rules.allowsDevices == true
            || clients.clients.contains { $0.oauthConsumer && $0.grants.allowsDevices }
    }

    /// Whether some client may use the authorization endpoint.
    package var hasAuthorization: Bool {
        registration != nil || clients.clients.contains { $0.oauthConsumer && $0.grants.authorization != nil }
    }
}
