import Bytes

/// Handling of the `scope` parameter (RFC 6749 section 3.3).
package struct GrantedScope: Sendable {
    /// Scope in the token; nil if none was requested.
    let claim: String?
    /// Scope in the response; nil if equal to the requested one (OAUTH-03).
    let reply: String?

    /// No scope was requested.
    package static let none = GrantedScope()

    private init(claim: String? = nil, reply: String? = nil) {
        self.claim = claim
        self.reply = reply
    }

    /// The scope that a user has granted. The response names it, since a user may grant less than was requested.
    /// - Parameter granted: empty for none.
    init(granted: String) {
        self.init(claim: granted.isEmpty ? nil : granted, reply: granted.isEmpty ? nil : granted)
    }

    /// The requested names that may be granted, in order. Throws if there are none, and for a malformed scope.
    package static func grantable(_ requested: String, _ allowed: [String]) throws(TokenFailure) -> [String] {
        let known = Set(allowed)
        let names = try names(requested, allowed).filter(known.contains)
        guard !names.isEmpty else { throw .invalidScope }
        return names
    }

    /// The known names of a scope. Throws if there are none (RFC 6749 section 5.2).
    /// - Parameters:
    ///   - requested: the parameter's value; nil if absent.
    ///   - allowed: the configured scopes.
    init(requested: String?, allowed: [String]) throws(TokenFailure) {
        guard let requested else {
            self.init()
            return
        }
        let granted = try GrantedScope.grantable(requested, allowed).joined(separator: " ")
        self.init(claim: granted, reply: granted == requested ? nil : granted)
    }

    /// The scope of a token derived from an earlier grant: the same, or the requested subset (RFC 6749 section 6, RFC
    /// 8693 section 2.1).
    /// - Parameter granted: the earlier scope; empty for none.
    init(requested: String?, granted: String, allowed: [String]) throws(TokenFailure) {
        guard let requested else {
            self.init(claim: granted.isEmpty ? nil : granted)
            return
        }
        let held = Set(granted.split(separator: " ").map(String.init))
        // Some clients add it to each request. It gives nothing, since refresh tokens come by the client's configuration.
        let names = try GrantedScope.names(requested, allowed).filter {
            held.contains($0) || !$0.isExactly("offline_access")
        }
        if names.isEmpty {
            self.init(granted: granted)
            return
        }
        guard names.allSatisfy(held.contains) else { throw .invalidScope }
        let claim = names.joined(separator: " ")
        self.init(claim: claim, reply: claim == requested ? nil : claim)
    }

    /// Maximum number of names in a scope, unless more are configured.
    private static let usualNames = 128

    /// The names in order, without duplicates.
    private static func names(_ scope: String, _ allowed: [String]) throws(TokenFailure) -> [String] {
        let names = scope.utf8.split(separator: 0x20, omittingEmptySubsequences: false)
        guard names.count <= max(usualNames, allowed.count),
            names.allSatisfy({ !$0.isEmpty && $0.allSatisfy(GrantedScope.isScopeCharacter) })
        else { throw .invalidScope }
        return names.compactMap { String($0) }.unique()
    }

    /// `scope-token = 1*( %x21 / %x23-5B / %x5D-7E )`
    private static func isScopeCharacter(_ byte: UInt8) -> Bool {
        byte == 0x21 || (0x23...0x5B).contains(byte) || (0x5D...0x7E).contains(byte)
    }
}
