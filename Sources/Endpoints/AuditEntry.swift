/// What the audit log says of a grant, a refusal or a change: who, what, how it ended. Never a secret, never a token.
package struct AuditEntry: Sendable, Equatable {
    package enum Outcome: String, Sendable {
        case granted, refused, changed
    }

    /// What was asked for, such as `grant.password`.
    package var action: String
    package var outcome: Outcome
    /// User name or client id; empty if the caller is unknown.
    package var subject: String
    /// `name/version` of the client, or the name of the application; empty for none.
    package var client: String
    /// `jti` of the token that was granted or ended; empty for none.
    package var tokenID: String
    /// Id of the session that ended for a new one; empty for none.
    package var replaces = ""

    package init(action: String, outcome: Outcome, subject: String = "", client: String = "", tokenID: String = "") {
        self.action = action
        self.outcome = outcome
        self.subject = subject
        self.client = client
        self.tokenID = tokenID
    }
}
