/// What becomes of a requested scope (RFC 6749 section 3.3).
package struct GrantedScope: Sendable {
    /// What the token says; nil where scopes mean nothing here, or none was asked for.
    let claim: String?
    /// What the reply says; nil where it is what was asked for (OAUTH-03).
    let reply: String?

    /// None was asked for.
    package static let none = GrantedScope()

    private init(claim: String? = nil, reply: String? = nil) {
        self.claim = claim
        self.reply = reply
    }

    /// - Parameters:
    ///   - requested: the parameter's value; nil for none.
    ///   - allowed: the configured scopes. Where there are none, a client may name any it likes: it gets a token that
    ///     carries none, so nobody upstream can take the client's word for a right.
    init(requested: String?, allowed: [String]) throws(TokenFailure) {
        guard let requested else {
            self.init()
            return
        }
        let names = try GrantedScope.names(requested, allowed)
        guard !allowed.isEmpty else {
            self.init()
            return
        }
        let known = Set(allowed)
        let granted = names.filter(known.contains).joined(separator: " ")
        guard !granted.isEmpty else { throw .invalidScope }
        self.init(claim: granted, reply: granted == requested ? nil : granted)
    }

    /// The scope of a token that comes of an earlier grant: all of that, or the part that is asked for, and never more
    /// (RFC 6749 section 6, RFC 8693 section 2.1).
    /// - Parameter granted: the scope of before; empty for none.
    init(requested: String?, granted: String, allowed: [String]) throws(TokenFailure) {
        guard let requested else {
            self.init(claim: granted.isEmpty ? nil : granted)
            return
        }
        let names = try GrantedScope.names(requested, allowed)
        guard !allowed.isEmpty else {
            self.init()
            return
        }
        let held = Set(granted.split(separator: " ").map(String.init))
        guard names.allSatisfy(held.contains) else { throw .invalidScope }
        let claim = names.joined(separator: " ")
        self.init(claim: claim, reply: claim == requested ? nil : claim)
    }

    /// How many names a scope may have, where no more are configured.
    private static let usualNames = 128

    /// The names in their order, each once.
    private static func names(_ scope: String, _ allowed: [String]) throws(TokenFailure) -> [String] {
        let names = scope.utf8.split(separator: 0x20, omittingEmptySubsequences: false)
        guard names.count <= max(usualNames, allowed.count),
            names.allSatisfy({ !$0.isEmpty && $0.allSatisfy(GrantedScope.isScopeCharacter) })
        else { throw .invalidScope }
        var seen: Set<String> = []
        return names.compactMap { String($0) }.filter { seen.insert($0).inserted }
    }

    /// `scope-token = 1*( %x21 / %x23-5B / %x5D-7E )`
    private static func isScopeCharacter(_ byte: UInt8) -> Bool {
        byte == 0x21 || (0x23...0x5B).contains(byte) || (0x5D...0x7E).contains(byte)
    }
}
