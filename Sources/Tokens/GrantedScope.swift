/// What becomes of a requested scope (RFC 6749 section 3.3).
struct GrantedScope: Sendable {
    /// What the token says; nil where scopes mean nothing here, or none was asked for.
    let claim: String?
    /// What the reply says; nil where it is what was asked for (OAUTH-03).
    let reply: String?

    /// - Parameters:
    ///   - requested: the parameter's value; nil for none.
    ///   - allowed: the configured scopes. Where there are none, a client may name any it likes: it gets a token that
    ///     carries none, so nobody upstream can take the client's word for a right.
    init(requested: String?, allowed: [String]) throws(TokenFailure) {
        guard let requested else {
            claim = nil
            reply = nil
            return
        }
        let names = requested.utf8.split(separator: 0x20, omittingEmptySubsequences: false)
        guard names.allSatisfy({ !$0.isEmpty && $0.allSatisfy(GrantedScope.isScopeCharacter) }) else {
            throw .invalidScope
        }
        guard !allowed.isEmpty else {
            claim = nil
            reply = nil
            return
        }
        let granted = names.compactMap { String($0) }.filter(allowed.contains).joined(separator: " ")
        guard !granted.isEmpty else { throw .invalidScope }
        claim = granted
        reply = granted == requested ? nil : granted
    }

    /// `scope-token = 1*( %x21 / %x23-5B / %x5D-7E )`
    private static func isScopeCharacter(_ byte: UInt8) -> Bool {
        byte == 0x21 || (0x23...0x5B).contains(byte) || (0x5D...0x7E).contains(byte)
    }
}
