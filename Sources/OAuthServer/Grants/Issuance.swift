import Identity

/// A grant that was made and a token that is about to be.
package struct Issuance: Sendable {
    /// What the reply looks like.
    enum Shape: Sendable {
        /// OAUTH-02 and OAUTH-04.
        case oracle
        /// RFC 8693 section 2.2.1.
        case exchanged
        /// JTX-07.
        case mobile
    }

    package let grant: AccessTokenMinter.Grant
    let scope: GrantedScope
    /// Which grant it was, for the audit log: `password`.
    let action: String
    var shape = Shape.oracle
    package var tokenID = AccessTokenMinter.randomID()
    /// What goes with the access token; nil for nothing.
    var refreshToken: String?

    package init(_ grant: AccessTokenMinter.Grant, _ scope: GrantedScope, action: String) {
        self.grant = grant
        self.scope = scope
        self.action = action
    }
}
