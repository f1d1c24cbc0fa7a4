import Identity
import Model

/// How users of a Webgate log in, and what that is worth (SCH-01).
package struct AuthenticationScheme: Sendable, Equatable {
    package var name: String
    /// 0 to 10.
    package var level: Int
    package var method: ChallengeMethod
    /// Where the form is, as a path with a query.
    package var formTarget: String
    /// Ids of the backends whose users log in by the form: those of its realm, since in another one the name is somebody
    /// else's (MBE-09).
    package var backends: [String] = []
    /// How users log in by the form: sessions that were made in other ways do not satisfy the scheme (CACHE-11).
    package var logins: [LoginClass] = []

    package init(name: String, level: Int, method: ChallengeMethod, formTarget: String) {
        self.name = name
        self.level = level
        self.method = method
        self.formTarget = formTarget
    }
}
