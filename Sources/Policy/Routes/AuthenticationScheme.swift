import Identity
import Model

/// How users of a Webgate log in, and the resulting level (SCH-01).
package struct AuthenticationScheme: Sendable, Equatable {
    package var name: String
    /// 0 to 10.
    package var level: Int
    package var method: ChallengeMethod
    /// The form's path with a query.
    package var formTarget: String
    /// Ids of the clients whose users may log in by the form: those of its realm, since the same name in another realm
    /// is a different user.
    package var clients: [String] = []
    /// Login classes of the form: sessions of other classes do not satisfy the scheme (CACHE-11).
    package var logins: [LoginClass] = []
    /// Challenges in place of `Bearer` and `Basic`; empty for these.
    package var challenges: [ChallengeRule] = []

    package init(name: String, level: Int, method: ChallengeMethod, formTarget: String) {
        self.name = name
        self.level = level
        self.method = method
        self.formTarget = formTarget
    }
}
